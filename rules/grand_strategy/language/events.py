"""What a clause tells of: somebody comes, attacks, begins his turn, sends money. Such an event before an arrow, a dash or a comma
sets an order off: «Радомир прислал деньги → …», «Объявит кто-нибудь бой Трону, немедля …», «Нападение на Стан: …».
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from parsers.lexicon import Found, Lexicon
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import ORDERING, Verb, analyser, info
from parsers.tokens import Kind, Token
from rules.grand_strategy.language.names import pronouns, tables

EVENTS = ("on_near", "on_arrive", "on_attack", "on_start", "on_end", "on_money")
TURN_REACH = 3
"""Words between «начнёт» and «ход»."""
_TROOPS = ("unit", "utype", "personal")
_PLACES = ("house", "cell", "garrison")
_HEAD = tables()["head"]
_TURN = frozenset(_HEAD["turn"])
_DECLARED = frozenset(_HEAD["declared"])
_BATTLE = frozenset(_HEAD["battle"])
_CELL = frozenset(tables()["head"]["cell"])
_SPREAD = 5
"""Words from «объявит» to «бой»."""
_MONEY = frozenset(tables()["supposing"]["money"])
_ANYBODY = frozenset(_HEAD["anybody"])
_MOVED = frozenset(_HEAD["moved"])
_TELLING = (Verb.THIRD, Verb.SECOND, Verb.PAST)
"""Forms of a verb that tell what others do."""


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
        """The event that the tokens `first <= i < last` tell; `mine`: the reader's own name, troops with the words of
        their names, kinds of troops and cells.
        What one does oneself is none."""
        found = self._lexicon.find(tokens[first:last])
        words = [i for i in range(first, last) if tokens[i].kind is Kind.WORD]
        if not words or self._by_oneself(tokens, first, found, mine):
            return None
        others = self._others(tokens, first, last, found, mine)
        own = any(f.sense.value in mine and f.sense.kind in (*_TROOPS, *_PLACES) for f in found)
        spread = spread_events(tokens[first:last])
        if spread:
            behind, kind = spread[0]
            verb = next((v for i in words if (v := info(tokens[i].norm).verb) in _TELLING), Verb.NONE)
            if verb is Verb.NONE and any(info(tokens[i].norm).verb in ORDERING for i in words):
                if not self._supposed(tokens, words[0], last):
                    return None
                verb = Verb.THIRD
            set_off = others or (kind == "on_attack" and own)
            at = first + behind - 1
            return Told(at, kind, verb is Verb.NONE, _any_future(tokens, words), verb is Verb.PAST) if set_off else None
        for f in found:
            if f.sense.kind not in EVENTS:
                continue
            at, kind = first + f.first, f.sense.kind
            norms = [tokens[i].norm for i in range(at, first + f.last)]
            verbs = {info(n).verb for n in norms}
            if not verbs.isdisjoint(_TELLING) or (at == words[0] and self._supposed(tokens, at, last)):
                plural = any(n.endswith(("ут", "ют", "ат", "ят", "ли")) for n in norms)
                aimed = own and (plural or kind == "on_money" or Verb.SECOND in verbs)
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
        verb = next((i for i in words if info(tokens[i].norm).verb in _TELLING), None)
        if verb is None and any(info(tokens[i].norm).verb in ORDERING for i in words):
            return None  # «в Лориэне набираем эльфов»
        past = verb is not None and info(tokens[verb].norm).verb is Verb.PAST
        future = verb is not None and may_happen(tokens[verb].norm)
        money = any(info(tokens[i].norm).lemmas & _MONEY for i in words)
        gives = verb is not None and any(f.sense.kind == "give" and first + f.first == verb for f in found)
        if gives and (money or any(tokens[i].norm in pronouns("to_me") for i in words)):
            return Told(verb or 0, "on_money", False, future, past, named=True)
        if money:
            payer = next((f for f in found if f.sense.kind == "player" and f.sense.value not in mine and f.first), None)
            if payer is not None and tokens[first + payer.first - 1].norm in {"от", "с"}:
                return Told(words[0], "on_money", verb is None, future, past, named=False)
        if verb is not None and not info(tokens[verb].norm).lemmas & _MOVED:
            return None
        places = [(first + f.first, f.sense.kind in _TROOPS) for f in found if self._there(f, mine)]
        places += [(i, False) for i in cells(tokens, first, last)]
        for i, troop in sorted(places):
            before = tokens[i - 1].norm if i > first else ""
            if i > first + 1 and info(before).lemmas & _CELL:
                before = tokens[i - 2].norm  # «на клетку Г8»
            if before in PREPOSITIONS and before not in {"из", "с", "со", "от"}:
                at = verb if verb is not None else i - 1
                return Told(at, "on_near" if troop else "on_arrive", verb is None, future, past, named=False)
        return None

    @staticmethod
    def _there(f: Found, mine: frozenset[str]) -> bool:
        """A place, or one's own troop."""
        return f.sense.kind in _PLACES or (f.sense.kind in _TROOPS and f.sense.value in mine)

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
            if nominative(tokens[head].norm, mine) and before not in PREPOSITIONS and info(behind).verb is not Verb.NONE:
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


def nominative(word: str, mine: frozenset[str]) -> bool:
    """True where a name's last word may be a subject; «Аэлин», which morphology doesn't know, by its first form."""
    cases = info(word).cases
    return ("nomn" in cases and "accs" not in cases) or word in mine


def spread_events(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    """Events told in words that stand apart: «начнёт Торгрим свой ход», «объявит кто-нибудь бой»: the index behind them and the
    kind of event."""
    turn = next((i for i, t in enumerate(tokens) if info(t.norm).lemmas & _TURN), None)
    if turn is not None:
        for i in range(max(0, turn - TURN_REACH), min(len(tokens), turn + TURN_REACH + 1)):
            for kind, key in (("on_start", "turn_begins"), ("on_end", "turn_ends")):
                if info(tokens[i].norm).lemmas & set(_HEAD[key]):
                    return [(max(i, turn) + 1, kind)]
    for i, token in enumerate(tokens):
        if info(token.norm).lemmas & _DECLARED:
            battle = next((k for k in range(i + 1, min(len(tokens), i + _SPREAD)) if info(tokens[k].norm).lemmas & _BATTLE), None)
            if battle is not None:
                return [(battle + 1, "on_attack")]
    return [(i + 1, kind) for i, token in enumerate(tokens) if (kind := doing(token.norm))][:1]


def outcomes(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    """«чары лягут», «тряхнёт», «не заснёт», «при удачном исходе»: the index behind the word of an outcome and which one."""
    out: list[tuple[int, str]] = []
    for i, token in enumerate(tokens):
        told = info(token.norm)
        if token.kind is not Kind.WORD or told.verb in (Verb.INFINITIVE, Verb.IMPERATIVE):
            continue
        for kind, other in (("went_well", "went_ill"), ("went_ill", "went_well")):
            if told.lemmas & set(_HEAD[kind]):
                out.append((i + 1, other if i and tokens[i - 1].norm == "не" else kind))
    return out


@lru_cache(maxsize=4096)
def doing(word: str) -> str:
    """The event whose doer a participle names («напавшего», «вошедших», «подошедший»), or nothing."""
    if "вш" not in word and "дш" not in word:
        return ""
    parse = analyser().parse(word)[0]
    if parse.tag.POS != "PRTF":
        return ""
    lemma = parse.normal_form.replace("ё", "е")
    return next((kind for kind, lemmas in _HEAD["doers"].items() if lemma in lemmas), "")


@lru_cache(maxsize=4096)
def moves(word: str) -> bool:
    """True for «доберётся», «вылез»: comes somewhere, in a form that tells."""
    told = info(word)
    return told.verb in _TELLING and bool(told.lemmas & _MOVED)


def cells(tokens: Sequence[Token], first: int, last: int) -> list[int]:
    """Where cells stand: a letter and a number."""
    return [
        i
        for i in range(first, last - 1)
        if len(tokens[i].norm) == 1 and tokens[i].kind is Kind.WORD and tokens[i + 1].kind is Kind.NUMBER and tokens[i + 1].glued
    ]


def _any_future(tokens: Sequence[Token], words: Sequence[int]) -> bool:
    return any(may_happen(tokens[i].norm) for i in words)


@lru_cache(maxsize=4096)
def may_happen(word: str) -> bool:
    """True for what others will do («нападут», «удастся», «увидите»)."""
    return any(
        p.tag.POS == "VERB" and p.tag.tense == "futr" and p.tag.person in ("2per", "3per") and p.score > 0.1
        for p in analyser().parse(word)
    )
