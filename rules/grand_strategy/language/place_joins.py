"""Troops, houses and garrisons named with their cell, kind or owner: «Лориэн (Г3)», «гарнизон заставы Д5», «эльфы Торгрима»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import info
from parsers.structure import Layout
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.way_joins import follows
from rules.grand_strategy.state import Unit
from rules.grand_strategy.view import View

_OWN = frozenset({"моего", "моей", "моих", "мой", "своего", "своей", "нашего", "нашей", "из", "в", "у", "на", "(", "поместья"})
_WALLS = frozenset(tables()["passing"]["walls"])
_PLACED = frozenset({"из", "в", "у", "на"})


class PlaceJoins:
    """The joins of what stands on the map, for one view."""

    def __init__(self, view: View) -> None:
        self._state = view.state
        self._me = view.faction

    def houses(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
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

    def garrisons(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«гарнизон Лориэна», «стража города», «гарнизоном заставы Д5», «Лориэн, гарнизон» → `garrison` with its cell or none."""
        out: list[Atom] = []
        i = 0
        carded = {layout.sentence_of[a.first] for a in atoms if a.has("cards", "cards_word")}
        while i < len(atoms):
            here = atoms[i]
            if (
                here.has("absent")
                and layout.sentence_of[here.first] in carded
                and info(layout.tokens[here.first].norm).lemmas & _WALLS
            ):
                here = replace(here, senses=(Sense("garrison", "garrison"),))  # «карты стенам: два щита да лук»
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
                    if atoms[j].has("cell") and going and follows(layout, atoms[j], atoms[j + 1]):
                        break  # «Стража В9-В10»: a way
                    group.append(atoms[j])
                    cell = place or cell
                    j += 1
                    if place is not None and not atoms[j - 1].has("btype"):
                        break
                owned = self._of_player(layout, here, atoms[i + 1]) if len(group) == 1 and i + 1 < len(atoms) else None
                if owned is not None:
                    group.append(atoms[i + 1])
                    cell = owned
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

    def _of_player(self, layout: Layout, here: Atom, owner: Atom) -> str | None:
        """«гарнизон Аэлин»: the cell of her sole building with a garrison."""
        sense = owner.get("player")
        named = sense is not None and not owner.prep and (not owner.cases or owner.cases & {"gent", "same"})
        if not named or sense is None or not here.has("garrison") or between(layout, here, owner):
            return None
        types = self._state.building_types
        found = [b.cell for b in self._state.buildings.values() if b.owner == sense.value and types[b.type].garrison]
        return found[0] if len(found) == 1 else None

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

    def troops(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
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
