"""Where a condition begins and where its deed does: «если туман не вышел — …», «Нападут на Лориэн — …».

`Heads.find` tells which stretches of a post are conditions that the game knows; `Heads.parts` cuts one into its if and its then.
"""

from __future__ import annotations

from collections.abc import Sequence

from parsers.lexicon import Lexicon
from parsers.russian import ORDERING, Verb, info
from parsers.structure import Layout, Sentence, Status, clauses, first_word, phrases, starts_with
from parsers.tokens import Kind, Token
from rules.grand_strategy.language.events import EVENTS, Events, doing, may_happen, outcomes, spread_events
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.parting import DEEDS, OUTCOMES, PARTING, Parting, head_phrases

KEPT = frozenset({"shortage", "default", "victory", "overflow"})
"""Conditions that are part of an order's own words."""
REACH = 80
"""Tokens of a condition that are looked at to know it."""
_CARD_LETTERS = frozenset("аос")
_CARD_WORDS = frozenset(tables()["head"]["cards"])
_OTHERS = frozenset({"player", "unit", "utype", "house", "go", "give", "build", "hire", "cast", "spell", "default", "garrison"})
"""Kinds of words with which a sentence says more than cards."""
_BUSY = frozenset({Status.SPEECH, Status.OOC, Status.SIGNATURE, Status.SUMMARY})


class Heads:
    """Finds conditions. `mine`: the reader's own name, troops, kinds of troops and cells. Keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon, mine: frozenset[str]) -> None:
        self._lexicon = lexicon
        self._mine = mine
        self._events = Events(lexicon)
        self._parting = Parting(lexicon, mine)
        self.parts = self._parting.parts
        self._starts = head_phrases("starts")
        self._turns = head_phrases("turns")
        self._occasions = head_phrases("occasions")
        self._then_says = head_phrases("then_says")
        self._else = head_phrases("else")

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
        if {"garrison", "apart"} <= kinds:
            return True  # «ударят по городу — гарнизон и гости стоят врозь»
        return "defend_together" in kinds and bool(kinds & {"together", "apart"})

    def _kinds(self, tokens: Sequence[Token]) -> set[str]:
        spread = (*spread_events(tokens), *outcomes(tokens))
        return {found.sense.kind for found in self._lexicon.find(tokens)} | {kind for _, kind in spread}

    def find(self, layout: Layout) -> list[tuple[int, int]]:
        """The stretches that are conditions of this game."""
        out: list[tuple[int, int]] = []
        open_condition = False
        claimed = 0
        for index, sentence in enumerate(layout.sentences):
            if sentence.first < claimed:
                continue
            asked = any(t.norm == "?" for t in layout.tokens[sentence.first : sentence.last]) and not _tagged(layout, sentence)
            if asked and not self._answered(layout, index):
                open_condition = False
                continue
            heads = self._heads(layout, sentence, open_condition) or self._followed(layout, index)
            if asked and not heads:
                heads = [first_word(layout, sentence)]
            open_condition = bool(heads)
            for n, head in enumerate(heads):
                end = heads[n + 1] if n + 1 < len(heads) else self._goes_on(layout, index, head)
                parts = self.parts(layout, head, end)
                begin = head
                if parts.split >= end and n == 0 and self._deed_before(layout, sentence, head):
                    begin = sentence.first
                if not any(layout.status[i] in _BUSY for i in range(begin, end)):
                    out.append((begin, end))
                    claimed = end
                    if n == 0 and parts.split < end and layout.tokens[parts.split - 1].norm in PARTING:
                        _freed(layout, sentence.first, begin)
        return out

    def _goes_on(self, layout: Layout, index: int, head: int) -> int:
        """Where a condition ends: with its sentence, or with the next one, which says what to do («Если подойдёт. Тогда бьём.»)
        or only with what cards («…, на того нападаю. Карта — стрельба.»)."""
        sentence = layout.sentences[index]
        last = sentence.last
        if index + 1 < len(layout.sentences):
            following = layout.sentences[index + 1]
            deedless = self.parts(layout, head, last).split >= last and not self._deed_before(layout, sentence, head)
            asked = any(t.norm == "?" for t in layout.tokens[sentence.first : last])
            if deedless and following.item == sentence.item and (asked or self._consequent(layout, following)):
                last, following = following.last, layout.sentences[min(index + 2, len(layout.sentences) - 1)]
            if deedless and layout.tokens[last - 1].norm in {":", "то", "тогда"}:
                for item in layout.sentences[index + 1 :]:
                    if not item.item or item.item == sentence.item:
                        break
                    last = item.last  # «Если нападут, то: 1) …; 2) …»
                return last
            fights = "attack" in self._kinds(layout.tokens[head:last])
            if fights and following.first >= last and following.line == sentence.line and self._only_cards(layout, following):
                return following.last
        return last

    def _consequent(self, layout: Layout, sentence: Sentence) -> bool:
        """«Тогда …», «В этом случае …»."""
        first = first_word(layout, sentence)
        return bool(starts_with(layout.tokens, first, sentence.last, self._then_says))

    def _followed(self, layout: Layout, index: int) -> list[int]:
        """«Гхаш подходит к страже. Тогда стража его бьёт.»: an event as a whole sentence, and what to do then."""
        if index + 1 >= len(layout.sentences) or layout.sentences[index + 1].item != layout.sentences[index].item:
            return []
        sentence = layout.sentences[index]
        first = first_word(layout, sentence)
        if not self._consequent(layout, layout.sentences[index + 1]):
            return []
        return [first] if self._events.told(layout.tokens, first, sentence.last, self._mine) is not None else []

    def _answered(self, layout: Layout, index: int) -> bool:
        """«Подойдёт Гхаш к страже? Бейте его.»: what may happen, asked, and the answer in the next sentence of the line."""
        sentence = layout.sentences[index]
        if index + 1 >= len(layout.sentences) or layout.sentences[index + 1].line != sentence.line:
            return False
        first = first_word(layout, sentence)
        told = self._events.told(layout.tokens, first, sentence.last, self._mine)
        following = layout.sentences[index + 1]
        leads = first < sentence.last and may_happen(layout.tokens[first].norm)
        return told is not None and leads and told.future and self._does(layout.tokens, following.first, following.last)

    def _only_cards(self, layout: Layout, sentence: Sentence) -> bool:
        """«Карты — меч, меч, щит.», «Одна карта: А.»"""
        tokens = layout.tokens[sentence.first : sentence.last]
        kinds = self._kinds(tokens)
        letters = [t for t in tokens if t.norm in _CARD_LETTERS]
        cards = any(info(t.norm).lemmas & _CARD_WORDS for t in tokens)
        return cards and (bool(letters) or "card" in kinds) and not kinds & _OTHERS

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
            if self._somebodys_turn(tokens, at, last) or self._bare_turn(tokens, at, last, sentence.last):
                heads.append(at)
            elif starts_with(tokens, at, last, self._starts):
                if starts_with(tokens, at, last, phrases("conditional", "polite")) or self._as_it_may(layout, at, sentence.last):
                    continue
                if self._asks(layout, at, sentence):
                    heads.append(at)
                    continue
                if self._kept(self._kinds(rest)) or self._of_course(tokens, sentence, at):
                    continue
                kinds = self._kinds(tokens[at : self._reach(layout, at, sentence.last)])
                known = kinds & (OUTCOMES | set(EVENTS)) or self._events.told(tokens, at, last, self._mine) is not None
                whoever = tokens[at].norm == "кто" and self._parting.resumed(tokens, at, sentence.last)
                if not known and not whoever and not self._threatens(layout, at, sentence.last):
                    continue
                heads.append(at)
            elif (
                ((heads or after_condition) and self._otherwise(layout, at, last, sentence))
                or self._bare_outcome(layout, at, last, sentence, bool(heads) or after_condition)
                or self._labelled(layout, at, sentence)
                or self._happens(layout, at, last, sentence)
                or self._on_occasion(layout, at, sentence)
                or self._inverted(layout, at, sentence)
            ):
                heads.append(at)
        if not heads:
            doer = next((i for i in range(sentence.first, sentence.last) if doing(tokens[i].norm)), None)
            if doer is not None and self._does(tokens, sentence.first, sentence.last):
                heads.append(doer)  # «Напавшего на Трон стража бьёт», «Стража бьёт напавшего на Трон»
        return heads

    def _of_course(self, tokens: Sequence[Token], sentence: Sentence, at: int) -> bool:
        """«Гарнизон обороняется вместе с войсками Аэлин, если те окажутся внутри»: it defends with nobody else."""
        kinds = self._kinds(tokens[max(sentence.first, at - REACH) : at])
        return "defend_together" in kinds and bool(kinds & {"together", "apart"}) and not self._does(tokens, at, sentence.last)

    def _somebodys_turn(self, tokens: Sequence[Token], at: int, last: int) -> bool:
        """«Каждый ход Гхаша слать ему 2 монеты», «в начале хода Торгрима …»; one's own turn is no condition."""
        said = starts_with(tokens, at, last, self._turns)
        return bool(said) and any(
            f.first == 0 and f.sense.kind == "player" for f in self._lexicon.find(tokens[at + said : min(last, at + said + 2)])
        )

    def _bare_turn(self, tokens: Sequence[Token], at: int, last: int, end: int) -> bool:
        """«Ход Гхаша — ему 2 монеты»: whether at its beginning or its end, it asks."""
        if last - at != 2 or last >= end or tokens[last].norm not in {"-", ":", "→"}:
            return False
        turn = info(tokens[at].norm).lemmas & set(tables()["head"]["turn"])
        whose = self._lexicon.find(tokens[at + 1 : last])
        others = any(f.sense.kind == "player" and f.sense.value not in self._mine for f in whose)
        return bool(turn) and others and self._does(tokens, last, end)

    def _as_it_may(self, layout: Layout, at: int, last: int) -> bool:
        """«…, как получится»: no condition."""
        words = [t for t in layout.tokens[at:last] if t.kind is Kind.WORD]
        return len(words) == 2 and words[0].norm == "как"

    def head(self, layout: Layout, first: int, last: int) -> int:
        """Where the condition of a stretch begins; the deed may stand before it."""
        at = first
        while at < last and (layout.status[at] is Status.LIST_MARK or layout.tokens[at].norm in {"и", "а", "но", "ну", "+"}):
            at += 1
        if at < last and may_happen(layout.tokens[at].norm):
            return at  # «Нападёт кто на Лориэн — …»
        sentence = layout.sentences[layout.sentence_of[at]] if at < last else None
        if sentence is not None and not starts_with(layout.tokens, at, last, self._starts):
            clause = next((c for c in clauses(layout, sentence) if c[0] <= at < c[1]), (at, last))
            if self._happens(layout, at, clause[1], sentence) or self._on_occasion(layout, at, sentence):
                return at  # «Радомир прислал деньги → …»
        begins = next((at for at in range(first, last) if starts_with(layout.tokens, at, last, self._starts)), None)
        if begins is None:
            begins = next((at for at in range(first, last) if doing(layout.tokens[at].norm)), None)
        return first if begins is None else begins

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
        """«Туман не прошёл: …», «выйдет — …», «(успех) …»: an outcome as the whole clause, then a sign."""
        tokens = layout.tokens
        if last >= sentence.last or last - at > 4 or tokens[at].norm in tables()["supposing"]["meanwhile"]:
            return False  # «Пока не вышел: …»
        bracketed = tokens[last].norm == ")" and at > sentence.first and tokens[at - 1].norm == "("
        if tokens[last].norm not in {":", "-", "→"} and not (bracketed and last + 1 < sentence.last):
            return False
        finds = self._lexicon.find(tokens[at:last])
        found = [f.last for f in finds if f.sense.kind in OUTCOMES] + [behind for behind, _ in outcomes(tokens[at:last])]
        spell = any(f.sense.kind in ("spell", "cast") for f in finds)
        return bool(found) and (spell or following or bracketed or max(found) == last - at)

    def _happens(self, layout: Layout, at: int, last: int, sentence: Sentence) -> bool:
        """«Гхаш нападёт на Лориэн — …», «Радомир встал на Г10 → …», «Объявит кто бой Трону, немедля …»: others do what sets an
        order off, and a sign parts it from the deed. What is or was so does it before an arrow, or where it is answered."""
        tokens = layout.tokens
        told = self._events.told(tokens, at, last, self._mine)
        sign = tokens[last].norm if last < sentence.last else ""
        if told is None or not self._does(tokens, last if sign else told.at + 1, sentence.last):
            return False
        if sign == "→":
            return True
        if sign in {"-", ":"}:
            paid = bool(self._kinds(tokens[last : sentence.last]) & {"give", "coins"}) or self._pays(tokens, last, sentence.last)
            named = self._kinds(tokens[at:last])
            listed = (bool(sentence.item) or layout.lines[sentence.line].bullet) and bool(named & {"troops", "player"})
            paid = paid and "utype" not in named  # «эльфов в Лориэн — 20 монет»
            return told.future or told.named or paid or listed or self._anybody(tokens, at, last)
        if sign == "?":
            return told.future and told.named
        return told.future and (
            sign == "," or (not sign and told.at == at and self._parting.unparted(tokens, told.at, last) < last)
        )

    def _does(self, tokens: Sequence[Token], first: int, last: int) -> bool:
        """True where a deed is told with one of the game's words."""
        inside = tokens[first : min(last, first + REACH)]
        numbers = any(t.kind is Kind.NUMBER for t in inside)
        return bool(self._kinds(inside) & DEEDS) or numbers or self._pays(tokens, first, last)

    @staticmethod
    def _pays(tokens: Sequence[Token], first: int, last: int) -> bool:
        return any(t.norm in tables()["units"]["coins"] for t in tokens[first : min(last, first + REACH)])

    @staticmethod
    def _anybody(tokens: Sequence[Token], first: int, last: int) -> bool:
        return any(info(tokens[i].norm).lemmas & set(tables()["head"]["anybody"]) for i in range(first, last))

    def _on_occasion(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """«При объявлении боя Трону стража атакует», «за нападение на Броды — …»: a noun of an event behind a preposition."""
        tokens = layout.tokens
        behind = starts_with(tokens, at, sentence.last, self._occasions)
        if not behind:
            return False
        found = self._lexicon.find(tokens[at + behind : min(sentence.last, at + behind + 4)])
        answered = tokens[at].norm in {"за", "в", "на"}
        kinds = ("on_attack", "on_near") if answered else EVENTS
        named = next((f for f in found if f.first <= 1 and f.sense.kind in kinds), None)
        if named is None or info(tokens[at + behind + named.first].norm).verb is not Verb.NONE:
            return bool(spread_events(tokens[at + behind : at + behind + 3])) and not answered
        return self._does(tokens, at + behind + named.last, sentence.last)

    def _inverted(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """«Не выйдет туман, шлите ему …»: an outcome, told by a verb of what may happen that leads."""
        tokens = layout.tokens
        verb = at + (tokens[at].norm == "не")
        if verb >= sentence.last or not may_happen(tokens[verb].norm):
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
        rest = tokens[behind : min(sentence.last, behind + REACH)]
        return bool(self._kinds(rest) & set(EVENTS)) or self._events.told(rest, 0, len(rest), self._mine) is not None

    def _deed_before(self, layout: Layout, sentence: Sentence, head: int) -> bool:
        before = layout.tokens[max(sentence.first, head - REACH) : head]
        return self._does(before, 0, len(before))


def _tagged(layout: Layout, sentence: Sentence) -> bool:
    """«…, то заставу там же, ок?»: asks for no answer."""
    words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
    return (
        len(words) > 1 and layout.tokens[words[-1]].norm in tables()["head"]["tags"] and layout.tokens[words[-1] - 1].norm == ","
    )


def _freed(layout: Layout, first: int, last: int) -> None:
    """«Всадников на С8, и если …»: what stands before a condition of the game is no part of it."""
    for i in range(first, last):
        if layout.status[i] is Status.CONDITIONAL:
            layout.status[i] = Status.LIVE
