"""Conditions: «если туман не вышел — …» (R182) and standing orders «если орки подойдут — атакуем» (R184).

`Clauses.find` tells which stretches of a post are conditions that the game knows; `Clauses.read` reads one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from parsers import harmless
from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.language import Language
from parsers.lexicon import Lexicon
from parsers.russian import closed_class, info
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.grand_strategy.language.events import EVENTS, outcomes
from rules.grand_strategy.language.heads import Heads
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said, Stop
from rules.grand_strategy.language.slots import COMMON
from rules.grand_strategy.language.standing import inside, standing
from rules.grand_strategy.language.standing_audit import MEASURES

_FRAME = Frame("clause")


class Clauses:
    """Finds and reads conditions. `mine`: the reader's own name, troops, kinds of troops and cells. Keeps nothing of a post."""

    def __init__(self, lexicon: Lexicon, mine: frozenset[str]) -> None:
        self._heads = Heads(lexicon, mine)
        self.keeps = self._heads.keeps
        self.find = self._heads.find

    def read(self, language: Language, context: Context, first: int, last: int) -> Sequence[tuple[Match, list[Output]]]:
        """Reads one condition: commands with a `condition`, a `standing_order`, or a question."""
        layout = context.layout
        head = self._heads.head(layout, first, last)
        parts = self._heads.parts(layout, head, last)
        atoms = inside(context, first, last)
        where = [a for a in atoms if head <= a.first < parts.split]
        deed = (parts.split, last) if parts.split < last else (first, head)
        if parts.split >= last and head == first:
            return self._ask(context, first, last, atoms)
        outcome = self._outcome(context, where, (head, parts.split))
        if outcome is not None:
            return self._conditioned(language, context, (first, last), where, deed, outcome)
        match = _match(context, atoms, first, last)
        said = Said(match, context)
        try:
            reading = standing(language, said, where, (head, parts.split), deed)
        except Stop as stop:
            return [(match, [replace(stop.problem, span=match.span)])]
        if reading is not None:
            return [(match, [_doubted(reading, _strange(language, context, (first, last), parts.split))])]
        kinds = {k for a in inside(context, *deed) for k in a.kinds}
        if kinds & _IDLE and kinds <= _IDLE | COMMON | {"let"}:
            return [(match, [])]  # «Встанет чужак на Г8 — ничего не делать, пусть стоит.»
        return self._ask(context, first, last, atoms)

    def _outcome(self, context: Context, where: Sequence[Atom], condition: tuple[int, int]) -> str | None:
        if self._heads.otherwise(context.layout, condition[0]):
            before = context.memory.get("outcome")
            return {"success": "fail", "fail": "success"}.get(str(before))
        if any(a.has("went_ill") or (a.has("went_well") and a.negated) for a in where):
            return "fail"
        events = any(a.has("on_near", "on_attack", "on_start") and not a.has("went_well") for a in where)
        if any(a.has("went_well") for a in where):
            return None if events else "success"
        told = {kind for _, kind in outcomes(context.layout.tokens[slice(*condition)])}
        if len(told) != 1 or events or any(a.has(*EVENTS) for a in where):
            return None
        return "success" if "went_well" in told else "fail"

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
        atoms = inside(context, first, last)
        if ref is None:
            return self._ask(context, first, last, atoms)
        context.memory["outcome"] = outcome
        places = dict(context.memory.get("at", {}))
        made = language.read_part(context, *deed)
        context.memory["at"] = places  # the other branch starts from the same place
        whole = _span(context, first, last)
        strange = _strange(language, context, stretch, deed[0]) or _measured(where) or _which(context, where)
        stays = any(a.has("stay") for a in atoms)
        out: list[tuple[Match, list[Output]]] = []
        for match, outputs in made:
            here: list[Output] = []
            for output in outputs:
                if isinstance(output, Reading):
                    if output.command["type"] in _NO_DEEDS:
                        stays = True  # «…, ничего не делать»
                        continue
                    command = {**output.command, "condition": {"ref": ref, "outcome": outcome}}
                    output = replace(output, command=command, span=whole if len(made) == 1 else output.span)
                    output = _doubted(output, strange)
                here.append(output)
            out.append((match, here))
        if not any(outputs for _, outputs in out):
            out = self._same_branch(language, context, stretch, deed, ref, outcome) or out
        if not any(outputs for _, outputs in out) and not stays:
            return self._ask(context, first, last, atoms)
        return out or [(_match(context, atoms, first, last), [])]

    def _same_branch(
        self, language: Language, context: Context, stretch: tuple[int, int], deed: tuple[int, int], ref: int, outcome: str
    ) -> list[tuple[Match, list[Output]]]:
        """«Если удалось — Аэлин на Г4, если нет — на В3», «Сорвётся — тогда 3»: the other branch of the order before it."""
        before = next((r for r in reversed(context.readings)), None)
        inner = [a for a in inside(context, *deed) if not a.has("arrow", "then", "reverse", "go")]
        if before is None or not inner:
            return []
        command = {k: v for k, v in before.command.items() if k != "condition"}
        if "condition" not in before.command:
            actor = command.get("mage") or command.get("unit")
            if not isinstance(actor, str):
                return []
            command = {"type": "move", "unit": actor}  # «…, а если не выйдет — назад на Г3»
        if command["type"] == "move" and all(a.has("cell", "path") for a in inner):
            ways = [a.get("path") for a in inner]
            command["path"] = [
                str(cell)
                for a, way in zip(inner, ways, strict=True)
                for cell in ([c for c, _ in way.value] if way is not None else [a.senses[0].value])
            ]
        elif command["type"] == "send_money" and len(inner) == 1 and inner[0].has("coins", "number"):
            command["amount"] = int(inner[0].get("coins", "number").value)  # type: ignore[union-attr]
        else:
            return []
        match = _match(context, inside(context, *stretch), *stretch)
        reading = Reading({**command, "condition": {"ref": ref, "outcome": outcome}}, match.span)
        return [(match, [_doubted(reading, _strange(language, context, stretch, deed[0]))])]

    def _ask(self, context: Context, first: int, last: int, atoms: Sequence[Atom]) -> list[tuple[Match, list[Output]]]:
        span = _span(context, first, last)
        text = " ".join(context.text(span).split())[:120]
        message = f"Такого условия в игре нет или не видно, что делать: «{text}». Что сделать?"
        match = _match(context, atoms, first, last)
        return [(match, [Problem("conditional", Severity.QUESTION, message, span)])]


_IDLE = frozenset({"nothing", "stay", "pass"})
"""Deeds that are none."""
_NO_DEEDS = frozenset({"pass", "end_turn"})
"""Orders that no outcome waits for."""
_UNCERTAIN = {
    "spell": ("cast",),
    "cast": ("cast",),
    "btype": ("build", "deepen"),
    "level": ("build", "deepen"),
    "smuta": ("smuta",),
}
"""Commands of uncertain outcome, by the kind of word that names them."""
_REFUSABLE = frozenset({"build", "hire", "upgrade", "deepen", "annex", "siege", "forge_mithril"})
"""Orders that the rules may refuse."""


def _reference(context: Context, where: Sequence[Atom]) -> int | None:
    """The number of the command whose outcome counts: the spell or the work named, else the last of uncertain outcome."""
    spells = {str(s.value) for a in where for s in a.all("spell")}
    kinds = {kind for word, named in _UNCERTAIN.items() if any(a.has(word) for a in where) for kind in named}
    found: int | None = None
    for number, reading in enumerate(context.readings, 1):
        command = reading.command
        if kinds and command["type"] not in kinds:
            continue
        if _by_dice(command) and (not spells or command.get("spell") in spells):
            found = number
    return found or _refused(context, where)


def _measured(where: Sequence[Atom]) -> str:
    """«Если туман ляжет на 6», «если уснут двое»: an outcome is a success or none, and no more."""
    left = next((a for a in where if not a.kinds.isdisjoint(MEASURES) and not a.has("went_well", "went_ill", "cell")), None)
    return f"в условие не вошло «{left.text}»" if left is not None else ""


def _which(context: Context, where: Sequence[Atom]) -> str:
    """«Туман на стражу и шторм на Г11. Если выйдет, …»: two dice in one sentence, and none of them named."""
    if any(a.has(*_UNCERTAIN) for a in where):
        return ""
    thrown = [
        match.sentence for match, outputs in context.outputs for o in outputs if isinstance(o, Reading) and _by_dice(o.command)
    ]
    return "неясно, чей исход" if len(thrown) > 1 and thrown[-1] == thrown[-2] else ""


def _by_dice(command: Mapping[str, Any]) -> bool:
    """True for an order of uncertain outcome that depends on no other's."""
    uncertain = command["type"] in ("cast", "deepen", "smuta") or (command["type"] == "build" and command.get("what") == "mine")
    return uncertain and "condition" not in command


def _refused(context: Context, where: Sequence[Atom]) -> int | None:
    """«Если крепость нельзя, то заставу»: any work may be refused; the last one of the kind named."""
    if not any(a.has("went_ill") for a in where):
        return None
    named = {str(s.value) for a in where for s in a.all("btype")}
    works = [
        number
        for number, reading in enumerate(context.readings, 1)
        if reading.command["type"] in _REFUSABLE and (not named or reading.command.get("what") in named)
    ]
    return works[-1] if works else None


def _strange(language: Language, context: Context, stretch: tuple[int, int], split: int) -> str:
    """A note on words of a condition, or between the words of its deed, that nothing explains."""
    first, last = stretch
    layout = context.layout
    atoms = inside(context, first, last)
    taken = {i for a in atoms for i in a.tokens()}
    end = max((a.last for a in atoms), default=first)
    words = [
        token.norm
        for i, token in enumerate(layout.tokens[first:last], first)
        if token.kind is Kind.WORD and i not in taken and len(token.norm) > 2 and (i < split or i < end)
    ]
    head = tables()["head"]
    openings = {word for key in ("starts", "occasions", "else") for phrase in head[key] for word in phrase.split()}
    lemmas = ("known", "turn", "turn_begins", "turn_ends", "moved", "declared", "battle", "went_well", "went_ill")
    known = language.harmless.union(openings, *(head[key] for key in lemmas), *head["doers"].values())
    left = [w for w in words if w not in closed_class() and not harmless.harmless(w) and not info(w).lemmas & known]
    return "не понял: " + ", ".join(f"«{w}»" for w in left[:3]) if left else ""


def _doubted(reading: Reading, note: str) -> Reading:
    if not note:
        return reading
    return replace(reading, certain=False, note=f"{reading.note}; {note}" if reading.note else note)


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
