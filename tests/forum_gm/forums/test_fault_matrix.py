"""Every write under every fault, with post review on and off, and killed before and after each request: written once or asked."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.forums.base import Upload, Written
from forum_gm.forums.errors import ForumError, Undecided
from forum_gm.forums.journal import MemoryJournal, Phase
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.transport import Transport

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, anew, rehearsal

TEXT = "[b]Итоги хода 1[/b]\n\nАтака на [i]000[/i] отбита: 3d6 → 4+5+1 = 10."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


@dataclass(frozen=True)
class Operation:
    """A write and how to see on the board how often it happened."""

    name: str
    fault_on: str
    run: Callable[[Rehearsal, PhpBB3], Written]
    times: Callable[[Rehearsal], int]
    ids: Callable[[Rehearsal], list[int]]


def replies(stage: Rehearsal) -> list[int]:
    return [
        e.id
        for e in stage.world.entries.values()
        if e.author == stage.bot and e.text.startswith("[b]Итоги") and e.thread == stage.topic
    ]


def letters(stage: Rehearsal) -> list[int]:
    return [letter.id for letter in stage.world.letters.values() if letter.author == stage.bot]


def topics(stage: Rehearsal) -> list[int]:
    return [e.id for e in stage.world.entries.values() if e.thread != stage.topic and e.author == stage.bot]


def status_post(stage: Rehearsal) -> int:
    return 4


OPERATIONS = [
    Operation("ответ", "reply", lambda s, c: c.reply("k", s.topic, TEXT), lambda s: len(replies(s)), replies),
    Operation(
        "ответ с картой",
        "reply",
        lambda s, c: c.reply("k", s.topic, TEXT + "\n[attachment]map.png[/attachment]", uploads=[Upload("map.png", PNG)]),
        lambda s: len(replies(s)),
        replies,
    ),
    Operation(
        "правка",
        "edit",
        lambda s, c: c.edit("k", status_post(s), TEXT),
        lambda s: int(s.world.entries[status_post(s)].text == TEXT),
        lambda s: [status_post(s)],
    ),
    Operation(
        "удаление",
        "delete",
        lambda s, c: c.delete("k", status_post(s)),
        lambda s: int(status_post(s) not in s.world.entries),
        lambda s: [status_post(s)],
    ),
    Operation(
        "личное сообщение",
        "message",
        lambda s, c: c.send_message("k", ["Буйный", "Тихий & Ко <3"], "Понял так", TEXT),
        lambda s: len(letters(s)),
        letters,
    ),
    Operation("новая тема", "topic", lambda s, c: c.new_topic("k", 1, "Итоги", TEXT), lambda s: len(topics(s)), topics),
]
# Faults after which the text must be on the board once, without anybody's help.
HEALS = {
    FaultKind.TIMEOUT_AFTER,
    FaultKind.GATEWAY_AFTER,
    FaultKind.CUT_AFTER,
    FaultKind.LOGIN,
    FaultKind.LOGIN_AFTER,
    FaultKind.REVIEW,
    FaultKind.PREVIEW,
    FaultKind.FLOOD,
    FaultKind.TOKEN,
    FaultKind.SILENT,
    FaultKind.APPROVAL,
    FaultKind.MAINTENANCE,
    FaultKind.TOO_MANY,
}
# Refusals that last: nothing may be written, and the GM is told. By operation where not all know them.
LASTS: dict[FaultKind, set[str]] = {
    FaultKind.INBOX_FULL: {"личное сообщение"},
    FaultKind.QUOTA: {"ответ с картой"},
    FaultKind.TOO_LONG: {"ответ", "ответ с картой", "правка", "личное сообщение", "новая тема"},
    FaultKind.LOCKED: {"ответ", "ответ с картой", "правка", "удаление", "личное сообщение", "новая тема"},
    FaultKind.FORBIDDEN: {"ответ", "ответ с картой", "правка", "удаление", "личное сообщение", "новая тема"},
    FaultKind.CLOUDFLARE: {"ответ", "ответ с картой", "правка", "удаление", "личное сообщение", "новая тема"},
}
ASKS_UNGUARDED = {FaultKind.TIMEOUT_BEFORE, FaultKind.GATEWAY_BEFORE, FaultKind.CUT_BEFORE, FaultKind.STORE_LATE}
FAULTS = [kind for kind in FaultKind if kind not in (FaultKind.NEW_LOOK, FaultKind.CAPTCHA)]


def attempt(stage: Rehearsal, operation: Operation, journal: MemoryJournal, client: PhpBB3) -> tuple[str, Written | None, str]:
    """Runs a write as the service would: again and again, a few minutes apart, until it is done, refused or asked about."""
    last = ""
    for _ in range(4):
        try:
            done = operation.run(stage, client)
            return "записано", done, ""
        except Undecided as error:
            return "спрошен ведущий", None, str(error)
        except ForumError as error:
            last = str(error)
            stage.clock.sleep(1200)
    return "отказ", None, last


def verdict(stage: Rehearsal, operation: Operation, journal: MemoryJournal, outcome: str, done: Written | None) -> str:
    """Checks the promise: once and known, or nothing and said, or asked and never twice."""
    stage.clock.sleep(3600)
    # Let late requests be carried out.
    stage.client(user="").read_topic(stage.topic)
    times = operation.times(stage)
    assert times <= 1, f"{operation.name}: {times} раза"
    record = journal.find("k")
    assert record is not None
    if outcome == "записано":
        assert done is not None
        assert times == 1
        assert record.phase is Phase.DONE
        if done.ids:
            assert list(done.ids) == operation.ids(stage)
        else:
            assert done.awaiting_approval
    elif outcome == "спрошен ведущий":
        assert record.phase is Phase.UNDECIDED
        if times == 1:
            # It surfaced after all: asking again finds it and does not send it again.
            assert list(operation.run(stage, stage.client(journal=journal)).ids) == operation.ids(stage)
            assert operation.times(stage) == 1
    else:
        assert times == 0
        assert record.phase in (Phase.FAILED, Phase.INTENDED)
    return outcome


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.fault_on + ("-file" if "карт" in o.name else ""))
def test_every_fault_leaves_one_text_or_a_question(operation: Operation) -> None:
    rows: list[tuple[str, ...]] = []
    total: Counter[str] = Counter()
    with rehearsal() as first:
        for kind in FAULTS:
            row = [kind.value]
            for review in (True, False) if operation.fault_on == "reply" else (True,):
                stage = anew(first, review=review)
                journal = MemoryJournal()
                on = "upload" if kind is FaultKind.QUOTA else operation.fault_on
                times = -1 if kind in LASTS else 1
                stage.world.faults.add(Fault(kind, on, times, delay=200.0 if kind is FaultKind.STORE_LATE else 40.0))
                client = stage.client(journal=journal)
                client.login()
                stage.clock.sleep(120)
                outcome, done, said = attempt(stage, operation, journal, client)
                row.append(verdict(stage, operation, journal, outcome, done))
                total[row[-1]] += 1
                if kind in HEALS:
                    assert outcome == "записано", f"{kind}: {said}"
                if kind in LASTS:
                    assert outcome == ("отказ" if operation.name in LASTS[kind] else "записано"), f"{kind}: {said}"
                if kind in ASKS_UNGUARDED:
                    unguarded = operation.fault_on in ("message", "topic") or (operation.fault_on == "reply" and not review)
                    assert outcome == ("спрошен ведущий" if unguarded else "записано"), f"{kind}: {said}"
                if outcome != "записано":
                    assert said[0].isupper(), said
            rows.append(tuple(row))
    print(f"\n{operation.name}: {dict(total)}")
    for row in rows:
        print("  " + "".join(cell.ljust(20) for cell in row))


class Killed(BaseException):
    """The process is gone."""


class MortalTransport(Transport):
    """Dies before or after its n-th request."""

    die_at = 0
    after = False

    def _send(self, method: str, url: str, data: Any) -> Any:
        if self.requests + 1 == self.die_at and not self.after:
            self.requests += 1
            raise Killed
        response = super()._send(method, url, data)
        if self.requests == self.die_at and self.after:
            raise Killed
        return response


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: o.fault_on + ("-file" if "карт" in o.name else ""))
def test_killed_at_any_request_the_next_process_finishes_or_asks(operation: Operation, after: bool, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    with rehearsal() as first:
        for number in range(1, 40):
            stage = anew(first)
            journal = MemoryJournal()
            cookies = tmp_path / f"cookies-{number}"
            stage.client(journal=journal, cookie_file=cookies).login()
            stage.clock.sleep(120)
            mortal = stage.transport(MortalTransport, cookie_file=cookies)
            assert isinstance(mortal, MortalTransport)
            mortal.die_at, mortal.after = number, after
            client = stage.client(journal=journal, transport=mortal)
            try:
                outcome, done, _ = attempt(stage, operation, journal, client)
            except Killed:
                stage.clock.sleep(90)
                outcome, done, _ = attempt(stage, operation, journal, stage.client(journal=journal, cookie_file=cookies))
                outcomes[verdict(stage, operation, journal, outcome, done)] += 1
                continue
            assert outcome == "записано"
            break
        else:
            raise AssertionError("the write never came to its end")
    assert outcomes["отказ"] == 0
    guarded = operation.fault_on not in ("message", "topic")
    # A message is asked about only when the process died with the request perhaps under way and nothing on the board.
    assert outcomes["спрошен ведущий"] <= (0 if guarded else 1)
    print(f"\n{operation.name}, смерть {'после' if after else 'до'} запроса: {dict(outcomes)}")
