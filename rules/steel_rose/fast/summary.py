"""A forecast in words and bars."""

from __future__ import annotations

from collections.abc import Iterator

from rules.maps import Bars
from rules.steel_rose.battle.figure import colours_of, name_of, texts
from rules.steel_rose.battle.model import BattleResult
from rules.steel_rose.battle.telling import number
from rules.steel_rose.data import game_data
from rules.steel_rose.fast.forecast import Forecast, LineForecast

NEUTRAL = "#8c8c8c"


def lines_of(forecast: Forecast) -> Iterator[str]:
    """Odds with their interval, rounds, losses by unit type."""
    said = texts()["forecast"]
    low, high = forecast.ci95
    yield said["odds"].format(
        attacker=percent(forecast.attacker_wins), defender=percent(forecast.defender_wins), draw=percent(forecast.draws)
    )
    yield said["interval"].format(low=percent(low), high=percent(high))
    yield said["rounds"].format(rounds=number(forecast.rounds_mean))
    for side in (0, 1):
        yield said["losses"].format(side=name_of(forecast.setup, side))
        for line in forecast.lines:
            if line.side == side:
                yield said["line"].format(
                    unit=unit_of(line), fielded=line.fielded, mean=number(line.dead_mean), most=line.dead_quantile(0.9)
                )


def unit_of(line: LineForecast) -> str:
    """«Копейщик (гарнизон)»."""
    known = game_data().units.get(line.unit)
    name = known.name_ru if known is not None else line.unit
    return name + (str(texts()["forecast"]["garrison"]) if line.garrison else "")


def bars_of(forecast: Forecast) -> Bars:
    """The odds as three bars."""
    said = texts()["forecast"]
    colours = colours_of(forecast.setup)
    return Bars(
        title=said["title"].format(n=forecast.n),
        labels=tuple(said["bars"]),
        values=tuple(round(100 * share, 1) for share in (forecast.attacker_wins, forecast.defender_wins, forecast.draws)),
        colours=(colours[0], colours[1], NEUTRAL),
        unit="%",
    )


def losses_of(forecast: Forecast, side: int) -> Bars:
    """Mean dead of each unit type of a side, of those fielded, in percent."""
    own = [line for line in forecast.lines if line.side == side]
    colour = game_data().factions[forecast.setup.sides[side].faction].colour
    return Bars(
        title=texts()["forecast"]["losses"].format(side=name_of(forecast.setup, side)),
        labels=tuple(f"{unit_of(line)} ({line.fielded})" for line in own),
        values=tuple(round(line.dead_mean, 2) for line in own),
        colours=tuple(colour for _ in own),
    )


def fate_of(forecast: Forecast, result: BattleResult) -> str:
    """«Шансы были 63 : 37, вышло на 71-й перцентиль», from the attacker's side."""
    return str(
        texts()["forecast"]["fate"].format(
            attacker=round(100 * forecast.attacker_wins),
            defender=round(100 * forecast.defender_wins),
            percentile=round(forecast.percentile(result)),
        )
    )


def percent(share: float) -> str:
    """«63,4»."""
    return number(round(100 * share, 1))
