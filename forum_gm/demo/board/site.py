"""The embedded board as clients see it: sessions, faults, and one function a script of phpBB."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from forum_gm.demo.board import letters, moderation, old, posting, reading
from forum_gm.demo.board.faults import Fault, FaultKind
from forum_gm.demo.board.http import Request, Response, redirect
from forum_gm.demo.board.model import User, Visit
from forum_gm.demo.board.views import Links, environment
from forum_gm.demo.board.world import GUEST, World, token

PREFIX = "phpbb3_board"
HANGING = {FaultKind.TIMEOUT_BEFORE, FaultKind.TIMEOUT_AFTER, FaultKind.STORE_LATE}
BEFORE = {FaultKind.TIMEOUT_BEFORE, FaultKind.GATEWAY_BEFORE, FaultKind.CUT_BEFORE, FaultKind.STORE_LATE}
FRONT = {*BEFORE, FaultKind.CLOUDFLARE, FaultKind.TOO_MANY, FaultKind.UNAVAILABLE}
AFTER = {FaultKind.TIMEOUT_AFTER, FaultKind.GATEWAY_AFTER, FaultKind.CUT_AFTER, FaultKind.LOGIN_AFTER}


@dataclass
class Turn:
    """One request being answered."""

    world: World
    request: Request
    visit: Visit
    links: Links
    fault: Fault | None
    site: Site

    @property
    def user(self) -> User | None:
        """Who asks; None: a guest."""
        return self.world.users.get(self.visit.user)

    @property
    def user_id(self) -> int:
        """Account id, 1 for guests."""
        return self.visit.user

    def struck(self, kind: FaultKind) -> bool:
        """Whether this request suffers that fault."""
        if self.fault is None or self.fault.kind is not kind:
            return False
        self.world.faults.struck[kind] += 1
        return True

    def page(self, template: str, *, status: int = 200, title: str = "", section: str = "", **values: Any) -> Response:
        """A page from a template."""
        unread = len([x for x in self.world.letters_of(self.user_id, "inbox") if self.user_id in x.unread]) if self.user else 0
        html = (
            environment()
            .get_template(template)
            .render(
                board=self.world.settings,
                user=self.user,
                u=self.links,
                sid=self.visit.sid,
                page_title=title,
                section=section,
                unread=unread,
                zone=f"UTC+{self.world.settings.zone_hours:02d}:00",
                **values,
            )
        )
        return Response(html, status)

    def message(
        self, text: str, *, status: int = 200, refresh: tuple[int, str] | None = None, links: tuple[tuple[str, str], ...] = ()
    ) -> Response:
        """phpBB's message page; with a refresh it means success."""
        absolute = (refresh[0], self.request.base + refresh[1].removeprefix("./")) if refresh else None
        template = "old_message.html" if self.world.settings.old else "message.html"
        status = 200 if self.world.settings.old else status
        return self.page(template, status=status, title="Информация", text=text, refresh=absolute, after=links)

    def tokens(self, form: str) -> dict[str, str]:
        """Hidden fields that prove a form was ours."""
        created = int(self.world.clock.now().timestamp())
        return {"creation_time": str(created), "form_token": token(created, self._salt(), form)}

    def token_ok(self, form: str) -> bool:
        """Whether the sent form is ours, old enough and not too old."""
        if self.struck(FaultKind.TOKEN):
            return False
        created = self.request.number("creation_time")
        age = int(self.world.clock.now().timestamp()) - created
        limits = self.world.settings
        return limits.form_age <= age <= limits.token_life and self.request.get("form_token") == token(
            created, self._salt(), form
        )

    def _salt(self) -> str:
        # A member's token doesn't depend on the session, a guest's does.
        return f"user{self.user_id}" if self.user else self.visit.sid

    def login_box(self, *, error: str = "", status: int = 200) -> Response:
        """The login form in place of what was asked; phpBB 2 leads to its page."""
        if self.world.settings.old:
            return redirect(f"./login.php?redirect={self.request.path}")
        captcha = secrets.token_hex(16) if self.struck(FaultKind.CAPTCHA) or self.site.captcha_wanted else ""
        return self.page(
            "login.html",
            status=status,
            title="Вход",
            error=error,
            captcha=captcha,
            redirect=f"./{self.request.path}",
            tokens=self.tokens("login"),
        )


class Site:
    """Answers requests. `handle` is safe to call from several threads."""

    def __init__(self, world: World, *, seed: str | None = None) -> None:
        self.world = world
        self.visits: dict[str, Visit] = {}
        self.keys: dict[str, int] = {}
        """Hash of an autologin key → account."""
        self.captcha_wanted = False
        self.late: list[tuple[datetime, Request, int]] = []
        """Requests whose client has gone, to be carried out at a time on behalf of an account."""
        self._seed = seed
        self._counter = 0
        self._confirm: dict[int, str] = {}
        self.log: list[tuple[str, str, str]] = []
        """(method, path, operation) of every request, for tests."""

    def handle(self, request: Request) -> Response:
        """Answers one request."""
        with self.world.lock:
            self._carry_out_late()
            operation = operation_of(request)
            self.log.append((request.method, request.path, operation))
            fault = self.world.faults.take(operation)
            visit, fresh = self._visit(request)
            front = self._front(request, visit, fault)
            if front is not None:
                return front
            turn = Turn(self.world, request, visit, Links(visit.sid if fresh else None), fault, self)
            response = self._answer(turn)
            if fault is not None and fault.kind in AFTER:
                response = self._after(turn, fault, response)
            self._cookies(turn, response)
            return self._encoded(response)

    def _encoded(self, response: Response) -> Response:
        """A page in the board's own character set; phpBB 2 names it in the page only."""
        if self.world.settings.old and isinstance(response.body, str):
            response.body = response.body.encode(self.world.settings.encoding, "xmlcharrefreplace")
            response.media = "text/html"
        return response

    # -- faults -------------------------------------------------------------------------------------------------------

    def _front(self, request: Request, visit: Visit, fault: Fault | None) -> Response | None:
        if fault is None:
            return None
        if fault.kind in FRONT:
            self.world.faults.struck[fault.kind] += 1
        if fault.kind is FaultKind.STORE_LATE:
            self.late.append((self.world.clock.now() + timedelta(seconds=fault.delay), request, visit.user))
        if fault.kind in BEFORE:
            return self._broken(fault)
        if fault.kind is FaultKind.CLOUDFLARE:
            return Response(
                "<!DOCTYPE html><html><title>Just a moment...</title><body><div id='cf-chl-widget'></div></body></html>",
                403,
                headers=[("Server", "cloudflare"), ("cf-mitigated", "challenge")],
            )
        if fault.kind is FaultKind.TOO_MANY:
            return Response("Too Many Requests", 429, "text/plain", [("Retry-After", str(int(fault.delay)))])
        if fault.kind is FaultKind.UNAVAILABLE:
            page = "<html><body><h1>503 Service Temporarily Unavailable</h1></body></html>"
            return Response(page, 503, headers=[("Server", "nginx"), ("Retry-After", str(int(fault.delay)))])
        return None

    def _broken(self, fault: Fault) -> Response:
        if fault.kind in HANGING:
            return Response(hang=self.world.settings.hold)
        if fault.kind in (FaultKind.CUT_BEFORE, FaultKind.CUT_AFTER):
            return Response(cut=True)
        return Response("<html><body><h1>502 Bad Gateway</h1><hr>nginx</body></html>", 502, headers=[("Server", "nginx")])

    def _after(self, turn: Turn, fault: Fault, response: Response) -> Response:
        self.world.faults.struck[fault.kind] += 1
        if fault.kind is FaultKind.LOGIN_AFTER:
            turn.visit.user = GUEST
            return turn.login_box()
        return self._broken(fault)

    def _carry_out_late(self) -> None:
        now = self.world.clock.now()
        due = [item for item in self.late if item[0] <= now]
        self.late = [item for item in self.late if item[0] > now]
        for _, request, user in due:
            visit = Visit("late", user)
            self._answer(Turn(self.world, request, visit, Links(), None, self))

    # -- answering ----------------------------------------------------------------------------------------------------

    def _answer(self, turn: Turn) -> Response:
        if turn.struck(FaultKind.LOGIN):
            turn.visit.user = GUEST
            return turn.login_box()
        if turn.struck(FaultKind.LOGIN_REDIRECT):
            turn.visit.user = GUEST
            script = "login.php?" if self.world.settings.old else "ucp.php?mode=login&"
            return redirect(f"./{script}redirect=posting.php")
        if self.world.settings.maintenance or turn.struck(FaultKind.MAINTENANCE):
            return turn.message("Извините, но конференция в настоящий момент недоступна")
        if turn.user is not None and turn.user.banned:
            return turn.message("Доступ к конференции для вас закрыт (бан). За подробностями обращайтесь к администратору.")
        scripts: dict[str, Callable[[Turn], Response]] = {
            "": reading.index,
            "index.php": reading.index,
            "viewforum.php": reading.forum,
            "viewtopic.php": reading.topic,
            "memberlist.php": reading.member,
            "download/file.php": reading.download,
            "posting.php": posting.posting,
            "mcp.php": moderation.moderate,
            "ucp.php": self._ucp,
            "board.css": reading.style,
        }
        if self.world.settings.old:
            scripts = old.handlers()
        handler = scripts.get(turn.request.path)
        if handler is None:
            if turn.request.path.startswith("smile/"):
                return reading.smile(turn)
            return turn.message("Запрошенной страницы не существует.", status=404)
        return handler(turn)

    def _ucp(self, turn: Turn) -> Response:
        request = turn.request
        if request.mode == "login":
            return self._login(turn)
        if request.mode == "logout":
            if request.query.get("sid") != turn.visit.sid:
                return turn.message("Вы не вышли: ссылка устарела.")
            turn.visit.user = GUEST
            return Response("", 302, headers=[("Location", "./index.php")])
        return letters.private_messages(turn)

    def _login(self, turn: Turn) -> Response:
        request, world = turn.request, self.world
        if request.method != "POST":
            if turn.user is not None:
                return Response("", 302, headers=[("Location", "./index.php")])
            return turn.login_box()
        if not turn.token_ok("login"):
            return turn.login_box(error="Ошибка отправки формы. Попробуйте ещё раз.")
        user = world.user_named(request.get("username") or "")
        if user is None:
            return turn.login_box(error="Вы указали неверное имя пользователя. Проверьте имя и попробуйте ещё раз.")
        wanted = turn.struck(FaultKind.CAPTCHA) or turn.struck(FaultKind.THROTTLE)
        if self.captcha_wanted or wanted or user.wrong_passwords >= world.settings.login_attempts:
            self.captcha_wanted = True
            said = (
                "Вы превысили максимально допустимое количество попыток входа. Теперь, кроме имени пользователя и пароля, "
                "вы должны пройти проверку средством против спам-ботов."
            )
            answer = turn.login_box(error=said)
            self.captcha_wanted = False
            return answer
        if request.get("password") != user.password:
            user.wrong_passwords += 1
            return turn.login_box(error="Вы указали неверный пароль. Проверьте пароль и попробуйте ещё раз.")
        if user.banned:
            return turn.message("Доступ к конференции для вас закрыт (бан). За подробностями обращайтесь к администратору.")
        user.wrong_passwords = 0
        turn.visit.user = user.id
        answer = Response("", 302, headers=[("Location", f"./index.php?sid={turn.visit.sid}")])
        if request.sent("autologin"):
            answer.headers.append(self._key_cookie(user.id))
        return answer

    def confirm_key(self, user: int, *, new: bool = False) -> str:
        """The key of an account's one open confirmation box."""
        if new or user not in self._confirm:
            self._confirm[user] = self._random()[:10].upper()
        return self._confirm[user]

    # -- sessions -----------------------------------------------------------------------------------------------------

    def _random(self) -> str:
        if self._seed is None:
            return secrets.token_hex(16)
        self._counter += 1
        return hashlib.md5(f"{self._seed}{self._counter}".encode()).hexdigest()

    def _visit(self, request: Request) -> tuple[Visit, bool]:
        """(session, whether its cookie hasn't come back yet)."""
        sid = request.cookies.get(f"{PREFIX}_sid")
        if sid in self.visits:
            return self.visits[sid], False
        given = request.query.get("sid") or request.get("sid")
        if sid is None and given in self.visits:
            return self.visits[given], True
        visit = Visit(self._random())
        key = request.cookies.get(f"{PREFIX}_k")
        if sid is not None and key:
            # A remembered login works only together with some session cookie, even a stale one.
            visit.user = self.keys.pop(_hashed(key), GUEST)
        self.visits[visit.sid] = visit
        return visit, sid is None

    def _key_cookie(self, user: int) -> tuple[str, str]:
        key = self._random()
        self.keys[_hashed(key)] = user
        return "Set-Cookie", f"{PREFIX}_k={key}; Path=/; HttpOnly; Max-Age=31536000"

    def _cookies(self, turn: Turn, response: Response) -> None:
        if turn.request.cookies.get(f"{PREFIX}_sid") != turn.visit.sid or turn.request.cookies.get(f"{PREFIX}_u") != str(
            turn.visit.user
        ):
            if self.world.settings.old:
                about = quote(
                    f'a:2:{{s:11:"autologinid";s:0:"";s:6:"userid";s:{len(str(turn.visit.user))}:"{turn.visit.user}";}}'
                )
                response.headers.append(("Set-Cookie", f"{PREFIX}_data={about}; Path=/; Max-Age=31536000"))
            response.headers.append(("Set-Cookie", f"{PREFIX}_u={turn.visit.user}; Path=/; HttpOnly; Max-Age=31536000"))
            response.headers.append(("Set-Cookie", f"{PREFIX}_sid={turn.visit.sid}; Path=/; HttpOnly; Max-Age=31536000"))
            if (
                turn.user is not None
                and turn.request.cookies.get(f"{PREFIX}_k")
                and not any("_k=" in v for _, v in response.headers)
            ):
                response.headers.append(self._key_cookie(turn.visit.user))


WRITTEN = {"reply": "reply", "quote": "reply", "post": "topic", "newtopic": "topic", "edit": "edit", "editpost": "edit"}
"""`mode=` of posting.php → what is written."""


def _hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def operation_of(request: Request) -> str:
    """What a request is about, in the words of `faults.OPERATIONS`."""
    if request.path == "posting.php":
        if request.method == "POST":
            if request.sent("add_file"):
                return "upload"
            if request.mode in ("delete", "soft_delete") and request.sent("confirm"):
                return "delete"
            if request.sent("post"):
                return WRITTEN.get(request.mode, "other")
            return "form"
        return "form"
    if request.path == "login.php" or (request.path == "ucp.php" and request.mode == "login"):
        return "login" if request.method == "POST" else "form"
    if request.path == "privmsg.php":
        return "message" if request.method == "POST" and request.sent("post") else "box"
    if request.path == "ucp.php":
        if request.mode == "compose":
            return "message" if request.method == "POST" and request.sent("post") and not request.get("username_list") else "form"
        return "box"
    if request.path == "mcp.php":
        return "lock" if request.method == "POST" else "form"
    if request.path == "viewtopic.php":
        return "read"
    return "other"
