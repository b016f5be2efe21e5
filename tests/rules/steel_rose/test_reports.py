"""What the reports tell of battles, and to whom: course, odds, blows, the map's arrows (R24, R100, R101, §4.6)."""

from __future__ import annotations

import datetime as dt
import html
import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from pypdf import PdfReader

from renderers import Board, DigestMeta, render_digest, render_html, render_posts
from rules.base import EVERYONE, GM_ONLY, Audience, Event, Step, only, visible
from rules.report import Block, Bullets, Lines, Paragraph, Report, Rich, Rule, Section, Table
from rules.steel_rose import RULESET
from rules.steel_rose.data import plural
from rules.steel_rose.retelling import fought, odds
from rules.steel_rose.wording import texts

SIDES = {"empire": "A", "principality": "B"}


def words(rich: Rich) -> str:
    return "".join(p if isinstance(p, str) else f"[{p.rule}]" if isinstance(p, Rule) else p.text for p in rich)


def lines_of(blocks: tuple[Block, ...]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Section):
            yield block.title
            yield from lines_of(block.blocks)
        elif isinstance(block, Paragraph):
            yield words(block.text)
        elif isinstance(block, Bullets):
            yield from map(words, block.items)
        elif isinstance(block, Lines):
            yield from map(words, block.lines)
        elif isinstance(block, Table):
            for row in block.rows:
                yield " | ".join(map(words, row))


def everything(report: Report) -> list[str]:
    return list(lines_of((*report.summary, *report.sections)))


def sections(blocks: tuple[Block, ...]) -> Iterator[Section]:
    for block in blocks:
        if isinstance(block, Section):
            yield block
            yield from sections(block.blocks)


def section(report: Report, wanted: str) -> Section:
    return next(s for s in sections(report.sections) if s.id == wanted)


class Turn:
    """The Empire attacks Holmgard, the Principality's small city, and is asked what to do with it."""

    def __init__(self, game: Any) -> None:
        game.faction("empire", units={"spearman": 20, "archer": 8, "knight": 3})
        game.faction("principality", res=500)
        game.city("holmgard", level=2, buildings=["loopholed_walls"])
        self.game = game
        self.steps: list[tuple[Step, list[Event], Any]] = []
        self.close({"empire": [{"type": "army_order", "order": "attack", "city": "holmgard"}]})
        self.close(
            {
                "empire": [
                    {
                        "type": "deploy",
                        "battle": "holmgard",
                        "positions": {"CV": {"spearman": 20}, "CR": {"archer": 8}, "LV": {"knight": 3}},
                    }
                ]
            }
        )
        order = {"type": "maneuver", "battle": "holmgard"}
        self.close(
            {
                "empire": [order | {"position": "LV", "maneuver": "charge", "target": "CR"}],
                "principality": [order | {"position": "CR", "maneuver": "bombard", "target": "CV"}],
            }
        )
        assert game.state.phase == "capture"

    def close(self, orders: Any) -> None:
        step = RULESET.step(self.game.state)
        assert step is not None
        events = self.game.close(orders)
        self.steps.append((step, events, self.game.state))

    def report(self, reader: Audience, at: int = -1) -> Report:
        step, events, state = self.steps[at]
        return RULESET.report(RULESET.view(state, reader), visible(events, reader), step=step)

    @property
    def protocol(self) -> dict[str, Any]:
        return next(dict(e.data) for e in self.steps[2][1] if e.kind == "battle" and e.detail == 1)


@pytest.fixture
def turn(game: Any) -> Turn:
    return Turn(game)


def test_a_battle_is_fought_again_from_its_event_R160(turn: Turn) -> None:
    protocol = json.loads(json.dumps(turn.protocol))
    result = fought(turn.game.state, protocol)
    assert result is not None
    assert {None: None, 0: "A", 1: "B"}[result.winner] == protocol["winner"] == "A"
    assert result.rounds == protocol["rounds"]
    for side, key in ((0, "A"), (1, "B")):
        standing = [t.standing for t in result.tally(side)]  # type: ignore[arg-type]
        assert standing == [t["standing"] for t in protocol["losses"][key]]


def test_a_battle_of_other_rules_is_told_without_its_blows(turn: Turn) -> None:
    protocol = turn.protocol
    protocol["rolls"] = protocol["rolls"][:-3]
    assert fought(turn.game.state, protocol) is None
    assert odds(turn.game.state, protocol) is None


def test_random_battles_are_fought_again_R160(campaigns: Any) -> None:
    told = 0
    for _, _, outcome in (step for campaign in campaigns[:1] for step in campaign):
        for event in outcome.events:
            if event.kind == "battle" and "rolls" in event.data:
                result = fought(outcome.state, event.data)
                assert result is not None
                assert [t.dead for side in (0, 1) for t in result.tally(side)] == [  # type: ignore[arg-type]
                    t["dead"] for side in "AB" for t in event.data["losses"][side]
                ]
                told += 1
    assert told > 3


def test_sides_and_gm_read_the_blows_the_public_does_not_R100_R101(turn: Turn) -> None:
    for reader in (only("empire"), only("principality"), GM_ONLY):
        battle = section(turn.report(reader), "battle-holmgard")
        assert any("Натиск: Империя, левый авангард" in line for line in lines_of(battle.blocks))
        blows = section(turn.report(reader), "blows-holmgard")
        assert blows.details
        assert sum(line.startswith(("Нападение: ", "Оборона: ")) for line in lines_of(blows.blocks)) > 40
    for reader in (EVERYONE, only("ogres")):
        assert not [s.id for s in sections(turn.report(reader).sections) if "holmgard" in s.id]


def test_every_death_stands_in_the_blows_R2(turn: Turn) -> None:
    lines = list(lines_of(section(turn.report(GM_ONLY), "blows-holmgard").blocks))
    told = sum(line.endswith(", убит") for line in lines)
    told += sum(len(re.findall(r"\d+", line.split("—")[1])) for line in lines if "гибель" in line and "—" in line)
    assert told == sum(t["fielded"] - t["standing"] for side in "AB" for t in turn.protocol["losses"][side])


def test_walls_of_the_enemy_are_not_named_R101_R112(turn: Turn) -> None:
    def told(reader: Audience) -> str:
        return "\n".join(lines_of(section(turn.report(reader), "blows-holmgard").blocks))

    assert "стены +25 %" in told(only("principality"))
    assert "стены +25 %" in told(GM_ONLY)
    assert "стены" not in told(only("empire"))
    assert "[R112]" not in told(only("empire"))
    assert "тайное преимущество +25 %" in told(only("empire"))


def test_odds_are_told_to_the_sides_from_their_own_point_of_view(turn: Turn) -> None:
    known = odds(turn.game.state, turn.protocol)
    assert known is not None
    assert odds(turn.game.state, turn.protocol) == known
    ours, theirs = round(100 * known.attacker), round(100 * known.defender)

    def told(reader: Audience) -> list[str]:
        return [line for line in everything(turn.report(reader)) if line.startswith("Шансы")]

    assert told(only("empire"))[0].startswith(f"Шансы были {ours} : {theirs} (Империя — Княжество стальной розы), вышло на ")
    assert told(only("principality"))[0].startswith(f"Шансы были {theirs} : {ours} (Княжество стальной розы — Империя)")
    assert told(GM_ONLY) == told(only("empire"))
    assert told(EVERYONE) == told(only("elves")) == []
    first, second = (int(re.search(r"на (\d+)-й", told(only(f))[0])[1]) for f in SIDES)  # type: ignore[index]
    assert abs(first + second - 100) <= 1


@pytest.mark.parametrize("reader", [only("empire"), GM_ONLY], ids=["the side", "the game master"])
def test_odds_stand_in_the_post_on_the_desk_and_in_the_pdf(turn: Turn, reader: Audience) -> None:
    report = turn.report(reader)
    said = next(line for line in everything(report) if line.startswith("Шансы"))
    post = "\n".join(p.text for p in render_posts(report, Board(), rule_text=RULESET.rule_text))
    desk = html.unescape(render_html(report, rule_text=RULESET.rule_text))
    pdf = render_digest(report, [], DigestMeta("Игра", RULESET.title, dt.date(2026, 1, 1)), rule_text=RULESET.rule_text)
    printed = " ".join(" ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages).split())
    assert said in post
    assert said in desk
    assert said.replace(" ", "") in printed.replace(" ", "").replace("\u00a0", "")


def test_odds_of_a_sure_victory(game: Any) -> None:
    game.faction("empire", units={"paladin": 60})
    turn = game.play({"empire": [{"type": "army_order", "order": "attack", "city": "holmgard", "on_capture": "colonize"}]})
    protocol = next(e.data for e in turn if e.kind == "battle" and e.detail == 1)
    known = odds(game.state, protocol)
    assert known is not None
    assert known.attacker == 1.0
    assert 0 <= known.percentile <= 100


def test_blows_in_a_post_are_cut_with_their_number_and_whole_elsewhere(turn: Turn) -> None:
    report = turn.report(only("empire"))
    blows = section(report, "blows-holmgard")
    whole = [block for s in sections(blows.blocks) for block in s.blocks if isinstance(block, Lines)]
    total = sum(len(block.lines) for block in whole)
    shown = sum(block.post_limit or 0 for block in whole)
    assert shown == min(total, 200)
    assert blows.title == f"Удар за ударом: {total} {plural(total, tuple(texts()['blows']['lines']))}"
    text = "\n".join(post.text for post in render_posts(report, Board(spoiler="[spoiler={title}]")))
    left = sum(map(int, re.findall(r"ещё строк: (\d+)", text)))
    assert left == total - shown


def test_the_story_joins_a_battle_and_the_fate_of_its_city_R100(turn: Turn) -> None:
    turn.close({"empire": [{"type": "capture_choice", "battle": "holmgard", "choice": "plunder"}]})
    public = [line for line in everything(turn.report(EVERYONE)) if "Хольмгард" in line]
    told = "Бой за город Хольмгард: нападение — Империя, оборона — Княжество стальной розы. Победили нападающие: Империя."
    assert public == [f"{told} [R73] Город разграблен. [R96]"]


def test_arrows_are_known_to_the_sides_at_once_and_to_all_after_the_battle_R100(turn: Turn) -> None:
    def arrows(reader: Audience, at: int) -> list[tuple[Any, Any, str]]:
        return [(a.start, a.end, a.result) for a in RULESET.map(RULESET.view(turn.steps[at][2], reader)).arrows]

    turn.close({"empire": [{"type": "capture_choice", "battle": "holmgard", "choice": "plunder"}]})
    start = turn.game.state.marches[0].start
    assert start in {c for road in turn.game.state.roads if "holmgard" in road for c in road}
    for side in SIDES:
        assert arrows(only(side), 0) == [(start, "holmgard", "")]
        assert arrows(only(side), 2) == [(start, "holmgard", "won")]
    for stranger in (EVERYONE, only("ogres")):
        assert arrows(stranger, 0) == arrows(stranger, 2) == []
        assert arrows(stranger, 3) == [(start, "holmgard", "won")]
    assert arrows(GM_ONLY, 0) == [(start, "holmgard", "")]
    turn.close({})
    assert arrows(EVERYONE, 4) == []


def amount(text: str) -> Fraction:
    return Fraction(text.replace("−", "-").replace(",", ".") or "0")


def test_every_ledger_adds_up_as_it_is_printed_R83(campaigns: Any) -> None:
    tables = 0
    for _, step, outcome in (step for campaign in campaigns[:1] for step in campaign):
        if step.kind == "deployment":
            continue
        report = RULESET.report(RULESET.view(outcome.state, GM_ONLY), visible(outcome.events, GM_ONLY), step=step)
        for part in sections(report.sections):
            if part.id.startswith("ledger-"):
                (table,) = (block for block in part.blocks if isinstance(block, Table))
                for column in (1, 2):
                    figures = [amount(words(row[column])) for row in table.rows]
                    assert table.total is not None
                    assert sum(figures) == amount(words(table.total[column])), part.id
                tables += 1
    assert tables > 20


def test_the_gm_reads_whose_affairs_they_are(game: Any) -> None:
    game.close(
        {
            "empire": [
                {"type": "hire", "unit": "knight", "count": 1},
                {"type": "build", "city": "altengrad", "building": "barracks"},
            ],
            "elves": [{"type": "cast_spell", "spell": "divination", "faction": "ogres"}],
        }
    )
    step = RULESET.step(game.state)
    assert step is not None
    told = everything(RULESET.report(RULESET.view(game.state, GM_ONLY), visible(game.events, GM_ONLY), step=step))
    assert "Дела: Империя" in told
    assert any(line.startswith("Империя: Рыцарь") for line in told)
    assert any(line.startswith("Прорицание: Огры — ") and ", мясо " in line for line in told)
    assert "Казна: Благословлённые небом" in told


def test_an_attack_out_of_ruins_starts_there_R89(game: Any) -> None:
    game.city("bely_brod", ruin=True, level=1, buildings=[], garrison={})
    game.faction("empire", units={"spearman": 10})
    game.close({"empire": [{"type": "army_order", "order": "attack", "city": "holmgard"}]})
    (arrow,) = RULESET.map(RULESET.view(game.state, only("empire"))).arrows
    assert (arrow.start, arrow.end) == ("bely_brod", "holmgard")


def test_an_attack_on_the_mobile_city_ends_on_its_road_R146(game: Any) -> None:
    game.faction("empire", units={"spearman": 10})
    game.state.mobile_city.road = ("altengrad", "kronvik")
    game.close({"empire": [{"type": "army_order", "order": "attack", "city": "mobile_city"}]})
    (arrow,) = RULESET.map(RULESET.view(game.state, only("empire"))).arrows
    assert (arrow.start, arrow.end) == ("altengrad", ("altengrad", "kronvik"))


def test_the_camp_does_not_show_by_an_arrow_R101_R128(game: Any) -> None:
    for city in game.state.owned("cult"):
        game.city(city, owner=None, ruin=True, level=1, buildings=[], garrison={})
    game.state.camp = ("kronvik", "morven")
    game.faction("cult", units={"cultist": 5})
    game.close({"cult": [{"type": "army_order", "order": "attack", "city": "kronvik"}]})
    assert [m.attacker for m in game.state.marches] == ["cult"]
    chart = RULESET.map(RULESET.view(game.state, only("empire")))
    assert not chart.arrows
    assert ("Культ пустоты", "kronvik") in [(t.label, t.at) for t in chart.tokens]
