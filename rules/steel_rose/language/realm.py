"""The frames of the orders of a turn (§3.1): cities, hiring, armies, diplomacy, the powers of each faction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from parsers.frames import Frame, Slot
from rules.steel_rose.language.armies import make_army, score_army
from rules.steel_rose.language.cities import (
    make_build,
    make_cleanse,
    make_restore,
    make_sell,
    make_upgrade,
    score_build,
    score_cleanse,
    score_restore,
    score_upgrade,
)
from rules.steel_rose.language.common import CITY, EVERYWHERE, LEVEL, MONEY, SQUADS, TOWN, wants
from rules.steel_rose.language.diplomacy import (
    make_alliance,
    make_betray,
    make_demons,
    score_alliance,
    score_betray,
    score_demons,
)
from rules.steel_rose.language.names import CULT, OGRES
from rules.steel_rose.language.powers import (
    make_camp,
    make_garrison_mobile,
    make_last_turn,
    make_mobile,
    make_pass,
    make_restart,
    make_retreat,
    make_ritual,
    make_spell,
    make_strange_magic,
    make_transfer,
    score_foreign_ritual,
    score_garrison_mobile,
    score_mobile,
    score_ritual,
    score_spell,
    score_transfer,
)
from rules.steel_rose.language.units import make_disband, make_hire, score_disband, score_hire

_FOR_US = "wanted"
"""«распустите мне троих», «постройте нам барак»: the words with which one keeps a city say nothing beside other verbs."""


def _key(*names: str) -> Callable[[Any], Any]:
    return lambda command: (command.get("type"), *(command.get(n) for n in names))


def frames(me: str | None) -> tuple[Frame, ...]:
    """The frames of a turn's orders for a reader of this faction."""
    out = [
        Frame(
            "build",
            ("build", "rebuild"),
            (
                Slot("building", ("building",), many=True, weight=1.1),
                Slot("city", CITY, many=True, refs=("~place",), preps=frozenset({"в", "на", "-", "во"}), weight=1.5),
                MONEY,
            ),
            bare=(frozenset({"building"}), frozenset({"city"})),
            noise=frozenset(
                {
                    "too",
                    "number",
                    "~once_more",
                    "level",
                    "arrow",
                    "alliance",
                    "~same",
                    _FOR_US,
                    *EVERYWHERE,
                    *(TOWN[1:] if me == OGRES else ()),
                }
            ),
            score=score_build,
            make=make_build,
            key=_key("city", "building"),
        ),
        Frame(
            "sell_building",
            ("sell", "minus"),
            (
                Slot("building", ("building",), required=True, many=True, weight=0.7),
                Slot("city", CITY, refs=("~place",), preps=frozenset({"в", "на", "-", "во"}), weight=1.5),
                MONEY,
            ),
            make=make_sell,
            score=wants(("building",), bonus=0.3),
            key=_key("city", "building"),
        ),
        Frame(
            "upgrade_city",
            ("upgrade", "rebuild", "levelword"),
            (
                Slot("city", CITY, many=True, refs=("~place",)),
                LEVEL,
                Slot("ordinal", ("ordinal", "number"), many=True, weight=0.4),
                MONEY,
            ),
            bare=(frozenset({"city", "level"}), frozenset({"city", "ordinal"})),
            noise=frozenset({"levelword", "arrow", "town", "gold", "first", _FOR_US}),
            score=score_upgrade,
            make=make_upgrade,
            key=_key("city"),
        ),
        Frame(
            "restore_ruins",
            ("restore", "rebuild", "ruins"),
            (Slot("city", CITY, required=True, refs=("~place",)), MONEY),
            asides=frozenset({"за"}),
            score=score_restore,
            make=make_restore,
            key=_key("city"),
        ),
        Frame(
            "cleanse_corruption",
            ("cleanse", "corruption"),
            (Slot("city", (*CITY, "origin"), many=True, refs=("~place",)), MONEY),
            noise=frozenset({"pay", "ritual", "unit", "building", _FOR_US}),
            score=score_cleanse,
            make=make_cleanse,
            key=_key("city"),
        ),
        Frame(
            "hire",
            ("hire", "mercenary", "money", "vague"),
            (SQUADS, Slot("number", ("number", "~amount"), weight=0.8), MONEY),
            bare=(frozenset({"squads"}),),
            noise=frozenset(
                {"town", "too", "faction", "mobile", "money", "~once_more", "gold", "accept", "vague", "armyword", _FOR_US}
            ),
            score=score_hire,
            make=make_hire,
            key=_key("unit"),
        ),
        Frame(
            "disband",
            ("disband", "minus"),
            (SQUADS, Slot("number", ("number", "~all", "~half", "~rest", "~amount"), weight=0.8), MONEY),
            noise=frozenset({"attack", "go", "out", "armyword", "retreat", "building", _FOR_US}),
            score=score_disband,
            make=make_disband,
            key=_key("unit"),
        ),
        Frame(
            "army_order",
            ("army", "armyword", "armynumber", "botharmies", "attack", "defend", "disperse", "target", "gather"),
            (
                SQUADS,
                Slot("everyone", ("~all", "~rest"), many=True, weight=0.5),
                Slot("city", CITY if me == OGRES else TOWN, refs=("~place",), weight=1.5),
            ),
            bare=(frozenset({"city", "squads"}), frozenset({"city", "everyone"})),
            noise=frozenset(
                {
                    "arrow",
                    "hire",
                    "stay",
                    "wanted",
                    "origin",
                    "ruins",
                    "army",
                    "armyword",
                    "armynumber",
                    "botharmies",
                    "seize",
                    "attack",
                    "defend",
                    "gather",
                    "~same",
                    "target",
                    "town",
                    "first",
                    "number",
                    "faction",
                }
            ),
            inherits=False,
            score=score_army,
            make=make_army,
            key=_key("army"),
        ),
        Frame(
            "alliance",
            ("alliance", "propose", "accept", "break", "ended", "decline"),
            (Slot("faction", ("faction",), many=True, refs=("~person",), weight=1.5),),
            noise=frozenset({"propose", "accept", "break", "alliance", "hire", "enemy", "ended", "decline", "transfer"}),
            at_most={"faction": 3},
            score=score_alliance,
            make=make_alliance,
            key=_key("faction"),
        ),
        Frame(
            "betray_ally",
            ("betray",),
            (
                Slot("faction", ("faction",), many=True, refs=("~person",), weight=1.2),
                Slot("city", CITY, many=True, weight=1.2),
            ),
            noise=frozenset({"betray", "seize", "hire", "alliance", "allyword", "enemy", "mercenary", "colonize", "wanted"}),
            inherits=False,
            make=make_betray,
            score=score_betray,
            key=_key("faction"),
        ),
        Frame(
            "transfer",
            ("transfer",),
            (
                Slot("money", ("gold", "honor", "mana", "hunger", "number"), many=True),
                SQUADS,
                Slot("faction", ("faction",), refs=("~person",), weight=1.2),
            ),
            noise=frozenset({"powder"}),
            inherits=False,
            score=score_transfer,
            make=make_transfer,
        ),
        Frame(
            "cast_spell",
            ("spell",),
            (
                Slot("city", CITY, many=True, refs=("~place",), weight=1.4),
                Slot("army", ("army", "armynumber", "armyword"), weight=1.2),
                Slot("faction", ("faction",), many=True, weight=1.4),
                MONEY,
            ),
            noise=frozenset({"cast", "origin", "ruins", "rebuild", "restore", "target", "spell", "attack", "go"}),
            inherits=False,
            score=score_spell,
            make=make_spell,
            key=_key("spell", "city"),
        ),
        Frame(
            "strange_magic",
            ("badmagic",),
            (Slot("city", CITY, many=True), Slot("faction", ("faction",), many=True)),
            inherits=False,
            make=make_strange_magic,
        ),
        Frame("pass", ("pass",), (), inherits=False, make=make_pass, noise=frozenset({"planning"})),
        Frame("last_turn", ("lastturn",), (Slot("rest", ("~rest", "~all")),), inherits=False, make=make_last_turn),
        Frame("retreat", ("retreat",), (), inherits=False, make=make_retreat, weight=-1.0),
        Frame("restart", ("restart",), (), inherits=False, make=make_restart, weight=0.5),
    ]
    ritual = Frame(
        "ritual",
        ("ritual",),
        (
            SQUADS,
            Slot("city", CITY, many=True, refs=("~place",), weight=1.5),
            Slot("army", ("army", "armynumber", "armyword"), weight=1.2),
            Slot("everyone", ("~all",), weight=0.3),
            MONEY,
        ),
        noise=frozenset(
            {
                "ritualword",
                "target",
                "~once_more",
                "cast",
                "ritual",
                "corruption",
                "build",
                "hire",
                "number",
                "seize",
                "colonize",
                "wanted",
                "gift",
                "arrow",
                "go",
                "attack",
            }
        ),
        inherits=False,
        score=score_ritual,
        make=make_ritual,
        key=_key("ritual", "city"),
    )
    if me == CULT:
        out.append(ritual)
    else:
        out.append(replace(ritual, score=score_foreign_ritual, weight=-0.3))
        out.append(
            Frame(
                "choose_demons",
                ("gift", "demonword", "hire", "propose"),
                (SQUADS, Slot("faction", ("faction",), weight=0.5), Slot("turn", ("number",), weight=0.1)),
                bare=(frozenset({"squads"}),),
                noise=frozenset({"hire", "gift", "demonword", "town", "propose", "free"}),
                inherits=False,
                score=score_demons,
                make=make_demons,
                key=_key(),
            )
        )
    if me == OGRES:
        out += [
            Frame(
                "move_mobile_city",
                ("mobile", "town", "go", "roadword"),
                (Slot("roads", ("road",), many=True, weight=1.5), Slot("city", CITY, many=True, weight=0.6)),
                at_most={"roads": 4},
                noise=frozenset({"number", "attack", "go", "stay", "roadword", "mobile", "town", "arrow", "first"}),
                score=score_mobile,
                make=make_mobile,
                key=_key(),
            ),
            Frame(
                "garrison_mobile",
                ("garrison", "defend", "stay", "wanted", "town", "mobile", "out"),
                (SQUADS, Slot("number", ("number", "~all"), weight=0.5)),
                noise=frozenset(
                    {
                        "wanted",
                        "stay",
                        "defend",
                        "m_defend",
                        "mobile",
                        "town",
                        "out",
                        "rebuild",
                        "build",
                        "seize",
                        "hire",
                        "armyword",
                    }
                ),
                score=score_garrison_mobile,
                inherits=False,
                make=make_garrison_mobile,
                key=_key("direction"),
            ),
        ]
    if me == CULT:
        out.append(
            Frame(
                "move_camp",
                ("camp",),
                (Slot("roads", ("road",), weight=1.5), Slot("city", CITY, many=True, weight=0.6)),
                noise=frozenset({"build", "roadword", "hire", "attack", "go", "faction", "m_move", "m_none", "stay"}),
                score=wants(("roads", "city"), bonus=0.4),
                make=make_camp,
                key=_key(),
            )
        )
    return tuple(out)
