"""The map of Астрал: a side view with worlds at their heights and free shards at theirs (§9)."""

from __future__ import annotations

from rules.astral.messages import report_words
from rules.astral.state import Shard
from rules.astral.view import View
from rules.maps import FreeShard, HeightMap, World
from rules.maps import Shard as Circle

LANES = 100
"""Scenario coordinates run from 0 to this, left to right."""


def chart(view: View) -> HeightMap:
    """The heights as that view shows them; destroyed shards and dead owners aren't drawn."""
    game, words = view.game, report_words("map")
    free = tuple(
        FreeShard(circle(place), (place.x or 0) / LANES, place.height)
        for place in view.neutral.values()
        if place.height is not None
    )
    worlds = tuple(
        World(
            name=owner.name,
            colour=owner.color,
            x=owner.x / LANES,
            height=owner.height,
            shards=tuple(circle(game.shards[shard]) for shard in owner.shards),
            dormant=owner.status == "nothing",
        )
        for ident, owner in ((ident, game.owners[ident]) for ident in game.roster)
        if owner.status != "eliminated"
    )
    return HeightMap(
        title=game.title,
        low=game.settings.height_min,
        high=game.settings.height_max,
        free=free,
        worlds=worlds,
        dormant_label=words["nothing"],
        subtitle=words["subtitle"].format(turn=view.turn) if game.finished is None else words["end"],
    )


def circle(place: Shard) -> Circle:
    """A shard as a circle: its number or name, its size, a star for особенности."""
    return Circle(place.number or place.name, place.size, bool(place.features), place.name)
