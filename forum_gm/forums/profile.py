"""A forum engine described by a TOML file (selectors, zone, addresses): reading any board without code. See docs/форумы.md."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bs4 import Tag
from pydantic import BaseModel, ConfigDict, ValidationError

from forum_gm.forums.addresses import number, resolve
from forum_gm.forums.answers import login_form
from forum_gm.forums.base import Attachment, Edit, Post, Topic
from forum_gm.forums.dates import Moment, read_time
from forum_gm.forums.document import Document
from forum_gm.forums.errors import BadProfile, LoginNeeded, NotATopic, NotFound
from forum_gm.forums.markup import attribute, inner_html, joined_text, quotes_in, text_of
from forum_gm.forums.topicpage import Context, TopicPage
from forum_gm.forums.transport import Transport
from forum_gm.wording import trouble
from rules.complaints import complaint

PROFILES = Path(__file__).parent / "profiles"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Where(_Part):
    """Where a value is: an element, and in it an attribute (or its text), and in that a part."""

    select: str = ""
    """CSS selector inside the post; empty: the post itself."""
    attribute: str = ""
    """Its attribute; empty: its text."""
    match: str = ""
    """Regular expression; its first group (or all of it) is the value."""


class PostPart(_Part):
    """How a post looks."""

    select: str
    id: Where
    author: Where
    author_id: Where = Where(match="$^")
    time: Where
    body: str
    subject: Where = Where(match="$^")
    edit: str = ""
    """Selector of the edit notice."""
    drop: tuple[str, ...] = ()
    """Selectors of things inside the body that are not the author's words (signature, buttons)."""
    attachments: str = ""
    """Selector of links to files."""


class TopicPart(_Part):
    """How a topic page looks."""

    title: str
    next: str = ""
    """Selector of the link to the next page."""
    id: str = r"(\d+)"
    """Regular expression that finds the topic's number in its address."""
    address: str = ""
    """Address of a topic, with {id} and, for a page, {page} (from 1) or {start}."""
    post_step: int = 1
    locked: str = ""
    """Selector that is there when the topic is closed."""


class Profile(_Part):
    """A whole profile file."""

    name: str
    title: str = ""
    """Regular expression for the page's generator or markup, for `--engine auto`."""
    detect: str = ""
    """Selector that only pages of this engine have."""
    zone: str = "Europe/Moscow"
    encoding: str = "utf-8"
    topic: TopicPart
    post: PostPart


def load_profile(path: Path) -> Profile:
    """Reads a profile file. `BadProfile` says which key is wrong."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
        profile = Profile.model_validate(data)
        ZoneInfo(profile.zone)
        for where in (profile.topic.id, profile.post.id.match, profile.post.author_id.match, profile.post.time.match):
            re.compile(where)
    except OSError as error:
        raise BadProfile(f"{path.name}: {trouble(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadProfile(f"{path.name}: {error}") from error
    except ValidationError as error:
        key, reason = complaint(error)
        raise BadProfile(f"{path.name}: ключ «{key}»: {reason}") from error
    except (ZoneInfoNotFoundError, re.error) as error:
        raise BadProfile(f"{path.name}: {error}") from error
    return profile


def shipped() -> list[Profile]:
    """The profiles that come with the program."""
    return [load_profile(path) for path in sorted(PROFILES.glob("*.toml"))]


def recognises(profile: Profile, document: Document) -> bool:
    """Whether a page was made by that engine."""
    return bool(profile.detect) and document.soup.select_one(profile.detect) is not None


def parse(profile: Profile, document: Document, context: Context) -> TopicPage:
    """A page by a profile; `NotATopic` if no post can be read, or one lacks id or time."""
    soup = document.soup
    posts = tuple(_post(profile, tag, context) for tag in soup.select(profile.post.select))
    if not posts:
        raise NotATopic(where=context.url)
    match = re.search(profile.topic.id, context.url)
    return TopicPage(
        engine=profile.name,
        topic_id=int(match[1]) if match else None,
        title=joined_text(soup.select_one(profile.topic.title)),
        posts=posts,
        locked=bool(profile.topic.locked) and soup.select_one(profile.topic.locked) is not None,
        logged_in=False,
    )


def value_of(where: Where, post: Tag) -> str:
    """What a key finds in a post; empty: nothing."""
    tag = post.select_one(where.select) if where.select else post
    if tag is None:
        return ""
    text = attribute(tag, where.attribute) if where.attribute else text_of(tag)
    if not where.match:
        return text.strip()
    match = re.search(where.match, text)
    if match is None:
        return ""
    return (match[1] if match.groups() else match[0]).strip()


def _post(profile: Profile, tag: Tag, context: Context) -> Post:
    part = profile.post
    number_text = value_of(part.id, tag)
    if not number_text.isdigit():
        raise NotATopic("у сообщения нет номера (post.id)", where=context.url)
    moment = time_of(profile, value_of(part.time, tag), context)
    if moment is None:
        raise NotATopic("у сообщения не видно времени (post.time)", where=f"{context.url}#{number_text}")
    body = tag.select_one(part.body)
    if body is None:
        raise NotATopic("у сообщения нет текста (post.body)", where=f"{context.url}#{number_text}")
    notice = tag.select_one(part.edit) if part.edit else None
    edited = _edit(profile, notice, context) if notice is not None else None
    files = tuple(
        Attachment(joined_text(link), resolve(context.url, attribute(link, "href")))
        for link in (tag.select(part.attachments) if part.attachments else ())
    )
    for selector in (part.edit, *part.drop):
        for extra in body.select(selector) if selector else ():
            extra.decompose()
    author_id = value_of(part.author_id, tag)
    return Post(
        id=int(number_text),
        author=value_of(part.author, tag),
        author_id=int(author_id) if author_id.isdigit() else None,
        time=moment.time,
        time_step=moment.step,
        html=inner_html(body),
        subject=value_of(part.subject, tag),
        edited=edited,
        quotes=quotes_in(body),
        attachments=files,
    )


def time_of(profile: Profile, text: str, context: Context) -> Moment | None:
    """A time as the profile\'s board writes it: UNIX seconds, ISO or words; None: no date."""
    if text.isdigit() and len(text) >= 9:
        return Moment(datetime.fromtimestamp(int(text), UTC), 1)
    return read_time(text, zone=ZoneInfo(profile.zone), now=context.now)


def _edit(profile: Profile, notice: Tag, context: Context) -> Edit:
    text = text_of(notice)
    moment = time_of(profile, text, context)
    by = re.search(r"(?:Отредактировано|Изменено|Редактировал\w*|Edited by|edited by)\s*:?\s*([^(,]+?)\s*[(,]", text)
    return Edit(1, moment.time if moment else None, by[1] if by else "")


class ProfileForum:
    """A board read by a profile, as a guest. Fulfils `base.Reader`."""

    def __init__(self, url: str, profile: Profile, *, transport: Transport | None = None) -> None:
        self.url = url
        self.profile = profile
        self.engine = profile.name
        self.transport = transport or Transport(encoding=profile.encoding)

    def topic_address(self, topic_id: int) -> str:
        """A topic's first page."""
        if not self.profile.topic.address:
            raise BadProfile("в профиле нет topic.address: укажите адрес темы целиком")
        return resolve(self.url, self.profile.topic.address.format(id=topic_id, page=1, start=0))

    def read_topic(self, topic_id: int, *, after: int | None = None) -> Topic:
        """All pages of a topic; `after` only leaves older posts out (an unknown engine can't be asked for the end)."""
        return self.read_address(self.topic_address(topic_id), after=after)

    def read_address(self, url: str, *, after: int | None = None) -> Topic:
        """All pages from an address on."""
        before = self.transport.requests
        pages: list[TopicPage] = []
        seen: set[str] = set()
        address: str | None = url
        while address is not None and address not in seen:
            seen.add(address)
            page = self.transport.get(address)
            document = Document(page.text)
            soup = document.soup
            if page.status in (404, 410):
                raise NotFound(where=page.url)
            if not soup.select(self.profile.post.select) and login_form(soup) is not None:
                raise LoginNeeded(where=page.url)
            pages.append(parse(self.profile, document, Context(page.url, page.fetched)))
            link = soup.select_one(self.profile.topic.next) if self.profile.topic.next else None
            address = resolve(page.url, attribute(link, "href")) if link is not None and attribute(link, "href") else None
        posts = {post.id: post for page in pages for post in page.posts if after is None or post.id > after}
        first = pages[0]
        return Topic(
            id=first.topic_id or number(url, "t") or 0,
            title=first.title,
            posts=tuple(sorted(posts.values(), key=lambda post: (post.time, post.id))),
            locked=first.locked,
            complete=after is None,
            requests=self.transport.requests - before,
        )
