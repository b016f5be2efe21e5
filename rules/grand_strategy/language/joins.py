"""Joins atoms that only together mean something: card orders, garrisons, troops named with their cell or owner, numbers of
battles, lands and orders, ways («на север на две клетки»)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, closed_class, info, normal
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.card_joins import CardJoins
from rules.grand_strategy.language.card_places import placed
from rules.grand_strategy.language.denials import denied, exchanged, meanwhile, refused, renamed, replaced, supposed
from rules.grand_strategy.language.endings import Endings
from rules.grand_strategy.language.force_joins import forced, side_by_side
from rules.grand_strategy.language.house_joins import becoming
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.permit_joins import passes
from rules.grand_strategy.language.sentences import stamped
from rules.grand_strategy.language.spell_joins import raised, spoken
from rules.grand_strategy.language.spots import Spots
from rules.grand_strategy.language.sum_joins import (
    asked_for,
    go_betweens,
    lone_coins,
    number,
    purposes,
    ranges,
    revive,
    transfers,
)
from rules.grand_strategy.language.suppositions import suppositions
from rules.grand_strategy.state import Unit
from rules.grand_strategy.view import View

_OWN = frozenset({"моего", "моей", "моих", "мой", "своего", "своей", "нашего", "нашей", "из", "в", "у", "на", "(", "поместья"})
_PLACED = frozenset({"из", "в", "у", "на"})
_AT = frozenset({"", "на", "в", "с", "со", "из", "у", "под"})
_ALONE = frozenset(tables()["alone"]["all"])
_NO_END = frozenset(tables()["alone"]["no"])
_PLAIN_ENDS = frozenset(tables()["alone"]["ends"])
_CLOSING = frozenset(tables()["alone"]["before"])
_BATTLE_NOUNS = stems("battle_nouns")
_FIRST = frozenset(tables()["count"]["one"])
_PATH_WORDS = frozenset(tables()["path"]["words"])
"""Words and signs that may stand between the cells of one way."""


class Joins:
    """All joins of a view, in the order in which they build on each other."""

    def __init__(self, view: View, kind: str | None = None) -> None:
        self._card_joins = CardJoins(
            view.faction, kind == "battle", frozenset(u.id for u in view.state.units.values() if u.owner != view.faction)
        )
        self._state = view.state
        self._me = view.faction
        self._spots = Spots(view)
        self._endings = Endings(view.faction)

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        atoms = [a for a in self._spots(layout, atoms) if not a.has("now")]
        atoms = [self._as_it_stands(_whole(a)) for a in atoms]
        revive(layout, atoms)
        for step in (
            suppositions,
            becoming,
            lone_coins,
            asked_for,
            go_betweens,
            purposes,
            ranges,
            exchanged,
            replaced,
            renamed,
            transfers,
            forced,
            self._card_joins.fought,
            self._numbered,
            placed,
            self._card_joins.cards,
            raised,
            spoken,
            self._spells,
            self._houses,
            self._card_joins.named,
            self._garrisons,
            self._places,
            self._ways,
            self._allies,
            side_by_side,
            supposed,
            meanwhile,
            refused,
            denied,
            passes,
            self._overflow,
            self._possessives,
            self._paths,
            self._endings,
            self._lone,
        ):
            atoms = step(layout, atoms)
        return stamped(layout, atoms)

    @staticmethod
    def _breaks_off(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
        """«Всё, ждём лета.» as the last sentence."""
        index = layout.sentence_of[here.first]
        sentence = layout.sentences[index]
        ahead = [t for t in layout.tokens[sentence.first : here.first] if t.kind is Kind.WORD]
        behind = layout.tokens[here.last : here.last + 2]
        comma = len(behind) == 2 and behind[0].norm == "," and behind[1].norm not in _NO_END
        alone = not any(a is not here and not a.has("stay") and layout.sentence_of[a.first] == index for a in atoms)
        return index == len(layout.sentences) - 1 and not ahead and comma and alone

    @staticmethod
    def _only_saves(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
        """«стоим, копим» passes; «копим на крепость» tells why."""
        index = layout.sentence_of[here.first]
        return all(a.has("stay", "saving", "pass", "end_turn", "me") for a in atoms if layout.sentence_of[a.first] == index)

    @staticmethod
    def _closes(layout: Layout, here: Atom) -> bool:
        before = layout.tokens[here.first - 1].norm if here.first else ""
        return before in _CLOSING

    @staticmethod
    def _breaks_the_flow(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
        """«…, финиш», and «… гхашу 5 конец» where a post has no signs at all."""
        index = layout.sentence_of[here.first]
        sentence = layout.sentences[index]
        signed = any(t.kind is Kind.SIGN and t.norm in ",;.:" for t in layout.tokens[sentence.first : here.first])
        beside = [a for a in atoms if layout.sentence_of[a.first] == index and a is not here]
        sieges = any(a.has("siege") for a in beside)
        plain = not signed and not here.prep and here.text.lower() in _PLAIN_ENDS and len(beside) > 1 and not sieges
        return plain or (here.first > 0 and layout.tokens[here.first - 1].norm in {",", ";"})

    def _as_it_stands(self, here: Atom) -> Atom:
        """A player's name in its first form may stand for any case («Аэлин 5»): marked with the case `same`."""
        sense = here.get("player")
        if sense is not None and not sense.partial:
            here = replace(
                here, senses=tuple(s for s in here.senses if s.kind != "unit" or self._named_after(s, str(sense.value)))
            )
        if sense is not None and not sense.partial:
            name = normal(self._state.players[sense.value].name)
            if normal(here.text) != name and normal(here.text).startswith(name[:-1]):
                here = replace(here, cases=here.cases - {"nomn"})  # «Торгрима» is no woman's name
        if sense is None or sense.partial or normal(here.text) != normal(self._state.players[sense.value].name):
            return here
        return replace(here, cases=here.cases | {"same"})

    def _named_after(self, unit: Sense, player: str) -> bool:
        """«Аэлин» may be the troop «Аэлин Ясновидящая», «Радомир» is never his «Дружина Радомира»."""
        found = self._state.units.get(str(unit.value))
        return found is None or not unit.partial or found.name.split()[0].lower() == self._state.players[player].name.lower()

    # ---------------------------------------------------------------------------------------- numbers of things

    def _numbered(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«битва 1», «первая битва», «земля 4», «условный приказ №2», «третий условный приказ»."""
        out: list[Atom] = []
        i = 0
        lands = self._state.board.provinces
        while i < len(atoms):
            here = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            gap = set(between(layout, here, following)) if following is not None else {"?"}
            if following is not None and gap <= {"№", "номер", ".", "#", "n", ":"}:
                pair: tuple[Atom, str] | None = None
                value = number(following)
                if value is not None and here.has("battle_word", "land_word", "mine_land", "standing") and ":" not in gap:
                    pair = (following, "after")
                elif (following.has("battle_word", "standing") and here.has("ordinal")) or (
                    following.has("battle_word") and here.has("number") and not gap and _noun_battle(following)
                ):
                    value, pair = number(here), (here, "before")
                if pair is not None and value is not None:
                    word = here if pair[1] == "after" else following
                    if word.has("land_word", "mine_land") and value in lands:
                        out.append(joined(layout, [here, following], Sense("province", value)))
                        i += 2
                        continue
                    if word.has("standing"):
                        out.append(joined(layout, [here, following], Sense("standing_no", value)))
                        i += 2
                        continue
                    if word.has("battle_word") and (not word.has("attack") or _noun_battle(word)):
                        out.append(joined(layout, [here, following], Sense("battle", value)))
                        i += 2
                        continue
            if here.has("battle_word") and _noun_battle(here) and layout.tokens[here.last : here.last + 1]:
                token = layout.tokens[here.last]
                if token.norm in _FIRST:  # «битва раз»
                    span = Span(here.span.start, token.end)
                    text = layout.text[span.start : span.end]
                    here = replace(here, senses=(Sense("battle", 1),), last=here.last + 1, span=span, text=text)
            out.append(here)
            i += 1
        return out

    # ---------------------------------------------------------------------------------------- places

    def _spells(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«туман сна (2.1)»: one spell by name and number."""
        out: list[Atom] = []
        for here in atoms:
            before = out[-1] if out else None
            spell = before.get("spell") if before is not None else None
            again = here.get("spell")
            same = spell is not None and again is not None and spell.value == again.value
            if before is not None and spell is not None and same and set(between(layout, before, here)) <= {"(", "-"}:
                out[-1] = replace(joined(layout, [before, here], spell), prep=before.prep, cases=before.cases)
                continue
            out.append(here)
        return out

    def _houses(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«Лориэн (Г3)», «поместье Броды»: one house named twice."""
        out: list[Atom] = []
        for here in atoms:
            before = out[-1] if out else None
            if before is not None and before.has("house") and here.has("cell"):
                shared = [s for s in before.all("house") if any(s.value == c.value for c in here.all("cell"))]
                if shared and set(between(layout, before, here)) <= {"(", ",", "на", "в", "-"}:
                    out[-1] = replace(joined(layout, [before, here], replace(shared[0], partial=False)), prep=before.prep)
                    continue
            if before is not None and before.has("btype") and here.has("house") and not between(layout, before, here):
                building = self._state.buildings.get(here.all("house")[0].value)
                kind = before.get("btype")
                if building is not None and kind is not None and kind.value in (building.type, "lord_house"):
                    out[-1] = replace(joined(layout, [before, here], here.all("house")[0]), prep=before.prep, cases=here.cases)
                    continue
            out.append(here)
        return out

    def _garrisons(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«гарнизон Лориэна», «стража города», «гарнизоном заставы Д5», «Лориэн, гарнизон» → `garrison` with its cell or none."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            here = atoms[i]
            if here.has("garrison", "guard"):
                group = [here]
                cell: str | None = None
                j = i + 1
                allowed = _OWN if here.has("garrison") else _OWN - _PLACED
                while j < len(atoms) and j - i <= 2 and set(between(layout, group[-1], atoms[j])) <= allowed:
                    place = self._place_of(atoms[j])
                    if atoms[j].has("cell") and place not in self._state.buildings:
                        break
                    if place is None and not atoms[j].has("btype"):
                        break
                    if atoms[j].prep in {"на", "к"} and atoms[j].has("cell"):
                        break
                    going = j + 1 < len(atoms) and atoms[j + 1].has("cell")
                    if atoms[j].has("cell") and going and self._follows(layout, atoms[j], atoms[j + 1]):
                        break  # «Стража В9-В10»: a way
                    group.append(atoms[j])
                    cell = place or cell
                    j += 1
                    if place is not None and not atoms[j - 1].has("btype"):
                        break
                if here.has("garrison") or cell is not None or (len(group) > 1 and group[1].has("btype")):
                    value = cell or (self._mine(group[1]) if len(group) > 1 else None) or self._mine(None) or ""
                    made = joined(layout, group, Sense("garrison", value)) if len(group) > 1 else here
                    sense = Sense("garrison", value, here.senses[0].quality, note=here.senses[0].note)
                    out.append(replace(made, senses=(sense,), prep=here.prep, cases=here.cases, verb=here.verb))
                    i += len(group)
                    continue
            out.append(here)
            i += 1
        return out

    def _place_of(self, here: Atom) -> str | None:
        house = here.get("house")
        if house is not None:
            return str(house.value)
        cell = here.get("cell")
        if cell is not None:
            return str(cell.value)
        return None

    def _mine(self, named: Atom | None) -> str | None:
        """The sole building of one's own with a garrison, of the kind named."""
        kind = named.get("btype") if named is not None else None
        types = self._state.building_types
        own = [b for b in self._state.buildings.values() if b.owner == self._me and b.owner is not None]
        if kind is not None:
            own = [b for b in own if b.type == kind.value or (kind.value == "lord_house" and types[b.type].house)]
        else:
            own = [b for b in own if types[b.type].garrison]
        return own[0].cell if len(own) == 1 else None

    def _places(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«орки Р7», «R1 (Ж7)», «варваров на Н7», «эльфы Торгрима» → that troop."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            here = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            if following is not None and here.has("unit", "utype", "personal") and not here.has("house"):
                gap = between(layout, here, following)
                if following.has("cell") and set(gap) <= {"(", "на", "в", "с", "со", "из", "у"} and len(gap) <= 1:
                    cell = following.all("cell")[0].value
                    unit = next((u for u in self._state.units.values() if u.cell == cell and self._may_be(here, u)), None)
                    moves = following.prep in {"на", "в"} and unit is not None and unit.owner == self._me
                    if unit is not None and not moves:
                        after = i + 2
                        tail = layout.tokens[following.last].norm if following.last < len(layout.tokens) else ""
                        chain = after < len(atoms) and atoms[after].has("cell") and tail in {"-", "→", ",", ">"}
                        if not chain:
                            out.append(self._unit_atom(layout, [here, following], unit))
                            i += 2
                            continue
                if following.has("player") and not gap and not (here.has("unit") and not here.get("unit").partial):  # type: ignore[union-attr]
                    owner = following.all("player")[0].value
                    cases = following.cases
                    if not cases or "gent" in cases:
                        found = [
                            u for u in self._state.units.values() if u.owner == owner and self._may_be(here, u, personal_of=owner)
                        ]
                        if len(found) == 1:
                            out.append(self._unit_atom(layout, [here, following], found[0]))
                            i += 2
                            continue
            out.append(here)
            i += 1
        return out

    def _unit_atom(self, layout: Layout, group: Sequence[Atom], unit: Unit) -> Atom:
        qualities = [s for s in group[0].senses if s.kind in ("unit", "utype", "personal")]
        quality = max((s.quality for s in qualities), default=1.0)
        note = qualities[0].note if qualities and quality < 0.95 else None
        made = joined(layout, group, Sense("unit", unit.id, quality, False, note))
        return replace(made, prep=group[0].prep, cases=group[0].cases, verb=group[0].verb)

    def _may_be(self, here: Atom, unit: Unit, personal_of: str | None = None) -> bool:
        if any(s.value == unit.id for s in here.all("unit")):
            return True
        kinds = {s.value for s in here.all("utype")}
        if unit.type in kinds:
            return True
        if "infantry_any" in kinds and self._state.unit_types[unit.type].kind == "infantry":
            return True
        return here.has("personal") and unit.personal and unit.owner == (personal_of or self._me)

    # ---------------------------------------------------------------------------------------- ways

    def _ways(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«на север на две клетки», «две клетки на юг», «на восток» → `way` (direction, steps)."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            here = atoms[i]
            following = atoms[i + 1] if i + 1 < len(atoms) else None
            near = following is not None and set(between(layout, here, following)) <= {"на", "к", ",", "еще"}
            pair = [here, following] if following is not None and near else [here]
            direction = next((s for a in pair for s in a.all("direction")), None)
            steps = next((s for a in pair for s in a.all("steps")), None)
            if direction is None or not (here.has("direction") or here.has("steps")):
                out.append(here)
                i += 1
                continue
            if steps is not None and not (pair[-1].has("direction") and here.has("direction")):
                out.append(joined(layout, [a for a in pair if a is not None], Sense("way", (direction.value, steps.value))))
                i += 2
                continue
            if here.has("direction") and here.prep not in {"с", "со"} and not _describes(layout, here):
                here = replace(here, senses=(Sense("way", (here.all("direction")[0].value, 1)),))
            out.append(here)
            i += 1
        return out

    # ---------------------------------------------------------------------------------------- paths

    def _paths(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«Г7–Г8–Д8», «с Р7 на П6», «г9, потом д9», «на Ж8, оттуда на Ж9» → one `path` of cells with their prepositions."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            here = atoms[i]
            if not here.has("cell"):
                out.append(here)
                i += 1
                continue
            group = [here]
            j = i + 1
            while j < len(atoms):
                if atoms[j].has("cell"):
                    going = {i for a in atoms[i:j] if a.has("go") for i in a.tokens()} if group[-1].prep == "через" else set()
                    if not self._follows(layout, group[-1], atoms[j], going):
                        break
                    group.append(atoms[j])
                    j += 1
                elif atoms[j].has("then", "arrow", "~place", "go", "reverse") and j + 1 < len(atoms) and atoms[j + 1].has("cell"):
                    j += 1
                else:
                    break
            group = [a for a in group if a.has("cell")]
            if len(group) > 1:
                steps = tuple((str(a.all("cell")[0].value), a.prep) for a in group)
                made = joined(layout, [a for a in atoms[i:j] if group[0].first <= a.first < group[-1].last], Sense("path", steps))
                out.append(replace(made, prep=group[0].prep))
                while i < len(atoms) and atoms[i].first < made.last:
                    i += 1
            else:
                out.append(here)
                i += 1
        return out

    def _follows(self, layout: Layout, left: Atom, right: Atom, passed: Set[int] = frozenset()) -> bool:
        """True where the way goes on from one cell to the next. `passed`: tokens that part them as little as a comma («через С7
        выходят на Р6»)."""
        if layout.sentence_of[left.first] != layout.sentence_of[right.first] or right.first - left.last > 6:
            return False
        if layout.tokens[left.first - (2 if left.prep else 1)].norm == "не" and left.first:
            return False  # «не на Г8, а на Д8»
        begin = right.first - (1 if right.prep else 0)
        return all(i in passed or layout.tokens[i].norm in _PATH_WORDS for i in range(left.last, begin))

    def _allies(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«вместе с Торгримом» → `ally`."""
        out: list[Atom] = []
        for here in atoms:
            before = out[-1] if out else None
            beside = before is not None and before.has("player") and before.prep in {"с", "со"} and here.first == before.last
            if before is not None and beside and here.has("together") and here.text.lower() == "вместе":
                out[-1] = replace(joined(layout, [before, here], Sense("ally", before.all("player")[0].value)), prep=before.prep)
                continue
            if (
                before is not None
                and before.has("together")
                and here.has("player")
                and here.prep in {"с", "со"}
                and here.first - before.last <= 1
            ):
                out[-1] = replace(joined(layout, [before, here], Sense("ally", here.all("player")[0].value)), prep=before.prep)
                continue
            out.append(here)
        return out

    def _overflow(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«кому не хватит места, пусть встаёт на Д4» → `over` with its cell."""
        out: list[Atom] = []
        i = 0
        while i < len(atoms):
            here = atoms[i]
            if here.has("overflow"):
                cell = next((k for k in range(i, min(len(atoms), i + 5)) if atoms[k].has("cell")), None)
                if cell is not None and atoms[cell].first - here.last <= 6:
                    out.append(joined(layout, [here, atoms[cell]], Sense("over", atoms[cell].all("cell")[0].value)))
                    i = cell + 1
                    continue
            out.append(here)
            i += 1
        return out

    def _possessives(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«на его вкус»: a possessive stands for nobody."""
        tokens = layout.tokens
        out: list[Atom] = []
        for here in atoms:
            if here.has("~person") and here.text.lower() in {"его", "ее", "её", "их"} and here.last < len(tokens):
                following = tokens[here.last]
                noun = (
                    following.kind is Kind.WORD
                    and following.norm not in closed_class()
                    and info(following.norm).verb is Verb.NONE
                )
                if noun:
                    continue
            out.append(here)
        return out

    def _lone(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«Всё.» as a whole sentence ends the turn, «… и всё» at the end of a post too."""
        out: list[Atom] = []
        last = max((i for i, t in enumerate(layout.tokens) if t.kind is Kind.WORD), default=-1)
        for here in atoms:
            every = here.has("~all") and here.text.lower() in _ALONE
            closes = here.last == last + 1 and self._closes(layout, here)
            if here.has("alone") and here.last == last + 1 and (closes or self._breaks_the_flow(layout, here, atoms)):
                here = replace(here, senses=(Sense("end_turn", "end_turn"),))
            elif here.has("saving") and self._only_saves(layout, here, atoms):
                here = replace(here, senses=(Sense("pass", "pass"),), data={**here.data, "saving": True})
            elif every and (closes or self._breaks_off(layout, here, atoms)):
                here = replace(here, senses=(Sense("end_turn", "end_turn"),))
            elif every or here.has("alone"):
                sentence = layout.sentences[layout.sentence_of[here.first]]
                words = [k for k in range(sentence.first, sentence.last) if layout.tokens[k].kind is Kind.WORD]
                if words == list(range(here.first, here.last)) and not any(
                    layout.tokens[k].norm == ":" for k in range(sentence.first, sentence.last)
                ):
                    here = replace(here, senses=(Sense("end_turn", "end_turn"),))
            out.append(here)
        return out


def _describes(layout: Layout, here: Atom) -> bool:
    """«на В10, что южнее ворот»: where a place lies, and no step."""
    following = layout.tokens[here.last].norm if here.last < len(layout.tokens) else ""
    compared = here.text.lower().endswith(("нее", "ней"))
    return compared and "gent" in info(following).cases and following not in closed_class()


def _noun_battle(here: Atom) -> bool:
    return here.text.lower().startswith(_BATTLE_NOUNS)


def _whole(here: Atom) -> Atom:
    """Where a word is a whole name it is no part of a longer one; a troop's kind and its proper name may go together."""
    person = any(s.kind == "player" and not s.partial for s in here.senses)
    for kind in ("house",) if person else ("house", "unit"):
        parts = {s.value for s in here.senses if s.kind == kind}
        if len(parts) == 1:  # a part of a name that fits one thing only is its name
            here = replace(here, senses=tuple(replace(s, partial=False) if s.kind == kind else s for s in here.senses))
    whole = [s for s in here.senses if not s.partial]
    partial = [s for s in here.senses if s.partial]
    if partial and any(s.kind in ("player", "house", "province", "unit") for s in whole):
        return replace(here, senses=tuple(s for s in here.senses if not s.partial or s.kind == "unit"))
    return here
