"""Report → plain text, for messages, terminals and search."""

from __future__ import annotations

from collections.abc import Sequence

from renderers.document import one_line, plain
from renderers.tables import aligned
from rules.report import Block, Bullets, FigureBlock, Lines, Paragraph, Report, Table


def render_text(report: Report) -> str:
    """The whole report as plain text; ends with a new line."""
    title = one_line(report.title)
    parts = [title + "\n" + "=" * len(title)]
    if report.subtitle:
        parts.append(one_line(report.subtitle))
    parts += _blocks(report.summary, 1)
    parts += _blocks(report.sections, 1)
    return "\n\n".join(parts) + "\n"


def _blocks(blocks: Sequence[Block], depth: int) -> list[str]:
    out: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            out.append(plain(block.text))
        elif isinstance(block, Bullets):
            out.append("\n".join(f"• {plain(item)}" for item in block.items))
        elif isinstance(block, Lines):
            out.append("\n".join(plain(line) for line in block.lines))
        elif isinstance(block, Table):
            caption = [one_line(block.caption)] if block.caption else []
            out.append("\n".join([*caption, *aligned(block)]))
        elif isinstance(block, FigureBlock):
            words = one_line(block.alt or block.caption)
            out.append(f"(Рисунок: {words})" if words else "(Рисунок)")
        else:
            title = one_line(block.title)
            out.append(title + "\n" + ("-" if depth == 1 else "·") * len(title))
            out += _blocks(block.blocks, depth + 1)
    return [part for part in out if part]
