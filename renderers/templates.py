"""Jinja2 for every frame: campaign folder first, then the ruleset's folder, then the shipped `templates/`; sandboxed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path

from jinja2 import FileSystemLoader, StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup

from renderers.fonts import clean
from renderers.palette import hexa, is_colour, legible

SHIPPED = Path(__file__).resolve().parent.parent / "templates"
"""The frames shared by all games."""


def environment(folders: Iterable[Path] = (), *, draw: Callable[[str], str] = clean) -> ImmutableSandboxedEnvironment:
    """An environment that looks templates up in `folders` (campaign, then ruleset), then in the shipped ones.

    HTML templates escape by themselves; an undefined name is an error. `draw` prepares every shown text (the filter `ink`)."""
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([*map(str, folders), str(SHIPPED)]),
        autoescape=lambda name: name is None or ".html" in name or ".svg" in name,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    made.filters["ink"] = lambda text: text if isinstance(text, Markup) else draw(str(text))
    made.filters["legible"] = lambda colour: hexa(legible(colour)) if is_colour(colour) else "inherit"
    made.filters["colour"] = lambda colour: colour if is_colour(colour) else "#9aa4ae"
    return made


def shared_template(name: str, folders: Iterable[Path] = (), *, draw: Callable[[str], str] = clean) -> Template:
    """A template by name, looked up as in `environment`; compiled once, and again when its file has changed."""
    return _shared(tuple(folders), draw).get_template(name)


@lru_cache(maxsize=16)
def _shared(folders: tuple[Path, ...], draw: Callable[[str], str]) -> ImmutableSandboxedEnvironment:
    return environment(folders, draw=draw)
