"""Reads and plays the plain-text examples of this folder: a position, orders, dice, and what must come of it.

    E30 Рудник: вероятность 1/2 | R16 R66
      turn thorgrim
      unit D dwarves thorgrim И3
      > thorgrim: build unit=D what=mine level=gold
      dice 4
      close
      = И3.type mine_gold

Every line after the heading is carried out in order. `bare` boards have the default buildings and no troops; it is year 2 unless
`year` says otherwise. `portion` and `close` resolve with the orders gathered so far; `close` goes on through the card window.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rules.base import Event, Sheet, only, visible
from rules.dice import Dice, scripted_dice, seeded_dice
from rules.grand_strategy import RULESET
from rules.grand_strategy.flow import _start
from rules.grand_strategy.play import Play
from rules.grand_strategy.state import Building, State, Unit

HEADING = re.compile(r"^(?P<name>\S+) (?P<title>.*?) \| (?P<rules>R.*)$")


@dataclass(frozen=True)
class Story:
    """One example."""

    name: str
    title: str
    rules: tuple[str, ...]
    lines: tuple[str, ...]


def stories(path: Path) -> Iterator[Story]:
    """The examples of a file."""
    name, title, rules = "", "", ()
    lines: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        heading = HEADING.match(line)
        if heading:
            if name:
                yield Story(name, title, rules, tuple(lines))
            name, title, rules, lines = heading["name"], heading["title"], tuple(heading["rules"].split()), []
        elif line.strip() and not line.lstrip().startswith("#"):
            lines.append(line.strip())
    if name:
        yield Story(name, title, rules, tuple(lines))


def value(text: str) -> Any:
    """A value of a `key=value`: JSON, yes/no, a number, a comma list or a word."""
    if text[:1] in "{[":
        return json.loads(text)
    if text in ("true", "false"):
        return text == "true"
    if text == "null" or text == "-":
        return None
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return [value(part) for part in text.strip(",").split(",")] if "," in text else text


LISTS = ("path", "cards", "targets", "actions", "order", "units", "ally")


def command(text: str) -> Any:
    """`attack unit=E target=О5`."""
    kind, *rest = re.findall(r"(?:[^\s{\[<\"]|\{[^}]*\}+|\[[^\]]*\]|<[^>]*>)+", text)
    raw: dict[str, Any] = {"type": kind}
    for part in rest:
        key, _, text = part.partition("=")
        found = value(text)
        raw[key] = [found] if key in LISTS and not isinstance(found, list | dict) else found
    return RULESET.commands.parse(raw)


@dataclass
class Teller:
    """Plays a story's lines."""

    state: State = field(default_factory=lambda: RULESET.new_game(RULESET.load_scenario(None)))
    orders: dict[str, list[Any]] = field(default_factory=dict)
    dice: list[Any] | None = None
    events: list[Event] = field(default_factory=list)
    all_events: list[Event] = field(default_factory=list)
    started: bool = False
    seed: str | None = None

    def __post_init__(self) -> None:
        self.state = self.state.copy()
        self.state.tour = 2
        for unit in self.state.units.values():
            unit.blocked = None

    def play(self, lines: tuple[str, ...]) -> None:
        """All lines, in order."""
        for line in lines:
            word, _, rest = line.partition(" ")
            try:
                handler = {"=": self.equals, ">": self.order}.get(word) or getattr(self, "do_" + word)
                handler(rest.strip())
            except AssertionError as error:
                raise AssertionError(
                    f"{line}\n{error}\n" + "\n".join(f"{e.kind} {dict(e.data)}" for e in self.events[-12:])
                ) from error

    # ------------------------------------------------------------------ the position

    def do_bare(self, rest: str) -> None:
        self.state.units.clear()

    def do_year(self, rest: str) -> None:
        self.state.tour = int(rest)

    def do_turn(self, rest: str) -> None:
        order = self.state.order()
        self.state.active, self.state.phase = rest, "turn"
        self.state.played = order[: order.index(rest)]
        self.started = False

    def do_start(self, rest: str) -> None:
        """The start of the open turn: expiries, automatic attacks."""
        play = Play(self.state, scripted_dice([])[0])
        _start(play)
        self.events = play.events

    def do_unit(self, rest: str) -> None:
        unit_id, kind, owner, cell, *options = rest.split()
        unit = Unit(unit_id, kind, cell, None if owner == "-" else owner)
        for option in options:
            key, _, text = option.partition("=")
            setattr(unit, key, value(text) if text else True)
        unit.afloat = unit.afloat or self.state.board.is_sea(cell)
        if kind == "dragon":
            unit.lair = unit.lair or unit_id.removeprefix("dragon_")
            self.state.lairs[unit.lair].state = "away"
        self.state.units[unit_id] = unit

    def do_building(self, rest: str) -> None:
        cell, kind, owner = rest.split()
        old = self.state.buildings.get(cell)
        self.state.buildings[cell] = Building(cell, kind, None if owner == "-" else owner, old.name if old else "")

    def do_nobuilding(self, rest: str) -> None:
        for cell in rest.split():
            del self.state.buildings[cell]

    def do_money(self, rest: str) -> None:
        player, amount = rest.split()
        self.state.players[player].money = int(amount)

    def do_set(self, rest: str) -> None:
        """A path of the state's JSON and its new value."""
        path, text = rest.split(" ", 1)
        raw = RULESET.dump(self.state)
        *parents, last = self._path(path)
        place: Any = raw
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place[key]
        place[last] = value(text)
        self.state = RULESET.load(raw)

    def do_rule(self, rest: str) -> None:
        from rules.grand_strategy.scenario import with_setting

        name, text = rest.split(" ", 1)
        self.state.settings = with_setting(self.state.settings, name, value(text))

    # ------------------------------------------------------------------ orders

    def order(self, rest: str) -> None:
        faction, _, text = rest.partition(":")
        self.orders.setdefault(faction.strip(), []).append(command(text.strip()))

    def do_silent(self, rest: str) -> None:
        """Factions that wrote nothing valid."""
        for faction in rest.split():
            self.orders.setdefault(faction, [])

    def do_dice(self, rest: str) -> None:
        self.dice = [value(part) for part in rest.split()]

    def do_seed(self, rest: str) -> None:
        self.seed = rest

    def _resolve(self, *, closing: bool, dice: Dice) -> None:
        before = RULESET.dump(self.state)
        sheets = [Sheet(f, tuple(orders), i) for i, (f, orders) in enumerate(self.orders.items())]
        self.orders = {}
        outcome = RULESET.resolve(self.state, sheets, dice, closing=closing)
        assert RULESET.dump(self.state) == before, "the old state was changed"
        self.state = outcome.state
        self.events += outcome.events
        self.all_events += outcome.events
        again = RULESET.load(json.loads(json.dumps(RULESET.dump(self.state))))
        assert RULESET.dump(again) == RULESET.dump(self.state)

    def _dice(self) -> tuple[Dice, Any]:
        if self.seed is not None and self.dice is None:
            step = RULESET.step(self.state)
            return seeded_dice(self.seed, step.id if step else ""), None
        dice, source = scripted_dice(self.dice or [])
        self.dice = None
        return dice, source

    def do_portion(self, rest: str) -> None:
        self.events = []
        dice, source = self._dice()
        self._resolve(closing=False, dice=dice)
        assert source is None or source.left == 0, f"{source.left} dice left"

    def do_close(self, rest: str) -> None:
        """Closes the open step; after a turn also its card window, unless `close turn`."""
        self.events = []
        dice, source = self._dice()
        self._resolve(closing=True, dice=dice)
        while rest != "turn" and self.state.phase == "cards":
            if source is None:
                dice, _ = self._dice()
            self._resolve(closing=True, dice=dice)
        assert source is None or source.left == 0, f"{source.left} dice left"

    def do_until(self, rest: str) -> None:
        """Silent turns until that player's turn (and year) is open."""
        player, *year = rest.split()
        events: list[Event] = []
        for i in range(60):
            here = self.state.phase == "turn" and self.state.active == player
            if here and (self.state.tour == int(year[0]) if year else i > 0):
                break
            self.do_close("")
            events += self.events
        self.events = events
        assert self.state.active == player

    # ------------------------------------------------------------------ what must come of it

    def _path(self, path: str) -> list[str]:
        parts = path.split(".")
        if parts[0] in self.state.board and parts[0] not in ("units",):
            return ["buildings", *parts]
        if parts[0] in self.state.units:
            return ["units", *parts]
        if parts[0] in self.state.players:
            return ["players", *parts]
        return parts

    def get(self, path: str) -> Any:
        place: Any = RULESET.dump(self.state)
        for key in self._path(path):
            if isinstance(place, list):
                place = place[int(key)]
            else:
                place = place.get(key)
            if place is None:
                return None
        return place

    def equals(self, rest: str) -> None:
        """A path of the state's JSON has that value; fields at their default are left out there."""
        path, _, text = rest.partition(" ")
        found, wanted = self.get(path), value(text)
        if found is None and not wanted:
            return
        assert found == wanted, f"{path} is {found!r}, not {wanted!r}"

    def do_gone(self, rest: str) -> None:
        for key in rest.split():
            assert key not in {*self.state.units, *self.state.buildings}, f"{key} is still there"

    def do_there(self, rest: str) -> None:
        for key in rest.split():
            assert key in self.state.units or key in self.state.buildings, f"{key} is gone"

    def do_refused(self, rest: str) -> None:
        player, *codes = rest.split()
        found = [str(e.data["code"]) for e in self.events if e.kind == "refused" and e.data.get("player") == player]
        assert found == codes, f"refused {player}: {found}"
        for event in self.events:
            if event.kind == "refused":
                assert "?" not in str(event.data["message"]), event.data

    def do_event(self, rest: str) -> None:
        """At least one event of this kind has these data."""
        kind, *pairs = re.findall(r"(?:[^\s{\[<\"]|\{[^}]*\}|\[.*\]|<[^>]*>)+", rest)
        wanted = {key: value(text) for key, _, text in (p.partition("=") for p in pairs)}
        found = [dict(e.data) for e in self.events if e.kind == kind]
        assert any(all(e.get(k) == v for k, v in wanted.items()) for e in found), f"{wanted} not in {found}"

    def do_noevent(self, rest: str) -> None:
        assert not [e for e in self.events if e.kind == rest], f"there is {rest}"

    def do_battle(self, rest: str) -> None:
        number, result, *dead = rest.split()
        found = [e.data for e in self.events if e.kind == "battle" and e.data["number"] == int(number)]
        assert found, f"no battle {number}"
        assert found[-1]["result"] == result, found[-1]["result"]
        if dead:
            assert sorted(found[-1]["dead"]) == sorted(d for d in dead if d != "none"), found[-1]["dead"]

    def do_log(self, rest: str) -> None:
        """`log 1 | round column attacker defender died; …`"""
        number, _, text = rest.partition("|")
        battle = next(e.data for e in self.events if e.kind == "battle" and e.data["number"] == int(number))
        found = [f"{r} {c} {a} {d} {died}" for r, c, a, _, d, _, died in battle["log"]]
        assert found == [part.strip() for part in text.split(";")], found

    def do_left(self, rest: str) -> None:
        """`left 1 | attackers | defenders`: surviving squads."""
        number, left, right = (part.strip() for part in rest.split("|"))
        battle = next(e.data for e in self.events if e.kind == "battle" and e.data["number"] == int(number))
        assert battle["survivors"]["attackers"] == left.split(), battle["survivors"]
        assert battle["survivors"]["defenders"] == right.split(), battle["survivors"]

    def do_plus(self, rest: str) -> None:
        """`plus 1 attackers true,true`: the advantage of a side's squads."""
        number, side, text = rest.split()
        battle = next(e.data for e in self.events if e.kind == "battle" and e.data["number"] == int(number))
        found = [s[2] for s in battle["squads"][side]]
        assert found == [part == "true" for part in text.split(",")], found

    def do_cancelled(self, rest: str) -> None:
        numbers = [str(e.data["number"]) for e in self.events if e.kind == "battle_cancelled"]
        assert numbers == rest.split(), numbers

    def do_battles(self, rest: str) -> None:
        found = len([e for e in self.events if e.kind == "battle_announced"])
        assert found == int(rest), f"{found} battles"

    def do_strength(self, rest: str) -> None:
        from rules.grand_strategy.strength import strength

        unit, wanted = rest.split()
        assert strength(self.state, self.state.units[unit]) == int(wanted), strength(self.state, self.state.units[unit])

    def do_income(self, rest: str) -> None:
        from rules.grand_strategy.year import income

        player, wanted = rest.split()
        assert income(self.state, player) == int(wanted), income(self.state, player)

    def do_slots(self, rest: str) -> None:
        assert self.state.slots == json.loads(rest), self.state.slots

    def do_step(self, rest: str) -> None:
        step = RULESET.step(self.state)
        found = "none" if step is None else f"{step.kind} " + " ".join(dict.fromkeys(w.faction for w in step.waits))
        assert found == rest, found

    def do_missing(self, rest: str) -> None:
        """Who still has to answer, the orders gathered so far counted."""
        sheets = [Sheet(f, tuple(orders), i) for i, (f, orders) in enumerate(self.orders.items())]
        found = " ".join(w.faction for w in RULESET.missing(self.state, sheets)) or "none"
        assert found == rest, found

    def do_sees(self, rest: str) -> None:
        """`sees ghash no money_sent`: whether a faction sees such an event."""
        player, yes, kind = rest.split()
        found = any(e.kind == kind for e in visible(self.events, only(player)))
        assert found == (yes == "yes"), f"{player} sees {kind}: {found}"
