"""Topic pages of phpBB 3.0 to 4.0 in prosilver and the styles derived from it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo

from bs4 import BeautifulSoup, NavigableString, Tag

from forum_gm.forums.addresses import number, resolve
from forum_gm.forums.base import Edit, Poll, PollOption, Post, Visibility
from forum_gm.forums.dates import Moment, read_time, zone_in
from forum_gm.forums.errors import NotATopic
from forum_gm.forums.markup import (
    attachments_in,
    attribute,
    find_tag,
    inner_html,
    joined_text,
    quotes_in,
    set_files_aside,
    text_of,
    user_id,
)
from forum_gm.forums.topicpage import Context, TopicPage

_POST_ID = re.compile(r"p\d+")


def looks_like(soup: BeautifulSoup) -> bool:
    """True for a topic page of this family, with or without readable posts."""
    body = soup.body
    if (
        body is not None
        and "section-viewtopic" in body.get_attribute_list("class")
        and not is_message(soup)
        and not is_login(soup)
    ):
        return True
    return post_tags(soup) != [] or soup.select_one("h2.topic-title") is not None


def is_message(soup: BeautifulSoup) -> bool:
    """True for a message page."""
    return soup.find(id="message") is not None and find_tag(soup, "textarea", attrs={"name": "message"}) is None


def is_login(soup: BeautifulSoup) -> bool:
    """True for the login form shown in place of a page (a small login box on other pages doesn't count)."""
    return find_tag(soup, "form", id="login") is not None


def is_logged_in(soup: BeautifulSoup) -> bool:
    """True when the page was made for a member: it offers to log out."""
    return find_tag(soup, "a", href=re.compile(r"mode=logout|login\.php\?logout")) is not None


def post_tags(soup: BeautifulSoup) -> list[Tag]:
    """The containers of posts, in order."""
    found = [tag for tag in soup.find_all("div", id=_POST_ID) if re.fullmatch(r"p\d+", attribute(tag, "id"))]
    return [tag for tag in found if tag.select_one(".content, .postbody, .ignore") is not None]


def parse(soup: BeautifulSoup, context: Context) -> TopicPage:
    """Reads a page; `NotATopic` if it looks like a topic but yields no posts."""
    zone = page_zone(soup)
    crumbs = [attribute(tag, "data-forum-id") for tag in soup.select(".crumb[data-forum-id], [data-forum-id]")]
    forum_id = int(crumbs[-1]) if crumbs and crumbs[-1].isdigit() else None
    if forum_id is None:  # 3.0
        links = [number(attribute(link, "href"), "f") for link in soup.select(".navlinks a[href*='viewforum.php']")]
        forum_id = next((found for found in reversed(links) if found is not None), number(context.url, "f"))
    topic_id, title = topic_of(soup, context)
    posts = tuple(_post(tag, soup, context, zone, topic_id, forum_id) for tag in post_tags(soup))
    if not posts:
        raise NotATopic(where=context.url)
    starts, start, next_start, per_page, total = pagination(soup)
    icons = soup.select(".action-bar .fa-lock, .topic-actions .locked-icon, .buttons .locked-icon")
    reply = find_tag(soup, "a", href=re.compile(r"mode=reply"))
    return TopicPage(
        engine="phpbb3",
        topic_id=topic_id,
        title=title,
        posts=posts,
        forum_id=forum_id,
        locked=bool(icons) or _locked_by_text(reply),
        total=total,
        start=start,
        next_start=next_start,
        last_start=max([*starts, start]),
        per_page=per_page,
        poll=_poll(soup),
        logged_in=is_logged_in(soup),
        may_reply=reply is not None,
    )


def _locked_by_text(reply: Tag | None) -> bool:
    return reply is not None and bool(re.search(r"закрыт|locked", attribute(reply, "title") + text_of(reply), re.I))


def topic_of(soup: BeautifulSoup, context: Context) -> tuple[int | None, str]:
    """The topic's id and title from the heading, the canonical link, or the address."""
    heading = soup.select_one("h2.topic-title a, h2 a.titles, #page-body > h2 a, h2 a[href*='viewtopic.php']")
    title = joined_text(heading)
    canonical = find_tag(soup, "link", rel="canonical")
    addresses = [attribute(heading, "href") if heading else "", attribute(canonical, "href") if canonical else "", context.url]
    for address in addresses:
        found = number(address, "t")
        if found is not None:
            return found, title
    return None, title


def page_zone(soup: BeautifulSoup) -> tzinfo:
    """The zone of the page's text dates; UTC where the page doesn't say."""
    for selector in ("#nav-footer", "p.datetime", ".navbar-footer", "#page-footer", ".footerbar"):
        for tag in soup.select(selector):
            zone = zone_in(text_of(tag))
            if zone is not None:
                return zone
    return zone_in(text_of(soup.body)[-600:]) or UTC


def pagination(soup: BeautifulSoup) -> tuple[list[int], int, int | None, int | None, int | None]:
    """(offsets of pages named, this page's offset, next page's offset, posts a page, total)."""
    bar = soup.select_one(".pagination")
    if bar is None:
        return [0], 0, None, None, None
    total = None
    for child in bar.find_all(string=True):
        match = re.search(r"(\d[\d\s.,]*)", str(child))
        if match and isinstance(child, NavigableString):
            total = int(re.sub(r"\D", "", match[1]))
            break
    links = [
        (link, number(attribute(link, "href"), "start") or 0)
        for link in bar.find_all("a")
        if "viewtopic.php" in attribute(link, "href")
    ]
    starts = sorted({start for _, start in links})
    jump = soup.select_one("input[name='page-number'][data-per-page], [data-per-page]")
    per_page = int(attribute(jump, "data-per-page")) if jump is not None and attribute(jump, "data-per-page").isdigit() else None
    current = bar.select_one("li.active") or bar.select_one("span strong") or bar.select_one("strong")
    numbered = {int(joined_text(link)): start for link, start in links if joined_text(link).isdigit()}
    if per_page is None:
        sizes = [start // (page - 1) for page, start in numbered.items() if page > 1 and start]
        per_page = sizes[0] if sizes else None
    page_now = int(joined_text(current)) if current is not None and joined_text(current).isdigit() else 1
    if per_page:
        start = (page_now - 1) * per_page
    else:
        # The last of two pages names no page size; what is not on it stands before it.
        start = max(0, total - len(soup.select("div.post[id]"))) if page_now > 1 and total is not None else 0
    following = bar.select_one("a[rel=next]")
    next_start: int | None = None
    if following is not None:
        next_start = number(attribute(following, "href"), "start")
    else:
        later = [s for page, s in numbered.items() if page > page_now]
        next_start = min(later) if later else None
    return starts or [0], start, next_start, per_page, total


def _post(tag: Tag, soup: BeautifulSoup, context: Context, zone: tzinfo, topic_id: int | None, forum_id: int | None) -> Post:
    post_id = int(attribute(tag, "id")[1:])
    classes = set(tag.get_attribute_list("class"))
    hidden = tag.select_one(".ignore")
    head = tag.select_one("p.author") or tag.select_one(".author")
    body = tag.select_one("div.content")
    who = _who(tag, head, hidden)
    files = attachments_in(tag, body, context.url)
    if body is not None:
        set_files_aside(body)
    moment = post_time(head, zone, context.now) or post_time(hidden, zone, context.now)
    if moment is None:
        # A template we don't know: saying so beats inventing a time that decides about deadlines.
        raise NotATopic("у сообщения не видно времени", where=f"{context.url}#p{post_id}")
    visibility = Visibility.APPROVED
    if "deleted" in classes or tag.select_one(".post-notice.deleted, .post_deleted_msg") is not None or _says_deleted(hidden):
        visibility = Visibility.DELETED
    elif (
        "unapproved" in classes
        or tag.select_one(".post-notice.unapproved, .rules .approve, form.mcp_approve .unapproved") is not None
    ):
        visibility = Visibility.UNAPPROVED
    subject = tag.select_one("h3 a") or tag.select_one("h3")
    return Post(
        id=post_id,
        author=who[0],
        author_id=who[1],
        time=moment.time,
        time_step=moment.step,
        html=inner_html(body) if body is not None else "",
        subject=joined_text(subject),
        edited=_edit(tag, zone),
        quotes=quotes_in(body) if body is not None else (),
        attachments=files,
        visibility=visibility,
        delete_reason=_delete_reason(hidden) if visibility is Visibility.DELETED else "",
        ignored=hidden is not None and visibility is not Visibility.DELETED,
        topic_id=topic_id,
        forum_id=forum_id,
    )


def _who(tag: Tag, head: Tag | None, hidden: Tag | None) -> tuple[str, int | None]:
    for place in (head, tag.select_one(".postprofile dt"), hidden):
        if place is None:
            continue
        link = place.select_one("a.username, a.username-coloured, span.username, span.username-coloured")
        if link is None:
            link = find_tag(place, "a", href=re.compile(r"mode=viewprofile"))
        if link is not None:
            return joined_text(link), user_id(link)
        strong = find_tag(place, "strong")
        if isinstance(strong, Tag):
            return joined_text(strong), None
    return "", None


def post_time(head: Tag | None, zone: tzinfo, now: datetime | None) -> Moment | None:
    """The time in a post's heading: machine-readable where there is one, else the last text after the name."""
    if head is None:
        return None
    stamp = find_tag(head, "time", attrs={"datetime": True})
    if isinstance(stamp, Tag):
        moment = read_time(attribute(stamp, "datetime"))
        if moment is not None:
            return moment
    # The name itself may look like a date: read only what follows it.
    own = "".join(str(s) for s in head.find_all(string=True) if s.find_parent(["a", "strong"]) is None or "»" in s)
    own = own.rsplit("»", 1)[-1]
    return read_time(own, zone=zone, now=now)


def _says_deleted(hidden: Tag | None) -> bool:
    return hidden is not None and bool(re.search(r"удал(?:ил|ено|ён)|deleted", text_of(hidden), re.I))


def _delete_reason(hidden: Tag | None) -> str:
    match = (
        re.search(r"(?:причине|reason):\s*(.+?)\s*(?:Показать это сообщение|Display this post|$)", text_of(hidden))
        if hidden
        else None
    )
    return match[1] if match else ""


def _edit(tag: Tag, zone: tzinfo) -> Edit | None:
    for notice in tag.select("div.notice"):
        if "post_deleted_msg" in notice.get_attribute_list("class"):
            continue
        edit = edit_of(notice, zone)
        if edit is not None:
            return edit
    return None


def edit_of(notice: Tag, zone: tzinfo) -> Edit | None:
    """An edit notice («Последний раз редактировалось … , всего редактировалось N раз»), or None for another notice."""
    text = text_of(notice)
    count = re.search(r"всего редактировалось\s*:?\s*(\d+)|edited\s+(\d+)\s+times?\s+in\s+total|(\d+)\s+раз", text, re.I)
    if count is None:
        return None
    link = find_tag(notice, "a", href=re.compile(r"viewprofile")) or notice.select_one(".username, .username-coloured")
    by = joined_text(link) if isinstance(link, Tag) else ""
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
        user_id(link) if isinstance(link, Tag) else None,
        joined_text(why) if isinstance(why, Tag) else "",
    )


def _poll(soup: BeautifulSoup) -> Poll | None:
    form = soup.select_one("form.topic_poll") or soup.select_one("fieldset.polls")
    if form is None:
        return None
    title = form.select_one(".poll-title") or form.find_previous("h2") or form.find("h2")
    options = []
    for line in form.select("dl"):
        choice = line.select_one("input[name='vote_id[]']") or line.select_one("[class^=pollbar]")
        if not attribute(line, "data-poll-option-id") and choice is None:
            continue
        label = find_tag(line, "dt")
        bar = line.select_one("[class^=pollbar]")
        votes = joined_text(bar)
        options.append(PollOption(joined_text(label) if isinstance(label, Tag) else "", int(votes) if votes.isdigit() else None))
    return Poll(joined_text(title) if isinstance(title, Tag) else "", tuple(options)) if options else None


def post_link(base: str, post_id: int) -> str:
    """The permanent address of a post."""
    return resolve(base, f"viewtopic.php?p={post_id}#p{post_id}")
