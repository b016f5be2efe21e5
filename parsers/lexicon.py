"""A game's words and names, and how they are found in a text: in any form, abbreviated, misspelt, in part.

`Entry` says what a name means; `Lexicon` finds all entries in a list of tokens. Building one is cheap for names already seen
(forms are cached by word), so a language can be made anew for each view.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from parsers import typos
from parsers.atoms import Sense
from parsers.harmless import harmless_forms
from parsers.phonetics import SoundIndex
from parsers.russian import alternatives, closed_class, inflections, info, normal
from parsers.tokens import Kind, Token

_SPLITS = str.maketrans(dict.fromkeys("-–—.,«»\"'()/:!?", " "))
_ABBREVIATED = 6
"""A full stop inside a name stands behind no longer a word («сер. ручей»); behind others the sentence ends."""
_SKIPPED_SIGNS = frozenset("-.,«»\"'()“”„№#")


@dataclass(frozen=True, slots=True)
class Entry:
    """What some names mean."""

    kind: str
    value: Any
    names: tuple[str, ...]
    """Each a word or several. `атак*` is any word beginning so; `=ком` is that very form, never another, never a typo."""
    partial: bool = False
    """Single words of a longer name may stand for it where only one thing fits («Прииск»)."""
    label: str = ""
    """How it is called in messages; the first name where empty."""
    weight: float = 1.0

    @property
    def title(self) -> str:
        """Name for messages."""
        return self.label or self.names[0].strip("=*")


@dataclass(slots=True)
class _Node:
    children: dict[int, _Node] = field(default_factory=dict)
    entries: list[tuple[Entry, bool]] = field(default_factory=list)
    """Entries whose name ends here, and whether the name is only a part of theirs."""


@dataclass(frozen=True, slots=True)
class Found:
    """A name found in the tokens `first <= i < last`."""

    first: int
    last: int
    sense: Sense
    entry: Entry
    weight: float


class Lexicon:
    """All names of a language, compiled."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)
        self.references = frozenset(e.kind for e in self.entries if e.kind.startswith("~"))
        """Kinds of references and signs of correction (`~…`) that it holds."""
        self._ids: dict[str, int] = {}
        self._forms: dict[str, set[int]] = {}
        self._stems: dict[str, set[int]] = {}
        self._root = _Node()
        self._words: dict[str, tuple[tuple[int, float], ...]] = {}
        self._loose: dict[str, tuple[tuple[int, float], ...]] = {}
        self._titles: dict[tuple[str, Any], str] = {}
        self._strict: set[str] = set()
        self._strict_ids: set[int] = set()
        for entry in self.entries:
            self._titles.setdefault((entry.kind, _key(entry.value)), entry.title)
            for name in entry.names:
                self._add(entry, name)
        self._stem_lengths = sorted({len(s) for s in self._stems}, reverse=True)
        free = {f: ids - self._strict_ids for f, ids in self._forms.items() if f not in self._strict or ids - self._strict_ids}
        self._sorted = sorted(f for f in self._forms if f not in self._strict)
        self._index = typos.TypoIndex(free)
        self._free = free

    def _add(self, entry: Entry, name: str) -> None:
        parts = [p for p in name.translate(_SPLITS).replace("ё", "е").lower().split() if p]
        ids = [self._word_id(p) for p in parts]
        if not ids:
            return
        self._insert(ids, entry, False)
        if entry.partial and len(ids) > 1:
            content = [i for i, p in enumerate(parts) if p not in closed_class() and not p.isdigit() and len(p) > 2]
            runs: set[tuple[int, ...]] = {(i,) for i in content}
            runs |= {tuple(range(i, j)) for i in range(len(ids)) for j in range(i + 2, len(ids) + 1) if j - i < len(ids)}
            for run in sorted(runs):
                self._insert([ids[i] for i in run], entry, True)

    def _insert(self, ids: Sequence[int], entry: Entry, partial: bool) -> None:
        node = self._root
        for word_id in ids:
            node = node.children.setdefault(word_id, _Node())
        for i, (known, was_partial) in enumerate(node.entries):
            if known is entry:
                node.entries[i] = (entry, was_partial and partial)
                return
        node.entries.append((entry, partial))

    def _word_id(self, word: str) -> int:
        if word in self._ids:
            return self._ids[word]
        number = self._ids[word] = len(self._ids)
        if word.endswith("*"):
            self._stems.setdefault(word[:-1], set()).add(number)
        elif word.startswith("="):
            self._forms.setdefault(word[1:], set()).add(number)
            self._strict.add(word[1:])
            self._strict_ids.add(number)
        else:
            for form in inflections(word):
                self._forms.setdefault(form, set()).add(number)
        return number

    def title(self, kind: str, value: Any) -> str:
        """The Russian name of a value for messages; the value itself where it has none."""
        return self._titles.get((kind, _key(value)), str(value))

    def knows(self, word: str) -> bool:
        """True for a form of a word of this lexicon, without repairs."""
        return word in self._forms or any(word[:n] in self._stems for n in self._stem_lengths if len(word) >= n)

    def word(self, norm: str) -> tuple[tuple[int, float], ...]:
        """The lexicon words that a text word can be, with quality. Repairs typos of words outside the dictionary."""
        hit = self._words.get(norm)
        if hit is None:
            hit = self._look_up(norm)
            if len(self._words) > 50_000:
                self._words.clear()
            self._words[norm] = hit
        return hit

    def _look_up(self, norm: str) -> tuple[tuple[int, float], ...]:
        out: dict[int, float] = {}
        for word_id in self._forms.get(norm, ()):
            out[word_id] = typos.EXACT
        for length in self._stem_lengths:
            if len(norm) >= length:
                for word_id in self._stems.get(norm[:length], ()):
                    out.setdefault(word_id, typos.STEM)
        if out:
            return tuple(out.items())
        for other in alternatives(norm):
            found = self._forms.get(other, ())
            if found:
                return tuple((word_id, typos.LOOKALIKE) for word_id in found)
        if norm in closed_class() or info(norm).known or norm.isascii() or norm in harmless_forms():
            return ()
        return self._shortened(norm) or self._repaired(norm)

    def _shortened(self, norm: str) -> tuple[tuple[int, float], ...]:
        """Words that begin so; none when words of several things do."""
        if len(norm) < typos.SHORTENED_FROM:
            return ()
        at = bisect_left(self._sorted, norm)
        ids: set[int] = set()
        while at < len(self._sorted) and self._sorted[at].startswith(norm):
            ids |= self._forms[self._sorted[at]]
            if len(ids) > 3:
                return ()
            at += 1
        return tuple((word_id, typos.SHORTENED) for word_id in sorted(ids))

    def _repaired(self, norm: str) -> tuple[tuple[int, float], ...]:
        out: dict[int, float] = {}
        for form, distance in self._near(norm).items():
            quality = typos.ONE_OFF if distance == 1 else typos.TWO_OFF
            for word_id in self._forms[form] - self._strict_ids:
                out[word_id] = max(quality, out.get(word_id, 0.0))
        return tuple(out.items())

    def _near(self, norm: str) -> Mapping[str, int]:
        """Known forms one letter away; else those that sound alike, however they are spelt; else those two letters away."""
        near = self._index.near(norm)
        if not near or min(near.values()) > 1:
            alike = () if info(norm).known else self._by_sound.alike(norm)
            return dict.fromkeys(alike, typos.BY_EAR) or near
        return near

    @cached_property
    def _by_sound(self) -> SoundIndex:
        return SoundIndex(self._free)

    def _loosely(self, norm: str) -> tuple[tuple[int, float], ...]:
        """Like `word`, for a word beside exact words of one name: dictionary words may be typos here."""
        strict = self.word(norm)
        if strict or norm in closed_class() or norm.isascii():
            return strict
        hit = self._loose.get(norm)
        if hit is None:
            hit = self._loose[norm] = self._repaired(norm)
            if len(self._loose) > 50_000:
                self._loose.clear()
        return hit

    def repaired(self, word: str, understood: Iterable[str] = ()) -> str | None:
        """The one known form that a misspelt word is nearest to; None where it is known itself, or there are several.
        `understood`: words of what it was taken for, which decide between several."""
        norm = normal(word)
        if norm in self._forms or norm in closed_class():
            return None
        near = list(self._near(norm)) or [form for form in alternatives(norm) if form in self._forms]
        if len(near) > 1:
            meant = {lemma for other in understood for lemma in info(other).lemmas}
            near = [form for form in near if info(form).lemmas & meant] or near
        if len(near) > 1:  # of several forms of one word, the one that ends alike
            near = [form for form in near if form[-2:] == norm[-2:]] or near
        return near[0] if len(near) == 1 else None

    def guess(self, norm: str, *kinds: str) -> list[Sense]:
        """One-word names of these kinds that a word may be a typo of although the dictionary knows it («арков» for «орков»).
        For places where nothing else will do; never certain."""
        out: list[Sense] = []
        for word_id, quality in self._loosely(normal(norm)):
            node = self._root.children.get(word_id)
            for entry, partial in node.entries if node is not None else ():
                if entry.kind in kinds and not partial:
                    quality = min(quality, typos.LOOKALIKE)
                    out.append(Sense(entry.kind, entry.value, quality, False, f"«{norm}» понято как «{entry.title}»"))
        return out

    def find(self, tokens: Sequence[Token]) -> list[Found]:
        """Every name in the tokens, overlapping ones too. Linear: a name has at most a handful of words."""
        out: list[Found] = []
        for i, token in enumerate(tokens):
            if token.kind is not Kind.WORD:
                continue
            hits = self.word(token.norm)
            for word_id, quality in hits:
                node = self._root.children.get(word_id)
                if node is not None:
                    self._walk(tokens, i, i + 1, node, quality, 1, out)
            following = tokens[i + 1] if i + 1 < len(tokens) else None
            if not hits and following is not None and following.kind is Kind.WORD and self.word(following.norm):
                # «свободе рубак»: a word of the dictionary, but the name goes on as a name does
                for word_id, quality in self._loosely(token.norm):
                    node = self._root.children.get(word_id)
                    if node is not None:
                        bare = _Node(node.children, [])
                        self._walk(tokens, i, i + 1, bare, quality, 1, out)
        return out

    def _walk(
        self,
        tokens: Sequence[Token],
        first: int,
        at: int,
        node: _Node,
        quality: float,
        count: int,
        out: list[Found],
        comma: bool = False,
    ) -> None:
        for entry, partial in node.entries:
            if comma and not entry.kind.startswith("~"):
                continue  # «закончит ход, закрыть вход» is no «ход закрыть»; «стоп, нет» is one sign
            if partial and quality < typos.ONE_OFF:
                continue  # a badly spelt part of a name is too little to go by
            note = None
            if quality < typos.CERTAIN:
                note = f"«{_written(tokens, first, at)}» понято как «{entry.title}»"
            sense = Sense(entry.kind, entry.value, quality, partial, note)
            share = 0.6 if partial else 1.0
            out.append(Found(first, at, sense, entry, (count**1.4) * quality * share * entry.weight))
        if not node.children:
            return
        nxt = at
        stops = _SKIPPED_SIGNS if len(tokens[at - 1].norm) <= _ABBREVIATED else _SKIPPED_SIGNS - {"."}
        while nxt < len(tokens) and nxt - at < 3 and tokens[nxt].kind is Kind.SIGN and tokens[nxt].norm in stops:
            comma = comma or tokens[nxt].norm == ","
            nxt += 1
        if nxt >= len(tokens) or tokens[nxt].kind not in (Kind.WORD, Kind.NUMBER):
            return
        options = self._loosely(tokens[nxt].norm) if quality >= typos.CERTAIN else self.word(tokens[nxt].norm)
        for word_id, q in options:
            child = node.children.get(word_id)
            if child is not None:
                self._walk(tokens, first, nxt + 1, child, min(quality, q), count + 1, out, comma)

    def suggest(self, text: str, kinds: Iterable[str], limit: int = 3) -> list[str]:
        """Names of these kinds that look like `text`, nearest first, for «похоже на …»."""
        from rapidfuzz import fuzz, process

        wanted = set(kinds)
        titles = sorted({e.title for e in self.entries if e.kind in wanted})
        hits = process.extract(normal(text), titles, scorer=fuzz.WRatio, processor=normal, score_cutoff=62, limit=limit)
        return [title for title, _, _ in hits]


def _written(tokens: Sequence[Token], first: int, last: int) -> str:
    return " ".join(t.norm for t in tokens[first:last] if t.kind is Kind.WORD)


def _key(value: Any) -> Any:
    return value if isinstance(value, str | int | bool | tuple) else repr(value)


def entries_from_table(table: Mapping[str, Sequence[str]]) -> list[Entry]:
    """Entries of word groups as a language's TOML lists them: `attack = ["атака", "атаковать", …]`; the value is the group."""
    return [Entry(kind, kind, tuple(names)) for kind, names in table.items()]


@lru_cache(maxsize=4096)
def content_words(name: str) -> tuple[str, ...]:
    """The normalised words of a name that are no function words."""
    return tuple(w for w in normal(name).translate(_SPLITS).split() if w not in closed_class())
