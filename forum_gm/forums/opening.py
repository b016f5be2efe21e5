"""Opening a topic by its address, or saved pages of one: the engine is recognised, the right reader chosen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forum_gm.errors import UsageProblem
from forum_gm.forums import errors, prosilver, subsilver, subsilver2
from forum_gm.forums import profile as profiles
from forum_gm.forums.addresses import number
from forum_gm.forums.answers import login_form, message_text, refusal
from forum_gm.forums.base import Post, Quote, Topic
from forum_gm.forums.document import Document, first
from forum_gm.forums.markup import soup_of, without_quotes
from forum_gm.forums.phpbb2 import PhpBB2
from forum_gm.forums.phpbb3 import PhpBB3
from forum_gm.forums.profile import Profile, ProfileForum
from forum_gm.forums.topicpage import Context, PageParser, TopicPage
from forum_gm.forums.transport import Transport
from forum_gm.wording import trouble
from parsers.html import from_html

ENGINES: dict[str, PageParser] = {"phpbb3": prosilver.parse, "subsilver2": subsilver2.parse, "phpbb2": subsilver.parse}
"""Engines with a parser of their own; `phpbb30` reads like `phpbb3`."""


def engine_of(document: Document) -> str | Profile | None:
    """The engine that made a topic page, or None."""
    if subsilver2.looks_like(document):
        return "subsilver2"
    if prosilver.posts_of(document) and prosilver.has_marks(document):
        return "phpbb3"
    if subsilver.looks_like(document):
        return "phpbb2"
    for profile in profiles.shipped():
        if profiles.recognises(profile, document):
            return profile
    return "phpbb3" if prosilver.looks_like(document) else None


def chosen_engine(engine: str) -> str | Profile | None:
    """What `--engine` names; None for `auto`. `UnknownEngine`, `BadProfile`."""
    if engine == "auto":
        return None
    if engine.endswith(".toml"):
        return profiles.load_profile(Path(engine))
    if engine in ("phpbb30", "phpbb31", "phpbb32", "phpbb33"):
        return "phpbb3"
    if engine in ENGINES:
        return engine
    for profile in profiles.shipped():
        if profile.name == engine:
            return profile
    known = [*ENGINES, *(profile.name for profile in profiles.shipped())]
    raise errors.UnknownEngine(f"есть: auto, {', '.join(known)} или файл профиля .toml")


def parse_page(document: Document, context: Context, engine: str | Profile | None = None, *, status: int = 200) -> TopicPage:
    """One page. Raises what it stands for if it isn't a topic: `NotFound`, `LoginNeeded`, `Maintenance`, `UnknownEngine`, …"""
    engine = engine if engine is not None else engine_of(document)
    if engine is None or (engine == "phpbb3" and not prosilver.posts_of(document)):
        if login_form(document.soup) is not None:
            raise errors.LoginNeeded(where=context.url)
        text = message_text(document.soup)
        if text:
            raise refusal(text, status, context.url)
    if engine is None:
        raise errors.UnknownEngine(where=context.url)
    if isinstance(engine, Profile):
        return profiles.parse(engine, document, context)
    return ENGINES[engine](document, context)


def read_files(paths: Sequence[Path], engine: str = "auto") -> tuple[str, Topic]:
    """(engine, topic) of saved pages, in any order; all must be of one topic. Their own times of saving stand in for «now»."""
    chosen = chosen_engine(engine)
    pages: list[TopicPage] = []
    for path in paths:
        try:
            raw = path.read_bytes()
            saved = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        except OSError as error:
            raise UsageProblem(f"Не читается файл {path}: {trouble(error)}.") from error
        document = Document(decoded(raw))
        pages.append(parse_page(document, Context(address_of(document, path.name), saved), chosen))
    return pages[0].engine, _joined(pages)


def address_of(document: Document, otherwise: str) -> str:
    """The address a saved page names as its own."""
    canonical = first(document.root, "//link[@rel='canonical'][@href]")
    return canonical.get("href") if canonical is not None else otherwise


def decoded(raw: bytes) -> str:
    """A saved page's text, in the character set that it names."""
    head = raw[:4096].lower()
    encoding = "utf-8"
    for mark in (b"charset=", b'charset="'):
        if mark in head:
            encoding = (
                head.split(mark, 1)[1]
                .lstrip(b"\"' ")
                .split(b'"')[0]
                .split(b"'")[0]
                .split(b">")[0]
                .strip(b" ;/")
                .decode("ascii", "ignore")
            )
            break
    try:
        return raw.decode(encoding or "utf-8", "replace")
    except LookupError:
        return raw.decode("utf-8", "replace")


def _joined(pages: Sequence[TopicPage]) -> Topic:
    topics = {page.topic_id for page in pages if page.topic_id is not None}
    if len(topics) > 1:
        raise errors.BadInput(f"страницы разных тем: {', '.join(str(t) for t in sorted(topics))}")
    first = pages[0]
    posts = {post.id: post for page in pages for post in page.posts}
    # Saved pages stand in the order given; a single page keeps the board's own order.
    ordered = list(first.posts) if len(pages) == 1 else sorted(posts.values(), key=lambda post: (post.time, post.id))
    return Topic(
        id=first.topic_id or 0,
        title=first.title,
        posts=tuple(ordered),
        forum_id=first.forum_id,
        locked=first.locked,
        total=first.total,
        poll=next((page.poll for page in pages if page.poll is not None), None),
        complete=first.total is None or len(posts) >= first.total,
    )


def read_url(url: str, engine: str = "auto", *, transport: Transport | None = None) -> tuple[str, Topic]:
    """(engine, topic) of an address, all pages, as a guest."""
    chosen = chosen_engine(engine)
    transport = transport or Transport()
    if isinstance(chosen, Profile):
        forum = ProfileForum(url, chosen, transport=transport)
        return forum.engine, forum.read_address(url)
    if chosen is None:
        page = transport.get(url)
        document = Document(page.text)
        shown = parse_page(document, Context(page.url, page.fetched), status=page.status)
        if not isinstance(found := engine_of(document), str):
            assert isinstance(found, Profile)
            other = ProfileForum(url, found, transport=transport)
            return other.engine, other.read_address(url)
        chosen, topic_id = shown.engine, shown.topic_id
    else:
        topic_id = number(url, "t")
    root = url.split("?", 1)[0].rsplit("/", 1)[0] + "/"
    client = PhpBB2(root, transport=transport) if chosen == "phpbb2" else PhpBB3(root, transport=transport)
    if topic_id is None:
        post_id = number(url, "p")
        if post_id is None:
            raise errors.NotFound("в адресе нет номера темы (t=…)", where=url)
        topic_id = client.read_page_of(post_id).id
    return chosen, client.read_topic(topic_id)


def is_address(text: str) -> bool:
    """Whether an argument is an address and not a file."""
    return urlsplit(text).scheme in ("http", "https")


def read(sources: Sequence[str], engine: str = "auto", *, transport: Transport | None = None) -> tuple[str, Topic]:
    """(engine, topic) of one address or of saved pages."""
    if len(sources) == 1 and is_address(sources[0]):
        return read_url(sources[0], engine, transport=transport)
    if any(is_address(source) for source in sources):
        raise errors.BadInput("укажите один адрес или только файлы")
    return read_files([Path(source) for source in sources], engine)


def own_text(post: Post) -> str:
    """The author's own words as plain text: no quotes, signature or captions."""
    body = soup_of(f"<div>{post.html}</div>").div
    if body is None:
        return ""
    lines = (line.rstrip() for line in from_html(without_quotes(body).decode_contents(formatter="minimal")).text.split("\n"))
    return "\n".join(lines).strip()


def to_json(engine: str, topic: Topic) -> dict[str, Any]:
    """The document of `forum read --json`."""
    return {
        "engine": engine,
        "topic": {"id": topic.id, "title": topic.title, "locked": topic.locked, "posts": topic.total},
        "posts": [_post_json(post) for post in topic.posts],
        **({"missing": topic.missing} if topic.missing else {}),
        **(
            {
                "poll": {
                    "question": topic.poll.question,
                    "options": [{"text": option.text, "votes": option.votes} for option in topic.poll.options],
                }
            }
            if topic.poll
            else {}
        ),
    }


def _stamp(moment: datetime | None) -> str | None:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if moment is not None else None


def _post_json(post: Post) -> dict[str, Any]:
    edited = post.edited
    return {
        "id": post.id,
        "author": post.author,
        "author_id": post.author_id,
        "time": _stamp(post.time),
        "subject": post.subject,
        "edited": None
        if edited is None
        else {
            "count": edited.count,
            "time": _stamp(edited.time),
            "by": edited.by,
            "by_id": edited.by_id,
            "reason": edited.reason,
        },
        "text": own_text(post),
        "quotes": [_quote_json(quote) for quote in post.quotes],
        "attachments": [{"name": file.name, "url": file.url, "comment": file.comment} for file in post.attachments],
        "visibility": post.visibility.value,
    }


def _quote_json(quote: Quote) -> dict[str, Any]:
    return {
        "author": quote.author,
        "author_id": quote.author_id,
        "post_id": quote.post_id,
        "text": quote.text,
        "quotes": [_quote_json(inner) for inner in quote.quotes],
    }
