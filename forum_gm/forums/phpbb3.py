"""phpBB 3.0 to 3.3: reading topics and sources; writes are the jobs of `phpbb3_jobs`, `phpbb3_harmless`, `phpbb3_messages`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forum_gm.forums import errors, prosilver, subsilver2
from forum_gm.forums.base import PageReport, Post, PrivateMessage, Topic, Upload, Written
from forum_gm.forums.document import Document
from forum_gm.forums.journal import Journal
from forum_gm.forums.parts import One, write_in_parts
from forum_gm.forums.phpbb3_session import Session
from forum_gm.forums.sources import review_sources, stored_form, textarea, unquoted
from forum_gm.forums.topicpage import Context, TopicPage
from forum_gm.forums.transport import Page, Transport
from forum_gm.forums.writing import Writer

FAR = 999999
"""A `start` past every end: phpBB answers with the last page."""


class PhpBB3(Session):
    """One account (or a guest) on one board. Fulfils `base.Forum`."""

    engine = "phpbb3"
    guarded_replies = True
    """Replies can be protected by `topic_cur_post_id` (where post review is on)."""

    def __init__(
        self,
        url: str,
        *,
        user: str = "",
        password: str = "",
        transport: Transport | None = None,
        journal: Journal | None = None,
        max_chars: int = 60_000,
        forum_id: int | None = None,
    ) -> None:
        super().__init__(
            url, user=user, password=password, transport=transport, journal=journal, max_chars=max_chars, forum_id=forum_id
        )
        self._review: dict[int, bool] = {}
        """Topic → whether post review is on there."""
        self.writer = Writer(self.transport, self.journal, self.relogin, self._known)

    # -- addresses ----------------------------------------------------------------------------------------------------

    def topic_address(self, topic_id: int, start: int = 0) -> str:
        """A page of a topic in the one order that tiles, whatever the account prefers."""
        return self.address("viewtopic.php", f=self.forum_id, t=topic_id, st=0, sk="t", sd="a", start=start or None)

    def newest_address(self, topic_id: int, start: int = 0) -> str:
        """A page of a topic, newest first."""
        return self.address("viewtopic.php", f=self.forum_id, t=topic_id, st=0, sk="t", sd="d", start=start or None)

    def post_address(self, post_id: int) -> str:
        """The page that holds a post."""
        return self.address("viewtopic.php", p=post_id, st=0, sk="t", sd="a")

    def reply_address(self, topic_id: int) -> str:
        """The reply form."""
        return self.address("posting.php", mode="reply", f=self.forum_id, t=topic_id)

    def new_topic_address(self, forum_id: int) -> str:
        """The form of a new topic."""
        return self.address("posting.php", mode="post", f=forum_id)

    def edit_address(self, post_id: int) -> str:
        """The edit form."""
        return self.address("posting.php", mode="edit", f=self.forum_id, p=post_id)

    def quote_address(self, post_id: int) -> str:
        """The quote form."""
        return self.address("posting.php", mode="quote", f=self.forum_id, p=post_id)

    def delete_address(self, post_id: int) -> str:
        """The confirmation before deleting."""
        return self.address("posting.php", mode="delete", f=self.forum_id, p=post_id)

    # -- reading ------------------------------------------------------------------------------------------------------

    def parse(self, page: Page, document: Document) -> TopicPage:
        """A fetched topic page."""
        context = Context(page.url, page.fetched)
        if subsilver2.looks_like(document):
            return subsilver2.parse(document, context)
        return prosilver.parse(document, context)

    def read_topic(self, topic_id: int, *, after: int | None = None) -> Topic:
        """All posts of a topic in order of time; with `after`, the newer ones only: one request if there is nothing new."""
        before = self.transport.requests
        if after is not None:
            pages, complete = self._newest(topic_id, after)
        else:
            pages, complete = self._all(topic_id), True
        first = pages[0]
        posts: dict[int, Post] = {}
        for page in pages:
            for post in page.posts:
                if after is None or post.id > after:
                    posts[post.id] = post
        missing = 0
        if after is None and first.total is not None:
            approved = sum(1 for post in posts.values() if post.visibility.value == "approved")
            missing = max(0, first.total - approved)
            if missing:
                # The board's paging bug (or a post made meanwhile): pages of another tiling show what fell between two pages.
                for page in self._shifted(topic_id, pages):
                    for post in page.posts:
                        posts.setdefault(post.id, post)
                approved = sum(1 for post in posts.values() if post.visibility.value == "approved")
                missing = max(0, first.total - approved)
        ordered = sorted(posts.values(), key=lambda post: (post.time, post.id))
        return Topic(
            id=first.topic_id or topic_id,
            title=first.title,
            posts=tuple(self._whole(post) for post in ordered),
            forum_id=first.forum_id,
            locked=first.locked,
            pinned=first.pinned,
            total=first.total,
            poll=next((page.poll for page in pages if page.poll is not None), None),
            complete=complete,
            requests=self.transport.requests - before,
            missing=missing,
        )

    def page_at(self, url: str) -> TopicPage:
        return self.parse(*self.document(url))

    def _all(self, topic_id: int) -> list[TopicPage]:
        pages = [self.page_at(self.topic_address(topic_id))]
        while (start := pages[-1].next_start) is not None and start > pages[-1].start:
            pages.append(self.page_at(self.topic_address(topic_id, start)))
        return pages

    def newest_posts(self, topic_id: int, after: int) -> list[Post]:
        """The posts with a higher id, newest first. Read from the newest page on, where the board's paging bug hides none of
        them: not even an own one that awaits approval and isn't counted."""
        found: list[Post] = []
        start: int | None = 0
        while start is not None:
            page = self.page_at(self.newest_address(topic_id, start))
            fresh = [post for post in page.posts if post.id > after]
            found.extend(fresh)
            onward = page.next_start
            start = onward if len(fresh) == len(page.posts) and onward is not None and onward > start else None
        return found

    def _newest(self, topic_id: int, after: int) -> tuple[list[TopicPage], bool]:
        """Pages from the end back to the one that holds `after` or something older."""
        pages = [self.page_at(self.topic_address(topic_id, FAR))]
        while min(post.id for post in pages[0].posts) > after and pages[0].start > 0:
            size = pages[0].per_page or max(pages[0].start, 1)
            pages.insert(0, self.page_at(self.topic_address(topic_id, max(0, pages[0].start - size))))
        return pages, pages[0].start == 0

    def _shifted(self, topic_id: int, pages: Sequence[TopicPage]) -> list[TopicPage]:
        size = pages[0].per_page
        if size is None or len(pages) < 2:
            return []
        half = max(1, size // 2)
        return [self.page_at(self.topic_address(topic_id, page.start + half)) for page in pages[:-1]]

    def _whole(self, post: Post) -> Post:
        """A post of somebody on our ignore list, with its body fetched where the page leaves it out."""
        if not post.ignored or post.html:
            return post
        shown = self.page_at(self.address("viewtopic.php", p=post.id, view="show"))
        return next((replace(p, ignored=True) for p in shown.posts if p.id == post.id and p.html), post)

    def read_page_of(self, post_id: int) -> Topic:
        """The page that holds a post."""
        page = self.page_at(self.post_address(post_id))
        return Topic(
            page.topic_id or 0,
            page.title,
            page.posts,
            page.forum_id,
            page.locked,
            page.pinned,
            page.total,
            page.poll,
            complete=False,
        )

    def look_at(self, topic_id: int) -> PageReport:
        """What a topic's first page and its reply form show of our rights."""
        page = self.page_at(self.topic_address(topic_id))
        report = PageReport(page.engine, len(page.posts), page.logged_in, page.may_reply, page.title, page.locked)
        if not page.logged_in:
            return report
        try:
            form, _, soup = self.form(self.reply_address(topic_id))
        except (errors.Forbidden, errors.TopicLocked, errors.FormRejected, errors.LoginNeeded, errors.NotFound):
            return replace(report, may_reply=False)
        return replace(
            report,
            may_reply=True,
            may_attach="fileupload" in form.file_fields,
            guarded=self.guarded_replies and form.get("topic_cur_post_id") is not None,
            sees_sources=bool(review_sources(soup)),
        )

    # -- sources ------------------------------------------------------------------------------------------------------

    def read_source(self, post_id: int) -> str | None:
        """The exact BBCode by the quote form (shortened where quotes are nested deep), else by the edit form; else None."""
        if self.user_id is None:
            return None
        try:
            _, soup = self.fetch(self.quote_address(post_id))
        except (errors.Forbidden, errors.NotFound, errors.TopicLocked, errors.LoginNeeded, errors.ForumError) as error:
            if isinstance(error, errors.Unreachable | errors.CircuitOpen | errors.Maintenance | errors.Protected):
                raise
            return self.edit_source(post_id)
        text = textarea(soup)
        if text is None:
            return None
        shown = review_sources(soup)
        if post_id in shown:
            return stored_form(shown[post_id][1])
        inner = unquoted(text)
        return stored_form(inner) if inner is not None else None

    def edit_source(self, post_id: int) -> str | None:
        """The exact BBCode by the edit form, or None where the account may not edit."""
        try:
            _, soup = self.fetch(self.edit_address(post_id))
        except errors.ForumError as error:
            if isinstance(error, errors.Unreachable | errors.CircuitOpen | errors.Maintenance | errors.Protected):
                raise
            return None
        text = textarea(soup)
        return stored_form(text) if text is not None else None

    def latest_sources(self, topic_id: int) -> dict[int, str]:
        """Sources of the latest page of posts, by post id, in one request (the reply form); empty where we may not reply."""
        try:
            _, soup = self.fetch(self.reply_address(topic_id))
        except (errors.Forbidden, errors.TopicLocked, errors.LoginNeeded):
            return {}
        return {post_id: stored_form(source) for post_id, (_, source) in review_sources(soup).items()}

    # -- writing ------------------------------------------------------------------------------------------------------

    def reply(self, key: str, topic_id: int, text: str, *, subject: str = "", uploads: Sequence[Upload] = ()) -> Written:
        """Posts a reply once; a text too long for the board becomes several numbered posts, the files going with the first."""
        from forum_gm.forums.phpbb3_jobs import ReplyJob

        def one(part_key: str, part: str, index: int) -> Written:
            return self.writer.run(ReplyJob(self, part_key, topic_id, part, subject, tuple(uploads) if index == 0 else ()))

        return self._in_parts(key, f"ответ в теме {topic_id}", str(topic_id), text, one)

    def new_topic(self, key: str, forum_id: int, subject: str, text: str, *, uploads: Sequence[Upload] = ()) -> Written:
        """Starts a topic once; a longer text goes on in replies."""
        from forum_gm.forums.phpbb3_jobs import ReplyJob, TopicJob

        started: list[Written] = []

        def one(part_key: str, part: str, index: int) -> Written:
            if index == 0:
                started.append(self.writer.run(TopicJob(self, part_key, forum_id, subject, part, tuple(uploads))))
                return started[0]
            return self.writer.run(ReplyJob(self, part_key, started[0].topic_id or 0, part, "", ()))

        return self._in_parts(key, f"новая тема «{subject}»", str(forum_id), text, one)

    def edit(self, key: str, post_id: int, text: str, *, subject: str | None = None, uploads: Sequence[Upload] = ()) -> Written:
        """Makes a post's source this text. `TooLong` if it doesn't fit: an edit can't be split."""
        from forum_gm.forums.phpbb3_harmless import EditJob

        return self.writer.run(EditJob(self, key, post_id, text, subject, tuple(uploads)))

    def delete(self, key: str, post_id: int) -> Written:
        """Deletes an own post."""
        from forum_gm.forums.phpbb3_harmless import DeleteJob

        return self.writer.run(DeleteJob(self, key, post_id))

    def set_locked(self, key: str, topic_id: int, locked: bool) -> Written:
        """Locks or unlocks a topic."""
        from forum_gm.forums.phpbb3_harmless import LockJob

        return self.writer.run(LockJob(self, key, topic_id, locked))

    def set_pinned(self, key: str, topic_id: int, pinned: bool) -> Written:
        """Pins or unpins a topic (through its first post's form)."""
        from forum_gm.forums.phpbb3_harmless import PinJob

        return self.writer.run(PinJob(self, key, topic_id, pinned))

    def settle(self, key: str, *, posted: int | None = None, again: bool = False) -> None:
        """The GM's word on an undecided write; see `Writer.settle`."""
        self.writer.settle(key, posted=posted, again=again)

    def _in_parts(self, key: str, what: str, target: str, text: str, one: One) -> Written:
        """Writes a text, split if need be. The limit found is kept, so that a second run cuts at the same places."""
        return write_in_parts(self.journal, key, what, target, text, self.max_chars, one)

    # -- private messages ---------------------------------------------------------------------------------------------

    def send_message(self, key: str, to: Sequence[str], subject: str, text: str) -> Written:
        """Sends one message to users by name, once; a text too long becomes several messages."""
        from forum_gm.forums.phpbb3_messages import MessageJob

        def one(part_key: str, part: str, index: int) -> Written:
            title = subject if index == 0 else f"{subject} ({index + 1})"
            return self.writer.run(MessageJob(self, part_key, tuple(to), title, part))

        return self._in_parts(key, f"личное сообщение «{subject}»", ", ".join(to), text, one)

    def messages(self, folder: str = "inbox", *, after: int = 0) -> list[PrivateMessage]:
        """The first page of a folder, newest first, with texts where the board exports them; marks nothing read."""
        from forum_gm.forums.phpbb3_messages import list_folder

        return list_folder(self, folder, after=after)

    def read_message(self, message_id: int) -> PrivateMessage:
        """One message; marks it read."""
        from forum_gm.forums.phpbb3_messages import read_message

        return read_message(self, message_id)

    # -- post review --------------------------------------------------------------------------------------------------

    def review_known(self, topic_id: int) -> bool | None:
        """Whether post review is on where this topic is; None: not found out yet."""
        return self._review.get(topic_id)

    def note_review(self, topic_id: int, on: bool) -> None:
        """Remembers it."""
        self._review[topic_id] = on

    def note_open(self, place: str) -> None:
        """Remembers, for later runs too, that posts of this account appear there at once, without a moderator's approval."""
        self.transport.learn(f"open:{self._user}:{place}")

    def known_open(self, place: str) -> bool:
        """Whether that was seen. Posts that wait for approval don't count for the board's own guard against second sendings, and
        boards before 3.3 don't even show them to their author: so the guard is trusted only where none has to wait."""
        return self.transport.knows(f"open:{self._user}:{place}")
