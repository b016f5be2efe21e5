"""Entering and leaving the game, смута, consents given in advance (R11–R14, R33–R36, R187)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import Verb
from parsers.tokens import Kind
from parsers.types import Severity, Span
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import pronouns, stems
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    CELLS,
    LAND,
    SCHOOL,
    called,
)


def _join_score(fill: Fill) -> float | None:
    if not fill.triggers and not any("ablt" in f.atom.cases for f in fill.slots.get("role", ())):
        return None
    if "role" not in fill.slots:
        return None
    told = len(fill.slots.keys() & {"cells", "units", "school"})  # «…, клетка Т3, личное — маг школы Гор»: all of one entry
    return (1.0 if fill.triggers else -1.6) + told


@maker
def _join(said: Said) -> Iterable[Output]:
    said.check_cells()
    role = said.atoms("role")[0]
    entry = "ruler" if role.has("as_ruler") else "vagabond" if role.has("as_vagabond") else "commander"
    command: dict[str, Any] = {"type": "join_game", "as": entry}
    lands = [s.value for a in said.atoms("land") for s in a.all("province")]
    if lands:
        command["province"] = lands[0]
    cells = said.cells()
    if cells:
        command["cell"] = cells[0]
        if not lands and entry == "commander":
            number = said.state.board.province.get(cells[0])
            if number:
                command["province"] = number
    kinds = [str(a.get("utype").value) for a in said.atoms("units") if a.has("utype")]  # type: ignore[union-attr]
    if kinds:
        command["personal_type"] = kinds[0]
    school = said.school()
    if school is not None and kinds[:1] in ([], ["mage"]):
        command["school"] = school
    name = _state_name(said)
    if name:
        command["state_name"] = name
    return [said.read(command)]


def _state_name(said: Said) -> str | None:
    """«назовусь "Орда 2"», «под именем Соль»: quoted anywhere in the line, or bare behind the word for it."""
    layout = said.context.layout
    tokens = layout.tokens
    line = layout.lines[layout.sentences[said.match.sentence].line]
    named = next((a for a in said.context.atoms if a.has("state_name") and a.first >= line.last), None)
    below = layout.lines[layout.sentences[layout.sentence_of[named.first]].line] if named is not None else line
    if named is not None and below.first <= named.first <= below.first + 1 and below.first - line.last <= 1:
        line = below  # «…\nНазвание державы: "Каменные Странники"»
    for i in range(said.match.first, line.last):
        closing = _QUOTES.get(tokens[i].norm)
        end = next((j for j in range(i + 1, min(line.last, i + 10)) if tokens[j].norm == closing), None) if closing else None
        if end is not None and end > i + 1:
            return layout.text[tokens[i + 1].start : tokens[end - 1].end]
    for atom in [a for a in said.context.atoms if a.has("state_name") and said.match.first <= a.first < line.last]:
        first = next((i for i in range(atom.last, line.last) if tokens[i].norm not in _BEFORE_NAME), line.last)
        last = first
        while last < line.last and tokens[last].kind is Kind.WORD and layout.text[tokens[last].start].isupper():
            last += 1
        if last > first:
            return layout.text[tokens[first].start : tokens[last - 1].end]
        said.unsure("название государства не прочитано")
    return None


_BEFORE_NAME = frozenset({":", "-"}) | pronouns("me")
_QUOTES = {"«": "»", "“": "”", "„": "“", '"': '"'}


@maker
def _leave(said: Said) -> Iterable[Output]:
    layout = said.context.layout
    line = layout.sentences[said.match.sentence].line
    confirmed = any(
        a.has("confirm") and abs(layout.sentences[layout.sentence_of[a.first]].line - line) <= 1
        for a in said.context.atoms
        if not a.negated
    )
    draft = {"type": "leave_game", "confirm": True}
    if not confirmed:
        text = "Вы уверены, что выходите из игры? Ответьте «подтверждаю»."
        raise said.stop("not_confirmed", text, draft=draft, choices=[choice("Да, выхожу", draft)])
    near = [
        a
        for a in said.context.atoms
        if a.has("confirm") and a.first >= said.match.last and layout.sentences[layout.sentence_of[a.first]].line == line
    ]
    span = said.match.span
    for atom in near:
        span = Span(span.start, max(span.end, atom.span.end))
    return [said.read(draft, span=span)]


# ------------------------------------------------------------------------------------------------ смута, consents


def _smuta_score(fill: Fill) -> float | None:
    if all(a.data.get("goes_on") for a in fill.triggers):
        return None
    if called(fill, "smuta"):
        return 0.6
    told = "verdict" in fill.slots or any(a.has("let") for a in fill.atoms)
    return 0.3 if "players" in fill.slots and told else None


@maker
def _smuta(said: Said) -> Iterable[Output]:
    realm = [a for a in said.atoms("players") if _of_mine(said, a)]
    said.settled += realm  # «моё королевство»
    named = [a for a in said.atoms("players") if a not in realm]
    people = [p for p in map(said.player_of, named) if p is not None and p != said.me]
    mode = "all" if said.near("at_once", behind=12) else "each"
    if said.near("one_by_one", behind=12) and not said.has("at_once"):
        mode = "each"
    if _agreed_with(said, named):
        if not said.has("smuta") and any(r.command.get("ruler") in people for r in said.context.readings):
            return []  # «Смута у Аэлин! Мы с ней ударили по рукам: один бросок.»
    elif (heir := _heir(said, named, mode)) is not None:
        if mode != "all":
            raise said.stop("ambiguous", "Смуте по броску на каждого согласие не нужно. Разрешить одним броском?")
        agree = None if _allowed(said) else False
        return [said.read({"type": "consent", "topic": "smuta_all", "player": heir, "agree": agree})]
    ruler = people[0] if people else _right(said)
    if said.has("refuse"):
        if mode == "all":
            draft = {"type": "consent", "topic": "smuta_all"}
            raise said.stop("ambiguous", "Кому отказано в смуте одним броском?", draft=draft)
        if ruler is None:
            raise said.stop("ambiguous", "От смуты в чьём государстве отказ?", draft={"type": "smuta", "decline": True})
        return [said.read({"type": "smuta", "ruler": ruler, "mode": "each", "decline": True})]
    if ruler is None:
        raise said.stop("ambiguous", "В чьём государстве смута?", draft={"type": "smuta", "mode": mode})
    return [said.read({"type": "smuta", "ruler": ruler, "mode": mode})]


def _allowed(said: Said) -> bool:
    return not said.has("deny", "refuse") and said.near("deny", behind=4) is None


def _agreed_with(said: Said, named: list[Atom]) -> bool:
    """«По рукам с Аэлин», «она согласна»: the ruler's consent, told by who raises the смута."""
    if said.near("agree", behind=2) is None or said.has("deny", "refuse", "allow"):
        return False
    others = any(a.prep in {"с", "со"} and not a.cases <= {"gent"} for a in named)
    return others or said.spoken("somebody")


def _heir(said: Said, named: list[Atom], mode: str) -> str | None:
    """Who may inherit from the reader («Радомиру наследовать всё разом позволяю», «пусть Радомир наследует»); None where the
    reader himself raises the смута or declines it."""
    claimed = any(a.verb is Verb.ORDER for a in said.words("smuta"))  # «наследую»
    told = said.near("allow", "deny", behind=4) is not None or (said.has("let") and not claimed)
    told = told or (mode == "all" and (said.has("refuse") or (said.near("agree", behind=2) is not None and not claimed)))
    if said.has("raise_revolt") or not (told or _inherits(said, named)):
        return None
    people = [(a, p) for a in named if (p := said.player_of(a)) not in (None, said.me)]
    willing = [p for a, p in people if a.prep in {"", "для"} and a.cases != frozenset({"loct"})]
    return next(iter(willing or [p for _, p in people]), None)


def _inherits(said: Said, named: list[Atom]) -> bool:
    """«Радомир наследует …»: somebody else does."""
    subject = any("nomn" in a.cases and not a.prep for a in named if said.player_of(a) != said.me)
    verbs = [a for a in said.words("smuta") if a.text.lower().startswith(stems("heir"))]
    return subject and any(a.verb is not Verb.ORDER for a in verbs)


def _of_mine(said: Said, atom: Atom) -> bool:
    tokens = said.context.layout.tokens
    return atom.first > 0 and tokens[atom.first - 1].norm.startswith((*stems("mine"), *stems("ours")))


def _right(said: Said) -> str | None:
    rights = [r.ruler for r in said.state.smuta if r.commander == said.me]
    return rights[0] if len(rights) == 1 else None


def _consent_score(fill: Fill) -> float | None:
    if "units" not in fill.slots or "players" not in fill.slots or fill.slots["units"][0].sense.partial:
        return None
    if "amount" in fill.slots or fill.slots["players"][0].atom.prep in {"с", "со", "у", "от", "за"}:
        return None
    return 0.5


@maker
def _consent(said: Said) -> Iterable[Output]:
    mine = [u for a in said.atoms("units") for u in said.candidates(a)[:1] if not a.has("~person")]
    cells = said.cells()
    own = [u for u in mine if said.mine(u)]
    if cells and not any(said.at(u) in cells for u in own):
        raise said.stop(
            "no_such_unit",
            text_of("no_such_unit", text=said.atoms("units")[0].text, list=", ".join(said.unit_title(u) for u in said.own())),
            severity=Severity.ERROR,
        )
    unit = said.unit(said.atoms("units")[0], cells[0] if cells else None)
    player = said.player()
    agree = None if not said.has("refuse", "deny") else False
    return [said.read({"type": "consent", "topic": "annex", "player": player, "unit": unit, "agree": agree})]


FRAMES = (
    Frame(
        "join_game",
        ("enter_game",),
        (
            Slot(
                "role",
                ("as_ruler", "as_commander", "as_vagabond"),
                required=True,
                many=True,
                weight=1.3,
                cases=frozenset({"ablt", "gent"}),
            ),
            LAND,
            CELLS,
            BAD,
            Slot("units", ("utype", "personal"), many=True),
            SCHOOL,
            Slot("name", ("state_name",), weight=0.5),
        ),
        bare=(frozenset({"role", "land"}), frozenset({"role", "cells"})),
        noise=frozenset(
            {
                "land_word",
                "btype",
                "player",
                "number",
                "on_arrive",
                "allow",
                "let",
                "then",
                "steps",
                "enter_game",
                "reverse",
                "me",
                "state_word",
                "coins",
            }
        ),
        at_most={"units": 3, "cells": 1, "land": 2},
        score=_join_score,
        make=_join,
        inherits=False,
        incomplete=False,
        weight=0.5,
    ),
    Frame("leave_game", ("leave_game",), (), noise=frozenset({"confirm", "me"}), make=_leave, inherits=False, weight=0.6),
    Frame(
        "smuta",
        ("smuta", "at_once"),
        (
            Slot("players", ("player", "utype"), many=True, refs=("~person",), weight=1.1),
            Slot("dice", ("at_once", "one_by_one", "take"), many=True, weight=0.5),
            Slot("verdict", ("refuse", "allow", "deny", "agree"), many=True, weight=0.8),
        ),
        noise=frozenset({"raise_revolt", "state_word", "me", "together", "upgrade", "~all", "let", "give", "put", "school"}),
        at_most={"players": 2, "dice": 3},
        score=_smuta_score,
        make=_smuta,
        inherits=False,
    ),
    Frame(
        "consent",
        ("pass_over", "refuse"),
        (
            Slot("units", ("unit", "utype", "personal"), many=True, weight=1.2),
            CELLS,
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.2),
            Slot("refusal", ("refuse",), weight=0.4),
            Slot("amount", ("coins",)),
        ),
        noise=frozenset({"agree", "give", "allow", "deny", "let", "go", "troops", "me", "to_me", "annex", "take"}),
        at_most={"units": 1, "cells": 1, "players": 1},
        score=_consent_score,
        make=_consent,
        inherits=False,
    ),
)
