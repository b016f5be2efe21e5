"""An army sent at a floating city: one barrage from above, no fight (R117)."""

from __future__ import annotations

from parsers.types import Json
from rules.base import only
from rules.steel_rose.battle.engine import bombard_only
from rules.steel_rose.battle.model import GARRISON, BattleSetup, Group, ManeuverOrder, SideSetup
from rules.steel_rose.data import Counts, game_data
from rules.steel_rose.losses import bury, honour
from rules.steel_rose.refusals import phrase
from rules.steel_rose.state import Attack, Side
from rules.steel_rose.state import Group as Band
from rules.steel_rose.turn import Turn


def bombard(turn: Turn, attack: Attack) -> None:
    """The garrison's shooters fire one Обстрел as one squad; the army goes home. Rescue and honour as in a battle."""
    state, data = turn.state, game_data()
    city = state.cities[attack.target]
    armies = state.factions[attack.attacker].armies
    groups = [Band(source=f"army:{n}", units=armies[n].units) for n in attack.armies if n in armies and armies[n].units]
    shooters = {u: c for u, c in city.garrison.items() if data.units[u].volley}
    side = Side(faction=attack.attacker, groups=groups)
    dead: Counts = {}
    if shooters and state.rules.floating_bombard and turn.dice is not None:
        army = tuple(Group(u, c, g.source) for g in groups for u, c in g.units.items())
        above = tuple(Group(u, c, GARRISON) for u, c in shooters.items())
        setup = BattleSetup(
            attacker=SideSetup(attack.attacker, {"CV": army}),
            defender=SideSetup(city.owner or "", {"CV": above}, (ManeuverOrder("CV", "bombard", "CV"),)),
            settings=state.rules,
        )
        result = bombard_only(setup, turn.dice.stream(phrase("stream_bombard", city=city.name_ru), secret=True), detailed=False)
        dead = bury(turn, side, result.tally(0), attack.target)
        honour(turn, attack.attacker, dead, attack.target)
    about = f"bombarded:{state.turn}:{state.wave}:{attack.target}:{attack.attacker}"
    facts: dict[str, Json] = {"city": attack.target, "attacker": attack.attacker, "defender": city.owner}
    parties = only(*(f for f in (attack.attacker, city.owner) if f is not None))
    turn.tell("bombarded", "R117", parties, about=about, detail=1, **facts, dead=dict(dead))
    turn.later("turn", "bombarded", "R117", about=about, **facts)
