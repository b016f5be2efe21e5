"""Every order of the game as a typed command (§3): orders of the turn, of a battle's phases, and the GM's.

Identifiers stay plain strings here: whether a city, unit or building exists, and whether it is the issuer's, is judged by
the engine (with the specification's codes), never by the model, so one wrong name costs one order only.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Literal

from pydantic import Field

from rules.base import Command, CommandTypes

Count = int | Literal["all", "rest", "half"]
"""A number of units, or all that are there, the rest, or half of them (rounded down)."""
UnitCounts = dict[str, Count]
"""Unit type → how many."""
Road = tuple[str, str]
"""A road: its two cities in any order."""
Position = str
"""`LV LR CV CR RV RR`: left/centre/right × vanguard/rear."""
Positions = dict[Position, UnitCounts | Literal["all", "rest"]]
"""Place → units; `all` or `rest`: everything not placed elsewhere."""
Capture = Literal["colonize", "plunder", "destroy"]
Phase = Literal["orders", "deployment", "planning", "capture"]

MOBILE_CITY = "mobile_city"
"""Target of an attack on the ogres' mobile city."""


# ------------------------------------------------------------------------------------------------ cities and money


class Build(Command):
    """Puts up a building (R80)."""

    title: ClassVar[str] = "постройка"
    type: Literal["build"] = "build"
    city: str
    building: str


class SellBuilding(Command):
    """Sells a building for half of its price (R80)."""

    title: ClassVar[str] = "продажа постройки"
    type: Literal["sell_building"] = "sell_building"
    city: str
    building: str


class UpgradeCity(Command):
    """Raises a city by one or more levels, all or nothing (R79)."""

    title: ClassVar[str] = "улучшение города"
    type: Literal["upgrade_city"] = "upgrade_city"
    city: str
    levels: int = 1


class RestoreRuins(Command):
    """Restores own ruins to a city of level 1 (R98)."""

    title: ClassVar[str] = "восстановление руин"
    type: Literal["restore_ruins"] = "restore_ruins"
    city: str


class Hire(Command):
    """Hires own units into the reserve (R82)."""

    title: ClassVar[str] = "найм"
    type: Literal["hire"] = "hire"
    unit: str
    count: int


class HireMercenary(Command):
    """Hires ogres for double price (R151)."""

    title: ClassVar[str] = "наёмники"
    type: Literal["hire_mercenary"] = "hire_mercenary"
    unit: str
    count: int


class Disband(Command):
    """Sends own units home without a refund (R84)."""

    title: ClassVar[str] = "роспуск"
    type: Literal["disband"] = "disband"
    unit: str
    count: int | Literal["all", "half"]


class CleanseCorruption(Command):
    """Sets a detected corruption to 0 (R107). `pay`: `gold`, or the faction's own resource."""

    title: ClassVar[str] = "очищение от порчи"
    one_per = ("city",)
    type: Literal["cleanse_corruption"] = "cleanse_corruption"
    city: str
    pay: str = "gold"


# ------------------------------------------------------------------------------------------------ armies


class FormArmy(Command):
    """Fills an army from all units of the faction (R87). Units that nobody names join army 1."""

    title: ClassVar[str] = "состав армии"
    one_per = ("army",)
    type: Literal["form_army"] = "form_army"
    army: int
    units: UnitCounts | Literal["all", "rest"]
    name: str | None = None


class ArmyOrder(Command):
    """Disperse, defend an own city, or attack (R88)."""

    title: ClassVar[str] = "приказ армии"
    one_per = ("army",)
    type: Literal["army_order"] = "army_order"
    army: int = 1
    order: Literal["disperse", "defend", "attack"]
    city: str | None = None
    """Own city to defend; city, ruins or `mobile_city` to attack."""
    on_capture: Capture | None = None
    """The victor's choice, made in advance (R94)."""
    keep_ruins: bool = True
    """False: destroyed, the city stays its old owner's ruins (R97)."""


class SetGarrisonDeployment(Command):
    """Presets how a city's garrison stands (R20). Empty positions: back to the default."""

    title: ClassVar[str] = "расстановка гарнизона"
    one_per = ("city",)
    type: Literal["set_garrison_deployment"] = "set_garrison_deployment"
    city: str
    """A city, or `all`."""
    positions: Positions


# ------------------------------------------------------------------------------------------------ diplomacy


class ProposeAlliance(Command):
    """Proposes an alliance (R157)."""

    title: ClassVar[str] = "предложение союза"
    slot_name = "alliance"
    one_per = ("faction",)
    type: Literal["propose_alliance"] = "propose_alliance"
    faction: str


class AcceptAlliance(Command):
    """Accepts an alliance; without a proposal it is one (R157)."""

    title: ClassVar[str] = "согласие на союз"
    slot_name = "alliance"
    one_per = ("faction",)
    type: Literal["accept_alliance"] = "accept_alliance"
    faction: str


class BreakAlliance(Command):
    """Leaves an alliance at the end of the turn (R157)."""

    title: ClassVar[str] = "расторжение союза"
    one_per = ("faction",)
    type: Literal["break_alliance"] = "break_alliance"
    faction: str


class BetrayAlly(Command):
    """The cult's betrayal: ends the alliance at once and takes cities (R131)."""

    title: ClassVar[str] = "предательство союзника"
    one_per = ("faction",)
    type: Literal["betray_ally"] = "betray_ally"
    faction: str
    cities: list[str] | None = None
    """Wanted cities, in order; what is left of the right is filled in map order."""


class ChooseDemons(Command):
    """Which demons an ally of the cult takes at production (R130); kept until changed."""

    title: ClassVar[str] = "дар культа"
    one_per = ()
    type: Literal["choose_demons"] = "choose_demons"
    demons: str


# ------------------------------------------------------------------------------------------------ faction powers


class CastSpell(Command):
    """A spell of the elves (R115-R120)."""

    title: ClassVar[str] = "заклинание"
    type: Literal["cast_spell"] = "cast_spell"
    spell: str
    city: str | None = None
    army: int | None = None
    faction: str | None = None


class Ritual(Command):
    """A ritual of the cult (R133-R141)."""

    title: ClassVar[str] = "ритуал"
    type: Literal["ritual"] = "ritual"
    ritual: str
    city: str | None = None
    army: int | None = None
    units: UnitCounts | None = None
    """Teleport: a part of the army (R135)."""
    demons: str | None = None
    """Summon, feed: the kind wanted (R137)."""


class MoveMobileCity(Command):
    """Moves the ogres' city by one or two roads (R144). An empty path: it stays."""

    title: ClassVar[str] = "путь передвижного города"
    one_per = ()
    type: Literal["move_mobile_city"] = "move_mobile_city"
    path: list[Road]


class GarrisonMobile(Command):
    """Moves units into or out of the mobile city's garrison (R145)."""

    title: ClassVar[str] = "гарнизон передвижного города"
    type: Literal["garrison_mobile"] = "garrison_mobile"
    units: UnitCounts | Literal["all"]
    direction: Literal["in", "out"] = "in"


class MoveCamp(Command):
    """Places or moves the camp of a cult without cities (R128)."""

    title: ClassVar[str] = "лагерь"
    one_per = ()
    type: Literal["move_camp"] = "move_camp"
    road: Road


class AllocatePowder(Command):
    """Who gets powder first (`order`), or exactly how many of each (`units`), in all battles or in one (R109)."""

    title: ClassVar[str] = "раздача пороха"
    one_per = ("battle",)
    type: Literal["allocate_powder"] = "allocate_powder"
    order: list[str] | None = None
    units: UnitCounts | None = None
    battle: str | None = None


class Pass(Command):
    """An explicit «nothing»."""

    title: ClassVar[str] = "без действий"
    one_per = ()
    type: Literal["pass"] = "pass"


# ------------------------------------------------------------------------------------------------ a battle's phases


class Deploy(Command):
    """The deployment of a battle (R15, R18)."""

    title: ClassVar[str] = "расстановка"
    one_per = ("battle",)
    type: Literal["deploy"] = "deploy"
    battle: str | None = None
    """The city fought for; None: the only battle."""
    positions: Positions


class SkipPlanning(Command):
    """The attacker skips planning against a garrison alone (R42)."""

    title: ClassVar[str] = "без планирования"
    one_per = ("battle",)
    type: Literal["skip_planning"] = "skip_planning"
    battle: str | None = None


class Maneuver(Command):
    """One squad's manoeuvre (R25-R38)."""

    title: ClassVar[str] = "манёвр"
    one_per = ("battle", "position")
    type: Literal["maneuver"] = "maneuver"
    battle: str | None = None
    position: Position
    """The squad, as revealed."""
    maneuver: str | None = None
    """`move`, `forced_march`, `defend`, `cover`, `charge`, `bombard`, `long_bombard`; None: a free move only."""
    target: Position | None = None
    """Own rear (`defend`) or enemy squad (`charge`, `bombard`, `long_bombard`)."""
    path: list[Position] | None = None
    """Cells of `move` (one) and `forced_march` (two)."""
    free_move: Position | None = None
    """The extra move of R31: its cell."""


class CaptureChoice(Command):
    """What the victor does with a city (R94), in advance or when asked."""

    title: ClassVar[str] = "судьба города"
    type: Literal["capture_choice"] = "capture_choice"
    battle: str | None = None
    city: str | None = None
    choice: Capture
    keep_ruins: bool = True

    def slot(self) -> Hashable | None:
        return (self.type, self.city or self.battle)


# ------------------------------------------------------------------------------------------------ the GM's


class GmCommand(Command):
    """Base of the GM's commands. `public`: told to everybody, else the GM's own log only (§3.3)."""

    by_gm: ClassVar[bool] = True
    public: bool = False


class GmClosePhase(GmCommand):
    """Closes this phase now, or, named ahead, lets this turn skip it with its defaults."""

    title: ClassVar[str] = "закрыть фазу"
    type: Literal["gm_close_phase"] = "gm_close_phase"
    phase: Phase


class GmSetDeadline(GmCommand):
    """Other hours for a phase of this turn; calendar time is the service's."""

    title: ClassVar[str] = "срок фазы"
    type: Literal["gm_set_deadline"] = "gm_set_deadline"
    phase: Phase
    hours: int = Field(ge=1, le=24 * 60)


class GmSetResource(GmCommand):
    """Sets a treasury."""

    title: ClassVar[str] = "казна фракции"
    type: Literal["gm_set_resource"] = "gm_set_resource"
    faction: str
    gold: int | None = None
    res: float | None = None
    max_hunger: int | None = None


class GmGiveUnits(GmCommand):
    """Gives units, or takes them (negative)."""

    title: ClassVar[str] = "выдать юнитов"
    type: Literal["gm_give_units"] = "gm_give_units"
    faction: str
    unit: str
    count: int


class GmSetCity(GmCommand):
    """Changes a city."""

    title: ClassVar[str] = "изменить город"
    type: Literal["gm_set_city"] = "gm_set_city"
    city: str
    owner: str | None = None
    """`none` for nobody."""
    level: int | None = None
    ruin: bool | None = None
    buildings: list[str] | None = None
    corruption: int | None = None


class GmPlaceMobileCity(GmCommand):
    """Puts the mobile city on a road."""

    title: ClassVar[str] = "поставить передвижной город"
    type: Literal["gm_place_mobile_city"] = "gm_place_mobile_city"
    road: Road


class GmSetSetting(GmCommand):
    """Changes a setting of the rules."""

    title: ClassVar[str] = "настройка правил"
    type: Literal["gm_set_setting"] = "gm_set_setting"
    key: str
    value: bool | int | float | str | list[str] | dict[str, int | str]


class GmReroll(GmCommand):
    """Another dice stream for a battle that is not fought yet; a fought one is re-run from the desk as a new attempt."""

    title: ClassVar[str] = "переброс боя"
    type: Literal["gm_reroll"] = "gm_reroll"
    battle: str


class GmSetStatus(GmCommand):
    """Takes a faction out of the game or back into it."""

    title: ClassVar[str] = "состояние фракции"
    type: Literal["gm_set_status"] = "gm_set_status"
    faction: str
    status: Literal["playing", "eliminated", "won"]


class GmAnnounce(GmCommand):
    """A text for the report."""

    title: ClassVar[str] = "объявление"
    type: Literal["gm_announce"] = "gm_announce"
    text: str
    public: bool = True


BATTLE_COMMANDS: tuple[type[Command], ...] = (Deploy, SkipPlanning, Maneuver, CaptureChoice, AllocatePowder)

COMMANDS = CommandTypes(
    (
        Build, SellBuilding, UpgradeCity, RestoreRuins, Hire, HireMercenary, Disband, CleanseCorruption,
        FormArmy, ArmyOrder, SetGarrisonDeployment,
        ProposeAlliance, AcceptAlliance, BreakAlliance, BetrayAlly, ChooseDemons,
        CastSpell, Ritual, MoveMobileCity, GarrisonMobile, MoveCamp, AllocatePowder, Pass,
        Deploy, SkipPlanning, Maneuver, CaptureChoice,
        GmClosePhase, GmSetDeadline, GmSetResource, GmGiveUnits, GmSetCity, GmPlaceMobileCity, GmSetSetting, GmReroll,
        GmSetStatus, GmAnnounce,
    )
)  # fmt: skip
"""All command types. Editing, rejecting, approving and undoing orders belong to the service and are no commands of the game."""
