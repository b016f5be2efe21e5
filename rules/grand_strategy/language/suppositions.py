"""Conditions without «если»: «хватит денег — гномов в Трон», «пустит в Лориэн — дам ей пять»."""

from __future__ import annotations

from parsers.atoms import Atom
from parsers.russian import analyser, info
from parsers.structure import Layout, Sentence, Status, clauses, phrases, set_status, starts_with
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables

_MONEY = frozenset(tables()["supposing"]["money"])
_SHORT = 3
"""Words of such a condition that begins with its subject at most."""
_OWN_DEEDS = ("go", "build", "attack", "siege", "hire")
_PROVISIONS = ("shortage", "default", "victory", "overflow", "went_well", "went_ill")
"""Words of orders that have a condition in them."""
_TROOPS = ("unit", "utype", "personal")


def suppositions(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """The atoms; conditions that no word of condition begins are marked as such, with what depends on them."""
    for index, sentence in enumerate(layout.sentences):
        inside = [a for a in atoms if layout.sentence_of[a.first] == index]
        parts = clauses(layout, sentence)
        for n, (first, last) in enumerate(parts[:-1]):
            dash = layout.tokens[last].norm == "-" and not layout.tokens[last].glued
            live = all(layout.status[i] is not Status.CONDITIONAL for i in range(first, last))
            if dash and live and _supposes(layout, sentence, inside, first, last):
                end = parts[n + 1][1]
                set_status(layout, first, end, Status.CONDITIONAL)
                layout.conditionals.append((first, end))
    return atoms


def _supposes(layout: Layout, sentence: Sentence, inside: list[Atom], first: int, last: int) -> bool:
    spoken = [i for i in range(first, last) if layout.tokens[i].kind is Kind.WORD]
    if not spoken or layout.status[spoken[0]] is not Status.LIVE:
        return False
    verb = next((i for i in spoken if _future(layout.tokens[i].norm)), None)
    if verb is None:
        return False
    here = [a for a in inside if first <= a.first < last]
    if starts_with(layout.tokens, spoken[0], last, phrases("conditional", "starts")) or any(a.has(*_PROVISIONS) for a in here):
        return False
    own = any(a.has(*_OWN_DEEDS) and verb in a.tokens() for a in here) and any(a.has(*_TROOPS) for a in here)
    money = any(info(layout.tokens[i].norm).lemmas & _MONEY for i in spoken)
    return not own and (verb == spoken[0] or (money and len(spoken) <= _SHORT))


def _future(word: str) -> bool:
    """True for a verb that tells what somebody will do («пустит», «останутся»)."""
    tag = analyser().parse(word)[0].tag
    return "futr" in tag and ("3per" in tag or "Impe" in tag)
