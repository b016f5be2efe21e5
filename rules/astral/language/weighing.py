"""Orders that are only weighed: «16 э. в стены дадут 20 защиты — избыточно», «атака на Тишину была бы несправедлива»."""

from __future__ import annotations

from dataclasses import replace

from parsers.context import Context
from parsers.frames import Match, Output
from parsers.russian import Verb
from parsers.types import Reading
from rules.astral.language.names import beside

Outputs = list[tuple[Match, list[Output]]]
_REACH = 8
"""So many tokens behind an order a word may stand that weighs it."""
_NOTE = "это приказ или только расчёт?"


def weighed(context: Context, outputs: Outputs) -> Outputs:
    """The outputs; what is only weighed asks, and is nothing where the post says that the turn is passed."""
    passing = any(match.frame.id == "pass" for match, _ in outputs)
    out: Outputs = []
    for match, made in outputs:
        if not _weighs(context, match):
            out.append((match, made))
        elif not passing:
            out.append((match, [replace(o, certain=False, note=_NOTE) if isinstance(o, Reading) else o for o in made]))
    return out


def _weighs(context: Context, match: Match) -> bool:
    """True where no verb orders and behind the order stands what comes of it, or a verdict."""
    if any(a.verb in (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE) for a in match.triggers):
        return False
    tokens = context.layout.tokens
    end = min(context.layout.sentences[context.layout.sentence_of[match.last - 1]].last, match.last + _REACH)
    said = [t.norm for t in tokens[match.last : end]]
    if "но" in said or "зато" in said:
        return False  # «16э в стены — дорого, но надо»
    outcome = bool(said) and said[0] in beside("outcome")
    return outcome or any(_verdict(said, k) for k in range(len(said)))


def _verdict(said: list[str], k: int) -> bool:
    """«… — избыточно», «… не по карману»; «дорого» behind a comma only grumbles."""
    led = k == 0 or said[k - 1] in {"-", "слишком", "уж", "совсем", "явно"}
    return (led and said[k] in beside("verdict")) or (said[k] == "не" and " ".join(said[k + 1 : k + 3]) in beside("dear"))
