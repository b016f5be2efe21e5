"""The web application of one or several campaigns: public archive, login, the GM's desk; on loopback unless told otherwise."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from typing import Annotated

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.middleware.sessions import SessionMiddleware

from forum_gm.desk.accounts import Accounts
from forum_gm.desk.archive import archive_router
from forum_gm.desk.pages import Pages, go, notice
from forum_gm.desk.review_pages import review_router
from forum_gm.desk.security import SESSION_USER, NeedLogin, Throttle, add_headers, require_csrf
from forum_gm.errors import ForumGmError, UsageProblem
from forum_gm.pipeline.context import Context
from renderers import web_faces
from renderers.templates import SHIPPED

STATIC = SHIPPED / "web" / "static"
FACES = web_faces()
STATIC_TYPES = {"desk.css": "text/css", "icon.svg": "image/svg+xml"}
ACCOUNTS_FILE = "desk-accounts.json"


def create_app(
    campaigns: Sequence[Context],
    *,
    accounts: Accounts | None = None,
    now: Callable[[], float] = time.monotonic,
    session_secret: str | None = None,
) -> FastAPI:
    """The application. `accounts` default to the file in the first campaign's folder; sessions end with the process unless
    `session_secret` is given."""
    pages = Pages()
    known = {ctx.campaign_id: ctx for ctx in campaigns}
    users = accounts or Accounts(campaigns[0].folder / ACCOUNTS_FILE)
    throttle = Throttle(now)
    app = FastAPI(title="forum_gm", docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(
        SessionMiddleware,
        secret_key=session_secret or secrets.token_urlsafe(32),
        session_cookie="forum_gm",
        same_site="lax",
        https_only=campaigns[0].settings.desk.secure_cookies,
        max_age=14 * 24 * 3600,
    )
    app.middleware("http")(add_headers)
    app.state.accounts = users

    def campaign(cid: str) -> Context:
        if cid not in known:
            raise HTTPException(404, "Такой кампании здесь нет.")
        return known[cid]

    only = campaigns[0] if len(campaigns) == 1 else None

    @app.get("/", response_class=HTMLResponse)
    def home(request: Request) -> Response:
        if only is not None:
            return RedirectResponse(f"/c/{only.campaign_id}")
        return pages.show(request, "home.html.j2", title="Кампании", campaigns=campaigns)

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC_TYPES:
            raise HTTPException(404, "Такого файла нет.")
        return FileResponse(STATIC / name, media_type=STATIC_TYPES[name], headers={"Cache-Control": "max-age=3600"})

    @app.get("/static/fonts/{name}")
    def font(name: str) -> Response:
        if name not in FACES:
            raise HTTPException(404, "Такого шрифта нет.")
        return FileResponse(FACES[name], media_type="font/ttf", headers={"Cache-Control": "max-age=604800"})

    # ------------------------------------------------------------------------------------------ login

    @app.get("/desk/login", response_class=HTMLResponse)
    def login_page(request: Request) -> Response:
        return pages.show(request, "login.html.j2", only, title="Вход для мастера", needs_setup=users.needs_setup())

    @app.post("/desk/login", dependencies=[Depends(require_csrf)])
    def login(request: Request, name: Annotated[str, Form()] = "", password: Annotated[str, Form()] = "") -> Response:
        address = request.client.host if request.client else ""
        if throttle.blocked(address):
            notice(request, "Слишком много неверных попыток. Подождите четверть часа.", "bad")
            return go("/desk/login")
        if not users.check(name, password):
            throttle.failed(address)
            notice(request, "Имя или пароль не подходит.", "bad")
            return go("/desk/login")
        throttle.succeeded(address)
        request.session.clear()
        request.session[SESSION_USER] = name.strip()
        return go("/desk")

    @app.post("/desk/logout", dependencies=[Depends(require_csrf)])
    def logout(request: Request) -> Response:
        request.session.clear()
        return go("/")

    @app.get("/desk/setup", response_class=HTMLResponse)
    def setup_page(request: Request, token: str = "") -> Response:
        if not users.may_set_up(token):
            raise HTTPException(404, "Ссылка уже использована или неверна.")
        return pages.show(request, "setup.html.j2", only, title="Первый вход", token=token)

    @app.post("/desk/setup", dependencies=[Depends(require_csrf)])
    def setup(
        request: Request,
        token: Annotated[str, Form()] = "",
        name: Annotated[str, Form()] = "",
        password: Annotated[str, Form()] = "",
        again: Annotated[str, Form()] = "",
    ) -> Response:
        if not users.may_set_up(token):
            raise HTTPException(404, "Ссылка уже использована или неверна.")
        if password != again:
            notice(request, "Пароли не совпали.", "bad")
            return go(f"/desk/setup?token={token}")
        try:
            users.set_password(name, password)
        except UsageProblem as error:
            notice(request, str(error), "bad")
            return go(f"/desk/setup?token={token}")
        request.session.clear()
        request.session[SESSION_USER] = name.strip()
        return go("/desk")

    @app.get("/desk")
    def desk_home(request: Request) -> Response:
        if not request.session.get(SESSION_USER):
            raise NeedLogin
        return go(f"/desk/{only.campaign_id}" if only is not None else "/")

    app.include_router(archive_router(pages, campaign))
    app.include_router(review_router(pages, campaign))

    # ------------------------------------------------------------------------------------------ errors

    @app.exception_handler(NeedLogin)
    def need_login(request: Request, error: NeedLogin) -> Response:
        return go("/desk/login")

    @app.exception_handler(ForumGmError)
    def refused(request: Request, error: ForumGmError) -> Response:
        return pages.show(request, "message.html.j2", only, status=409, title="Не получилось", text=str(error))

    @app.exception_handler(StarletteHTTPException)
    def failed(request: Request, error: StarletteHTTPException) -> Response:
        text = error.detail if error.detail and any("а" <= c.lower() <= "я" for c in error.detail) else "Такой страницы нет."
        return pages.show(request, "message.html.j2", only, status=error.status_code, title="Не получилось", text=text)

    return app
