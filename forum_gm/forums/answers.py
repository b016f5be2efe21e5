"""What a board's answer to a sent form means. phpBB answers nearly everything with 200; forms and refreshes tell the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

from forum_gm.forums import errors
from forum_gm.forums.addresses import number, resolve
from forum_gm.forums.forms import Form, form_with
from forum_gm.forums.markup import attribute, soup_of, text_of
from forum_gm.forums.transport import Page


@dataclass(frozen=True, slots=True)
class Stored:
    """The board took it and names the new post, message or topic."""

    post_id: int | None = None
    message_id: int | None = None
    topic_id: int | None = None


@dataclass(frozen=True, slots=True)
class Queued:
    """The board took it, but moderators must approve it; no id is given."""

    topic_id: int | None = None


@dataclass(frozen=True, slots=True)
class FormAgain:
    """The form came back: nothing was stored."""

    form: Form
    soup: BeautifulSoup
    error: errors.ForumError | None = None
    """Why, where the page says so; None: a review or preview page."""
    token: bool = False
    """The reason is the form's token or age."""
    flood: bool = False
    reviewed: tuple[int, ...] = ()
    """Posts made meanwhile that the review page shows."""


@dataclass(frozen=True, slots=True)
class SessionLost:
    """The board shows its login form: it forgot us."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The board said no."""

    error: errors.ForumError


Answer = Stored | Queued | FormAgain | SessionLost | Refused

_FLOOD = re.compile(r"сразу после предыдущего|так скоро|so soon after|попробуйте чуть позже|через некоторое время", re.I)
_TOKEN = re.compile(
    r"ошибка отправки формы|форма была недействительна|submitted form was invalid|form.*invalid|"
    r"invalid.session|неверн\w+ (?:\w+ )?сесси",
    re.I,
)
_LONG = re.compile(
    r"слишком длинн|слишком много символов|максимально допустим\w+ количество символов|too many characters|содержит \d+ символ",
    re.I,
)
_FILE = re.compile(r"вложени|файл|расширени|attachment|file|extension|квот|quota", re.I)
_USER = re.compile(
    r"пользовател\w+ (?:с таким именем |.*)?не (?:существу|найден)|users? do(?:es)? not exist|запрошенн\w+ пользовател", re.I
)
_FULL = re.compile(r"(?:папк|ящик|inbox|folder|лимит).*(?:переполн|заполнен|full|превы)|(?:переполн|is full)", re.I)
_MAINTENANCE = re.compile(
    r"конференци\w* .*недоступ|форум\w* .*(?:недоступ|отключ)|"
    r"недоступн\w+ конференц|board is (?:currently )?(?:disabled|unavailable)|обслуживани",
    re.I,
)
_BANNED = re.compile(r"заблокирован|бан\b|banned|отказано в доступе к конференции", re.I)
_FORUM_LOCKED = re.compile(r"(?:форум|раздел|forum)\w*\s+(?:\w+\s+)?(?:закрыт|locked)", re.I)
_LOCKED = re.compile(r"(?:тема|topic)\w*\s.*(?:закрыт|locked)", re.I)
_FORBIDDEN = re.compile(
    r"не авторизованы|нет прав|не имеете (?:права|доступа)|не можете|not authori[sz]ed|do not have [\w ]*permission|cannot",
    re.I,
)
_MISSING = re.compile(r"не существу|не найден|не указан|does not exist|not found|no .* specified", re.I)
_PASSWORD = re.compile(r"неверн\w+ (?:\S+ )*(?:имя|парол)|(?:invalid|incorrect|wrong) (?:username|password)", re.I)
_ATTEMPTS = re.compile(r"(?:превы|exceeded).*(?:попыток|attempts)|(?:попыток|attempts).*(?:превы|exceeded)", re.I)
_EDIT_TIME = re.compile(
    r"(?:больше не можете|нельзя|can no longer|время).*(?:редактир|edit)|only edit your own|только свои", re.I
)


def refusal(text: str, status: int, where: str) -> errors.ForumError:
    """The error a message page stands for. Status first (it knows no language), then the words, Russian or English."""
    kinds: list[tuple[re.Pattern[str], type[errors.ForumError]]] = [
        (_MAINTENANCE, errors.Maintenance),
        (_ATTEMPTS, errors.LoginCaptcha),
        (_PASSWORD, errors.LoginFailed),
        (_BANNED, errors.Banned),
        (_FLOOD, errors.Flood),
        (_TOKEN, errors.FormRejected),
        (_FULL, errors.InboxFull),
        (_FORUM_LOCKED, errors.ForumLocked),
        (_LOCKED, errors.TopicLocked),
        (_EDIT_TIME, errors.EditTimeOver),
    ]
    for pattern, kind in kinds:
        if pattern.search(text):
            return kind(text, where=where)
    if status == 404:
        return errors.NotFound(text, where=where)
    if status == 403:
        return errors.Forbidden(text, where=where)
    if _MISSING.search(text):
        return errors.NotFound(text, where=where)
    if _FORBIDDEN.search(text):
        return errors.Forbidden(text, where=where)
    return errors.ForumError(text, where=where)


def input_error(text: str, where: str) -> errors.ForumError:
    """The error that a form's own error lines stand for."""
    if _FLOOD.search(text):
        return errors.Flood(text, where=where)
    if _TOKEN.search(text):
        return errors.FormRejected(text, where=where)
    if _LONG.search(text):
        numbers = [int(n.replace(" ", "").replace("\xa0", "")) for n in re.findall(r"\d[\d \xa0]*\d|\d", text)]
        return errors.TooLong(text, limit=min(numbers) if len(numbers) > 1 else (numbers[0] if numbers else None), where=where)
    if _USER.search(text):
        return errors.NoSuchUser(text, where=where)
    if _FULL.search(text):
        return errors.InboxFull(text, where=where)
    if _FILE.search(text):
        return errors.AttachmentRefused(text, where=where)
    return errors.BadInput(text, where=where)


def message_text(soup: BeautifulSoup) -> str:
    """The text of a message page of any version; empty if it is none."""
    box = soup.find(id="message")
    if isinstance(box, Tag):
        return " ".join(text_of(tag) for tag in box.find_all("p"))
    asked = soup.find("textarea") is not None or soup.find("input", attrs={"name": ["password", "confirm"]}) is not None
    if not asked:
        for cell in soup.select("table.forumline td.row1 span.gen, table.tablebg td.row1 p.gen, table.tablebg td.row1 .gen"):
            # An empty list says so in the same dress, but inside the list's form.
            text = text_of(cell)
            if text and cell.find_parent("form") is None:
                return text
    return ""


def login_form(soup: BeautifulSoup) -> Tag | None:
    """The login form that stands in place of a page (not the small box in the corner of an index)."""
    for tag in soup.find_all("form"):
        if tag.find("input", attrs={"name": "password"}) is None or tag.find("input", attrs={"name": "username"}) is None:
            continue
        action = attribute(tag, "action")
        filling = attribute(tag, "id") == "login" or "login" in action
        # A quick-login box sits beside content; the page-filling form has nothing else.
        if filling and soup.select_one("div.post, a.topictitle, a.forumtitle, span.postbody") is None:
            return tag if isinstance(tag, Tag) else None
    return None


def refresh_target(soup: BeautifulSoup, base: str) -> str | None:
    """Where a message page is about to lead, or None."""
    for meta in soup.find_all("meta"):
        if attribute(meta, "http-equiv").lower() == "refresh":
            match = re.search(r"url=(.+)$", attribute(meta, "content"), re.I)
            if match:
                return resolve(base, match[1].strip("'\" "))
    return None


def read_answer(page: Page) -> Answer:
    """What became of a sent form."""
    soup = soup_of(page.text)
    for address in (*page.redirected_from, page.url) if page.redirected_from else ():
        if "viewtopic" in address and (number(address, "p") or number(address, "t")):
            return Stored(post_id=number(address, "p"), topic_id=number(address, "t"))
        if "mode=view" in address and "i=pm" in address:
            return Stored(message_id=number(address, "p"))
    form = form_with(soup, page.url, "message")
    if form is not None and ("post" in form.buttons or "preview" in form.buttons):
        return _form_again(form, soup, page)
    if login_form(soup) is not None:
        return SessionLost()
    if (asked := form_with(soup, page.url, "confirm")) is not None:
        # The confirmation box again: its one-time key was not the right one.
        return FormAgain(asked, soup, token=True)
    text = message_text(soup)
    if text:
        target = refresh_target(soup, page.url)
        if target is not None:
            links = [target, *(resolve(page.url, attribute(a, "href")) for a in soup.select("#message a, td.row1 a"))]
            return _success(links, target, text)
        return Refused(refusal(text, page.status, page.url))
    return Refused(errors.ForumError(f"непонятный ответ, HTTP {page.status}", where=page.url))


def _success(links: list[str], target: str, text: str) -> Answer:
    for link in links:
        if "i=pm" in link and "mode=view" in link and number(link, "p"):
            return Stored(message_id=number(link, "p"))
    for link in links:
        if "viewtopic" in link and number(link, "p"):
            return Stored(post_id=number(link, "p"), topic_id=number(link, "t"))
    if re.search(r"одобр|approv", text, re.I):
        return Queued(number(target, "t"))
    return Stored(topic_id=number(target, "t"))


def _form_again(form: Form, soup: BeautifulSoup, page: Page) -> Answer:
    # Inside the posting form only: other boxes of a page may have error lines of their own.
    lines = [text_of(tag) for tag in soup.select("p.error, div.error, td.row1 span[style*=red], #postform .error")]
    lines += _old_error_box(soup)
    text = " ".join(line for line in dict.fromkeys(lines) if line)
    if text:
        problem = input_error(text, page.url)
        token = isinstance(problem, errors.FormRejected)
        return FormAgain(form, soup, problem, token=token, flood=isinstance(problem, errors.Flood))
    seen = [attribute(tag, "id")[3:] for tag in soup.select("[id^=ppr]")]
    return FormAgain(form, soup, reviewed=tuple(int(i) for i in seen if i.isdigit()))


def _old_error_box(soup: BeautifulSoup) -> list[str]:
    """The lines of phpBB 2's error box: a table of its own in the form, without headings and fields."""
    found: list[str] = []
    for table in soup.select("form[name=post] table.forumline"):
        if table.find(["th", "input", "textarea", "select"]) is None:
            found.extend(text_of(cell) for cell in table.select("span.gen, span.error"))
    return found
