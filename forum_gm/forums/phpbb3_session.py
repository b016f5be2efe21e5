"""The session with a phpBB 3 board: addresses, pages and forms, logging in when the board asks for it."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode, urljoin

from bs4 import BeautifulSoup

from forum_gm.forums import errors, prosilver
from forum_gm.forums.answers import login_form, message_text, refresh_target, refusal
from forum_gm.forums.document import Document
from forum_gm.forums.forms import Form, form_with, read_form
from forum_gm.forums.journal import Journal, MemoryJournal
from forum_gm.forums.markup import soup_of, text_of
from forum_gm.forums.transport import Page, Transport


class Session:
    """One account (or a guest) on one board: pages, forms, logging in."""

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
        self.url = (
            url if url.endswith("/") else url.rsplit("/", 1)[0] + "/" if url.rsplit("/", 1)[-1].endswith(".php") else url + "/"
        )
        self.transport = transport or Transport()
        self.journal: Journal = journal if journal is not None else MemoryJournal()
        self.max_chars = max_chars
        self.forum_id = forum_id
        """Sent as `f=`, which boards before 3.3.5 want for posting."""
        self._user = user
        self._password = password
        self._user_id: int | None = None

    # -- addresses ----------------------------------------------------------------------------------------------------

    def address(self, script: str, **parameters: object) -> str:
        """An address on the board; parameters that are None are left out."""
        query = urlencode({k: v for k, v in parameters.items() if v is not None})
        return urljoin(self.url, script) + ("?" + query if query else "")

    def login_address(self) -> str:
        """The login form."""
        return self.address("ucp.php", mode="login")

    # -- pages --------------------------------------------------------------------------------------------------------

    def fetch(self, url: str) -> tuple[Page, BeautifulSoup]:
        """A page; logs in once if the board asks for it. Raises what a message page stands for."""
        page, document = self.document(url)
        return page, document.soup

    def document(self, url: str) -> tuple[Page, Document]:
        """As `fetch`. A page with posts on it is neither a login form nor a message, so it needn't be made a soup."""
        page = self.transport.get(url)
        document = Document(page.text)
        if page.status < 400 and prosilver.posts_of(document):
            return page, document
        if login_form(document.soup) is not None:
            if not self._user:
                raise errors.LoginNeeded(where=page.url)
            self.relogin()
            page = self.transport.get(url)
            document = Document(page.text)
            if login_form(document.soup) is not None:
                raise errors.LoginNeeded(where=page.url)
        text = message_text(document.soup)
        if text and refresh_target(document.soup, page.url) is None:
            raise refusal(text, page.status, page.url)
        if page.status == 404:
            raise errors.NotFound(where=page.url)
        if page.status == 403:
            raise errors.Forbidden(where=page.url)
        return page, document

    def _fetch(self, url: str) -> tuple[Page, BeautifulSoup]:
        page = self.transport.get(url)
        return page, soup_of(page.text)

    # -- login --------------------------------------------------------------------------------------------------------

    @property
    def user_id(self) -> int | None:
        """Our account's id once logged in."""
        if self._user_id is None:
            value = self.transport.cookie("_u")
            if value is not None and value.isdigit() and int(value) > 1:
                self._user_id = int(value)
        return self._user_id

    def login(self) -> None:
        """Logs in unless the stored session still holds."""
        if not self._user:
            raise errors.LoginNeeded
        if self.user_id is not None:
            _, soup = self._fetch(self.address("index.php"))
            if prosilver.is_logged_in(soup):
                return
        self.relogin()

    def relogin(self) -> None:
        """Logs in, whatever the cookies say; at most once a minute, never after a captcha."""
        if not self._user:
            raise errors.LoginNeeded
        self.transport.may_log_in()
        page, soup = self._fetch(self.login_address())
        tag = login_form(soup)
        if tag is None:
            if prosilver.is_logged_in(soup):
                return
            text = message_text(soup)
            raise refusal(text, page.status, page.url) if text else errors.LoginFailed(where=page.url)
        if tag.find("input", attrs={"name": "confirm_id"}) is not None:
            self.transport.block_login()
            raise errors.LoginCaptcha(where=page.url)
        for _ in range(2):
            form = read_form(tag, page.url).having(username=self._user, password=self._password)
            if "autologin" in str(tag):
                form = form.having(autologin="on")
            gone = (self.transport.clock.now() - page.fetched).total_seconds()
            self.transport.clock.sleep(self.transport.manners.form_wait - gone)
            page = self.transport.post(form.action, form.pressed("login"))
            soup = soup_of(page.text)
            tag = login_form(soup)
            if tag is None:
                break
            if tag.find("input", attrs={"name": "confirm_id"}) is not None:
                self.transport.block_login()
                raise errors.LoginCaptcha(where=page.url)
            said = " ".join(text_of(line) for line in tag.select(".error"))
            if not _form_expired(said):
                raise errors.LoginFailed(said, where=page.url)
        self._user_id = None
        if self.user_id is None and not prosilver.is_logged_in(soup):
            text = message_text(soup)
            error = refusal(text, page.status, page.url) if text else errors.LoginFailed(where=page.url)
            if isinstance(error, errors.LoginCaptcha):
                self.transport.block_login()
            raise error

    def _known(self) -> None:
        if self._user and self.user_id is None:
            self.relogin()

    # -- forms --------------------------------------------------------------------------------------------------------

    def form(self, url: str, *names: str) -> tuple[Form, Page, BeautifulSoup]:
        """A form that must be on a page. `FormRejected` if it isn't."""
        page, soup = self.fetch(url)
        form = form_with(soup, page.url, *(names or ("message",)))
        if form is None:
            raise errors.FormRejected("на странице нет формы", where=page.url)
        return form, page, soup

    def now(self) -> datetime:
        """The clock's time."""
        return self.transport.clock.now().astimezone(UTC)


def _form_expired(text: str) -> bool:
    from forum_gm.forums.answers import input_error

    return isinstance(input_error(text, ""), errors.FormRejected)
