"""One card at a token of the text: «А», «ААО», «2А», «два щита», «держит щиты», «остальные стреляют»."""

from __future__ import annotations

from parsers.atoms import Atom, Sense
from parsers.russian import Verb, closed_class, info
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.names import tables

LETTERS = {"а": "attack", "о": "defend", "с": "shoot", "a": "attack", "o": "defend", "c": "shoot"}
MOST_CARDS = 40
"""Cards of one list at most."""
_EVERY = frozenset({"весь", "все", "вся", "оба"})
_COUNTS = frozenset({"два", "две", "двум", "три", "трем", "четыре", "четырем", "трое", "двое"})
_VERBS = {card: frozenset(verbs) for card, verbs in tables()["card_verbs"].items()}
_OTHERS = frozenset(tables()["card_places"]["rest"])
_WITH = frozenset({"с", "со"})
_SQUADS = frozenset(tables()["card_places"]["squads"])
_TIMES = {word: count for count, word in enumerate(tables()["card_places"]["times"], 2)}
_HELD, _BEARING = (frozenset(tables()["cards_told"][k]) for k in ("held", "bearing"))
FIGHTERS = ("unit", "utype", "personal", "garrison", "guard", "house")


def fighter_before(by_first: dict[int, Atom], i: int) -> bool:
    """True where somebody who may fight stands right before a token."""
    return any(a.last == i and a.has(*FIGHTERS) for a in by_first.values())


def _times(here: Atom | None) -> int:
    """How often: «А х2», «атака ×3», «щит два раза»; 1 where it isn't said."""
    if here is None or not (here.has("times") or (here.has("number") and here.text[:1].lower() in _TIMES_SIGNS)):
        return 1
    return min(MOST_CARDS, max(1, int(here.get("times", "number").value)))  # type: ignore[union-attr]


_TIMES_SIGNS = frozenset("хx×*")


def card_at(layout: Layout, by_first: dict[int, Atom], i: int) -> tuple[list[str], int, str, Sense | None] | None:
    """One card order (or a number of equal ones) at token `i`: the cards, the token behind them, letter or word."""
    tokens = layout.tokens
    if i >= len(tokens):
        return None
    here = by_first.get(i)
    if here is not None and here.has("ordinal") and not here.has("card"):
        got = card_at(layout, {k: a for k, a in by_first.items() if k == here.last}, here.last)
        return got if got is not None and got[2] == "word" else None
    if here is not None and here.has("number", "squads"):
        value = here.get("number", "squads").value  # type: ignore[union-attr]
        if not isinstance(value, int) or not 1 <= value <= 9 or here.last - i > 2:
            return None
        at = here.last
        if at < len(tokens) and here.has("number") and info(tokens[at].norm).lemmas & _SQUADS:
            at += 1
        at += at < len(tokens) and tokens[at].norm in _WITH
        got = card_at(layout, {k: a for k, a in by_first.items() if k == at}, at)
        if got is None or len(got[0]) != 1:
            return None
        return got[0] * value, got[1], got[2], got[3]
    token = tokens[i]
    if token.norm in _TIMES:
        got = card_at(layout, by_first, i + 1)
        return (got[0] * _TIMES[token.norm], *got[1:]) if got is not None and len(got[0]) == 1 else None  # «трижды щит»
    if token.kind is Kind.NUMBER and len(token.norm) == 1 and token.norm != "0":
        letter = tokens[i + 1] if i + 1 < len(tokens) else None
        if letter is not None and letter.glued and letter.norm in LETTERS and layout.text[letter.start].isupper():
            return [LETTERS[letter.norm]] * int(token.norm), i + 2, "counted", None  # «2А»
    if token.kind is not Kind.WORD:
        return None
    raw = layout.text[token.start : token.end]
    times = by_first.get(i + 1)
    if times is not None and _times(times) > 1 and len(raw) == 1 and raw.isupper() and raw.lower() in LETTERS:
        return [LETTERS[raw.lower()]] * _times(times), times.last, "letter", None  # «А х2»
    letters = [LETTERS.get(c) for c in token.norm]
    if len(token.norm) == 1 and letters[0] is not None:
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        if after is not None and after.kind is Kind.NUMBER and after.glued:
            return None
        if raw.islower() and after is not None and after.kind is Kind.WORD and len(after.norm) > 1:
            return None  # «оборона с Торгримом»: a preposition
        return [letters[0]], i + 1, "letter", None
    if 2 <= len(raw) <= MOST_CARDS and raw.isupper() and None not in letters:
        return [c for c in letters if c], i + 1, "letter", None
    if 3 <= len(raw) <= MOST_CARDS and None not in letters and fighter_before(by_first, i) and token.norm not in closed_class():
        return [c for c in letters if c], i + 1, "letter", None  # «стража ооо»
    if here is not None and here.has("card"):
        sense = here.get("card")
        assert sense is not None
        times = by_first.get(here.last)
        if times is not None and _times(times) > 1:
            return [sense.value] * _times(times), times.last, "word", sense
        starred = tokens[here.last : here.last + 2]
        if len(starred) == 2 and starred[0].norm in _TIMES_SIGNS and starred[1].norm.isdigit():
            return [sense.value] * min(MOST_CARDS, max(1, int(starred[1].norm))), here.last + 2, "word", sense  # «оборона*3»
        behind = held(layout, here.last) if here.verb is not Verb.NONE else here.last
        return [sense.value], behind, "word", sense
    deed = deed_at(layout, i)
    return ([deed], held(layout, i + 1), "verb", None) if deed else None


def deed_at(layout: Layout, at: int) -> str:
    """The card that the verb at a token names («держит» — оборона); empty: none."""
    known = info(layout.tokens[at].norm)
    if known.verb is Verb.NONE:
        return ""
    return next((card for card, verbs in _VERBS.items() if known.lemmas & verbs), "")


def of_all_squads(layout: Layout, i: int) -> bool:
    """A word of «все три отряда»."""
    known = info(layout.tokens[i].norm)
    return bool(known.lemmas & (_SQUADS | _EVERY)) or layout.tokens[i].norm in _COUNTS


def held(layout: Layout, at: int) -> int:
    """The token behind what a deed is done with: «держит щиты», «рубят мечами», «прикрывается за щитом»."""
    tokens = layout.tokens
    behind = at + (at < len(tokens) and tokens[at].norm in _BEARING)
    while behind < len(tokens) and tokens[behind].kind is Kind.WORD and info(tokens[behind].norm).lemmas & _HELD:
        behind += 1
        at = behind
    return at


def others(layout: Layout, by_first: dict[int, Atom], end: int) -> tuple[str, int]:
    """«два отряда рубят, остальные стреляют»: the card of all others and the token behind it; empty where none is told."""
    tokens = layout.tokens
    at = end
    while at < len(tokens) and tokens[at].norm in {",", "и", "а", ";"}:
        at += 1
    if at >= len(tokens) or not info(tokens[at].norm).lemmas & _OTHERS:
        return "", end
    at += 1
    while (
        at < len(tokens)
        and not (at in by_first and by_first[at].has("card"))
        and (tokens[at].norm in {"-", "с"} or info(tokens[at].norm).lemmas & _SQUADS)
    ):
        at += 1
    got = card_at(layout, by_first, at)
    return (got[0][0], got[1]) if got is not None and len(got[0]) == 1 else ("", end)


def says_more(layout: Layout, end: int) -> bool:
    """True where the clause goes on behind token `end`: «рубит, бьёт орков»."""
    if end >= len(layout.tokens) or layout.sentence_of[end] != layout.sentence_of[end - 1]:
        return False
    return layout.tokens[end].kind is Kind.WORD
