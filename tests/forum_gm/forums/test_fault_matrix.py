"""Every write under every fault on every kind of board, and killed before and after each request: written once or asked."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.forums.errors import Undecided
from forum_gm.forums.journal import MemoryJournal
from forum_gm.forums.transport import Transport

sys.path.insert(0, str(Path(__file__).parent))
from matrix import (
    ASKED,
    CASES,
    GUARDED,
    HIDDEN_QUEUE,
    QUEUE,
    REFUSED,
    STATUS,
    UNGUARDED,
    WRITTEN,
    Kind,
    Operation,
    anew,
    attempt,
    check,
    column,
    prepared,
    records,
    rehearsal,
    replies,
    table,
)

NAMES = [f"{operation.id} on {kind.id}" for operation, kind in CASES]


@pytest.mark.parametrize(("operation", "kind"), CASES, ids=NAMES)
def test_every_fault_leaves_one_text_or_a_question(operation: Operation, kind: Kind) -> None:
    with rehearsal() as first:
        results = column(first, operation, kind)
    print()
    for line in table([(operation, kind, results)]):
        print(line)


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
@pytest.mark.parametrize(("operation", "kind"), CASES, ids=NAMES)
def test_killed_at_any_request_the_next_process_finishes_or_asks(
    operation: Operation, kind: Kind, after: bool, tmp_path: Path
) -> None:
    outcomes: Counter[str] = Counter()
    with rehearsal() as first:
        for number in range(1, 40):
            stage = anew(first, **kind.settings)
            journal = MemoryJournal()
            cookies = tmp_path / f"cookies-{number}"
            prepared(stage, operation, stage.client(operation.user, journal=journal, cookie_file=cookies))
            mortal = stage.transport(MortalTransport, cookie_file=cookies)
            assert isinstance(mortal, MortalTransport)
            mortal.die_at, mortal.after = number, after
            client = stage.client(operation.user, journal=journal, transport=mortal)
            try:
                outcome, done, _ = attempt(stage, operation, client)
            except Killed:
                # The intent was stored before anything was sent.
                assert records(journal)
                stage.clock.sleep(90)
                born = stage.client(operation.user, journal=journal, cookie_file=cookies)
                outcome, done, _ = attempt(stage, operation, born)
                check(stage, operation, kind, journal, outcome, done)
                outcomes[outcome] += 1
                continue
            assert outcome == WRITTEN
            break
        else:
            raise AssertionError("the write never came to its end")
    assert outcomes[REFUSED] == 0
    safe = operation.harmless or (operation.fault_on == "reply" and kind.guards)
    if kind.shows:
        # Asked only when the process died with the request perhaps under way and nothing on the board: at each sending, of
        # which phpBB 2 makes one a recipient, and another where the flood interval turned the second away.
        sendings = 2 * operation.copies - 1 if kind.settings.get("engine") == "2.0" else 1
        assert outcomes[ASKED] <= (0 if safe else sendings)
    print(f"\n{operation.name} ({kind.name}), смерть {'после' if after else 'до'} запроса: {dict(outcomes)}")


TWICE = [(operation, kind) for operation, kind in CASES if operation.id in ("reply", "message") and kind in (GUARDED, UNGUARDED)]


@pytest.mark.parametrize(("operation", "kind"), TWICE, ids=[f"{operation.id} on {kind.id}" for operation, kind in TWICE])
def test_killed_again_while_finding_out_it_still_writes_once(operation: Operation, kind: Kind, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    with rehearsal() as first:
        for one, after in ((number, after) for number in range(2, 9) for after in (False, True)):
            for two in (1, 2, 3, 5):
                stage = anew(first, **kind.settings)
                journal = MemoryJournal()
                cookies = tmp_path / f"cookies-{one}-{after}-{two}"
                prepared(stage, operation, stage.client(operation.user, journal=journal, cookie_file=cookies))
                for die_at, late in ((one, after), (two, not after)):
                    mortal = stage.transport(MortalTransport, cookie_file=cookies)
                    assert isinstance(mortal, MortalTransport)
                    mortal.die_at, mortal.after = die_at, late
                    with contextlib.suppress(Killed):
                        attempt(stage, operation, stage.client(operation.user, journal=journal, transport=mortal))
                    stage.clock.sleep(90)
                born = stage.client(operation.user, journal=journal, cookie_file=cookies)
                outcome, done, _ = attempt(stage, operation, born)
                check(stage, operation, kind, journal, outcome, done)
                outcomes[outcome] += 1
    assert outcomes[REFUSED] == 0
    if kind.guards and operation.fault_on == "reply":
        assert outcomes[ASKED] == 0
    print(f"\n{operation.name} ({kind.name}), смерть дважды: {dict(outcomes)}")


# -- what the table can't say ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [FaultKind.CUT_BEFORE, FaultKind.CUT_AFTER])
def test_the_boards_guard_is_trusted_only_where_posts_appear_at_once(fault: FaultKind) -> None:
    """The first reply ever: nobody knows yet whether this account's posts wait for approval, where the guard sees nothing."""
    with rehearsal() as first:
        for settings, queued in ((GUARDED.settings, False), (HIDDEN_QUEUE.settings, True)):
            stage = anew(first, **settings)
            client = stage.client()
            client.login()
            stage.clock.sleep(120)
            stage.world.faults.add(Fault(fault, "reply"))
            if fault is FaultKind.CUT_AFTER and not queued:
                assert list(client.reply("k", stage.topic, "[b]Итоги[/b] первые").ids) == replies(stage)
            else:
                with pytest.raises(Undecided):
                    client.reply("k", stage.topic, "[b]Итоги[/b] первые")
                assert len(replies(stage)) == int(fault is FaultKind.CUT_AFTER)


def test_a_post_in_the_queue_is_found_after_a_lost_answer_even_where_paging_hides_it() -> None:
    with rehearsal() as first:
        stage = anew(first, **QUEUE.settings, per_page=4)
        # Twice the page: the waiting post would be on no page, counted from the front.
        for _ in range(4):
            stage.clock.sleep(60)
            stage.world.post(stage.buyny, stage.topic, "Ещё")
        client = stage.client()
        client.login()
        stage.clock.sleep(120)
        stage.world.faults.add(Fault(FaultKind.GATEWAY_AFTER, "reply"))
        done = client.reply("k", stage.topic, "[b]Итоги[/b]")
        assert (list(done.ids), done.awaiting_approval) == (replies(stage), True)


def test_an_older_post_of_the_same_text_is_not_taken_for_the_lost_one() -> None:
    with rehearsal() as first:
        for engine in ("3.3", "3.0", "2.0"):
            stage = anew(first, engine=engine)
            journal = MemoryJournal()
            client = stage.client(journal=journal)
            client.login()
            one = client.reply("one", stage.topic, "[b]Итоги[/b] прежние")
            stage.clock.sleep(120)
            stage.world.faults.add(Fault(FaultKind.CUT_AFTER, "reply"))
            two = client.reply("two", stage.topic, "[b]Итоги[/b] прежние")
            assert [*one.ids, *two.ids] == replies(stage)


def test_a_lost_message_is_waited_for_longer_than_the_board_could_work_on_it() -> None:
    with rehearsal() as stage:
        client = stage.client()
        client.login()
        stage.clock.sleep(120)
        begun = stage.clock.now()
        stage.world.faults.add(Fault(FaultKind.CUT_BEFORE, "message"))
        with pytest.raises(Undecided):
            client.send_message("m", ["Буйный"], "Понял", "так")
        assert (stage.clock.now() - begun).total_seconds() >= client.transport.manners.settle
        # Within that time the board may still store it: then it is found, and nobody is asked.
        stage.world.faults.add(Fault(FaultKind.STORE_LATE, "message", delay=60.0))
        stage.hurry(client)
        assert client.send_message("n", ["Буйный"], "Понял иначе", "так").ids == (1,)


def test_pinning_leaves_an_edit_made_meanwhile_alone() -> None:
    with rehearsal() as stage:
        gm = stage.client("Ведущий")
        gm.login()
        stage.world.faults.add(Fault(FaultKind.CROSSED, "edit"))
        gm.set_pinned("k", stage.topic, True)
        assert stage.world.threads[stage.topic].pinned
        assert stage.world.entries[1].text == "Приказы — в этой теме. (поправлено)"


@pytest.mark.parametrize("engine", ["3.3", "2.0"])
def test_an_edit_carried_out_late_never_undoes_the_next_one(engine: str) -> None:
    with rehearsal() as first:
        stage = anew(first, engine=engine)
        client = stage.client()
        client.login()
        stage.world.faults.add(Fault(FaultKind.STORE_LATE, "edit", delay=60.0))
        stage.hurry(client)
        client.edit("a", STATUS, "Пришёл один.")
        client.edit("b", STATUS, "Пришли двое.")
        stage.clock.sleep(3600)
        stage.client(user="").read_topic(stage.topic)
        assert stage.world.entries[STATUS].text == "Пришли двое."
