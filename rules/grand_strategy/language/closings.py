"""Words that alone close a turn: «Всё.», «… и всё», «…, финиш», «Всё, отбой», «стоим, копим», «канец»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from parsers import typos
from parsers.atoms import Atom, Sense
from parsers.phonetics import sounded
from parsers.russian import info
from parsers.structure import Layout, Status
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables

_ALONE = frozenset(tables()["alone"]["all"])
_NO_END = frozenset(tables()["alone"]["no"])
_PLAIN_ENDS = frozenset(tables()["alone"]["ends"])
_CLOSING = frozenset(tables()["alone"]["before"])
_SIGNED_OFF = frozenset(tables()["alone"]["signed_off"])
_OPENING = _ALONE | frozenset(tables()["alone"]["opening"])
_EMPTY = ("~all", "~withdraw", "lift", "drop", "stay")
_OF_TURN = frozenset({"хода", "ходу"})
_SLIPS = 2
"""Slips of the pen in a word before «хода» at most."""
_BY_EAR = {sounded(word): word for word in tables()["alone"]["ends"]}


def closing(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Всё.» as a whole sentence ends the turn, «… и всё» at the end of a post too."""
    out: list[Atom] = []
    last = max((i for i, t in enumerate(layout.tokens) if t.kind is Kind.WORD), default=-1)
    for here in atoms:
        every = here.has("~all") and here.text.lower() in _ALONE
        closes = here.last == last + 1 and _closes(layout, here)
        if here.has("alone") and here.last == last + 1 and (closes or _breaks_the_flow(layout, here, atoms)):
            here = replace(here, senses=(Sense("end_turn", "end_turn"),))
        elif here.has("saving") and _only_saves(layout, here, atoms):
            here = replace(here, senses=(Sense("pass", "pass"),), data={**here.data, "saving": True})
        elif every and (closes or _breaks_off(layout, here, atoms)):
            here = replace(here, senses=(Sense("end_turn", "end_turn"),))
        elif every or here.has("alone"):
            sentence = layout.sentences[layout.sentence_of[here.first]]
            words = [k for k in range(sentence.first, sentence.last) if layout.tokens[k].kind is Kind.WORD]
            if words == list(range(here.first, here.last)) and not any(
                layout.tokens[k].norm == ":" for k in range(sentence.first, sentence.last)
            ):
                here = replace(here, senses=(Sense("end_turn", "end_turn"),))
        out.append(here)
    return _last_word(layout, out)


def _last_word(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«Всё, отбой», «Отбой, ложимся спать» and «канец» as the post's last sentence, with nothing of the game in it."""
    live = [n for n, s in enumerate(layout.sentences) if any(layout.status[i] is Status.LIVE for i in range(s.first, s.last))]
    if not live:
        return atoms
    sentence = layout.sentences[live[-1]]
    words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
    at = next((i for i in words if layout.tokens[i].norm not in _OPENING), None)
    if at is None or any(layout.tokens[i].norm == "?" for i in range(sentence.first, sentence.last)):
        return atoms
    here = [
        a for a in atoms if sentence.first <= a.first < sentence.last and not a.has("~all", "~withdraw", "lift", "drop", "stay")
    ]
    token = layout.tokens[at]
    follows = at + 1 < sentence.last and layout.tokens[at + 1].kind is Kind.WORD
    if here or (follows and token.norm in _SIGNED_OFF):
        return atoms
    if token.norm in _SIGNED_OFF:
        sense = Sense("end_turn", "end_turn")
    elif words[-1] == at and token.norm not in _PLAIN_ENDS and sounded(token.norm) in _BY_EAR:
        meant = _BY_EAR[sounded(token.norm)]
        sense = Sense("end_turn", "end_turn", quality=typos.ONE_OFF, note=f"«{token.norm}» понято как «{meant}»")
    elif words == [at, at + 1] and layout.tokens[at + 1].norm in _OF_TURN and (meant := _slipped(token.norm)):
        sense = Sense("end_turn", "end_turn", quality=typos.ONE_OFF, note=f"«{token.norm}» понято как «{meant}»")
    else:
        return atoms
    end = words[-1] + 1 if words == [at, at + 1] else at + 1
    made = Atom(at, end, token.span, (sense,), text=layout.text[token.start : layout.tokens[end - 1].end])
    return sorted([*(a for a in atoms if a.last <= at or a.first >= end), made], key=lambda a: a.first)


def _slipped(word: str) -> str | None:
    """The plain end of a turn that a word is within two slips of («кансец хода», «канетс хода»)."""
    heard = sounded(word)
    near = [
        w
        for w in _PLAIN_ENDS
        if w[0] == word[0] and (OSA.distance(w, word) <= _SLIPS or OSA.distance(sounded(w), heard) < _SLIPS)
    ]
    return near[0] if len(near) == 1 and len(word) > _SLIPS + 1 and not info(word).known else None


def _breaks_off(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
    """«Всё, ждём лета.» as the last sentence."""
    index = layout.sentence_of[here.first]
    sentence = layout.sentences[index]
    ahead = [t for t in layout.tokens[sentence.first : here.first] if t.kind is Kind.WORD]
    behind = layout.tokens[here.last : here.last + 2]
    comma = len(behind) == 2 and behind[0].norm == "," and behind[1].norm not in _NO_END
    alone = not any(a is not here and not a.has("stay") and layout.sentence_of[a.first] == index for a in atoms)
    return index == len(layout.sentences) - 1 and not ahead and comma and alone


def _only_saves(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
    """«стоим, копим» passes; «копим на крепость» tells why."""
    index = layout.sentence_of[here.first]
    return all(a.has("stay", "saving", "pass", "end_turn", "me") for a in atoms if layout.sentence_of[a.first] == index)


def _closes(layout: Layout, here: Atom) -> bool:
    before = layout.tokens[here.first - 1].norm if here.first else ""
    return before in _CLOSING


def _breaks_the_flow(layout: Layout, here: Atom, atoms: Sequence[Atom]) -> bool:
    """«…, финиш», and «… гхашу 5 конец» where a post has no signs at all."""
    index = layout.sentence_of[here.first]
    sentence = layout.sentences[index]
    signed = any(t.kind is Kind.SIGN and t.norm in ",;.:" for t in layout.tokens[sentence.first : here.first])
    beside = [a for a in atoms if layout.sentence_of[a.first] == index and a is not here]
    sieges = any(a.has("siege") for a in beside)
    plain = not signed and not here.prep and here.text.lower() in _PLAIN_ENDS and len(beside) > 1 and not sieges
    return plain or (here.first > 0 and layout.tokens[here.first - 1].norm in {",", ";"})
