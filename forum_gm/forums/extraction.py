"""What a page of a topic yields, post by post, for whoever writes a profile or wonders what the program sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bs4 import Tag

from forum_gm.forums import errors
from forum_gm.forums import profile as profiles
from forum_gm.forums.base import Post, Visibility
from forum_gm.forums.document import Document
from forum_gm.forums.markup import attribute, text_of
from forum_gm.forums.opening import address_of, chosen_engine, decoded, engine_of, is_address, own_text, parse_page
from forum_gm.forums.profile import Profile, Where
from forum_gm.forums.topicpage import Context, TopicPage
from forum_gm.forums.transport import Transport

SHOWN = 300
"""Characters of a post's text that are shown."""
VISIBLE = {Visibility.UNAPPROVED: "ждёт одобрения", Visibility.DELETED: "удалено"}


@dataclass(frozen=True, slots=True)
class Extracted:
    """One line: something that was found, or that is missing."""

    good: bool
    text: str

    def __str__(self) -> str:
        return f"{'✓' if self.good else '✗'} {self.text}"


def extraction(source: str, engine: str = "auto", *, transport: Transport | None = None) -> Iterator[Extracted]:
    """What is read from one page (an address or a saved file). What can't be read is a line too, never an exception."""
    try:
        chosen = chosen_engine(engine)
        document, context, status = _page(source, transport)
    except errors.ForumError as error:
        yield Extracted(False, str(error))
        return
    found = chosen if chosen is not None else engine_of(document)
    name = found.name if isinstance(found, Profile) else found
    yield Extracted(found is not None, f"движок: {name or 'не узнан; укажите его ключом --engine или опишите файлом профиля'}")
    if isinstance(found, Profile):
        yield from _fields(found, document, context)
    try:
        page = parse_page(document, context, found, status=status)
    except errors.ForumError as error:
        yield Extracted(False, str(error))
        return
    yield from _topic(page)
    for post in page.posts:
        yield from _post(post)


def _page(source: str, transport: Transport | None) -> tuple[Document, Context, int]:
    if is_address(source):
        page = (transport or Transport()).get(source)
        return Document(page.text), Context(page.url, page.fetched), page.status
    path = Path(source)
    try:
        raw, saved = path.read_bytes(), datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError as error:
        raise errors.NotFound(f"{path}: {error.strerror}") from error
    document = Document(decoded(raw))
    return document, Context(address_of(document, path.name), saved), 200


def _topic(page: TopicPage) -> Iterator[Extracted]:
    number = f"номер {page.topic_id}" if page.topic_id is not None else "номера в адресе нет"
    total = f", всего сообщений в теме: {page.total}" if page.total is not None else ""
    closed = ", закрыта" if page.locked else ""
    yield Extracted(bool(page.title), f"тема «{page.title}», {number}{total}{closed}; на странице сообщений: {len(page.posts)}")


def _post(post: Post) -> Iterator[Extracted]:
    exact = "" if post.time_step == 1 else ", с точностью до минуты" if post.time_step == 60 else ", время неизвестно"
    state = f", {VISIBLE[post.visibility]}" if post.visibility in VISIBLE else ""
    author = f"{post.author} [{post.author_id if post.author_id is not None else '—'}]"
    yield Extracted(bool(post.author), f"№{post.id} · {author} · {post.time:%Y-%m-%d %H:%M:%S} UTC{exact}{state}")
    if post.author_id is None:
        yield Extracted(True, "    номера учётной записи нет: автор узнаётся только по имени, а имя ничего не доказывает")
    if post.edited is not None:
        edit = post.edited
        when = f"{edit.time:%Y-%m-%d %H:%M:%S} UTC" if edit.time else "когда, не сказано"
        why = f", причина: {edit.reason}" if edit.reason else ""
        yield Extracted(True, f"    правок {edit.count}, последняя: {edit.by or 'кто, не сказано'}, {when}{why}")
    if post.quotes:
        yield Extracted(True, f"    цитаты (не его слова): {', '.join(quote.author or 'без имени' for quote in post.quotes)}")
    if post.attachments:
        yield Extracted(True, f"    файлы: {', '.join(file.name for file in post.attachments)}")
    text = " / ".join(line.strip() for line in own_text(post).splitlines() if line.strip())
    yield Extracted(True, f"    {text[:SHOWN]}{'…' if len(text) > SHOWN else ''}" if text else "    (своих слов нет)")


def _fields(profile: Profile, document: Document, context: Context) -> Iterator[Extracted]:
    """Which keys of a profile find nothing, with what they do find where that can't be read."""
    posts = document.soup.select(profile.post.select)
    if not posts:
        yield Extracted(False, f"post.select = «{profile.post.select}»: на странице такого нет")
        return
    yield Extracted(True, f"post.select: найдено {len(posts)}")
    for number, tag in enumerate(posts, 1):
        for fault in _faults(profile, tag, context):
            yield Extracted(False, f"сообщение {number} по порядку: {fault}")


def _faults(profile: Profile, tag: Tag, context: Context) -> Iterator[str]:
    part = profile.post
    for key, where in (("id", part.id), ("author", part.author), ("time", part.time)):
        value = profiles.value_of(where, tag)
        if not value:
            yield f"post.{key} ничего не нашёл{_seen(where, tag)}"
        elif key == "id" and not value.isdigit():
            yield f"post.id нашёл «{value}», а нужно число"
        elif key == "time" and profiles.time_of(profile, value, context) is None:
            yield f"post.time нашёл «{value}», но это не дата"
    if tag.select_one(part.body) is None:
        yield f"post.body = «{part.body}»: такого внутри нет"


def _seen(where: Where, tag: Tag) -> str:
    place = tag.select_one(where.select) if where.select else tag
    if place is None:
        return f": внутри нет «{where.select}»"
    text = attribute(place, where.attribute) if where.attribute else text_of(place)
    return f" в «{text[:80]}»" if text else f": у «{where.select}» нет {where.attribute or 'текста'}"
