"""What all renderings of a report share: its figures in order, the rules it cites, its plain text pieces and its JSON form."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence

from parsers.types import Json
from renderers.fonts import clean
from rules.maps import Figure
from rules.report import (
    Block,
    Bullets,
    Coloured,
    FigureBlock,
    Inline,
    Lines,
    Paragraph,
    Report,
    Rich,
    Rule,
    Section,
    Strong,
    Table,
)


def one_line(text: str) -> str:
    """The text cleaned and on one line."""
    return " ".join(clean(text).split("\n")).replace("\t", " ")


def plain(rich: Rich) -> str:
    """The rich text as one plain line; citations as `[R53]`."""
    return "".join(piece if isinstance(piece, str) else inline_text(piece) for piece in merged(rich)).strip()


def inline_text(piece: Inline | tuple[Rule, ...]) -> str:
    """The characters of one piece, on one line."""
    if isinstance(piece, tuple):
        return f"[{', '.join(one_line(r.rule) for r in piece)}]"
    if isinstance(piece, Rule):
        return f"[{one_line(piece.rule)}]"
    return one_line(piece if isinstance(piece, str) else piece.text)


def merged(rich: Rich) -> list[Inline | tuple[Rule, ...]]:
    """The pieces with neighbouring citations (only blanks between them) gathered into one tuple, repeats left out."""
    out: list[Inline | tuple[Rule, ...]] = []
    for piece in rich:
        if isinstance(piece, Rule):
            blank = len(out) > 1 and isinstance(out[-1], str) and not out[-1].strip() and isinstance(out[-2], tuple)
            if blank:
                out.pop()
            last = out[-1] if out else None
            if isinstance(last, tuple):
                out[-1] = last if piece in last else (*last, piece)
            else:
                out.append((piece,))
        else:
            out.append(piece)
    return out


def blocks_of(report: Report) -> tuple[Block, ...]:
    """Summary and sections as one sequence."""
    return (*report.summary, *report.sections)


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """Every block, depth first, in reading order."""
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from walk(block.blocks)


def figures(report: Report) -> tuple[FigureBlock, ...]:
    """The report's figures in reading order; renderings refer to them by this index."""
    return tuple(block for block in walk(blocks_of(report)) if isinstance(block, FigureBlock))


def without_figure(report: Report, figure: Figure | None) -> Report:
    """The report without a picture that is shown elsewhere (the map above it); sections that held nothing else go too."""

    def rest(blocks: Iterable[Block]) -> Iterator[Block]:
        for block in blocks:
            if isinstance(block, Section):
                inside = tuple(rest(block.blocks))
                if inside or not block.blocks:
                    yield dataclasses.replace(block, blocks=inside)
            elif not (isinstance(block, FigureBlock) and block.figure == figure):
                yield block

    sections = tuple(block for block in rest(report.sections) if isinstance(block, Section))
    return dataclasses.replace(report, summary=tuple(rest(report.summary)), sections=sections)


def cited_rules(report: Report) -> tuple[str, ...]:
    """The rulings that the report cites, each once, in the order of their numbers."""
    found: dict[str, None] = {}
    for block in walk(blocks_of(report)):
        for rich in riches(block):
            for piece in rich:
                if isinstance(piece, Rule):
                    found[piece.rule] = None
    return tuple(sorted(found, key=lambda rule: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", rule)]))


def riches(block: Block) -> Iterator[Rich]:
    """The rich texts that stand directly in a block."""
    if isinstance(block, Paragraph):
        yield block.text
    elif isinstance(block, Bullets):
        yield from block.items
    elif isinstance(block, Lines):
        yield from block.lines
    elif isinstance(block, Table):
        for row in (*block.rows, *([block.total] if block.total else ())):
            yield from row


def report_to_json(report: Report, *, models: bool = True) -> dict[str, Json]:
    """The report as JSON: each block an object with its `kind`; texts exactly as the ruleset wrote them.

    `models=False` leaves out what figures are drawn from (a large grid map is long)."""
    numbers = iter(range(len(figures(report))))
    return {
        "title": report.title,
        "subtitle": report.subtitle,
        "summary": _blocks_json(report.summary, numbers, models),
        "sections": _blocks_json(report.sections, numbers, models),
        "rules": list(cited_rules(report)),
    }


def _blocks_json(blocks: Sequence[Block], numbers: Iterator[int], models: bool) -> list[Json]:
    return [_block_json(block, numbers, models) for block in blocks]


def _block_json(block: Block, numbers: Iterator[int], models: bool) -> dict[str, Json]:
    if isinstance(block, Paragraph):
        return {"kind": "paragraph", "text": _rich_json(block.text)}
    if isinstance(block, Bullets):
        return {"kind": "bullets", "items": [_rich_json(item) for item in block.items]}
    if isinstance(block, Lines):
        return {"kind": "lines", "mono": block.mono, "lines": [_rich_json(line) for line in block.lines]}
    if isinstance(block, Table):
        return {
            "kind": "table",
            "caption": block.caption,
            "columns": [{"title": c.title, "numeric": c.numeric} for c in block.columns],
            "rows": [[_rich_json(cell) for cell in row] for row in block.rows],
            "total": None if block.total is None else [_rich_json(cell) for cell in block.total],
        }
    if isinstance(block, FigureBlock):
        out: dict[str, Json] = {
            "kind": "figure",
            "index": next(numbers),
            "figure": type(block.figure).__name__,
            "caption": block.caption,
            "alt": block.alt,
        }
        if models:
            out["model"] = _json_keys(dataclasses.asdict(block.figure))
        return out
    return {
        "kind": "section",
        "title": block.title,
        "details": block.details,
        "id": block.id,
        "blocks": _blocks_json(block.blocks, numbers, models),
    }


def _json_keys(value: Json) -> Json:
    """Dictionaries with text keys (provinces are numbered by integers)."""
    if isinstance(value, dict):
        return {str(key): _json_keys(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json_keys(item) for item in value]
    return value


def _rich_json(rich: Rich) -> list[Json]:
    out: list[Json] = []
    for piece in rich:
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Rule):
            out.append({"kind": "rule", "rule": piece.rule})
        elif isinstance(piece, Coloured):
            out.append({"kind": "coloured", "text": piece.text, "colour": piece.colour})
        else:
            out.append({"kind": "strong" if isinstance(piece, Strong) else "emphasis", "text": piece.text})
    return out
