"""The arithmetic of one battle and its two report lines, character for character (R11–R25). No chance (R23), no state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from rules.astral.catalog import Catalog, Effect, Settings, Slot, raw_data
from rules.astral.numbers import show, signed


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a battle."""

    name: str
    troop: str
    magic: str
    hero: str
    troop_energy: Fraction
    magic_energy: Fraction
    role: Literal["attack", "defence"]
    against: Literal["neutral", "owner"]
    """What kind of opponent he faces (effects' `vs`)."""
    levels: Mapping[str, int] = field(default_factory=dict)
    effects: Sequence[Effect] = ()
    """All effects he bears, his battle items included."""
    place_bonuses: Sequence[Fraction] = ()
    """Care and sacrifice of the attacked shard (R20)."""


@dataclass(frozen=True, slots=True)
class Component:
    """Troops or magic, counted."""

    energy: Fraction
    bonuses: tuple[Fraction, ...]
    penalty: Fraction
    modifier: Fraction
    level: int
    value: Fraction


@dataclass(frozen=True, slots=True)
class Count:
    """One side, counted."""

    troop: Component
    magic: Component
    hero_bonus: Fraction
    hero_penalty: Fraction
    bonuses: tuple[Fraction, ...]
    """Score bonuses, each as it is printed."""
    score: Fraction
    text: str
    """The formula: `[Пехота](6)*1 + … = 11,25`."""

    @property
    def hero(self) -> Fraction:
        """The hero term (R14)."""
        return self.hero_bonus - self.hero_penalty

    def facts(self, suffix: str) -> dict[str, Any]:
        """The figures for a battle's event: `mod_troop_a`, `pen_magic_a`, `hero_a`, …"""
        return {
            f"score_{suffix}": str(self.score),
            f"troop_{suffix}": str(self.troop.value),
            f"magic_{suffix}": str(self.magic.value),
            f"mod_troop_{suffix}": str(self.troop.modifier),
            f"mod_magic_{suffix}": str(self.magic.modifier),
            f"pen_troop_{suffix}": str(self.troop.penalty),
            f"pen_magic_{suffix}": str(self.magic.penalty),
            f"pen_hero_{suffix}": str(self.hero_penalty),
            f"hero_{suffix}": str(self.hero),
            f"bonuses_{suffix}": [str(bonus) for bonus in self.bonuses],
        }


@dataclass(frozen=True, slots=True)
class Result:
    """Both counts and who won."""

    attacker: Count
    defender: Count
    won: bool
    """The attacker won (R21)."""


def fight(tables: Catalog, rules: Settings, attacker: Side, defender: Side) -> Result:
    """A battle. Exact and without chance."""
    a = _Counter(tables, rules, attacker, defender).count()
    d = _Counter(tables, rules, defender, attacker).count()
    won = a.score > d.score or (a.score == d.score and rules.tie_winner == "attacker")
    return Result(a, d, won)


@dataclass(frozen=True, slots=True)
class _Counter:
    tables: Catalog
    rules: Settings
    me: Side
    enemy: Side

    def effects(self, side: Side) -> list[Effect]:
        """What bears on a side: its own effects on itself, and the other side's on their enemy (§2, common fields)."""
        other = self.enemy if side is self.me else self.me
        mine = [e for e in side.effects if e.on == "self" and _holds(e, side)]
        return mine + [e for e in other.effects if e.on == "enemy" and _holds(e, other)]

    def count(self) -> Count:
        hero = self.tables.units[self.me.hero]
        mine = self.effects(self.me)
        troop = self.component("troop", self.me.troop, self.me.troop_energy, hero.bonus_troop)
        magic = self.component("magic", self.me.magic, self.me.magic_energy, hero.bonus_magic)
        penalty = self.penalty("hero", self.me.hero, self.enemy.hero, 0)
        bonuses = [effect.value for effect in mine if effect.op == "score_bonus"]
        bonuses = [bonus for bonus in (*bonuses, *self.me.place_bonuses) if bonus]
        score = troop.value + magic.value + hero.bonus_score - penalty + sum(bonuses, Fraction(0))
        words = raw_data("report")["battle"]
        hero_term = (signed(hero.bonus_score) if hero.bonus_score else "") + (f"-{show(penalty)}" if penalty else "")
        parts = [
            self.printed(troop, self.me.troop),
            self.printed(magic, self.me.magic),
            words["hero"].format(name=hero.name_ru, term=hero_term or "0"),
            *(words["bonus"].format(bonus=signed(bonus)) for bonus in bonuses),
        ]
        text = words["formula"].format(parts=" + ".join(parts), score=show(score))
        return Count(troop, magic, hero.bonus_score, penalty, tuple(bonuses), score, text)

    def component(self, slot: Slot, unit: str, energy: Fraction, hero_bonus: Fraction) -> Component:
        """(energy + bonuses − penalty) × modifier (R11)."""
        mine = [e for e in self.effects(self.me) if e.unit == unit or (e.unit is None and e.slot == slot)]
        enemy_unit = self.enemy.troop if slot == "troop" else self.enemy.magic
        own, theirs = self.level(self.me, unit), self.level(self.enemy, enemy_unit)
        countered = self.tables.units[unit].countered_by == enemy_unit
        penalty = self.penalty(slot, unit, enemy_unit, theirs)
        cut = self.rules.upgrade_modifier * theirs if countered else Fraction(0)
        modifier = max(self.rules.modifier_floor, 1 + self.rules.upgrade_modifier * own - cut)
        for effect in mine:
            if effect.op == "component_multiplier" and effect.stack == "add":
                modifier += effect.value
        for effect in mine:
            if effect.op == "component_multiplier" and effect.stack == "multiply":
                modifier *= effect.value
        bonuses = (hero_bonus, *(effect.value for effect in mine if effect.op == "component_bonus"))
        bonuses = tuple(bonus for bonus in bonuses if bonus)
        value = (energy + sum(bonuses, Fraction(0)) - penalty) * modifier
        if self.rules.clamp_component_at_zero:
            value = max(Fraction(0), value)
        return Component(energy, bonuses, penalty, modifier, own, value)

    def penalty(self, slot: Slot, unit: str, enemy_unit: str, enemy_level: int) -> Fraction:
        """What the enemy's unit takes off mine (R13, R14)."""
        if self.tables.units[unit].countered_by != enemy_unit:
            return Fraction(0)
        change = sum((e.value for e in self.effects(self.me) if e.op == "penalty_change" and e.slot == slot), Fraction(0))
        return max(Fraction(0), self.rules.unit_penalty + self.rules.upgrade_penalty * enemy_level + change)

    def level(self, side: Side, unit: str) -> int:
        """The unit's level with temporary bonuses."""
        extra = sum(int(e.value) for e in self.effects(side) if e.op == "level_bonus" and e.unit == unit)
        return max(0, side.levels.get(unit, 0) + extra)

    def printed(self, component: Component, unit: str) -> str:
        """`[Некромантия-2](6+2-2,5)*1,1`."""
        bracket = show(component.energy) + "".join(signed(bonus) for bonus in component.bonuses)
        if component.penalty:
            bracket += f"-{show(component.penalty)}"
        name = self.tables.units[unit].name_ru + (f"-{component.level}" if component.level else "")
        words = raw_data("report")["battle"]
        return str(words["component"].format(name=name, bracket=bracket, modifier=show(component.modifier)))


def _holds(effect: Effect, bearer: Side) -> bool:
    """The effect's conditions on its bearer's side, opponent and hero."""
    if effect.side not in ("both", bearer.role) or effect.vs not in ("any", bearer.against):
        return False
    return effect.hero is None or effect.hero == bearer.hero
