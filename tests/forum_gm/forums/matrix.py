"""The fault matrix: every write × every fault × every kind of board, and what must come of it.

`python tests/forum_gm/forums/matrix.py` prints the whole table."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forum_gm.demo.board import Fault, FaultKind
from forum_gm.forums.base import Upload, Written
from forum_gm.forums.errors import ForumError, Undecided
from forum_gm.forums.journal import MemoryJournal, Phase, Record
from forum_gm.forums.phpbb3 import PhpBB3

sys.path.insert(0, str(Path(__file__).parent))
from rehearsal import Rehearsal, anew, rehearsal

TEXT = "[b]Итоги хода 1[/b]\n\nАтака на [i]000[/i] отбита: 3d6 → 4+5+1 = 10."
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
STATUS = 4
"""The bot's own post on the fresh board, the last of its topic."""


@dataclass(frozen=True)
class Kind:
    """A kind of board."""

    id: str
    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    guards: bool = False
    """It refuses the second sending of a reply."""
    shows: bool = True
    """Our own texts can be seen by us, once stored."""


GUARDED = Kind("3.3", "3.3, просмотр", guards=True)
UNGUARDED = Kind("3.3-no-review", "3.3 без просмотра", {"review": False})
QUEUE = Kind("3.3-queue", "3.3, очередь", {"newcomer": True})
HIDDEN_QUEUE = Kind("3.2-queue", "3.2, очередь", {"newcomer": True, "own_queue": False}, shows=False)
OLDER = Kind("3.0", "3.0", {"engine": "3.0"}, guards=True)
OLD = Kind("2.0", "2.0", {"engine": "2.0"})


@dataclass(frozen=True)
class Operation:
    """A write, and how to see on the board how often it happened."""

    id: str
    name: str
    fault_on: str
    run: Callable[[Rehearsal, PhpBB3], Written]
    ids: Callable[[Rehearsal], list[int]]
    """What it left, as the board knows; for writes that leave nothing new: `done`."""
    kinds: tuple[Kind, ...]
    done: Callable[[Rehearsal], bool] | None = None
    user: str = "Летописец"
    harmless: bool = False
    """Doing it twice changes nothing."""
    copies: int = 1
    """So many texts are right, on phpBB 2, which sends one message to each recipient."""

    def times(self, stage: Rehearsal) -> int:
        """How often it was done."""
        if self.done is not None:
            return int(self.done(stage))
        count = len(self.ids(stage))
        if self.copies > 1 and stage.world.settings.old:
            whole = Counter(letter.to for letter in stage.world.letters.values())
            return max(whole.values(), default=0) if count else 0
        return count

    def complete(self, stage: Rehearsal) -> bool:
        """Done, for every recipient."""
        texts = self.copies if stage.world.settings.old else 1
        return self.times(stage) == 1 and (self.done is not None or len(self.ids(stage)) == texts)


def replies(stage: Rehearsal) -> list[int]:
    """Our results in the topic."""
    mine = [entry for entry in stage.world.entries.values() if entry.author == stage.bot and entry.thread == stage.topic]
    return [entry.id for entry in mine if entry.text.startswith("[b]Итоги")]


def letters(stage: Rehearsal) -> list[int]:
    """Our messages."""
    return [letter.id for letter in stage.world.letters.values() if letter.author == stage.bot]


def topics(stage: Rehearsal) -> list[int]:
    """First posts of our topics."""
    return [entry.id for entry in stage.world.entries.values() if entry.thread != stage.topic and entry.author == stage.bot]


def nothing(stage: Rehearsal) -> list[int]:
    """Leaves no text of its own."""
    return []


def reply_with_map(stage: Rehearsal, client: PhpBB3) -> Written:
    """A reply with a file placed in it."""
    return client.reply("k", stage.topic, TEXT + "\n[attachment]map.png[/attachment]", uploads=[Upload("map.png", PNG)])


OPERATIONS = [
    Operation(
        "reply",
        "ответ",
        "reply",
        lambda s, c: c.reply("k", s.topic, TEXT),
        replies,
        (GUARDED, UNGUARDED, QUEUE, HIDDEN_QUEUE, OLDER, OLD),
    ),
    Operation("reply-file", "ответ с картой", "reply", reply_with_map, replies, (GUARDED, UNGUARDED)),
    Operation("upload", "файл к ответу", "upload", reply_with_map, replies, (GUARDED,), harmless=True),
    Operation(
        "edit",
        "правка",
        "edit",
        lambda s, c: c.edit("k", STATUS, TEXT),
        lambda s: [STATUS],
        (GUARDED, QUEUE, OLDER, OLD),
        done=lambda s: s.world.entries[STATUS].text.startswith("[b]Итоги"),
        harmless=True,
    ),
    Operation(
        "delete",
        "удаление",
        "delete",
        lambda s, c: c.delete("k", STATUS),
        lambda s: [STATUS],
        (GUARDED, OLD),
        done=lambda s: STATUS not in s.world.entries,
        harmless=True,
    ),
    Operation(
        "message",
        "письмо одному",
        "message",
        lambda s, c: c.send_message("k", ["Буйный"], "Понял так", TEXT),
        letters,
        (GUARDED,),
    ),
    Operation(
        "message-two",
        "письмо двоим",
        "message",
        lambda s, c: c.send_message("k", ["Буйный", "Тихий & Ко <3"], "Понял так", TEXT),
        letters,
        (GUARDED, OLDER, OLD),
        copies=2,
    ),
    Operation(
        "topic", "новая тема", "topic", lambda s, c: c.new_topic("k", 1, "Итоги", TEXT), topics, (GUARDED, HIDDEN_QUEUE, OLD)
    ),
    Operation(
        "lock",
        "закрыть тему",
        "lock",
        lambda s, c: c.set_locked("k", s.topic, True),
        nothing,
        (GUARDED,),
        done=lambda s: s.world.threads[s.topic].locked,
        user="Ведущий",
        harmless=True,
    ),
    Operation(
        "pin",
        "закрепить тему",
        "edit",
        lambda s, c: c.set_pinned("k", s.topic, True),
        nothing,
        (GUARDED,),
        done=lambda s: s.world.threads[s.topic].pinned,
        user="Ведущий",
        harmless=True,
    ),
]
CASES = [(operation, kind) for operation in OPERATIONS for kind in operation.kinds]

LOST_BEFORE = {
    FaultKind.TIMEOUT_BEFORE,
    FaultKind.GATEWAY_BEFORE,
    FaultKind.CUT_BEFORE,
    FaultKind.UNAVAILABLE,
    FaultKind.STORE_LATE,
}
LOST_AFTER = {FaultKind.TIMEOUT_AFTER, FaultKind.GATEWAY_AFTER, FaultKind.CUT_AFTER}
LASTING = {
    FaultKind.INBOX_FULL,
    FaultKind.QUOTA,
    FaultKind.TOO_LONG,
    FaultKind.LOCKED,
    FaultKind.FORUM_LOCKED,
    FaultKind.FORBIDDEN,
    FaultKind.CLOUDFLARE,
    FaultKind.CROSSED,
    FaultKind.CAPTCHA,
    FaultKind.THROTTLE,
}
"""Refusals that no waiting mends: nothing may be written, and the GM is told."""
FAULTS = [kind for kind in FaultKind if kind is not FaultKind.NEW_LOOK]
WRITTEN, REFUSED, ASKED, ABSENT = "записано", "отказ", "вопрос", "—"


def expected(operation: Operation, kind: Kind, fault: FaultKind) -> str:
    """What must come of it, if the fault makes a difference at all."""
    if fault in LASTING:
        # Pinning leaves somebody else's edit alone and goes on.
        return WRITTEN if fault is FaultKind.CROSSED and operation.name != "правка" else REFUSED
    if fault in LOST_BEFORE:
        return WRITTEN if operation.harmless or (operation.fault_on == "reply" and kind.guards) else ASKED
    if fault in LOST_AFTER:
        return WRITTEN if kind.shows else ASKED
    return WRITTEN


def attempt(stage: Rehearsal, operation: Operation, client: PhpBB3) -> tuple[str, Written | None, str]:
    """Runs a write as the service would: again, some minutes apart, where waiting may help, until done, refused or asked about."""
    last = ""
    for _ in range(4):
        try:
            return WRITTEN, operation.run(stage, client), ""
        except Undecided as error:
            return ASKED, None, str(error)
        except ForumError as error:
            last = str(error)
            if not error.retry:
                break
            stage.clock.sleep(1200)
    return REFUSED, None, last


def records(journal: MemoryJournal) -> list[Record]:
    """The write's record, or those of its messages to each recipient."""
    return [record for key, record in journal.records.items() if key == "k" or key.startswith("k@")]


def check(stage: Rehearsal, operation: Operation, kind: Kind, journal: MemoryJournal, outcome: str, done: Written | None) -> None:
    """The promise: once and known, or nothing and said, or asked and never twice."""
    stage.clock.sleep(3600)
    # Let late requests be carried out.
    stage.client(user="").read_topic(stage.topic)
    times = operation.times(stage)
    assert times <= 1, f"{operation.name}: {times} раза"
    phases = {record.phase for record in records(journal)}
    if outcome == WRITTEN:
        assert done is not None
        assert operation.complete(stage)
        assert phases == {Phase.DONE}
        if done.ids:
            assert list(done.ids) == operation.ids(stage)
        else:
            assert done.awaiting_approval or operation.ids is nothing
    elif outcome == ASKED:
        assert Phase.UNDECIDED in phases
        if operation.complete(stage) and kind.shows:
            # It surfaced after all: asking again finds it and does not send it again.
            assert list(operation.run(stage, stage.client(journal=journal)).ids) == operation.ids(stage)
            assert operation.times(stage) == 1
    else:
        assert times == 0
        unfinished = [record for record in records(journal) if record.phase is Phase.SENDING]
        assert all(record.note.get("answered") for record in unfinished)
        assert phases <= {Phase.FAILED, Phase.INTENDED, Phase.SENDING}


def prepared(stage: Rehearsal, operation: Operation, client: PhpBB3) -> None:
    """Logged in, and in a topic where this account has written before, as a service's has."""
    client.login()
    stage.clock.sleep(120)
    if operation.fault_on in ("reply", "upload"):
        client.reply("before", stage.topic, "Ход 1 открыт.")
        stage.clock.sleep(120)


def strike(stage: Rehearsal, operation: Operation, fault: FaultKind) -> None:
    """Switches a fault on."""
    if fault in (FaultKind.CAPTCHA, FaultKind.THROTTLE):
        # Where login is refused, a lost session can't be mended.
        stage.world.faults.add(Fault(FaultKind.LOGIN, operation.fault_on), Fault(fault, "login", -1))
        return
    on = "upload" if fault is FaultKind.QUOTA else operation.fault_on
    once = fault not in LASTING or fault is FaultKind.CROSSED
    stage.world.faults.add(Fault(fault, on, 1 if once else -1, delay=200.0 if fault is FaultKind.STORE_LATE else 40.0))


def cell(first: Rehearsal, operation: Operation, kind: Kind, fault: FaultKind) -> tuple[str, str]:
    """One cell of the matrix, checked: (outcome, what the GM was told)."""
    stage = anew(first, **kind.settings)
    journal = MemoryJournal()
    client = stage.client(operation.user, journal=journal)
    prepared(stage, operation, client)
    strike(stage, operation, fault)
    stage.hurry(client)
    outcome, done, said = attempt(stage, operation, client)
    struck = stage.world.faults.struck[fault] > 0
    check(stage, operation, kind, journal, outcome, done)
    wanted = expected(operation, kind, fault) if struck else WRITTEN
    assert outcome == wanted, f"{operation.name}, {kind.name}, {fault}: {outcome} — {said}"
    if outcome != WRITTEN:
        assert said[:1].isupper(), said
    return (outcome if struck else ABSENT), said


def column(first: Rehearsal, operation: Operation, kind: Kind) -> dict[FaultKind, str]:
    """All faults of one write on one kind of board."""
    # A session lost after the board took the text: no real board does both where it hides the text from its author.
    faults = [fault for fault in FAULTS if kind.shows or fault is not FaultKind.LOGIN_AFTER]
    return {fault: cell(first, operation, kind, fault)[0] for fault in faults}


def table(columns: Sequence[tuple[Operation, Kind, dict[FaultKind, str]]]) -> Iterator[str]:
    """The lines of the table, with counts."""
    for number, (operation, kind, _) in enumerate(columns, 1):
        yield f"{number:3} {operation.name} ({kind.name})"
    short = {WRITTEN: "✓", REFUSED: "отк", ASKED: "?", ABSENT: "·"}
    yield " " * 17 + "".join(f"{number:4}" for number in range(1, len(columns) + 1))
    for fault in FAULTS:
        cells = "".join(f"{short[results.get(fault, ABSENT)]:>4}" for _, _, results in columns)
        yield f"{fault.value:17}{cells}"
    total = Counter(outcome for _, _, results in columns for outcome in results.values())
    yield "✓ записано один раз: {}, отк — отказ одной фразой: {}, ? — спрошен ведущий: {}, · — здесь не бывает: {}".format(
        *(total[outcome] for outcome in (WRITTEN, REFUSED, ASKED, ABSENT))
    )


def main() -> None:
    """Prints the whole matrix."""
    with rehearsal() as first:
        columns = [(operation, kind, column(first, operation, kind)) for operation, kind in CASES]
    for line in table(columns):
        print(line)


if __name__ == "__main__":
    main()
