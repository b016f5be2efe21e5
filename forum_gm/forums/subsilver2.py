"""Topic pages of phpBB 3.0 and 3.1 in the subsilver2 style: tables, anchors `a[name=pN]`, no machine-readable times."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from bs4 import BeautifulSoup, Tag

from forum_gm.forums import prosilver
from forum_gm.forums.addresses import number
from forum_gm.forums.base import Edit, Post, Visibility
from forum_gm.forums.dates import read_time
from forum_gm.forums.document import Document, every, first, has
from forum_gm.forums.errors import NotATopic
from forum_gm.forums.markup import (
    attachments_in,
    attribute,
    find_tag,
    inner_html,
    joined_text,
    quotes_in,
    set_files_aside,
    tags_in,
    text_of,
    user_id,
    with_class,
)
from forum_gm.forums.oldmarkup import modernise
from forum_gm.forums.topicpage import Context, TopicPage

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def looks_like(document: Document) -> bool:
    """True for a topic page in this style."""
    if any(re.fullmatch(r"p\d+", anchor.get("name")) for anchor in every(document.root, "//a[starts-with(@name,'p')]")):
        return True
    return first(document.root, f"//b[{has('postauthor')}][//*[@id='pagecontent']]") is not None


def _anchors(soup: BeautifulSoup) -> list[Tag]:
    return [tag for tag in tags_in(soup, "a") if re.fullmatch(r"p\d+", attribute(tag, "name"))]


def parse(document: Document, context: Context) -> TopicPage:
    """Reads a page; `NotATopic` if it yields no posts."""
    soup, zone = document.soup, prosilver.zone_of(document)
    topic_id, title = prosilver.topic_of(document, context)
    crumbs = [crumb.get("data-forum-id") for crumb in every(document.root, "//*[@data-forum-id]")]
    forum_id = int(crumbs[-1]) if crumbs and crumbs[-1].isdigit() else None
    posts = tuple(post for anchor in _anchors(soup) if (post := _post(anchor, context, zone, topic_id, forum_id)) is not None)
    if not posts:
        raise NotATopic(where=context.url)
    starts, start, next_start, per_page = _pages(soup)
    count = re.search(r"\[\s*(\d+)\s+(?:сообщени|post)", text_of(soup.body))
    reply = first(document.root, "//a[contains(@href,'mode=reply')]")
    locked = first(document.root, "//*[contains(@class,'topic_locked') or contains(@class,'button_locked')]") is not None
    return TopicPage(
        engine="subsilver2",
        topic_id=topic_id,
        title=title,
        posts=posts,
        forum_id=forum_id,
        locked=locked,
        total=int(count[1]) if count else None,
        start=start,
        next_start=next_start,
        last_start=max([*starts, start]),
        per_page=per_page,
        logged_in=prosilver.is_logged_in(soup),
        may_reply=reply is not None,
    )


def _pages(soup: BeautifulSoup) -> tuple[list[int], int, int | None, int | None]:
    cells = with_class(tags_in(soup, "td"), "nav")
    cell = cells[0] if cells else None
    now = 1
    for td in cells:
        numbers = [joined_text(tag) for tag in td.find_all("strong")]
        if len(numbers) == 2 and all(n.isdigit() for n in numbers):
            now = int(numbers[0])
            cell = td
            break
    bar = cell.find_parent("tr") if isinstance(cell, Tag) else None
    pages: dict[int, int] = {}
    for link in tags_in(bar or soup, "a"):
        if "viewtopic.php" in attribute(link, "href") and joined_text(link).isdigit():
            pages[int(joined_text(link))] = number(attribute(link, "href"), "start") or 0
    per_page = next((start // (page - 1) for page, start in pages.items() if page > 1 and start), None)
    later = [start for page, start in pages.items() if page > now]
    return sorted(pages.values()) or [0], (now - 1) * (per_page or 0), min(later) if later else None, per_page


def _post(anchor: Tag, context: Context, zone: tzinfo, topic_id: int | None, forum_id: int | None) -> Post | None:
    post_id = int(attribute(anchor, "name")[1:])
    table = anchor.find_parent("table")
    if table is None:
        return None
    if (cell := anchor.find_parent("td")) is not None and _says_deleted(cell):
        return _deleted_post(cell, post_id, context, zone, topic_id, forum_id)
    inside = tags_in(table)
    names = with_class(inside, "postauthor")
    bodies = with_class((tag for tag in inside if tag.name == "div"), "postbody")
    if not names or not bodies:
        return None
    name, body = names[0], bodies[0]
    files = attachments_in(table, body, context.url)
    set_files_aside(body)
    modernise(body)
    inside = [tag for tag in inside if not tag.decomposed]
    added = next((tag for tag in inside if tag.name == "b" and re.search(r"Добавлено|Posted", tag.string or "")), None)
    line = added.parent if added is not None else None
    moment = read_time(text_of(line), zone=zone, now=context.now) if isinstance(line, Tag) else None
    if moment is None:
        raise NotATopic("у сообщения не видно времени", where=f"{context.url}#p{post_id}")
    profiles = [tag.find_parent("a") for tag in with_class(inside, "icon_user_profile")]
    profile = next((tag for tag in profiles if tag is not None and "mode=viewprofile" in attribute(tag, "href")), None)
    author = user_id(profile if profile is not None else find_tag(name, "a"))
    subject = next((tag for tag in inside if tag.name == "a" and attribute(tag, "href") == f"#p{post_id}"), None)
    note = text_of(table)
    visibility = Visibility.APPROVED
    classes = [attribute(tag, "class") for tag in inside]
    if any("unapproved" in found for found in classes) or ("ожидает" in note and "mode=approve" in str(table)):
        visibility = Visibility.UNAPPROVED
    if any("icon_topic_deleted" in found or "post_deleted" in found for found in classes):
        visibility = Visibility.DELETED
    return Post(
        id=post_id,
        author=joined_text(name),
        author_id=author,
        time=moment.time,
        time_step=moment.step,
        html=inner_html(body),
        subject=joined_text(subject),
        edited=_edit(table, zone),
        quotes=quotes_in(body),
        attachments=files,
        visibility=visibility,
        topic_id=topic_id,
        forum_id=forum_id,
    )


def _says_deleted(cell: Tag) -> bool:
    return bool(re.search(r"удалил сообщение автора|deleted the post by", text_of(cell)))


def _deleted_post(cell: Tag, post_id: int, context: Context, zone: tzinfo, topic_id: int | None, forum_id: int | None) -> Post:
    """A softly deleted post: this style shows moderators who wrote it and why it went, neither its text nor its time."""
    names = cell.select(".username, .username-coloured")
    author = names[-1] if names else None
    text = text_of(cell)
    moment = read_time(text.split(joined_text(author), 1)[-1], zone=zone, now=context.now)
    reason = re.search(r"(?:причине|reason):\s*(.+)$", text)
    return Post(
        id=post_id,
        author=joined_text(author),
        author_id=user_id(author),
        time=moment.time if moment else EPOCH,
        time_step=0,
        html="",
        visibility=Visibility.DELETED,
        delete_reason=reason[1].strip() if reason else "",
        topic_id=topic_id,
        forum_id=forum_id,
    )


def _edit(table: Tag, zone: tzinfo) -> Edit | None:
    for span in with_class(tags_in(table, "span"), "gensmall"):
        edit = prosilver.edit_of(span, zone)
        if edit is None:
            continue
        row = span.find_parent("tr")
        after = row.find_next_sibling("tr") if row is not None else None
        reason = joined_text(after.select_one("span.genmed")) if isinstance(after, Tag) else ""
        return Edit(edit.count, edit.time, edit.by, edit.by_id, reason)
    return None
