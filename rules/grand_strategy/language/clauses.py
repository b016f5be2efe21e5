"""Conditions: «если туман не вышел — …» (R182) and standing orders «если орки подойдут — атакуем» (R184).

`Clauses.find` tells which stretches of a post are conditions that the game knows; `Clauses.read` reads one of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.language import Language
from parsers.lexicon import Lexicon
from parsers.structure import Layout, Phrases, Sentence, Status, clauses, phrases, starts_with
from parsers.tokens import Kind, Token
from parsers.types import Problem, Reading, Severity, Span
from rules.grand_strategy.commands import PLUS_ACTIONS
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.said import Said, Stop

OUTCOMES = frozenset({"went_well", "went_ill"})
EVENTS = ("on_near", "on_arrive", "on_attack", "on_start", "on_end", "on_money")
KEPT = frozenset({"shortage", "default", "victory", "overflow"})
"""Conditions that are part of an order's own words."""
REACH = 80
"""Tokens of a condition that are looked at to know it."""
TRIGGER_UNIT = "<trigger unit>"
_FRAME = Frame("clause")
_BUSY = frozenset({Status.SPEECH, Status.OOC, Status.SIGNATURE, Status.SUMMARY})


def _phrases(key: str) -> Phrases:
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(p.split()) for p in tables()["head"][key]), key=len, reverse=True):
        out.setdefault(phrase[0], []).append(phrase)
    return out


@dataclass(frozen=True)
class Parts:
    """A condition cut into its if and its then, as tokens."""

    head: int
    split: int
    """Where the deed begins; equal to `last` where it stands before the head."""
    last: int


class Clauses:
    """Finds and reads conditions. Made once per lexicon; keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._starts = _phrases("starts")
        self._then = _phrases("then")
        self._else = _phrases("else")

    # -------------------------------------------------------------------------------------------- finding

    def keeps(self, tokens: Sequence[Token]) -> bool:
        """True for a conditional stretch that is an order's own («если не отвечу, всем оборона»)."""
        return self._kept(self._kinds(tokens))

    @staticmethod
    def _kept(kinds: set[str]) -> bool:
        if kinds & KEPT or ("spawn" in kinds and kinds & {"allow", "deny"}):
            return True
        return "defend_together" in kinds and bool(kinds & {"together", "apart"})

    def _kinds(self, tokens: Sequence[Token]) -> set[str]:
        return {found.sense.kind for found in self._lexicon.find(tokens)}

    def find(self, layout: Layout) -> list[tuple[int, int]]:
        """The stretches that are conditions of this game."""
        out: list[tuple[int, int]] = []
        open_condition = False
        for sentence in layout.sentences:
            if any(t.norm == "?" for t in layout.tokens[sentence.first : sentence.last]):
                open_condition = False
                continue
            heads = self._heads(layout, sentence, open_condition)
            open_condition = bool(heads)
            for n, head in enumerate(heads):
                end = heads[n + 1] if n + 1 < len(heads) else sentence.last
                parts = self._parts(layout, head, end)
                begin = head
                if parts.split >= end and n == 0 and self._deed_before(layout, sentence, head):
                    begin = sentence.first
                if not any(layout.status[i] in _BUSY for i in range(begin, end)):
                    out.append((begin, end))
                    if n == 0 and parts.split < end and layout.tokens[parts.split - 1].norm in _PARTING:
                        _freed(layout, sentence.first, begin)
        return out

    def _heads(self, layout: Layout, sentence: Sentence, after_condition: bool) -> list[int]:
        tokens = layout.tokens
        heads: list[int] = []
        for first, last in clauses(layout, sentence):
            at = first
            while at < last and (
                layout.status[at] is Status.LIST_MARK or tokens[at].norm in {"и", "а", "но", "ну", "+", "]", "["}
            ):
                at += 1
            if at >= last or tokens[at].kind is not Kind.WORD:
                continue
            rest = tokens[at : min(sentence.last, at + REACH)]
            if starts_with(tokens, at, last, self._starts):
                if starts_with(tokens, at, last, phrases("conditional", "polite")):
                    continue
                if self._asks(layout, at, sentence):
                    heads.append(at)
                    continue
                reach = self._reach(layout, at, sentence.last)
                kinds = self._kinds(tokens[at:reach])
                if self._kept(self._kinds(rest)):
                    continue
                if not kinds & (OUTCOMES | set(EVENTS)) and not self._threatens(layout, at, sentence.last):
                    continue
                heads.append(at)
            elif (
                ((heads or after_condition) and self._otherwise(layout, at, last, sentence))
                or self._bare_outcome(layout, at, last, sentence, bool(heads) or after_condition)
                or self._labelled(layout, at, sentence)
            ):
                heads.append(at)
        return heads

    def _otherwise(self, layout: Layout, at: int, last: int, sentence: Sentence) -> bool:
        """«иначе …», «удалось — на Г4, нет — на В4»."""
        tokens = layout.tokens
        if starts_with(tokens, at, last, self._else):
            return True
        dash = at + 1 < sentence.last and tokens[at + 1].norm in {"-", ":", "→"}
        return dash and tokens[at].norm in tables()["head"]["bare_else"]

    def _threatens(self, layout: Layout, at: int, last: int) -> bool:
        """«Кто сюда сунется — гарнизон в бой»: an event that the game doesn't know, with a deed that it does: it asks."""
        dash = next((i for i in range(at, min(last, at + REACH)) if layout.tokens[i].norm in {"-", "→", ":"}), None)
        if dash is None or layout.tokens[dash].glued:
            return False
        return bool(self._kinds(layout.tokens[dash : min(last, dash + REACH)]) & {"attack", "garrison"})

    def _asks(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """A list item that begins with a condition the game doesn't know: it asks."""
        line = layout.lines[sentence.line]
        inside = {t.norm for t in layout.tokens[at : min(sentence.last, at + REACH)]}
        ordered = line.bullet or bool(sentence.item) or (sentence.first == line.first and bool(inside & {"то", "тогда"}))
        if not ordered or any(layout.tokens[k].kind is Kind.WORD for k in range(sentence.first, at)):
            return False
        kinds = self._kinds(layout.tokens[at : min(sentence.last, at + REACH)])
        known = self._kept(kinds) or bool(kinds & (OUTCOMES | set(EVENTS)))
        return not known and bool(kinds & {"player", "unit", "utype", "house", "personal"})

    def _reach(self, layout: Layout, at: int, last: int) -> int:
        """How far the condition itself reaches at most."""
        last = min(last, at + REACH)
        for i in range(at, last):
            norm = layout.tokens[i].norm
            if norm == "→" or (norm == "-" and not layout.tokens[i].glued) or norm == ":":
                return i
        return last

    def _bare_outcome(self, layout: Layout, at: int, last: int, sentence: Sentence, following: bool) -> bool:
        """«Туман не прошёл: …», «выйдет — …»: an outcome as the whole clause, then a colon or dash."""
        tokens = layout.tokens
        if last >= sentence.last or tokens[last].norm not in {":", "-", "→"}:
            return False
        if tokens[last].norm != ":" and last - at <= 10:
            kinds = self._kinds(tokens[at:last])
            deed = self._kinds(tokens[last : min(sentence.last, last + REACH)]) & {"attack", "give", "answer"}
            if kinds & set(EVENTS) and kinds & {"player", "troops", "everyone"} and deed and not kinds & {"go", "give"}:
                return True
        if last - at > 4:
            return False
        found = [f for f in self._lexicon.find(tokens[at:last]) if f.sense.kind in OUTCOMES]
        spell = any(f.sense.kind == "spell" for f in self._lexicon.find(tokens[at:last]))
        return bool(found) and (spell or following or found[-1].last == last - at)

    def _labelled(self, layout: Layout, at: int, sentence: Sentence) -> bool:
        """«Усл. приказ: войско Торгрима встало на Г4 → …»."""
        tokens = layout.tokens
        found = [
            f for f in self._lexicon.find(tokens[at : min(sentence.last, at + 5)]) if f.sense.kind == "standing" and f.first == 0
        ]
        if not found:
            return False
        behind = at + max(f.last for f in found)
        colon = next((k for k in range(behind, sentence.last) if tokens[k].norm == ":"), None)
        if colon is not None and colon + 1 < sentence.last and starts_with(tokens, colon + 1, sentence.last, self._starts):
            return False
        while behind < sentence.last and tokens[behind].norm == ".":
            behind += 1
        if behind >= sentence.last or tokens[behind].norm not in {":", "-"}:
            return False
        return bool(self._kinds(tokens[behind : min(sentence.last, behind + REACH)]) & set(EVENTS))

    def _parts(self, layout: Layout, head: int, last: int) -> Parts:
        tokens = layout.tokens
        begin = head
        if not starts_with(tokens, head, last, self._starts):
            labels = [f for f in self._lexicon.find(tokens[head : head + 5]) if f.sense.kind == "standing" and f.first == 0]
            if labels:
                begin = head + max(f.last for f in labels)
                while begin < last and tokens[begin].norm in {".", ":", "-"}:
                    begin += 1
        skipped = starts_with(tokens, begin, last, self._else)
        if not skipped and tokens[begin].norm in tables()["head"]["bare_else"]:
            skipped = 1
        if skipped:
            after = begin + skipped
            while after < last and tokens[after].norm in {",", ":", "-"}:
                after += 1
            return Parts(head, after, last)
        events = [
            begin + f.last for f in self._lexicon.find(tokens[begin:last]) if f.sense.kind in OUTCOMES or f.sense.kind in EVENTS
        ]
        first_event = min(events, default=begin)
        for i in range(begin, last):
            norm = tokens[i].norm
            between_numbers = i and i + 1 < last and tokens[i - 1].kind is tokens[i + 1].kind is Kind.NUMBER
            dash = norm == "-" and i and not tokens[i].glued and not between_numbers
            if norm == "→" or dash or (norm == ":" and i >= first_event):
                after = i + 1
                while after < last and tokens[after].norm in {">", "-"}:
                    after += 1
                return Parts(head, after, last)
        for i in range(first_event, last):
            if tokens[i].norm in {"то", "тогда"}:
                return Parts(head, i + 1, last)
        for i in range(first_event, last):
            if tokens[i].norm == ",":
                return Parts(head, i + 1, last)
        # no sign at all: the deed begins behind the event's own place
        end = first_event
        for found in self._lexicon.find(tokens[first_event:last]):
            if found.first <= 2 and found.sense.kind in ("house", "unit", "utype", "player") and found.last <= 4:
                end = max(end, first_event + found.last)
        if end == first_event:
            for i in range(first_event, min(last, first_event + 4)):
                if tokens[i].kind is Kind.NUMBER:
                    end = i + 1
        return Parts(head, end if end < last else last, last)

    def _deed_before(self, layout: Layout, sentence: Sentence, head: int) -> bool:
        return bool(
            self._kinds(layout.tokens[max(sentence.first, head - REACH) : head])
            & {"attack", "give", "garrison", "go", "allow", "deny", "spell"}
        )

    # -------------------------------------------------------------------------------------------- reading

    def read(self, language: Language, context: Context, first: int, last: int) -> Sequence[tuple[Match, list[Output]]]:
        """Reads one condition: commands with a `condition`, a `standing_order`, or a question."""
        layout = context.layout
        head = first
        for at in range(first, last):
            if starts_with(layout.tokens, at, last, self._starts):
                head = at
                break
        parts = self._parts(layout, head, last)
        atoms = _inside(context, first, last)
        where = [a for a in atoms if head <= a.first < parts.split]
        deed = (parts.split, last) if parts.split < last else (first, head)
        if parts.split >= last and head == first:
            return self._ask(context, first, last, atoms)
        outcome = self._outcome(layout, context, where, head)
        if outcome is not None:
            return self._conditioned(language, context, (first, last), where, deed, outcome)
        match = _match(context, atoms, first, last)
        said = Said(match, context)
        try:
            reading = self._standing(language, said, where, deed)
        except Stop as stop:
            return [(match, [replace(stop.problem, span=match.span)])]
        return [(match, [reading])] if reading is not None else self._ask(context, first, last, atoms)

    def _outcome(self, layout: Layout, context: Context, where: Sequence[Atom], head: int) -> str | None:
        bare = layout.tokens[head].norm in tables()["head"]["bare_else"]
        if bare or starts_with(layout.tokens, head, len(layout.tokens), self._else):
            before = context.memory.get("outcome")
            return {"success": "fail", "fail": "success"}.get(str(before))
        if any(a.has("went_ill") or (a.has("went_well") and a.negated) for a in where):
            return "fail"
        if any(a.has("went_well") for a in where) and not any(
            a.has("on_near", "on_attack", "on_start") and not a.has("went_well") for a in where
        ):
            return "success"
        return None

    def _conditioned(
        self,
        language: Language,
        context: Context,
        stretch: tuple[int, int],
        where: Sequence[Atom],
        deed: tuple[int, int],
        outcome: str,
    ) -> list[tuple[Match, list[Output]]]:
        first, last = stretch
        ref = _reference(context, where)
        atoms = _inside(context, first, last)
        if ref is None:
            return self._ask(context, first, last, atoms)
        context.memory["outcome"] = outcome
        places = dict(context.memory.get("at", {}))
        made = language.read_part(context, *deed)
        context.memory["at"] = places  # the other branch starts from the same place
        whole = _span(context, first, last)
        out: list[tuple[Match, list[Output]]] = []
        for match, outputs in made:
            here: list[Output] = []
            for output in outputs:
                if isinstance(output, Reading):
                    command = {**output.command, "condition": {"ref": ref, "outcome": outcome}}
                    output = replace(output, command=command, span=whole if len(made) == 1 else output.span)
                here.append(output)
            out.append((match, here))
        stays = any(a.has("stay") for a in atoms)
        if not any(outputs for _, outputs in out):
            out = self._same_branch(context, stretch, deed, ref, outcome) or out
        if not any(outputs for _, outputs in out) and not stays:
            return self._ask(context, first, last, atoms)
        return out or [(_match(context, atoms, first, last), [])]

    def _same_branch(
        self, context: Context, stretch: tuple[int, int], deed: tuple[int, int], ref: int, outcome: str
    ) -> list[tuple[Match, list[Output]]]:
        """«Если удалось — Аэлин на Г4, если нет — на В3»: the other branch of the movement before it."""
        before = next((r for r in reversed(context.readings)), None)
        cells = [a for a in _inside(context, *deed) if not a.has("arrow")]
        if before is None or before.command["type"] != "move" or "condition" not in before.command:
            return []
        if not cells or not all(a.has("cell", "path") for a in cells):
            return []
        path = [cell for a in cells for cell in ([c for c, _ in a.get("path").value] if a.has("path") else [a.senses[0].value])]  # type: ignore[union-attr]
        match = _match(context, _inside(context, *stretch), *stretch)
        command = {"type": "move", "unit": before.command["unit"], "path": path, "condition": {"ref": ref, "outcome": outcome}}
        return [(match, [Reading(command, match.span)])]

    def _ask(self, context: Context, first: int, last: int, atoms: Sequence[Atom]) -> list[tuple[Match, list[Output]]]:
        span = _span(context, first, last)
        text = " ".join(context.text(span).split())[:120]
        message = f"Такого условия в игре нет или не видно, что делать: «{text}». Что сделать?"
        match = _match(context, atoms, first, last)
        return [(match, [Problem("conditional", Severity.QUESTION, message, span)])]

    def _standing(self, language: Language, said: Said, where: Sequence[Atom], deed: tuple[int, int]) -> Reading | None:
        context = said.context
        events = [kind for kind in EVENTS if any(a.has(kind) for a in where)]
        if not events or (where and _either(context.layout, where)):
            return None
        filter_: dict[str, Any] = {}
        mine = _mine(said, where)
        who = _who(said, where, mine)
        places = [a for a in where if a.has("house", "cell", "garrison") and a not in [m for m, _ in mine]]
        kind = events[0]
        if kind == "on_near" and not mine and not places and len(said.own()) == 1:
            mine = [(where[0], said.own()[0])]
        if "on_near" in events and mine:
            kind = "on_near"
        elif places and "on_arrive" in events:
            kind = "on_arrive"
        if kind == "on_near" and not mine:
            kind = "on_arrive" if places else kind
        if "on_near" in events and kind == "on_arrive":
            said.unsure("«рядом» понято как «на этой клетке»")
        trigger = {
            "on_attack": "attack_declared_on",
            "on_start": "turn_start",
            "on_end": "turn_end",
            "on_money": "money_received",
        }.get(kind, "")
        if kind == "on_near":
            if not mine:
                return None
            trigger, filter_["mine"] = "unit_adjacent", mine[0][1]
            filter_.update(who)
        elif kind == "on_arrive":
            if not places:
                return None
            cell = said.cell_of(places[0])
            trigger = "unit_on_building" if cell in said.state.buildings else "unit_on_cell"
            filter_["cell"] = cell
            filter_.update(who)
        elif kind == "on_attack":
            target = mine[0][1] if mine else said.cell_of(places[0]) if places else None
            if target is None:
                return None
            filter_["target"] = target
        elif kind == "on_money":
            if who.get("player"):
                filter_["from"] = who["player"]
        elif who.get("player"):
            filter_["player"] = who["player"]
        else:
            return None
        action = self._action(language, said, deed, mine)
        if action is None:
            return None
        command: dict[str, Any] = {"type": "standing_order", "trigger": trigger, "filter": filter_, "action": action}
        if said.near("repeat", behind=12) is not None:
            command["once"] = False
        del context
        return said.read(command)

    def _action(
        self, language: Language, said: Said, deed: tuple[int, int], mine: Sequence[tuple[Atom, str]]
    ) -> dict[str, Any] | None:
        context = said.context
        atoms = [a for a in _inside(context, *deed) if not a.negated]
        fights = [a for a in atoms if a.has("attack", "answer") and not a.has("give")]
        if fights:
            garrison = next((a for a in atoms if a.has("garrison")), None)
            others = [
                u
                for a in atoms
                if a.has("unit", "utype")
                for u in said.candidates(a)
                if not said.mine(u) and a.first > fights[0].first and not _pronoun_before(said, a)
            ]
            if garrison is not None and garrison.senses[0].value and garrison.get("garrison") is not None:
                return {"type": "garrison_attack", "building": str(garrison.get("garrison").value), "target": TRIGGER_UNIT}  # type: ignore[union-attr]
            named = [
                said.unit(a)
                for a in atoms
                if a.has("unit", "utype", "personal") and any(said.mine(u) for u in said.candidates(a))
            ]
            unit = named[0] if named else next((u for _, u in mine if u in said.own()), None) or said.default_actor()
            target = others[0] if others and not mine else TRIGGER_UNIT
            command: dict[str, Any] = {"type": "attack", "unit": unit, "target": target}
            cards = [s for a in atoms for s in a.all("cards") if not a.has("badcard")]
            if cards:
                command["cards"] = list(cards[0].value)
            else:
                single = [s for a in atoms for s in a.all("card") if not a.has("attack")]
                if single:
                    command["cards"] = [single[0].value] * said.squads(unit)
            return command
        made = language.read_part(context, *deed)
        commands = [o.command for _, outputs in made for o in outputs if isinstance(o, Reading)]
        plain = [dict(c) for c in commands if c["type"] in PLUS_ACTIONS]
        return plain[0] if len(plain) == 1 and len(commands) == 1 else None


_PARTING = frozenset({",", "-", "→", ">", ":", "то", "тогда"})
"""What parts a condition from its deed."""


def _either(layout: Layout, where: Sequence[Atom]) -> bool:
    """«на С7 или С8»: two conditions in one."""
    return any(t.norm in tables()["or"]["words"] for t in layout.tokens[where[0].first : where[-1].last])


def _freed(layout: Layout, first: int, last: int) -> None:
    """«Всадников на С8, и если …»: what stands before a condition of the game is no part of it."""
    for i in range(first, last):
        if layout.status[i] is Status.CONDITIONAL:
            layout.status[i] = Status.LIVE


def _inside(context: Context, first: int, last: int) -> list[Atom]:
    """The atoms of the tokens `first <= i < last`."""
    begin, end = (bisect_left(context.atoms, at, key=lambda a: a.first) for at in (first, last))
    return [a for a in context.atoms[begin:end] if a.last <= last]


def _pronoun_before(said: Said, atom: Atom) -> bool:
    tokens = said.context.layout.tokens
    return atom.first > 0 and tokens[atom.first - 1].norm in {"их", "его", "мои", "моими"}


def _mine(said: Said, where: Sequence[Atom]) -> list[tuple[Atom, str]]:
    """One's own troops in the condition: what somebody comes near to or attacks."""
    out: list[tuple[Atom, str]] = []
    for atom in where:
        if atom.has("unit", "utype", "personal"):
            own = [u for u in said.candidates(atom) if said.mine(u)]
            if len(own) == 1:
                out.append((atom, own[0]))
            elif own:
                out.append((atom, said.unit(atom)))
            elif atom.prep in {"к", "ко"} and said.context.layout.tokens[atom.first - 1].norm.startswith(stems("mine")):
                said.unit(replace(atom, senses=()))
    for atom in where:
        if atom.has("garrison") and atom.senses[0].value:
            out.append((atom, str(atom.get("garrison").value)))  # type: ignore[union-attr]
    return out


def _who(said: Said, where: Sequence[Atom], mine: Sequence[tuple[Atom, str]]) -> dict[str, Any]:
    """Whose troops set it off, and of what kinds."""
    out: dict[str, Any] = {}
    taken = [a for a, _ in mine]
    for atom in where:
        if atom in taken:
            continue
        if atom.has("player") and not atom.has("utype"):
            player = said.player_of(atom)
            if player is not None and player != said.me:
                out.setdefault("player", player)
        elif atom.has("unit", "utype", "player"):
            found = said.candidates(atom)
            foreign = [u for u in found if not said.mine(u)]
            unit = said.unit_object(foreign[0]) if len(foreign) == 1 else None
            if unit is not None and atom.has("unit"):
                if unit.owner:
                    out.setdefault("player", unit.owner)
                out.setdefault("types", [unit.type])
            elif atom.has("utype"):
                out.setdefault("types", [str(atom.get("utype").value)])  # type: ignore[union-attr]
    return out


def _reference(context: Context, where: Sequence[Atom]) -> int | None:
    """The number of the command whose outcome counts: the spell named, else the last one with an uncertain outcome."""
    spells = {str(s.value) for a in where for s in a.all("spell")}
    found: int | None = None
    for number, reading in enumerate(context.readings, 1):
        command = reading.command
        uncertain = command["type"] in ("cast", "deepen", "smuta") or (
            command["type"] == "build" and command.get("what") == "mine"
        )
        if uncertain and (not spells or command.get("spell") in spells) and "condition" not in command:
            found = number
    return found


def _span(context: Context, first: int, last: int) -> Span:
    tokens = context.layout.tokens
    while last > first + 1 and tokens[last - 1].kind is Kind.SIGN and tokens[last - 1].norm in {".", "!", ";", ","}:
        last -= 1
    while first < last - 1 and context.layout.status[first] is Status.LIST_MARK:
        first += 1
    return Span(tokens[first].start, tokens[last - 1].end)


def _match(context: Context, atoms: Sequence[Atom], first: int, last: int) -> Match:
    sentence = context.layout.sentence_of[first]
    item = context.layout.sentences[sentence].item if sentence >= 0 else ""
    return Match(_FRAME, tuple(atoms), (), {}, False, _span(context, first, last), first, last, sentence, item)
