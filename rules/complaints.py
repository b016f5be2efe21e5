"""What a pydantic validation found wrong, in Russian: settings, scenarios, states, commands that somebody wrote by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

REASONS = {
    "extra_forbidden": "нет такого ключа",
    "missing": "не указано",
    "int_parsing": "нужно целое число",
    "int_type": "нужно целое число",
    "int_from_float": "нужно целое число",
    "float_parsing": "нужно число",
    "float_type": "нужно число",
    "string_type": "нужна строка в кавычках",
    "bool_type": "нужно true или false",
    "bool_parsing": "нужно true или false",
    "literal_error": "такого значения нет",
    "enum": "такого значения нет",
    "string_pattern_mismatch": "недопустимые знаки",
    "string_too_short": "слишком коротко",
    "string_too_long": "слишком длинно",
    "too_short": "слишком мало",
    "too_long": "слишком много",
    "tuple_type": "нужен список",
    "list_type": "нужен список",
    "set_type": "нужен список",
    "dict_type": "нужна таблица",
    "mapping_type": "нужна таблица",
    "model_type": "нужна таблица",
    "model_attributes_type": "нужна таблица",
    "dataclass_type": "нужна таблица",
}
LIMITS = {
    "greater_than": "больше",
    "greater_than_equal": "не меньше",
    "less_than": "меньше",
    "less_than_equal": "не больше",
}


def complaint(error: ValidationError) -> tuple[str, str]:
    """The first thing wrong: its place (`players.0.faction`, empty for the whole) and the reason («нужно целое число»)."""
    first = error.errors()[0]
    return ".".join(str(part) for part in first["loc"]), reason(dict(first))


def reason(item: Mapping[str, Any]) -> str:
    """The reason of one of a validation's errors."""
    kind, context = str(item["type"]), item.get("ctx") or {}
    if kind == "value_error":
        return str(context.get("error", item["msg"]))
    if kind in LIMITS:
        return f"должно быть {LIMITS[kind]} {next(iter(context.values()))}"
    if kind in ("literal_error", "enum"):
        return f"может быть: {str(context.get('expected')).replace(' or ', ' или ')}"
    return REASONS.get(kind, "не подходит")
