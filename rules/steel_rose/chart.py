"""The road map as a view shows it (§7)."""

from __future__ import annotations

from rules.base import FactionId
from rules.maps import Arrow, Edge, GraphMap, LegendItem, Node, Token
from rules.steel_rose import economy
from rules.steel_rose.data import game_data
from rules.steel_rose.economy import CULT, OGRES
from rules.steel_rose.refusals import faction_name
from rules.steel_rose.state import City
from rules.steel_rose.view import View
from rules.steel_rose.wording import word

GREY = "#8c8c8c"


def chart(view: View) -> GraphMap:
    """Cities, roads, the mobile city, the camp where it may be known."""
    state = view.state
    colours = {f: data.colour for f, data in game_data().factions.items()}
    tokens = []
    if state.mobile_city is not None:
        tokens.append(Token(state.mobile_city.name_ru, colours[OGRES], state.mobile_city.road, "wagon"))
    if state.camp is not None:
        tokens.append(Token(word("chart", "camp"), colours[CULT], state.camp, "camp"))
    arrows = []
    for march in state.marches:
        if march.start is not None:
            arrows.append(Arrow(march.start, march.at, colours[march.attacker], result=march.result))
        else:
            tokens.append(Token(faction_name(march.attacker), colours[march.attacker], march.at))
    marched = word("chart", "marches", turn=state.turn - 1 if state.phase == "orders" else state.turn) if arrows else ""
    capitals = {c for f in state.factions for c in economy.capital(state, f)}
    nodes = tuple(
        Node(
            id=city_id,
            name=city.name_ru,
            at=(city.x, city.y),
            colour=_colour(colours, city.owner),
            size=city.level,
            large=city.large,
            ruin=city.ruin,
            capital=city_id in capitals,
            badges=_badges(view, city),
            floating=city.floating,
        )
        for city_id, city in state.cities.items()
    )
    legend = tuple(LegendItem(owner.name_ru, colours[f]) for f, owner in state.factions.items())
    return GraphMap(
        title=word("chart", "title", turn=state.turn),
        nodes=nodes,
        edges=tuple(Edge(a, b) for a, b in state.roads),
        tokens=tuple(tokens),
        arrows=tuple(arrows),
        subtitle=marched,
        legend=(*legend, LegendItem(word("chart", "ruin"), GREY)),
    )


def _colour(colours: dict[FactionId, str], owner: FactionId | None) -> str:
    return colours[owner] if owner is not None else GREY


def _badges(view: View, city: City) -> tuple[str, ...]:
    out = []
    if city.floating:
        out.append(word("chart", "floating"))
    elif city.floated:
        out.append(word("chart", "floated"))
    if city.corruption:
        out.append(word("chart", "corrupt", n=city.corruption))
    return tuple(out)
