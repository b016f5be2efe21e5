"""Reports from a view and the events its reader may see: the turn's story, own affairs, battles, the ledger (R75, §4.6)."""

from __future__ import annotations

from collections.abc import Sequence

from rules.base import Event, FactionId, Step
from rules.maps import LineChart
from rules.report import Block, Bullets, Column, FigureBlock, Lines, Report, Rich, Rule, Section, Strong, Table, para, rich, row
from rules.steel_rose import economy, victory
from rules.steel_rose.chart import chart
from rules.steel_rose.commands import MOBILE_CITY
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT
from rules.steel_rose.ledger import ledger
from rules.steel_rose.protocol import battle_section, board_section
from rules.steel_rose.refusals import amount, faction_name, listed, resource_name, units_text
from rules.steel_rose.state import City, State, number
from rules.steel_rose.turn import gain
from rules.steel_rose.view import View
from rules.steel_rose.wording import building_name, facts, place_name, word

HIDDEN = {"ledger", "refused", "waits"}
"""Events with a place of their own."""


def report(view: View, events: Sequence[Event], *, step: Step) -> Report:
    """The report of a closed step for the view's audience."""
    turn = int(step.id[1:3])
    ended = view.state.turn > turn or view.state.phase == "over"
    # Who has no part in the battles is not told by a title that there are any.
    outsider = step.kind != "orders" and not any(e.audience.factions is not None for e in events)
    phase = word("report", "underway" if outsider else step.kind)
    title = word("report", "turn_over", turn=turn) if ended else word("report", "title", turn=turn, phase=phase)
    story = [e for e in events if (e.audience.factions is None or e.kind == "battle") and e.kind not in HIDDEN]
    private = [e for e in events if e.audience.factions is not None and e.kind not in HIDDEN]
    lines = told(view.state, story)
    summary: tuple[Block, ...] = (Bullets(lines),) if lines else (para(word("report", "quiet")),)
    sections: list[Section] = []
    battles = [e for e in private if e.kind == "battle"]
    if battles:
        sections.append(Section(word("report", "battles"), tuple(battle_section(view, e) for e in battles), id="battles"))
    boards = [e for e in private if e.kind == "boards"]
    if boards:
        sections.append(Section(word("report", "boards"), tuple(board_section(view, e) for e in boards), id="boards"))
    sections += affairs(view, [e for e in private if e.kind not in ("battle", "boards")])
    refused = [e for e in events if e.kind == "refused"]
    if refused:
        items = tuple(rich(whose(view, e), f"{e.data['message']} ", Rule(e.rule)) for e in refused)
        sections.append(Section(word("report", "refused"), (Bullets(items),), id="refused"))
    for event in events:
        if event.kind == "ledger":
            sections.append(ledger(view.state, event.data, named=view.all_seeing))
    own = view.faction
    full = ended or step.kind == "orders"
    if full and own is not None and own in view.state.factions and view.state.owned(own, ruins=True):
        sections.append(city_list(view.state, own))
    if full and own == CULT and any(city.corruption for city in view.state.cities.values()):
        sections.append(corruption(view.state))
    return Report(title, summary, tuple(sections))


def told(state: State, events: Sequence[Event]) -> tuple[Rich, ...]:
    """The events as lines: a battle and what became of its city are one."""
    fates = {_fight_of(e): e for e in events if e.kind == "capture"}
    fights = {_fight_of(e) for e in events if e.kind == "battle"}
    out: list[Rich] = []
    for event in events:
        if event.kind == "capture" and _fight_of(event) in fights:
            continue
        line = sentence(state, event)
        if event.kind == "battle" and _fight_of(event) in fates:
            line = rich(*line, " ", *sentence(state, fates[_fight_of(event)], short=True))
        out.append(line)
    return tuple(out)


def _fight_of(event: Event) -> str:
    """Turn, wave and target of a battle or of a capture."""
    return (event.about or "").partition(":")[2]


def affairs(view: View, events: Sequence[Event]) -> list[Section]:
    """What concerns the reader alone; for the GM, faction by faction."""
    parties: dict[tuple[FactionId, ...], list[Event]] = {}
    for event in events:
        parties.setdefault(tuple(sorted(event.audience.factions or ())) if view.all_seeing else (), []).append(event)
    out = []
    for party, own in sorted(parties.items()):
        title = word("report", "affairs", factions=listed(faction_name(f) for f in party)) if party else word("report", "private")
        lines = (*told(view.state, [e for e in own if e.kind != "armies"]), *armies(view.state, own))
        out.append(Section(title, (Bullets(lines),), id="-".join(("own", *party))))
    return out


def armies(state: State, events: Sequence[Event]) -> list[Rich]:
    """This turn's armies, a line for each."""
    lines = []
    for event in events:
        for army_number, army in event.data["armies"].items() if event.kind == "armies" else ():
            goal = word("report", "army_goal", city=place_name(state, army["city"])) if army["city"] else ""
            name = word("report", "army_name", name=army["name"]) if army.get("name") else ""
            order = word("words", army["order"]) + goal
            text = word("report", "army", n=army_number, name=name, units=units_text(army["units"]), order=order)
            lines.append(rich(text, " ", Rule(event.rule)))
    return lines


def whose(view: View, event: Event) -> str:
    """Whom a private event concerns, for the GM."""
    named = listed(faction_name(f) for f in sorted(event.audience.factions or ()))
    return f"{named}: " if view.all_seeing and named else ""


def sentence(state: State, event: Event, *, short: bool = False) -> Rich:
    """An event as one line with its ruling."""
    values = facts(state, event.data)
    kind = event.kind
    if kind == "battle":
        winner = {"A": "battle_won_a", "B": "battle_won_b", None: "battle_draw"}[event.data["winner"]]
        side = "attacker" if event.data["winner"] == "A" else "defender"
        values["winner"] = word("report", winner, faction=values[side])
        if not event.data["fought"]:
            values["winner"] = word("event", "no_fight", winner=values["winner"])
        if event.data["battle"] == MOBILE_CITY:
            kind = "battle_mobile"
    elif kind == "capture" and event.data["choice"] == "take_ruins":
        kind = "capture_ruins"
    elif kind == "capture":
        kind = "capture_walkover" if event.data["walkover"] else kind
    elif kind == "bombarded" and "dead" in event.data:
        kind = "bombarded_detail" if event.data["dead"] else "bombarded_none"
    elif kind == "powder" and not event.data["out"]:
        kind = "powder_enough"
    elif kind == "divination":
        values["resource"] = resource_name(str(event.data["divination"]))
    elif kind == "gm":
        command = event.data["command"]
        values["text"] = str(command.get("text") or listed(f"{k} = {v}" for k, v in command.items() if k != "public"))
    elif kind == "ritual":
        result = str(event.data["ritual"]) + ("_taken" if event.data.get("taken") else "")
        return rich(word("event", kind, **values), word("ritual", result, **values), " ", Rule(event.rule))
    elif kind == "to_cult" and "how" in event.data:
        return rich(word("event", kind, **values), f" ({word('how', event.data['how'])}) ", Rule(event.rule))
    if short and kind.startswith("capture"):
        kind = "fate_ruins" if kind == "capture_ruins" else "fate"
    text = word("event", kind, **values)
    return rich(text, " ", Rule(event.rule)) if event.rule else rich(text)


# ------------------------------------------------------------------------------------------------ cities


def city_list(state: State, faction: str) -> Section:
    """The faction's cities in the game's own template (R75)."""
    lines: list[Rich] = []
    total = 0
    for city_id in state.owned(faction, ruins=True):
        city = state.cities[city_id]
        size = word("report", "large" if city.large else "small")
        if city.ruin:
            lines.append(rich(Strong(word("report", "city_ruin", name=city.name_ru, size=size))))
            continue
        income = gain(state, economy.nominal_income(city))
        total += income
        lines.append(rich(Strong(word("report", "city", name=city.name_ru, level=city.level, size=size)), corrupted(city)))
        lines.append(rich(word("report", "city_income", income=income)))
        lines.append(rich(word("report", "city_buildings", list=joined(city)) if city.buildings else word("report", "city_none")))
    lines.append(rich(Strong(word("report", "city_total", total=total))))
    return Section(word("report", "cities"), (Lines(tuple(lines)),), id="cities")


def corruption(state: State) -> Section:
    """What the cult alone knows: the corruption of every city (§4.6)."""
    full = game_data().hunger.corruption_full
    lines = tuple(
        rich(word("report", "corruption_line", city=city.name_ru, n=city.corruption, full=full))
        for city in state.cities.values()
        if city.corruption
    )
    return Section(word("report", "corruption_title"), (Bullets(lines),), id="corruption")


def corrupted(city: City) -> str:
    """What is known of its corruption."""
    return f" — {word('report', 'corruption', n=city.known_corruption)}" if city.known_corruption is not None else ""


def joined(city: City) -> str:
    """«a, b и c»."""
    names = [building_name(b) for b in city.buildings]
    if len(names) == 1:
        return names[0]
    return ", ".join(names[:-1]) + word("report", "and") + names[-1]


# ------------------------------------------------------------------------------------------------ standings


def standings(view: View) -> Report:
    """Factions, cities, the map; the reader's own treasury and troops."""
    state = view.state
    heads = ("faction", "status", "count", "ruins", "allies")
    columns = tuple(Column(word("report", key), numeric=key in ("count", "ruins")) for key in heads)
    rows = []
    for faction, owner in state.factions.items():
        cities = len(state.owned(faction)) + (1 if faction == "ogres" and state.mobile_city is not None else 0)
        ruins = len(state.owned(faction, ruins=True)) - len(state.owned(faction))
        allies = listed(faction_name(f) for f in state.allies(faction)) if state.allies(faction) else word("report", "none")
        rows.append(row(owner.name_ru, word("status", owner.status), str(cities), str(ruins), allies))
    title = word("report", "standings_over") if state.phase == "over" else word("report", "standings", turn=state.turn)
    blocks: list[Block] = [Table(columns, tuple(rows))]
    sections = [Section(word("report", "map"), (FigureBlock(chart(view), word("chart", "title", turn=state.turn)),), id="map")]
    shown = list(state.factions) if view.all_seeing else [f for f in state.factions if f == view.faction]
    for faction in shown:
        sections.append(_own(state, faction))
    if len(state.history) > 1:
        sections.append(_history(state))
    return Report(title, tuple(blocks), tuple(sections))


def _own(state: State, faction: str) -> Section:
    owner = state.factions[faction]
    kept = economy.kept_units(state, faction)
    columns = (
        Column(word("report", "treasury"), numeric=True),
        Column(resource_name(faction).capitalize(), numeric=True),
        Column(word("report", "reserve")),
    )
    table = Table(columns, (row(f"{owner.gold}", amount(number(owner.res)), units_text(kept)),))
    blocks: list[Block] = [table]
    cities = [state.cities[c] for c in state.owned(faction, ruins=True)]
    if cities:
        heads = ("cities", "level", "buildings", "garrison")
        columns = tuple(Column(word("report", key), numeric=key == "level") for key in heads)  # type: ignore[assignment]
        blocks.append(Table(columns, tuple(_city_row(city) for city in cities)))
    if owner.playing:
        blocks.append(goals(state, faction))
    return Section(owner.name_ru, tuple(blocks), id=f"own-{faction}")


def goals(state: State, faction: str) -> Section:
    """How far the faction is on its list (R158)."""
    owner, wanted = state.factions[faction], game_data().factions[faction].victory
    have = {"cities": len(state.owned(faction)), "gold": owner.gold, "raids": len(owner.raids)}
    lines: list[Rich] = []
    for key, met in victory.conditions(state, faction).items():
        if key == "destroy":
            text = word("goals", key, faction=faction_name(wanted[key]))
        elif key == "cities" and "must_hold" in wanted:
            city = state.target_name(wanted["must_hold"])
            text = word("goals", "cities_with", have=have[key], need=wanted[key], city=city)
        else:
            text = word("goals", key, have=amount(have.get(key, number(owner.res))), need=wanted[key])
        lines.append(rich(word("goals", "done", text=text) if met else text))
    return Section(word("goals", "title"), (Bullets(tuple(lines)),))


def _city_row(city: City) -> tuple[Rich, ...]:
    buildings = joined(city) if city.buildings else word("report", "none")
    return row(city.name_ru + corrupted(city), str(city.level), buildings, units_text(city.garrison))


def _history(state: State) -> Section:
    data = game_data().factions
    labels = tuple(str(book.turn) for book in state.history)
    series = tuple(
        (owner.name_ru, data[f].colour, tuple(float(book.cities.get(f, 0)) for book in state.history))
        for f, owner in state.factions.items()
    )
    figure = LineChart(word("report", "count"), labels, series)
    return Section(word("report", "count"), (FigureBlock(figure, word("report", "count")),), id="history")
