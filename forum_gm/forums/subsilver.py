"""Topic pages of phpBB 2.0 in subSilver: three table rows a post, no id on any of them, bodies broken up by quotes."""

from __future__ import annotations

import re
from datetime import tzinfo

from bs4 import BeautifulSoup, NavigableString, Tag

from forum_gm.forums import prosilver
from forum_gm.forums.addresses import number
from forum_gm.forums.base import Edit, Post
from forum_gm.forums.dates import read_time
from forum_gm.forums.document import Document, first, has
from forum_gm.forums.errors import NotATopic
from forum_gm.forums.markup import attribute, find_tag, inner_html, joined_text, quotes_in, tags_in, text_of, user_id, with_class
from forum_gm.forums.oldmarkup import modernise
from forum_gm.forums.topicpage import Context, TopicPage

SIGNATURE_LINE = "_________________"
_MARKS = f"//span[{has('name')}]//a[@name] | //a[{has('maintitle')}]"


def looks_like(document: Document) -> bool:
    """True for a topic page of phpBB 2."""
    if first(document.root, _MARKS) is None:
        return False
    soup = document.soup
    return bool(_anchors(soup)) or (soup.select_one("a.maintitle") is not None and soup.select_one("span.postbody") is not None)


def _anchors(soup: Tag) -> list[Tag]:
    marked = [tag for tag in tags_in(soup, "a") if attribute(tag, "name").isdigit()]
    return [tag for tag in marked if with_class(tag.parents, "name")]


def parse(document: Document, context: Context) -> TopicPage:
    """Reads a page; `NotATopic` if it yields no posts."""
    soup, zone = document.soup, prosilver.zone_of(document)
    heading = soup.select_one("a.maintitle")
    topic_id = number(attribute(heading, "href"), "t") if heading is not None else None
    if topic_id is None:
        topic_id = number(context.url, "t")
    forums = [number(attribute(link, "href"), "f") for link in soup.select("span.nav a[href*='viewforum.php']")]
    forum_id = forums[-1] if forums else None
    posts = tuple(post for anchor in _anchors(soup) if (post := _post(anchor, context, zone, topic_id, forum_id)) is not None)
    if not posts:
        raise NotATopic(where=context.url)
    now, pages = _pages(soup)
    per_page = next((start // (page - 1) for page, start in pages.items() if page > 1 and start), None)
    later = [start for page, start in pages.items() if page > now]
    start = (now - 1) * (per_page or 0)
    reply = find_tag(soup, "a", href=re.compile(r"mode=reply"))
    image = find_tag(reply, "img") if isinstance(reply, Tag) else None
    locked = isinstance(image, Tag) and bool(re.search(r"lock|закрыт", attribute(image, "src") + attribute(image, "alt"), re.I))
    return TopicPage(
        engine="phpbb2",
        topic_id=topic_id,
        title=joined_text(heading),
        posts=posts,
        forum_id=forum_id,
        locked=locked,
        start=start,
        next_start=min(later) if later else None,
        last_start=max([*pages.values(), start]),
        per_page=per_page,
        logged_in=prosilver.is_logged_in(soup),
        may_reply=reply is not None,
    )


def _pages(soup: BeautifulSoup) -> tuple[int, dict[int, int]]:
    """(number of this page, offsets of the numbered pages)."""
    pages: dict[int, int] = {}
    now = 1
    for bar in with_class(tags_in(soup, "span"), "nav", "gensmall"):
        links = [link for link in tags_in(bar, "a") if re.search(r"viewtopic\.php\?[^#]*start=", attribute(link, "href"))]
        if not links:
            continue
        for link in links:
            if joined_text(link).isdigit():
                pages[int(joined_text(link))] = number(attribute(link, "href"), "start") or 0
        bold = [joined_text(tag) for tag in bar.find_all("b") if joined_text(tag).isdigit()]
        if bold:
            now = int(bold[-1])
    return now, pages


def _post(anchor: Tag, context: Context, zone: tzinfo, topic_id: int | None, forum_id: int | None) -> Post | None:
    post_id = int(attribute(anchor, "name"))
    row = anchor.find_parent("tr")
    name = anchor.find_parent("span")
    if row is None or not isinstance(name, Tag):
        return None
    inside = tags_in(row)
    details = [tag for tag in with_class(inside, "postdetails") if re.search(r"Добавлено|Posted", text_of(tag))]
    moment = read_time(text_of(details[0]), zone=zone, now=context.now) if details else None
    if moment is None:
        raise NotATopic("у сообщения не видно времени", where=f"{context.url}#{post_id}")
    bodies = with_class(inside, "postbody")
    cell = bodies[0].find_parent("td") if bodies else None
    if cell is None:
        return None
    body = body_in(cell)
    subject = re.search(r"(?:Заголовок сообщения|Post subject):\s*(.*)$", text_of(details[0]))
    # The profile link is in the third row of the post.
    profile = None
    after = row.find_next_sibling("tr")
    if isinstance(after, Tag) and not _anchors(after):
        links = [tag for tag in tags_in(after, "a") if "profile.php?mode=viewprofile" in attribute(tag, "href")]
        profile = links[0] if links else None
    return Post(
        id=post_id,
        author=joined_text(find_tag(name, "b")),
        author_id=user_id(profile) if isinstance(profile, Tag) else None,
        time=moment.time,
        time_step=moment.step,
        html=inner_html(body),
        subject=subject[1].strip() if subject else "",
        edited=_edit(cell, zone),
        quotes=quotes_in(body),
        topic_id=topic_id,
        forum_id=forum_id,
    )


def body_in(cell: Tag) -> Tag:
    """The pieces of a body put together again, without the signature and the edit notice."""
    whole = BeautifulSoup("<div></div>", "lxml").div
    assert whole is not None
    ended = False
    for child in list(cell.children):
        if isinstance(child, Tag) and child.name == "span" and "gensmall" in child.get_attribute_list("class"):
            continue
        if ended:
            continue
        if isinstance(child, Tag) and child.name == "span" and "postbody" in child.get_attribute_list("class"):
            for part in list(child.children):
                if isinstance(part, NavigableString) and SIGNATURE_LINE in str(part):
                    ended = True
                    before = str(part).split(SIGNATURE_LINE, 1)[0]
                    if before.strip():
                        whole.append(before)
                    break
                whole.append(part.extract())
        elif isinstance(child, Tag):
            whole.append(child.extract())
    modernise(whole)
    return whole


def _edit(cell: Tag, zone: tzinfo) -> Edit | None:
    for span in with_class(tags_in(cell, "span"), "gensmall"):
        text = text_of(span)
        match = re.search(
            r"(?:редактировалось|edited by):?\s*(.+?)\s*(?:\(|on\s)(.+?)\)?,\s*(?:всего редактировалось|edited)\s*(\d+)",
            text,
            re.I,
        )
        if match:
            moment = read_time(match[2], zone=zone)
            return Edit(int(match[3]), moment.time if moment else None, match[1])
    return None
