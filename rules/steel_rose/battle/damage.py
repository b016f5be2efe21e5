"""The damage formula (R6–R12): base × (1 + ΣOUT) × (1 + ΣIN) × products.

The order of additions and multiplications is part of the algorithm: the fast engine repeats it to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.steel_rose.battle.log import Modifier, Strike
from rules.steel_rose.battle.model import Side
from rules.steel_rose.battle.state import Blow, Fighter, Formation
from rules.steel_rose.data import Combat, ManeuverData

NOTHING: Modifier = Modifier("", 0.0, "", "out")


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for all blows of an engagement's round."""

    charger: Side | None = None
    """Whose charge it is."""
    first_shock: bool = False
    covering: bool = False
    """The charged side fights as the cover of another squad."""
    outnumbered: Side | None = None
    flanked: Side | None = None


@dataclass(frozen=True, slots=True)
class Formula:
    """The formula with the constants of battle and each side's bonus to shots."""

    combat: Combat
    cover: ManeuverData
    shot_bonus: tuple[float, float]

    def outgoing(self, blow: Blow, own: Formation) -> Iterator[Modifier]:
        """ΣOUT (R10)."""
        attacker = blow.attacker
        if attacker.favored:
            yield Modifier("favor", self.combat.favor_out, "R119", "out")
        if attacker.squeamish:
            yield Modifier("squeamish", self.combat.squeamish_out, "R121", "out")
        if attacker.fatigue:
            yield Modifier("fatigue", self.combat.fatigue_out * attacker.fatigue, "R30", "out")
        if blow.kind != "melee" and self.shot_bonus[attacker.side]:
            yield Modifier("walls", self.shot_bonus[attacker.side], "R112", "out")
        if own.aura_out is not None:
            yield own.aura_out
        for ability in attacker.kind.having("out"):
            if value := ability.out(blow):
                yield Modifier(ability.key, value, ability.rule, "out")
        for value in sorted({stack.amount for stack in attacker.weaknesses}):
            number = sum(stack.amount == value for stack in attacker.weaknesses)
            yield Modifier("weaken", value * number, "R62", "out")

    def incoming(self, blow: Blow, theirs: Formation, conditions: Conditions) -> Iterator[Modifier]:
        """ΣIN (R11). A barrage knows neither number nor flanks (R34)."""
        target = blow.target
        if target.favored:
            yield Modifier("favor", self.combat.favor_in, "R119", "in")
        for ability in target.kind.having("into"):
            if value := ability.into(blow):
                yield Modifier(ability.key, value, ability.rule, "in")
        if theirs.aura_in is not None:
            yield theirs.aura_in
        if conditions.outnumbered == target.side:
            yield Modifier("outnumbered", self.combat.outnumbered_in, "R51", "in")
        if conditions.flanked == target.side:
            yield Modifier("flanked", self.combat.flanked_in, "R72", "in")

    def products(self, blow: Blow, in_cover: bool) -> Iterator[Modifier]:
        """The factors (R12)."""
        grown = blow.attacker.fury if blow.kind == "melee" else blow.attacker.magic
        if grown != 1.0:
            melee = blow.kind == "melee"
            yield Modifier("attack_growth" if melee else "shot_growth", grown, "R67" if melee else "R66", "times")
        if blow.target.toughness != 1.0:
            yield Modifier("toughness", blow.target.toughness, "R67", "times")
        if in_cover and blow.kind == "bombard":
            yield Modifier("cover", self.cover.bombard_factor, "R33", "times")

    def strike(
        self,
        blow: Blow,
        strength: int,
        roll: int,
        out: tuple[Modifier, ...],
        into: tuple[Modifier, ...],
        times: tuple[Modifier, ...],
        rule: str,
    ) -> Strike:
        """The damage of a blow with its explanation; sets `blow.damage`, does not apply it."""
        target = blow.target
        minimum = max((a.minimum(blow) for a in blow.attacker.kind.having("minimum")), default=0) if strength else 0
        base = max(roll - target.armor, float(minimum), 0.0)
        damage = base * max(0.0, 1.0 + total(out)) * max(0.0, 1.0 + total(into))
        for factor in times:
            damage *= factor.value
        blow.damage = damage
        after = target.hp - damage
        return Strike(
            kind=blow.kind,
            attacker=blow.attacker.who,
            target=target.who,
            strength=strength,
            roll=roll,
            armor=target.armor,
            minimum=minimum,
            base=base,
            modifiers=(*out, *into, *times),
            damage=damage,
            hp_before=target.hp,
            hp_after=after if after > target.dead_below else 0.0,
            rule=rule,
        )


def total(modifiers: tuple[Modifier, ...]) -> float:
    """The sum, from left to right."""
    result = 0.0
    for modifier in modifiers:
        result += modifier.value
    return result


def strength_of(fighter: Fighter, kind: str) -> int:
    """The die of a blow or a shot (R6)."""
    return fighter.kind.type.attack if kind == "melee" else fighter.kind.type.ranged
