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
from rules.toml_lines import TomlText

TOML_TROUBLES = (
    ("Illegal character '\\n'", "не закрыта кавычка"),
    ("Unterminated string", "не закрыта кавычка"),
    ("Expected '=' after a key", "после имени нет «=»"),
    ("Cannot overwrite a value", "это имя уже записано в той же таблице"),
    ("Cannot declare", "эта таблица уже есть"),
    ("Unclosed array", "не закрыта скобка «]» или нет запятой"),
    ("Unclosed inline table", "не закрыта скобка «}» или нет запятой"),
    ("Invalid value", "значение не читается: текст пишется в кавычках"),
    ("Expected newline or end of document", "лишнее в конце строки"),
)
"""How the reader's complaints begin, and what they mean."""


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


def read_toml(source: str | Path) -> TomlText:
    """A TOML document that still knows its lines. Raises `UsageProblem`."""
    try:
        return TomlText.read(read_text(source))
    except tomllib.TOMLDecodeError as error:
        raise UsageProblem(f"В файле {source} ошибка TOML{toml_place(error)}.") from error


def toml_place(error: tomllib.TOMLDecodeError) -> str:
    """Where a TOML text is wrong, and why: «: строка 3, знак 7: не закрыта кавычка», as far as the reader says it."""
    found = re.search(r"line (\d+), column (\d+)", str(error))
    why = next((words for beginning, words in TOML_TROUBLES if str(error).startswith(beginning)), "")
    return (f": строка {found[1]}, знак {found[2]}" if found else "") + (f": {why}" if why else "")


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output, UTF-8, keys in the order given."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")
