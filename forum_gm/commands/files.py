"""Reading and printing of the command line's files and JSON documents."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from forum_gm.errors import UsageProblem
from forum_gm.wording import trouble


def read_text(source: str | Path) -> str:
    """A UTF-8 text file, or standard input for «-». Raises `UsageProblem`."""
    if str(source) == "-":
        return sys.stdin.read()
    try:
        return Path(source).read_text("utf-8")
    except OSError as error:
        raise UsageProblem(f"Не читается файл {source}: {trouble(error)}.") from error
    except UnicodeDecodeError as error:
        raise UsageProblem(f"Файл {source} не в UTF-8.") from error


def read_json(source: str | Path) -> Any:
    """A JSON document. Raises `UsageProblem`."""
    try:
        return json.loads(read_text(source))
    except json.JSONDecodeError as error:
        raise UsageProblem(f"В файле {source} не JSON: ошибка в строке {error.lineno}, знак {error.colno}.") from error


def read_toml(source: str | Path) -> dict[str, Any]:
    """A TOML document. Raises `UsageProblem`."""
    try:
        return tomllib.loads(read_text(source))
    except tomllib.TOMLDecodeError as error:
        raise UsageProblem(f"В файле {source} ошибка TOML{toml_place(error)}.") from error


def toml_place(error: tomllib.TOMLDecodeError) -> str:
    """Where a TOML text is wrong: «: строка 3, знак 7», or nothing where the reader doesn't say."""
    found = re.search(r"line (\d+), column (\d+)", str(error))
    return f": строка {found[1]}, знак {found[2]}" if found else ""


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output, UTF-8, keys in the order given."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
