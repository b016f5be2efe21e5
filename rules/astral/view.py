"""What an audience may know of a state: the same types with the secrets taken out, and the public figures (R104–R112)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from rules.astral import effects
from rules.astral.catalog import Catalog
from rules.astral.state import Owner, Pending, Shard, ShardId, State
from rules.base import GM_ONLY, Audience, FactionId, RulesError


@dataclass(frozen=True, slots=True)
class PublicWorld:
    """What everybody may know of a world (R104)."""

    size: int
    income: int
    effective: Fraction
    """Effective defence (R51)."""
    untargetable: bool
    """Can't be attacked now, as far as that is public."""


@dataclass(frozen=True, slots=True)
class View:
    """A state as one reader may know it."""

    reader: FactionId | None
    """The owner; None for the public and the GM."""
    gm: bool
    """The GM's view: nothing is taken out."""
    game: State
    """A redacted copy: of other owners no levels, tactics, hidden items, charges or knowledge; no hidden tactics and trophies."""
    worlds: dict[FactionId, PublicWorld]

    @property
    def catalog(self) -> Catalog:
        """Names, aliases, prices and effects of everything in the game's data."""
        return self.game.catalog

    @property
    def turn(self) -> int:
        """The present turn."""
        return self.game.turn

    @property
    def me(self) -> Owner | None:
        """The reader's own world, complete."""
        return self.game.owners[self.reader] if self.reader is not None else None

    @property
    def neutral(self) -> dict[ShardId, Shard]:
        """The neutral shards, by number."""
        return {ident: shard for ident, shard in self.game.shards.items() if shard.status == "neutral"}

    def outer(self, owner: FactionId) -> ShardId | None:
        """The outer shard of a world (R41)."""
        shards = self.game.owners[owner].shards
        return shards[-1] if shards else None

    def items(self, owner: FactionId) -> list[str]:
        """The items of an owner that the reader may know of."""
        return list(self.game.owners[owner].items)

    def knows_item(self, item: str) -> bool:
        """True when the reader may read the item's description (R108)."""
        if self.gm:
            return True
        if self.reader is None:
            return False
        return item in self.game.owners[self.reader].items or self.game.knows(self.reader, item, "description")

    def knows_subject(self, subject: str) -> bool:
        """True when the reader could tell others about this item or shard (E_INFO_UNKNOWN otherwise)."""
        if self.knows_item(subject):
            return True
        if subject not in self.game.shards or self.reader is None:
            return False
        known = self.game.known.get(self.reader, [])
        place = self.game.shards[subject]
        return any(entry == subject or entry.startswith(f"{subject}.") for entry in known) or place.trophies_taken


def view(state: State, audience: Audience) -> View:
    """The state as this audience may know it: `EVERYONE`, `only(owner)` or `GM_ONLY`. Raises `RulesError`."""
    worlds = {
        ident: PublicWorld(
            state.size(ident),
            effects.income(state, ident),
            effects.effective_defence(state, ident),
            effects.openly_untargetable(state, ident),
        )
        for ident in state.roster
    }
    if audience == GM_ONLY:
        return View(None, True, state, worlds)
    reader: FactionId | None = None
    if audience.factions is not None:
        if len(audience.factions) != 1:
            raise RulesError("Вид бывает для всех, для одного владыки или для мастера.")
        (reader,) = audience.factions
        if reader not in state.owners:
            raise RulesError(f"Владыки {reader!r} в этой игре нет.")
    return View(reader, False, _redacted(state, reader), worlds)


def _redacted(state: State, reader: FactionId | None) -> State:
    copy = state.model_copy(deep=True)
    hidden = {ident for ident, item in state.catalog.items.items() if item.hidden}
    for ident, owner in copy.owners.items():
        if ident == reader:
            continue
        owner.items = {item: type(held)() for item, held in sorted(owner.items.items()) if item not in hidden}
        owner.levels, owner.unlocked, owner.tactics, owner.effects, owner.intel = {}, [], {}, [], []
    copy.known = {reader: copy.known.get(reader, [])} if reader is not None else {}
    for ident, shard in copy.shards.items():
        knows_trophies = reader is not None and state.knows(reader, ident, "trophies")
        if not (shard.tactic_known or (reader is not None and state.knows(reader, ident, "tactic"))):
            shard.tactic = None
        if shard.trophies_taken:
            shard.trophies = [item for item in shard.trophies if item not in hidden or knows_trophies]
        elif not knows_trophies:
            shard.trophies = []
        if shard.owner != reader:
            shard.ready = {}
    # The order of the deck says nothing (a die decides), but what is left in it is not public either.
    copy.runes.deck = []
    copy.pending = Pending()
    return copy
