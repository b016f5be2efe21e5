"""Topic pages of phpBB 3.0 to 4.0 in prosilver and the styles derived from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

from bs4 import BeautifulSoup, Tag

from forum_gm.forums.addresses import number
from forum_gm.forums.base import Attachment, Edit, Poll, PollOption, Post, Quote, Visibility
from forum_gm.forums.dates import Moment, read_time, zone_in
from forum_gm.forums.document import Document, Element, Parts, any_of, classes, every, first, has, joined, spaced, tag_of, texts
from forum_gm.forums.errors import NotATopic
from forum_gm.forums.markup import (
    attachments_in,
    find_tag,
    inner_html,
    joined_text,
    quotes_in,
    set_files_aside,
    text_of,
    user_id,
)
from forum_gm.forums.oldmarkup import modernise
from forum_gm.forums.topicpage import Context, TopicPage

_NAMES = {"username", "username-coloured"}
_LOCKS = (
    f"//*[{any_of('fa-lock', 'locked-icon')}]"
    f"[({has('fa-lock')} and ancestor::*[{has('action-bar')}]) or "
    f"({has('locked-icon')} and ancestor::*[{any_of('topic-actions', 'buttons')}])]"
)
_UNAPPROVED = f".//*[{has('rules')}]//*[{has('approve')}] | .//form[{has('mcp_approve')}]//*[{has('unapproved')}]"


def looks_like(document: Document) -> bool:
    """True for a topic page of this family, with or without readable posts."""
    body = first(document.root, "/html/body")
    if (
        body is not None
        and "section-viewtopic" in classes(body)
        and not is_message(document.soup)
        and first(document.root, "//form[@id='login']") is None
    ):
        return True
    return posts_of(document) != [] or first(document.root, f"//h2[{has('topic-title')}]") is not None


def is_message(soup: BeautifulSoup) -> bool:
    """True for a message page."""
    return soup.find(id="message") is not None and find_tag(soup, "textarea", attrs={"name": "message"}) is None


def is_logged_in(soup: BeautifulSoup) -> bool:
    """True when the page was made for a member: it offers to log out."""
    return find_tag(soup, "a", href=re.compile(r"mode=logout|login\.php\?logout")) is not None


def posts_of(document: Document) -> list[Element]:
    """The containers of posts, in order."""
    found = every(document.root, f"//*[starts-with(@id,'p')][.//*[{any_of('content', 'postbody', 'ignore')}]]")
    return [element for element in found if re.fullmatch(r"p\d+", element.get("id"))]


def has_marks(document: Document) -> bool:
    """Whether a page has the marks of this family beside numbered boxes."""
    return first(document.root, f"//*[{any_of('postbody', 'postprofile')}] | //p[{has('author')}]") is not None


@dataclass(frozen=True, slots=True)
class _Page:
    """What all posts of a page share."""

    context: Context
    zone: tzinfo
    topic_id: int | None
    forum_id: int | None


def parse(document: Document, context: Context) -> TopicPage:
    """Reads a page; `NotATopic` if it looks like a topic but yields no posts."""
    root = document.root
    forum_id = _forum_of(root, context)
    topic_id, title = topic_of(document, context)
    page = _Page(context, zone_of(document), topic_id, forum_id)
    posts = tuple(_post(element, page) for element in posts_of(document))
    if not posts:
        raise NotATopic(where=context.url)
    starts, start, next_start, per_page, total = pagination(document)
    reply = first(root, "//a[contains(@href,'mode=reply')]")
    return TopicPage(
        engine="phpbb3",
        topic_id=topic_id,
        title=title,
        posts=posts,
        forum_id=forum_id,
        locked=first(root, _LOCKS) is not None or _locked_by_text(reply),
        total=total,
        start=start,
        next_start=next_start,
        last_start=max([*starts, start]),
        per_page=per_page,
        poll=_poll(document),
        logged_in=first(root, "//a[contains(@href,'mode=logout') or contains(@href,'login.php?logout')]") is not None,
        may_reply=reply is not None,
    )


def _forum_of(root: Element, context: Context) -> int | None:
    crumbs = [element.get("data-forum-id") for element in every(root, "//*[@data-forum-id]")]
    if crumbs and crumbs[-1].isdigit():
        return int(crumbs[-1])
    links = every(root, f"//*[{has('navlinks')}]//a[contains(@href,'viewforum.php')]")  # 3.0
    numbers = [number(link.get("href"), "f") for link in links]
    return next((found for found in reversed(numbers) if found is not None), number(context.url, "f"))


def _locked_by_text(reply: Element | None) -> bool:
    return reply is not None and bool(re.search(r"закрыт|locked", (reply.get("title") or "") + spaced(reply), re.I))


def topic_of(document: Document, context: Context) -> tuple[int | None, str]:
    """The topic's id and title from the heading, the canonical link, or the address."""
    heading = first(
        document.root,
        f"//h2[{has('topic-title')}]//a | //h2//a[{has('titles')}] | //*[@id='page-body']/h2//a | "
        "//h2//a[contains(@href,'viewtopic.php')]",
    )
    title = joined(heading)
    canonical = first(document.root, "//link[@rel='canonical']")
    for element in (heading, canonical):
        found = number(element.get("href") or "", "t") if element is not None else None
        if found is not None:
            return found, title
    return number(context.url, "t"), title


_FOOTERS = (
    "//*[@id='nav-footer']",
    f"//p[{has('datetime')}]",
    f"//*[{has('navbar-footer')}]",
    "//*[@id='page-footer']",
    f"//*[{has('footerbar')}]",
)


def zone_of(document: Document) -> tzinfo:
    """The zone of the page's text dates; UTC where the page doesn't say."""
    for path in _FOOTERS:
        for element in every(document.root, path):
            zone = zone_in(spaced(element))
            if zone is not None:
                return zone
    return zone_in(spaced(first(document.root, "/html/body"))[-600:]) or UTC


def pagination(document: Document) -> tuple[list[int], int, int | None, int | None, int | None]:
    """(offsets of pages named, this page's offset, next page's offset, posts a page, total)."""
    bar = first(document.root, f"//*[{has('pagination')}]")
    if bar is None:
        return [0], 0, None, None, None
    total = None
    for piece in texts(bar):
        match = re.search(r"(\d[\d\s.,]*)", piece)
        if match:
            total = int(re.sub(r"\D", "", match[1]))
            break
    links = [(link, number(link.get("href"), "start") or 0) for link in every(bar, ".//a[contains(@href,'viewtopic.php')]")]
    starts = sorted({start for _, start in links})
    jump = first(document.root, "//input[@name='page-number'][@data-per-page] | //*[@data-per-page]")
    per_page = int(jump.get("data-per-page")) if jump is not None and jump.get("data-per-page").isdigit() else None
    current = next(
        (
            found
            for path in (f".//li[{has('active')}]", ".//span//strong", ".//strong")
            if (found := first(bar, path)) is not None
        ),
        None,
    )
    numbered = {int(name): start for link, start in links if (name := joined(link)).isdigit()}
    if per_page is None:
        sizes = [start // (page - 1) for page, start in numbered.items() if page > 1 and start]
        per_page = sizes[0] if sizes else None
    page_now = int(joined(current)) if current is not None and joined(current).isdigit() else 1
    if per_page:
        start = (page_now - 1) * per_page
    else:
        # The last of two pages names no page size; what is not on it stands before it.
        shown = len(every(document.root, f"//div[{has('post')}][@id]"))
        start = max(0, total - shown) if page_now > 1 and total is not None else 0
    following = first(bar, ".//a[@rel='next']")
    next_start: int | None = None
    if following is not None:
        next_start = number(following.get("href") or "", "start")
    else:
        later = [s for page, s in numbered.items() if page > page_now]
        next_start = min(later) if later else None
    return starts or [0], start, next_start, per_page, total


def _post(element: Element, page: _Page) -> Post:
    post_id = int(element.get("id")[1:])
    parts = Parts(element)
    hidden = next(iter(parts.of_class("ignore")), None)
    heads = parts.of_class("author", "p") or parts.of_class("author")
    head = heads[0] if heads else None
    now = page.context.now
    moment = post_time(head, page.zone, now) or post_time(hidden, page.zone, now)
    if moment is None:
        # A template we don't know: saying so beats inventing a time that decides about deadlines.
        raise NotATopic("у сообщения не видно времени", where=f"{page.context.url}#p{post_id}")
    author, author_id = _who(element, head, hidden)
    visibility = _visibility(element, parts, hidden)
    headings = parts.of_tag("h3")
    linked = [link for heading in headings for link in heading.iter("a")]
    html, quotes, files = _words(element, parts, page.context.url)
    return Post(
        id=post_id,
        author=author,
        author_id=author_id,
        time=moment.time,
        time_step=moment.step,
        html=html,
        subject=joined(next(iter(linked or headings), None)),
        edited=_edit(parts, page.zone),
        quotes=quotes,
        attachments=files,
        visibility=visibility,
        delete_reason=_delete_reason(hidden) if visibility is Visibility.DELETED else "",
        ignored=hidden is not None and visibility is not Visibility.DELETED,
        topic_id=page.topic_id,
        forum_id=page.forum_id,
    )


def _words(element: Element, parts: Parts, base: str) -> tuple[str, tuple[Quote, ...], tuple[Attachment, ...]]:
    """(body, quotes, files) of a post: here every tag counts, so this piece of the page is made a soup."""
    files: tuple[Attachment, ...] = ()
    addresses = [*(link.get("href") for link in parts.of_tag("a")), *(image.get("src") for image in parts.of_tag("img"))]
    if any("download/file.php" in (address or "") for address in addresses):
        whole = tag_of(element)
        body = find_tag(whole, "div", class_="content")
        files = attachments_in(whole, body, base)
    else:
        contents = parts.of_class("content", "div")
        body = tag_of(contents[0]) if contents else None
    if body is None:
        return "", (), files
    set_files_aside(body)
    if any(next(box.iter("pre"), None) is None for box in parts.of_class("codebox")):
        modernise(body)
    return inner_html(body), quotes_in(body), files


def _visibility(element: Element, parts: Parts, hidden: Element | None) -> Visibility:
    own = classes(element)
    notices = {name for notice in parts.of_class("post-notice") for name in classes(notice)}
    if "deleted" in own | notices or parts.of_class("post_deleted_msg") or _says_deleted(hidden):
        return Visibility.DELETED
    asked = parts.of_class("approve") or parts.of_class("unapproved")
    if "unapproved" in own | notices or (asked and first(element, _UNAPPROVED) is not None):
        return Visibility.UNAPPROVED
    return Visibility.APPROVED


def _account(link: Element) -> int | None:
    """The account of a profile link; None for the anonymous one."""
    found = number(link.get("href") or "", "u")
    return found if found is not None and found > 1 else None


def _who(element: Element, head: Element | None, hidden: Element | None) -> tuple[str, int | None]:
    found = _named(head)
    if found is None:
        found = _named(first(element, f".//*[{has('postprofile')}]//dt")) or _named(hidden)
    return found if found is not None else ("", None)


def _named(place: Element | None) -> tuple[str, int | None] | None:
    """(name, account) in a place where an author is named."""
    if place is None:
        return None
    links = list(place.iter("a", "span"))
    link = next((link for link in links if classes(link) & _NAMES), None)
    if link is None:
        link = next((link for link in links if "mode=viewprofile" in (link.get("href") or "")), None)
    if link is not None:
        return joined(link), _account(link)
    strong = next(place.iter("strong"), None)
    return (joined(strong), None) if strong is not None else None


def post_time(head: Element | None, zone: tzinfo, now: datetime | None) -> Moment | None:
    """The time in a post's heading: machine-readable where there is one, else the last text after the name."""
    if head is None:
        return None
    stamp = next((stamp for stamp in head.iter("time") if stamp.get("datetime")), None)
    if stamp is not None:
        moment = read_time(stamp.get("datetime"))
        if moment is not None:
            return moment
    # The name itself may look like a date: read only what follows it.
    own = "".join(every(head, ".//text()[not(ancestor::a or ancestor::strong) or contains(.,'»')]"))
    return read_time(own.rsplit("»", 1)[-1], zone=zone, now=now)


def _says_deleted(hidden: Element | None) -> bool:
    return hidden is not None and bool(re.search(r"удал(?:ил|ено|ён)|deleted", spaced(hidden), re.I))


def _delete_reason(hidden: Element | None) -> str:
    match = re.search(r"(?:причине|reason):\s*(.+?)\s*(?:Показать это сообщение|Display this post|$)", spaced(hidden))
    return match[1] if match else ""


def _edit(parts: Parts, zone: tzinfo) -> Edit | None:
    for notice in parts.of_class("notice", "div"):
        if "post_deleted_msg" in classes(notice):
            continue
        edit = edit_of(tag_of(notice), zone)
        if edit is not None:
            return edit
    return None


def edit_of(notice: Tag, zone: tzinfo) -> Edit | None:
    """An edit notice («Последний раз редактировалось … , всего редактировалось N раз»), or None for another notice."""
    text = text_of(notice)
    count = re.search(r"всего редактировалось\s*:?\s*(\d+)|edited\s+(\d+)\s+times?\s+in\s+total|(\d+)\s+раз", text, re.I)
    if count is None:
        return None
    link = find_tag(notice, "a", href=re.compile(r"viewprofile")) or find_tag(notice, class_=["username", "username-coloured"])
    by = joined_text(link)
    before = text[: count.start()]
    if by:
        before = before.split(by, 1)[-1]
    else:
        match = re.search(r"редактировалось:?\s*(.+?)\s*[(,]|edited by\s+(.+?)\s+on\s", before, re.I)
        by = (match[1] or match[2] or "").strip() if match else ""
    moment = read_time(before, zone=zone)
    why = find_tag(notice, "em")
    times = next(int(group) for group in count.groups() if group)
    return Edit(
        times,
        moment.time if moment else None,
        by,
        user_id(link),
        joined_text(why),
    )


def _poll(document: Document) -> Poll | None:
    form = first(document.root, f"//form[{has('topic_poll')}]")
    if form is None:
        form = first(document.root, f"//fieldset[{has('polls')}]")
    if form is None:
        return None
    title = first(form, f".//*[{has('poll-title')}]")
    if title is None:
        before = every(form, "preceding::h2") or every(form, ".//h2")
        title = before[-1] if before else None
    options = []
    for line in every(form, ".//dl"):
        bar = first(line, ".//*[starts-with(@class,'pollbar')]")
        if not line.get("data-poll-option-id") and bar is None and first(line, ".//input[@name='vote_id[]']") is None:
            continue
        votes = joined(bar)
        options.append(PollOption(joined(first(line, ".//dt")), int(votes) if votes.isdigit() else None))
    return Poll(joined(title), tuple(options)) if options else None
