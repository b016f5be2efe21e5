"""Whose is what in a battle told in plain Russian: the text cut into two sides by «против», or by headings.

A heading stands at the beginning of a line or a sentence and ends with «:» or a dash: «Нападает Империя:», «Культ (гарнизон) —»,
«Обороняется:». After «против» and at the beginning of the text a faction alone will do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias, TypeVar

from parsers.russian import info, normal
from parsers.types import Problem, Severity, Span
from rules.base import FactionId
from rules.steel_rose.battle.figure import texts
from rules.steel_rose.battle.model import Side
from rules.steel_rose.data import game_data

T = TypeVar("T")
Names: TypeAlias = tuple[tuple[tuple[frozenset[str], ...], T], ...]
"""Names word by word, each word in its dictionary forms, the longest name first; and what they mean."""

_WORD = re.compile(r"\w+|[^\w\s]")
_ENDS = frozenset(":—–-")
_STARTS = re.compile(r"(?:^|(?<=[.!?;\n]))[ \t]*(?=\S)", re.MULTILINE)


@dataclass
class Told:
    """One side as the text has it."""

    spans: list[Span] = field(default_factory=list)
    """Where its units and manoeuvres are told."""
    headings: list[Span] = field(default_factory=list)
    before: Span | None = None
    """Words before the first heading that name nobody's side."""
    faction: FactionId | None = None
    garrison: bool = False
    favored: bool = False
    shot_bonus: float = 0.0

    def only(self, text: str) -> str:
        """The text with everything else blanked out: places stay the same. A question about a battle is no question in it."""
        kept = [" " if not c.isspace() else c for c in text]
        for span in self.spans:
            kept[span.start : span.end] = text[span.start : span.end].replace("?", ".")
        return "".join(kept)

    def take(self, other: _Heading) -> None:
        """What a heading says of it."""
        self.faction = self.faction or other.faction
        self.garrison = self.garrison or other.garrison
        self.favored = self.favored or other.favored
        self.shot_bonus = max(self.shot_bonus, other.shot_bonus)
        self.headings.append(other.span)


@dataclass
class _Heading:
    span: Span
    role: Side | None = None
    faction: FactionId | None = None
    garrison: bool = False
    favored: bool = False
    shot_bonus: float = 0.0
    closed: bool = False
    """It ends with «:», a dash or the line."""
    plain: bool = True
    """Its faction's name can't be a unit's."""


def split(text: str) -> tuple[tuple[Told, Told] | None, list[Problem]]:
    """The attacker's and the defender's part. None and problems where there aren't two."""
    headings = [h for h in (_heading(text, m.end()) for m in _STARTS.finditer(text)) if h is not None and h.closed]
    headings = [h for n, h in enumerate(headings) if n == 0 or h.span.start >= headings[n - 1].span.end]
    parts: dict[Side | FactionId, Told] = {}
    if len({_key(h) for h in headings}) >= 2:
        for n, heading in enumerate(headings):
            end = headings[n + 1].span.start if n + 1 < len(headings) else len(text)
            side = parts.setdefault(_key(heading), Told())
            side.take(heading)
            side.spans.append(_before_against(text, Span(heading.span.end, end)))
        if len(parts) > 2:
            return None, [
                ask("three_sides", headings[2].span, sides=", ".join(text[h.span.start : h.span.end] for h in headings))
            ]
        if not _naming(text[: headings[0].span.start]):
            parts[_key(headings[0])].before = Span(0, headings[0].span.start)
        first, second = parts
        swapped = first == 1 or second == 0
        told = list(parts.values())
        return ((told[1], told[0]) if swapped else (told[0], told[1])), []
    against = [m for m in _WORD.finditer(text) if normal(m.group()) in texts()["prose"]["against"]]
    if not against:
        against = [m for m in _WORD.finditer(text) if normal(m.group()) in texts()["prose"]["attacks"]]
    if len(against) != 1:
        return None, [ask("two_sides", Span(0, len(text.rstrip())))]
    cut = against[0]
    sides = []
    for start, end in ((0, cut.start()), (cut.end(), len(text))):
        side = Told(spans=[Span(start, end)])
        head = _heading(text, start + len(text[start:end]) - len(text[start:end].lstrip()))
        if head is not None and head.span.end <= end and (head.closed or head.plain):
            side.take(head)
            side.spans = [Span(head.span.end, end)]
        sides.append(side)
    sides[1].headings.append(Span(cut.start(), cut.end()))
    return (sides[0], sides[1]), []


def _before_against(text: str, span: Span) -> Span:
    """Without a «против» that stands alone between two headings."""
    words = list(_WORD.finditer(text, span.start, span.end))
    if words and normal(words[-1].group()) in texts()["prose"]["against"]:
        return Span(span.start, words[-1].start())
    return span


def _key(heading: _Heading) -> Side | FactionId:
    """What tells the sides apart: their role, else their faction."""
    return heading.role if heading.role is not None else heading.faction or ""


def _heading(text: str, start: int) -> _Heading | None:
    """The heading that begins here: words of a side, a faction, walls, in any order and brackets."""
    line = text.find("\n", start)
    words = list(_WORD.finditer(text, start, len(text) if line < 0 else line))
    said = texts()["prose"]
    out = _Heading(Span(start, start))
    at = 0
    while at < len(words):
        word = normal(words[at].group())
        size = 1
        if word in said["attacker"] or word in said["defender"]:
            out.role = 0 if word in said["attacker"] else 1
        elif word in said["garrison"]:
            out.garrison = True
        elif word in said["favored"]:
            out.favored = True
        elif (found := _named(words[at:], _walls())) is not None:
            size = found[0]
            out.shot_bonus += found[1]
        elif (known := _named(words[at:], _factions())) is not None:
            size, (faction, plain) = known
            if out.faction is not None:
                break
            out.faction, out.plain = faction, plain
        elif word in _ENDS:
            out.closed = True
            out.span = Span(start, words[at].end())
            if word == ":" or out.faction is not None:
                break
        elif word not in said["link"] and word not in {"(", ")", ",", "+"}:
            break
        if word not in said["link"] and word not in {",", "(", "+"}:
            out.span = Span(start, words[at + size - 1].end())
        at += size
    else:
        out.closed = bool(words)
    out.closed = out.closed or (out.role is not None and out.faction is not None)
    if out.role is None and out.faction is None and not out.garrison:
        return None
    if out.role is None and out.faction is None:  # «гарнизон: …» is who defends
        out.role = 1
    return out


def _naming(text: str) -> bool:
    """«Империя против Культа.»: says only who fights whom."""
    words = list(_WORD.finditer(text))
    said = texts()["prose"]
    at = 0
    while at < len(words):
        found = _named(words[at:], _factions())
        word = normal(words[at].group())
        if found is None and word not in said["against"] and word not in said["link"] and word.isalnum():
            return False
        at += found[0] if found is not None else 1
    return True


def mere_links(text: str) -> bool:
    """Only words that say nothing by themselves: «наши», «из»."""
    return all(normal(m.group()) in texts()["prose"]["link"] for m in _WORD.finditer(text) if m.group().isalnum())


def names_unit(text: str) -> bool:
    """Whether a unit's name is among these words."""
    words = list(_WORD.finditer(text))
    return any(_named(words[at:], _units()) is not None for at in range(len(words)))


@cache
def _units() -> Names[str]:
    """Names of units."""
    return _names((name, ident) for ident, u in game_data().units.items() for name in (u.name_ru, *u.aliases) if len(name) > 2)


@cache
def _factions() -> Names[tuple[FactionId, bool]]:
    """Names of factions, the longest first, and whether a unit could not be called so."""
    units = {lemma for u in game_data().units.values() for name in (u.name_ru, *u.aliases) for lemma in _lemmas(name)}
    return _names(
        (name, (faction, not all(lemmas & units for lemmas in map(_forms, normal(name).split()))))
        for faction, kind in game_data().factions.items()
        for name in (kind.name_ru, *kind.aliases)
        if len(name) > 2
    )


@cache
def _walls() -> Names[float]:
    """Names of buildings that help a city's shooters, and how much (R112)."""
    return _names(
        (name, float(kind.garrison_shot_bonus))
        for table in game_data().buildings.values()
        for kind in table.values()
        if kind.garrison_shot_bonus
        for name in (kind.name_ru, *kind.aliases)
    )


def _names(pairs: Iterable[tuple[str, T]]) -> Names[T]:
    out = {tuple(_forms(word) for word in normal(name).split()): value for name, value in pairs}
    return tuple(sorted(out.items(), key=lambda item: -len(item[0])))


def _forms(word: str) -> frozenset[str]:
    """A word and its dictionary forms."""
    return frozenset(info(word).lemmas) | {word}


def _lemmas(name: str) -> frozenset[str]:
    """Of a name of one word."""
    words = normal(name).split()
    return _forms(words[0]) if len(words) == 1 else frozenset()


def _named(words: Sequence[re.Match[str]], names: Names[T]) -> tuple[int, T] | None:
    """The name that these words begin with: how many words it has, and its value."""
    for forms, value in names:
        if len(forms) <= len(words) and all(_forms(normal(w.group())) & f for w, f in zip(words, forms, strict=False)):
            return len(forms), value
    return None


def ask(key: str, span: Span, *, code: str = "ambiguous", mild: bool = False, **values: object) -> Problem:
    """A question about the text, or a mere remark."""
    message: str = texts()["prose"]["asks"][key].format(**values)
    return Problem(code, Severity.WARNING if mild else Severity.QUESTION, message + ("" if message.endswith("?") else "."), span)
