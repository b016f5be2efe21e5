"""Order cards for a battle and by default (R119, R120)."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import Verb, info
from parsers.types import Severity
from rules.grand_strategy.data import plural
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import (
    BATTLE,
    CARDS,
    UNITS,
    called,
)


def _cards_score(fill: Fill) -> float | None:
    slots = fill.slots
    if "cards" not in slots and "as_before" not in slots:
        return None
    if any(f.atom.data.get("aimed") for n in ("units", "places", "garrison") for f in slots.get(n, ())):
        return None  # «стража бьёт дружину, все в атаку»
    if any(a.has("go") for a in fill.atoms) and ("battle" not in slots or "cells" in slots):
        return None
    if "cards" not in slots and not fill.triggers and "battle" not in slots:
        return 0.6 if any(f.atom.text.lower().startswith(stems("cards_before")) for f in slots["as_before"]) else None
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
    if who and single and any(f.atom.data.get("fought") for f in slots.get("cards", ())):
        return -0.2  # «стража обороняется»
    if who and not single:
        return -0.2 if len(fill.atoms) > 1 else None
    if who and len(slots.get("cards", ())) > 1:
        return -0.2
    letters = any(f.sense.kind == "cards" and not f.atom.data.get("words") for f in slots.get("cards", ()))
    return -0.4 if letters or any(f.atom.data.get("behind") for f in slots.get("cards", ())) else None


def participants(said: Said, default: bool = False) -> list[tuple[str, list[Atom]]]:
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
    default = said.has("default") or said.near("repeat") is not None or _goes_on(said)
    cards_of = said.atoms("cards")
    if said.has("as_before"):
        raise said.stop(
            "ambiguous",
            "Карточки каждый раз называют заново: какие?",
            draft={"type": "default_cards" if default else "battle_cards"},
        )
    people = participants(said, bool(default))
    given = list(cards_of)
    for atom in given:
        if atom.has("badcard"):
            said.cards()
    table: dict[str, list[str]] = {}
    if not people:
        listed = [(a, s) for a in given for s in a.all("cards")]  # «атакую по полной: А А А»
        values: list[str] = list(listed[0][1].value) if listed else said.cards() or []
        if listed:
            values = filled(listed[0][0], values, _squads_meant(said, len(values)))
        if default:
            everyone = (
                said.has("~all", "everyone") or said.near("~all") is not None or any(a.data.get("all") for a in given_cards(said))
            )
            beside = said.beside("garrison")
            if beside is not None and beside.senses[0].value and not said.has("~all", "everyone"):
                said.unsure(f"чьи карточки, не сказано: понято как {beside.text}")
                return [said.read({"type": "default_cards", "building": str(beside.senses[0].value), "cards": values})]
            own = said.own()
            garrisons = [b.cell for b in said.state.buildings.values() if b.owner == said.me and said.squads(b.cell)]
            if everyone or len(own) + len(garrisons) != 1:
                return [said.read({"type": "default_cards", "all": True, "cards": values})]
            key = "unit" if own else "building"
            return [said.read({"type": "default_cards", key: (own or garrisons)[0], "cards": values})]
        stranger = said.beside("house", "garrison", "defend_together") if not said.atoms("battle") else None
        if stranger is not None:
            said.unsure(f"чьи карточки, не видно: «{stranger.text}»")
        own_ones = fighters(said)
        everyone = said.near("~all") is not None or any(a.data.get("all") for a in given_cards(said))
        if everyone and own_ones:
            table = {f: values * said.squads(f) if len(values) == 1 else values for f in own_ones}
            return [said.read({"type": "battle_cards", "battle": said.battle(), "cards": table, "regroup": _regroup(said)})]
        if everyone and said.last.get("type") == "attack":
            unit = str(said.last["unit"])  # «Стража бьёт Устье. Все рубят!»
            if said.squads(unit) > 1 and any(a.data.get("lone") for a in given):
                said.unsure("понято: всем отрядам")  # «Стрелять!»
            every = values * said.squads(unit) if len(values) == 1 else values
            return [said.read({"type": "battle_cards", "cards": {unit: every}})]
        if everyone and not own_ones:
            raise said.stop("no_such_battle", text_of("no_such_battle", "none"), draft={"type": "battle_cards"})
        if len(own_ones) > 1:
            names = [said.unit_title(f) if f in said.state.units else f for f in own_ones]
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
        lists = [a for a in own_cards if a.has("cards")]
        if lists and len(lists) < len(own_cards) and sum(len(a.all("cards")[0].value) for a in lists) == said.squads(key):
            own_cards = lists  # «стрелять обоими отрядами: С, С»
        for atom in own_cards:
            sense = atom.get("cards", "card")
            assert sense is not None
            values += list(sense.value) if sense.kind == "cards" else [str(sense.value)]
            values = filled(atom, values, said.squads(key))
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


def filled(atom: Atom, cards: list[str], squads: int) -> list[str]:
    """«первый отряд щит, остальные атака», «последний лук»: as many cards as squads."""
    rest, last = str(atom.data.get("rest") or ""), str(atom.data.get("last_card") or "")
    out = [*cards, *([rest] * (squads - len(cards)) if rest else ())]
    if last:
        out = [*(out[:-1] if rest else out), last]
    return out


def _squads_meant(said: Said, told: int) -> int:
    """The squads of the only one that may be meant by cards without a name; as many as `told` where there are several."""
    meant = fighters(said) or said.own()
    return said.squads(meant[0]) if len(meant) == 1 else told


def _goes_on(said: Said) -> bool:
    """«Умолчание: гарнизон ООО; стража ААА»: a semicolon parts what is told by default alike."""
    tokens = said.context.layout.tokens
    parted = said.match.first and tokens[said.context.layout.sentences[said.match.sentence].first - 1].norm == ";"
    return bool(parted) and said.last.get("type") == "default_cards" and not said.atoms("battle")


def given_cards(said: Said) -> list[Atom]:
    """The atoms of card orders."""
    return said.atoms("cards")


def _standing(said: Said) -> bool:
    """«держат щиты», «в обороне», «всем стрелять»: what all of them do."""
    for atom in said.atoms("cards"):
        text = atom.text.lower()
        if (
            atom.verb is not Verb.NONE
            or atom.data.get("all")
            or text.startswith(stems("cards_held"))
            or info(text).genders == {"plur"}
        ):
            return True
    return False


def fighters(said: Said) -> list[str]:
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
    """«…, после сшибки строй наоборот»: how the survivors stand again; told in the match or shortly behind it."""
    tokens = said.context.layout.tokens
    second = next((a for a in said.words("regroup") if a.first and info(tokens[a.first - 1].norm).lemmas & _LATER), None)
    if second is not None:
        said.unsure("карточки даются на всю битву")
    turned = said.words("reverse", "~reverse")
    near = said.near("reverse", "~reverse", behind=8)
    turned = turned or ([near] if near is not None else [])
    if turned and not any(_left_alone(said, a) for a in turned):
        return "reverse"
    return "keep" if turned or said.has("regroup") or said.near("regroup", behind=6) is not None else None


def _left_alone(said: Said, turn: Atom) -> bool:
    """«строй наоборот не ставить», «не наоборот»."""
    layout = said.context.layout
    last = min(turn.last + 3, layout.sentences[layout.sentence_of[turn.first]].last)
    clause = [layout.tokens[i].norm for i in range(max(0, turn.first - 2), last)]
    behind = clause[turn.last - max(0, turn.first - 2) :]
    stop = next((n for n, word in enumerate(behind) if word in {",", ";"}), len(behind))
    return turn.negated or "не" in clause[: turn.first - max(0, turn.first - 2)] or "не" in behind[:stop]


_LATER = frozenset(tables()["card_places"]["ordinals"][1:])


FRAMES = (
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
            frozenset({"battle", "as_before"}),
            frozenset({"units", "as_before"}),
            frozenset({"garrison", "as_before"}),
            frozenset({"everyone", "cards"}),
        ),
        bare_partial=True,
        noise=frozenset({"stay", "then", "only", "troops", "enter_game", "build", "give", "hire", "answer", "go", "let"}),
        at_most={"units": 4, "garrison": 4, "cells": 3, "cards": 8, "places": 2},
        score=_cards_score,
        make=_battle_cards,
        inherits=False,
    ),
)
