"""Joins of sums: ranges, sums with the name behind their dash, a treasury that pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense, within
from parsers.reading_atoms import between, joined, preposition
from parsers.russian import Verb, closed_class, info
from parsers.structure import Layout, Status, clauses
from parsers.tokens import Kind
from parsers.types import Span
from rules.grand_strategy.language.names import is_noun, tables

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


def lone_coins(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Гхашу монету», «всем по монетке»: one coin, where somebody is named who may get it; «ни монеты» is none."""
    out: list[Atom] = []
    for here in atoms:
        if here.has("receive") and out and out[-1].has("let") and out[-1].last == here.first:
            out[-1] = joined(layout, [out[-1], here], here.all("receive")[0])  # «Радомир пусть получит 15 монет»
            continue
        if here.has("one_coin"):
            index = layout.sentence_of[here.first]
            named = any(a.has("player", "everyone", "both") and layout.sentence_of[a.first] == index for a in atoms)
            before = layout.tokens[here.first - 1].norm if here.first else ""
            if not named or before in _NO_COIN or (out and out[-1].last == here.first and out[-1].has("number", "ordinal")):
                continue
            here = replace(here, senses=(Sense("coins", 1),))
        if here.has("coins", "number", "player"):
            before = layout.tokens[here.first - 1].norm if here.first else ""
            ahead = layout.tokens[here.first - 2].norm if here.first > 1 and before == "по" else before
            noun = layout.tokens[here.first].kind is Kind.WORD and is_noun(layout.tokens[here.first].norm)
            here.data["told"] = here.has("number") and (ahead in _SET_OFF or noun)  # «Торгриму в долг: 8», «десяточка тебе»
            here.data["done"] = before not in closed_class() and info(before).verb in (Verb.PAST, Verb.THIRD)
            here.data["line"] = layout.sentences[layout.sentence_of[here.first]].line
        out.append(here)
    return out


_SET_OFF = frozenset({"|", ":", "-", "="})
_NO_COIN = frozenset({"ни", "каждую", "каждая", "эту", "эта", "та", "ту"})


def totals(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«…, итого шесть», «Радомиру 5 монет (дойдёт 4)»: the player's own count of what he has just given."""
    for sentence in layout.sentences:
        inside = within(atoms, sentence.first, sentence.last)
        for first, last in clauses(layout, sentence)[1:]:
            here = [a for a in inside if first <= a.first < last]
            sums = [value for a in inside if a.first < first and (value := number(a)) is not None]
            told = [number(a) for a in here if a.has("coins", "number")]
            if len(told) != 1 or not sums or any(a.has("player", "~person", "unit", "cell") for a in here):
                continue
            words = [t.norm for t in layout.tokens[first:last] if t.kind is Kind.WORD]
            counted = bool(_TOTAL.intersection(words[:_OPENING]))
            taxed = bool(_NET.intersection(words)) and any(told[0] == s - -(-s // _TAX) for s in sums)
            for i in range(first, last) if counted or taxed else ():
                if layout.status[i] is Status.LIVE:
                    layout.status[i] = Status.SUMMARY
    return atoms


_TOTAL, _NET = (frozenset(tables()["totals"][key]) for key in ("whole", "net"))
_OPENING = 2
"""The word of a total is one of the first of its clause."""
_TAX = 5
"""Of so many coins one is lost on the way (R31)."""


def asked_for(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Гхаш просил десять монет, даю пять»: a sum that somebody asks for is none that is given; the next one is for him. So it is
    with troops and cells: «Гхаш просит мага в Трон»."""
    lemmas = frozenset(tables()["asked"]["lemmas"])
    out = list(atoms)
    for index, sentence in enumerate(layout.sentences):
        for first, last in clauses(layout, sentence):
            told = any(
                layout.tokens[i].kind is Kind.WORD
                and info(layout.tokens[i].norm).verb in (Verb.PAST, Verb.THIRD)
                and info(layout.tokens[i].norm).lemmas & lemmas
                for i in range(first, last)
            )
            wished = all(layout.status[i] is Status.IRREAL for i in range(first, last)) and last > first
            inside = within(atoms, first, last) if told or wished else ()
            asker = next((a for a in inside if a.has("player") and not a.prep and (wished or a.cases & {"nomn", "same"})), None)
            given = any(a.has("give") and a.verb in _GIVEN for a in inside)
            if asker is None or given is not wished:
                continue
            for n, here in enumerate(out):
                if first <= here.first < last and here.has("coins", "number", "utype", "cell", "path"):
                    out[n] = replace(here, negated=True)
                elif here.first < last or not here.has("coins", "number"):
                    continue
                elif layout.sentence_of[here.first] - index <= 1:
                    out[n] = replace(here, data={**here.data, "asker": asker.all("player")[0].value})
    return out


_GIVEN = (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)


def go_betweens(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«в казну Гхаша», «торговцам Радомира», «правителю Орды»: the player gets it, whoever takes it for him."""
    purse = frozenset(tables()["between"]["purse"])
    paying = {layout.sentence_of[a.first] for a in atoms if a.has("coins", "number")}
    out: list[Atom] = []
    for here in atoms:
        at = here.first - 1
        plain = here.has("player") and not here.prep and bool(here.cases & {"gent", "same"})
        if not plain or at < 0 or layout.sentence_of[here.first] not in paying:
            out.append(here)
            continue
        token = layout.tokens[at]
        spoken = out[-1] if out and out[-1].last == here.first else None
        if token.kind is not Kind.WORD or layout.sentence_of[at] != layout.sentence_of[here.first]:
            out.append(here)
            continue
        word, prep = info(token.norm), preposition(layout.tokens, at)
        into = prep in {"в", "на"} and bool(word.lemmas & purse)
        person = (
            not prep
            and "datv" in word.cases
            and not word.cases & {"nomn"}
            and token.norm not in closed_class()
            and is_noun(token.norm)
            and (spoken is None or spoken.has("commander_word", "troops", "as_ruler", "as_commander"))
        )
        if not (into or person):
            out.append(here)
            continue
        first = at - 1 if into else at
        while out and out[-1].first >= first:
            out.pop()
        span = Span(layout.tokens[first].start, here.span.end)
        parts = ((first, here.last),)
        out.append(replace(here, first=first, span=span, cases=_DATIVE, prep="", data={**here.data, "parts": parts}))
    return out


_DATIVE = frozenset({"datv"})


def purposes(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«3 монеты на свечи Гхашу»: what stands between a sum and who gets it only tells what for; it goes with the sum."""
    out: list[Atom] = []
    for n, here in enumerate(atoms):
        following = atoms[n + 1] if n + 1 < len(atoms) else None
        if (
            here.has("coins")
            and following is not None
            and following.has("player")
            and "datv" in following.cases | _same(following)
        ):
            gap = layout.tokens[here.last : following.first]
            aside = gap and gap[0].norm in _FOR and 2 <= len(gap) <= _ASIDE and all(t.kind is Kind.WORD for t in gap)
            if aside and layout.sentence_of[here.first] == layout.sentence_of[following.first]:
                span = Span(here.span.start, gap[-1].end)
                parts = (*here.parts, (here.last, following.first))
                here = replace(here, last=following.first, span=span, data={**here.data, "parts": parts})
        out.append(here)
    return out


_FOR = frozenset({"на", "за", "для"})
_ASIDE = 4
"""Words of an aside at most, its preposition among them."""


def _same(here: Atom) -> frozenset[str]:
    return _DATIVE if "same" in here.cases else frozenset()


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
            counted = len(out) > 1 and out[-2].has("battle_word", "land_word", "standing")  # «Битва 1: Аэлин обороняется»
            told = before.has("coins") and dash == [":"]  # «15 монет: Радомиру»
            if (told or dash in (["-"], ["→"], ["-", ">"])) and number(before) is not None and not counted:
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
