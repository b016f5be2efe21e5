"""What is told of others and of the past: no orders."""

from __future__ import annotations

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match
from parsers.reading_atoms import preposition
from parsers.retractions import doubting
from parsers.russian import Verb, closed_class, info
from parsers.structure import clauses
from parsers.tokens import Kind
from rules.grand_strategy.language.names import is_noun


def allows(context: Context, match: Match) -> bool:
    """No order: what the text says somebody else does («Торгрим пойдёт на Г5»), what is asked for oneself («дай мне 10»)."""
    if match.frame.id == "send_money" and match.triggers:
        inside = [t.norm for t in context.layout.tokens[match.first : match.last]]
        if not _OWN.isdisjoint(inside):
            return False
    told = (Verb.THIRD, Verb.SECOND, Verb.PAST) if match.frame.id == "end_turn" else (Verb.THIRD, Verb.SECOND)
    third = [a for a in match.triggers if a.verb in told]
    if any(a.has("receive") for a in match.triggers):
        return True
    if not third or match.frame.id in ("set_turn_order", "consent", "entry", "spawn", "smuta", "join_consent", "joint_defense"):
        return True
    if match.frame.id in _OWN_DEEDS and not _named(match) and _others_do(context, match, third[0]):
        return _a_story(context, match)
    me = context.view.faction
    sentence = context.layout.sentence_of[match.first]
    for atom in context.by_sentence.get(sentence, []):
        sense = atom.get("player")
        if sense is None or sense.partial or sense.value == me or atom.prep or atom.has("unit", "utype"):
            continue
        actor = "same" in atom.cases or ("nomn" in atom.cases and not atom.cases & {"accs", "gent"})
        if actor and 0 < third[0].first - atom.first <= 3:
            return _a_story(context, match)
    return True


_OWN = frozenset(doubting()["own"]["words"])
_OWN_DEEDS = frozenset({"move", "attack", "build", "siege", "embark", "disembark", "downgrade", "annex"})
"""Orders that nobody but one's own troops and houses carries out."""


def _named(match: Match) -> bool:
    return any(not f.atom.prep and f.atom.cases != frozenset({"accs"}) for f in match.slots.get("units", ()))


def _others_do(context: Context, match: Match, verb: Atom) -> bool:
    """«крепость строят трусы», «барабаны бьют»: a noun that is nothing of the game does the deed."""
    layout = context.layout
    for first, last in clauses(layout, layout.sentences[layout.sentence_of[verb.first]]):
        if not first <= verb.first < last:
            continue
        for i in range(max(first, verb.first - 3), min(last, verb.last + 3)):
            token = layout.tokens[i]
            known = any(a.first <= i < a.last for a in context.by_sentence.get(layout.sentence_of[verb.first], []))
            if token.kind is not Kind.WORD or known or token.norm in closed_class():
                continue
            word = info(token.norm)
            if word.verb is Verb.NONE and "nomn" in word.cases and is_noun(token.norm) and not preposition(layout.tokens, i):
                return True
    return False


def _a_story(context: Context, match: Match) -> bool:
    """Notes that a match tells what others do: nothing that is left over."""
    context.memory.setdefault("stories", []).append(match)
    return False
