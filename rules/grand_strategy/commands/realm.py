"""What troops and buildings do in their own turn."""

from __future__ import annotations

from typing import Literal

from rules.grand_strategy.commands.order import Card, MineLevel, Order, School


class Move(Order):
    """Moves cell by cell; one far cell means the shortest way (R41)."""

    type: Literal["move"] = "move"
    title = "передвижение"
    unit: str
    path: tuple[str, ...]
    """Without the cell it starts from."""
    assault: bool = False


class Embark(Order):
    """Sets a troop afloat on a river or in a port (R52)."""

    type: Literal["embark"] = "embark"
    title = "посадка на воду"
    unit: str


class Disembark(Order):
    """Brings a troop ashore (R52)."""

    type: Literal["disembark"] = "disembark"
    title = "высадка"
    unit: str


class Siege(Order):
    """Besieges a дом лорда (R63)."""

    type: Literal["siege"] = "siege"
    title = "осада"
    unit: str
    building: str


class LiftSiege(Order):
    """Ends a siege (R64)."""

    type: Literal["lift_siege"] = "lift_siege"
    title = "снятие осады"
    unit: str
    building: str | None = None


class Build(Order):
    """Builds on the troop's own cell (R65)."""

    type: Literal["build"] = "build"
    title = "строительство"
    unit: str
    what: Literal["outpost", "tower", "fortress", "mine", "manor", "castle", "city"]
    level: MineLevel | None = None


class ForgeMithril(Order):
    """Mithril armour or amulet for the личное войско (R71)."""

    type: Literal["forge_mithril"] = "forge_mithril"
    title = "обмифриливание"
    unit: str


class Annex(Order):
    """The личное войско takes a neighbouring troop into service (R70)."""

    type: Literal["annex"] = "annex"
    title = "присоединение войска"
    unit: str
    target: str
    consent: bool | None = None
    """The asking player's word that the owner agrees; shown to the GM only (R187)."""


class Disband(Order):
    """Disbands a troop (R69)."""

    type: Literal["disband"] = "disband"
    title = "роспуск"
    unit: str


class Cast(Order):
    """A mage's spell (R73)."""

    type: Literal["cast"] = "cast"
    title = "колдовство"
    mage: str
    spell: str
    target: str | None = None
    cell: str | None = None
    player: str | None = None
    targets: tuple[str, ...] | None = None
    actions: tuple[Card, ...] | None = None
    overflow: str | None = None


class Upgrade(Order):
    """One level more for a дом лорда (R81)."""

    type: Literal["upgrade"] = "upgrade"
    title = "повышение уровня"
    building: str


class Deepen(Order):
    """Deepens a mine (R82)."""

    type: Literal["deepen"] = "deepen"
    title = "углубление рудника"
    building: str
    level: MineLevel


class Downgrade(Order):
    """One level less (R83)."""

    type: Literal["downgrade"] = "downgrade"
    title = "понижение на уровень"
    building: str


class Hire(Order):
    """Hires a troop in a дом лорда (R84)."""

    type: Literal["hire"] = "hire"
    title = "наём"
    building: str
    unit_type: str
    school: School | None = None
    afloat: bool = False
    personal_for: str | None = None
