"""Joins of sums: ranges, sums with the name behind their dash, a treasury that pays."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.structure import Layout, Status
from parsers.tokens import Kind

_ARROWS = (["-"], ["→"], ["-", ">"])


def revive(layout: Layout, atoms: Sequence[Atom]) -> None:
    """«Казна: Радомиру 9 монет» is an order and no sum: somebody is to receive."""
    for here in atoms:
        if layout.status[here.first] is not Status.SUMMARY or not here.has("give", "gm_set"):
            continue
        sentence = layout.sentences[layout.sentence_of[here.first]]
        inside = [a for a in atoms if sentence.first <= a.first < sentence.last]
        opens = not any(layout.tokens[i].kind is Kind.WORD for i in range(sentence.first, here.first))
        named = any(a.has("player") and ("datv" in a.cases or here.has("gm_set") or _paid(layout, a)) for a in inside)
        if opens and named and any(a.has("coins", "number") for a in inside):
            for i in range(sentence.first, sentence.last):
                if layout.status[i] is Status.SUMMARY:
                    layout.status[i] = Status.LIVE


def _paid(layout: Layout, here: Atom) -> bool:
    """«Аэлин 5»: a name that stands as it is, a number right behind."""
    return "same" in here.cases and here.last < len(layout.tokens) and layout.tokens[here.last].kind is Kind.NUMBER


def transfers(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«шесть монет — Радомиру, три — Аэлин» → `transfer`, each sum with the name behind its dash."""
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        if (
            before is not None
            and here.has("player")
            and not here.prep
            and before.has("coins", "number")
            and here.cases & {"datv", "same"}
        ):
            dash = between(layout, before, here)
            if dash in (["-"], ["→"], ["-", ">"]) and number(before) is not None:
                out[-1] = joined(
                    layout, [before, here], Sense("transfer", (here.all("player")[0].value, number(before))), pair=(here, before)
                )
                continue
        out.append(here)
    return out


def ranges(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«5-7 монет», «от 5 до 7» → `range`: no amount."""
    out: list[Atom] = []
    for here in atoms:
        before = out[-1] if out else None
        if before is not None and here.has("number", "coins") and before.has("number", "coins"):
            gap = between(layout, before, here)
            low, high = number(before.only("number", "coins")), number(here.only("number", "coins"))
            if low is not None and high is not None and low < high and (gap == ["-"] or (gap == ["до"] and before.prep == "от")):
                out[-1] = joined(layout, [before, here], Sense("range", (low, high)))
                continue
        out.append(here)
    return out


def number(here: Atom) -> int | None:
    sense = here.get("number", "ordinal", "coins")
    return sense.value if sense is not None and isinstance(sense.value, int) and not here.data.get("negative") else None
