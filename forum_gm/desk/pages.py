"""Draws the desk's pages: the shared frame, Russian dates and words, notices carried over a redirect."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment
from markupsafe import Markup, escape

from forum_gm import wording
from forum_gm.desk.security import SESSION_USER, csrf_token
from forum_gm.pipeline.context import Context
from forum_gm.storage.models import Campaign
from forum_gm.wording import counted
from renderers.templates import environment


def make_environment() -> Environment:
    """Templates of the web pages: escaping on, strict about names."""
    made = environment(draw=lambda text: text)
    made.filters["counted"] = counted
    made.filters["anchor"] = lambda text: quote(str(text), safe="")
    return made


class Pages:
    """Renders templates for one request after another."""

    def __init__(self) -> None:
        self.environment = make_environment()

    def show(
        self,
        request: Request,
        template: str,
        ctx: Context | None = None,
        *,
        status: int = 200,
        title: str = "",
        **values: Any,
    ) -> HTMLResponse:
        """A page. `ctx` is the campaign that it belongs to."""
        gm = request.session.get(SESSION_USER, "")
        zone = ctx.settings.zone if ctx is not None else None

        def when(moment: datetime | None, *, day: bool = False) -> str:
            return "—" if moment is None or zone is None else wording.when(moment, zone, day=day)

        # A token is made only where a form may need one: a visitor of the archive gets no cookie.
        token = csrf_token(request) if gm or request.url.path.startswith("/desk") else ""
        page = self.environment.get_template(f"web/{template}").render(
            {
                "campaign_title": title_of(ctx) if ctx is not None else "forum_gm",
                "title": title,
                "nav": navigation(request, ctx, bool(gm)),
                "gm": gm,
                "csrf_field": Markup('<input type="hidden" name="csrf" value="{}">').format(escape(token)),
                "notices": request.session.pop("notices", []) if "notices" in request.session else [],
                "when": when,
                "zone_name": ctx.settings.campaign.timezone if ctx is not None else "",
                "base": f"/c/{ctx.campaign_id}" if ctx is not None else "",
                "desk": f"/desk/{ctx.campaign_id}" if ctx is not None else "/desk",
                **values,
            }
        )
        return HTMLResponse(page, status_code=status)


def title_of(ctx: Context) -> str:
    """The campaign's title: the one of the configuration, else of its scenario, else the game's."""
    if ctx.settings.campaign.title:
        return ctx.settings.campaign.title
    with ctx.store.reading() as session:
        row = session.get(Campaign, ctx.campaign_id)
    return row.title if row is not None and row.title else ctx.ruleset.title


def navigation(request: Request, ctx: Context | None, gm: bool) -> list[Mapping[str, Any]]:
    """Links of the page head: the archive for everyone, the desk for the GM."""
    if ctx is None:
        return []
    base, desk = f"/c/{ctx.campaign_id}", f"/desk/{ctx.campaign_id}"
    links = [("Архив", base), ("Примерить приказы", f"{base}/draft"), ("Решения", f"{base}/rulings")]
    if gm:
        links += [("Пульт", desk), ("Журнал", f"{desk}/audit")]
    path = request.url.path.rstrip("/")
    return [
        {"text": text, "href": href, "current": path == href or (href == desk and path.startswith(f"{desk}/step")), "badge": ""}
        for text, href in links
    ]


def notice(request: Request, text: str, kind: str = "") -> None:
    """Shows a sentence on the next page. `kind`: empty, `warn` or `bad`."""
    request.session["notices"] = [*request.session.get("notices", []), {"text": text, "kind": kind}][-5:]


def go(path: str) -> RedirectResponse:
    """A redirect after a form."""
    return RedirectResponse(path, status_code=303)
