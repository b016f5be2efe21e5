"""«Команды и настройки»: the reference of every command and every key of config.toml, made from the program itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic_core import PydanticUndefined
from typer.core import TyperGroup

from forum_gm.cli import COMMANDS, as_command, load
from forum_gm.config import Part, Settings, toml_value
from renderers.templates import environment

TEMPLATE = "docs/reference.md.j2"


def render() -> str:
    """The page in Markdown."""
    commands = [entry for name in COMMANDS for entry in entries(as_command(load(name), name), f"forum-gm {name}")]
    made: str = environment().get_template(TEMPLATE).render(commands=commands, tables=list(tables(Settings)))
    return made.rstrip("\n") + "\n"


def entries(command: Any, name: str) -> Iterator[dict[str, Any]]:
    """A command, or a group's commands one by one: call, what it does, its parameters."""
    if isinstance(command, TyperGroup):
        for inner in command.commands.values():
            yield from entries(inner, f"{name} {inner.name}")
        return
    arguments = " ".join(usage_name(p) for p in command.params if p.param_type_name == "argument")
    yield {
        "name": name,
        "call": " ".join(part for part in (name, arguments) if part),
        "help": sentence(command.help or ""),
        "parameters": [parameter(p) for p in command.params if p.name != "help"],
    }


def usage_name(argument: Any) -> str:
    """An argument as it stands in a call; in brackets where it may be left out."""
    name: str = argument.display_name_raw
    return name if argument.required else f"[{name}]"


def parameter(param: Any) -> dict[str, Any]:
    """How a parameter is written, what it does and its default."""
    if param.param_type_name == "argument":
        written = param.display_name_raw
    else:
        written = ", ".join((*param.opts, *param.secondary_opts))
    default = param.default
    hidden = default is None or default is False or default == "" or callable(default)
    return {
        "written": written,
        "help": sentence(param.help or ""),
        "required": bool(param.required),
        "default": "" if hidden or param.required else "да" if default is True else str(default),
    }


def tables(model: type[Part], prefix: str = "") -> Iterator[dict[str, Any]]:
    """The tables of config.toml with their keys, each before the tables inside it."""
    keys, inner = [], []
    for name, field in model.model_fields.items():
        part = _part(field.annotation)
        if part is not None:
            inner.append((f"{prefix}{name}", part, part is not field.annotation))
            continue
        default = field.default
        keys.append(
            {
                "name": name,
                "help": sentence(field.description or ""),
                "default": "" if default is PydanticUndefined else toml_value(default),
            }
        )
    if keys:
        yield {"name": prefix.rstrip("."), "title": (model.__doc__ or "").strip(), "keys": keys}
    for name, part, many in inner:
        for table in tables(part, f"{name}."):
            yield {**table, "many": table.get("many", False) or (many and table["name"] == name)}


def _part(annotation: Any) -> type[Part] | None:
    """The table that a key holds, alone or in a list."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, Part):
            return candidate
    return None


def sentence(text: str) -> str:
    """One line of text, safe inside a table."""
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")
