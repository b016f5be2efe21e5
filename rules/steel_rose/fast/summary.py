"""A forecast in words and as a picture."""

from __future__ import annotations

from collections.abc import Iterator

from rules.maps import Outlook, Spread
from rules.steel_rose.battle.figure import colours_of, name_of, texts
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
        yield said["losses"].format(side=name_of(forecast.setup, side), role=texts()["sides"]["names"][side])
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


def outlook_of(forecast: Forecast) -> Outlook:
    """The odds, and how the dead of each unit type are spread, for both sides."""
    said = texts()["forecast"]
    colours = colours_of(forecast.setup)
    low, high = forecast.ci95
    shares = (forecast.attacker_wins, forecast.defender_wins, forecast.draws)
    names = (*(name_of(forecast.setup, side) for side in (0, 1)), said["draw"])
    return Outlook(
        title=said["title"].format(first=names[0], second=names[1]),
        subtitle=said["subtitle"].format(
            n=spaced(forecast.n), low=percent(low), high=percent(high), rounds=number(forecast.rounds_mean)
        ),
        outcomes=tuple(zip(names, shares, (*colours, NEUTRAL), strict=True)),
        groups=tuple(
            (
                said["dead"].format(side=names[side], role=texts()["sides"]["names"][side]),
                colours[side],
                tuple(spread_of(line) for line in forecast.lines if line.side == side),
            )
            for side in (0, 1)
        ),
    )


def spread_of(line: LineForecast) -> Spread:
    """The dead of one unit type."""
    note = texts()["forecast"]["note"].format(mean=number(round(line.dead_mean, 1)), most=line.dead_quantile(0.9))
    return Spread(f"{unit_of(line)} ({line.fielded})", line.dead, note)


def spaced(count: int) -> str:
    """«100 000»."""
    return f"{count:,}".replace(",", "\u00a0")


def percent(share: float) -> str:
    """«63,4»."""
    return number(round(100 * share, 1))
