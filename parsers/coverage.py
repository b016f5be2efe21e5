"""How much of what a player said an order explains: whatever it leaves unexplained beside its own words makes it ask.

An order is certain only when the words around it are its own (a slot, a trigger, noise that its frame knows, a reference), belong
to another order, or are known to change nothing (`data/harmless.toml`, and the game's own list). This module holds the thresholds
of certainty that depend on neighbours; those of single misspelt words are in `typos.py`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from parsers import typos
from parsers.alternatives import left_open
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.harmless import harmless, harmless_phrases
from parsers.misspelt import strange_words
from parsers.retractions import doubting, retracted
from parsers.russian import Verb, closed_class, info, normal, words
from parsers.structure import Layout, Phrases, Status, phrases, starts_with
from parsers.tokens import Kind
from parsers.types import Ignored, Reading, Span

if TYPE_CHECKING:
    from parsers.language import Language

Outputs = list[tuple[Match, list[Output]]]

BEFORE = 5
"""A word so many words before an order's first word, in the same clause, still bears on it; one farther off does not."""
AFTER = 4
"""The same behind its last word."""
LABEL = 3
"""The words before a colon or a dash that say what an order behind it is about, at most."""
REPLACED = 3
"""«Вместо» and at most so many words are what another thing takes the place of."""
CORRECTING = 2
"""Behind a word of correction, so many words are searched for what it puts right."""
MOST_NAMED = 3
"""A note names at most so many of the words that were not understood."""


@dataclass(frozen=True, slots=True)
class _Owned:
    """Which tokens of a post are explained, and by what."""

    by: dict[int, int]
    """Token index → index of the output whose atoms hold it (-1: a problem's place, or something taken back)."""
    idle: dict[int, int]
    """Tokens of phrases that change nothing."""
    loose: dict[int, Atom]
    """Token index → the atom it stands in, for atoms that no output has used."""


def _owned(context: Context, outputs: Outputs, elsewhere: Iterable[Span]) -> _Owned:
    layout = context.layout
    by: dict[int, int] = {}
    starts = [t.start for t in layout.tokens]
    for span in elsewhere:
        for i in range(bisect_left(starts, span.start), bisect_left(starts, span.end)):
            by[i] = -1
    by.update(dict.fromkeys(context.read, -1))
    for number, (match, made) in enumerate(outputs):
        if made:
            for atom in match.atoms:
                by.update(dict.fromkeys(atom.tokens(), number))
    loose = {i: atom for atom in context.atoms for i in atom.tokens() if i not in by}
    return _Owned(by, harmless_phrases(layout), loose)


def doubted(language: Language, context: Context, outputs: Outputs, superseded: Sequence[Ignored]) -> Outputs:
    """The outputs, with the readings that leave something unexplained uncertain, and a note that names it."""
    owned = _owned(context, outputs, [part.span for part in superseded])
    back = retracted(language, context, outputs)
    strange = strange_words(context, outputs, {*owned.by, *owned.idle, *owned.loose}, lambda word: _known(language, word))
    spoken_of = _items_left(context, outputs, owned)
    out: Outputs = []
    for number, (match, made) in enumerate(outputs):
        if not match.atoms or not any(isinstance(o, Reading) and o.certain for o in made):
            out.append((match, made))
            continue
        question = left_open(context, match, made, owned.by)
        if question is not None:
            out.append((match, [question, *(o for o in made if not isinstance(o, Reading))]))
            continue
        called = _called(language, context, match, owned)
        if called is not None:
            note = f"«{called.text}» — обращение: вам ли это приказ"
        elif number in back:
            note = f"возможно, отменено: «{back[number]}»"
        elif match.item in spoken_of and match.last <= spoken_of[match.item].first:
            note = f"ниже сказано ещё что-то о пункте {match.item}, и я этого не понял"
        else:
            note = _far_verb(context, match, outputs[number - 1][0] if number else None)
            note = note or _corrected(context, match, made, owned) or _note(_unexplained(language, context, match, number, owned))
            note = note or _note([strange[number]] if number in strange else [])
        out.append((match, [_unsure(o, note) if note else o for o in made]))
    return out


def _items_left(context: Context, outputs: Outputs, owned: _Owned) -> dict[str, Atom]:
    """Items of the player's own list of which a sentence says something that was not understood («В п. 1 вместо С7 — У7»)."""
    unread = {n for n, (_, made) in enumerate(outputs) if not any(isinstance(o, Reading) for o in made)}
    out: dict[str, Atom] = {}
    for index, inside in context.by_sentence.items():
        free = (a for a in inside if any(owned.by.get(i) in unread or i in owned.loose for i in a.tokens()))
        left = [a for a in free if context.layout.status[a.first] is Status.LIVE]
        item = next((a for a in left if a.has("~item")), None)
        said = any(s.kind != s.value and not s.kind.startswith("~") for a in left for s in a.senses)
        if item is not None and said and context.layout.sentence_of[item.first] == index:
            out.update({number: item for sense in item.all("~item") for number in sense.value})
    return out


def _known(language: Language, word: str) -> bool:
    return harmless(word) or bool(info(word).lemmas & language.harmless)


def _far_verb(context: Context, match: Match, before: Match | None) -> str:
    """A note if an order takes its verb from a sentence that ended on a line above and is no list («Предлагаю союз ограм!», «И
    Империи.»): the post may have gone on to something else."""
    layout = context.layout
    if not match.inherited or match.triggers or before is None or before.frame is not match.frame or before.sentence < 0:
        return ""
    if any(all(name in match.slots for name in names) for names in match.frame.bare):
        return ""
    old, new = layout.sentences[before.sentence], layout.sentences[match.sentence]
    ended = layout.tokens[old.last - 1].norm in {".", "!", "?"}
    listed = layout.lines[old.line].bullet or layout.lines[new.line].bullet
    if old.line == new.line or not ended or listed:
        return ""
    return f"глагол взят из строки выше: «{context.text(before.span)}»"


def _corrected(context: Context, match: Match, made: Sequence[Output], owned: _Owned) -> str:
    """A note if right behind the order a word of correction and something that could stand in its place follow, and nothing has
    put it there («3э в защиту… нет, 4э»)."""
    layout = context.layout
    i = max(a.last for a in match.atoms)
    said = i
    marks = frozenset(words()["correction"]["inline"])
    while i < len(layout.tokens) and (layout.tokens[i].kind is Kind.SIGN or layout.tokens[i].norm in marks):
        i += 1
    if not any(layout.tokens[k].norm in marks for k in range(said, i)):
        return ""
    atom = next((owned.loose[k] for k in range(i, min(i + CORRECTING, len(layout.tokens))) if k in owned.loose), None)
    if atom is None or not atom.kinds & {kind for a in match.atoms for kind in a.kinds}:
        return ""
    values = {str(s.value) for s in atom.senses}
    if any(values & {str(v) for v in o.command.values()} for o in made if isinstance(o, Reading)):
        return ""  # the game's last look has put it there
    first = next(k for k in range(said, i) if layout.tokens[k].norm in marks)
    return f"дальше поправка: «{layout.text[layout.tokens[first].start : atom.span.end]}»"


def _note(left: Sequence[str]) -> str:
    named = list(dict.fromkeys(left))[:MOST_NAMED]
    if not named:
        return ""
    return ("не понял слова " if len(named) > 1 else "не понял слово ") + ", ".join(f"«{word}»" for word in named)


def _unsure(output: Output, note: str) -> Output:
    if not isinstance(output, Reading) or not output.certain:
        return output
    return replace(output, certain=False, note=f"{output.note}; {note}" if output.note else note)


def _unexplained(language: Language, context: Context, match: Match, number: int, owned: _Owned) -> list[str]:
    layout = context.layout
    if not match.frame.slots and len(match.atoms) == 1 and " " in match.atoms[0].text:
        return []  # «сдаю ход», with nothing that could be said differently; a lone verb may have an object («пропускаю угрозы»)
    first, last = min(a.first for a in match.atoms), max(a.last for a in match.atoms)
    indices = [
        *reversed(list(_outside(layout, first, range(first - 1, -1, -1), owned, BEFORE))),
        *range(first, last),
        *_outside(layout, last - 1, range(last, len(layout.tokens)), owned, AFTER, match.frame.asides),
    ]
    out: list[str] = _label(layout, first, owned)
    reasons = _reasons(layout, first, last)
    for i in indices:
        if i in reasons:
            continue
        if i in owned.by or i in owned.idle or layout.status[i] is not Status.LIVE:
            continue
        atom = owned.loose.get(i)
        if first <= i < last and atom is not None and not _only_a_part(atom):
            continue  # no frame reaches over a thing of the game: its `make` knows what this one means
        if _foreign(language, context, match, i, owned):
            out.append(atom.text if atom is not None else layout.text[layout.tokens[i].start : layout.tokens[i].end])
    return out


def _label(layout: Layout, first: int, owned: _Owned) -> list[str]:
    """What leads an order behind a colon or a dash, where it holds a word that no dictionary has («Вальдхэм-сити — грабить»)."""
    i = first - 1
    sign = layout.tokens[i] if i >= 0 else None
    if sign is None or not (sign.norm == ":" or (sign.norm == "-" and not sign.glued)):
        return []
    out: list[str] = []
    for at in range(i - 1, max(-1, i - 1 - LABEL), -1):
        token = layout.tokens[at]
        if token.kind is not Kind.WORD or layout.sentence_of[at] != layout.sentence_of[first]:
            break
        if at in owned.by or layout.status[at] is not Status.LIVE:
            return []
        if at in owned.loose:
            continue
        if info(token.norm).known and info(token.norm).verb is not Verb.NONE:
            return []  # «Хрумза велеть: …» says who speaks
        out.insert(0, layout.text[token.start : token.end])
    return out if any(len(w) > 2 and not info(normal(w)).known for w in out) else []


_WALLS = frozenset(",:;()|=→.!?…[]{}/")
_COLUMN = 3
"""So many blanks in a row part the columns of a table."""


def _outside(
    layout: Layout, edge: int, indices: Iterable[int], owned: _Owned, reach: int, asides: frozenset[str] = frozenset()
) -> Iterable[int]:
    """The tokens beside an order, from the nearest on, up to the end of its clause, another order, an aside or `reach` words."""
    seen = 0
    before = edge
    for i in indices:
        token = layout.tokens[i]
        if layout.sentence_of[i] < 0 or layout.status[i] is not Status.LIVE or i in owned.by:
            return
        if layout.sentence_of[i] != layout.sentence_of[before] and layout.text[layout.tokens[min(i, before)].end - 1] == ".":
            return  # «= 140з. Остаток 0»: the full stop is a part of an abbreviation
        if token.norm in asides or _gives_reason(layout, i) or (i > edge and token.norm in words()["wish_on"]["words"]):
            return
        if token.kind is Kind.SIGN and (token.norm in _WALLS or (token.norm == "-" and not token.glued)):
            return
        left, right = sorted((before, i))
        gap = layout.text[layout.tokens[left].end : layout.tokens[right].start]
        if "\t" in gap or len(gap) >= _COLUMN:
            return
        before = i
        if token.kind is not Kind.SIGN:
            seen += 1
            if seen > reach:
                return
            yield i


def _gives_reason(layout: Layout, i: int) -> bool:
    return bool(starts_with(layout.tokens, i, len(layout.tokens), phrases("reason", "starts")))


def _called(language: Language, context: Context, match: Match, owned: _Owned) -> Atom | None:
    """Another player whom the sentence of an order calls («Радомир, иди на север!»): it may be his, not ours."""
    atom = next(iter(context.by_sentence.get(match.sentence, ())), None)
    if atom is None or atom.first in owned.by or (not atom.cases & {"nomn"} and atom.cases) or atom.prep:
        return None
    sense = atom.get(*language.persons)
    tokens = context.layout.tokens
    before = tokens[context.layout.sentences[match.sentence].first : atom.first]
    comma = atom.last < len(tokens) and tokens[atom.last].norm == ","
    if sense is None or sense.value == language.me or not comma or any(t.kind is Kind.WORD for t in before):
        return None
    ordered = [normal(a.text) for a in match.triggers if a.verb is Verb.IMPERATIVE]
    given = frozenset(words()["deeds"]["giving"])  # «огры, дайте двух людоедов» asks for what we buy
    return atom if any(not info(word).lemmas & given for word in ordered) else None


def _reasons(layout: Layout, first: int, last: int) -> set[int]:
    """The tokens inside an order that only tell why («…, чтоб земля дрожала, …»): from the conjunction to the next comma."""
    out: set[int] = set()
    i = first
    while i < last:
        if layout.tokens[i].kind is Kind.WORD and _gives_reason(layout, i):
            while i < last and not (layout.tokens[i].kind is Kind.SIGN and layout.tokens[i].norm in _WALLS):
                out.add(i)
                i += 1
        i += 1
    return out


def _foreign(language: Language, context: Context, match: Match, i: int, owned: _Owned) -> bool:
    """True when a token beside an order may change what was meant."""
    token = context.layout.tokens[i]
    atom = owned.loose.get(i)
    if atom is not None and not _only_a_part(atom):
        return _tells(language, match, atom)
    if token.kind is not Kind.WORD or len(token.norm) < 2:
        return False
    if token.norm in _denials():
        return _denies(language, context, i, owned)
    if token.norm in closed_class():
        return token.norm in _exceptions() and not _replaced(context.layout, i, owned)
    if _replaced(context.layout, i, owned):
        return False
    if harmless(token.norm) or info(token.norm).lemmas & language.harmless:
        return False
    told = info(token.norm)
    if told.colours and told.known:
        return _qualifies(context.layout, match, i)
    return True


def _denies(language: Language, context: Context, i: int, owned: _Owned) -> bool:
    """True for a denial that may be the order's («Барак в столице не»): nothing stands behind it that it denies by itself."""
    layout = context.layout
    if starts_with(layout.tokens, i, len(layout.tokens), _undenied()):
        return False
    following = i + 1
    if following >= len(layout.tokens) or layout.tokens[following].kind is not Kind.WORD:
        return True
    atom = owned.loose.get(following)
    if atom is not None and not info(layout.tokens[following].norm).lemmas & _denied_verbs():
        return not atom.negated
    norm = layout.tokens[following].norm
    if following in owned.by:  # what a denied word of command means its frame knows
        things = language.names | language.strong | language.amounts
        inside = context.by_sentence.get(layout.sentence_of[following], ())
        return any(a.first <= following < a.last and a.has(*things) for a in inside)
    return norm in closed_class() or bool(info(norm).lemmas & _denied_verbs())


@lru_cache(maxsize=1)
def _denied_verbs() -> frozenset[str]:
    return frozenset(doubting()["denial"]["verbs"])


@lru_cache(maxsize=1)
def _denials() -> frozenset[str]:
    return frozenset(doubting()["denial"]["words"])


@lru_cache(maxsize=1)
def _undenied() -> Phrases:
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in doubting()["denial"]["phrases"]:
        parts = tuple(phrase.split())
        out.setdefault(parts[0], []).append(parts)
    return out


def _only_a_part(atom: Atom) -> bool:
    """True when the atom may be no thing of the game at all: a part of a name, or a repaired word."""
    return all(s.partial or s.quality < typos.CERTAIN for s in atom.senses)


def _replaced(layout: Layout, i: int, owned: _Owned) -> bool:
    """True for «вместо» and the words behind it that the game has dropped («вместо барака в Кронвике — ферма»)."""
    replacing = words()["exception"]["replacing"]
    for at in range(i, max(-1, i - REPLACED), -1):
        if layout.tokens[at].norm in replacing:
            return owned.by.get(at + 1, -1) < 0
        if owned.by.get(at, -1) >= 0:
            return False
    return False


@lru_cache(maxsize=1)
def _exceptions() -> frozenset[str]:
    return frozenset(words()["exception"]["words"])


def _tells(language: Language, match: Match, atom: Atom) -> bool:
    """True when a word of the game that no order used says something about this one."""
    kinds = {s.kind for s in atom.senses if s.quality >= typos.CERTAIN and not s.partial}
    own = {kind for a in match.atoms for kind in a.kinds}
    telling = language.names | language.strong | language.amounts
    if atom.negated or atom.text.lower().startswith("не "):
        if kinds & frozenset(match.frame.triggers) and atom.verb is not Verb.NONE:
            return True  # «всадники на С9 не идут»
        return bool(kinds & (language.names | language.strong)) and not kinds & own
    if kinds & telling:
        return not kinds & match.frame.noise
    if kinds <= (frozenset(match.frame.triggers) | match.frame.noise | own):
        return False
    word = atom.text.lower().replace("ё", "е")
    if all(part in closed_class() for part in word.split()):
        return False
    return bool(kinds & language.triggers) and not harmless(word) and not info(word).lemmas & language.harmless


def _qualifies(layout: Layout, match: Match, i: int) -> bool:
    """True for an adjective right before one of the order's own names: «конных лучников» may be another unit."""
    at = i + 1
    while at < len(layout.tokens) and layout.tokens[at].kind is Kind.WORD and info(layout.tokens[at].norm).colours:
        if any(a.first <= at < a.last for a in match.atoms):
            break
        at += 1
    return any(a.first <= at < a.last and not a.has(*match.frame.triggers) for a in match.atoms)
