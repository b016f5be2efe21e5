"""Where a condition begins and where its deed does: «если туман не вышел — …», «Нападут на Лориэн — …».

`Heads.find` tells which stretches of a post are conditions that the game knows; `Heads.parts` cuts one into its if and its then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from parsers.lexicon import Lexicon
from parsers.reading_atoms import PREPOSITIONS
from parsers.russian import ORDERING, Verb, analyser, info
from parsers.structure import Layout, Phrases, Sentence, Status, clauses, phrases, starts_with
from parsers.tokens import Kind, Token
from rules.grand_strategy.language.names import tables

OUTCOMES = frozenset({"went_well", "went_ill"})
EVENTS = ("on_near", "on_arrive", "on_attack", "on_start", "on_end", "on_money")
KEPT = frozenset({"shortage", "default", "victory", "overflow"})
"""Conditions that are part of an order's own words."""
REACH = 80
"""Tokens of a condition that are looked at to know it."""
TURN_REACH = 3
"""Words between «начнёт» and «ход»."""
_BUSY = frozenset({Status.SPEECH, Status.OOC, Status.SIGNATURE, Status.SUMMARY})


def _phrases(key: str) -> Phrases:
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


class Heads:
    """Finds conditions. Made once per lexicon; keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._starts = _phrases("starts")
        self._then = _phrases("then")
        self._turns = _phrases("turns")
        self._else = _phrases("else")

    # -------------------------------------------------------------------------------------------- finding

    def keeps(self, tokens: Sequence[Token]) -> bool:
        """True for a conditional stretch that is an order's own («если не отвечу, всем оборона»)."""
        return self._kept(self._kinds(tokens))

    @staticmethod
    def _kept(kinds: set[str]) -> bool:
        if kinds & KEPT or ("spawn" in kinds and kinds & {"allow", "deny"}):
            return True
        if {"smuta", "at_once"} <= kinds and kinds & {"let", "agree"}:
            return True  # «случись смута, пусть Радомир наследует всё разом»
        return "defend_together" in kinds and bool(kinds & {"together", "apart"})

    def _kinds(self, tokens: Sequence[Token]) -> set[str]:
        return {found.sense.kind for found in self._lexicon.find(tokens)} | {kind for _, kind in turn_events(tokens)}

    def find(self, layout: Layout) -> list[tuple[int, int]]:
        """The stretches that are conditions of this game."""
        out: list[tuple[int, int]] = []
        open_condition = False
        for sentence in layout.sentences:
            if any(t.norm == "?" for t in layout.tokens[sentence.first : sentence.last]) and not _tagged(layout, sentence):
                open_condition = False
                continue
            heads = self._heads(layout, sentence, open_condition)
            open_condition = bool(heads)
            for n, head in enumerate(heads):
                end = heads[n + 1] if n + 1 < len(heads) else sentence.last
                parts = self.parts(layout, head, end)
                begin = head
                if parts.split >= end and n == 0 and self._deed_before(layout, sentence, head):
                    begin = sentence.first
                if not any(layout.status[i] in _BUSY for i in range(begin, end)):
                    out.append((begin, end))
                    if n == 0 and parts.split < end and layout.tokens[parts.split - 1].norm in _PARTING:
                        _freed(layout, sentence.first, begin)
        return out

    def _heads(self, layout: Layout, sentence: Sentence, after_condition: bool) -> list[int]:
        tokens = layout.tokens
        heads: list[int] = []
        for first, last in clauses(layout, sentence):
            at = first
            while at < last and (
                layout.status[at] is Status.LIST_MARK or tokens[at].norm in {"и", "а", "но", "ну", "+", "]", "["}
            ):
                at += 1
            if at >= last or tokens[at].kind is not Kind.WORD:
                continue
            rest = tokens[at : min(sentence.last, at + REACH)]
            if self._somebodys_turn(tokens, at, last):
                heads.append(at)
            elif starts_with(tokens, at, last, self._starts):
                if starts_with(tokens, at, last, phrases("conditional", "polite")) or self._as_it_may(layout, at, sentence.last):
                    continue
                if self._asks(layout, at, sentence):
                    heads.append(at)
                    continue
                reach = self._reach(layout, at, sentence.last)
                kinds = self._kinds(tokens[at:reach])
                if self._kept(self._kinds(rest)):
                    continue
                if not kinds & (OUTCOMES | set(EVENTS)) and not self._threatens(layout, at, sentence.last):
                    continue
                heads.append(at)
            elif (
                ((heads or after_condition) and self._otherwise(layout, at, last, sentence))
                or self._bare_outcome(layout, at, last, sentence, bool(heads) or after_condition)
                or self._labelled(layout, at, sentence)
                or self._inverted(layout, at, sentence)
            ):
                heads.append(at)
        return heads

    def _somebodys_turn(self, tokens: Sequence[Token], at: int, last: int) -> bool:
        """«Каждый ход Гхаша слать ему 2 монеты», «в начале хода Торгрима …»; one's own turn is no condition."""
        said = starts_with(tokens, at, last, self._turns)
        return bool(said) and any(
            f.first == 0 and f.sense.kind == "player" for f in self._lexicon.find(tokens[at + said : min(last, at + said + 2)])
        )

    def _as_it_may(self, layout: Layout, at: int, last: int) -> bool:
        """«…, как получится»: no condition."""
        words = [t for t in layout.tokens[at:last] if t.kind is Kind.WORD]
        return len(words) == 2 and words[0].norm == "как"

    def head(self, layout: Layout, first: int, last: int) -> int:
        """Where the condition of a stretch begins; the deed may stand before it."""
        if _may_happen(layout.tokens[first].norm):
            return first  # «Нападёт кто на Лориэн — …»
        return next((at for at in range(first, last) if starts_with(layout.tokens, at, last, self._starts)), first)

    def otherwise(self, layout: Layout, at: int) -> bool:
        """True for «иначе …» and «нет — …»: the other outcome."""
        tokens = layout.tokens
        return tokens[at].norm in tables()["head"]["bare_else"] or bool(starts_with(tokens, at, len(tokens), self._else))

    def _otherwise(self, layout: Layout, at: int, last: int, sentence: Sentence) -> bool:
        """«иначе …», «удалось — на Г4, нет — на В4»."""
        tokens = layout.tokens
        if starts_with(tokens, at, last, self._else):
            return True
        dash = at + 1 < sentence.last and tokens[at + 1].norm in {"-", ":", "→"}
        return dash and tokens[at].norm in tables()["head"]["bare_else"]

    def _threatens(self, layout: Layout, at: int, last: int) -> bool:
        """«Кто сюда сунется — гарнизон в бой»: an event that the game doesn't know, with a deed that it does: it asks."""
        dash = next((i for i in range(at, min(last, at + REACH)) if layout.tokens[i].norm in {"-", "→", ":"}), None)
        if dash is None or layout.tokens[dash].glued:
            return False
        return bool(self._kinds(layout.tokens[dash : min(last, dash + REACH)]) & {"attack", "garrison"})

    def _asks(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """A list item that begins with a condition the game doesn't know: it asks."""
        line = layout.lines[sentence.line]
        inside = {t.norm for t in layout.tokens[at : min(sentence.last, at + REACH)]}
        ordered = line.bullet or bool(sentence.item) or (sentence.first == line.first and bool(inside & {"то", "тогда"}))
        if not ordered or any(layout.tokens[k].kind is Kind.WORD for k in range(sentence.first, at)):
            return False
        kinds = self._kinds(layout.tokens[at : min(sentence.last, at + REACH)])
        known = self._kept(kinds) or bool(kinds & (OUTCOMES | set(EVENTS)))
        return not known and bool(kinds & {"player", "unit", "utype", "house", "personal"})

    def _reach(self, layout: Layout, at: int, last: int) -> int:
        """How far the condition itself reaches at most."""
        last = min(last, at + REACH)
        for i in range(at, last):
            norm = layout.tokens[i].norm
            if norm == "→" or (norm == "-" and not layout.tokens[i].glued) or norm == ":":
                return i
        return last

    def _bare_outcome(self, layout: Layout, at: int, last: int, sentence: Sentence, following: bool) -> bool:
        """«Туман не прошёл: …», «выйдет — …»: an outcome as the whole clause, then a colon or dash."""
        tokens = layout.tokens
        if last >= sentence.last or tokens[last].norm not in {":", "-", "→"}:
            return False
        if tokens[last].norm != ":" and last - at <= 10 and self._happens(layout, at, last, sentence):
            return True
        if last - at > 4:
            return False
        found = [f for f in self._lexicon.find(tokens[at:last]) if f.sense.kind in OUTCOMES]
        spell = any(f.sense.kind in ("spell", "cast") for f in self._lexicon.find(tokens[at:last]))
        return bool(found) and (spell or following or found[-1].last == last - at)

    def _happens(self, layout: Layout, at: int, last: int, sentence: Sentence) -> bool:
        """«Гхаш нападёт на Лориэн — …», «Радомир встал на Г10 → …»: others do what sets an order off. What they have done already
        does so before an arrow only, or where they are answered."""
        tokens = layout.tokens
        found = [f for f in self._lexicon.find(tokens[at:last]) if f.sense.kind in EVENTS]
        kinds = self._kinds(tokens[at:last])
        told = any(info(tokens[at + f.first].norm).verb in (Verb.THIRD, Verb.PAST) for f in found)
        if not found or not kinds & {"player", "troops", "everyone"} or (kinds & {"go", "give"} and not told):
            return False
        deed = self._kinds(tokens[last : min(sentence.last, last + REACH)])
        if tokens[last].norm == "→" and told:
            return bool(deed & _DEEDS)
        return bool(deed & {"attack", "give", "answer"})

    def _inverted(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """«Нападут на Лориэн — …», «Начнёт Торгрим ход, пошлите ему …»: a verb of what may happen leads, the deed is parted from
        it by a dash, or by a comma where others are named."""
        tokens = layout.tokens
        verb = at + (tokens[at].norm == "не")
        if verb >= sentence.last or not _may_happen(tokens[verb].norm):
            return False
        reach = range(verb + 1, min(sentence.last, at + REACH))
        parted = next((i for i in reach if tokens[i].norm in {"→", ":"} or (tokens[i].norm == "-" and not tokens[i].glued)), None)
        comma = next((i for i in reach if tokens[i].norm == ","), None)
        behind = tokens[comma + 1].norm if comma is not None and comma + 1 < sentence.last else ""
        ordered = behind in {"то", "тогда"} or info(behind).verb in ORDERING
        if comma is not None and ordered and (parted is None or comma < parted):
            kinds = self._kinds(tokens[at:comma])
            return bool(kinds & (OUTCOMES | set(EVENTS))) and bool(kinds & {"player", "troops", "everyone", "spell", "cast"})
        return parted is not None and bool(self._kinds(tokens[at:parted]) & (OUTCOMES | set(EVENTS)))

    def _labelled(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """«Усл. приказ: войско Торгрима встало на Г4 → …»."""
        tokens = layout.tokens
        found = [
            f for f in self._lexicon.find(tokens[at : min(sentence.last, at + 5)]) if f.sense.kind == "standing" and f.first == 0
        ]
        if not found:
            return False
        behind = at + max(f.last for f in found)
        colon = next((k for k in range(behind, sentence.last) if tokens[k].norm == ":"), None)
        if colon is not None and colon + 1 < sentence.last and starts_with(tokens, colon + 1, sentence.last, self._starts):
            return False
        while behind < sentence.last and tokens[behind].norm == ".":
            behind += 1
        if behind >= sentence.last or tokens[behind].norm not in {":", "-"}:
            return False
        return bool(self._kinds(tokens[behind : min(sentence.last, behind + REACH)]) & set(EVENTS))

    def parts(self, layout: Layout, head: int, last: int) -> Parts:
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
            after = begin + skipped
            while after < last and tokens[after].norm in {",", ":", "-"}:
                after += 1
            return Parts(head, after, last)
        events = [
            begin + f.last for f in self._lexicon.find(tokens[begin:last]) if f.sense.kind in OUTCOMES or f.sense.kind in EVENTS
        ]
        events += [begin + behind for behind, _ in turn_events(tokens[begin:last])]
        first_event = min(events, default=begin)
        for i in range(first_event, last - 1):
            at = next((k for k in (i + 1, i + 2) if k < last and starts_with(tokens, k, last, self._then)), 0)
            if tokens[i].norm == "," and at and (at == i + 1 or tokens[i + 1].norm in {"на", "с", "за", "к"}):
                return Parts(head, i + 1, last)  # «кто подойдёт к страже, на того она нападает, карта — оборона»
        for i in range(begin, last):
            norm = tokens[i].norm
            between_numbers = i and i + 1 < last and tokens[i - 1].kind is tokens[i + 1].kind is Kind.NUMBER
            dash = norm == "-" and i and not tokens[i].glued and not between_numbers
            if norm == "," and i >= first_event and self._resumes(tokens, i + 1, last):
                return Parts(head, i + 1, last)
            if norm == "→" or dash or (norm == ":" and i >= first_event):
                after = i + 1
                while after < last and tokens[after].norm in {">", "-"}:
                    after += 1
                return Parts(head, after, last)
        for i in range(first_event, last):
            if tokens[i].norm in {"то", "тогда"}:
                return Parts(head, i + 1, last)
        comma = next((i for i in range(first_event, last) if tokens[i].norm == ","), None)
        if comma is not None and self._kinds(tokens[comma:last]) - {"repeat", "times"}:
            return Parts(head, comma + 1, last)
        split = self._unparted(tokens, first_event, last)
        return Parts(head, split if comma is None or split < comma else comma + 1, last)

    def _resumes(self, tokens: Sequence[Token], at: int, last: int) -> bool:
        """«…, на того стража нападает», «…, тому 3 монеты»: the deed, told of those whom the condition is about."""
        at += at < last and tokens[at].norm in PREPOSITIONS
        return bool(starts_with(tokens, at, last, self._then))

    def _unparted(self, tokens: Sequence[Token], first: int, last: int) -> int:
        """No sign at all: where the deed begins behind the event («как начнётся ход Радомира ему 4 монеты»)."""
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
        return end if end < last and self._kinds(tokens[end:last]) & _DEEDS else last

    def _deed_before(self, layout: Layout, sentence: Sentence, head: int) -> bool:
        before = layout.tokens[max(sentence.first, head - REACH) : head]
        return bool(self._kinds(before) & _DEEDS) or any(t.norm in tables()["units"]["coins"] for t in before)


def turn_events(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    """«начнёт Торгрим свой ход», «закончится ход Гхаша»: the index behind it and the kind of event."""
    head = tables()["head"]
    turn = next((i for i, t in enumerate(tokens) if info(t.norm).lemmas & set(head["turn"])), None)
    if turn is None:
        return []
    out: list[tuple[int, str]] = []
    for i in range(max(0, turn - TURN_REACH), min(len(tokens), turn + TURN_REACH + 1)):
        for kind, key in (("on_start", "turn_begins"), ("on_end", "turn_ends")):
            if info(tokens[i].norm).lemmas & set(head[key]):
                out.append((max(i, turn) + 1, kind))
    return out[:1]


@lru_cache(maxsize=4096)
def _may_happen(word: str) -> bool:
    """True for a third person of the future («нападут», «удастся»)."""
    return any(
        p.tag.POS == "VERB" and p.tag.tense == "futr" and p.tag.person == "3per" and p.score > 0.1 for p in analyser().parse(word)
    )


def _tagged(layout: Layout, sentence: Sentence) -> bool:
    """«…, то заставу там же, ок?»: asks for no answer."""
    words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
    return (
        len(words) > 1 and layout.tokens[words[-1]].norm in tables()["head"]["tags"] and layout.tokens[words[-1] - 1].norm == ","
    )


def _of_whom(word: str) -> bool:
    """True for «ему», «Радомиру»: whom a deed is done to, before its verb."""
    cases = info(word).cases
    return "datv" in cases and not cases & {"gent", "nomn"}


_DEEDS = frozenset({"attack", "give", "garrison", "go", "allow", "deny", "spell", "coins", "receive", "answer"})
"""Words that a condition's deed is told with."""
_PARTING = frozenset({",", "-", "→", ">", ":", "то", "тогда"})
"""What parts a condition from its deed."""


def _freed(layout: Layout, first: int, last: int) -> None:
    """«Всадников на С8, и если …»: what stands before a condition of the game is no part of it."""
    for i in range(first, last):
        if layout.status[i] is Status.CONDITIONAL:
            layout.status[i] = Status.LIVE
