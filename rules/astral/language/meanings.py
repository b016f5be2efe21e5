"""Words that mean something else beside others: parts of names, numbers that count no energy, halves, «обоих осколков»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache

from parsers.atoms import Atom, Sense
from parsers.lexicon import content_words
from parsers.reading_atoms import PREPOSITIONS, between, joined
from parsers.russian import inflections, info
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.types import Span
from rules.astral.language.names import beside, tables, with_words_before
from rules.astral.view import View

_HEADED = frozenset({"item", "feature"})


class Meanings:
    """What the words of a post mean in one view of the game."""

    def __init__(self, view: View) -> None:
        self._names = {
            "item": {ident: item.name_ru for ident, item in view.catalog.items.items()},
            "feature": {ident: feature.name_ru for ident, feature in view.catalog.features.items()},
        }
        self._forms: dict[str, frozenset[str]] = {}
        named = {ident: content_words(f.name_ru) for ident, f in view.catalog.features.items() if f.activation == "action"}
        self._features = {
            ident: {f: frozenset(inflections(named[f][0])) for f in shard.features if f in named}
            for ident, shard in view.game.shards.items()
            if shard.features
        }
        self._mine = tuple(view.me.shards) if view.me is not None else ()

    def before(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """What must be known before attacks are counted."""
        return self._counts(layout, self._heads(layout, atoms))

    def behind(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """What is known when attacks are counted."""
        return self._sheets(layout, self._lists(layout, self._several(layout, self._halves(layout, _named_again(layout, atoms)))))

    def _heads(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """A part of an item's or feature's name calls it only with its head word: «сбор» is no Рог Сбора, «душа» no Рынок душ."""
        out: list[Atom] = []
        for atom in atoms:
            earlier = out[-1].get("item") if out else None
            if earlier is not None and out[-1].last == atom.first and any(s.value == earlier.value for s in atom.all("item")):
                out[-1] = joined(layout, [out[-1], atom], earlier)  # «Сердце свинцовое»
                continue
            feature = self._feature_of(layout, atom)
            if feature is not None:
                atom = replace(atom, senses=(*atom.senses, Sense("feature", feature)))
            if atom.has("shard_word"):  # «сведения об осколке 019»: no Осколок Печати Хаоса
                atom = replace(atom, senses=tuple(s for s in atom.senses if s.kind not in _HEADED or not s.partial))
            if any(s.kind in _HEADED and s.partial for s in atom.senses):
                word = layout.tokens[atom.first].norm
                kept = [s for s in atom.senses if s.kind not in _HEADED or not s.partial or word in self._head_forms(s)]
                if not kept:
                    continue
                atom = replace(atom, senses=tuple(kept))
            out.append(atom)
        return out

    def _feature_of(self, layout: Layout, atom: Atom) -> str | None:
        """«Обсерваторией Слепца»: the shard is called by what works on it."""
        shard = atom.get("shard")
        if shard is None or shard.partial or atom.has("feature"):
            return None
        word = layout.tokens[atom.first].norm
        return next((f for f, forms in self._features.get(str(shard.value), {}).items() if word in forms), None)

    def _head_forms(self, sense: Sense) -> frozenset[str]:
        item = str(sense.value)
        known = self._forms.get(item)
        if known is None:
            words = content_words(self._names[sense.kind][item])
            head = next((w for w in words if len(w) > 2 and not info(w).colours), "")
            known = self._forms[item] = frozenset(inflections(head)) if head else frozenset()
        return known

    def _counts(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """Numbers that count something else: «Третье: …», the first column of a table, «руна №2», «на позицию 1», «иду один»."""
        tokens = layout.tokens
        out: list[Atom] = []
        skip = False
        skipped = 0
        for i, atom in enumerate(atoms):
            if skip or skipped:
                skip, skipped = False, max(0, skipped - 1)
                continue
            before = tokens[atom.first - 1].norm if atom.first else ""
            behind = tokens[atom.last].norm if atom.last < len(tokens) else ""
            opens = atom.first == layout.sentences[layout.sentence_of[atom.first]].first
            if atom.has("ordinal") and opens and atom.text.lower().endswith(("ое", "ье")) and behind in {":", "-", "."}:
                continue
            if atom.has("number") and behind == "|" and before in {"", "|"} and first_in_line(layout, atom):
                continue
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            part = _fraction(atom, following)
            whole = atom.get("number")
            if behind in _denominators() and whole is not None and 0 < whole.value < _denominators()[behind]:
                atom = _with_word_behind(layout, atom, Sense("number", Fraction(whole.value, _denominators()[behind])))
            if part is not None and following is not None:
                out.append(joined(layout, [atom, following], Sense("number", part)))
                skip = True
                continue
            if atom.has("~rest") and any(t.norm in beside("stays") for t in tokens[atom.last : atom.last + 3]):
                continue  # «остальное в силе»
            same = following is not None and following.first == atom.last and following.has("troop", "magic", "hero")
            if (atom.has("~same") and same) or (atom.has("arrow") and out and out[-1].has("self") and out[-1].last == atom.first):
                continue  # «та же пехота»; «Каэль → защита мира»
            word = tokens[atom.first].kind is Kind.WORD and not atom.has("ordinal")
            lonely = before in beside("place") | {"сам", "сама"} or behind in beside("place")
            if atom.has("number") and word and lonely:
                continue
            if atom.has("number") and not atom.has("shard", "ordinal") and _energy_word_before(layout, out, atom):
                atom = replace(atom, senses=(Sense("energy", atom.senses[0].value),))
            if atom.has("shard", "shard_unknown") and out and out[-1].has("vote"):
                digits = atom.text.lstrip("№ ")
                near = set(between(layout, out[-1], atom)) <= {"за", ":", "-"} | beside("spot")
                if digits.isdigit() and len(digits) == 1 and near:
                    atom = replace(atom, senses=(Sense("ordinal", int(digits)),))
            if (
                atom.has("number")
                and before in beside("spot")
                and any(a.has("work", "feature") for a in atoms[max(0, i - 4) : i])
            ):
                atom = replace(atom, senses=(Sense("position", atom.senses[0].value),))
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            if atom.has("number") and atom.prep == "из" and following is not None and following.has("vote"):
                skip = True
                out.append(joined(layout, [atom, following], Sense("vote", "vote")))
                continue
            if atom.has("vote") and out and out[-1].has("vote") and set(between(layout, out[-1], atom)) <= {"за", "-", ":"}:
                out[-1] = joined(layout, [out[-1], atom], Sense("vote", "vote"))
                out[-1] = replace(out[-1], senses=(Sense("vote_call", "vote_call"), Sense("vote", "vote")))
                continue
            if (
                atom.has("~all")
                and behind in beside("stock")
                and not (following is not None and following.first == atom.last + 1 and following.has("number", "energy"))
            ):
                atom = _with_word_behind(layout, atom, Sense("~all", "all"))
                atom = replace(atom, senses=(*atom.senses, Sense("~rest", "rest")))
            if atom.has("reserve") and before in beside("whole"):
                continue  # «весь запас»: all the energy
            if atom.has("together") and following is not None and following.has("road") and following.first - atom.last <= 1:
                continue  # «11э вместе с дорогой»
            third = atoms[i + 2] if i + 2 < len(atoms) else None
            grouped = following is not None and following.has("group") and third is not None and third.first == following.last
            stands = atom.text.lower() in beside("standing") and grouped
            if stands and following is not None and third is not None and third.has("ordinal"):
                out.append(joined(layout, [atom, following, third], Sense("position", third.senses[0].value)))
                skipped = 2  # «место в группе первое»
                continue
            place = atom.text.lower() in beside("standing") and following is not None and following.has("ordinal")
            if place and following is not None and following.first == atom.last:
                out.append(joined(layout, [atom, following], Sense("position", following.senses[0].value)))
                skip = True  # «место второе»
                continue
            if atom.prep == "без" or (atom.has("owner") and _gets_nothing(layout, atoms, atom)):
                atom = replace(atom, negated=True)
            out.append(atom)
        return out

    def _halves(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«половина в лучников, половина в некру», «половину лукам, остальное некре»: equal parts."""
        halves: dict[int, int] = {}
        for atom in atoms:
            if atom.has("~half", "~rest"):
                sentence = layout.sentence_of[atom.first]
                halves[sentence] = halves.get(sentence, 0) + 1
        out: list[Atom] = []
        for atom in atoms:
            before = layout.tokens[atom.first - 1].norm if atom.first else ""
            if atom.has("~half") and before in beside("other"):
                if out and out[-1].last == atom.first:
                    out.pop()  # «вторую половину»
                atom = with_words_before(layout, atom, 1)
            if atom.has("~half") and halves[layout.sentence_of[atom.first]] == 2:
                atom = replace(atom, senses=(Sense("equal", "equal"), *atom.senses))
            out.append(atom)
        return out

    def _several(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«обоих осколках», «обо всех моих осколках»: all of one's own."""
        out: list[Atom] = []
        for atom in atoms:
            if atom.has("shard_word") and self._mine:
                words = [t.norm for t in layout.tokens[max(0, atom.first - 3) : atom.first]]
                known = len(words)
                while words and words[-1] in beside("own"):
                    words.pop()
                said = words[-1] if words else ""
                if said in beside("every") or (said in beside("both") and len(self._mine) == 2):
                    if out and out[-1].has("~all") and out[-1].last > atom.first - 3:
                        out.pop()
                    meant = replace(atom, senses=(Sense("shards", self._mine),))
                    atom = with_words_before(layout, meant, known - len(words) + 1)
            out.append(atom)
        return out

    def _lists(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«Забота: Трон и Порт», «Морвену и Тишине по 3э»: the same for each."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            atom = atoms[i]
            here = layout.sentence_of[atom.first]
            near = [a for a in (*out[-3:], *atoms[i + 1 : i + 5]) if layout.sentence_of[a.first] == here]
            group = [atom]
            while i + len(group) < len(atoms) and between(layout, group[-1], atoms[i + len(group)]) == ["и"]:
                group.append(atoms[i + len(group)])
            if len(group) > 1 and any(a.has("care") for a in near):
                shards = [{s.value for s in a.all("shard")} & set(self._mine) for a in group]
                if all(len(found) == 1 for found in shards):
                    out.append(joined(layout, group, Sense("shards", tuple(v for found in shards for v in found))))
                    i += len(group)
                    continue
            if len(group) > 1 and any(a.prep == "по" for a in near) and all(a.has("owner") and "datv" in a.cases for a in group):
                out.append(joined(layout, group, Sense("owners", tuple(str(a.senses[0].value) for a in group))))
                i += len(group)
                continue
            out.append(atom)
            i += 1
        return out

    def _sheets(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«заявку отзываю»: a sheet is spoken of only where it is withdrawn; elsewhere the word is a heading."""
        out: list[Atom] = []
        for i, atom in enumerate(atoms):
            if atom.has("sheet") and not atom.has("sheet_old"):
                beside = [a for a in (*atoms[max(0, i - 1) : i], *atoms[i + 1 : i + 2]) if a.has("~withdraw", "unsheet")]
                if not any(layout.sentence_of[a.first] == layout.sentence_of[atom.first] for a in beside):
                    continue
            out.append(atom)
        return out


@cache
def _denominators() -> dict[str, int]:
    return {word: int(part) for part, words in tables()["fractions"].items() for word in words}


def _with_word_behind(layout: Layout, atom: Atom, sense: Sense) -> Atom:
    end = layout.tokens[atom.last].end
    span = Span(atom.span.start, end)
    data = {**atom.data, "parts": ((atom.first, atom.last + 1),)}
    return replace(atom, last=atom.last + 1, span=span, text=layout.text[span.start : end], senses=(sense,), data=data)


def _fraction(atom: Atom, following: Atom | None) -> Fraction | None:
    """«три пятых»."""
    if following is None or following.first != atom.last or not atom.has("number") or not following.has("ordinal"):
        return None
    whole, part = atom.get("number"), following.get("ordinal")
    if whole is None or part is None or not isinstance(whole.value, int) or not 0 < whole.value < part.value:
        return None
    return Fraction(whole.value, part.value) if following.text.lower().endswith(("ых", "ая", "ья", "их")) else None


def _energy_word_before(layout: Layout, before: Sequence[Atom], atom: Atom) -> bool:
    """«Всей энергии шесть», «энергия: 8»."""
    at = atom.first - 1
    while at >= 0 and layout.tokens[at].norm in {":", "-", "="}:
        at -= 1
    taken = before[-1].last if before else 0
    return at >= taken and layout.tokens[at].norm in tables()["units"]["energy"] and layout.tokens[at].norm.startswith("эн")


def _named_again(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Идут лучники. Всего шесть: лучникам три, …»: of a unit named twice in a line the one with its number counts."""
    out = list(atoms)
    for i, atom in enumerate(atoms):
        if not atom.has("troop", "magic") or _counted(atoms, i):
            continue
        line = layout.sentences[layout.sentence_of[atom.first]].line
        for k in range(i + 1, min(len(atoms), i + 9)):
            other = atoms[k]
            if other.has("attack", "tactic", "shard", "owner", "attack_no", "defence"):
                break
            if layout.sentences[layout.sentence_of[other.first]].line != line:
                break
            if other.has("troop", "magic") and other.senses[0].value == atom.senses[0].value and _counted(atoms, k):
                out[i] = replace(atom, senses=(Sense("unit_again", "unit_again"),))
                break
    return out


def _counted(atoms: Sequence[Atom], i: int) -> bool:
    near = [a for a in (*atoms[max(0, i - 1) : i], *atoms[i + 1 : i + 2]) if not a.has("shard")]
    return any(
        a.has("number", "energy", "percent") and min(abs(a.first - atoms[i].last), abs(atoms[i].first - a.last)) <= 1
        for a in near
    )


def _gets_nothing(layout: Layout, atoms: Sequence[Atom], atom: Atom) -> bool:
    """«Аскольду — шиш», «Каэлю с Аскольдом ничего»: a sentence that denies and names no goods."""
    sentence = layout.sentences[layout.sentence_of[atom.first]]
    if not any(t.norm in beside("nothing") for t in layout.tokens[atom.last : sentence.last]):
        return False
    inside = [a for a in atoms if sentence.first <= a.first < sentence.last]
    return not any(a.has("energy", "number", "item", "troop", "magic", "hero", "nothing_in", "nothing_out") for a in inside)


def first_in_line(layout: Layout, atom: Atom) -> bool:
    line = layout.lines[layout.sentences[layout.sentence_of[atom.first]].line]
    return all(t.kind is Kind.SIGN or t.norm in PREPOSITIONS for t in layout.tokens[line.first : atom.first])


def placed(layout: Layout, atom: Atom) -> Atom:
    """The atom with its sentence, and whether it opens a line, for the scores of frames."""
    sentence = layout.sentence_of[atom.first]
    words = [t.norm for t in layout.tokens[max(0, atom.first - 1) : atom.first]]
    place = {"sentence": sentence, "opens": first_in_line(layout, atom), "after": words[-1] if words else ""}
    return replace(atom, data={**atom.data, **place, "theirs": bool(words) and words[-1] in beside("theirs")})
