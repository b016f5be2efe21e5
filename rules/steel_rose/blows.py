"""A battle blow by blow for its two sides: chapters of short lines; the rulings stand once, in front (§4.6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rules.report import Lines, Rich, Rule, Section, Strong, para, rich
from rules.steel_rose.battle.figure import name_of
from rules.steel_rose.battle.figure import texts as battle_texts
from rules.steel_rose.battle.log import Effect, Modifier, Note, Strike, Who
from rules.steel_rose.battle.model import BattleResult, Side
from rules.steel_rose.battle.telling import number, rounds
from rules.steel_rose.data import game_data, plural
from rules.steel_rose.refusals import unit_name
from rules.steel_rose.wording import texts, word

POST_LINES = 200
"""Most lines of one battle that a forum post shows."""
SECRET = ("walls", "favor")
"""Modifiers that come of the owner's hidden buildings and spells: others see their figure only (R101)."""
MOVES = ("moved", "blocked", "lost_move")
OPENINGS = ("bombard", "charge", "charge_cancelled", "flank")


@dataclass
class Chapter:
    """A part of the battle: a barrage, a charge, a flank, the final."""

    title: str
    lines: list[Rich] = field(default_factory=list)


def blows(result: BattleResult, reader: Side | None, anchor: str = "blows") -> Section:
    """All blows as details that a post may fold away; `reader`: the side that reads, None: the GM."""
    told = _Telling(result, reader)
    chapters = [chapter for chapter in told.chapters() if chapter.lines]
    total = sum(len(chapter.lines) for chapter in chapters)
    left = POST_LINES
    parts = []
    for chapter in chapters:
        limit = max(0, min(left, len(chapter.lines)))
        left -= limit
        parts.append(Section(chapter.title, (Lines(tuple(chapter.lines), post_limit=limit),)))
    forms = texts()["blows"]["lines"]
    title = word("blows", "title", lines=f"{total} {plural(total, (forms[0], forms[1], forms[2]))}")
    return Section(title, (para(told.legend()), *parts), details=True, id=anchor)


class _Telling:
    def __init__(self, result: BattleResult, reader: Side | None) -> None:
        self.result = result
        self.reader = reader
        self.rules: dict[str, str] = {}
        """Rule → what it is called in the lines."""

    def chapters(self) -> Iterator[Chapter]:
        """The protocol, cut where something new begins."""
        chapter = Chapter(word("blows", "start"))
        killed: set[Who] = set()
        moving = False
        same: list[Effect] = []
        for at, entry in enumerate(self.result.log):
            if isinstance(entry, Note):
                title = self.opening(entry, moving)
                if title is not None:
                    yield chapter
                    chapter = Chapter(title)
                    moving = entry.kind in MOVES
                line = self.note(entry)
                if line is not None:
                    chapter.lines.append(line)
            elif isinstance(entry, Strike):
                chapter.lines.append(rich(self.strike(entry)))
                if entry.hp_after <= 0:
                    killed.add(entry.target)
            elif entry.kind != "death" or entry.who not in killed:
                same.append(entry)
                if entry.kind == "sacrifice":
                    killed.add(entry.who)
                following = self.result.log[at + 1] if at + 1 < len(self.result.log) else None
                if not isinstance(following, Effect) or alike(following) != alike(entry):
                    chapter.lines.append(rich(self.effects(same)))
                    same = []
        yield chapter

    def legend(self) -> Rich:
        """The rulings behind the lines."""
        out: list[str | Rule] = [word("blows", "rules")]
        for index, (rule, name) in enumerate(self.rules.items()):
            out += [f"{', ' if index else ' '}{name} ", Rule(rule)]
        return rich(*out, ".")

    # -- notes

    def opening(self, note: Note, moving: bool) -> str | None:
        """The title of a chapter that begins here."""
        if note.kind in MOVES:
            return None if moving else word("blows", "moves")
        if note.kind == "phase":
            return word("blows", "final") if note.data["phase"] == "final" else None
        if note.kind == "flank":
            return str(battle_texts()["flanks"][note.data["flank"]])
        return self.words("opening", note) if note.kind in OPENINGS else None

    def note(self, note: Note) -> Rich | None:
        """A note as a line."""
        if note.kind == "round":
            living = " : ".join(str(n) for n in note.data["living"])
            return rich(Strong(word("blows", "round", number=note.data["number"], living=living)))
        kind = "charge_cover" if note.kind == "charge_fight" and note.data["cover"] else note.kind
        return rich(self.words("notes", note, kind), " ", Rule(note.rule)) if kind in texts()["blows"]["notes"] else None

    def words(self, table: str, note: Note, kind: str = "") -> str:
        """A note in words."""
        places, data = game_data().places, note.data
        values: dict[str, object] = {k: places[v][0] for k, v in data.items() if k in ("place", "target") and v in places}
        if data.get("side") is not None:
            values["side"] = name_of(self.result.setup, data["side"])
        if "rounds" in data:
            values["rounds"] = rounds(data["rounds"])
        if "living" in data:
            values["living"] = " : ".join(str(n) for n in data["living"])
        text: str = texts()["blows"][table][kind or note.kind]
        return text.format_map(values)

    # -- blows

    def strike(self, given: Strike) -> str:
        """«Нападение: Копейщик 3 → Щитовик 2: 4 из 6, защита 1, усталость −20 % = 2,4, осталось 17,6»."""
        said = texts()["blows"]
        self.rules.setdefault(given.rule, said["kinds"][given.kind])
        modifiers = "".join(f", {self.modifier(m)}" for m in given.modifiers)
        return word(
            "blows",
            "strike",
            side=said["sides"][given.attacker.side],
            shot=said["shot"] if given.kind == "shot" else "",
            attacker=who(given.attacker),
            target=who(given.target),
            roll=word("blows", "roll", roll=given.roll, strength=given.strength) if given.roll else said["no_roll"],
            armor=word("blows", "armor", armor=number(given.armor)) if given.armor else "",
            minimum=word("blows", "minimum", minimum=given.minimum) if given.minimum else "",
            modifiers=modifiers,
            damage=number(given.damage),
            after=said["dead"] if given.hp_after <= 0 else word("blows", "left", after=number(given.hp_after)),
        )

    def modifier(self, given: Modifier) -> str:
        """«усталость −20 %», «ярость ×1,05»; another's hidden advantage without its name."""
        name: str = texts()["blows"]["short"].get(given.key) or battle_texts()["modifiers"].get(given.key, given.key)
        if given.key in SECRET and self.reader is not None:
            mine = 1 if given.key == "walls" else self.favoured()
            if mine != self.reader:
                name = texts()["blows"]["secret"]
        if name != texts()["blows"]["secret"]:
            self.rules.setdefault(given.rule, name)
        if given.how == "times":
            return f"{name} ×{number(given.value)}"
        return f"{name} {'+' if given.value > 0 else '−'}{number(abs(given.value) * 100)} %"

    def favoured(self) -> int:
        """The side with blessed units: elves bless their own alone (R119)."""
        return next((i for i, side in enumerate(self.result.setup.sides) if any(g.favored for _, g in side.groups())), 0)

    def effects(self, given: Sequence[Effect]) -> str:
        """What was done to units of a side otherwise than by blows: the same to each («восстановление +2 — Огр 1, 2, 5»)."""
        said, first = texts()["blows"], given[0]
        self.rules.setdefault(first.rule, said["causes"].get(first.kind, said["other"]))
        text: str = said["effects"][first.kind]
        units: dict[str, list[str]] = {}
        for one in given:
            units.setdefault(unit_name(one.who.unit), []).append(str(one.who.number))
        return word(
            "blows",
            "many",
            side=said["sides"][first.who.side],
            what=text.format(amount=number(first.amount), rounds=rounds(first.rounds)),
            who=", ".join(f"{unit} {', '.join(numbers)}" for unit, numbers in units.items()),
        )


def alike(effect: Effect) -> tuple[object, ...]:
    """Effects in a row that agree in this are told in one line."""
    return effect.kind, effect.who.side, effect.amount, effect.rounds, effect.rule


def who(unit: Who) -> str:
    """«Копейщик 3»."""
    return f"{unit_name(unit.unit)} {unit.number}"
