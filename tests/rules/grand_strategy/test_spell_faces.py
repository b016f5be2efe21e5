"""Every spell with every face of the die: what it does to the board, not only what the report says (R162–R178, E26, E28, E41).

The casters' schools are neutral to the spell, so that the die counts as it falls; the necromancer's own get one more (R150)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rules.grand_strategy.magic import transfer_tax
from rules.grand_strategy.moves import allowance
from rules.grand_strategy.state import State
from rules.grand_strategy.strength import advantage, squads_of
from tests.rules.grand_strategy.story import Teller

SEA = (
    "unit M mage aelin Ж10 school=plains",
    "unit S ship ghash З11",
    "unit K orcs ghash И11",
    "unit W mage ghash З12 school=desert afloat",
    "unit F ship thorgrim М12",
)


def cast(lines: tuple[str, ...], order: str, die: int, player: str = "aelin") -> Teller:
    teller = Teller()
    teller.play(("bare", f"turn {player}", *lines, f"> {player}: cast {order}", f"dice {die}", "portion"))
    assert [e.data["die"] for e in teller.events if e.kind == "cast"] == [die]
    return teller


def windy(g: State) -> list[str]:
    return sorted(u.id for u in g.units.values() if u.id != "M" and allowance(g, u, water=True) == 5)


def asleep(g: State) -> list[str]:
    return sorted(u.id for u in g.units.values() if u.id != "M" and u.blocked is not None)


def alive(g: State) -> list[str]:
    return sorted(g.units)


@pytest.mark.parametrize(("die", "who"), [(1, []), (2, []), (3, ["S"]), (4, ["S"]), (5, ["S"]), (6, ["K", "S"])])
def test_R163_fair_wind(die: int, who: list[str]) -> None:
    """Six: everybody on water beside it, whoever owns it; never a mage, never one farther away (R152)."""
    assert windy(cast(SEA, "mage=M spell=fair_wind target=S", die).state) == who


@pytest.mark.parametrize(
    ("die", "blocked", "left"),
    [
        (1, [], "FKMSW"),
        (2, [], "FKMSW"),
        (3, ["K", "S"], "FKMSW"),
        (4, ["K", "S"], "FKMSW"),
        (5, ["K", "S"], "FKMSW"),
        (6, [], "FMW"),
    ],
)
def test_R164_R152_storm(die: int, blocked: list[str], left: str) -> None:
    state = cast(SEA, "mage=M spell=storm cell=З11", die).state
    assert (asleep(state), "".join(alive(state))) == (blocked, left)


@pytest.mark.parametrize(
    ("die", "mage", "lair"),
    [(1, False, "home"), (2, False, "home"), (3, True, "home"), (4, True, "home"), (5, True, "dead"), (6, True, "tamed")],
)
def test_R165_E26_call_dragon(die: int, mage: bool, lair: str) -> None:
    state = cast(("unit M mage aelin У11 school=plains",), "mage=M spell=call_dragon", die).state
    assert ("M" in state.units, state.lairs["У11"].state) == (mage, lair)


@pytest.mark.parametrize("die", range(1, 7))
def test_R167_dispel_dragon(die: int) -> None:
    lines = (
        "unit M mage aelin С7 school=plains",
        "unit N mage ghash Ф10 school=dead",
        "unit dragon_У11 dragon ghash С8 controller=N",
    )
    dragon = cast(lines, "mage=M spell=dispel_dragon target=dragon_У11", die).state.units["dragon_У11"]
    assert (dragon.owner, dragon.fly_after) == ((None, "ghash") if die >= 5 else ("ghash", None))


@pytest.mark.parametrize("die", range(1, 7))
def test_R162_R154_gift_of_freedom(die: int) -> None:
    """One zombie controlled takes one from the die (R154): a two already is a one."""
    lines = ("unit N mage aelin Р7 school=dead", "unit Z zombies aelin П7 controller=N")
    assert ("Z" in cast(lines, "mage=N spell=gift_of_freedom", die).state.units) is (die <= 2)


FOG = (
    "unit M mage aelin Ж5 school=plains",
    "unit K1 orcs ghash Ж7",
    "unit K2 orcs ghash Ж8 mithril",
    "unit K3 orcs aelin З8",
    "unit W mage ghash Е7 school=desert",
    "unit K4 orcs ghash К7",
)


@pytest.mark.parametrize(("die", "who"), [(1, []), (2, []), (3, ["K1"]), (4, ["K1"]), (5, ["K1"]), (6, ["K1", "K3"])])
def test_R168_R152_sleep_fog(die: int, who: list[str]) -> None:
    assert asleep(cast(FOG, "mage=M spell=sleep_fog target=K1", die).state) == who


@pytest.mark.parametrize(("die", "squads"), [(1, 2), (2, 2), (3, 3), (4, 3), (5, 3), (6, 4)])
def test_R169_ghost_warrior(die: int, squads: int) -> None:
    lines = ("unit M mage aelin Н7 school=plains", "unit E elves aelin О7", "unit K orcs ghash П7")
    teller = cast(lines, "mage=M spell=ghost_warrior target=E", die)
    teller.play(("> aelin: attack unit=E target=K", "portion", "close turn"))
    battle = teller.state.battles[0]
    assert squads_of(teller.state, battle, "unit:E") == squads


@pytest.mark.parametrize(
    ("die", "house", "outpost", "mine"),
    [
        (1, "castle", "outpost", "mine_gold"),
        (2, "castle", "outpost", "mine_gold"),
        (3, "manor", None, "mine_silver"),
        (4, "manor", None, "mine_silver"),
        (5, "manor", None, "mine_silver"),
        (6, "tower", None, None),
    ],
)
def test_R170_earthquake(die: int, house: str, outpost: str | None, mine: str | None) -> None:
    for kind, after in (("castle", house), ("outpost", outpost), ("mine_gold", mine)):
        cell = "И3" if kind.startswith("mine") else "Р10"
        mage = "К4" if kind.startswith("mine") else "С8"
        lines = (f"unit M mage aelin {mage} school=plains", f"building {cell} {kind} ghash")
        building = cast(lines, f"mage=M spell=earthquake cell={cell}", die).state.buildings.get(cell)
        assert (building.type if building else None) == after


@pytest.mark.parametrize(
    ("die", "with_plus"), [(1, ""), (2, ""), (3, "attack"), (4, "attack"), (5, "attack"), (6, "attack shoot")]
)
def test_R171_enchanted_weapon(die: int, with_plus: str) -> None:
    lines = ("unit M mage aelin Н7 school=plains", "unit E elves aelin О7", "unit K orcs ghash П7")
    teller = cast(lines, "mage=M spell=enchanted_weapon target=E actions=attack,shoot", die)
    teller.play(("> aelin: attack unit=E target=K", "portion", "close turn"))
    g, battle = teller.state, teller.state.battles[0]
    plus = [card for card in ("attack", "defend", "shoot") if advantage(g, battle, "unit:E", card)]
    assert " ".join(plus) == with_plus


@pytest.mark.parametrize(("die", "first", "second"), [(1, 0, 0), (2, 0, 0), (3, 1, 0), (4, 1, 0), (5, 1, 0), (6, 1, 1)])
def test_R172_rage_shield(die: int, first: int, second: int) -> None:
    """Advantage with every card; three to five for one battle, six for the whole круг."""
    lines = (
        "unit M mage aelin Н7 school=forest",
        "unit E knights aelin О7",
        "unit K orcs ghash П7",
        "unit L orcs thorgrim П8",
    )
    teller = cast(lines, "mage=M spell=rage_shield target=E", die)
    cards = ["> ghash: default_cards all=true cards=shoot", "> thorgrim: default_cards all=true cards=shoot"]
    attacks = ["> ghash: attack unit=K target=E", "> thorgrim: attack unit=L target=E"]
    teller.play((*cards, *attacks, "> aelin: default_cards all=true cards=attack", "close"))
    battles = [e.data for e in teller.events if e.kind == "battle"]
    assert [all(s[2] for s in b["squads"]["defenders"]) for b in battles] == [bool(first), bool(second)]


@pytest.mark.parametrize(
    ("die", "mithril", "silver"),
    [(1, None, None), (2, None, None), (3, None, None), (4, "silver", "silver"), (5, "gold", "silver"), (6, "mithril", "silver")],
)
def test_R173_find_vein(die: int, mithril: str | None, silver: str | None) -> None:
    for cell, found in (("И3", mithril), ("В8", silver)):
        state = cast((f"unit M mage aelin {cell} school=forest",), "mage=M spell=find_vein", die).state
        assert state.veins.get(cell) == found


@pytest.mark.parametrize(("die", "who"), [(1, []), (2, []), (3, ["E"]), (4, ["E"]), (5, ["E"]), (6, ["E", "K"])])
def test_R174_tireless_water(die: int, who: list[str]) -> None:
    lines = (
        "unit M mage aelin Г6 school=forest",
        "unit E elves aelin Г5",
        "unit K orcs ghash Д5",
        "unit W mage ghash В5 school=desert",
        "unit P knights ghash З5",
    )
    g = cast(lines, "mage=M spell=tireless_water target=E", die).state
    assert sorted(u.id for u in g.units.values() if allowance(g, u, water=False) == 5) == who


@pytest.mark.parametrize(("die", "now", "later"), [(1, 3, 3), (2, 3, 3), (3, 0, 3), (4, 0, 3), (5, 0, 3), (6, 0, 0)])
def test_R175_R153_safe_road(die: int, now: int, later: int) -> None:
    teller = cast(("unit M mage aelin Ж7 school=forest",), "mage=M spell=safe_road player=ghash", die)
    send = "> ghash: send_money to=thorgrim amount=12"
    taxes: list[Any] = []
    for end in ("portion", "close"):
        teller.play((send, "portion"))
        taxes += [e.data["tax"] for e in teller.events if e.kind == "money_sent"]
        if end == "close":
            break
        teller.play(("close",))
    assert taxes == [now, later]


RAISED = {
    1: [],
    2: [("u1", "П6")],
    3: [("u1", "П6")],
    4: [("u1", "П6"), ("u2", "П6")],
    5: [("u1", "П6"), ("u2", "П6"), ("u3", "Р5")],
    6: [("u1", "П6"), ("u2", "П6"), ("u3", "Р5")],
}


@pytest.mark.parametrize("die", RAISED)
def test_R176_R40_R150_E28_raise_zombies(die: int) -> None:
    lines = ("unit N mage aelin Р6 school=dead", "building П5 outpost ghash")
    g = cast(lines, "mage=N spell=raise_zombies cell=П6", die).state
    found = sorted((u.id, u.cell) for u in g.units.values() if u.type == "zombies")
    assert found == RAISED[die]
    assert all(u.controller == "N" and u.blocked is not None for u in g.units.values() if u.type == "zombies")


@pytest.mark.parametrize(("die", "gone"), [(1, 0), (2, 1), (3, 1), (4, 2), (5, 3), (6, 3)])
def test_R177_R150_turn_to_dust(die: int, gone: int) -> None:
    lines = (
        "unit N mage aelin Р7 school=dead",
        "unit Z1 zombies ghash П7",
        "unit Z2 zombies ghash П7",
        "unit Z3 zombies ghash С7",
        "unit Z4 zombies ghash С6",
    )
    g = cast(lines, "mage=N spell=turn_to_dust targets=Z3,Z1,Z4,Z2", die).state
    assert [z for z in ("Z3", "Z1", "Z4", "Z2") if z not in g.units] == ["Z3", "Z1", "Z4", "Z2"][:gone]


@pytest.mark.parametrize(("die", "lost"), [(1, 3), (2, 4), (3, 5), (4, 7), (5, 13), (6, 13)])
def test_R178_R31_R150_E41_road_troubles(die: int, lost: int) -> None:
    teller = cast(("unit N mage ghash С8 school=dead",), "mage=N spell=road_troubles player=aelin", die, "ghash")
    teller.play(("> aelin: send_money to=thorgrim amount=13", "portion"))
    assert [(e.data["tax"], e.data["received"]) for e in teller.events if e.kind == "money_sent"] == [(lost, 13 - lost)]


def test_R178_the_latest_of_the_two_spells_on_a_player_counts() -> None:
    lines = ("unit N mage ghash С8 school=dead", "unit M mage ghash С7 school=dead")
    teller = cast(lines, "mage=N spell=road_troubles player=aelin", 6, "ghash")
    assert transfer_tax(teller.state, "aelin") == 1
    teller.play(("> ghash: cast mage=M spell=safe_road player=aelin", "dice 6", "portion"))
    assert transfer_tax(teller.state, "aelin") == 0
    assert len([e for e in teller.state.effects if e.player == "aelin"]) == 1


OUT_OF_RANGE: dict[str, tuple[Callable[[str], str], int]] = {
    "fair_wind": (lambda t: f"target={t}", 3),
    "sleep_fog": (lambda t: f"target={t}", 6),
    "ghost_warrior": (lambda t: f"target={t}", 3),
    "enchanted_weapon": (lambda t: f"target={t} actions=attack", 3),
    "rage_shield": (lambda t: f"target={t}", 3),
    "tireless_water": (lambda t: f"target={t}", 3),
}


@pytest.mark.parametrize("spell", OUT_OF_RANGE)
def test_R156_R157_range_is_exact_and_a_refusal_costs_nothing(spell: str) -> None:
    words, reach = OUT_OF_RANGE[spell]
    row = "12" if spell == "fair_wind" else "9"
    columns = "ЖЗИКЛМНОПРСТУ"
    base = columns.index("Ж")
    near, far = (f"{columns[base + n]}{row}" for n in (reach, reach + 1))
    teller = Teller()
    teller.play(
        (
            "bare",
            "turn aelin",
            "nobuilding З10",
            f"unit M mage aelin Ж{row} school=plains",
            f"unit A ship ghash {near}" if row == "12" else f"unit A orcs ghash {near}",
            f"unit B ship ghash {far}" if row == "12" else f"unit B orcs ghash {far}",
            f"> aelin: cast mage=M spell={spell} {words('B')}",
            "portion",
            "refused aelin out_of_range",
            "= M.blocked null",
            f"> aelin: cast mage=M spell={spell} {words('A')}",
            "dice 1",
            "portion",
            "noevent refused",
        )
    )
    assert teller.state.units["M"].blocked is not None
