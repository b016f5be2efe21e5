"""Where the deed of a condition begins: «если подойдут | атакуем», «встанет чужак на Лориэн | гарнизон его бьёт»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.lexicon import Lexicon
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import ORDERING, Verb, info
from parsers.structure import Layout, Phrases, starts_with
from parsers.tokens import Kind, Token
from rules.grand_strategy.language.events import EVENTS, cells, moves, nominative, outcomes, spread_events
from rules.grand_strategy.language.names import stems, tables

OUTCOMES = frozenset({"went_well", "went_ill"})
DEEDS = frozenset({"attack", "give", "garrison", "go", "allow", "deny", "spell", "coins", "receive", "answer"})
"""Words that a condition's deed is told with."""
PARTING = frozenset({",", "-", "→", ">", ":", "?", ".", "то", "тогда"})
"""What parts a condition from its deed."""
_WHOEVER = 6
"""Words of «от кого бы ни исходило» at most."""


def head_phrases(key: str) -> Phrases:
    """A group of `[head]`, by their first words."""
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(p.split()) for p in tables()["head"][key]), key=len, reverse=True):
        out.setdefault(phrase[0], []).append(phrase)
    return out


@dataclass(frozen=True)
class Parts:
    """A condition cut into its if and its then, as tokens."""

    head: int
    split: int
    """Where the deed begins; equal to `last` where it stands before the head."""
    last: int


class Parting:
    """Cuts conditions. `mine`: the reader's own name, troops, kinds of troops and cells. Keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon, mine: frozenset[str]) -> None:
        self._lexicon = lexicon
        self._mine = mine
        self._starts = head_phrases("starts")
        self._then = head_phrases("then")
        self._else = head_phrases("else")

    def parts(self, layout: Layout, head: int, last: int) -> Parts:
        """The condition that begins at `head` and ends, with its deed, before `last`."""
        tokens = layout.tokens
        begin = head
        if not starts_with(tokens, head, last, self._starts):
            labels = [f for f in self._lexicon.find(tokens[head : head + 5]) if f.sense.kind == "standing" and f.first == 0]
            if labels:
                begin = head + max(f.last for f in labels)
                while begin < last and tokens[begin].norm in {".", ":", "-"}:
                    begin += 1
        skipped = starts_with(tokens, begin, last, self._else)
        if not skipped and tokens[begin].norm in tables()["head"]["bare_else"]:
            skipped = 1
        if skipped:
            return Parts(head, self._past_signs(tokens, begin + skipped, last), last)
        events = [
            begin + f.last for f in self._lexicon.find(tokens[begin:last]) if f.sense.kind in OUTCOMES or f.sense.kind in EVENTS
        ]
        events += [begin + behind for behind, _ in (*spread_events(tokens[begin:last]), *outcomes(tokens[begin:last]))]
        events += [begin + i + 1 for i, token in enumerate(tokens[begin:last]) if moves(token.norm)]
        first_event = min(events, default=begin)
        for i in range(first_event, last - 1):
            at = next((k for k in (i + 1, i + 2) if k < last and starts_with(tokens, k, last, self._then)), 0)
            if tokens[i].norm == "," and at and (at == i + 1 or tokens[i + 1].norm in {"на", "с", "за", "к"}):
                return Parts(head, i + 1, last)  # «кто подойдёт к страже, на того она нападает, карта — оборона»
        actor = self._actor(tokens, first_event, last)
        for i in range(begin, last):
            norm = tokens[i].norm
            between_numbers = i and i + 1 < last and tokens[i - 1].kind is tokens[i + 1].kind is Kind.NUMBER
            dash = norm == "-" and i and not tokens[i].glued and not between_numbers
            if i == actor:
                return Parts(head, actor, last)
            if norm == "," and i >= first_event and (self._resumes(tokens, i + 1, last) or actor == i + 1):
                return Parts(head, i + 1, last)
            ended = norm in {".", "?"} and i + 1 < last and layout.sentence_of[i + 1] != layout.sentence_of[i]
            bracket = norm == ")" and head > 0 and tokens[head - 1].norm == "("
            if norm == "→" or dash or ended or ((norm == ":" or bracket) and i >= first_event):
                return Parts(head, self._past_signs(tokens, i + 1, last), last)
        for i in range(first_event, last):
            if tokens[i].norm in {"то", "тогда"}:
                return Parts(head, i + 1, last)
        comma = next((i for i in range(first_event, last) if tokens[i].norm == "," and not whoever(tokens, i + 1, last)), None)
        if comma is not None and self._kinds(tokens[comma:last]) - {"repeat", "times"}:
            return Parts(head, comma + 1, last)
        split = self.unparted(tokens, first_event, last)
        return Parts(head, split if comma is None or split < comma else comma + 1, last)

    @staticmethod
    def _past_signs(tokens: Sequence[Token], at: int, last: int) -> int:
        while at < last and tokens[at].norm in {">", "-", ",", ":", "→", ")"}:
            at += 1
        return at

    def _kinds(self, tokens: Sequence[Token]) -> set[str]:
        return {found.sense.kind for found in self._lexicon.find(tokens)} | {kind for _, kind in spread_events(tokens)}

    def resumed(self, tokens: Sequence[Token], first: int, last: int) -> bool:
        """«Кто …, того стража бьёт»: a comma and the one whom the condition is about."""
        return any(tokens[i].norm == "," and self._resumes(tokens, i + 1, last) for i in range(first, last - 1))

    def _resumes(self, tokens: Sequence[Token], at: int, last: int) -> bool:
        """«…, на того стража нападает», «…, тому 3 монеты»: the deed, told of those whom the condition is about."""
        at += at < last and tokens[at].norm in PREPOSITIONS
        return bool(starts_with(tokens, at, last, self._then))

    def _actor(self, tokens: Sequence[Token], first: int, last: int) -> int:
        """«… гарнизон его бьёт», «… стража атакует»: where one's own begin to do something; `last` where they don't."""
        for f in self._lexicon.find(tokens[first:last]):
            own = f.sense.kind == "garrison" or (f.sense.kind in ("unit", "personal", "utype") and f.sense.value in self._mine)
            at, behind = first + f.first, first + f.last
            cases = info(tokens[behind - 1].norm).cases
            told = "nomn" in cases or nominative(tokens[behind - 1].norm, self._mine)
            told = told or ("datv" in cases and f.sense.kind == "garrison")
            if not own or not told or (at and tokens[at - 1].norm in PREPOSITIONS):
                continue
            reach = range(behind, min(last, behind + 4))
            sign = next((k for k in reach if tokens[k].kind is not Kind.WORD), reach.stop)
            acts = any(info(tokens[k].norm).verb in (Verb.THIRD, *ORDERING) for k in range(behind, sign))
            acts = acts or bool(cells(tokens, behind, min(last, behind + 3)))
            if acts:
                while at > first and (
                    tokens[at - 1].norm.startswith(stems("mine")) or info(tokens[at - 1].norm).lemmas & {"пусть", "пускай"}
                ):
                    at -= 1
                return at
        return last

    def unparted(self, tokens: Sequence[Token], first: int, last: int) -> int:
        """No sign at all: where the deed begins behind the event («как начнётся ход Радомира ему 4 монеты»)."""
        actor = self._actor(tokens, first, last)
        if actor < last:
            return actor
        coins = tables()["units"]["coins"]
        ordered = (
            i
            for i in range(first, last)
            if info(tokens[i].norm).verb in ORDERING or (i > first and i + 1 < last and tokens[i + 1].norm in coins)
        )
        at = next(ordered, None)
        if at is not None:
            people = {
                first + k
                for f in self._lexicon.find(tokens[first:at])
                if f.sense.kind == "player"
                for k in range(f.first, f.last)
            }
            while at > first and (
                _of_whom(tokens[at - 1].norm) or (at - 1 in people and "datv" in info(tokens[at - 1].norm).cases)
            ):
                at -= 1
            return at
        end = first
        for found in self._lexicon.find(tokens[first:last]):
            if found.first <= 2 and found.sense.kind in ("house", "unit", "utype", "player") and found.last <= 4:
                end = max(end, first + found.last)
        if end == first:
            for i in range(first, min(last, first + 4)):
                if tokens[i].kind is Kind.NUMBER:
                    end = i + 1
        return end if end < last and self._kinds(tokens[end:last]) & DEEDS else last


def whoever(tokens: Sequence[Token], first: int, last: int) -> bool:
    """«…, от кого бы ни исходило, …»: says only that it's all the same who."""
    for i in range(first, min(last, first + _WHOEVER) - 1):
        if tokens[i].kind is not Kind.WORD:
            return False
        if tokens[i].norm == "бы" and (tokens[i + 1].norm == "ни" or (i + 2 < last and tokens[i + 2].norm == "ни")):
            return True
    return False


def _of_whom(word: str) -> bool:
    """True for «ему», «Радомиру»: whom a deed is done to, before its verb."""
    cases = info(word).cases
    return "datv" in cases and not cases & {"gent", "nomn"}
