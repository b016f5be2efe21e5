"""What the service does at the GM's command, from the desk and from his posts: told in public with its reason (promise 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, Literal
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from forum_gm.config import ReviewPart
from forum_gm.pipeline.approve import approve
from forum_gm.pipeline.context import Context, NotNow
from forum_gm.pipeline.gm_acts import about, enter
from forum_gm.pipeline.publish import publish
from forum_gm.pipeline.resolve import resolve_portion
from forum_gm.pipeline.review import review
from forum_gm.pipeline.verify import verify
from forum_gm.service import tick
from forum_gm.storage.models import Order, OutcomeRow, StepRow
from forum_gm.wording import moment_of
from parsers.text import PostText
from parsers.types import Parse, Reading, Span
from rules.acts import Act, Edit, Reject, Reroll, SetDeadline, Undo
from rules.base import GM_ONLY, Command, CommandTypes, Event, Outcome, Sheet, Step
from rules.dice import Dice
from tests.forum_gm.pipeline import tiny

GM_NAME = "Мастер"


class GmRoll(Command):
    type: Literal["gm_roll"] = "gm_roll"
    by_gm: ClassVar[bool] = True
    event: str = ""
    reason: str = ""

    def act(self) -> Act:
        return Reroll(self.event)


class GmBack(Command):
    type: Literal["gm_back"] = "gm_back"
    by_gm: ClassVar[bool] = True
    to: str
    reason: str = ""

    def act(self) -> Act:
        return Undo(self.to)


class GmUntil(Command):
    type: Literal["gm_until"] = "gm_until"
    by_gm: ClassVar[bool] = True
    when: str
    reason: str = ""

    def act(self) -> Act:
        return SetDeadline(self.when)


class GmNo(Command):
    type: Literal["gm_no"] = "gm_no"
    by_gm: ClassVar[bool] = True
    command: str
    reason: str = ""

    def act(self) -> Act:
        return Reject(self.command)


class GmFix(Command):
    type: Literal["gm_fix"] = "gm_fix"
    by_gm: ClassVar[bool] = True
    command: str
    fields: dict[str, Any]
    reason: str = ""

    def act(self) -> Act:
        return Edit(self.command, self.fields)


class Now(Command):
    type: Literal["now"] = "now"
    at_once: ClassVar[bool] = True


class Language(tiny.TinyLanguage):
    """The tiny language with the GM's «ещё раз: …», «назад …», «срок …», and everybody's «сейчас»."""

    def parse(self, text: PostText) -> Parse:
        read = super().parse(text)
        found: list[Reading] = []
        start = 0
        for line in text.text.splitlines(keepends=True):
            words, span = line.strip(), Span(start, start + len(line))
            start += len(line)
            head, _, tail = words.partition(" ")
            body, _, reason = tail.partition(": ")
            if self.gm and head == "ещё":
                found.append(Reading({"type": "gm_roll", "event": body, "reason": reason}, span))
            elif self.gm and head == "назад":
                found.append(Reading({"type": "gm_back", "to": body, "reason": reason}, span))
            elif self.gm and head == "срок":
                found.append(Reading({"type": "gm_until", "when": body, "reason": reason}, span))
            elif self.gm and head == "нельзя":
                found.append(Reading({"type": "gm_no", "command": body, "reason": reason}, span))
            elif words == "сейчас":
                found.append(Reading({"type": "now"}, span))
        if not found:
            return read
        mine = {(f.span.start, f.span.end) for f in found}
        ignored = tuple(i for i in read.ignored if (i.span.start, i.span.end) not in mine)
        readings = tuple(sorted((*read.readings, *found), key=lambda r: r.span.start))
        return replace(read, readings=readings, ignored=ignored)


class Bigger(tiny.Tiny):
    """The tiny game with commands for the service."""

    commands = CommandTypes([tiny.Take, tiny.Pass, tiny.GmSet, GmRoll, GmBack, GmUntil, GmNo, GmFix, Now])

    def order_language(self, view: Any, kind: str | None) -> Language:
        return Language(view["gm"])

    def step(self, state: Any) -> Step | None:
        step = super().step(state)
        if step is None:
            return None
        return replace(step, waits=tuple(replace(wait, types=(*wait.types, "now")) for wait in step.waits))

    def missing(self, state: Any, sheets: Sequence[Any]) -> list[Any]:
        return []

    def resolve(self, state: Any, sheets: Sequence[Sheet], dice: Dice, *, closing: bool) -> Outcome:
        out = super().resolve(state, sheets, dice, closing=closing)
        if all(points >= 0 for points in out.state["points"].values()):
            return out
        refused = Event("gm_refused", {"message": "Очков меньше нуля не бывает."}, "R1", GM_ONLY)
        return replace(out, events=(*out.events, refused))


def game(folder: Path, **changes: Any) -> tuple[Context, tiny.MemoryBoard]:
    ctx, board = tiny.context(folder, **changes)
    ctx.ruleset = Bigger()
    tick(ctx)
    board.clock.sleep(3600)
    return ctx, board


def close_step(ctx: Context, board: tiny.MemoryBoard) -> None:
    board.clock.sleep(60 * 3600)
    assert tick(ctx).trouble == ""
    board.clock.sleep(60)
    assert tick(ctx).trouble == ""


def points(ctx: Context) -> dict[str, int]:
    with ctx.store.reading() as session:
        return dict(ctx.head(session).state["points"])


def current(ctx: Context) -> StepRow:
    with ctx.store.reading() as session:
        return ctx.step(session, None)


def rolls(ctx: Context) -> list[tuple[int, int, bool]]:
    """(outcome, attempt, undone) of all resolutions."""
    with ctx.store.reading() as session:
        rows = session.scalars(select(OutcomeRow).where(OutcomeRow.number > 0).order_by(OutcomeRow.number))
        return [(row.number, row.attempt, row.undone) for row in rows]


def by_hand(ctx: Context, board: tiny.MemoryBoard, command: dict[str, Any]) -> None:
    enter(ctx, GM_NAME, command)
    assert tick(ctx).trouble == ""


def by_post(ctx: Context, board: tiny.MemoryBoard, command: dict[str, Any]) -> None:
    word = {"gm_roll": "ещё", "gm_back": "назад", "gm_until": "срок", "gm_no": "нельзя"}[command["type"]]
    what = command.get("event") or command.get("to") or command.get("when") or command.get("command")
    board.say("3", f"Коллеги!\n{word} {what}: {command['reason']}")
    assert tick(ctx).trouble == ""


WAYS = pytest.mark.parametrize("way", [by_hand, by_post])


@WAYS
def test_reroll_of_a_told_step_is_a_new_attempt_in_public(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5")
    close_step(ctx, board)
    before = points(ctx)
    assert current(ctx).number == 2
    way(ctx, board, {"type": "gm_roll", "event": "взятие", "reason": "обсчитался"})
    tick(ctx)
    assert current(ctx).number == 2
    assert rolls(ctx) == [(1, 1, True), (2, 2, False)]
    with ctx.store.reading() as session:
        first, second = ctx.outcome(session, 1), ctx.outcome(session, 2)
    assert first.sheets == second.sheets
    assert [d["purpose"] for d in second.draws] == ["взятие, red"]
    assert points(ctx)["red"] == 5 + second.draws[0]["result"]
    assert before["red"] == 5 + first.draws[0]["result"]
    told = [text for text in board.own() if "шаг «Ход 1» пересчитан заново, попытка 2: обсчитался" in text]
    assert len(told) == 1
    assert f"5 + {second.draws[0]['result']}" in told[0]
    assert "Всё сходится" in verify(ctx)


def test_a_posted_act_is_done_once(tmp_path: Path) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5")
    close_step(ctx, board)
    board.say("3", "ещё взятие: обсчитался")
    for _ in range(4):
        assert tick(ctx, reread=True).trouble == ""
    assert rolls(ctx) == [(1, 1, True), (2, 2, False)]
    with ctx.store.reading() as session:
        assert [o.status for o in session.scalars(select(Order).where(Order.issuer == "gm"))] == ["performed"]


@WAYS
def test_reroll_within_the_open_step_keeps_it_open(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5\nсейчас")
    assert tick(ctx).trouble == ""
    assert rolls(ctx) == [(1, 1, False)]
    way(ctx, board, {"type": "gm_roll", "event": "взятия", "reason": "кость упала со стола"})
    assert (current(ctx).status, current(ctx).attempt) == ("open", 2)
    assert rolls(ctx) == [(1, 1, True), (2, 2, False)]
    publish(ctx)
    assert any("попытка 2: кость упала со стола" in text for text in board.own())
    close_step(ctx, board)
    with ctx.store.reading() as session:
        assert [s["commands"] for s in ctx.outcome(session, 3).sheets if s["issuer"] == "red"] in ([], [[]])
    assert "Всё сходится" in verify(ctx)


@WAYS
def test_undo_opens_the_step_anew_with_new_dice(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5")
    close_step(ctx, board)
    close_step(ctx, board)
    old = current(ctx)
    assert old.number == 3
    way(ctx, board, {"type": "gm_back", "to": "Ход 1", "reason": "потеряно сообщение"})
    tick(ctx)
    step = current(ctx)
    assert (step.number, step.status, step.attempt) == (1, "open", 2)
    assert points(ctx) == {"red": 0, "blue": 0}
    assert any("открыт заново, с новыми костями: потеряно сообщение" in text for text in board.own())
    board.say("11", "беру 9")
    close_step(ctx, board)
    assert points(ctx)["blue"] > 9
    assert points(ctx)["red"] > 5
    assert "Всё сходится" in verify(ctx)


@WAYS
def test_undo_of_a_portion_takes_its_orders_back(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5\nсейчас")
    tick(ctx)
    assert points(ctx)["red"] > 5
    way(ctx, board, {"type": "gm_back", "to": "взятие", "reason": "раньше времени"})
    assert points(ctx) == {"red": 0, "blue": 0}
    assert current(ctx).status == "open"
    board.say("10", "беру 2")
    close_step(ctx, board)
    assert 2 < points(ctx)["red"] <= 8
    assert any("исполненное в этом шаге отменено: раньше времени" in text for text in board.own())


@WAYS
def test_deadline_is_set_for_all(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    way(ctx, board, {"type": "gm_until", "when": "воскресенья 21:00", "reason": "праздник"})
    step = current(ctx)
    assert step.deadline == datetime(2026, 3, 8, 18, 0, tzinfo=UTC)
    assert set(step.deadlines.values()) == {"2026-03-08T18:00:00+00:00"}
    close_step(ctx, board)
    assert current(ctx).number == 1
    close_step(ctx, board)
    close_step(ctx, board)
    assert any("назначен срок 8 марта 2026, воскресенье, 21:00 мск: праздник" in text for text in board.own())


def test_a_deadline_that_passed_is_refused_and_told_to_the_gm(tmp_path: Path) -> None:
    ctx, board = game(tmp_path)
    before = current(ctx).deadlines
    with pytest.raises(NotNow, match="уже прошёл"):
        enter(ctx, GM_NAME, {"type": "gm_until", "when": "01.01.2026"})
    with pytest.raises(NotNow, match="Не понял срок «после обеда»"):
        enter(ctx, GM_NAME, {"type": "gm_until", "when": "после обеда"})
    board.say("3", "срок потом: так")
    tick(ctx)
    assert current(ctx).deadlines == before
    assert any("Не понял срок «потом»" in text for _, _, text, _ in review(ctx).notices)


@WAYS
def test_rejected_order_is_told_with_its_reason(tmp_path: Path, way: Any) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "беру 5")
    board.say("11", "беру 6")
    tick(ctx)
    way(ctx, board, {"type": "gm_no", "command": "Красные взять", "reason": "не по правилам"})
    close_step(ctx, board)
    assert points(ctx)["red"] == 0
    assert points(ctx)["blue"] > 6
    assert any("отклонён приказ: Красные: не по правилам" in text for text in board.own())


def test_edited_order_and_names_of_orders(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, review=ReviewPart(approve="gm", publish="auto"))
    board.say("10", "беру 5.\nпас")
    board.say("11", "беру 6")
    tick(ctx)
    with pytest.raises(NotNow, match=r"Подходит несколько приказов. Есть: red:1 — Красные: взять 5; blue:1 — Синие: взять 6"):
        enter(ctx, GM_NAME, {"type": "gm_no", "command": "взять"})
    with pytest.raises(NotNow, match="Не нашёл приказа «дракон»"):
        enter(ctx, GM_NAME, {"type": "gm_no", "command": "дракон"})
    with pytest.raises(NotNow, match="amount"):
        enter(ctx, GM_NAME, {"type": "gm_fix", "command": "red:1", "fields": {"amount": "много"}})
    enter(ctx, GM_NAME, {"type": "gm_fix", "command": "red:1", "fields": {"amount": 3}, "reason": "опечатка"})
    approve(ctx, GM_NAME)
    resolve_portion(ctx, GM_NAME)
    with ctx.store.reading() as session:
        sheets = {s["issuer"]: s["commands"] for s in ctx.outcome(session, 1).sheets}
    assert sheets["red"][0] == {"type": "take", "amount": 3}
    publish(ctx, GM_NAME)
    assert any("исправлен приказ: Красные: опечатка" in text for text in board.own())


def test_a_command_of_the_rules_goes_the_old_way(tmp_path: Path) -> None:
    ctx, _ = game(tmp_path)
    number = enter(ctx, GM_NAME, {"type": "gm_set", "faction": "red", "points": 7}, at_once=True)
    assert number is not None
    assert points(ctx)["red"] == 7
    with pytest.raises(NotNow, match="не приказ мастера"):
        enter(ctx, GM_NAME, {"type": "pass"})


def test_nothing_to_roll_again(tmp_path: Path) -> None:
    ctx, _ = game(tmp_path)
    with pytest.raises(NotNow, match="Не нашёл ни шага, ни броска"):
        enter(ctx, GM_NAME, {"type": "gm_roll", "event": "шторм"})
    with pytest.raises(NotNow, match="ещё ничего не исполнено"):
        enter(ctx, GM_NAME, {"type": "gm_roll", "event": "1"})


def test_what_the_rules_say_to_the_gm_alone_reaches_him_and_nobody_else(tmp_path: Path) -> None:
    ctx, board = game(tmp_path)
    enter(ctx, GM_NAME, {"type": "gm_set", "faction": "red", "points": -7}, at_once=True)
    assert any(text == "Ход 1: Очков меньше нуля не бывает." for _, _, text, _ in review(ctx).notices)
    publish(ctx)
    assert not any("меньше нуля" in text for text in board.own())


# ------------------------------------------------------------------------------------------------ portions


def test_portion_is_carried_out_when_read_and_only_up_to_its_word(tmp_path: Path) -> None:
    ctx, board = game(tmp_path)
    board.say("11", "беру 4")
    board.say("10", "беру 5\nсейчас\nпас")
    board.say("11", "пас")
    assert tick(ctx).trouble == ""
    with ctx.store.reading() as session:
        sheets = {s["issuer"]: [c["type"] for c in s["commands"]] for s in ctx.outcome(session, 1).sheets}
    assert sheets == {"blue": ["take"], "red": ["take", "now"]}
    assert current(ctx).status == "open"
    with ctx.store.reading() as session:
        roll = next(d["result"] for d in ctx.outcome(session, 1).draws if d["purpose"] == "взятие, red")
    assert f"red: 5 + {roll}" in board.own()[-1]
    for _ in range(3):
        tick(ctx, reread=True)
    assert len(rolls(ctx)) == 1
    close_step(ctx, board)
    with ctx.store.reading() as session:
        sheets = {s["issuer"]: [c["type"] for c in s["commands"]] for s in ctx.outcome(session, 2).sheets}
    assert sheets == {"red": ["pass"], "blue": ["pass"]}
    assert "Всё сходится" in verify(ctx)


def test_a_doubtful_portion_waits(tmp_path: Path) -> None:
    ctx, board = game(tmp_path)
    board.say("10", "наверное беру 5\nсейчас")
    board.say("11", "кабанов сюда\nсейчас")
    tick(ctx)
    assert rolls(ctx) == []


def test_where_the_gm_approves_he_is_told_of_a_portion(tmp_path: Path) -> None:
    ctx, board = game(tmp_path, review=ReviewPart(approve="gm", publish="auto"))
    board.say("10", "беру 5\nсейчас")
    tick(ctx)
    assert rolls(ctx) == []
    assert any("просит исполнить сказанное" in text for _, _, text, _ in review(ctx).notices)


# ------------------------------------------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("воскресенья", "2026-03-08T23:59"),
        ("до среды 21:00", "2026-03-04T21:00"),
        ("понедельник 11:00", "2026-03-09T11:00"),
        ("завтра в 9.30", "2026-03-03T09:30"),
        ("21:00", "2026-03-02T21:00"),
        ("08:00", "2026-03-03T08:00"),
        ("05.12", "2026-12-05T23:59"),
        ("01.02", "2027-02-01T23:59"),
        ("5.4.2026 18:00", "2026-04-05T18:00"),
        ("+12", "2026-03-03T00:00"),
        ("+1,5 часа", "2026-03-02T13:30"),
        ("2026-03-05T18:00", "2026-03-05T18:00"),
        ("2026-03-05", "2026-03-05T23:59"),
    ],
)
def test_moments(words: str, moment: str) -> None:
    zone = ZoneInfo("Europe/Moscow")
    found = moment_of(words, datetime(2026, 3, 2, 9, 0, tzinfo=UTC), zone)
    assert found is not None
    assert found.astimezone(zone).strftime("%Y-%m-%dT%H:%M") == moment


@pytest.mark.parametrize("words", ["", "потом", "32.13", "25:00", "до", "в пятницу или субботу", "29.02.2027"])
def test_no_moment(words: str) -> None:
    assert moment_of(words, datetime(2026, 3, 2, 9, 0, tzinfo=UTC), ZoneInfo("Europe/Moscow")) is None


@pytest.mark.parametrize(
    ("words", "text", "yes"),
    [
        ("шторма", "Шторм, A1", True),
        ("рудник В10", "рудник, В10", True),
        ("рудник В9", "рудник, В10", False),
        ("карты битва 2", "карты, битва 2, unit:K", True),
        ("", "Шторм, A1", False),
    ],
)
def test_words_of_a_roll(words: str, text: str, yes: bool) -> None:
    assert about(words, text) is yes
