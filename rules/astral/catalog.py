"""The data of the game as typed tables: settings, units, items, specialists, features, runes and their effects (§2).

Read from `data/*.toml`; a scenario may add or replace entries. All numbers are exact (R22).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from rules.astral.numbers import Rational, rational
from rules.base import RulesError
from rules.complaints import complaint

Slot = Literal["troop", "magic", "hero"]
TABLES = ("units", "items", "specialists", "features", "runes")

CONTINUOUS = frozenset(
    {
        "component_multiplier",
        "component_bonus",
        "score_bonus",
        "penalty_change",
        "level_bonus",
        "income_bonus",
        "income_multiplier",
        "effective_defence_multiplier",
        "defence_rate_bonus",
        "move_cost_change",
        "attackers_move_cost",
        "failed_attack_refund",
        "untargetable",
        "care_price_change",
        "sacrifice_energy_change",
    }
)
"""Ops that hold while their bearer holds (or for `duration` turns); all others fire once."""


class Frozen(BaseModel):
    """Base of data entries."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Effect(Frozen):
    """One effect of an item, feature or rune (§2, effect vocabulary)."""

    op: Literal[
        "component_multiplier",
        "component_bonus",
        "score_bonus",
        "penalty_change",
        "level_bonus",
        "upgrade_unit",
        "unlock_unit",
        "income_bonus",
        "income_multiplier",
        "energy_change",
        "defence_change",
        "effective_defence_multiplier",
        "defence_rate_bonus",
        "height_change",
        "height_set",
        "move_cost_change",
        "attackers_move_cost",
        "failed_attack_refund",
        "lose_outer_shard",
        "extra_main_action",
        "untargetable",
        "reveal",
        "care_price_change",
        "sacrifice_energy_change",
        "grant_item",
        "steal_energy",
        "reorder_shard",
    ]
    value: Rational = Field(default=rational(0))
    unit: str | None = None
    slot: Slot | None = None
    stack: Literal["multiply", "add"] = "multiply"
    side: Literal["attack", "defence", "both"] = "both"
    vs: Literal["neutral", "owner", "any"] = "any"
    on: Literal["self", "enemy", "target"] = "self"
    hero: str | None = None
    """The bearer's own hero must be this one."""
    scope: Literal["world", "shard"] = "world"
    basis: Literal["all", "additional"] = "all"
    fate: Literal["destroyed", "neutral"] = "destroyed"
    what: tuple[Literal["tactic", "trophies", "features", "reserves", "tactics", "levels", "items"], ...] = ()
    item: str | None = None
    phase: int | None = Field(default=None, ge=0, le=6)
    """Runes only: in which phase a one-shot effect fires."""

    @property
    def continuous(self) -> bool:
        """True when it holds, False when it fires."""
        return self.op in CONTINUOUS

    @model_validator(mode="after")
    def _whole(self) -> Effect:
        if self.op in WHOLE and self.value.denominator != 1:
            raise ValueError(f"{self.op}: нужно целое число, а не {self.value}")
        return self


WHOLE = frozenset(
    {
        "energy_change",
        "height_change",
        "height_set",
        "move_cost_change",
        "attackers_move_cost",
        "care_price_change",
        "sacrifice_energy_change",
        "steal_energy",
        "upgrade_unit",
        "level_bonus",
    }
)


class Unit(Frozen):
    """A troop, a school of magic or a hero (R12–R14)."""

    slot: Slot
    name_ru: str
    gen_ru: str = ""
    """Genitive («Пехоты»)."""
    gender: Literal["m", "f", "pl"] = "f"
    aliases: tuple[str, ...] = ()
    countered_by: str = ""
    """The unit that deals me the penalty; empty: none."""
    start: bool = False
    """Everybody may use it from the first turn."""
    bonus_troop: Rational = Field(default=rational(0))
    bonus_magic: Rational = Field(default=rational(0))
    bonus_score: Rational = Field(default=rational(0))


class Usable(Frozen):
    """What items and features have in common."""

    name_ru: str
    aliases: tuple[str, ...] = ()
    activation: Literal["passive", "battle", "action", "on_gain"] = "passive"
    phase: int = Field(default=4, ge=0, le=6)
    price: int = Field(default=0, ge=0)
    cooldown: int = Field(default=0, ge=0)
    """Usable again `cooldown + 1` turns later."""
    duration: int = Field(default=1, ge=1)
    """Turns, this one included."""
    target: Literal["owner", "neutral", "own"] | None = None
    effects: tuple[Effect, ...] = ()
    description_ru: str = ""

    def has(self, op: str) -> bool:
        """True when one of the effects is this op."""
        return any(effect.op == op for effect in self.effects)


class Item(Usable):
    """A thing that an owner may hold (R88–R93)."""

    kind: Literal["artefact", "knowledge", "ritual", "bounty"]
    uses: int = Field(default=0, ge=0)
    """Charges; 0: unlimited."""
    hidden: bool = False
    """Name and description only to the holder (R109)."""
    transferable: bool = True


class Feature(Usable):
    """An особенность of a shard; works for its present owner (R98)."""


class Specialist(Frozen):
    """A teacher who stands on a shard (R94)."""

    name_ru: str
    gen_ru: str = ""
    aliases: tuple[str, ...] = ()
    units: tuple[str, ...]
    price_base: int = Field(ge=0)
    price_step: int = Field(ge=0)
    max_level: int = Field(ge=1)


class Rune(Frozen):
    """A rune: acts on all active owners (R80–R87)."""

    name_ru: str
    word_ru: str = ""
    """The rune's own word in the nominative («Дань»)."""
    aliases: tuple[str, ...] = ()
    duration: int = Field(default=1, ge=0)
    """Turns; 0: to the end of the game."""
    timing: Literal["next_turn", "immediate"] = "next_turn"
    effects: tuple[Effect, ...] = ()
    description_ru: str = ""

    @property
    def short(self) -> str:
        """The name without the word «Руна»."""
        return self.name_ru.removeprefix("Руна ")

    @model_validator(mode="after")
    def _phases(self) -> Rune:
        for effect in self.effects:
            if not effect.continuous and effect.phase is None:
                raise ValueError(f"{self.name_ru}: у разового эффекта {effect.op} не указана фаза (phase)")
        return self


class DefaultTactic(Frozen):
    """The tactic of an owner who never gave one (R55)."""

    troop: str
    magic: str
    hero: str
    troop_share: Rational


class Settings(Frozen):
    """The settings of §2; the scenario's `[settings]` replaces single values."""

    start_height: int
    height_min: int
    height_max: int
    unit_penalty: Rational
    upgrade_modifier: Rational
    upgrade_penalty: Rational
    modifier_floor: Rational
    clamp_component_at_zero: bool
    tie_winner: Literal["defender", "attacker"]
    owner_attack_base_cost: int
    defence_invest_rate: Rational
    reserve_spent_when_used: bool
    unused_reserve_returned: bool
    defence_split_rounding: Literal["none", "larger"]
    tactics_persist: bool
    default_tactic: DefaultTactic
    neutral_defence_wears: bool
    captured_shard_adds_defence: bool
    care_base_price: int
    care_price_step: int
    care_income: int
    care_defence: Rational
    sacrifice_energy: int
    sacrifice_income: int
    sacrifice_defence: Rational
    sacrifice_limit: int
    opposite_effect_removal: Literal["one", "all"]
    care_price_counts: Literal["all", "current"]
    sacrifice_cancels_care: Literal["owner", "shard"]
    income_floor: int
    missed_limit: int
    missed_turns_mode: Literal["consecutive", "total"]
    nothing_can_vote: bool
    rune_board_size: int
    rune_no_votes: Literal["none", "random"]
    rune_reuse: bool
    eliminated_loot: Literal["lost", "to_winner"]
    last_turn: int
    nothing_counts_as_active: bool
    nothing_counts_at_end: bool
    tie_break: tuple[Literal["income", "energy", "defence"], ...]
    chaos_attacks: Literal[False]
    turn_hours: int = Field(ge=1)


class Catalog(Frozen):
    """All tables of one game."""

    units: dict[str, Unit]
    items: dict[str, Item]
    specialists: dict[str, Specialist]
    features: dict[str, Feature]
    runes: dict[str, Rune]

    @model_validator(mode="after")
    def _references(self) -> Catalog:
        for ident, unit in self.units.items():
            if unit.countered_by and unit.countered_by not in self.units:
                raise ValueError(f"units.{ident}: нет войска {unit.countered_by!r}")
        for ident, specialist in self.specialists.items():
            for name in specialist.units:
                if name not in self.units:
                    raise ValueError(f"specialists.{ident}: нет войска {name!r}")
        holders: dict[str, tuple[Effect, ...]] = {f"items.{k}": v.effects for k, v in self.items.items()}
        holders |= {f"features.{k}": v.effects for k, v in self.features.items()}
        holders |= {f"runes.{k}": v.effects for k, v in self.runes.items()}
        for place, effects in holders.items():
            for effect in effects:
                if effect.unit is not None and effect.unit not in self.units:
                    raise ValueError(f"{place}: нет войска {effect.unit!r}")
                if effect.hero is not None and effect.hero not in self.units:
                    raise ValueError(f"{place}: нет героя {effect.hero!r}")
                if effect.item is not None and effect.item not in self.items:
                    raise ValueError(f"{place}: нет предмета {effect.item!r}")
        return self

    def units_of(self, slot: Slot) -> list[str]:
        """Ids of all units of a slot, in the order of the data."""
        return [ident for ident, unit in self.units.items() if unit.slot == slot]


@cache
def raw_data(name: str) -> dict[str, Any]:
    """One file of the package's data as parsed TOML with exact decimals."""
    text = files("rules.astral").joinpath("data", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text, parse_float=Decimal)


def problem_place(error: ValidationError) -> str:
    """The first fault of a validation as «place: message», for a Russian sentence."""
    return ": ".join(part for part in complaint(error) if part)


@cache
def _catalog(overrides: str) -> Catalog:
    extra = json.loads(overrides)
    tables = {name: {**raw_data(name)[name], **extra.get(name, {})} for name in TABLES}
    try:
        return Catalog.model_validate(tables)
    except ValidationError as error:
        raise RulesError(f"Ошибка в данных игры: {problem_place(error)}.") from error


def catalog(overrides: Mapping[str, Any] | None = None) -> Catalog:
    """The game's tables with a scenario's additions. Raises `RulesError`."""
    return _catalog(json.dumps(overrides or {}, sort_keys=True, default=str))


def settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings with a scenario's replacements. Raises `RulesError`."""
    try:
        return Settings.model_validate({**raw_data("settings")["settings"], **(overrides or {})})
    except ValidationError as error:
        raise RulesError(f"Ошибка в настройках: {problem_place(error)}.") from error
