"""The card fight by itself: the worked examples of placing and re-placing, and its invariants."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rules.grand_strategy.combat import BEATS, duel, fight
from rules.grand_strategy.strength import Squad

LETTERS = {"А": "attack", "О": "defend", "С": "shoot"}


def side(prefix: str, text: str) -> list[Squad]:
    return [Squad(f"{prefix}{i}", LETTERS[part[0]], part.endswith("[+]")) for i, part in enumerate(text.split())]


def names(squads: tuple[Squad, ...]) -> list[str]:
    return [s.name for s in squads]


def test_R101_R102_E06_all_36_clashes() -> None:
    count: Counter[str] = Counter()
    for a in LETTERS.values():
        for d in LETTERS.values():
            for plus_a in (False, True):
                for plus_d in (False, True):
                    died = duel(Squad("a", a, plus_a), Squad("d", d, plus_d))
                    count[died] += 1
                    if a != d:
                        assert died == ("D" if BEATS[a] == d else "A")
    assert count == {"both": 6, "A": 15, "D": 15}


def test_R106_R107_E08_defenders_stand_right_to_left() -> None:
    result = fight(side("a", "А О С"), side("d", "А О С"))
    clashes = [(d.attacker.name, d.defender.name, d.died) for d in result.duels if d.round == 1]
    assert clashes == [("a0", "d2", "D"), ("a1", "d1", "both"), ("a2", "d0", "A")]


def test_R106_R107_R108_E09_the_smaller_army_sets_the_row() -> None:
    result = fight(side("a", "А А"), side("d", "О С А"))
    assert [(d.round, d.attacker.name, d.defender.name, d.died) for d in result.duels] == [
        (1, "a0", "d1", "D"),
        (1, "a1", "d0", "A"),
        (2, "a0", "d0", "A"),
    ]
    assert (names(result.attackers), names(result.defenders)) == ([], ["d0", "d2"])


def test_R106_R107_R108_R109_E10_back_row_steps_in() -> None:
    result = fight(side("a", "А О С А"), side("d", "С[+] С О О"))
    assert [(d.round, d.column, d.attacker.name, d.defender.name, d.died) for d in result.duels] == [
        (1, 1, "a0", "d2", "A"),
        (1, 1, "a3", "d2", "A"),
        (1, 2, "a1", "d1", "A"),
        (1, 3, "a2", "d0", "A"),
    ]
    assert names(result.defenders) == ["d0", "d1", "d2", "d3"]


def test_R109_E11_survivors_are_placed_again_with_the_same_cards() -> None:
    keep = fight(side("a", "А О С"), side("d", "А А С"))
    assert [(d.round, d.attacker.name, d.defender.name, d.died) for d in keep.duels] == [
        (1, "a0", "d2", "D"),
        (1, "a1", "d1", "D"),
        (1, "a2", "d0", "A"),
        (2, "a0", "d0", "both"),
    ]
    assert names(keep.attackers) == ["a1"]
    back = fight(side("a", "А О С"), side("d", "А А С"), regroup=("reverse", "keep"))
    assert [(d.attacker.name, d.defender.name, d.died) for d in back.duels][3:] == [("a1", "d0", "D")]
    assert names(back.attackers) == ["a1", "a0"]


squads = st.lists(st.tuples(st.sampled_from(sorted(LETTERS.values())), st.booleans()), min_size=1, max_size=9)


def build(prefix: str, cards: list[tuple[str, bool]], *, plus: bool | None = None) -> list[Squad]:
    return [Squad(f"{prefix}{i}", card, has if plus is None else plus) for i, (card, has) in enumerate(cards)]


@given(squads, squads, st.sampled_from(["keep", "reverse"]), st.sampled_from(["keep", "reverse"]))
def test_R109_R111_fights_end_and_one_side_is_empty(
    a: list[tuple[str, bool]], d: list[tuple[str, bool]], ra: str, rd: str
) -> None:
    result = fight(build("a", a), build("d", d), regroup=(ra, rd))
    assert len(result.duels) <= len(a) + len(d)
    assert not (result.attackers and result.defenders)
    assert set(names(result.attackers)) <= {f"a{i}" for i in range(len(a))}


@given(squads, squads, st.sampled_from(["keep", "reverse"]), st.sampled_from(["keep", "reverse"]))
def test_R107_swapping_sides_mirrors_the_outcome(a: list[tuple[str, bool]], d: list[tuple[str, bool]], ra: str, rd: str) -> None:
    one = fight(build("a", a), build("d", d), regroup=(ra, rd))
    two = fight(build("d", d), build("a", a), regroup=(rd, ra))
    assert names(one.attackers) == names(two.defenders)
    assert names(one.defenders) == names(two.attackers)


@given(squads, squads)
def test_R102_everyone_with_advantage_is_as_nobody(a: list[tuple[str, bool]], d: list[tuple[str, bool]]) -> None:
    none = fight(build("a", a, plus=False), build("d", d, plus=False))
    both = fight(build("a", a, plus=True), build("d", d, plus=True))
    assert [(x.attacker.name, x.defender.name, x.died) for x in none.duels] == [
        (x.attacker.name, x.defender.name, x.died) for x in both.duels
    ]
