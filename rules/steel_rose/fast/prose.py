"""A battle told in plain Russian: the players' own order language reads each side's units, deployment and manoeuvres.

«10 копейщиков и 3 рыцаря против 8 щитовиков и 4 стрелков» is enough; whatever players write in a battle may follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from parsers.text import from_text
from parsers.types import Parse, Problem, Severity, Span
from rules.base import FactionId, only
from rules.steel_rose import scenario
from rules.steel_rose.battle.deployment import Force, deploy
from rules.steel_rose.battle.figure import texts
from rules.steel_rose.battle.maneuvers import check_maneuvers
from rules.steel_rose.battle.model import GARRISON, BattleSetup, SideSetup
from rules.steel_rose.data import UnitId, counted, game_data
from rules.steel_rose.fast.description import Described, NotUnderstood
from rules.steel_rose.fast.sides import Told, ask, mere_links, names_unit, split
from rules.steel_rose.fighting import board_json
from rules.steel_rose.language import order_language
from rules.steel_rose.refusals import Refusal, severity
from rules.steel_rose.state import Attack, Battle, Side, State
from rules.steel_rose.view import View

_NOWHERE = Span(0, 0)
_HIRES = ("hire", "hire_mercenary")


@dataclass(frozen=True)
class Order:
    """A manoeuvre as the rules check it, and where it was told."""

    position: str
    maneuver: str | None
    target: str | None
    path: list[str] | None
    free_move: str | None
    span: Span


@dataclass
class _Reading:
    """A side's units and deployment as one faction would mean them."""

    told: Told
    faction: FactionId
    totals: dict[UnitId, int] = field(default_factory=dict)
    positions: dict[str, Any] = field(default_factory=dict)
    where: Span = _NOWHERE
    """Its deployment."""
    problems: list[Problem] = field(default_factory=list)
    doubts: list[Problem] = field(default_factory=list)
    """What was not understood, unless it turns out to be a manoeuvre."""
    parses: list[Parse] = field(default_factory=list)

    @property
    def trouble(self) -> int:
        """How much of it was not understood."""
        return len(self.problems) + len(self.doubts)

    @property
    def strangers(self) -> int:
        """Unit types of other factions."""
        known = game_data().units
        return sum(known[unit].faction != self.faction for unit in self.totals)


def read_prose(source: str) -> Described:
    """The battle told by a text. Raises `NotUnderstood`."""
    text = from_text(source).text
    sides, problems = split(text)
    if sides is None:
        raise NotUnderstood(text, problems)
    read = [_side(text, told) for told in sides]
    _stop(text, read)
    placed = [_deployed(side) for side in read]
    _stop(text, read)
    orders = [_orders(text, read, placed, index) for index in (0, 1)]
    setups = []
    for index, side in enumerate(read):
        checked = check_maneuvers(placed[index].squads, placed[1 - index].squads, orders[index])
        for at, refusal in checked.refusals:
            side.problems.append(_refused(refusal, orders[index][at].span))
        setups.append(replace(placed[index], maneuvers=checked.orders))
    for side in read:
        side.problems += _skipped(text, side)
    _stop(text, read)
    remaining = tuple(sorted((p for side in read for p in side.problems), key=lambda p: p.span or Span(0, 0)))
    understood = tuple(line for index, side in enumerate(read) for line in _understood(side, setups[index]))
    return Described(BattleSetup(setups[0], setups[1]), (), remaining, text, understood)


def _stop(text: str, sides: Iterable[_Reading]) -> None:
    found = [p for side in sides for p in side.problems]
    if any(p.severity is not Severity.WARNING for p in found):
        raise NotUnderstood(text, sorted(found, key=lambda p: p.span or Span(0, 0)))


# ------------------------------------------------------------------------------------------------ units and deployment


def _side(text: str, told: Told) -> _Reading:
    """A side's reading; without a name, as the faction whose it is best read as."""
    if told.faction is not None:
        return _as(text, told, told.faction)
    known = game_data().units
    readings = [_as(text, told, faction) for faction in game_data().factions]
    cost = [(r.trouble > 0, r.strangers, r.trouble) for r in readings]
    best = [r for r, c in zip(readings, cost, strict=True) if c == min(cost)]
    for other in best[1:]:
        if not other.trouble and other.totals != best[0].totals:
            names = [game_data().factions[r.faction].name_ru for r in (best[0], other)]
            best[0].problems.append(ask("whose", _around(told), first=names[0], second=names[1]))
            break
    owners = [known[unit].faction for unit in best[0].totals]
    if owners and best[0].faction not in owners:  # of several strangers' armies, the one whose units are most
        return _as(text, told, max(owners, key=owners.count))
    return best[0]


def _as(text: str, told: Told, faction: FactionId) -> _Reading:
    """A side read as a faction's: once as it stands, and as things to hire where a unit stands without number or verb."""
    first = _read(text, told, faction, "")
    if first.trouble:
        second = _read(text, told, faction, texts()["prose"]["hire"])
        if second.trouble < first.trouble:
            return second
    return first


def _read(text: str, told: Told, faction: FactionId, lead: str) -> _Reading:
    """Units that are only named are the army; units named at a place stand there, and belong to it too."""
    part = _without_manoeuvres(faction, told.only(text))
    listed = _parse(faction, "orders", part, lead)
    placed = _parse(faction, "deployment", part, "")
    out = _Reading(told, faction, parses=[listed, placed])
    for reading in placed.readings:
        if reading.command["type"] == "deploy":
            _merge(out.positions, reading.command["positions"])
            out.where = reading.span if out.where.end == 0 else out.where.cover(reading.span)
    standing = dict(_counts(out.positions))
    for reading in listed.readings:
        if reading.command["type"] in _HIRES:
            unit, count = str(reading.command["unit"]), reading.command["count"]
            cells = [units.get(unit) for units in out.positions.values() if isinstance(units, dict)]
            if count in (*cells, standing.get(unit)) and reading.span.touches(out.where):
                continue  # the same units, read at their place as well
            out.totals[unit] = out.totals.get(unit, 0) + int(count)
    for unit, count in standing.items():
        if unit not in out.totals:
            out.totals[unit] = count
    unknown = {u for units in out.positions.values() if isinstance(units, dict) for u in units} - out.totals.keys()
    for unit in sorted(unknown):
        out.problems.append(ask("how_many", out.where, code="E_COUNT", unit=game_data().units[unit].plural))
    out.totals = {unit: count for unit, count in out.totals.items() if count > 0}
    spans = [r.span for p in out.parses for r in p.readings if r.command["type"] in (*_HIRES, "deploy", "maneuver")]
    for parse in (listed, placed):
        for problem in parse.problems:
            if not _maneuvering(parse, problem) and not _answered(part, problem, spans):
                _add(out.doubts, problem)
    for ignored in listed.ignored:
        if names_unit(part[ignored.span.start : ignored.span.end]) and not any(ignored.span.touches(s) for s in spans):
            _add(out.doubts, ask("unread", ignored.span, text=part[ignored.span.start : ignored.span.end]))
    if not out.totals and not out.trouble:
        out.problems.append(ask("nobody", _around(told)))
    return out


def _without_manoeuvres(faction: FactionId, part: str) -> str:
    """The text with its manoeuvres blanked out: «лучники в укрытие» places nobody."""
    planned = _parse(faction, "planning", _without_units(faction, part), "")
    spans = [r.span for r in planned.readings if r.command["type"] == "maneuver"]
    spans += [p.span for p in planned.problems if p.span is not None and (p.draft or {}).get("type") == "maneuver"]
    units = _hired(_parse(faction, "orders", part, ""))
    return _blank(part, [span for span in spans if not any(span.touches(other) for other in units)])


def _without_units(faction: FactionId, part: str) -> str:
    """The text without the units that are only counted: a list without a full stop would run into the manoeuvre after it."""
    return _blank(part, _hired(_parse(faction, "orders", part, "")))


def _hired(parse: Parse) -> list[Span]:
    """Where units are counted."""
    return [r.span for r in parse.readings if r.command["type"] in _HIRES]


def _blank(text: str, spans: Iterable[Span]) -> str:
    kept = list(text)
    for span in spans:
        kept[span.start : span.end] = [c if c.isspace() else " " for c in text[span.start : span.end]]
    return "".join(kept)


def _answered(text: str, problem: Problem, spans: Sequence[Span]) -> bool:
    """What one reading asks about another has read: nothing that matters is left of the words in doubt."""
    if problem.span is None or not any(problem.span.touches(span) for span in spans):
        return False
    span = problem.span
    left = "".join(" " if any(at in s for s in spans) else text[at] for at in range(span.start, span.end))
    return not names_unit(left) and not any(c.isdigit() for c in left)


def _maneuvering(parse: Parse, problem: Problem) -> bool:
    """A question about a manoeuvre: it is read once the squads stand."""
    draft = problem.draft or {}
    return draft.get("type") == "maneuver" or problem.code in ("E_PHASE",)


def _counts(positions: dict[str, Any]) -> Iterable[tuple[UnitId, int]]:
    """Units placed by number, in all places together."""
    out: dict[UnitId, int] = {}
    for units in positions.values():
        for unit, count in units.items() if isinstance(units, dict) else ():
            if isinstance(count, int):
                out[unit] = out.get(unit, 0) + count
    return out.items()


def _merge(into: dict[str, Any], positions: dict[str, Any]) -> None:
    for place, units in positions.items():
        held = into.get(place)
        into[place] = {**held, **units} if isinstance(held, dict) and isinstance(units, dict) else units


def _deployed(side: _Reading) -> SideSetup:
    """The side on its places; what was wrong goes to its problems."""
    told = side.told
    force = Force(GARRISON if told.garrison else "army", side.totals, told.favored)
    deployment = deploy([force], side.positions)
    at = side.where if side.where.end else _around(told)
    side.problems += [_refused(refusal, at) for refusal in deployment.refusals if side.positions]
    return SideSetup(side.faction, deployment.squads, shot_bonus=told.shot_bonus)


# ------------------------------------------------------------------------------------------------ manoeuvres


def _orders(text: str, read: list[_Reading], placed: list[SideSetup], index: int) -> list[Order]:
    """A side's manoeuvres, read with both boards before its eyes."""
    side = read[index]
    part = _without_units(side.faction, side.told.only(text))
    parse = _parse(side.faction, "planning", part, "", _battle(read, placed, index))
    out = []
    for reading in parse.readings:
        if reading.command["type"] == "maneuver":
            fields = {name: reading.command.get(name) for name in ("position", "maneuver", "target", "path", "free_move")}
            out.append(Order(**fields, span=reading.span))  # type: ignore[arg-type]
    units = [r.span for p in side.parses for r in p.readings if r.command["type"] in (*_HIRES, "deploy")]
    for problem in parse.problems:
        if not any(problem.span and problem.span.touches(span) for span in units):
            _add(side.problems, problem)
    known = [o.span for o in out] + [p.span for p in side.problems if p.span]
    for doubt in side.doubts:
        if not any(doubt.span and doubt.span.touches(span) for span in known):
            _add(side.problems, doubt)
    side.parses.append(parse)
    return out


def _battle(read: list[_Reading], placed: list[SideSetup], index: int) -> Battle:
    """The battle as the reader's state would hold it. Sides of one faction: the reader's own is found first."""
    sides = [Side(faction=r.faction, board=board_json(s.squads)) for r, s in zip(read, placed, strict=True)]
    if read[0].faction == read[1].faction:
        sides[1 - index].faction = None
    city = next(iter(_state().cities))
    return Battle(id=city, attack=Attack(attacker=read[0].faction, target=city, armies=[1]), attacker=sides[0], defender=sides[1])


# ------------------------------------------------------------------------------------------------ the order language


@cache
def _state() -> State:
    """Names of cities and factions, of the default scenario."""
    return scenario.new_game(scenario.load_scenario(None))


def _parse(faction: FactionId, kind: str, text: str, lead: str, battle: Battle | None = None) -> Parse:
    """What a player of that faction would have written by this text; `lead`, put before it, is taken out of all places again."""
    state = _state().model_copy(update={"battles": [battle] if battle is not None else []})
    parse = order_language(View(only(faction), state), kind).parse(from_text(lead + text))
    if not lead:
        return parse

    def back(span: Span) -> Span:
        return Span(max(0, span.start - len(lead)), max(0, span.end - len(lead)))

    return replace(
        parse,
        text=text,
        readings=tuple(replace(r, span=back(r.span)) for r in parse.readings),
        problems=tuple(replace(p, span=back(p.span) if p.span else None) for p in parse.problems),
        ignored=tuple(replace(i, span=back(i.span)) for i in parse.ignored),
    )


# ------------------------------------------------------------------------------------------------ problems and words


def _around(told: Told) -> Span:
    """A side's own words."""
    return told.spans[0]


def _add(problems: list[Problem], problem: Problem) -> None:
    if all((p.code, p.span) != (problem.code, problem.span) for p in problems):
        problems.append(problem)


def _refused(refusal: Refusal, span: Span) -> Problem:
    """A refusal of the rules at its place. What the deployment or a manoeuvre can't be is no battle to count."""
    mild = refusal.kept or refusal.code.startswith("W_")
    grave = Severity.ERROR if severity(refusal.code) is Severity.WARNING else severity(refusal.code)
    return Problem(refusal.code, Severity.WARNING if mild else grave, refusal.message, span, rule=refusal.rule)


def _skipped(text: str, side: _Reading) -> list[Problem]:
    """Words that no reading used: shown, that nothing is lost unseen; units and numbers among them are no mere words."""
    used = [False] * len(text)
    for parse in side.parses:
        for reading in parse.readings:
            if reading.command["type"] in (*_HIRES, "deploy", "maneuver"):
                for span in (reading.span, *reading.extra_spans):
                    used[span.start : span.end] = [True] * (span.end - span.start)
    out = []
    before = [side.told.before] if side.told.before is not None else []
    for span in (*before, *side.told.spans):
        start = span.start
        while start < span.end:
            end = start
            while end < span.end and not used[end]:
                end += 1
            words = text[start:end].strip(" \t\n.,;:!?—–-")
            if any(c.isalnum() for c in words) and not mere_links(words):
                begin = text.index(words, start)
                at = Span(begin, begin + len(words))
                if not any(p.span and p.span.touches(at) for p in side.problems):
                    grave = names_unit(words) or any(c.isdigit() for c in words)
                    out.append(ask("unread" if grave else "skipped", at, mild=not grave, text=words))
            start = end + 1
    return out


def _understood(side: _Reading, setup: SideSetup) -> Iterable[str]:
    """«Империя: центральный авангард — 6 копейщиков; …», then its manoeuvres."""
    said, places, known = texts()["prose"]["asks"], game_data().places, game_data().units
    name = game_data().factions[side.faction].name_ru + (said["garrison"] if side.told.garrison else "")
    squads = "; ".join(
        said["placed"].format(place=places[place][0], units=", ".join(counted(g.count, known[g.unit]) for g in groups))
        for place, groups in setup.squads.items()
    )
    yield said["understood"].format(side=name, deployment=squads)
    names = texts()["maneuvers"]
    for order in setup.maneuvers:
        if order.free_move is not None:
            yield "  " + said["maneuver_at"].format(
                place=places[order.place][0], name=names["free"], target=places[order.free_move][0]
            )
        if order.kind is None:
            continue
        target = [order.target] if order.target is not None else list(order.path)
        template = "maneuver_at" if target else "maneuver"
        shown = ", ".join(places[cell][0] for cell in target)
        yield "  " + said[template].format(place=places[order.place][0], name=names[order.kind], target=shown)
