"""Acts of the GM that the service does, not the rules: a command of a ruleset says which it stands for (`Command.act`).

Things are named as people name them: a step by its number, id or title, a roll by the words of its purpose («шторм»)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from parsers.types import Json


@dataclass(frozen=True, slots=True)
class Reroll:
    """The step of a roll is resolved anew with the next attempt number (docs/dice.md)."""

    event: str
    """Words of the roll's purpose, or a step; empty: the last roll."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Back to an earlier step, which takes orders again."""

    to_event: str
    """A step, or words of a roll in it."""


@dataclass(frozen=True, slots=True)
class SetDeadline:
    """Another end for the open step."""

    when: str
    """«воскресенье», «05.12 21:00», «+12» (hours), or an ISO moment."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A player's command is not carried out."""

    command: str
    """`faction:2` (the second of his commands), the number of the order's row, or words of it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A player's command gets other fields."""

    command: str
    """As for `Reject`."""
    fields: Mapping[str, Json]


Act: TypeAlias = Reroll | Undo | SetDeadline | Reject | Edit
