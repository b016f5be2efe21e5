"""A table as text: aligned for a monospaced face, or as a list of «name — column: value» for narrow places."""

from __future__ import annotations

from collections.abc import Sequence

from renderers.document import plain
from rules.report import Table


def aligned(table: Table) -> list[str]:
    """Lines of the table with its columns aligned: titles, a rule, rows, a rule and the sums where there are any."""
    body = [[plain(cell) for cell in row] for row in table.rows]
    total = [plain(cell) for cell in table.total] if table.total else None
    titles = [plain((column.title,)) for column in table.columns]
    every = [titles, *body, *([total] if total else [])]
    widths = [max((len(row[i]) for row in every if i < len(row)), default=0) for i in range(len(titles))]

    def line(cells: Sequence[str]) -> str:
        out = []
        for i, (column, width) in enumerate(zip(table.columns, widths, strict=True)):
            cell = cells[i] if i < len(cells) else ""
            out.append(cell.rjust(width) if column.numeric else cell.ljust(width))
        return "  ".join(out).rstrip()

    rule = "  ".join("-" * width for width in widths)
    out = [line(titles), rule] if any(titles) else []
    out += [line(row) for row in body]
    if total:
        out += [rule, line(total)]
    return out


def pairs(table: Table, row: Sequence[str]) -> tuple[str, list[str]]:
    """A row for a list: its first cell, and «column: value» for every other cell that isn't empty."""
    rest = []
    for column, cell in zip(table.columns[1:], row[1:], strict=False):
        if cell:
            title = plain((column.title,))
            rest.append(f"{title}: {cell}" if title else cell)
    return row[0] if row else "", rest
