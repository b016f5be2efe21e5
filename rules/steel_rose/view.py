"""What an audience may know: the state with everything else blanked out (R24, R100, R101, §4.6).

A view is a state with the same shape and names; two states that differ only in what a reader may not know give equal views.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rules.base import GM_ONLY, Audience, FactionId
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.state import Battle, City, FactionState, Side, Snapshot, State, copy_of


@dataclass(frozen=True)
class View:
    """The state as one audience knows it."""

    reader: Audience
    state: State
    """Read like a whole state: what the reader may not know stands at its neutral value (0, empty, None)."""

    @property
    def faction(self) -> FactionId | None:
        """The faction that reads; None: the public or the GM."""
        readers = self.reader.factions
        return next(iter(readers)) if readers is not None and len(readers) == 1 else None

    @property
    def all_seeing(self) -> bool:
        """True for the GM."""
        return self.reader == GM_ONLY

    @property
    def own(self) -> FactionState | None:
        """The reader's own faction."""
        return self.state.factions.get(self.faction) if self.faction is not None else None

    @property
    def battles(self) -> tuple[Battle, ...]:
        """The reader's battles that are under way."""
        return tuple(self.state.battles)


def view(state: State, audience: Audience) -> View:
    """What an audience may know."""
    if audience == GM_ONLY:
        return View(audience, copy_of(state))
    readers = sorted(audience.factions or ())
    reader = readers[0] if len(readers) == 1 else None
    return View(audience, _redacted(copy_of(_own(state, reader)), reader))


def _own(state: State, reader: FactionId | None) -> State:
    """The state without what the reader may not know of factions, cities and plans: that needs no copying."""
    levels_public = state.rules.city_levels_public
    return state.model_copy(
        update={
            "factions": {f: owner if f == reader else _stranger(owner) for f, owner in state.factions.items()},
            "cities": {c: _city(city, reader, levels_public) for c, city in state.cities.items()},
            "battles": [b for b in state.battles if reader is not None and b.side(reader) is not None],
            "marches": [m for m in state.marches if m.public or (reader is not None and reader in (m.attacker, m.defender))],
            "waves": [],
            "news": [],
            "rerolls": {},
            "skip_phases": [],
            "hours": {},
        }
    )


def _redacted(state: State, reader: FactionId | None) -> State:
    state.battles = [_battle(b, reader) for b in state.battles]
    if not state.battles and state.phase not in ("orders", "over"):
        # Who has no part in the battles learns only that the turn is being resolved.
        state.phase, state.wave = "deployment", 0
    for march in state.marches:
        march.until, march.public = "wave", True
    state.ending_alliances = [p for p in state.ending_alliances if p[0] == reader]
    if reader != CULT:
        state.camp = None
    if reader != OGRES and state.mobile_city is not None:
        state.mobile_city.garrison = {}
    return state


_UNKNOWN = FactionState(name_ru="", snapshot=Snapshot(gold=0, res=Fraction(0), units={}))


def _stranger(owner: FactionState) -> FactionState:
    """Of another faction: its name, status and raids (R100)."""
    return _UNKNOWN.model_copy(update={"name_ru": owner.name_ru, "status": owner.status, "raids": owner.raids})


_UNSEEN: dict[str, Any] = {"buildings": [], "garrison": {}, "garrison_for": "", "preset": None, "known_corruption": None}
_UNSEEN |= {"no_income": False, "defended": False, "floating": False}


def _city(city: City, reader: FactionId | None, levels_public: bool) -> City:
    """Owner, type, level and ruin state are public (R100); buildings, garrison, marks are the owner's, corruption the cult's."""
    if reader is not None and city.owner == reader:
        return city.model_copy(update={"corruption": city.known_corruption or 0})
    known = dict(_UNSEEN)
    if reader != CULT:
        known["corruption"] = 0
    if not levels_public:
        known["level"] = 1
    return city.model_copy(update=known)


def _battle(battle: Battle, reader: FactionId | None) -> Battle:
    """Before the reveal a side knows its own deployment only; after it both boards (R24)."""
    for side in (battle.attacker, battle.defender):
        if side.faction != reader:
            _enemy(side)
    if battle.attack.attacker != reader:
        battle.attack.armies = []
    battle.powder = {f: n for f, n in battle.powder.items() if f == reader}
    battle.rerolls = 0
    return battle


def _enemy(side: Side) -> None:
    side.groups, side.places, side.orders = [], None, []
    for cell in side.board:
        for group in cell["groups"]:
            group["favored"] = False
            group["origin"] = group["origin"] if group["origin"] == "garrison" else "army"


def army_defends(battle: Battle) -> bool:
    """On the revealed board an army stands with the garrison, or for it (R42)."""
    return any(g["origin"] != "garrison" for cell in battle.defender.board for g in cell["groups"])
