"""What else is said of a battle: the line order, the prize (R114, R115, R118)."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot
from parsers.structure import clauses
from rules.grand_strategy.language.cards import fighters, participants
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import (
    BATTLE,
    BTYPE,
    CELLS,
    PLACES,
    called,
)


def _order_score(fill: Fill) -> float | None:
    if all(a.data.get("turns") for a in fill.triggers):
        return None  # «Торгрим ходит первым, следом я»
    slots = fill.slots
    bodies = len({repr(f.value) for f in slots.get("units", ())}) + len(slots.get("garrison", ())) + bool(slots.get("me"))
    who = bodies + len(slots.get("cells", ())) + len(slots.get("places", ()))
    if not who or any(a.prep == "по" for a in fill.triggers):
        return None
    placed = (
        "verb" in slots or called(fill, "last_place") or any(a.text.lower().startswith(stems("line_put")) for a in fill.triggers)
    )
    stepped = any(f.atom.has("first", "then") for f in slots.get("steps", ())) or called(fill, "first")
    if who < 2 and not placed and (stepped or any(a.has("go", "hire") for a in fill.atoms)):
        return None  # «порядок: сперва всадники выходят, потом наём»
    if called(fill, "line_order"):
        return 0.4
    steps = slots.get("steps", ())
    ranks = ("then", "behind", "last_place")
    if who > 1 and "cells" not in slots and called(fill, "first", "ahead") and any(f.atom.has(*ranks) for f in steps):
        return 0.6  # «впереди стан, потом всадники»
    if who > 1 and "cells" not in slots and "battle" in slots and any(f.atom.has("then", "behind") for f in steps):
        return 0.3  # «Битва 1: гарнизон, затем стража»
    if not bodies or slots.keys() & {"cells", "places"} or not called(fill, "first", "ahead", "behind", "last_place"):
        return None
    last = called(fill, "last_place")
    if who == 1 and last and "verb" not in slots:
        return -1.8  # «увольняем сначала гномов, стражу последней» is another order's
    return 0.3 if bodies > 1 or last or ("verb" in slots and called(fill, "first")) else None


@maker
def _order(said: Said) -> Iterable[Output]:
    beside = said.context.by_sentence.get(said.match.sentence, ())
    if any(a.has("shortage", "disband", "fire") for a in beside):
        raise said.stop("ambiguous", "О строе это или о роспуске?")
    people = _with_me(said, participants(said))
    keys = [k for k, _ in people]
    if len(keys) == 2 and _turned(said, people[0][1][0], people[1][1][0]):
        keys.reverse()
    if len(keys) == 1 and (said.has("last_place") or (said.has("behind") and not said.has("first", "ahead"))):
        rest = [f for f in fighters(said) if f not in keys]
        keys = rest + keys
        if not rest:
            said.unsure("остальные в строю не названы")
    if not keys:
        raise said.stop("ambiguous", "Кто за кем стоит?")
    return [said.read({"type": "battle_order", "battle": said.battle(), "order": list(dict.fromkeys(keys))})]


def _with_me(said: Said, people: list[tuple[str, list[Atom]]]) -> list[tuple[str, list[Atom]]]:
    """«сперва гарнизон, потом я», «за мной гарнизон»: the player is his own troop."""
    own = said.personal()
    told = said.atoms("me") or [a for a in said.words("behind") if a.text.lower().endswith(stems("me"))]
    if own is None or not told or any(key == own for key, _ in people):
        return people
    return sorted([*people, (own, told[:1])], key=lambda p: p[1][0].first)


def _turned(said: Said, one: Atom, two: Atom) -> bool:
    """True where the second one named stands in front: «сзади орки, впереди гномы», «стража позади гарнизона», «стража за
    гарнизоном». What is said of each stands on his side of the comma."""
    if two.prep == "за":
        return True
    tokens = said.context.layout.tokens
    bound = next((i for i in range(one.last, two.first) if tokens[i].norm in {",", "а", "-", ";", "и"}), two.first)
    ranks: list[int] = []
    for first, last in ((said.match.first, bound), (bound, said.match.last)):
        here = [a for a in said.match.atoms if first <= a.first < last]
        back = any(a.has("behind", "then", "last_place") for a in here)
        front = any(a.has("first", "ahead") or a.text.lower().startswith(stems("line_first")) for a in here)
        ranks.append(1 if back and not front else -1 if front and not back else 0)
    return ranks[0] > ranks[1]


# ------------------------------------------------------------------------------------------------ the prize


def _victory_score(fill: Fill) -> float | None:
    kinds = {k for a in fill.atoms for k in a.kinds}
    if called(fill, "victory"):
        taken = any(a.has("take") and a.text.lower().startswith(stems("taken")) for a in fill.atoms)
        return 0.8 if "wishes" in fill.slots or taken else None
    houses = [f for n in ("btype", "places") for f in fill.slots.get(n, ())]
    plain = any(f.atom.prep not in {"в", "во", "на", "из", "до"} for f in houses)  # «в Стан никого не берём» is no prize
    if kinds & {"no_capture"} and ("building_word" in kinds or "battle" in fill.slots or plain):
        return 0.3
    both = kinds & {"capture", "no_capture"} and kinds & {"no_raze", "raze"}
    return 0.6 if both else 0.2 if any(a.data.get("behind") for a in fill.triggers) else None


@maker
def _victory(said: Said) -> Iterable[Output]:
    wishes: dict[str, bool] = {}
    last = True
    for atom in said.match.atoms:
        if atom.has("victory"):
            continue
        for field, yes, no in (("preserve", ("no_raze",), ("raze",)), ("capture", ("capture", "to_me"), ("no_capture",))):
            if field == "capture" and atom.has("take") and atom.text.lower().startswith(stems("taken")):
                yes = (*yes, "take")  # «при победе Броды брать не будем»
            if not atom.has(*yes, *no):
                continue
            denied = _denied(said, atom)
            if _also(said, atom):
                wish = last == atom.has(*yes)
            else:
                last = not denied and not atom.has("no_raze", "no_capture")
                wish = atom.has(*yes) != denied
            if wishes.get(field, wish) != wish:
                said.unsure(f"о строении сказано по-разному: «{atom.text}»")
            wishes[field] = wish
            break
    if "capture" not in wishes and any(_unwanted(said, a) for a in said.match.atoms):
        wishes["capture"] = False
    if not wishes:
        return []
    for atom in said.context.by_sentence.get(said.match.sentence, []):
        if atom.negated and atom.first >= said.match.first - 1:
            if atom.has("raze"):
                wishes.setdefault("preserve", True)
            elif atom.has("capture") or (atom.has("take") and atom.text.lower().startswith(stems("taken"))):
                wishes.setdefault("capture", False)
    return [said.read({"type": "victory_choice", "battle": said.battle(), **wishes})]


def _unwanted(said: Said, atom: Atom) -> bool:
    """«чужое добро нам ни к чему», «крепость не нужна»: a building, and right behind it that nobody wants it."""
    if not atom.has("btype", "house", "building_word") or atom.has("capture", "no_capture"):
        return False
    layout = said.context.layout
    first, last = next(c for c in clauses(layout, layout.sentences[layout.sentence_of[atom.first]]) if c[0] <= atom.first < c[1])
    behind = [layout.tokens[i].norm for i in range(max(first, atom.last), last)]
    behind = behind[1:] if behind and behind[0] in _TO_US else behind
    table = tables()["denied_behind"]
    return _idle(behind) or (len(behind) > 1 and behind[0] == "не" and behind[1] in table["unwanted"])


_TO_US = frozenset(tables()["pronouns"]["to_me"])


def _denied(said: Said, atom: Atom) -> bool:
    """«ломать не велю», «захватывать Броды не будем», «захват — нет», «понижать запрещаю», «не велю ломать», «без захвата», «ни
    захвата, ни понижения»."""
    tokens = said.context.layout.tokens
    table = tables()["denied_behind"]
    ahead = [t.norm for t in tokens[max(0, atom.first - 2) : atom.first]]
    if atom.prep in table["lacking"] or (ahead and ahead[-1] in table["lacking"]):
        return True
    if len(ahead) == 2 and ((ahead[0] == "не" and ahead[1] in table["not"]) or ahead[1] in table["words"]):
        return True
    others = [a.first for a in said.match.atoms if a.first >= atom.last and a.has("capture", "no_capture", "raze", "no_raze")]
    behind: list[str] = []
    for token in tokens[atom.last : min([atom.last + _BEHIND, *others])]:
        if token.norm in _ENDS:
            break
        if token.norm not in {"-", ":", "тоже"}:
            behind.append(token.norm)
    if not behind and tokens[atom.last : atom.last + 1] and tokens[atom.last].norm == "-":
        return True  # «захват +, понижение −»
    refused = any(a == "не" and b in table["not"] for a, b in itertools.pairwise(behind))
    return refused or _idle(behind) or (behind[:1] != [] and behind[0] in table["words"])


def _idle(behind: list[str]) -> bool:
    """«ломать ни к чему»: words behind that leave it."""
    told = " ".join(behind)
    return any(told.startswith(phrase) for phrase in tables()["denied_behind"]["phrases"])


_ENDS = frozenset({",", ".", ";", "!", "а", "но", "и"})
"""What ends the clause of a wish."""
_BEHIND = 6
"""Tokens behind a wish in which it may be denied."""


def _also(said: Said, atom: Atom) -> bool:
    """«Захвата не надо, понижения тоже.»: what was said of the one is said of the other."""
    tokens = said.context.layout.tokens
    following = tokens[atom.last + 1].norm if atom.last + 1 < len(tokens) else ""
    return atom.last < len(tokens) and tokens[atom.last].norm in {"тоже", "также"} and following != "не"


FRAMES = (
    Frame(
        "battle_order",
        ("line_order", "first", "ahead", "behind", "last_place"),
        (
            Slot("units", ("unit", "utype", "personal"), many=True),
            Slot("garrison", ("garrison",), many=True),
            Slot("me", ("me",), weight=0.6),
            Slot("cells", ("cell",), many=True),
            PLACES,
            BATTLE,
            Slot("verb", ("build", "stay"), weight=0.3),
            Slot("steps", ("first", "then", "ahead", "behind", "last_place"), many=True, weight=0.4),
        ),
        bare=(frozenset({"battle", "steps", "units"}), frozenset({"battle", "steps", "garrison"})),
        noise=frozenset({"only", "turn_order", "go", "hire"}),
        at_most={"units": 5, "garrison": 3, "cells": 4},
        score=_order_score,
        make=_order,
        inherits=False,
    ),
    Frame(
        "victory_choice",
        ("victory", "no_capture", "no_raze", "capture", "raze"),
        (
            BATTLE,
            Slot("wishes", ("no_capture", "no_raze", "capture", "raze", "to_me"), many=True, weight=1.2),
            BTYPE,
            PLACES,
            CELLS,
        ),
        bare=(),
        noise=frozenset(
            {
                "take",
                "attack",
                "me",
                "no_word",
                "yes_word",
                "building_word",
                "agree",
                "refuse",
                "downgrade",
                "land_word",
                "let",
                "stay",
                "level_word",
                "hire",
                "absent",
                "drop",
                "to_limit",
                "first",
                "~person",
            }
        ),
        at_most={"wishes": 4, "btype": 2},
        score=_victory_score,
        make=_victory,
        inherits=False,
        weight=0.2,
    ),
)
