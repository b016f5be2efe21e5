"""HTML forms as a browser would send them back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urljoin

from bs4 import BeautifulSoup, Tag

from forum_gm.forums.addresses import resolve
from forum_gm.forums.markup import attribute


@dataclass(frozen=True, slots=True)
class Form:
    """A form with the values it would send if nobody touched it; buttons apart, since only the pressed one is sent."""

    action: str
    """Absolute, with whatever session id it carries (it is used, never stored)."""
    fields: tuple[tuple[str, str], ...]
    buttons: Mapping[str, str] = field(default_factory=dict)
    multipart: bool = False
    file_fields: tuple[str, ...] = ()

    def get(self, name: str) -> str | None:
        """The value of a field, or None."""
        return next((value for key, value in self.fields if key == name), None)

    def number(self, name: str) -> int | None:
        """A numeric field, or None."""
        value = self.get(name)
        return int(value) if value and value.isdigit() else None

    def having(self, **values: str) -> Form:
        """The form with these fields set (in place, or added at the end)."""
        left = dict(values)
        fields = [(key, left.pop(key) if key in left else value) for key, value in self.fields]
        return replace(self, fields=(*fields, *left.items()))

    def without(self, *names: str) -> Form:
        """The form without these fields."""
        return replace(self, fields=tuple((key, value) for key, value in self.fields if key not in names))

    def pressed(self, button: str, value: str | None = None) -> list[tuple[str, str]]:
        """What is sent when that button is pressed."""
        return [*self.fields, (button, value if value is not None else self.buttons.get(button, "1"))]


def form_with(soup: BeautifulSoup, url: str, *names: str) -> Form | None:
    """The form that has a control with each of these names (styles rename ids, never controls)."""
    for tag in soup.find_all("form"):
        if all(tag.find(attrs={"name": name}) is not None for name in names):
            return read_form(tag, url)
    return None


def read_form(tag: Tag, url: str) -> Form:
    """A form's state as delivered."""
    fields: list[tuple[str, str]] = []
    buttons: dict[str, str] = {}
    files: list[str] = []
    for control in tag.find_all(["input", "textarea", "select", "button"]):
        name = attribute(control, "name")
        if not name or control.has_attr("disabled"):
            continue
        if control.name == "textarea":
            text = control.get_text()
            # A browser drops the first line break of a text area.
            fields.append((name, text[1:] if text.startswith("\n") else text))
        elif control.name == "select":
            chosen = control.find("option", selected=True) or control.find("option")
            if isinstance(chosen, Tag):
                fields.append((name, attribute(chosen, "value") if chosen.has_attr("value") else chosen.get_text()))
        else:
            kind = (attribute(control, "type") or ("submit" if control.name == "button" else "text")).lower()
            value = attribute(control, "value")
            if kind in ("submit", "image", "button", "reset"):
                buttons.setdefault(name, value)
            elif kind == "file":
                files.append(name)
            elif kind in ("checkbox", "radio"):
                if control.has_attr("checked"):
                    fields.append((name, value or "on"))
            else:
                fields.append((name, value))
    # The form's own address may carry a session id without which a cookieless board would not know us: keep it here.
    action = urljoin(url, attribute(tag, "action")) if attribute(tag, "action") else resolve(url, "")
    multipart = "multipart" in attribute(tag, "enctype").lower() or bool(files)
    return Form(action, tuple(fields), buttons, multipart, tuple(files))
