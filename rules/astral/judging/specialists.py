"""Lessons of specialists (R94)."""

from __future__ import annotations

from rules.astral import commands as c
from rules.astral import effects
from rules.astral.catalog import Specialist
from rules.astral.judging.hearing import Hearing
from rules.astral.judging.refusal import refuse
from rules.astral.judging.verdicts import Judged
from rules.astral.messages import word


def hire(hearing: Hearing, command: c.HireSpecialist) -> Judged:
    """A lesson: of a specialist in his world, one a turn of each, for a unit that he teaches and that is not yet at his level."""
    units = hearing.view.catalog.units
    teacher = _own_teacher(hearing, command.specialist)
    unit = _pupil(hearing, teacher, command.unit)
    lessons = hearing.accepted(c.HireSpecialist)
    if any(earlier.specialist == command.specialist for earlier in hearing.given(c.HireSpecialist)):
        refuse("E_SPECIALIST_BUSY", at="specialist", name=teacher.name_ru)
    if unit not in hearing.me.unlocked:
        who = units[unit]
        refuse("E_UNIT_LOCKED", at="unit", name=who.name_ru, locked=word(f"locked_{who.gender}"))
    level = hearing.me.levels.get(unit, 0) + sum(lesson.unit == unit for lesson in lessons)
    if level >= teacher.max_level:
        gen = units[unit].gen_ru or units[unit].name_ru
        refuse("E_MAX_LEVEL", at="unit", name=teacher.name_ru, unit=gen, level=teacher.max_level)
    return hearing.accept(command, effects.lesson_price(hearing.game, command.specialist, level), unit=unit)


def _own_teacher(hearing: Hearing, name: str) -> Specialist:
    """A specialist who lives on a shard of the owner."""
    teacher = hearing.view.catalog.specialists.get(name)
    if teacher is None:
        refuse("E_SPECIALIST_NOT_YOURS", at="specialist", name=name)
    if not any(name in hearing.game.shards[shard].specialists for shard in hearing.me.shards):
        refuse("E_SPECIALIST_NOT_YOURS", at="specialist", name=teacher.name_ru)
    return teacher


def _pupil(hearing: Hearing, teacher: Specialist, unit: str | None) -> str:
    """The unit to be taught; it need not be named where the specialist teaches but one."""
    names = ", ".join(hearing.view.catalog.units[taught].name_ru for taught in teacher.units)
    if unit is None:
        if len(teacher.units) > 1:
            refuse("E_UNIT_MISSING", "specialist", "unit", specialist=teacher.gen_ru or teacher.name_ru, units=names)
        unit = teacher.units[0]
    if unit not in teacher.units:
        refuse("E_SPECIALIST_UNIT", at="unit", name=teacher.name_ru, units=names)
    return unit
