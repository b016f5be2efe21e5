"""Merges the commands of one issuer's posts into one sheet, the same way in every game.

Of two posts' commands in one slot the later counts; a command may take back earlier posts' commands; all others add up.
A repeat within one post is the reader's business (it asks) and the resolver's (the first stands)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rules.base import Command, FactionId, Sheet


@dataclass(frozen=True, slots=True)
class PostOrders:
    """The counted commands of one post."""

    commands: tuple[Command, ...]
    restart: bool = False
    """The post voids everything its author sent before in this step."""


def merge(issuer: FactionId, posts: Sequence[PostOrders], arrived: int = 0) -> Sheet:
    """One sheet of the posts in order of arrival. A replaced command leaves its place; the new one stands where its post puts
    it."""
    kept: list[Command] = []
    for post in posts:
        together = (*kept, *post.commands)
        if post.restart:
            kept = []
        slots = {slot for command in post.commands if (slot := command.slot_in(together)) is not None}
        kept = [
            earlier
            for earlier in kept
            if earlier.slot_in(together) not in slots and not any(command.withdraws(earlier) for command in post.commands)
        ]
        kept.extend(post.commands)
    return Sheet(issuer, tuple(kept), arrived)
