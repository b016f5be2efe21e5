"""«Исправить приказ Гхаша 2: сумма 5, кому Торгриму»: the fields that the GM gives another value (R189)."""

from __future__ import annotations

from typing import Any

from parsers.atoms import Atom
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said

_FIELD_OF = {word: field for field, words in tables()["gm_field"].items() for word in (field, *words)}
_PARTS = frozenset({",", ";"})
_EQUALS = frozenset({"=", ":", "-", "→"})
_OF_ATOM = {
    "amount": ("coins", "number"),
    "cell": ("cell", "house"),
    "unit": ("unit", "utype", "personal"),
    "target": ("unit", "utype", "cell", "house"),
    "building": ("house", "cell"),
    "to": ("player",),
    "player": ("player",),
    "unit_type": ("utype",),
    "what": ("btype",),
    "level": ("level",),
    "school": ("school",),
    "spell": ("spell",),
    "cards": ("cards",),
}


def edit(said: Said) -> dict[str, Any]:
    """Which order, and its new fields."""
    layout = said.context.layout
    tokens = layout.tokens
    first = said.match.triggers[0].last
    last = layout.sentences[said.match.sentence].last
    starts = [i for i in range(first, last) if _field_at(said, i, first) is not None]
    fields: dict[str, Any] = {}
    for n, at in enumerate(starts):
        field = _field_at(said, at, first)
        end = starts[n + 1] if n + 1 < len(starts) else last
        begin = _behind_word(said, at)
        while begin < end and tokens[begin].norm in _EQUALS:
            begin += 1
        while end > begin and (tokens[end - 1].norm in _PARTS | {".", "и"}):
            end -= 1
        if field is not None and begin < end:
            fields[field] = _value(said, field, begin, end)
    name = _order(said, first, starts[0] if starts else last)
    if not name or not fields:
        text = "Правку пишут так: «исправить приказ ghash:2: сумма 5»."
        raise said.stop("ambiguous", text, draft={"type": "gm_edit"})
    return {"type": "gm_edit", "command": name, "fields": fields, "reason": None}


def _field_at(said: Said, i: int, first: int) -> str | None:
    """The field that a word names, at the head of its part: behind the name's colon, a comma or «и»."""
    tokens = said.context.layout.tokens
    before = tokens[i - 1]
    if tokens[i].kind is not Kind.WORD or i == first or not (before.norm in _PARTS | {":", "и"} or before.kind is Kind.LINE):
        return None
    return _FIELD_OF.get(said.context.layout.text[tokens[i].start : tokens[_behind_word(said, i) - 1].end].lower())


def _behind_word(said: Said, i: int) -> int:
    """Behind a word that may have «_» in it («unit_type»)."""
    tokens = said.context.layout.tokens
    i += 1
    while i + 1 < len(tokens) and tokens[i].norm == "_" and tokens[i].glued and tokens[i + 1].glued:
        i += 2
    return i


def _order(said: Said, first: int, last: int) -> str:
    """`ghash:2` for «Гхаша №2», else the words as they stand."""
    layout = said.context.layout
    inside = [a for a in said.context.by_sentence.get(said.match.sentence, []) if first <= a.first < last]
    player = next((str(s.value) for a in inside for s in a.all("player")), None)
    number = next((s.value for a in inside for s in a.all("number", "ordinal")), None)
    if player is not None and isinstance(number, int):
        return f"{player}:{number}"
    text = layout.text[layout.tokens[first].start : layout.tokens[last - 1].end] if first < last else ""
    return " ".join(text.split()).strip(" .,:;!№#-–—")


def _value(said: Said, field: str, first: int, last: int) -> Any:
    inside = [a for a in said.context.by_sentence.get(said.match.sentence, []) if first <= a.first < last]
    if field == "path":
        cells = [c for a in inside for c in _cells(a)]
        if cells:
            return cells
    kinds = _OF_ATOM.get(field, ())
    atom = next((a for a in inside if a.has(*kinds)), None)
    sense = atom.get(*kinds) if atom is not None else None
    if atom is not None and sense is not None:
        if sense.kind in ("unit", "utype", "personal") and field in ("unit", "target"):
            return said.unit(atom)
        return list(sense.value) if isinstance(sense.value, tuple) else sense.value
    layout = said.context.layout
    return " ".join(layout.text[layout.tokens[first].start : layout.tokens[last - 1].end].split())


def _cells(atom: Atom) -> list[str]:
    way = atom.get("path")
    if way is not None:
        return [str(cell) for cell, _ in way.value]
    cell = atom.get("cell", "house")
    return [str(cell.value)] if cell is not None else []
