"""A faction's ledger of a turn, line by line, as it is told (R83, invariant 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from parsers.types import Json
from rules.report import Block, Bullets, Column, Rich, Section, Strong, Table, rich, row
from rules.steel_rose.refusals import amount, faction_name, resource_name, units_text
from rules.steel_rose.state import State
from rules.steel_rose.wording import building_name, facts, word


def ledger(state: State, data: Mapping[str, Json], *, named: bool) -> Section:
    """The facts of a `ledger` event: opening, lines, closing; and the units that came and went. `named`: with whose it is."""
    faction = str(data["faction"])
    columns = (
        Column(word("report", "item")),
        Column(word("report", "gold"), numeric=True),
        Column(resource_name(faction).capitalize(), numeric=True),
    )
    rows = [row(Strong(word("report", "opening")), amount(data["opening"]["gold"]), amount(data["opening"]["res"]))]
    troops: list[Rich] = []
    for line in data["lines"]:
        rows += [row(title, signed(gold), signed(res)) for title, gold, res in entries(state, line)]
        if line["units"]:
            title = word("line", line["kind"], **facts(state, line["data"]))
            gained = {u: n for u, n in line["units"].items() if n > 0}
            lost = {u: -n for u, n in line["units"].items() if n < 0}
            change = [*([f"+ {units_text(gained)}"] if gained else []), *([f"− {units_text(lost)}"] if lost else [])]
            troops.append(rich(f"{title}: {'; '.join(change)}"))
    total = row(Strong(word("report", "closing")), amount(data["closing"]["gold"]), amount(data["closing"]["res"]))
    caption = word("report", "ledger_caption", turn=data["turn"], faction=faction_name(faction))
    blocks: list[Block] = [Table(columns, tuple(rows), caption, total)]
    if troops:
        blocks.append(Section(word("report", "units"), (Bullets(tuple(troops)),)))
    title = word("report", "ledger_of", faction=faction_name(faction)) if named else word("report", "ledger")
    return Section(title, tuple(blocks), id=f"ledger-{faction}")


def entries(state: State, line: Mapping[str, Any]) -> Iterator[tuple[str, int | float, int | float]]:
    """What a line changes, part by part: title, gold, resource. Nothing where only units change."""
    if not line["gold"] and not line["res"]:
        return
    parts = line["data"].get("parts")
    if not parts:
        yield word("line", line["kind"], **facts(state, line["data"])), line["gold"], line["res"]
        return
    for kind, ident, value in parts:
        gold, res = (value, 0) if line["gold"] else (0, value)
        yield _part(state, line, kind, ident), gold, res


def _part(state: State, line: Mapping[str, Any], kind: str, ident: str | None) -> str:
    city = state.target_name(line["data"]["city"]) if "city" in line["data"] else ""
    where = f"{city}: " if city else ""
    if kind == "unit":
        return word("part", line["kind"], units=units_text({str(ident): line["data"]["of"][ident]}))
    if kind == "building":
        return where + building_name(str(ident))
    return where + word("part", kind)


def signed(value: int | float) -> str:
    """«+150», «−20», empty for 0."""
    if not value:
        return ""
    return f"+{amount(value)}" if value > 0 else f"−{amount(-value)}"
