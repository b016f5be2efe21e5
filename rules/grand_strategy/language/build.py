"""The order language of one view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from parsers.context import Context
from parsers.frames import Fill
from parsers.language import Language, build_lexicon
from parsers.lexicon import Entry, Lexicon
from parsers.russian import normal
from rules.grand_strategy.language import (
    alliances,
    attacks,
    battles,
    cards,
    entering,
    gm,
    houses,
    levels,
    magic,
    money,
    moves,
    names,
    permits,
    rest,
    service,
    works,
)
from rules.grand_strategy.language.clauses import Clauses
from rules.grand_strategy.language.joins import Joins
from rules.grand_strategy.language.last_look import Outputs, finish, take_back
from rules.grand_strategy.language.sentences import within_a_sentence
from rules.grand_strategy.language.slots import COMMON
from rules.grand_strategy.language.stories import allows
from rules.grand_strategy.view import View


def _same_matter(command: Mapping[str, Any]) -> tuple[str, ...]:
    """What a correction replaces: the earlier order of the same kind to the same troop, house or player."""
    kind = str(command.get("type"))
    if kind.removeprefix("allow").removeprefix("deny") in ("_entry", "_spawn"):
        return tuple(str(command.get(f)) for f in ("building", "cell", "province", "player"))
    first = next((f for f in ("unit", "mage", "building", "object", "to", "player", "ruler") if f in command), "")
    return kind, str(command.get(first))


PARTS = (moves, works, houses, levels, money, permits, service, entering, attacks, alliances, cards, battles, magic, rest)
FRAMES = tuple(
    within_a_sentence(replace(frame, noise=frame.noise | (COMMON - set(frame.triggers)), key=frame.key or _same_matter))
    for part in PARTS
    for frame in part.FRAMES
)
_GUESSED: Mapping[str, tuple[frozenset[str], ...]] = {
    "hire": (frozenset({"units", "places"}),),
    "move": (frozenset({"units", "cells"}),),
    "build": (frozenset({"btype", "cells"}), frozenset({"level", "cells"})),
    "send_money": (frozenset({"amount", "players"}),),
    "upgrade": (frozenset({"places", "level"}),),
}
"""The slots that, filled together, are hardly ever named but in this order."""


def _to_somebody(fill: Fill) -> float | None:
    """Coins for a player; a bare number only where he stands in the dative («три вещи» is no money)."""
    coins = any(f.sense.kind == "coins" for f in fill.slots.get("amount", ()))
    return 0.0 if coins or any("datv" in f.atom.cases for f in fill.slots.get("players", ())) else None


GUESSES = tuple(
    replace(f, bare=_GUESSED[f.id], score=_to_somebody if f.id == "send_money" else None, triggers=())
    for f in FRAMES
    if f.id in _GUESSED
)
DEEDS = frozenset({k for frame in FRAMES for k in frame.triggers if not k.startswith("~")} - COMMON)
"""Kinds of words that call for an order."""
_CONDITION_WORDS = ("on_arrive", "on_near", "on_attack", "on_start", "on_end", "on_money", "went_well", "went_ill")
NAMES = frozenset(
    {
        *(
            "unit",
            "utype",
            "personal",
            "player",
            "house",
            "province",
            "cell",
            "btype",
            "level",
            "school",
            "spell",
            "card",
            "cards",
        ),
        *("garrison", "guard", "direction", "way", "badcell", "nocell", "battle", "standing_no", "me", "end_turn", "victory"),
        *("turn_order", "hire_told", "confirm", "agree", "service", "shortage", "default", "badcard"),
        *_CONDITION_WORDS,
    }
)
STRONG = frozenset({"absent", "cell", "coins", "cards", "badcell", "nocell"})
THINGS = frozenset({"unit", "utype", "personal", "house", "cell", "btype", "card", "coins", "garrison"})
"""What an order that the game doesn't have is about."""
_cache: dict[Any, Lexicon] = {}


def order_language(view: View, kind: str | None) -> Language:
    """The language of the view's reader. Every order is understood in every step; it only tells cards for a battle from
    cards by default."""
    table = names.tables()
    lexicon = _lexicon(view)
    if view.faction is None:
        return Language(
            lexicon,
            gm.FRAMES,
            units={unit: frozenset(words) for unit, words in table["units"].items()},
            composites=(Joins(view, kind),),
            strong=STRONG,
            names=NAMES,
            abbreviations=frozenset(table["abbreviations"]["words"]),
            real_words=frozenset({"б"}),
            finish=_gms,
            view=view,
            ambiguous_code="ambiguous",
            unknown_needs=THINGS,
        )
    clauses = Clauses(lexicon, _own(view))
    return Language(
        lexicon,
        FRAMES,
        guesses=GUESSES,
        units={unit: frozenset(words) for unit, words in table["units"].items()},
        composites=(Joins(view, kind),),
        strong=STRONG,
        names=NAMES,
        abbreviations=frozenset(table["abbreviations"]["words"]),
        opens=frozenset({"battle", "battle_word"}),
        persons=frozenset({"player"}),
        me=view.faction,
        harmless=frozenset(table["harmless"]["words"]),
        keeps=clauses.keeps,
        real_words=frozenset({"б"}),
        clauses=clauses.find,
        read_clause=clauses.read,
        finish=partial(finish, DEEDS, THINGS, kind),
        take_back=take_back,
        allows=allows,
        view=view,
        ambiguous_code="ambiguous",
        unknown_needs=THINGS,
    )


def _gms(context: Context, outputs: Outputs) -> Outputs:
    gm.behind_is_read(context, outputs)
    return outputs


def _own(view: View) -> frozenset[str]:
    """The reader's own name, troops with the words of their names, kinds of troops and cells of his buildings."""
    units = [u for u in view.state.units.values() if u.owner == view.faction]
    cells = [b.cell for b in view.state.buildings.values() if b.owner == view.faction]
    words = [word for u in units for word in normal(u.name).split()]
    return frozenset({str(view.faction), *(u.id for u in units), *(u.type for u in units), *words, *cells, "personal"})


def _lexicon(view: View) -> Lexicon:
    """Lexicons are kept by what they name: a view of the same game has the same names."""
    state = view.state
    key = (
        view.faction is None,
        tuple((p.id, p.name, p.state, tuple(p.aliases)) for p in state.players.values()),
        tuple((u.id, u.name) for u in state.units.values() if u.name),
        tuple((b.cell, b.name) for b in state.buildings.values() if b.name),
        tuple((p.number, p.name) for p in state.board.data.provinces),
        tuple((t.id, t.name_ru) for t in state.unit_types.values()),
    )
    if key not in _cache:
        if len(_cache) > 16:
            _cache.clear()
        restart = Entry("restart", "restart", tuple(names.tables()["restart"]["phrases"]), weight=1.2)
        _cache[key] = build_lexicon([*names.entries(view, gm.KINDS if view.faction is None else None), restart])
    return _cache[key]
