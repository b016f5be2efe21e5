"""Battles: declaring them, cards, line order, what to do with the prize, fighting side by side (§3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import info
from parsers.types import Reading, Severity
from rules.grand_strategy.data import plural
from rules.grand_strategy.language.said import Said, maker, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    BATTLE,
    BTYPE,
    CARDS,
    CELLS,
    LAND,
    PLACES,
    PLAYERS,
    UNITS,
    called,
)

# ------------------------------------------------------------------------------------------------ attacks


def _attack_score(fill: Fill) -> float | None:
    slots = fill.slots
    aimed = slots.keys() & {"units", "places", "cells", "btype", "players", "garrison", "bad"}
    if not aimed:
        return None
    if not fill.triggers:
        # «Гарнизон Г3 → R1»
        arrow = any(a.has("arrow") for a in fill.atoms)
        return 0.3 if "garrison" in slots and "units" in slots and arrow else None
    if slots.keys() <= {"players", "cards"}:
        return -0.6
    return 0.2


@maker
def _attack(said: Said) -> Iterable[Output]:
    said.check_cells()
    garrisons = said.atoms("garrison")
    own_garrison = [a for a in garrisons if a.prep not in {"с", "со"} and _is_own(said, a)]
    if own_garrison:
        return _garrison_attack(said, own_garrison[0])
    if garrisons and not said.atoms("places") and not said.atoms("units"):
        last = said.context.readings[-1] if said.context.readings else None
        if last is not None and last.command["type"] == "move" and last.command["path"][-1] in said.state.buildings:
            _assault(said, last)
            return []
    actor, target_units = _sides(said)
    target: str | None = target_units[0] if target_units else None
    allies = [str(s.value) for a in said.atoms("ally") for s in a.all("ally")]
    if target is None and garrisons and garrisons[0].senses[0].value:
        target = str(garrisons[0].senses[0].value)
    if target is None:
        lairs = [c for c in said.cells() if c in said.state.board.data.lairs]
        target = lairs[0] if lairs else said.building(foreign=True)
        if target is not None and target not in said.state.buildings:
            there = [u.id for u in said.state.units.values() if u.cell == target and u.id != actor]
            target = there[0] if there else target
    if target is None:
        owners = [p for p in (said.player_of(a) for a in said.atoms("players")) if p and p not in allies]
        if owners:
            raise _whose(said, owners[0], actor)
        raise _whom(said, actor)
    cards = said.cards(unit=actor)
    command: dict[str, Any] = {"type": "attack", "unit": actor, "target": target, "ally": allies or None, "cards": cards}
    if said.has("no_capture"):
        command["capture"] = False
    if said.has("raze") and not said.has("no_raze"):
        command["preserve"] = False
    return [said.read(command)]


def _is_own(said: Said, atom: Atom) -> bool:
    cell = atom.senses[0].value
    if not cell:
        return any(said.squads(b.cell) for b in said.state.buildings.values() if b.owner == said.me)
    building = said.state.buildings.get(cell)
    if building is not None and building.owner == said.me:
        return True
    return building is None or atom is said.match.atoms[0] or ("ablt" in atom.cases and "accs" not in atom.cases)


def _assault(said: Said, last: Reading) -> None:
    """«заходим в Броды и бьёмся с гарнизоном»: the last step is an assault."""
    for match, outputs in said.context.outputs:
        for n, output in enumerate(outputs):
            if output is last:
                outputs[n] = replace(
                    last, command={**last.command, "assault": True}, extra_spans=(*last.extra_spans, said.match.span)
                )
        del match


def _sides(said: Said) -> tuple[str, list[str]]:
    """Who attacks whom: one's own troop and the others; of two own ones the first attacks."""
    mine: list[str] = []
    others: list[str] = []
    cells = said.cells()
    for atom in said.atoms("units"):
        if atom.has("~person"):
            actor = said.memory.get("actor")
            if atom.text.lower() in {"они же", "она же", "он же", "ими", "ими же", "ею"} and actor:
                mine.append(str(actor))
            continue
        found = said.candidates(atom)
        if cells and len(found) > 1:
            found = [u for u in found if said.at(u) in cells] or found
        own = [u for u in found if said.mine(u)]
        foreign = [u for u in said.state.units if not said.mine(u) and _named_by(said, atom, u)]
        if mine and foreign and (own == mine or not own):
            others.append(_only(said, atom, foreign))
        elif own:
            mine.append(_only(said, atom, own))
        elif foreign:
            others.append(_only(said, atom, foreign))
        elif any(x.value == "dragon" for x in atom.all("utype")) and said.state.board.data.lairs:
            continue
        else:
            others.append(said.unit(atom))
    if len(mine) > 1:
        others = mine[1:] + others
        mine = mine[:1]
    actor = mine[0] if mine else said.default_actor()
    return actor, others


def _named_by(said: Said, atom: Atom, unit: str) -> bool:
    kinds = {s.value for s in atom.all("utype")}
    return said.type_of(unit) in kinds or any(s.value == unit for s in atom.all("unit"))


def _only(said: Said, atom: Atom, found: list[str]) -> str:
    if len(found) == 1:
        return found[0]
    names = [said.unit_title(u) for u in found]
    raise said.stop(
        "ambiguous", text_of("ambiguous", options=" или ".join(names)), span=atom.span, choices=[choice(n) for n in names]
    )


def _near(said: Said, actor: str) -> list[str]:
    """Names of what stands next to a troop."""
    place = said.at(actor)
    if place is None:
        return []
    board = said.state.board
    around = {place, *board.near(place)}
    units = [said.unit_title(u.id) for u in said.state.units.values() if u.cell in around and u.owner != said.me]
    houses = [f"{b.name or b.cell} ({b.cell})" for b in said.state.buildings.values() if b.cell in around and b.owner != said.me]
    return units + houses


def _whom(said: Said, actor: str) -> Exception:
    near = _near(said, actor)
    text = "Кого атаковать?" + (f" Рядом: {', '.join(near)}." if near else " Рядом никого нет.")
    return said.stop("ambiguous", text, draft={"type": "attack", "unit": actor}, choices=[choice(n) for n in near])


def _whose(said: Said, owner: str, actor: str) -> Exception:
    things = [said.unit_title(u.id) for u in said.state.units.values() if u.owner == owner]
    things += [f"{b.name or b.cell} ({b.cell})" for b in said.state.buildings.values() if b.owner == owner]
    text = f"На какое войско или строение игрока {said.player_title(owner)}?"
    return said.stop("ambiguous", text, draft={"type": "attack", "unit": actor}, choices=[choice(t) for t in things])


def _garrison_attack(said: Said, garrison: Atom) -> list[Output]:
    cell = str(garrison.senses[0].value)
    if not cell:
        raise said.stop("ambiguous", "Гарнизон какого строения?", draft={"type": "garrison_attack"})
    others: list[str] = []
    for atom in said.atoms("units"):
        found = said.candidates(atom) if not atom.has("~person") else []
        found = [u for u in found if not said.mine(u)] or found
        there = [u for u in found if said.at(u) == cell]
        found = there or found
        if found:
            others.append(_only(said, atom, found))
    if not others:
        owners = [p for p in (said.player_of(a) for a in said.atoms("players")) if p]
        there = [
            u.id for u in said.state.units.values() if u.cell == cell and u.owner != said.me and (not owners or u.owner in owners)
        ]
        if len(there) == 1:
            others = there
        elif owners:
            theirs = [u.id for u in said.state.units.values() if u.owner in owners]
            if len(theirs) == 1:
                others = theirs
    if not others:
        raise said.stop(
            "ambiguous",
            "Какое войско бьёт гарнизон? На его клетке никого нет.",
            draft={"type": "garrison_attack", "building": cell},
        )
    return [said.read({"type": "garrison_attack", "building": cell, "target": others[0]})]


# ------------------------------------------------------------------------------------------------ side by side


def _join_score(fill: Fill) -> float | None:
    slots = fill.slots
    if not slots.keys() & {"players", "races"} and not called(fill, "ally"):
        return None
    if called(fill, "defend_together") or "defending" in slots:
        return None
    if called(fill, "ally"):
        return 0.5
    beside = [f for n in ("players", "races") for f in slots.get(n, ()) if f.atom.prep in {"с", "со"} or f.ref]
    if not beside and "answer" not in slots:
        return None
    return 0.5


@maker
def _join(said: Said) -> Iterable[Output]:
    allies = [str(x.value) for a in said.match.atoms for x in a.all("ally")]
    named = [said.player_of(a) for a in said.atoms("players") + said.atoms("races")]
    player = next((p for p in [*allies, *named] if p and p != said.me), None)
    if player is None:
        raise said.stop("ambiguous", "С кем вместе биться? Назовите игрока.")
    agree = None
    if said.has("refuse", "apart") and not said.has("agree"):
        agree = False
    return [said.read({"type": "join_consent", "player": player, "battle": said.battle(), "agree": agree})]


def _joint_score(fill: Fill) -> float | None:
    slots = fill.slots
    if called(fill, "not_fight"):
        return 0.8 if any(f.atom.prep == "за" for f in slots.get("players", ())) else None
    if called(fill, "defend_together"):
        if any(a.text.lower().startswith("не ") for a in fill.triggers) and slots.keys() & {"garrison", "units"}:
            return 0.6
        return 0.6 if slots.keys() & {"side"} or ("players" in slots and slots.keys() & {"units", "garrison", "places"}) else None
    return None


@maker
def _joint(said: Said) -> Iterable[Output]:
    objects: list[str] = []
    foreign: str | None = None
    for atom in said.atoms("garrison"):
        if atom.senses[0].value:
            objects.append(str(atom.senses[0].value))
    for atom in said.atoms("units"):
        found = [] if atom.has("~person") else said.candidates(atom)
        own = [u for u in found if said.mine(u)]
        if own:
            objects.append(own[0])
        elif found and said.unit_object(found[0]) is not None:
            foreign = said.state.units[found[0]].owner or foreign
        elif atom.has("utype"):
            foreign = said.of_race(str(atom.get("utype").value)) or foreign  # type: ignore[union-attr]
    for slot in ("places", "cells"):
        for atom in said.atoms(slot):
            if not objects or atom.prep not in {"в", "во", "на", "под"}:
                objects.append(said.cell_of(atom))
    allies = [str(x.value) for a in said.match.atoms for x in a.all("ally")]
    other = next((p for p in [*allies, *map(said.player_of, said.atoms("players"))] if p and p != said.me), None) or foreign
    if other is None and not said.has("apart", "denial") and said.has("~person"):
        other = said.addressed()
    if other is None and any(
        t.norm in {"твои", "твой", "твоя", "ваши", "ваш"} for t in said.context.layout.tokens[said.match.first : said.match.last]
    ):
        other = said.addressed()
    denied = said.has("apart", "refuse", "not_fight") or any(a.text.lower().startswith("не ") for a in said.match.atoms)
    denied = denied or any(a.negated for a in said.context.by_sentence.get(said.match.sentence, []) if a.has("defend_together"))
    if not objects:
        actor = said.personal() or said.default_actor()
        objects = [actor]
    kind = {"type": "joint_defense", "object": objects[0], "with": other, "allowed": not denied}
    return [said.read(kind)]


# ------------------------------------------------------------------------------------------------ cards


def _cards_score(fill: Fill) -> float | None:
    slots = fill.slots
    if "cards" not in slots and "as_before" not in slots:
        return None
    if any(f.atom.data.get("all") for f in slots.get("cards", ())) and not fill.triggers:
        return -0.6 if slots.keys() & {"units", "garrison"} else -0.2
    everyone = "everyone" in slots and "cards" in slots and not fill.triggers
    if everyone and fill.noise and not slots.keys() & {"units", "garrison", "places"}:
        return 0.2  # «всем стоять в обороне»
    who = slots.keys() & {"units", "garrison", "everyone", "places"}
    if called(fill, "default"):
        return 0.8 if who or "cards" in slots else None
    single = all(f.sense.kind == "card" for f in slots.get("cards", ()))
    if "battle" in slots or called(fill, "cards_word"):
        return 0.6
    if who and not single:
        return -0.2 if len(fill.atoms) > 1 else None
    if who and len(slots.get("cards", ())) > 1:
        return -0.2
    letters = any(f.sense.kind == "cards" and not f.atom.data.get("words") for f in slots.get("cards", ()))
    return -0.4 if letters else None


def _participants(said: Said, default: bool = False) -> list[tuple[str, list[Atom]]]:
    """Troops and garrisons with the cards behind (or before) each."""
    keys: list[tuple[str, Atom]] = []
    for atom in said.match.atoms:
        if any(atom is a for a in said.atoms("units")):
            unit = said.unit(atom)
            if said.mine(unit) or not default:
                keys.append((unit, atom))
        elif any(atom is a for a in said.atoms("garrison")):
            if not atom.senses[0].value:
                raise said.stop("ambiguous", "Гарнизон какого строения?", span=atom.span)
            keys.append((str(atom.senses[0].value), atom))
        elif any(atom is a for a in [*said.atoms("places"), *said.atoms("cells")]):
            cell = said.cell_of(atom)
            if not any(k == cell for k, _ in keys):
                keys.append((cell, atom))
    return [(k, [a]) for k, a in keys]


@maker
def _battle_cards(said: Said) -> Iterable[Output]:
    default = said.has("default")
    cards_of = said.atoms("cards")
    if said.has("as_before"):
        raise said.stop(
            "ambiguous",
            "Карточки каждый раз называют заново: какие?",
            draft={"type": "default_cards" if default else "battle_cards"},
        )
    people = _participants(said, bool(default))
    given = list(cards_of)
    for atom in given:
        if atom.has("badcard"):
            said.cards()
    table: dict[str, list[str]] = {}
    if not people:
        values = said.cards() or []
        if default:
            everyone = (
                said.has("~all", "everyone") or said.near("~all") is not None or any(a.data.get("all") for a in given_cards(said))
            )
            own = said.own()
            garrisons = [b.cell for b in said.state.buildings.values() if b.owner == said.me and said.squads(b.cell)]
            if everyone or len(own) + len(garrisons) != 1:
                return [said.read({"type": "default_cards", "all": True, "cards": values})]
            key = "unit" if own else "building"
            return [said.read({"type": "default_cards", key: (own or garrisons)[0], "cards": values})]
        fighters = _fighters(said)
        everyone = said.near("~all") is not None or any(a.data.get("all") for a in given_cards(said))
        if everyone and fighters:
            table = {f: values * said.squads(f) if len(values) == 1 else values for f in fighters}
            return [said.read({"type": "battle_cards", "battle": said.battle(), "cards": table, "regroup": _regroup(said)})]
        if everyone and not fighters:
            raise said.stop("no_such_battle", text_of("no_such_battle", "none"), draft={"type": "battle_cards"})
        if len(fighters) > 1:
            names = [said.unit_title(f) if f in said.state.units else f for f in fighters]
            raise said.stop("ambiguous", text_of("ambiguous", options=" или ".join(names)), choices=[choice(n) for n in names])
        return [said.read({"type": "battle_cards", "battle": said.battle(), "cards": values, "regroup": _regroup(said)})]
    for key, (where,) in people:
        later = [a for a in given if a.first > where.first]
        following = [w.first for k, (w,) in people if w.first > where.first]
        limit = min(following, default=10**9)
        own_cards = [a for a in later if a.first < limit] or (
            [a for a in given if a.last <= where.first] if not later and len(people) == 1 else []
        )
        values = []
        for atom in own_cards:
            sense = atom.get("cards", "card")
            assert sense is not None
            values += list(sense.value) if sense.kind == "cards" else [str(sense.value)]
        if not values:
            continue
        if len(values) == 1 and (said.has("~all") or said.near("~all") or _standing(said)):
            values = values * max(1, said.squads(key))
        if len(values) > said.squads(key) and (
            key in said.state.buildings or key in said.state.units or key.startswith("<hired")
        ):
            squads = said.squads(key)
            title = said.unit_title(key) if key in said.state.units else f"гарнизона {key}"
            text = text_of("too_many_cards", unit=title, n=squads, squads=plural(squads, "squad"), m=len(values))
            kind = "default_cards" if default else "battle_cards"
            raise said.stop("too_many_cards", text, severity=Severity.ERROR, draft={"type": kind, "cards": {key: values}})
        table[key] = values
    if not table:
        raise said.stop("bad_card", "Какие карточки? А — атака, О — оборона, С — обстрел.")
    if default:
        return [
            said.read({"type": "default_cards", "building" if key in said.state.buildings else "unit": key, "cards": values})
            for key, values in table.items()
        ]
    return [said.read({"type": "battle_cards", "battle": said.battle(), "cards": table, "regroup": _regroup(said)})]


def given_cards(said: Said) -> list[Atom]:
    """The atoms of card orders."""
    return said.atoms("cards")


def _standing(said: Said) -> bool:
    """«держат щиты», «в обороне», «всем стрелять»: what all of them do."""
    for atom in said.atoms("cards"):
        text = atom.text.lower()
        if atom.data.get("all") or text.startswith(("держ", "в ")) or info(text).genders == {"plur"}:
            return True
    return False


def _fighters(said: Said) -> list[str]:
    """One's own participants of the open battles."""
    out: list[str] = []
    for battle in said.state.battles:
        for key in (*battle.attackers, *battle.defenders):
            kind, _, name = key.partition(":")
            unit, building = said.state.units.get(name), said.state.buildings.get(name)
            if (kind == "unit" and unit is not None and unit.owner == said.me) or (
                kind in ("garrison", "building") and building is not None and building.owner == said.me
            ):
                out.append(name)
    return list(dict.fromkeys(out))


def _regroup(said: Said) -> str | None:
    if not said.has("regroup") and said.near("regroup", behind=6) is None:
        return None
    layout = said.context.layout
    for word in said.words("regroup") or [a for a in (said.near("regroup", behind=6),) if a is not None]:
        for atom in said.context.by_sentence.get(layout.sentence_of[word.first], []):
            if atom.has("reverse", "~reverse") and abs(atom.first - word.first) <= 6:
                return "reverse"
    return "keep"


def _order_score(fill: Fill) -> float | None:
    slots = fill.slots
    bodies = len(slots.get("units", ())) + len(slots.get("garrison", ()))
    who = bodies + len(slots.get("cells", ())) + len(slots.get("places", ()))
    if not who or any(a.prep == "по" for a in fill.triggers):
        return None
    if called(fill, "line_order"):
        return 0.4
    if not bodies or slots.keys() & {"cells", "places"}:
        return None
    last = called(fill, "last_place")
    return 0.3 if bodies > 1 or last or ("verb" in slots and called(fill, "first")) else None


@maker
def _order(said: Said) -> Iterable[Output]:
    people = _participants(said)
    keys = [k for k, _ in people]
    heads = {a.first for a in said.words("then", "behind", "last_place")}
    if len(keys) == 2 and heads:
        # «Аэлин за их спинами» keeps the text order; «сзади орки, впереди гномы» turns it
        first_words = [
            a for a in said.words("first", "line_order") if a.text.lower().startswith(("впер", "спер", "перв", "снач"))
        ]
        if first_words and min(heads) < people[0][1][0].first and first_words[0].first > people[0][1][0].first:
            keys.reverse()
    if len(keys) == 1 and said.has("last_place"):
        rest = [f for f in _fighters(said) if f not in keys]
        keys = rest + keys
        if not rest:
            said.unsure("остальные в строю не названы")
    if not keys:
        raise said.stop("ambiguous", "Кто за кем стоит?")
    return [said.read({"type": "battle_order", "battle": said.battle(), "order": list(dict.fromkeys(keys))})]


# ------------------------------------------------------------------------------------------------ the prize


def _victory_score(fill: Fill) -> float | None:
    if called(fill, "victory"):
        return 0.8 if "wishes" in fill.slots else None
    kinds = {k for a in fill.atoms for k in a.kinds}
    if kinds & {"no_capture"} and fill.slots.keys() & {"btype", "places", "battle"}:
        return 0.3
    return 0.6 if kinds & {"capture", "no_capture"} and kinds & {"no_raze", "raze"} else None


@maker
def _victory(said: Said) -> Iterable[Output]:
    capture: bool | None = None
    preserve: bool | None = None
    tokens = said.context.layout.tokens
    for atom in said.match.atoms:
        behind = [t.norm for t in tokens[atom.last : atom.last + 2]]
        no = "нет" in behind[:2] and not any(t in {",", "."} for t in behind[:1])
        if atom.has("no_raze"):
            preserve = True
        elif atom.has("no_capture"):
            capture = False
        elif atom.has("capture") and not atom.has("victory"):
            capture = not no
        elif atom.has("raze"):
            preserve = no
    for atom in said.context.by_sentence.get(said.match.sentence, []):
        if atom.negated and atom.first >= said.match.first - 1:
            if atom.has("raze") and preserve is None:
                preserve = True
            elif atom.has("capture") and capture is None:
                capture = False
    return [said.read({"type": "victory_choice", "battle": said.battle(), "capture": capture, "preserve": preserve})]


WHO = ("unit", "utype", "personal")
FRAMES = (
    Frame(
        "attack",
        ("attack",),
        (
            UNITS,
            PLACES,
            CELLS,
            BAD,
            BTYPE,
            LAND,
            Slot("garrison", ("garrison",), weight=1.1),
            Slot("players", ("player",), many=True, weight=0.8),
            Slot("cards", ("cards", "card", "badcard"), many=True, weight=0.8),
            Slot("ally", ("ally",), many=True, weight=2.2),
            Slot("wish", ("no_capture", "no_raze", "raze", "capture"), many=True, weight=0.5),
        ),
        bare=(frozenset({"garrison", "units"}),),
        noise=frozenset({"go", "together", "troops", "then", "cards_word", "~all", "me", "cell_word", "siege", "arrow", "entry"}),
        at_most={"units": 2, "places": 1, "cells": 2, "btype": 1, "cards": 2, "players": 2, "wish": 3},
        score=_attack_score,
        make=_attack,
    ),
    Frame(
        "join_consent",
        ("together", "apart", "ally"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.2),
            Slot("races", ("utype",), weight=0.8),
            BATTLE,
            Slot("answer", ("agree", "refuse", "apart"), many=True, weight=0.6),
            Slot("defending", ("defend_together",), weight=0.2),
        ),
        noise=frozenset({"attack", "go", "allow", "me", "battle_word"}),
        at_most={"players": 2, "answer": 2},
        score=_join_score,
        make=_join,
        inherits=False,
    ),
    Frame(
        "joint_defense",
        ("defend_together", "not_fight"),
        (
            UNITS,
            Slot("garrison", ("garrison",), many=True),
            PLACES,
            CELLS,
            PLAYERS,
            Slot("side", ("together", "apart", "ally"), many=True, weight=0.7),
        ),
        noise=frozenset({"number", "land_word", "stay", "agree", "refuse", "troops", "attack", "me", "btype", "commander_word"}),
        at_most={"units": 2, "garrison": 1, "players": 1, "cells": 1, "places": 1},
        score=_joint_score,
        make=_joint,
        inherits=False,
        weight=0.2,
    ),
    Frame(
        "cards",
        ("cards_word", "default", "regroup"),
        (
            UNITS,
            Slot("garrison", ("garrison",), many=True),
            Slot("cells", ("cell",), many=True, weight=0.8),
            Slot("places", ("house",), many=True, weight=0.8),
            CARDS,
            BATTLE,
            Slot("everyone", ("~all", "everyone"), weight=0.5),
            Slot("as_before", ("as_before",), weight=0.8),
            Slot("turning", ("reverse", "keep_row", "~reverse"), many=True, weight=0.6),
        ),
        bare=(
            frozenset({"cards"}),
            frozenset({"cards", "units"}),
            frozenset({"cards", "garrison"}),
            frozenset({"battle", "cards"}),
            frozenset({"everyone", "cards"}),
        ),
        bare_partial=True,
        noise=frozenset({"stay", "then", "only", "troops", "enter_game", "build", "give", "hire"}),
        at_most={"units": 4, "garrison": 4, "cells": 3, "cards": 8, "places": 2},
        score=_cards_score,
        make=_battle_cards,
        inherits=False,
    ),
    Frame(
        "battle_order",
        ("line_order", "first", "behind", "last_place"),
        (
            Slot("units", ("unit", "utype", "personal"), many=True),
            Slot("garrison", ("garrison",), many=True),
            Slot("cells", ("cell",), many=True),
            PLACES,
            BATTLE,
            Slot("verb", ("build", "stay"), weight=0.3),
            Slot("steps", ("first", "then", "behind", "last_place"), many=True, weight=0.4),
        ),
        noise=frozenset({"only", "turn_order", "go"}),
        at_most={"units": 5, "garrison": 3, "cells": 4},
        score=_order_score,
        make=_order,
        inherits=False,
    ),
    Frame(
        "victory_choice",
        ("victory", "no_capture", "no_raze", "capture", "raze"),
        (
            BATTLE,
            Slot("wishes", ("no_capture", "no_raze", "capture", "raze"), many=True, weight=0.9),
            BTYPE,
            PLACES,
            CELLS,
        ),
        bare=(),
        noise=frozenset({"take", "attack", "me", "no_word", "yes_word", "agree", "refuse", "downgrade", "land_word"}),
        at_most={"wishes": 4, "btype": 2},
        score=_victory_score,
        make=_victory,
        inherits=False,
        weight=0.2,
    ),
)
