"""Reading a topic of 1,000 posts: requests of the first and of a later read, and page parsing against bare text extraction.

The floor is lxml building the same page's tree and giving its text: no reader of HTML does less. Printed with `-s`."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from lxml import html

from forum_gm.demo.board import BoardServer, BoardSettings, World
from forum_gm.forums import prosilver
from forum_gm.forums.clock import ManualClock
from forum_gm.forums.document import Document
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.topicpage import Context
from forum_gm.forums.transport import Manners, Transport

ORDER = (
    "[b]Приказ[/b]\n1. Атакую 000: пехота 60/40, маги 5.\n2. Строю башню.\n"
    "[quote=Буйный]\nЧужое слово.\n[/quote]\nИтого 14 энергии."
)


def test_thousand_posts() -> None:
    """Requests and seconds of a first and an incremental read; parse speed as a ratio."""
    clock = ManualClock(datetime(2026, 5, 1, tzinfo=UTC))
    world = World(BoardSettings(per_page=20), clock)
    author = world.account("Буйный")
    topic = world.topic(author, "Долгая партия", ORDER)
    for _ in range(999):
        clock.sleep(60)
        world.post(author, topic, ORDER)
    with BoardServer(world) as server:
        client = PhpBB3(server.url, transport=Transport(manners=Manners(pause=0), clock=clock))
        begun, own = time.perf_counter(), time.thread_time()
        whole = client.read_topic(topic)
        first, first_own = time.perf_counter() - begun, time.thread_time() - own
        begun, own = time.perf_counter(), time.thread_time()
        news = client.read_topic(topic, after=whole.last_id)
        later, later_own = time.perf_counter() - begun, time.thread_time() - own
        page = client.transport.get(client.topic_address(topic)).text
    assert (len(whole.posts), whole.requests) == (1000, 50)
    assert (len(news.posts), news.requests) == (0, 1)
    ours = best(lambda: prosilver.parse(Document(page), Context("http://b/viewtopic.php?t=1")))
    floor = best(lambda: html.fromstring(page).text_content())
    print(f"\nfirst read: {whole.requests} requests, {first:.2f} s, of the reader's own work {first_own:.2f} s")
    print(f"incremental: {news.requests} request, {later:.3f} s, of the reader's own work {later_own:.3f} s")
    print(f"a page of 20 posts: {ours * 1000:.1f} ms, lxml text alone {floor * 1000:.1f} ms, ratio {ours / floor:.1f}")


def best(work: Callable[[], object], rounds: int = 9) -> float:
    """The shortest of several rounds, in seconds of the processor: other programs don't count."""
    times = []
    for _ in range(rounds):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times)
