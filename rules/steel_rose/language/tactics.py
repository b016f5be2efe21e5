"""Frames of a battle (§3.2): deployment, garrison presets, manoeuvres, skipped planning, powder, a captured city's fate."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Output, Slot, choice
from parsers.types import Problem, Severity
from rules.steel_rose.data import game_data
from rules.steel_rose.language.common import CITY, ask, called, city_of, has, nearby, refusal, values, wants
from rules.steel_rose.language.joins import unit_of, value_of
from rules.steel_rose.language.names import OGRES, tables
from rules.steel_rose.language.positions import PLACES
from rules.steel_rose.language.units import bad_number
from rules.steel_rose.refusals import refuse
from rules.steel_rose.state import Battle

MANEUVERS = ("m_move", "m_swap", "m_march", "m_defend", "m_cover", "m_charge", "m_bombard", "m_long", "m_none")
NAMES = {
    "m_move": "move",
    "m_swap": "move",
    "m_march": "forced_march",
    "m_defend": "defend",
    "m_cover": "cover",
    "m_charge": "charge",
    "m_bombard": "bombard",
    "m_long": "long_bombard",
}
CAPTURES = ("colonize", "plunder", "destroy")
WHO = Slot("who", ("squad", "unit", "~rest", "~all", "nobody"), many=True, weight=0.8)
PLACE = Slot("place", ("cell", "flank", "row", "they", "badplace"), many=True, weight=0.8)
BATTLE = Slot("battle", ("city", "mobile"), weight=0.5)


def battle_fields(match: Match) -> dict[str, Any]:
    """`battle`, where the match names one."""
    city = match.value("battle")
    return {"battle": city} if city is not None else {}


# ------------------------------------------------------------------------------------------------ deployment


def _score_deploy(weight: float) -> Callable[[Fill], float | None]:
    def score(fill: Fill) -> float | None:
        if "who" not in fill.slots or not called(fill, *PLACES):
            return None
        return weight

    return score


def _make_deploy(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "deploy", **battle_fields(match), "positions": {}}, notes=[])]


def _score_garrison(fill: Fill) -> float | None:
    if "city" not in fill.slots and not called(fill, "everywhere", "garrison"):
        return None
    if called(fill, "default") and called(fill, "garrison"):
        return 0.5
    if not called(fill, "garrison"):
        return 0.3 if "who" in fill.slots and "place" in fill.slots and "city" in fill.slots else None
    return 0.7 if "who" in fill.slots and "place" in fill.slots else None


def _make_garrison(match: Match, context: Context) -> Iterable[Output]:
    cities: list[Any] = []
    for filled in match.slots.get("city", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "city", filled)]
        cities.append(filled.value)
    if has(match, "everywhere") or not cities:
        cities = ["all"]
    return [context.reading(match, {"type": "set_garrison_deployment", "city": c, "positions": {}}, notes=[]) for c in cities]


# ------------------------------------------------------------------------------------------------ manoeuvres


class Board:
    """Where the reader's squads stand, if the battle is revealed."""

    def __init__(self, context: Context) -> None:
        view = context.view
        self.places: dict[str, set[str]] = {}
        battles: tuple[Battle, ...] = view.battles
        for battle in battles:
            side = battle.side(view.faction) if view.faction else None
            if side is None:
                continue
            for cell in side.board:
                self.places.setdefault(str(cell["place"] if "place" in cell else cell.get("position", "")), set()).update(
                    str(g["unit"]) for g in cell["groups"]
                )

    def find(self, units: list[str], flank: str | None, row: str | None) -> tuple[str | None, bool]:
        """The place of a squad with these units; False: guessed without a board."""
        fitting = [
            p
            for p, inside in self.places.items()
            if inside & set(units) and (flank is None or p[0] == flank) and (row is None or p[1] == row)
        ]
        if len(fitting) == 1:
            return fitting[0], True
        if fitting or self.places:
            return None, False
        data = game_data().units
        guessed = row or (
            "R" if any((data[u].ranged and not data[u].can_charge) or not data[u].attack for u in units if u in data) else "V"
        )
        return (flank + guessed if flank else None), False


_TOWARDS = frozenset({"на", "по", "в", "во", "к", "через", "до"})
_AIMED = ("m_swap", "m_march", "m_charge", "m_bombard", "m_long", "m_move")
SUBJECTLESS, AIMLESS = -2.8, -1.0
"""A manoeuvre without a squad hardly stands alone; one that needs a target reaches for it."""
FRESH = 0.6
"""A place in the nominative behind the manoeuvre opens the next one."""


def _score_maneuver(weight: float) -> Callable[[Fill], float | None]:
    """A manoeuvre begins with its squad and reaches for its target; a word without either goes on with the one before."""

    def score(fill: Fill) -> float | None:
        kinds = {k for a in fill.triggers for k in MANEUVERS if a.has(k)}
        if not kinds:
            return None
        places, units = fill.slots.get("place", ()), fill.slots.get("units", ())
        if not places and not units:
            return -1.25 - weight if kinds - {"m_none", "m_move"} else None
        if len(kinds) == 1 and kinds & {"m_cover", "m_none"} and len(places) > 1:
            return None
        acting = bool(units) or any(f.atom.prep not in _TOWARDS and not f.ref for f in places)
        aims = len(places) + len(units) - acting
        out = 0.5 if acting else 0.5 + SUBJECTLESS
        if kinds == {"m_none"}:
            out -= 2.5
        if kinds & set(_AIMED) and aims < 1:
            out += AIMLESS
        first = next(i for i, a in enumerate(fill.atoms) if a is fill.triggers[0])
        spots = [i for i, a in enumerate(fill.atoms) if a.has("cell", "flank", "row")]
        if len(spots) > 1 and spots[-1] > first:
            last, before = fill.atoms[spots[-1]], fill.atoms[spots[-1] - 1]
            led = last.prep or "m_march" in kinds or before.has("enemy", "target", "through", "m_defend", "m_bombard", "m_long")
            out -= 0.0 if led or "nomn" not in last.cases else FRESH
        return out

    return score


def _maker_maneuver(kind: str | None) -> Callable[[Match, Context], Iterable[Output]]:
    def make(match: Match, context: Context) -> Iterable[Output]:
        if kind == "orders" and not any(a.has("cell") for a in match.atoms):
            return []
        return Order(match, context).outputs()

    return make


class Order:
    """One manoeuvre as it was said: whose, which, against what."""

    def __init__(self, match: Match, context: Context) -> None:
        self.match, self.context = match, context
        self.notes: list[str] = list(match.notes())
        self.board = Board(context)
        self.free = has(match, "free")
        self.twins: tuple[str, ...] = ()
        """Further squads that were named together: «правый и левый авангард»."""

    def outputs(self) -> list[Output]:
        """Readings and problems."""
        match, context = self.match, self.context
        kinds = self._kinds()
        if not kinds:
            return []
        subject, targets, problem = self._parts(kinds)
        if problem is not None:
            return [problem]
        if subject is None:
            subject = context.memory.get("squad")
            again = context.memory.get("squad_sentence") == match.sentence
            if subject is None or not again:
                name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
                clear = any(a.has("cell") for a in match.atoms) or has(match, "m_charge", "m_bombard", "m_long")
                units = match.slots.get("units")
                return [context.problem(match, "ambiguous", name)] if clear or units else []
        waiting = context.memory.get("free")
        same = context.memory.get("squad") == subject and context.memory.get("squad_sentence") == match.sentence
        context.memory["squad"], context.memory["squad_sentence"] = subject, match.sentence
        kind = kinds[0]
        if kind == "m_none":
            return []
        base: dict[str, Any] = {"type": "maneuver", **battle_fields(match), "position": subject}
        if has(match, "m_swap"):
            return self._swap(base, subject, targets)
        moves = [k for k in kinds if k == "m_move"]
        others = [k for k in kinds if k != "m_move"]
        flying = self.free or any(game_data().units[u].free_move for u in self._units())
        if moves and others and flying and targets:
            base["free_move"] = self._cell(targets[0], subject, subject[1])
            kinds, targets = others, targets[1:]
        elif self.free and moves and targets:
            base["free_move"] = self._cell(targets[0], subject, subject[1])
            targets = targets[1:]
            if not targets:
                context.memory["free"] = (subject, base["free_move"])
                return [context.reading(match, base, notes=self.notes)]
        elif len({NAMES[k] for k in kinds if k != "m_none"}) > 1:
            return [self._two(base)]
        if same and waiting is not None and waiting[0] == subject and "free_move" not in base:
            base["free_move"] = waiting[1]
            out = self._one(kinds[0], base, waiting[1] if kinds[0] == "m_move" else subject, targets)
            context.memory.setdefault("replaced", []).append(match)
            return out
        out = [*self._one(kinds[0], base, subject, targets), *self._of_twins(kinds[0], base, targets)]
        if same and not self._replaces():
            return [self._two(base)]
        return out

    def _replaces(self) -> bool:
        """«…, нет, просто в укрытие»."""
        tokens = self.context.layout.tokens
        before = [m for m, _ in self.context.outputs if m.last <= self.match.first]
        start = before[-1].last if before else max(0, self.match.first - 4)
        said = {t.norm for t in tokens[start : self.match.first]}
        if said & {"нет", "вернее", "точнее", "лучше", "тьфу", "стоп"} or self.match.correcting:
            self.context.memory.setdefault("replaced", []).append(self.match)
            return True
        return False

    def _two(self, base: dict[str, Any]) -> Problem:
        out = refuse("E_TWO_MANEUVERS")
        return refusal(self.context, self.match, out, Severity.QUESTION, draft=base)

    def _kinds(self) -> list[str]:
        out: list[str] = []
        for atom in self.match.atoms:
            found = [k for k in MANEUVERS if atom.has(k)]
            if not found or atom.has("cell", "row", "flank"):
                continue
            kind = "m_long" if "m_long" in found else found[0]
            if kind not in out:
                out.append(kind)
        if "m_long" in out and "m_bombard" in out:
            out.remove("m_bombard")
        if len(out) > 1 and "m_none" in out:
            out.remove("m_none")
        if "m_march" in out and "m_move" in out:
            out.remove("m_move")
        return out

    def _units(self) -> list[str]:
        return [u for u in (unit_of(f.atom) for f in self.match.slots.get("units", ())) if u is not None]

    def _parts(self, kinds: list[str]) -> tuple[str | None, list[Atom], Problem | None]:
        """The squad that acts, and the places or units it acts on."""
        atoms = list(self.match.atoms)
        first = next(i for i, a in enumerate(atoms) if any(a.has(k) for k in MANEUVERS) and not a.has("cell", "row", "flank"))
        own: Atom | None = None
        units: list[str] = []
        targets: list[Atom] = []
        for i, atom in enumerate(atoms):
            hostile = self._hostile(atoms, i)
            if atom.has("cell", "flank", "row"):
                acting = atom.prep in {"", "по", "с"} or i < first
                behind = i > first and bool(
                    hostile or atom.prep in {"на", "в", "по", "через", "во", "к"} or own is not None or units
                )
                shielded = (
                    kinds == ["m_defend"] and i > first and self.context.memory.get("squad_sentence") == self.match.sentence
                )
                if own is None and not hostile and acting and not behind and not targets and not shielded:
                    own = atom
                elif (own is not None and i < first and not hostile and atom.has("flank") and own.has("row")) or (
                    own is not None and i < first and atom.has("flank") and not own.has("cell") and not hostile
                ):
                    continue
                else:
                    targets.append(atom)
            elif atom.has("~place"):
                targets.append(atom)
            elif atom.has("unit", "squad"):
                unit = unit_of(atom)
                if unit is not None and (i < first or (own is None and "ablt" in atom.cases)):
                    units.append(unit)
                elif unit is not None:
                    targets.append(atom)
        if own is not None and own.has("cell"):
            self.twins = tuple(value_of(own, "cell")[1:])
            return value_of(own, "cell")[0], targets, None
        flank = str(value_of(own, "flank")) if own is not None and own.has("flank") else None
        row = str(value_of(own, "row")) if own is not None and own.has("row") else None
        if units:
            place, sure = self.board.find(units, flank, row)
            if place is None:
                name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
                choices = [choice(game_data().places[p][0]) for p, inside in self.board.places.items() if inside & set(units)]
                return None, targets, self.context.problem(self.match, "ambiguous", name, choices=choices)
            if not sure:
                text = tables()["asks"]["guessed_squad"]
                self.notes.append(text.format(unit=game_data().units[units[0]].plural, position=game_data().places[place][0]))
            return place, targets, None
        if own is None:
            return None, targets, None
        cells = [flank + "V"] if flank else []
        if row is not None and not flank:
            cells = [f + row for f in "LCR" if not self.board.places or f + row in self.board.places]
        if len(cells) == 1:
            if flank is not None:
                self.notes.append(
                    tables()["asks"]["guessed_squad"].format(unit=own.text, position=game_data().places[cells[0]][0])
                )
            return cells[0], targets, None
        name = tables()["asks"]["which_squad"].format(maneuver=self.match.triggers[0].text)
        return None, targets, self.context.problem(self.match, "ambiguous", name)

    def _hostile(self, atoms: list[Atom], i: int) -> bool:
        tokens = self.context.layout.tokens
        for left, right in ((i - 1, i), (i, i + 1)):
            if left >= 0 and right < len(atoms):
                other = atoms[left if right == i else right]
                gap = tokens[atoms[left].last : atoms[right].first]
                if other.has("enemy") and len(gap) <= 1 and not any(t.norm in ",;" for t in gap):
                    return True
        return False

    def _cell(self, atom: Atom, near: str, row: str) -> str | None:
        """A place as seen from a cell: a flank alone keeps the row, a row alone the flank."""
        if atom.has("cell"):
            return str(value_of(atom, "cell")[0])
        if atom.has("flank"):
            flank = str(value_of(atom, "flank"))
            if atom.text.lower() in ("влево", "вправо", "левее", "правее", "налево", "направо"):
                order = "LCR"
                at = order.index(near[0]) + (-1 if flank == "L" else 1)
                return (order[at] if 0 <= at < 3 else flank) + row
            return flank + row
        if atom.has("row"):
            return near[0] + str(value_of(atom, "row"))
        if atom.has("~place"):
            found: str | None = self.context.memory.get("target")
            return found
        if atom.has("unit", "squad"):
            unit = unit_of(atom)
            if unit is None:
                return None
            place, sure = self.board.find([unit], None, None)
            if place is None and not self.board.places:
                place = near[0] + "R"
            if place is not None and not sure:
                self.notes.append(tables()["asks"]["guessed_target"].format(position=game_data().places[place][0]))
            return place
        return None

    def _of_twins(self, kind: str, base: dict[str, Any], targets: list[Atom]) -> list[Output]:
        return [o for twin in self.twins for o in self._one(kind, {**base, "position": twin}, twin, targets)]

    def _swap(self, base: dict[str, Any], subject: str, targets: list[Atom]) -> list[Output]:
        other = self._cell(targets[0], subject, subject[1]) if targets else None
        both = [c for a in self.match.atoms if a.has("cell") for c in value_of(a, "cell")]
        if other is None and len(both) == 2:
            subject, other = both
            base = {**base, "position": subject}
        if other is None:
            return [
                self.context.problem(
                    self.match, "ambiguous", tables()["asks"]["which_target"].format(maneuver=self.match.triggers[0].text)
                )
            ]
        first = {**base, "maneuver": "move", "path": [other]}
        second = {**base, "position": other, "maneuver": "move", "path": [subject]}
        return [self.context.reading(self.match, c, notes=self.notes) for c in (first, second)]

    def _one(self, kind: str, base: dict[str, Any], subject: str, targets: list[Atom]) -> list[Output]:
        context, match = self.context, self.match
        name = NAMES[kind]
        command = {**base, "maneuver": name}
        if name == "cover":
            return [context.reading(match, command, notes=self.notes)]
        if name in ("move", "forced_march"):
            path: list[str] = []
            for atom in targets[: 3 if name == "forced_march" else 2]:
                cell = self._cell(atom, path[-1] if path else subject, (path[-1] if path else subject)[1])
                if cell is not None:
                    path.append(cell)
            if not path:
                return [self._which_target()]
            return [context.reading(match, {**command, "path": path}, notes=self.notes)]
        if name == "defend":
            target = self._cell(targets[0], subject, "R") if targets else None
            if target is None and subject[1] == "V":
                target = subject[0] + "R"
                self.notes.append(tables()["asks"]["guessed_target"].format(position=game_data().places[target][0]))
            if target is None:
                return [ask(context, match, "which_rear", [game_data().places[f + "R"][0] for f in "LCR" if f != subject[0]])]
            return [context.reading(match, {**command, "target": target}, notes=self.notes)]
        row = "R" if name == "charge" else "V"
        target = self._cell(targets[0], subject, row) if targets else None
        if target is None:
            return [self._which_target()]
        context.memory["target"], context.memory["target_of"] = target, name
        if name == "charge" and target[1] == "V":
            text = tables()["asks"]["charge_rear"].format(position=game_data().places[target[0] + "R"][0])
            better = {**command, "target": target[0] + "R"}
            out = refuse("E_CHARGE_TARGET", position=game_data().places[target][0])
            return [
                context.problem(
                    match, out.code, text, draft={**command, "target": target}, choices=[choice(text, better)], rule=out.rule
                )
            ]
        return [context.reading(match, {**command, "target": target}, notes=self.notes)]

    def _which_target(self) -> Problem:
        text = tables()["asks"]["which_target"].format(maneuver=self.match.triggers[0].text)
        return self.context.problem(self.match, "ambiguous", text)


def _make_again(match: Match, context: Context) -> Iterable[Output]:
    """«Правый авангард — туда же»: the manoeuvre before, by another squad."""
    target, name = context.memory.get("target"), context.memory.get("target_of")
    if target is None:
        return []
    squads = [str(c) for f in match.slots.get("place", ()) for c in f.value]
    return [context.reading(match, {"type": "maneuver", "position": p, "maneuver": name, "target": target}) for p in squads]


# ------------------------------------------------------------------------------------------------ planning, powder, capture


def _score_skip(fill: Fill) -> float | None:
    return 0.5 if called(fill, "skipnow") or (called(fill, "planning") and called(fill, "skip")) else None


def _make_skip(match: Match, context: Context) -> Iterable[Output]:
    return [context.reading(match, {"type": "skip_planning", **battle_fields(match)})]


def _score_powder(fill: Fill) -> float | None:
    if "units" not in fill.slots:
        return -0.9 if called(fill, "powder") and called(fill, "first") and called(fill, "garrison") else None
    if called(fill, "powder"):
        if called(fill, "first", "deny", "load"):
            return 0.5
        listed = len(fill.slots["units"]) > 1 and all(f.sense.kind == "unit" for f in fill.slots["units"])
        return 0.2 if listed and fill.atoms[0].has("powder") else None  # «порох: пушки > стрелки»
    plain = all(f.sense.kind == "unit" for f in fill.slots["units"])
    return 0.4 if called(fill, "load") or (called(fill, "first") and (fill.inherited or plain)) else None


def _make_powder(match: Match, context: Context) -> Iterable[Output]:
    if not match.slots.get("units"):
        return [ask(context, match, "powder_what")]
    order: list[str] = []
    counts: dict[str, Any] = {}
    for filled in match.slots.get("units", ()):
        if len(filled.senses) > 1:
            return [context.which(match, "units", filled)]
        unit = unit_of(filled.atom)
        if unit is None:
            continue
        if unit not in order:
            order.append(unit)
        if filled.sense.kind == "squad" and isinstance(filled.value[1], int):
            counts[unit] = filled.value[1]
    if has(match, "deny"):
        return [context.reading(match, {"type": "allocate_powder", "units": dict.fromkeys(order, 0)})]
    if not has(match, "first", "load", "powder"):
        return []
    if counts and has(match, "load") and not has(match, "first"):
        if any(bad_number(c) for c in counts.values()):
            return [refusal(context, match, refuse("E_COUNT"), Severity.ERROR)]
        if not any(a.has("load") and a.verb for a in match.atoms):
            return []  # «заряжено: 2 пушки»: the player's own sums
        return [context.reading(match, {"type": "allocate_powder", "units": counts})]
    return [context.reading(match, {"type": "allocate_powder", "order": order})]


def _score_capture(fill: Fill) -> float | None:
    if "ruins" in fill.slots and not fill.triggers and not fill.inherited:
        return None
    return 0.2 if "capture_city" in fill.slots else -1.15


def _make_capture(match: Match, context: Context) -> Iterable[Output]:
    choices = [c for c in CAPTURES if has(match, c)]
    if not choices:
        return []
    city = city_of(context, match, "capture_city")
    if isinstance(city, Problem):
        return [city]
    named = match.first_of("capture_city")
    spoken = [a for a in match.atoms if a.has(*CAPTURES)]
    sentence_of = context.layout.sentence_of
    if (
        named is not None
        and named.atom.first > spoken[-1].first
        and sentence_of[named.atom.first] != sentence_of[spoken[-1].first]
    ):
        city = None  # «взять под нашу руку. Ормис подождёт»
    if choices == ["colonize"] and has(match, "ruins"):
        return [context.reading(match, {"type": "capture_choice", "choice": "destroy", "keep_ruins": True})]
    command: dict[str, Any] = {"type": "capture_choice", "choice": choices[-1]}
    if city is not None:
        command["city"] = city
    keep = keep_ruins(match, context)
    if keep is not None and command["choice"] == "destroy":
        command["keep_ruins"] = keep
    return [context.reading(match, command)]


def keep_ruins(match: Match, context: Context) -> bool | None:
    """What is said of the ruins in the sentence or right behind it; None: nothing."""
    sentence = match.sentence
    after = [a for s in (sentence, sentence + 1) for a in context.by_sentence.get(s, [])]
    at = next((n for n, a in enumerate(after) if a.has("ruins") and abs(a.first - match.last) < 14), None)
    if at is None:
        return None
    around = after[max(0, at - 1) : at + 4]
    if any(a.has("unwanted") for a in around):
        return False
    if any(a.has("wanted") for a in around):
        return True
    return None


def frames(me: str | None, kind: str | None) -> tuple[Frame, ...]:
    """The frames of a battle for a reader of this faction in this step."""
    deploys = {"deployment": 0.9, "orders": -0.6, "planning": -1.0, "capture": -0.6}.get(kind or "", 0.2)
    plans = {"planning": 0.8, "deployment": 0.0, "orders": -1.2, "capture": -0.6}.get(kind or "", 0.0)
    out = [
        Frame(
            "deploy",
            ("deployword", "cell", "flank", "row", "they", "badplace"),
            (WHO, PLACE, BATTLE),
            noise=frozenset({"number", "evenly", "battleword", "build", "minus", "~correction", "hire", "too"}),
            at_most={"who": 16, "place": 12},
            incomplete=False,
            inherits=False,
            score=_score_deploy(deploys),
            make=_make_deploy,
        ),
        Frame(
            "maneuver",
            MANEUVERS,
            (
                Slot("place", ("cell", "flank", "row"), many=True, refs=("~place",), weight=0.9),
                Slot("units", ("unit", "squad"), many=True, weight=0.6),
                BATTLE,
            ),
            at_most={"place": 5, "units": 3},
            noise=frozenset(
                {
                    "enemy",
                    "free",
                    "through",
                    "target",
                    "too",
                    "attack",
                    "defend",
                    "m_move",
                    *MANEUVERS,
                    "first",
                    "battleword",
                    "go",
                }
            ),
            inherits=False,
            weight=plans,
            score=_score_maneuver(plans),
            make=_maker_maneuver(kind),
            key=lambda command: ("maneuver", command.get("position")),
        ),
        Frame(
            "maneuver_again",
            ("~place",),
            (Slot("place", ("cell",), required=True, strict=True, preps=frozenset({"-"})),),
            inherits=False,
            incomplete=False,
            weight=-1.0 if kind == "planning" else -9.0,
            make=_make_again,
            key=lambda command: ("maneuver", command.get("position")),
        ),
        Frame(
            "skip_planning",
            ("skipnow", "planning", "skip"),
            (BATTLE,),
            noise=frozenset({"planning", "skip", "skipnow", "garrison", "town"}),
            inherits=False,
            score=_score_skip,
            make=_make_skip,
        ),
        Frame(
            "capture_choice",
            CAPTURES,
            (
                Slot("capture_city", CITY, refs=("~place",), weight=0.85),
                Slot("ruins", ("ruins",), weight=0.6),
                Slot("wish", ("wanted", "unwanted"), many=True, weight=0.3),
            ),
            noise=frozenset({"town", *CAPTURES, "hire", "seize", "build", "sell"}),
            inherits=False,
            score=_score_capture,
            make=_make_capture,
            key=lambda command: ("capture", command.get("city")),
        ),
    ]
    if me == "principality" or me is None:
        out.append(
            Frame(
                "allocate_powder",
                ("powder", "first", "load", "deny"),
                (Slot("units", ("unit", "squad"), many=True, weight=1.2), BATTLE),
                noise=frozenset({"first", "load", "deny", "powder", "garrison", "~rest"}),
                inherits=False,
                score=_score_powder,
                make=_make_powder,
            )
        )
    if me != OGRES:
        out.append(
            Frame(
                "set_garrison_deployment",
                ("garrison", "everywhere"),
                (Slot("city", CITY, many=True, weight=1.2), WHO, PLACE),
                bare=(frozenset({"city", "who", "place"}),),
                at_most={"who": 16, "place": 12, "city": 6},
                noise=frozenset({"number", "evenly", "everywhere", "deployword", "default", "garrison", "too", "~same", "build"}),
                inherits=False,
                weight=-0.5 if kind == "deployment" else 0.4,
                score=_score_garrison,
                make=_make_garrison,
                key=lambda command: ("garrison", command.get("city")),
            )
        )
    return tuple(out)


__all__ = ["PLACES", "Atom", "frames", "keep_ruins", "nearby", "values", "wants"]
