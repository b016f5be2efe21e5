"""What a clause tells of: somebody comes, attacks, begins his turn, sends money. Such an event before an arrow, a dash or a comma
sets an order off: «Радомир прислал деньги → …», «Объявит кто-нибудь бой Трону, немедля …», «Нападение на Стан: …».
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from parsers.lexicon import Found, Lexicon
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import Verb, analyser, info
from parsers.tokens import Kind, Token
from rules.grand_strategy.language.names import tables

EVENTS = ("on_near", "on_arrive", "on_attack", "on_start", "on_end", "on_money")
TURN_REACH = 3
"""Words between «начнёт» and «ход»."""
_TROOPS = ("unit", "utype", "personal")
_PLACES = ("house", "cell", "garrison")
_HEAD = tables()["head"]
_MONEY = frozenset(tables()["supposing"]["money"])
_ANYBODY = frozenset(_HEAD["anybody"])
_MOVED = frozenset(_HEAD["moved"])


@dataclass(frozen=True)
class Told:
    """An event as a clause tells it."""

    at: int
    """The token of its word."""
    kind: str
    noun: bool = False
    """«Нападение на Стан», «конец хода Гхаша», «чужие у стражи»: no verb."""
    future: bool = False
    past: bool = False
    named: bool = True
    """The event's own word is one of the game's; else it is only told to be one by who comes where."""


class Events:
    """Finds what clauses tell. Made once per lexicon; keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def told(self, tokens: Sequence[Token], first: int, last: int, mine: frozenset[str]) -> Told | None:
        """The event that the tokens `first <= i < last` tell; `mine`: the reader's own name, troops, kinds of troops and cells.
        What one does oneself is none."""
        found = self._lexicon.find(tokens[first:last])
        words = [i for i in range(first, last) if tokens[i].kind is Kind.WORD]
        if not words or self._by_oneself(tokens, first, found, mine):
            return None
        others = self._others(tokens, first, last, found, mine)
        own = any(f.sense.value in mine and f.sense.kind in (*_TROOPS, *_PLACES) for f in found)
        turns = turn_events(tokens[first:last])
        if turns:
            at = first + turns[0][0] - 1
            verb = next((v for i in words if (v := info(tokens[i].norm).verb) in (Verb.THIRD, Verb.PAST)), Verb.NONE)
            return Told(at, turns[0][1], verb is Verb.NONE, _any_future(tokens, words), verb is Verb.PAST) if others else None
        for f in found:
            if f.sense.kind not in EVENTS:
                continue
            at, kind = first + f.first, f.sense.kind
            norms = [tokens[i].norm for i in range(at, first + f.last)]
            verbs = {info(n).verb for n in norms}
            if Verb.THIRD in verbs or Verb.PAST in verbs or (at == words[0] and self._supposed(tokens, at, last)):
                plural = any(n.endswith(("ут", "ют", "ат", "ят", "ли")) for n in norms)
                aimed = own and (plural or kind == "on_money")
                if others or aimed or (kind == "on_attack" and own):
                    return Told(at, kind, False, any(may_happen(n) for n in norms), Verb.PAST in verbs)
            elif Verb.NONE in verbs and verbs == {Verb.NONE} and (own or others):
                if kind == "on_attack" and not own:
                    continue  # «Нападение на Броды: всадники»: one's own
                return Told(at, kind, noun=True)
        return self._implied(tokens, first, last, found, words, others, mine)

    def _implied(
        self,
        tokens: Sequence[Token],
        first: int,
        last: int,
        found: Sequence[Found],
        words: Sequence[int],
        others: bool,
        mine: frozenset[str],
    ) -> Told | None:
        """«деньги от Радомира», «чужие у стражи», «Гхаш двинется на Г8»: no word of an event, but the one who comes and where."""
        if not others:
            return None
        verb = next((i for i in words if info(tokens[i].norm).verb in (Verb.THIRD, Verb.PAST)), None)
        past = verb is not None and info(tokens[verb].norm).verb is Verb.PAST
        future = verb is not None and may_happen(tokens[verb].norm)
        if any(info(tokens[i].norm).lemmas & _MONEY for i in words) and any(tokens[i].norm in {"от", "с"} for i in words):
            return Told(words[0], "on_money", verb is None, future, past, named=False)
        for f in found:
            before = tokens[first + f.first - 1].norm if f.first else ""
            if f.sense.kind not in (*_TROOPS, *_PLACES) or before not in PREPOSITIONS or before in {"из", "с", "со", "от"}:
                continue
            troop = f.sense.kind in _TROOPS
            if troop and f.sense.value not in mine:
                continue
            at = verb if verb is not None else first + f.first - 1
            if verb is not None and not (info(tokens[verb].norm).lemmas & _MOVED):
                return None
            return Told(at, "on_near" if troop else "on_arrive", verb is None, future, past, named=False)
        return None

    def _others(self, tokens: Sequence[Token], first: int, last: int, found: Sequence[Found], mine: frozenset[str]) -> bool:
        """True where somebody else is named: a player, a troop of others, «кто», «чужой»."""
        if any(info(tokens[i].norm).lemmas & _ANYBODY for i in range(first, last)):
            return True
        return any(
            f.sense.kind in ("troops", "everyone") or (f.sense.kind in ("player", *_TROOPS) and f.sense.value not in mine)
            for f in found
        )

    @staticmethod
    def _by_oneself(tokens: Sequence[Token], first: int, found: Sequence[Found], mine: frozenset[str]) -> bool:
        """«Стража подойдёт к Гхашу»: one's own troop in the nominative, before a verb."""
        for f in found:
            if f.sense.kind not in _TROOPS or f.sense.value not in mine:
                continue
            head = first + f.last - 1
            before = tokens[first + f.first - 1].norm if f.first else ""
            behind = tokens[first + f.last].norm if first + f.last < len(tokens) else ""
            nominative = "nomn" in info(tokens[head].norm).cases and "accs" not in info(tokens[head].norm).cases
            if nominative and before not in PREPOSITIONS and info(behind).verb is not Verb.NONE:
                return True
        return False

    def _supposed(self, tokens: Sequence[Token], at: int, last: int) -> bool:
        """«Напади кто на Стан», «Начни Торгрим ход»: an imperative of what somebody might do."""
        if info(tokens[at].norm).verb is not Verb.IMPERATIVE or at + 1 >= last:
            return False
        return info(tokens[at + 1].norm).lemmas & _ANYBODY != frozenset() or any(
            f.first == 0 and f.sense.kind == "player" and "nomn" in info(tokens[at + f.last].norm).cases
            for f in self._lexicon.find(tokens[at + 1 : min(last, at + 3)])
        )


def turn_events(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    """«начнёт Торгрим свой ход», «закончится ход Гхаша»: the index behind it and the kind of event."""
    turn = next((i for i, t in enumerate(tokens) if info(t.norm).lemmas & set(_HEAD["turn"])), None)
    if turn is None:
        return []
    out: list[tuple[int, str]] = []
    for i in range(max(0, turn - TURN_REACH), min(len(tokens), turn + TURN_REACH + 1)):
        for kind, key in (("on_start", "turn_begins"), ("on_end", "turn_ends")):
            if info(tokens[i].norm).lemmas & set(_HEAD[key]):
                out.append((max(i, turn) + 1, kind))
    return out[:1]


def _any_future(tokens: Sequence[Token], words: Sequence[int]) -> bool:
    return any(may_happen(tokens[i].norm) for i in words)


@lru_cache(maxsize=4096)
def may_happen(word: str) -> bool:
    """True for a third person of the future («нападут», «удастся»)."""
    return any(
        p.tag.POS == "VERB" and p.tag.tense == "futr" and p.tag.person == "3per" and p.score > 0.1 for p in analyser().parse(word)
    )
