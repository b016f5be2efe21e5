"""Joins of card orders: «А О С», «ААО», «две атаки и щит», «рубим, держим, стреляем», and deeds that name cards while a battle
waits or cards are spoken of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, info
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.card_words import (
    FIGHTERS,
    LETTERS,
    MOST_CARDS,
    card_at,
    deed_at,
    fighter_before,
    held,
    of_all_squads,
    others,
    says_more,
)
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.spots import atom, merged

_BETWEEN_CARDS = frozenset({",", "-", "/", ";", "и", "+", "→"}) | frozenset(tables()["cards_told"]["between"])
_CARDS_BEFORE = stems("cards_before")
_CARDS_SPOKEN = stems("cards_spoken")
_LEADING = frozenset({"-", ":", "пусть", "пускай", "весь", "вся", "все", "всем"})
"""What may stand between a fighter and his deed."""
_STANDING = frozenset({"держать", "держаться", "стоять"})
"""Verbs that alone say little: «Держимся!»"""
_SET_AT = frozenset({"по", "на", "против"})
_STEPS = 4
"""Words and signs between two cards at most («…, и в конце …»)."""
LETTERS_GLUED = 6
"""Letters of cards that are written as one word, at most, where one of them may be wrong."""
_SPOKEN = ("default", "cards_word")
"""Words beside which a deed names a card in any step."""
_BACK = 2
"""Sentences behind an attack in which deeds may name its cards."""
_NAMING = frozenset({":", "-"}) | frozenset(tables()["cards_told"]["words"])
"""What may stand between «карты» and the cards."""


def _where(here: Atom) -> Atom:
    """«в бою с дружиной» tells where, and orders no attack."""
    place = bool(here.cases) and "loct" in here.cases and not here.cases & {"accs", "nomn"} and here.prep != "при"
    return replace(here, senses=(Sense("battle_word", "battle_word"),)) if place else here


class CardJoins:
    """The joins of cards for one reader. `battle`: a battle waits for its cards."""

    def __init__(self, me: str | None, battle: bool, foreign: frozenset[str], own: frozenset[str]) -> None:
        """`foreign`: troops of others; `own`: the kinds of one's own."""
        self._me = me
        self._own = own
        self._foreign = foreign
        self._battle = battle

    def fought(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """While a battle waits for its cards, or beside «по умолчанию», «стража атакует, гарнизон обороняется» names cards."""
        atoms = [_where(a) if a.has("attack") and a.verb is Verb.NONE else a for a in atoms]
        told = {layout.sentence_of[a.first]: a.first for a in reversed(atoms) if a.has("default")}
        out: list[Atom] = []
        for here in self._deeds(layout, atoms, told):
            if not self._battle and here.first < told.get(layout.sentence_of[here.first], here.first + 1):
                out.append(here)
                continue
            if here.has("attack") and here.has("card") and not self._aimed(layout, atoms, here):
                here = here.only("card")
            for kind, card in (("attack", "attack"), ("defend_together", "defend")):
                if here.has(kind) and here.verb is not Verb.NONE and not here.negated and not self._aimed(layout, atoms, here):
                    here = replace(
                        here, senses=(Sense("card", card, here.senses[0].quality),), data={**here.data, "fought": True}
                    )
            out.append(here)
        return out

    def _deeds(self, layout: Layout, atoms: list[Atom], told: Mapping[int, int]) -> list[Atom]:
        """«маг держит», «гарнизону держать строй», behind an attack «Все рубят», «Стрелять!»: a deed that is his card."""
        found: list[Atom] = []
        for before in atoms:
            index = layout.sentence_of[before.first]
            if not before.has(*FIGHTERS) or not (self._battle or index in told):
                continue
            at = before.last
            while at < len(layout.tokens) and layout.tokens[at].norm in _LEADING:
                at += 1
            free = at < len(layout.tokens) and not any(a.first <= at < a.last for a in atoms)
            deed = deed_at(layout, at) if free else ""
            if deed:
                found.append(atom(layout, at, held(layout, at + 1), Sense("card", deed), fought=True))
        fought = {layout.sentence_of[a.first] for a in atoms if a.has("attack") and not a.negated}
        for index, sentence in enumerate(layout.sentences):
            if fought.isdisjoint({index - 1, index - 2}):
                continue
            words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
            at = next((i for i in words if layout.tokens[i].norm not in _LEADING and not of_all_squads(layout, i)), -1)
            deed = deed_at(layout, at) if at >= 0 else ""
            every = at >= 0 and at != words[0] and any(layout.tokens[i].norm.startswith("вс") for i in words if i < at)
            behind = held(layout, at + 1) if at >= 0 else 0
            lone = deed == "shoot" or (
                deed == "defend" and (behind > at + 1 or not info(layout.tokens[at].norm).lemmas & _STANDING)
            )
            if deed and (every or (lone and words[0] == at)) and behind > words[-1]:
                found.append(atom(layout, words[0], words[-1] + 1, Sense("card", deed), fought=True, all=True, lone=not every))
        return merged(atoms, found) if found else atoms

    def _aimed(self, layout: Layout, atoms: Sequence[Atom], verb: Atom) -> bool:
        """A deed and no card: it is done to somebody, or together with somebody."""
        sentence = layout.sentence_of[verb.first]
        beside = [a for a in atoms if layout.sentence_of[a.first] == sentence]
        others = any(s.value != self._me for a in beside for s in a.all("player"))
        met = [a for a in beside if "nomn" not in a.cases and (a.first > verb.first or "accs" in a.cases)]
        others = others or any(a.has("utype") or any(s.value in self._foreign for s in a.all("unit")) for a in met)
        return others or any(a.has("together", "apart", "ally") or (a.first > verb.first and a.has("house")) for a in beside)

    def cards(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«А О С», «ААО», «две атаки и щит», «меч, щит, лук» → one atom; one card alone stays a `card`."""
        by_first = {a.first: a for a in atoms}
        found: list[Atom] = []
        i = 0
        spoken = -1
        while i < len(layout.tokens):
            told = by_first.get(i)
            if told is not None and told.has("cards", "badcard"):
                spoken, i = layout.sentence_of[i], told.last  # told place by place
                continue
            hit = self._run(layout, by_first, i, spoken >= 0 and spoken == layout.sentence_of[i])
            if hit is not None and hit.data.get("verbs") and not self._names_cards(layout, atoms, hit):
                hit = None
            if hit is None:
                i += 1
            else:
                found.append(hit)
                spoken = layout.sentence_of[hit.first]
                i = hit.last
        return merged(atoms, found) if found else atoms

    def _run(self, layout: Layout, by_first: dict[int, Atom], first: int, going_on: bool) -> Atom | None:
        tokens, text = layout.tokens, layout.text
        cards: list[str] = []
        letters = words = counted = pieces = verbs = 0
        upper = True
        bad = ""
        i = end = first
        qualities: list[Sense] = []
        while i < len(tokens) and len(cards) < MOST_CARDS:
            got = card_at(layout, by_first, i)
            if got is None:
                raw = text[tokens[i].start : tokens[i].end]
                wrong = _misspelt(layout, by_first, i) if not cards else ""
                if wrong:
                    return atom(layout, i, i + 1, Sense("badcard", wrong))
                lone = tokens[i].kind is Kind.WORD and len(raw) == 1 and raw.isupper() and raw.isalpha()
                lone = lone and not (i in by_first and by_first[i].has("unit", "cell"))  # «О А А; A1: О»
                if (
                    lone
                    and not bad
                    and (cards or (i and tokens[i - 1].norm == ":"))
                    and tokens[i].norm not in {"я", "в", "к", "у", "и"}
                ):
                    bad = raw
                    end = i = i + 1
                    continue
                break
            values, last, kind, sense = got
            if len(cards) == 1 < len(values) and set(values) == set(cards) and i == end and words:
                cards, words, qualities = [], 0, []  # «весь в оборону три щита»
            cards += values
            counted += kind == "counted"
            verbs += kind == "verb"
            pieces += 1
            if kind in ("letter", "counted"):
                letters += len(values)
                upper = upper and text[tokens[last - 1].start : tokens[last - 1].end].isupper()
            else:
                words += 1
                if sense is not None:
                    qualities.append(sense)
            end = i = last
            steps = 0
            while i < len(tokens) and tokens[i].kind is not Kind.LINE and tokens[i].norm in _BETWEEN_CARDS and steps < _STEPS:
                i += 1
                steps += 1
        if not cards and not bad:
            return None
        rest, end = others(layout, by_first, end) if cards and not bad else ("", end)
        words += bool(rest)
        if bad and len(cards) + 1 < 2:
            return None
        if counted and pieces < 2:
            return None  # «2А» alone is a cell
        if verbs and (pieces < 2 or says_more(layout, end)):
            return None
        named = going_on and letters == 1 and not words and upper and first - 1 in {a.last - 1 for a in by_first.values()}
        if not named and not self._plausible(layout, by_first, first, end, letters, words, upper, len(cards)):
            return None
        if bad:
            return atom(layout, first, end, Sense("badcard", bad))
        worst = min((s.quality for s in qualities), default=1.0)
        note = next((s.note for s in qualities if s.note), None)
        return atom(layout, first, end, Sense("cards", tuple(cards), worst, False, note), words=words, verbs=verbs, rest=rest)

    def _names_cards(self, layout: Layout, atoms: Sequence[Atom], told: Atom) -> bool:
        """True where deeds in a row are cards: a battle waits, cards are spoken of, or an attack stands before them. That all hit
        says no more than that they fight."""
        index = layout.sentence_of[told.first]
        spoken = self._battle or any(a.has(*_SPOKEN, "battle") and layout.sentence_of[a.first] == index for a in atoms)
        hit = set(told.senses[0].value) == {"attack"}
        counted = any(told.first <= a.first < told.last and a.has("number", "squads", "ordinal") for a in atoms)
        near = [a for a in atoms if a.first < told.first and index - layout.sentence_of[a.first] <= _BACK]
        return spoken or ((counted or not hit) and any(a.has("attack") and not a.negated for a in near))

    def _plausible(
        self, layout: Layout, by_first: dict[int, Atom], first: int, end: int, letters: int, words: int, upper: bool, count: int
    ) -> bool:
        tokens = layout.tokens
        before = tokens[first - 1].norm if first else ""
        following = tokens[end] if end < len(tokens) else None
        opened = before in {":", "(", "-"} or before.startswith(_CARDS_BEFORE)
        talk = following is not None and following.kind is Kind.WORD and layout.sentence_of[end] == layout.sentence_of[end - 1]
        if words:
            return words + letters >= 2 or count >= 2 or (before == ":" and not talk)
        if letters == 1:
            line = layout.lines[layout.sentences[layout.sentence_of[first]].line]
            spoken = any(t.norm.startswith(_CARDS_SPOKEN) for t in tokens[max(line.first, first - 40) : first])
            last = following is None or layout.sentence_of[end] != layout.sentence_of[end - 1]
            ends = last and end - first == 1 and fighter_before(by_first, first)  # «битва 1 гарнизон ооа маг с»
            return (upper and (opened or spoken) and not talk) or (ends and (spoken or self._battle))
        if end - first == 1 and not upper and fighter_before(by_first, first):
            return letters >= 3  # «стража ооо»
        if upper:
            glued = end - first == 1
            return glued or opened or letters >= 3 or not talk
        return (letters >= 3 and (opened or not talk)) or (opened and letters >= 2 and not talk)

    def _set_at(self, here: Atom) -> bool:
        """«Дружиной по варварам: меч, меч, щит!»: whom others' troops are set at."""
        units, kinds = here.all("unit"), here.all("utype")
        others = all(s.value in self._foreign for s in units) and all(s.value not in self._own for s in kinds)
        return here.prep in _SET_AT and bool(units or kinds) and others

    def named(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        """«атакуем Н7, карты ААС»: beside an attack the cards belong to it."""
        out: list[Atom] = []
        attacked = -1
        for n, here in enumerate(atoms):
            sentence = layout.sentence_of[here.first]
            following = atoms[n + 1] if n + 1 < len(atoms) else None
            met = following is not None and following.first == here.last and following.has("unit", "utype", "house")
            if here.has("attack") and (met or not here.has("battle", "battle_word")):
                attacked = sentence  # «бой R1, карты ООА»
            if here.has("cards") and attacked >= 0 and 0 < sentence - attacked <= _BACK:
                here = replace(here, data={**here.data, "behind": True})  # «… бьёт Устье. Отряды: меч, меч, щит.»
            before = out[-1] if out else None
            struck = before is not None and before.has("attack") and before.verb and not between(layout, before, here)
            if (struck and here.has(*FIGHTERS) and "nomn" not in here.cases) or self._set_at(here):
                here.data["aimed"] = True
            if before is not None and before.has("~all") and here.has("card") and set(between(layout, before, here)) <= {"в"}:
                card = here.all("card")[0]  # «все в атаку»
                out[-1] = joined(layout, [before, here], card, all=True)
                continue
            counted = before is not None and before.has("number", "squads") and len(out) > 1 and out[-2].has("~all")
            if before is not None and counted and here.has("card") and set(between(layout, before, here)) <= {"в"}:
                out[-2:] = [joined(layout, [out[-2], before, here], here.all("card")[0], all=True)]  # «все три в натиск»
                continue
            if before is not None and not between(layout, before, here) and {*_one(before), *_one(here)} == {"one", "cards"}:
                word = before if before.has("cards_word") else here  # «карта одна: обстрел», «одна карта — стрельба»
                out[-1] = joined(layout, [before, here], word.all("cards_word")[0])
                continue
            gap = set(between(layout, before, here)) if before is not None else {"?"}
            if self._battle and here.has("card") and before is not None and before.has(*FIGHTERS) and gap <= _NAMING and gap:
                here = replace(here.only("card"), data={**here.data, "fought": True})  # «Аэлин — оборона»
            beside = before is not None and before.has("cards_word") and gap <= _NAMING
            if before is not None and beside and here.has("cards", "card") and attacked == sentence:
                out[-1] = joined(layout, [before, here], (here.all("cards") or here.all("card"))[0])
                continue
            out.append(here)
        return out


def _one(here: Atom) -> set[str]:
    return ({"cards"} if here.has("cards_word") else set()) | (
        {"one"} if any(s.value == 1 for s in here.all("number")) else set()
    )


def _misspelt(layout: Layout, by_first: dict[int, Atom], i: int) -> str:
    """«Стража: ААБ»: letters of cards glued together, one of which is none."""
    tokens = layout.tokens
    raw = layout.text[tokens[i].start : tokens[i].end]
    told = i > 1 and tokens[i - 1].norm in {":", "-"} and any(a.last == i - 1 and a.has(*FIGHTERS) for a in by_first.values())
    if (
        not told
        or not (raw.isupper() and raw.isalpha() and 2 <= len(raw) <= LETTERS_GLUED)
        or i in by_first
        or info(tokens[i].norm).known
    ):
        return ""
    wrong = [c for c in raw if c.lower() not in LETTERS]
    return wrong[0] if len(wrong) * 2 < len(raw) else ""
