"""Shards and owners that a command names."""

from __future__ import annotations

from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.state import Shard, ShardId
from rules.base import FactionId


def existing_shard(hearing: Hearing, ident: ShardId, at: str = "shard") -> Shard:
    """A shard of this game that is not destroyed."""
    place = hearing.game.shards.get(ident)
    if place is None:
        number = ident[1:] if ident[:1] == "n" and ident[1:].isdigit() else f"«{ident}»"
        refuse("E_UNKNOWN_TARGET", at=at, name=number)
    if place.status == "destroyed":
        refuse("E_UNKNOWN_TARGET", "destroyed", at, name=place.label)
    return place


def require_owner(hearing: Hearing, ident: FactionId, at: str, *, self_allowed: bool = False) -> None:
    """R30 and R72: a living owner out of Nothing, another than oneself."""
    if ident not in hearing.game.owners:
        refuse("E_UNKNOWN_TARGET", "owner", at, name=ident)
    if ident == hearing.me_id and not self_allowed:
        refuse("E_SELF", at=at)
    who = hearing.game.owners[ident]
    if who.status == "eliminated":
        refuse("E_TARGET_DEAD", at=at, owner=who.name)
    if who.status == "nothing":
        refuse("E_TARGET_NOTHING", at=at, owner=who.name)
