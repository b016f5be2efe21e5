"""Abilities of units: one small class each, named in `data/units.toml` by its key.

A unit with known abilities is only TOML. A new ability is one class here that overrides the hooks it needs; the fast engine
takes it too when its `columns` say how (else forecasts fall back to the reference engine)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from parsers.types import Json
from rules.base import RulesError
from rules.steel_rose.battle.log import Effect, Modifier
from rules.steel_rose.data import UnitId, UnitType, game_data

if TYPE_CHECKING:
    from rules.steel_rose.battle.state import Blow, Fighter, Note, RoundStart, Turn

Columns: TypeAlias = Mapping[str, float]
"""What the fast engine needs of an ability: column of its unit table → number."""

SUMMONS, HEALERS, BELCHES = range(3)
"""Order of the abilities used at the start of a round (R46)."""


@dataclass(frozen=True, slots=True)
class Sacrifice:
    """What a unit does instead of a blow: exact damage to several enemies, and its own death."""

    attacker: Fighter
    targets: tuple[Fighter, ...]
    damage: float
    rule: str


class Ability:
    """Does nothing; each hook may be overridden."""

    key: ClassVar[str]
    """Its key in the TOML."""
    rule: ClassVar[str]
    """The ruling it carries out."""
    stage: ClassVar[int | None] = None
    """When in the start of a round it acts; None: not then."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def out(self, blow: Blow) -> float:
        """Share added to ΣOUT when its bearer strikes."""
        return 0.0

    def into(self, blow: Blow) -> float:
        """Share added to ΣIN when its bearer is struck."""
        return 0.0

    def squad_out(self) -> float:
        """Share added to ΣOUT of its living bearer's whole squad; the greatest of a kind counts, once."""
        return 0.0

    def squad_in(self) -> float:
        """Share added to ΣIN of its living bearer's whole squad; the one farthest from 0 counts, once."""
        return 0.0

    def minimum(self, blow: Blow) -> int:
        """Least base damage of its bearer's blow."""
        return 0

    def shot_targets(self, living: int) -> int:
        """How many distinct units a shot of its bearer hits; 0: an ordinary shot."""
        return 0

    def instead(self, turn: Turn) -> Sacrifice | None:
        """Called when its bearer would strike in melee, before the target is chosen; a value replaces the blow."""
        return None

    def dealt(self, blow: Blow) -> None:
        """After its bearer's blow and the opponent's were applied."""

    def suffered(self, blow: Blow) -> None:
        """After its bearer was struck."""

    def fired(self, shooter: Fighter, note: Note) -> None:
        """After its bearer's shot, once however many it hit."""

    def round_start(self, fighter: Fighter, start: RoundStart) -> None:
        """At the start of a round, in its `stage`."""

    def regeneration(self) -> float:
        """Health that its bearer regains at each tick."""
        return 0.0

    def columns(self) -> Columns | None:
        """For the fast engine; None: it does not know this ability."""
        return None


# ------------------------------------------------------------------------------------------------ the strength of blows


class ArmourPiercing(Ability):
    """A blow in melee does at least so much after armour (R8)."""

    key, rule = "min_damage", "R8"

    def minimum(self, blow: Blow) -> int:
        return int(self.value) if blow.kind == "melee" else 0

    def columns(self) -> Columns:
        return {"min_melee": self.value}


class PiercingShot(Ability):
    """A shot does at least so much after armour (R8)."""

    key, rule = "min_ranged", "R8"

    def minimum(self, blow: Blow) -> int:
        return int(self.value) if blow.kind != "melee" else 0

    def columns(self) -> Columns:
        return {"min_shot": self.value}


class ChargeBonus(Ability):
    """More damage in all rounds of its own charge (R41)."""

    key, rule = "charge_bonus", "R41"

    def out(self, blow: Blow) -> float:
        return float(self.value) if blow.attacker_charges else 0.0

    def columns(self) -> Columns:
        return {"charge_all": self.value}


class FirstCharge(Ability):
    """More damage in the first round of its own charge (R41)."""

    key, rule = "charge_bonus_first", "R41"

    def out(self, blow: Blow) -> float:
        return float(self.value) if blow.attacker_charges and blow.first_shock else 0.0

    def columns(self) -> Columns:
        return {"charge_first": self.value}


class PikeWall(Ability):
    """Takes less from a charge, as the charged squad or the one that covers it (R41)."""

    key, rule = "in_when_charged", "R41"

    def into(self, blow: Blow) -> float:
        return float(self.value) if blow.target_charged else 0.0

    def columns(self) -> Columns:
        return {"in_charged": self.value}


class Guardian(Ability):
    """Takes less from a charge while its squad covers another by «Защита» (R41)."""

    key, rule = "in_when_defending", "R41"

    def into(self, blow: Blow) -> float:
        return float(self.value) if blow.target_covers else 0.0

    def columns(self) -> Columns:
        return {"in_covering": self.value}


class MeleeGrace(Ability):
    """Takes less (or more) in melee (R60)."""

    key, rule = "in_melee", "R60"

    def into(self, blow: Blow) -> float:
        return float(self.value) if blow.kind == "melee" else 0.0

    def columns(self) -> Columns:
        return {"in_melee": self.value}


class Shield(Ability):
    """Takes less (or more) from shots (R11)."""

    key, rule = "in_ranged", "R11"

    def into(self, blow: Blow) -> float:
        return float(self.value) if blow.kind != "melee" else 0.0

    def columns(self) -> Columns:
        return {"in_shot": self.value}


class Leadership(Ability):
    """Its whole squad deals more while it lives (R56)."""

    key, rule = "aura_out", "R56"

    def squad_out(self) -> float:
        return float(self.value)

    def columns(self) -> Columns:
        return {"aura_out": self.value}


class Blessing(Ability):
    """Its whole squad takes less while it lives (R57)."""

    key, rule = "aura_in", "R57"

    def squad_in(self) -> float:
        return float(self.value)

    def columns(self) -> Columns:
        return {"aura_in": self.value}


class GrowingFury(Ability):
    """After each own blow it deals more and takes less by this share; the factors multiply (R67)."""

    key, rule = "attack_growth", "R67"

    def dealt(self, blow: Blow) -> None:
        if blow.kind == "melee":
            blow.attacker.fury *= 1.0 + self.value
            blow.attacker.toughness *= 1.0 - self.value
            blow.note(Effect("growth", blow.attacker.who, blow.attacker.fury, self.rule))

    def columns(self) -> Columns:
        return {"growth": self.value}


class GrowingMagic(Ability):
    """Each shot is stronger than the one before by this share; the factors multiply (R66)."""

    key, rule = "shot_growth", "R66"

    def fired(self, shooter: Fighter, note: Note) -> None:
        shooter.magic *= 1.0 + self.value
        note(Effect("growth", shooter.who, shooter.magic, self.rule))

    def columns(self) -> Columns:
        return {"shot_growth": self.value}


class AreaShot(Ability):
    """A shot hits a share of the target squad, at least `min` and at most `max` distinct units (R36)."""

    key, rule = "area", "R36"

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.share = Fraction(str(value["share"]))

    def shot_targets(self, living: int) -> int:
        return min(max(int(self.share * living), int(self.value["min"])), int(self.value["max"]), living)

    def columns(self) -> Columns:
        return {
            "area_num": self.share.numerator,
            "area_den": self.share.denominator,
            "area_min": self.value["min"],
            "area_max": self.value["max"],
        }


# ------------------------------------------------------------------------------------------------ what blows leave behind


class HolyStrike(Ability):
    """Heals itself with each blow, if alive after the exchange (R58)."""

    key, rule = "heal_on_hit", "R58"

    def dealt(self, blow: Blow) -> None:
        if blow.kind == "melee":
            blow.attacker.heal(float(self.value), self.rule, blow.note)

    def columns(self) -> Columns:
        return {"heal_on_hit": self.value}


class LifeSteal(Ability):
    """Heals itself by a share of the damage it computed, overkill included, if alive after the exchange (R65)."""

    key, rule = "lifesteal", "R65"

    def dealt(self, blow: Blow) -> None:
        if blow.kind == "melee":
            blow.attacker.heal(self.value * blow.damage, self.rule, blow.note)

    def columns(self) -> Columns:
        return {"lifesteal": self.value}


class ArmourShredding(Ability):
    """Each blow lowers the target's armour until the end of the battle, not below 0 (R57, R58)."""

    key, rule = "shred", "R58"

    def dealt(self, blow: Blow) -> None:
        if blow.kind == "melee":
            blow.target.armor = max(0.0, blow.target.armor - self.value)
            blow.note(Effect("shred", blow.target.who, blow.target.armor, self.rule, blow.attacker.who))

    def columns(self) -> Columns:
        return {"shred": self.value}


class _Lasting(Ability):
    """`total` damage in `rounds` ticks; stacks add; armour and percentages don't matter (R13)."""

    effect: ClassVar[str]

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.rounds = int(value["rounds"])
        self.per_tick = value["total"] / self.rounds

    def inflict(self, victim: Fighter, by: Fighter, note: Note) -> None:
        """Puts one stack on a unit."""
        victim.add_wound(self.per_tick, self.rounds)
        note(Effect(self.effect, victim.who, self.per_tick, self.rule, by.who, self.rounds))


class Burning(_Lasting):
    """Each blow sets its target on fire (R64)."""

    key, rule, effect = "burn_on_attack", "R64", "burn"

    def dealt(self, blow: Blow) -> None:
        if blow.kind == "melee":
            self.inflict(blow.target, blow.attacker, blow.note)

    def columns(self) -> Columns:
        return {"burn": self.per_tick, "burn_rounds": self.rounds}


class Poison(_Lasting):
    """Whoever hurts it in melee is poisoned (R63)."""

    key, rule, effect = "poison_back", "R63", "poison"

    def suffered(self, blow: Blow) -> None:
        if blow.kind == "melee" and blow.damage > 0:
            self.inflict(blow.attacker, blow.target, blow.note)

    def columns(self) -> Columns:
        return {"poison": self.per_tick, "poison_rounds": self.rounds}


class Weakening(Ability):
    """Each shot lowers the damage its target deals for some rounds; stacks add (R62)."""

    key, rule = "weaken", "R62"

    def dealt(self, blow: Blow) -> None:
        if blow.kind != "melee":
            blow.target.add_weakness(self.value["out"], int(self.value["rounds"]))
            blow.note(
                Effect("weaken", blow.target.who, self.value["out"], self.rule, blow.attacker.who, int(self.value["rounds"]))
            )

    def columns(self) -> Columns:
        return {"weaken": self.value["out"], "weaken_rounds": self.value["rounds"]}


class SelfSacrifice(Ability):
    """Instead of a blow, with some chance, deals exact damage to several enemies and dies (R61)."""

    key, rule = "sacrifice", "R61"

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.chance = Fraction(str(value["chance"]))

    def instead(self, turn: Turn) -> Sacrifice | None:
        if not turn.stream.chance(self.chance):
            return None
        living = turn.enemy.living
        chosen = turn.stream.sample(len(living), int(self.value["targets"]))
        return Sacrifice(turn.attacker, tuple(living[i] for i in chosen), float(self.value["damage"]), self.rule)

    def columns(self) -> Columns:
        return {
            "sacrifice_num": self.chance.numerator,
            "sacrifice_den": self.chance.denominator,
            "sacrifice_damage": self.value["damage"],
            "sacrifice_targets": self.value["targets"],
        }


# ------------------------------------------------------------------------------------------------ rounds


class Summoning(Ability):
    """At the start of a round adds a unit to the squad in front of it, or to its own (R69)."""

    key, rule, stage = "summon", "R69", SUMMONS

    def round_start(self, fighter: Fighter, start: RoundStart) -> None:
        start.summon(str(self.value), start.front, fighter, self.rule)

    def columns(self) -> Columns:
        return {"summons": 1}


class Healing(Ability):
    """At the start of a round lets a random unit of the squad in front, or of its own, regenerate; stacks add (R55)."""

    key, rule, stage = "heal_cast", "R55", HEALERS

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.rounds = int(value["rounds"])
        self.per_tick = value["total"] / self.rounds

    def round_start(self, fighter: Fighter, start: RoundStart) -> None:
        living = start.front.living
        chosen = living[start.stream.pick(len(living))]
        chosen.add_cure(self.per_tick, self.rounds)
        start.note(Effect("blessed", chosen.who, self.per_tick, self.rule, fighter.who, self.rounds))

    def columns(self) -> Columns:
        return {"cure": self.per_tick, "cure_rounds": self.rounds}


class FieryBelch(_Lasting):
    """In every so-manieth round of an engagement, from the first, burns a random enemy besides its blow (R68)."""

    key, rule, stage, effect = "belch", "R68", BELCHES, "belch"

    def round_start(self, fighter: Fighter, start: RoundStart) -> None:
        if start.in_rear or (start.number - 1) % int(self.value["every"]):
            return
        living = start.enemy.living
        self.inflict(living[start.stream.pick(len(living))], fighter, start.note)

    def columns(self) -> Columns:
        return {"belch": self.per_tick, "belch_rounds": self.rounds, "belch_every": self.value["every"]}


class Regeneration(Ability):
    """Regains health at each tick (R54)."""

    key, rule = "regen", "R54"

    def regeneration(self) -> float:
        return float(self.value)

    def columns(self) -> Columns:
        return {"regen": self.value}


A = TypeVar("A", bound=Ability)


def _all(base: type[Ability]) -> Iterable[type[Ability]]:
    for cls in base.__subclasses__():
        if "key" in vars(cls):
            yield cls
        yield from _all(cls)


def ability_classes() -> dict[str, type[Ability]]:
    """Every ability by its key: all subclasses of `Ability` that name one."""
    return {cls.key: cls for cls in _all(Ability)}


# ------------------------------------------------------------------------------------------------ kinds of units


@dataclass(frozen=True)
class UnitKind:
    """A unit type with its abilities as objects."""

    type: UnitType
    abilities: tuple[Ability, ...]

    @property
    def id(self) -> UnitId:
        """The unit type's id."""
        return self.type.id

    def having(self, hook: str) -> tuple[Ability, ...]:
        """The abilities that override a hook."""
        return self._hooks.get(hook, ())

    @cached_property
    def _hooks(self) -> dict[str, tuple[Ability, ...]]:
        names = [name for name in vars(Ability) if not name.startswith("_")]
        return {
            name: found
            for name in names
            if (found := tuple(a for a in self.abilities if getattr(type(a), name, None) is not getattr(Ability, name, None)))
        }

    @cached_property
    def regeneration(self) -> float:
        """Innate health per tick."""
        return sum((a.regeneration() for a in self.having("regeneration")), 0.0)

    @cached_property
    def squad_out(self) -> Modifier | None:
        """Its leadership, if any."""
        return next((Modifier(a.key, a.squad_out(), a.rule, "out") for a in self.having("squad_out")), None)

    @cached_property
    def squad_in(self) -> Modifier | None:
        """Its blessing, if any."""
        return next((Modifier(a.key, a.squad_in(), a.rule, "in") for a in self.having("squad_in")), None)


Catalogue: TypeAlias = Mapping[UnitId, UnitKind]


def unit_kind(unit: UnitType) -> UnitKind:
    """The kind of a unit type. Raises `RulesError` for an unknown ability."""
    classes = ability_classes()
    unknown = [key for key in unit.traits if key not in classes]
    if unknown:
        raise RulesError(f"Юнит «{unit.id}»: неизвестные свойства {', '.join(unknown)}.")
    return UnitKind(unit, tuple(classes[key](value) for key, value in unit.traits.items()))


@cache
def catalogue() -> Catalogue:
    """All shipped unit types."""
    return {unit.id: unit_kind(unit) for unit in game_data().units.values()}


def extended(extra: Mapping[UnitId, Mapping[str, Json]]) -> Catalogue:
    """The shipped types and further ones, given as TOML tables (a scenario's own units)."""
    from rules.steel_rose.data import unit_type

    return {**catalogue(), **{key: unit_kind(unit_type(key, table)) for key, table in extra.items()}}
