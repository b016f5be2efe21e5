"""Permissions: who may enter a building, who may appear on a land (R12, R32)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot
from parsers.tokens import Kind
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import (
    BAD,
    BTYPE,
    CELLS,
    LAND,
    PLACES,
    called,
)


def _verdict(said: Said) -> bool | None:
    """Allowed or denied; None where neither was said."""
    if said.has("deny"):
        return False
    return True if said.has("allow", "let") else None


def _verdict_for(said: Said, player: str, allowed: bool) -> bool:
    """Where some are let in and others not, the word nearest to a player counts; commas part."""
    denials = said.words("deny")
    # «пускать запрещаю»: the one word is the other's object
    words = [a for a in said.words("allow") if all(abs(a.first - d.first) > 3 for d in denials)] + denials
    tokens = said.context.layout.tokens
    atom = next((a for a in said.atoms("players") if said.player_of(a) == player), None)
    if atom is None:
        return allowed
    for at in range(atom.last, min(atom.last + 2, len(tokens))):  # «…, Гхашу — нет»
        ends = at + 1 == len(tokens) or tokens[at + 1].kind is not Kind.WORD
        if tokens[at].norm in _ANSWERS and ends:
            return tokens[at].norm in _YES
    if not denials or len(words) == len(denials):
        return allowed

    def distance(word: Atom) -> int:
        low, high = sorted((word.first, atom.first))
        return high - low + 4 * sum(1 for t in tokens[low:high] if t.norm in {",", ";", "."})

    return not min(words, key=distance).has("deny")


def _broken_off(said: Said) -> bool:
    """«Пускаю Железную… тьфу, свои и так ходят»: a slip right behind."""
    tokens = said.context.layout.tokens
    return any(t.norm in _SLIPS for t in tokens[said.match.last : said.match.last + 5])


_SLIPS = frozenset(tables()["slips"]["words"])


def _without_walls(said: Said) -> set[str]:
    """Whose entry goes without the walls; `""`: everybody's. «Торгриму можно, но без стен, Радомиру тоже»: the one named before;
    a sentence behind counts where it names nobody else."""
    found = said.near("no_walls", behind=8)
    if found is None:
        return set()
    sentence_of = said.context.layout.sentence_of
    people = said.atoms("players")
    if sentence_of[found.first] != said.match.sentence:
        others = any(a.has("player") for a in said.context.by_sentence.get(sentence_of[found.first], ()))
        return set() if others and not any(sentence_of[a.first] == sentence_of[found.first] for a in people) else {""}
    ahead = [a for a in people if a.first < found.first]
    if len(people) < 2 or not ahead:
        return {""}
    apart = len(ahead) < len(people) or any(
        a.has("allow", "yes_word") and ahead[-2].last <= a.first < ahead[-1].first for a in said.match.atoms
    )
    return {said.player_of(ahead[-1]) or ""} if apart else {""}


def _torn(said: Said) -> bool:
    """«Пущу Торгрима… нет, не пущу», «пускать его, и больше никого»: both verdicts of one player, neither the other's object."""
    yes = [a for a in said.words("allow") if not a.has("deny", "entry")]
    return any(abs(a.first - d.first) > _VERDICTS for a in yes for d in said.words("deny"))


_VERDICTS = 3
"""Tokens between the two words of one verdict at most («пускать Гхаша запрещаю»)."""
_YES = frozenset(tables()["verdict"]["yes"])
_ANSWERS = _YES | frozenset(tables()["verdict"]["no"])


def _entry_score(fill: Fill) -> float | None:
    slots = fill.slots
    who = slots.keys() & {"players", "units", "everyone"}
    where = slots.keys() & {"places", "btype", "cells", "place_ref", "garrison"}
    if any(a.has("spawn") for a in fill.atoms):
        return None  # «может появиться»: on a land
    if not called(fill, "allow", "deny"):
        # «пусть войска Аэлин заходят в Трон»
        visiting = called(fill, "let") and any(a.has("entry") for a in fill.atoms)
        return 0.5 if visiting and "players" in slots and where and "units" not in slots else None
    if not who or not where:
        if "place_ref" in slots and who:
            return 0.0
        if who and called(fill, "allow", "deny") and not slots.keys() & {"units"}:
            return -1.4
        return 0.0 if who and called(fill, "deny") and any(a.has("revoked") for a in fill.atoms) else None
    return 1.3 if "players" in slots else 0.5


@maker
def _entry(said: Said) -> Iterable[Output]:
    said.check_cells()
    allowed = _verdict(said)
    refs = said.atoms("place_ref")
    last = said.last
    if refs and last.get("type") in ("allow_spawn", "deny_spawn"):
        command = {k: v for k, v in last.items() if k in ("province", "cell")}
        return [said.read({"type": "allow_spawn" if allowed else "deny_spawn", **command, "player": said.player()})]
    building = said.building(slots=("places", "garrison", "cells"))
    landed = building is None and not said.atoms("btype") and last.get("type") in ("allow_spawn", "deny_spawn")
    if landed and not refs and said.atoms("players"):  # «Радомиру появиться можно. Торгриму нельзя.»
        where = {k: v for k, v in last.items() if k in ("province", "cell")}
        kind = "allow_spawn" if allowed else "deny_spawn"
        return [said.read({"type": kind, **where, "player": said.player()})]
    if building is None and refs and last.get("building"):
        building = str(last["building"])
    if building is None and not refs and said.has("revoked"):
        own = [b for b in said.state.buildings.values() if b.owner == said.me and said.value("players") in b.permits]
        own = own or said.buildings("lord_house", said.me)
        building = own[0].cell if len(own) == 1 else None
    if building is None and last.get("type") in ("allow_entry", "deny_entry"):
        building = str(last["building"])
        if not said.goes_on():
            said.unsure(f"строение не названо: понято как {said.building_title(building)}")
    if building is None and not any(a.text.lower().startswith("не ") or a.has("revoked", "entry") for a in said.match.atoms):
        return []
    if building is None:
        raise said.stop("ambiguous", "В какое строение? Назовите его или клетку.")
    if len(said.atoms("btype")) > 1:
        said.unsure("названо несколько строений")
    named = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    unit = None
    owners: list[str] = []
    if any(a.has("unit") for a in said.atoms("units")):  # «Дружине Радомира вход разрешён (одной ей)»
        spoken = {said.player_of(a) for a in said.atoms("players") if not a.has("~person")}
        named = [p for p in named if p in spoken]
    for atom in said.atoms("units"):
        found = said.candidates(atom) if not atom.has("~person") else []
        others = [u for u in found if not said.mine(u)]
        race = atom.get("utype")
        if len(others) == 1 and said.unit_object(others[0]) is not None:
            owner = said.state.units[others[0]].owner
            if owner and (not named or owner in named):  # «Стража, пропустите Радомира»
                owners.append(owner)
                unit = others[0] if atom.has("unit") else None
        elif race is not None:
            owner = said.of_race(str(race.value))
            if owner:
                owners.append(owner)
    players = list(dict.fromkeys(owners if unit else [*named, *owners]))
    mine = [u for a in said.atoms("units") if not a.has("~person") for u in said.candidates(a) if said.mine(u)]
    if not players and len(mine) == 1 and _broken_off(said):
        return []
    if not players and len(mine) == 1:
        players, unit = [said.me], mine[0]  # the rules tell that he needs no permission
    if not players and any(a.data.get("own") for a in said.atoms("players")):
        players = [said.me]
    if not players:
        if said.has("~all", "everyone") or said.near("everyone", "~all"):
            players = ["all"]
        else:
            raise said.stop("ambiguous", "Чьи войска? Назовите игрока.", draft={"type": "allow_entry", "building": building})
    walls_off = _without_walls(said)
    if len(players) == 1 and _torn(said):
        said.unsure("сказано и «да», и «нет»")
    out: list[Output] = []
    for player in players:
        yes = _verdict_for(said, player, bool(allowed))
        kind = "allow_entry" if yes else "deny_entry"
        walls = False if yes and (player in walls_off or "" in walls_off) else None
        out.append(said.read({"type": kind, "building": building, "player": player, "unit": unit, "walls": walls}))
    return out


def _spawn_score(fill: Fill) -> float | None:
    verdict = called(fill, "allow", "deny") or "let" in fill.slots
    if called(fill, "spawn") and verdict and fill.slots.keys() & {"players", "everyone", "land", "own_land", "newcomers"}:
        return 1.0
    landed = fill.slots.keys() & {"land", "own_land"} and not fill.slots.keys() & {"places", "btype", "cells"}
    if called(fill, "allow", "deny") and landed and "players" in fill.slots:
        return 0.8  # «Радомира в Эльфийский лес не пускать»
    if called(fill, "deny") and "newcomers" in fill.slots and fill.slots.keys() & {"own_land", "land"}:
        return 1.2
    return None


@maker
def _spawn(said: Said) -> Iterable[Output]:
    said.check_cells()
    allowed = bool(_verdict(said))
    players = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    everyone = not players
    command: dict[str, Any] = {}
    lands = [s.value for a in said.atoms("land") for s in a.all("province")]
    if lands:
        command["province"] = lands[0]
        if said.atoms("cells"):
            command["cell"] = said.cells()[0]
    else:
        cell = said.building()
        if cell is not None:
            command["cell"] = cell
        elif said.has("~place", "there"):
            last = said.last if str(said.last.get("type")).endswith("_spawn") else {}
            command.update({k: v for k, v in last.items() if k in ("province", "cell")})
    kind = "allow_spawn" if allowed else "deny_spawn"
    if everyone:
        return [said.read({"type": kind, **command, "player": "all"})]
    return [
        said.read({"type": "allow_spawn" if _verdict_for(said, p, allowed) else "deny_spawn", **command, "player": p})
        for p in dict.fromkeys(players)
    ]


FRAMES = (
    Frame(
        "entry",
        ("allow", "deny", "let"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.1),
            Slot("units", ("unit", "utype"), many=True, weight=0.9),
            PLACES,
            BTYPE,
            CELLS,
            Slot("garrison", ("garrison",)),
            BAD,
            Slot("place_ref", ("~place", "there"), weight=0.8),
            Slot("everyone", ("~all", "everyone"), weight=0.4),
            Slot("revoked", ("revoked",), weight=0.4),
            Slot("answer", ("no_word", "yes_word", "refuse"), many=True, weight=0.2),
        ),
        noise=frozenset(
            {
                "entry",
                "troops",
                "commander_word",
                "no_walls",
                "only",
                "from_now",
                "go",
                "agree",
                "me",
                "on_arrive",
                "mine_land",
                "door",
                "repeat",
                "land_word",
                "stay",
                "number",
            }
        ),
        at_most={"players": 3, "units": 2, "cells": 1, "places": 1, "btype": 2},
        score=_entry_score,
        make=_entry,
        inherits=False,
    ),
    Frame(
        "spawn",
        ("spawn", "allow", "deny"),
        (
            Slot("players", ("player",), many=True, refs=("~person",)),
            LAND,
            PLACES,
            BTYPE,
            CELLS,
            BAD,
            Slot("own_land", ("mine_land", "land_word"), many=True, weight=0.5),
            Slot("everyone", ("~all",), weight=0.4),
            Slot("newcomers", ("commander_word",), many=True, weight=0.5),
            Slot("place_ref", ("~place", "there"), weight=0.5),
            Slot("let", ("let",), weight=0.4),
            Slot("answer", ("no_word", "yes_word", "refuse"), many=True, weight=0.2),
        ),
        noise=frozenset({"on_arrive", "on_near", "entry", "troops", "from_now", "agree", "me", "enter_game", "to_me"}),
        at_most={"players": 3, "cells": 1, "places": 1, "btype": 1},
        score=_spawn_score,
        make=_spawn,
        inherits=False,
        weight=0.3,
    ),
)
