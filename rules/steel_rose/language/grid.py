"""A line of a deployment told as a table: what stands in each of its columns."""

from __future__ import annotations

import re

from parsers.atoms import Atom
from parsers.reading_atoms import between
from parsers.structure import Layout
from rules.steel_rose.language.senses import value_of

_WIDE = re.compile(r"\t|[ \u00a0]{2,}")
_COLUMNS = 3


def between_pipes(layout: Layout, line: list[Atom]) -> list[list[Atom]]:
    """The squads of each column where «|» parts them; empty: no such table."""
    tokens = layout.tokens
    sentence = layout.sentences[layout.sentence_of[line[0].first]]
    pipes = [i for i in range(line[0].last, sentence.last) if tokens[i].norm == "|"]
    if not pipes:
        return []
    closed = pipes[-1] == sentence.last - 1  # «| левый | 5 щитов | нет |»
    ends = [*pipes[1:], *([] if closed else [sentence.last])]
    return [[a for a in line[1:] if first < a.first < last] for first, last in zip(pipes, ends, strict=False)]


def by_dashes(layout: Layout, line: list[Atom]) -> list[list[Atom]]:
    """The squads of each column of a table whose empty cells are dashes."""
    tokens = layout.tokens
    items: list[list[Atom]] = []
    previous = line[0]
    marks: list[list[Atom]] = []
    end = layout.sentences[layout.sentence_of[line[0].first]].last
    for atom in [*line[1:], None]:
        stop = atom.first if atom is not None else end
        gap = list(tokens[previous.last : stop])
        lone = [t for t in gap if t.norm in {"-", "—"}]
        if previous is line[0]:
            lone = (
                lone[1:]
                if len(gap) and gap[0].norm in {"-", "—", ":"} and len(lone) > 0 and atom is not None and len(lone) == 1
                else lone
            )
        marks = [[] for _ in lone]
        items.extend(marks)
        if atom is None:
            break
        if any(t.norm in {"+", "и"} for t in gap) and items and items[-1]:
            items[-1].append(atom)
        elif atom.has("nobody"):
            items.append([])
        else:
            items.append([atom])
        previous = atom
    return items


def by_spaces(layout: Layout, line: list[Atom]) -> list[list[Atom]]:
    """The squads of each column where wide blanks part them («5 НД    8 культистов, 3 НД    —»); empty: no such table."""
    tokens = layout.tokens
    end = layout.sentences[layout.sentence_of[line[0].first]].last
    opening = line[0].last + (line[0].last < end and tokens[line[0].last].norm == ":")
    wide = (i for i in range(opening + 1, end) if _WIDE.search(layout.text[tokens[i - 1].end : tokens[i].start]))
    starts = [opening, *wide]
    ends = [*starts[1:], end]
    return [[a for a in line[1:] if first <= a.first < last] for first, last in zip(starts, ends, strict=True)]


def by_marks(layout: Layout, line: list[Atom]) -> list[list[Atom]]:
    """The squads between the slashes of «Авангард: 2 копья / 3 копья / -», one for each flank; empty: no such line."""
    if not line[0].has("row") or any(a.has("cell", "flank", "row") for a in line[1:]):
        return []
    tokens = layout.tokens
    end = layout.sentences[layout.sentence_of[line[0].first]].last
    marks = [i for i in range(line[0].last, end) if tokens[i].norm in {"/", "|"}]
    if len(marks) != _COLUMNS - 1:
        return []
    starts = [line[0].last, *marks]
    return [[a for a in line[1:] if first <= a.first < last] for first, last in zip(starts, [*marks, end], strict=True)]


def by_slash(layout: Layout, line: list[Atom]) -> list[tuple[Atom, list[Atom], list[Atom]]]:
    """Each flank of «Центр: 10 копий / 6 луков» with what stands before and behind its slash; empty: no such line."""
    if not line[0].has("flank") or any(a.has("cell", "row", "number") for a in line):
        return []
    starts = [n for n, a in enumerate(line) if a.has("flank")]
    out: list[tuple[Atom, list[Atom], list[Atom]]] = []
    for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
        inside = line[start + 1 : end]
        breaks = [n for n in range(1, len(inside)) if "/" in between(layout, inside[n - 1], inside[n])]
        if len(breaks) != 1 or value_of(line[start], "flank") not in ("L", "C", "R"):
            return []
        out.append((line[start], inside[: breaks[0]], inside[breaks[0] :]))
    return out


def by_heads(layout: Layout, line: list[Atom]) -> list[tuple[str, list[Atom]]]:
    """«Авангард Л/Ц/П: 3 щита / 5 щитов / -»: what stands in each place; empty: no such line."""
    rows = [a for a in line[:1] if a.has("row")]
    flanks: list[Atom] = []
    for atom in line[len(rows) :]:
        if not atom.has("flank") or (flanks and between(layout, flanks[-1], atom) not in (["/"], ["|"])):
            break
        flanks.append(atom)
    items = line[len(rows) + len(flanks) :]
    if len(flanks) < 2 or len(rows) != 1 or any(a.has("cell", "flank", "row") for a in items):
        return []
    columns: list[list[Atom]] = [[]]
    sentence = layout.sentences[layout.sentence_of[line[0].first]]
    for i in range(flanks[-1].last, sentence.last):
        if layout.tokens[i].norm in {"/", "|"}:
            columns.append([])
        columns[-1] += [a for a in items if a.first == i]
    if len(columns) != len(flanks):
        return []
    row = str(value_of(rows[0], "row"))
    return [(f"{value_of(f, 'flank')}{row}", inside) for f, inside in zip(flanks, columns, strict=True)]
