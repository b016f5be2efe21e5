"""Speed of reading orders: lines/s and memory against an Earley grammar of the same commands, start, hostile posts.

The peer is what a program of this kind would use: a Lark grammar, Earley with the dynamic lexer, names as stems; no typos, no
free word order, no questions. It reads only the strict phrasing of `strict_lines`; our engine reads the same lines and real
posts. Times are processor seconds; ratios are printed and asserted in the same run."""

from __future__ import annotations

import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import Any

import pytest
from lark import Lark, Transformer

from forum_gm.understand import audience_of, post_text, understand_view
from rules import registry
from rules.base import View
from tests.corpus.scoring import HERE, load, score

RULES = registry.get("astral")
LINES_GOAL = 300
START_GOAL = 1.5
HOSTILE_GOAL = 5.0

GRAMMAR = r"""
start: order ("." order)* "."?
?order: attack | defence | vote | reserve | gift
attack: ATTACK target "," number ENERGY ":" tactic
tactic: TROOP number "," MAGIC number "," HERO
target: SHARD_NO | SHARD
defence: DEFENCE "+"? number ENERGY?
vote: VOTE RUNE
reserve: RESERVE "на" ORDINAL "атаку" "—"? number ENERGY?
gift: GIVE OWNER number ENERGY?
number: INT | WORD_NUMBER
ATTACK: /атакую|атака|беру|нападаю на|штурмую/i
DEFENCE: /в защиту|защита|деф|в оборону/i
VOTE: /голосую за|голос за|голос:/i
RESERVE: /резерв/i
GIVE: /передаю|отдаю|перевожу/i
ENERGY: /энергии|энергий|эн|э/i
ORDINAL: /первую|вторую|третью|[123]-ю/i
WORD_NUMBER: /один|два|три|четыре|пять|шесть|семь|восемь|девять|десять/i
%import common.INT
%ignore /\s+/
"""
WORDS = ["ноль", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять"]
ORDINALS = {"первую": 1, "вторую": 2, "третью": 3, "1-ю": 1, "2-ю": 2, "3-ю": 3}


@cache
def view() -> View:
    return RULES.view(RULES.new_game(RULES.load_scenario(None)), audience_of("kael"))


def stems(names: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """Patterns of names by identifier: each word may end as it likes."""

    def word(text: str) -> str:
        return text if len(text) < 4 else f"{text[: max(3, len(text) - 2)]}[а-яё]*"

    return {ident: "|".join(r"\s+".join(map(word, name.lower().split())) for name in said) for ident, said in names.items()}


@cache
def names() -> dict[str, dict[str, str]]:
    game, catalog = view().game, view().catalog
    kinds: dict[str, dict[str, tuple[str, ...]]] = {
        "SHARD": {i: (s.name,) for i, s in game.shards.items() if s.number},
        "OWNER": {i: (o.name,) for i, o in game.owners.items()},
        "RUNE": {i: (r.name_ru.removeprefix("Руна "),) for i, r in catalog.runes.items()},
    }
    for slot in ("troop", "magic", "hero"):
        kinds[slot.upper()] = {i: (u.name_ru,) for i, u in catalog.units.items() if u.slot == slot}
    return {kind: stems(words) for kind, words in kinds.items()}


@cache
def earley() -> Lark:
    """The peer's parser."""
    return Lark(GRAMMAR + terminals(), parser="earley")


def terminals() -> str:
    """The names as terminals of the grammar."""
    lines = [f"{kind}: /{'|'.join(f'(?:{p})' for p in patterns.values())}/i" for kind, patterns in names().items()]
    return "\n".join([*lines, r"SHARD_NO: /\d\d\d/"])


class Commands(Transformer):  # type: ignore[type-arg]
    """The peer's tree as our commands."""

    def __default_token__(self, token: Any) -> Any:
        for ident, pattern in names().get(token.type, {}).items():
            if re.fullmatch(pattern, token.lower()):
                return ident
        return str(token)

    def number(self, children: list[str]) -> int:
        return WORDS.index(children[0].lower()) if children[0].lower() in WORDS else int(children[0])

    def target(self, children: list[str]) -> str:
        return f"n{children[0]}" if children[0].isdigit() else children[0]

    def tactic(self, children: list[Any]) -> dict[str, Any]:
        return dict(zip(("troop", "troop_energy", "magic", "magic_energy", "hero"), children, strict=True))

    def attack(self, children: list[Any]) -> dict[str, Any]:
        return {"type": "attack_neutral", "shard": children[1], "energy": children[2], **children[4]}

    def defence(self, children: list[Any]) -> dict[str, Any]:
        return {"type": "invest_defence", "energy": children[1]}

    def vote(self, children: list[Any]) -> dict[str, Any]:
        return {"type": "vote_rune", "rune": children[1]}

    def reserve(self, children: list[Any]) -> dict[str, Any]:
        return {"type": "set_reserve", "attack_no": ORDINALS[children[1].lower()], "energy": children[2]}

    def gift(self, children: list[Any]) -> dict[str, Any]:
        return {"type": "transfer_energy", "to": children[1], "amount": children[2]}

    def prose(self, children: list[Any]) -> None:
        return None

    def start(self, children: list[Any]) -> list[dict[str, Any]]:
        return [child for child in children if child is not None]


PROSE = [
    "Привет всем, извините за молчание!",
    "Князь долго смотрел на карту, потом махнул рукой.",
    "Удачи соседям, увидимся на полях.",
]
"""What players write between orders; our engine always expects it."""


@cache
def tolerant() -> Lark:
    """The peer with a rule for everything else: words that are no order."""
    grammar = GRAMMAR.replace(
        'start: order ("." order)* "."?', 'start: (order "."? | prose)*\nprose.-10: OTHER\nOTHER.-10: /\\S+/'
    )
    return Lark(grammar + terminals(), parser="earley")


def strict_lines() -> list[str]:
    """What both read: five kinds of orders in the grammar's own phrasing."""
    return [
        "Атакую Болото Утопленников, 8 энергии: пехота 4, некромантия 4, воин.",
        "Беру 004, 4э: пехота 2, стихийная 2, командир.",
        "Нападаю на Тихую Заводь, 10э: лучники 5, стихийная 5, волшебник.",
        "Защита +3э.",
        "В оборону пять энергий.",
        "Голосую за Изобилие.",
        "Деф +1э.",
        "Резерв на первую атаку — 3э.",
        "Передаю Аскольду 3э.",
        "Отдаю Тишине два энергии.",
    ]


def ours(text: str) -> list[dict[str, Any]]:
    """The commands of a post by our engine, checked by the rules as always."""
    return [dict(r.command) for r in understand_view(RULES, view(), None, post_text(text, "bbcode")).readings]


def theirs(text: str) -> list[dict[str, Any]]:
    """The commands of a post by the peer; no rules are checked."""
    return Commands().transform(earley().parse(text))  # type: ignore[no-any-return]


def cost(run: Callable[[], object], repeats: int = 3) -> float:
    """Processor seconds: the best of some runs."""
    best = float("inf")
    for _ in range(repeats):
        start = process_time()
        run()
        best = min(best, process_time() - start)
    return best


def peak(run: Callable[[], object]) -> float:
    """Megabytes that a run takes at most."""
    tracemalloc.start()
    run()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def in_prose(text: str) -> list[dict[str, Any]]:
    """The commands of a post by the tolerant peer."""
    return Commands().transform(tolerant().parse(text))  # type: ignore[no-any-return]


def rates(read: Callable[[str], object], lines: list[str]) -> tuple[float, float, float]:
    """Lines a second line by line and in one post, and the megabytes of that post at most."""
    whole = "\n".join(lines)
    for line in lines:
        read(line)
    apart = len(lines) / cost(lambda: [read(line) for line in lines])
    return apart, len(lines) / cost(lambda: read(whole)), peak(lambda: read(whole))


def told(name: str, figures: tuple[float, float, float]) -> str:
    return f"  {name:34} {figures[0]:10.0f} {figures[1]:12.0f} {figures[2]:9.1f} MB"


def test_against_an_earley_grammar(benchmark, capsys):  # type: ignore[no-untyped-def]
    lines = strict_lines()
    for line in lines:
        assert ours(line) == theirs(line), line
    spoken = [line for i, order in enumerate(lines) for line in (order, PROSE[i % len(PROSE)])]
    mine, mine_spoken = rates(ours, lines), rates(ours, spoken)
    peer, peer_spoken = rates(theirs, lines), rates(in_prose, spoken)
    wanted = [command for line in lines for command in theirs(line)]
    right = [sum(command in wanted for command in read("\n".join(spoken))) for read in (ours, in_prose)]
    benchmark.pedantic(lambda: ours("\n".join(lines)), rounds=3)
    with capsys.disabled():
        print("\nlines/s                             line by line   in a post    peak memory")
        print(told("this engine, bare orders", mine))
        print(told("Lark, Earley, bare orders", peer))
        print(told("this engine, orders among prose", mine_spoken))
        print(told("Lark, Earley, orders among prose", peer_spoken))
        for name, one, other in (("bare", mine, peer), ("among prose", mine_spoken, peer_spoken)):
            print(f"  {name}: ×{one[1] / other[1]:.2f} of the peer's speed, ×{one[2] / other[2]:.2f} of its memory")
        print(f"  orders found among prose: {right[0]} and {right[1]} of {len(wanted)}")
    assert mine[1] >= LINES_GOAL
    assert right[0] == len(wanted)
    assert mine_spoken[1] > peer_spoken[1]


@pytest.mark.parametrize("name", ["astral", "astral_own", "astral_voices"])
def test_real_posts(name, benchmark, capsys):  # type: ignore[no-untyped-def]
    posts = load(HERE / f"{name}.toml")
    result = benchmark.pedantic(lambda: score("astral", posts), rounds=2)
    speed = result.lines / result.seconds
    with capsys.disabled():
        print(f"\n{name}: {speed:.0f} lines/s, {1000 * result.seconds / result.posts:.1f} ms a post, read and checked")
    assert speed >= LINES_GOAL


def test_start(benchmark, capsys):  # type: ignore[no-untyped-def]
    """A whole process of `forum-gm parse`, from nothing to its answer."""
    call = [str(Path(sys.executable).with_name("forum-gm")), "parse", "--ruleset", "astral", "--as", "kael", "--json", "-"]
    before = getrusage(RUSAGE_CHILDREN)
    benchmark.pedantic(
        lambda: subprocess.run(call, input="Защита +3э", capture_output=True, text=True, check=True), rounds=3, iterations=1
    )
    after = getrusage(RUSAGE_CHILDREN)
    taken = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 3
    with capsys.disabled():
        print(f"\nstart to answer: {taken:.2f} s of processor, {after.ru_maxrss / 1024:.0f} MB at most")
    assert taken <= START_GOAL


HOSTILE = {
    "orders": "[b]Атакую 011, 5э: пехота 3[/b], некра 2, воин; если да, то нет. \n",
    "one line of orders": "атакую 000 пехота 5э некра 4 каэль ",
    "opening tags": "[quote][b][i]",
    "names of people": '[quote="Каэль"]',
    "one word": "ы",
    "signs": ",.;!«»—",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_megabyte_of_malice(kind, benchmark, capsys):  # type: ignore[no-untyped-def]
    """Linear: four times the text, about four times the time (or less: only the longest post that a board allows is read)."""

    def text(size: int) -> str:
        return (HOSTILE[kind] * (size // len(HOSTILE[kind]) + 1))[:size]

    sizes = (15_000, 60_000, 250_000, 1_000_000)
    taken = [cost(lambda size=size: ours(text(size)), 1) for size in sizes]  # type: ignore[misc]
    benchmark.pedantic(lambda: ours(text(15_000)), rounds=1)
    with capsys.disabled():
        print(f"\n{kind}: " + ", ".join(f"{size // 1000} kB {seconds:.2f} s" for size, seconds in zip(sizes, taken, strict=True)))
    assert taken[-1] <= HOSTILE_GOAL
    assert taken[1] <= 4 * 1.6 * taken[0] + 0.1
    assert taken[3] <= 4 * 1.6 * taken[2] + 0.1
