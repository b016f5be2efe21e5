"""Frames of a battle (§3.2): deployment, garrison presets, manoeuvres, skipped planning, powder, a captured city's fate."""

from __future__ import annotations

from parsers.frames import Frame, Slot
from rules.steel_rose.language.common import CITY
from rules.steel_rose.language.deployment import make_deploy, make_garrison, score_deploy, score_garrison
from rules.steel_rose.language.fates import (
    CAPTURES,
    make_capture,
    make_powder,
    make_skip,
    score_capture,
    score_powder,
    score_skip,
)
from rules.steel_rose.language.maneuver_scores import MANEUVERS, score_maneuver
from rules.steel_rose.language.maneuvers import maker_maneuver
from rules.steel_rose.language.names import OGRES

WHO = Slot("who", ("squad", "unit", "~rest", "~all", "nobody"), many=True, weight=0.8)
PLACE = Slot("place", ("cell", "flank", "row", "they", "badplace", "reserve", "~place"), many=True, weight=0.8)
BATTLE = Slot("battle", ("city", "mobile"), weight=0.5)


_STANDING = frozenset({"number", "evenly", "battleword", "build", "minus", "~correction", "hire", "too", "first"})
_AROUND = {
    "deployment": frozenset({*MANEUVERS, "attack", "go", "defend", "stay", "army", "armyword", "garrison", "gather", "camp"})
}
"""Words that stand in a deployment without meaning there («встают», «прячутся за ними», «армию и гарнизон»)."""


def frames(me: str | None, kind: str | None) -> tuple[Frame, ...]:
    """The frames of a battle for a reader of this faction in this step."""
    deploys = {"deployment": 0.9, "orders": -0.6, "planning": -1.0, "capture": -0.6}.get(kind or "", 0.2)
    plans = {"planning": 0.8, "deployment": -1.6, "orders": -1.2, "capture": -0.6}.get(kind or "", 0.0)
    out = [
        Frame(
            "deploy",
            ("deployword", "cell", "flank", "row", "badplace", *(("they", "~place", "reserve") if kind == "deployment" else ())),
            (WHO, PLACE, BATTLE),
            bare=(frozenset({"who"}),) if kind == "deployment" else (),
            noise=_STANDING | _AROUND.get(kind or "", frozenset()),
            at_most={"who": 16, "place": 12},
            asides=frozenset({"от", "для", "против"}),
            incomplete=False,
            inherits=False,
            score=score_deploy(deploys),
            make=make_deploy,
            key=id,  # a correction changes what it names; the other lines of the deployment stay
        ),
        Frame(
            "maneuver",
            (*MANEUVERS, "free", "attack") if kind == "planning" else MANEUVERS,
            (
                Slot("place", ("cell", "flank", "row"), many=True, refs=("~place",), weight=0.9),
                Slot("units", ("unit", "squad"), many=True, weight=0.6),
                Slot("everyone", ("~all",), weight=0.6),
                BATTLE,
            ),
            at_most={"place": 5, "units": 3},
            noise=frozenset(
                {
                    "enemy",
                    "free",
                    "through",
                    "target",
                    "too",
                    "attack",
                    "defend",
                    "m_move",
                    *MANEUVERS,
                    "first",
                    "battleword",
                    "go",
                    "arrow",
                    "build",
                    "armyword",
                    "planning",
                    "~same",
                }
            ),
            weight=plans,
            score=score_maneuver(plans),
            make=maker_maneuver(kind),
            key=lambda command: ("maneuver", command.get("position")),
        ),
        Frame(
            "skip_planning",
            ("skipnow", "planning", "skip"),
            (BATTLE,),
            noise=frozenset(
                {"planning", "skip", "skipnow", "garrison", "town", "battleword", "m_none", "defend", "stay", "number"}
            ),
            inherits=False,
            score=score_skip,
            make=make_skip,
        ),
        Frame(
            "capture_choice",
            CAPTURES,
            (
                Slot("capture_city", CITY, refs=("~place",), weight=0.85),
                Slot("ruins", ("ruins",), weight=0.6),
                Slot("wish", ("wanted", "unwanted"), many=True, weight=0.3),
            ),
            noise=frozenset({"town", *CAPTURES, "hire", "seize", "build", "sell"}),
            inherits=False,
            score=score_capture,
            make=make_capture,
            key=lambda command: ("capture", command.get("city")),
        ),
    ]
    if me == "principality" or me is None:
        out.append(
            Frame(
                "allocate_powder",
                ("powder", "first", "load", "deny"),
                (Slot("units", ("unit", "squad"), many=True, weight=1.2), BATTLE),
                noise=frozenset({"first", "load", "deny", "powder", "garrison", "~rest", "row", "they"}),
                inherits=False,
                score=score_powder,
                make=make_powder,
            )
        )
    if me != OGRES:
        out.append(
            Frame(
                "set_garrison_deployment",
                ("garrison", "garrisons", "everywhere"),
                (Slot("city", CITY, many=True, weight=1.2), WHO, PLACE),
                bare=(frozenset({"city", "who", "place"}),),
                at_most={"who": 16, "place": 12, "city": 6},
                noise=frozenset(
                    {"number", "evenly", "everywhere", "garrisons", "deployword", "default", "garrison", "too", "~same", "build"}
                    | {"stay", "m_none", "m_move", "attack", "gather", "defend"}  # «гарнизону стоять так», «занять позиции»
                ),
                inherits=False,
                weight=-0.5 if kind == "deployment" else 0.4,
                score=score_garrison,
                make=make_garrison,
                key=lambda command: ("garrison", command.get("city")),
            )
        )
    return tuple(out)
