"""What an audience may know of a state (chapter 4, «Visibility»): a state with everything else taken out, and names to look up.

Private are treasuries, cards, defaults, standing orders, disband priorities, offers and notes for the next window.
"""

from __future__ import annotations

from dataclasses import dataclass

from rules.base import EVERYONE, GM_ONLY, Audience
from rules.grand_strategy.state import Building, Player, State, Unit


@dataclass(frozen=True)
class View:
    """A state as one audience may know it."""

    state: State
    """Redacted: others' treasuries are 0, their secret provisions empty. Never to be changed."""
    reader: Audience

    @property
    def faction(self) -> str | None:
        """The reading faction; None for the public and the GM."""
        if self.reader.factions and len(self.reader.factions) == 1:
            return next(iter(self.reader.factions))
        return None

    @property
    def gm(self) -> bool:
        """True for the GM, who sees all."""
        return self.reader == GM_ONLY

    @property
    def players(self) -> tuple[Player, ...]:
        """All players in roster order, those out of the game too."""
        return tuple(self.state.players.values())

    @property
    def units(self) -> tuple[Unit, ...]:
        """All troops on the map."""
        return tuple(self.state.units.values())

    @property
    def buildings(self) -> tuple[Building, ...]:
        """All buildings and mines."""
        return tuple(self.state.buildings.values())

    @property
    def active(self) -> str | None:
        """Whose turn is open."""
        return self.state.active if self.state.phase in ("turn", "cards") else None

    def knows_money(self, player: str) -> bool:
        """True when this reader may know that player's treasury."""
        return self.gm or player == self.faction or self.state.settings.public_treasury


def make_view(state: State, reader: Audience) -> View:
    """The view of an audience. Two states that differ only in what it may not know give equal views."""
    if reader == GM_ONLY:
        return View(state, reader)
    seen = state.copy()
    who = set(reader.factions or ()) if reader != EVERYONE else set()
    for player in seen.players.values():
        if player.id in who:
            continue
        _hide(player, state.settings.public_treasury)
        # What was offered or agreed to the reader concerns him and is no secret from him.
        own = state.players[player.id]
        player.offers = [p for p in own.offers if p in who]
        player.consents = {key: value for key, value in own.consents.items() if key.split("|")[1] in who}
    seen.batch = {p: orders for p, orders in state.batch.items() if p in who} if state.batch is not None else None
    for attack in seen.attacks:
        if attack.owner not in who:
            attack.cards, attack.capture, attack.preserve, attack.ally = None, True, True, []
    for battle in seen.battles:
        owners = {a: _owner(state, a) for a in battle.attackers}
        battle.cards = {a: cards for a, cards in battle.cards.items() if owners.get(a) in who}
        battle.capture = {a: value if owners.get(a) in who else True for a, value in battle.capture.items()}
        battle.preserve = {a: value if owners.get(a) in who else True for a, value in battle.preserve.items()}
        battle.ally = {a: allies if owners.get(a) in who else [] for a, allies in battle.ally.items()}
    for right in seen.smuta:
        right.asked = False
    return View(seen, reader)


def _hide(player: Player, public_treasury: bool) -> None:
    blank = Player(player.id, player.name)
    if not public_treasury:
        player.money = 0
    player.default_cards = blank.default_cards
    player.standing, player.standing_count = [], 0
    player.disband_priority = []
    player.joint_defense, player.join = {}, {}
    player.answers = {}
    player.waiting = []
    player.cards, player.regroup, player.line, player.victory = {}, {}, {}, {}
    player.spawn = dict(player.spawn)


def _owner(state: State, participant: str) -> str | None:
    kind, _, name = participant.partition(":")
    if kind == "unit":
        unit = state.units.get(name)
        return unit.owner if unit else None
    building = state.buildings.get(name)
    return building.owner if building else None
