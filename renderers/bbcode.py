"""Report → BBCode posts for what a board can show: summary first, details folded away, or a plain form where it has no such tags.

Texts can't become markup: a «[» of theirs that could begin a tag is followed by an invisible sign (phpBB has no other way
to escape).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from renderers.document import cited_rules, inline_text, merged, one_line, plain
from renderers.document import figures as figures_of
from renderers.palette import FAINT, hexa, is_colour, legible
from renderers.tables import aligned, pairs
from renderers.templates import shared_template
from rules.report import (
    Block,
    Bullets,
    Coloured,
    Emphasis,
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

ZERO_WIDTH = "\u200b"
"""Breaks what would be a tag; readers don't see it."""


@dataclass(frozen=True, slots=True)
class Board:
    """What a board can show and take; the defaults are phpBB's own."""

    spoiler: str = ""
    """Opening tag that folds text away, `{title}` in it is replaced: `[spoiler={title}]`. Empty: the board has none."""
    spoiler_end: str = "[/spoiler]"
    tables: bool = False
    """Has `[table][tr][th][td]`."""
    mono: bool = True
    """Has `[code]`."""
    colours: bool = True
    sizes: bool = True
    """Has `[size=percent]`."""
    lists: bool = True
    max_chars: int = 60_000
    """Most characters of one post, as phpBB counts them: `&`, `<`, `>` and `"` as their entities."""
    max_attachment_bytes: int = 262_144
    rule_url: str = ""
    """Address of a ruling with `{rule}` in it; empty: citations aren't links."""
    rule_list: bool = False
    """The last post ends with the rulings cited, in words."""
    code_width: int = 76
    """Widest table that is shown in `[code]`; a wider one becomes a list."""


@dataclass(frozen=True, slots=True)
class Post:
    """One post of a report."""

    text: str
    number: int
    """From 1."""
    total: int
    figures: tuple[int, ...]
    """Indices of the figures that the post refers to."""


_LEFT_OUT = "… показано не всё, ещё строк: {}; целиком — в отчёте мастера (PDF)."
"""Ends details that were cut for the post."""
_TAG = re.compile(r"\[(?=[A-Za-z/*]|$)")
"""What could begin a tag: a Latin name, `/`, `*`, or whatever the following piece of text begins with. «[Пехота-2]» can't."""

Pictures = Callable[[int, FigureBlock], str]
"""BBCode that shows a figure (`[img]…[/img]`, `[attachment=0]…[/attachment]`); empty: its words stand in for it."""


def escape(text: str) -> str:
    """Plain text as one line of BBCode that shows just that text."""
    return _TAG.sub("[" + ZERO_WIDTH, one_line(text))


def posted_length(text: str) -> int:
    """Characters as phpBB counts them against its limit."""
    return len(text) + 4 * text.count("&") + 3 * (text.count("<") + text.count(">")) + 5 * text.count('"')


def render_posts(
    report: Report,
    board: Board = Board(),
    *,
    picture: Pictures = lambda index, figure: "",
    lead: str = "",
    rule_text: Callable[[str], str | None] = lambda rule: None,
    folders: Iterable[Path] = (),
) -> tuple[Post, ...]:
    """The report as one or more numbered posts, each within the board's limit.

    `lead` is BBCode of ours (map, links) that stands in the first post under the title. Raises `ValueError` when the limit is too
    small for the frame and some text (under about 500 characters)."""
    template = shared_template("posts/report.bbcode.j2", folders)
    writer = _Writer(board, picture, {id(f): i for i, f in enumerate(figures_of(report))})
    rules = writer.rule_list(report, rule_text) if board.rule_list else ""

    def frame(body: str, part: int, parts: int) -> str:
        text = template.render(
            title=escape(report.title),
            subtitle=escape(report.subtitle) if part == 1 else "",
            body=body,
            part=part,
            parts=parts,
            lead=lead if part == 1 else "",
            rules=rules if part == parts else "",
        )
        return text.strip() if board.sizes else _without_sizes(text.strip())

    spare = max(posted_length(frame("x", part, 99)) for part in (1, 50, 99))
    room = board.max_chars - spare
    if room < 200:
        raise ValueError(f"max_chars={board.max_chars} leaves no room for the text of a report")
    bodies = _Packer(room).pack(writer.pieces((*report.summary, *report.sections), room, 1))
    return tuple(
        Post(frame(body, n, len(bodies)), n, len(bodies), tuple(sorted(seen))) for n, (body, seen) in enumerate(bodies, start=1)
    )


def _without_sizes(text: str) -> str:
    return text.replace("[size=150]", "").replace("[size=120]", "").replace("[size=85]", "").replace("[/size]", "")


# ------------------------------------------------------------------------------------------------ pieces


@dataclass(frozen=True, slots=True)
class _Text:
    """Text that stays together."""

    text: str
    figures: tuple[int, ...] = ()
    starts_section: int = 0
    """Length of the section that begins here, 0 within one."""


@dataclass(frozen=True, slots=True)
class _Open:
    """Begins a folded part; `again` opens it anew in the next post."""

    text: str
    again: str
    end: str


class _Close:
    """Ends the folded part."""


_Piece = _Text | _Open | _Close


class _Writer:
    """Turns blocks into pieces."""

    def __init__(self, board: Board, picture: Pictures, numbers: Mapping[int, int]) -> None:
        self._board = board
        self._picture = picture
        self._numbers = numbers

    def pieces(self, blocks: Sequence[Block], room: int, depth: int) -> list[_Piece]:
        """The blocks as pieces, none longer than `room`."""
        out: list[_Piece] = []
        for block in blocks:
            if isinstance(block, Section):
                out += self._section(block, room, depth)
            else:
                out += [_Text(text, figures) for text, figures in self._fit(_shown(block), room)]
        return out

    def _section(self, section: Section, room: int, depth: int) -> list[_Piece]:
        if section.details and self._board.spoiler:
            title = _attribute(section.title)
            opening = self._board.spoiler.replace("{title}", title)
            again = self._board.spoiler.replace("{title}", f"{title} (продолжение)")
            if "{title}" not in self._board.spoiler:
                opening, again = (
                    f"[b]{escape(section.title)}[/b]\n{opening}",
                    f"[b]{escape(section.title)}[/b] (продолжение)\n{again}",
                )
            inner = self.pieces(section.blocks, room - posted_length(again + self._board.spoiler_end) - 2, depth + 1)
            return [_Open(opening, again, self._board.spoiler_end), *inner, _Close()] if inner else []
        heading = self._heading(section.title, depth)
        inner = self.pieces(section.blocks, room - posted_length(heading) - 1, depth + 1)
        size = sum(posted_length(p.text) + 2 for p in inner if isinstance(p, _Text))
        if inner and isinstance(inner[0], _Text):
            first = inner[0]
            return [_Text(f"{heading}\n{first.text}", first.figures, size), *inner[1:]]
        if inner and isinstance(inner[0], _Open):
            return [replace(inner[0], text=f"{heading}\n{inner[0].text}"), *inner[1:]]
        return [_Text(heading, (), size), *inner]

    def _heading(self, title: str, depth: int) -> str:
        if depth == 1 and self._board.sizes:
            return f"[b][size=120]{escape(title)}[/size][/b]"
        return f"[b]{escape(title)}[/b]"

    def _fit(self, block: Block, room: int) -> list[tuple[str, tuple[int, ...]]]:
        """The block's BBCode, in as many parts as the room demands."""
        text, seen = self._block(block)
        if not text:
            return []
        if posted_length(text) <= room:
            return [(text, seen)]
        return [part for half in _halves(block) for part in self._fit(half, room)]

    def _block(self, block: Block) -> tuple[str, tuple[int, ...]]:
        if isinstance(block, FigureBlock):
            index = self._numbers[id(block)]
            code, caption = self._picture(index, block), escape(block.caption)
            if code:
                return (f"{code}\n[i]{caption}[/i]" if caption else code), (index,)
            words = escape(block.alt or block.caption)
            return (f"[i]Рисунок: {words}[/i]" if words else ""), ()
        if isinstance(block, Paragraph):
            return self.rich(block.text), ()
        if isinstance(block, Bullets):
            return self._list([self.rich(item) for item in block.items]), ()
        if isinstance(block, Lines):
            if block.mono and self._board.mono:
                return "[code]" + "\n".join(escape(plain(line)) for line in block.lines) + "[/code]", ()
            return "\n".join(self.rich(line) for line in block.lines), ()
        if isinstance(block, Table):
            return self._table(block), ()
        raise TypeError(f"a section is no simple block: {block.title!r}")

    def _list(self, items: Sequence[str]) -> str:
        if self._board.lists:
            return "[list]" + "\n".join(f"[*]{item}" for item in items) + "[/list]"
        return "\n".join(f"• {item}" for item in items)

    def _table(self, table: Table) -> str:
        caption = f"[b]{escape(table.caption)}[/b]\n" if table.caption else ""
        if self._board.tables:
            head = "".join(f"[th]{escape(column.title)}[/th]" for column in table.columns)
            rows = [f"[tr]{''.join(f'[td]{self.rich(cell)}[/td]' for cell in row)}[/tr]" for row in table.rows]
            if table.total:
                rows.append(f"[tr]{''.join(f'[td]{_bold(self.rich(cell))}[/td]' for cell in table.total)}[/tr]")
            return f"{caption}[table][tr]{head}[/tr]{''.join(rows)}[/table]"
        lines = aligned(table)
        if self._board.mono and max(map(len, lines), default=0) <= self._board.code_width:
            return f"{caption}[code]" + "\n".join(map(escape, lines)) + "[/code]"
        items = []
        for row in (*table.rows, *([table.total] if table.total else ())):
            name, rest = pairs(table, [self.rich(cell) for cell in row])
            items.append(_bold(name) + (f" — {'; '.join(rest)}" if rest else ""))
        return caption + self._list(items)

    def rich(self, rich: Rich) -> str:
        """Rich text as BBCode."""
        return "".join(self._inline(piece) for piece in merged(rich)).strip()

    def _inline(self, piece: Inline | tuple[Rule, ...]) -> str:
        if isinstance(piece, tuple):
            return self._citation(piece)
        if isinstance(piece, Rule):
            return self._citation((piece,))
        text = escape(inline_text(piece))
        if isinstance(piece, str) or not text.strip():
            return text
        if isinstance(piece, Strong):
            return f"[b]{text}[/b]"
        if isinstance(piece, Emphasis):
            return f"[i]{text}[/i]"
        return self._coloured(piece, text)

    def _coloured(self, piece: Coloured, text: str) -> str:
        if not (self._board.colours and is_colour(piece.colour)):
            return f"[b]{text}[/b]"
        return f"[b][color={hexa(legible(piece.colour))}]{text}[/color][/b]"

    def _citation(self, rules: Sequence[Rule]) -> str:
        names = []
        for rule in rules:
            name = one_line(rule.rule).replace("[", "").replace("]", "")
            url = self._board.rule_url.replace("{rule}", name)
            names.append(f"[url={url}]{name}[/url]" if url else name)
        text = f"[{', '.join(names)}]"
        if self._board.colours:
            text = f"[color={FAINT}]{text}[/color]"
        return f"[size=85]{text}[/size]" if self._board.sizes else text

    def rule_list(self, report: Report, rule_text: Callable[[str], str | None]) -> str:
        """The cited rulings in words; empty when none is known."""
        items = [f"[b]{escape(rule)}[/b] {escape(words)}" for rule in cited_rules(report) if (words := rule_text(rule))]
        if not items:
            return ""
        return self._heading("Правила", 1) + "\n" + self._list(items)


def _shown(block: Block) -> Block:
    """The block without the lines that a post leaves to other renderings, and with a word of them."""
    if not isinstance(block, Lines) or block.post_limit is None:
        return block
    left = len(block.lines) - block.post_limit
    if left <= 0:
        return replace(block, post_limit=None)
    return replace(block, lines=(*block.lines[: block.post_limit], (Emphasis(_LEFT_OUT.format(left)),)), post_limit=None)


def _attribute(title: str) -> str:
    """A title that may stand inside a tag."""
    return one_line(title).translate(str.maketrans("[]\"'=", "()”’–"))


def _halves(block: Block) -> list[Block]:
    """The block in two parts (or, where it is one long text, the text in two). Raises `ValueError` when it can't be cut."""
    if isinstance(block, Table) and len(block.rows) > 1:
        middle = len(block.rows) // 2
        return [replace(block, rows=block.rows[:middle], total=None), replace(block, rows=block.rows[middle:], caption="")]
    if isinstance(block, Table) and block.rows and block.total:
        return [replace(block, total=None), Table(block.columns, (block.total,))]
    if isinstance(block, Bullets) and len(block.items) > 1:
        middle = len(block.items) // 2
        return [Bullets(block.items[:middle]), Bullets(block.items[middle:])]
    if isinstance(block, Lines) and len(block.lines) > 1:
        middle = len(block.lines) // 2
        return [replace(block, lines=block.lines[:middle]), replace(block, lines=block.lines[middle:])]
    if isinstance(block, Paragraph):
        return [Paragraph(part) for part in _cut(block.text)]
    if isinstance(block, Bullets):
        return [Paragraph(item) for item in block.items]
    if isinstance(block, Lines):
        return [Paragraph(line) for line in block.lines]
    if isinstance(block, Table):
        cells: list[Inline] = [Strong(block.caption), ". "] if block.caption else []
        for column, cell in zip(block.columns, (block.rows or (block.total or (),))[0], strict=False):
            cells += [f"{column.title}: ", *cell, "; "]
        return [Paragraph(tuple(cells))]
    raise ValueError("a picture's code is longer than a post may be")


def _cut(rich: Rich) -> tuple[Rich, Rich]:
    """Rich text in two, after a sentence or a word near its middle."""
    if len(rich) > 1:
        sizes = [len(inline_text(piece)) for piece in rich]
        half, run, at = sum(sizes) / 2, 0, 1
        for i, size in enumerate(sizes[:-1], start=1):
            run += size
            at = i
            if run >= half:
                break
        return rich[:at], rich[at:]
    piece = rich[0]
    text = inline_text(piece)
    if len(text) < 2 or isinstance(piece, Rule):
        raise ValueError("a post is too short for a single word")
    middle = len(text) // 2
    stops = [i + 1 for i in range(len(text) - 1) if text[i] in ".!?…" and text[i + 1] == " "]
    spaces = [i for i, char in enumerate(text) if char == " " and 0 < i < len(text) - 1]
    near = [i for i in stops if abs(i - middle) < len(text) / 4] or spaces or [middle]
    at = min(near, key=lambda i: abs(i - middle))
    if isinstance(piece, str):
        return (text[:at],), (text[at:].lstrip(),)
    return (replace(piece, text=text[:at]),), (replace(piece, text=text[at:].lstrip()),)


# ------------------------------------------------------------------------------------------------ packing


class _Packer:
    """Fills posts with pieces; a post prefers to end where a section ends."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._bodies: list[tuple[str, set[int]]] = []
        self._open: list[_Open] = []
        self._parts: list[str] = []
        self._figures: set[int] = set()
        self._content = False
        self._fresh = True
        self._start()

    def pack(self, pieces: Sequence[_Piece]) -> list[tuple[str, set[int]]]:
        """The posts' bodies with the figures that each refers to; at least one."""
        for number, piece in enumerate(pieces):
            if isinstance(piece, _Open):
                following = next((p for p in pieces[number + 1 :] if isinstance(p, _Text)), None)
                need = (
                    posted_length(piece.text) + (posted_length(following.text) if following else 0) + posted_length(piece.end) + 4
                )
                if self._content and self._length() + need > self._room:
                    self._finish()
                self._append(piece.text, separator="\n\n")
                self._open.append(piece)
                self._fresh = True
            elif isinstance(piece, _Close):
                closed = self._open.pop()
                self._parts.append(closed.end)
                self._fresh = False
            else:
                if (self._content and self._length() + posted_length(piece.text) + 2 > self._room) or self._better_next(piece):
                    self._finish()
                self._append(piece.text, separator="" if self._fresh else "\n\n")
                self._fresh, self._content = False, True
                self._figures.update(piece.figures)
        if self._content or not self._bodies:
            self._finish()
        return self._bodies

    def _better_next(self, piece: _Text) -> bool:
        """A section that doesn't fit into the rest of a well filled post, but fits a new one, begins there."""
        size = piece.starts_section
        used = self._length()
        return bool(size) and not self._open and self._content and used > self._room / 2 and used + size > self._room >= size

    def _start(self) -> None:
        self._parts = []
        self._figures = set()
        self._content = False
        self._fresh = True
        for opened in self._open:
            self._append(opened.again, separator="\n\n" if self._parts else "")

    def _append(self, text: str, *, separator: str) -> None:
        self._parts.append((separator if self._parts else "") + text)

    def _length(self) -> int:
        return sum(map(posted_length, self._parts)) + sum(posted_length(opened.end) for opened in self._open)

    def _finish(self) -> None:
        text = "".join(self._parts) + "".join(opened.end for opened in reversed(self._open))
        self._bodies.append((text, self._figures))
        self._start()


def _bold(text: str) -> str:
    return text if not text or text.startswith("[b]") else f"[b]{text}[/b]"
