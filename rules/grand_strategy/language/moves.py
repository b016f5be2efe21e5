"""Movement and water (R41, R52)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.russian import Verb, info, normal
from parsers.tokens import Kind
from parsers.types import Reading, Severity
from rules.grand_strategy.language.leftovers import strange_subject
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import pronouns, stems, tables
from rules.grand_strategy.language.said import FROM, Said, text_of
from rules.grand_strategy.language.slots import (
    BAD,
    CELLS,
    MONEY,
    PATH,
    UNITS,
    called,
)
from rules.grand_strategy.language.ways import TO, steps, walk


def _move_score(fill: Fill) -> float | None:
    slots = fill.slots
    if not slots.keys() & {"cells", "way", "places", "bad"}:
        return None
    if fill.triggers and all(a.has("put") for a in fill.triggers) and not _put(fill):
        return None
    if len({f.atom.data.get("sentence") for f in slots.get("units", ())}) > 1:
        return None  # «Орда идёт! Всадники: С7, Р6»
    if not fill.triggers and not fill.inherited and "units" in slots and not _told_behind(fill):
        where = [f.atom.first for n in ("cells", "way", "bad") for f in slots.get(n, ())]
        if where and min(where) < slots["units"][0].atom.first:
            return None
    if _two_spoken_of(fill):
        return None
    if "units" in slots and "cells" in slots:
        at = slots["units"][0].atom.first
        spots = [f.atom.first for f in slots["cells"]]
        if min(spots) < at < max(spots):
            return None  # «их на Т9, всадникам — до Р8»: two ways
        others = [f.atom.first for f in slots["units"][1:] if not f.atom.has("~person")]
        if any(spot < other for spot in spots for other in others):
            return None  # «всадники — С8, орки — С9»
    if "places" in slots and not fill.triggers and any(f.atom.prep not in {"к", "ко", "до"} for f in slots["places"]):
        return None
    if "units" not in slots and not fill.triggers and not fill.inherited:
        return -0.3 if _way_alone(fill) or _myself(fill) or _way_on(fill) else None
    for place in slots.get("places", ()):
        if place.atom.prep in {"в", "во", "на"} and place.atom.cases and "accs" not in place.atom.cases:
            return None  # «в Стане»: where, not whither
    if "bad" in slots and not fill.triggers and "units" not in slots:
        return None
    if slots.keys() == {"places"} and not called(fill, "go"):
        return None
    return 0.2


def _two_spoken_of(fill: Fill) -> bool:
    """«орков в стан и выводим их на У8»: a troop in its house, and then where it goes."""
    named = [f.atom for f in fill.slots.get("units", ())]
    places = [f.atom for f in fill.slots.get("places", ())]
    if len(named) != 2 or named[0].has("~person") or not named[1].has("~person"):
        return False
    return any(a.first < named[1].first and a.prep in {"в", "во"} for a in places)


def _put(fill: Fill) -> bool:
    """«дружину ставлю на Е8»: a troop put on a cell; «ставлю заставу на Е8» puts none."""
    troops = [f.atom for f in fill.slots.get("units", ()) if "accs" in f.atom.cases and not f.atom.prep]
    on = any(f.atom.prep in TO for f in fill.slots.get("cells", ()))
    return len(troops) == 1 and on and not any(a.has("btype", "level") for a in fill.atoms)


def _told_behind(fill: Fill) -> bool:
    """«Г4, Д5, Е6 - маг.»: a sentence of a way and its troop."""
    last = fill.atoms[-1]
    alone = all(a.data.get("bare") and a.data.get("beside") == len(fill.atoms) for a in fill.atoms)
    way = any(f.atom.has("path") for f in fill.slots.get("cells", ()))
    own = len(fill.slots["units"]) == 1 and last is fill.slots["units"][0].atom and not last.prep and "nomn" in last.cases
    return way and alone and own


def _myself(fill: Fill) -> bool:
    """«…: я на В4»: the player's own troop."""
    atoms = fill.atoms
    here = len(atoms) == 2 and atoms[0].has("me") and atoms[0].text.lower() in pronouns("i")
    return here and atoms[1].has("cell", "path") and atoms[1].prep in TO and atoms[1].first - atoms[0].last <= 1


def _way_on(fill: Fill) -> bool:
    """«эльфов в город, потом на Г2»: where it goes on."""
    cells = [f.atom for f in fill.slots.get("cells", ())]
    first = fill.atoms[0]
    on = bool(cells) and fill.slots.keys() == {"cells"} and all(a.prep in TO for a in cells)
    return on and first.has("then") and cells[0].first - first.last <= 1


def _way_alone(fill: Fill) -> bool:
    """«И ещё на Г11.», «Через Ж6 на Ж5»: a sentence that is nothing but a way."""
    atoms = fill.atoms
    if any(a.has("btype", "level") for a in atoms):
        return False  # «Заставы на Г8 и Д8» are no way
    whole = all(a.data.get("bare") and a.data.get("beside") == len(atoms) for a in atoms)
    towards = all(f.atom.prep in TO or (f.atom.has("path") and f.atom.prep in FROM) for f in fill.slots.get("cells", ()))
    return whole and fill.slots.keys() == {"cells"} and (towards or any(a.has("only") for a in atoms))


@maker
def _move(said: Said) -> Iterable[Output]:
    said.check_cells()
    if said.atoms("garrison") and not said.atoms("units"):
        text = "Гарнизон не ходит; он может атаковать только войско на своей клетке."
        raise said.stop("unknown_order", text, severity=Severity.ERROR, draft={})
    unit_atoms = [a for a in said.atoms("units") if not (a.has("~person") and a.prep in FROM)]  # «Д4, а с него Е4»
    unit_atoms = [a for a in unit_atoms if not a.has("~person")] or unit_atoms  # «стража на Г10, больше ей не пройти»
    if not unit_atoms and not said.match.triggers:
        stranger = strange_subject(said.context, said.match.first)
        if stranger is not None:
            listed = ", ".join(said.unit_title(u) for u in said.own()) or "нет"
            text = text_of("no_such_unit", text=said.context.text(stranger), list=listed)
            raise said.stop("no_such_unit", text, severity=Severity.ERROR, span=stranger)
    units = [said.unit(a, _first_cell(said)) for a in unit_atoms]
    units = list(dict.fromkeys(units))
    mine = [u for u in units if said.mine(u)]
    foreign = [u for u in units if not said.mine(u)]
    if units and not mine:
        at = unit_atoms[0]
        nobody = all(u is not None and not u.owner for u in map(said.unit_object, units))
        if nobody and at.cases and "nomn" not in at.cases:
            said.unsure(f"непонятно, к чему «{at.text}»")  # «бьют варваров на Н7, подойдя через С7»
            mine = [said.default_actor()]
        if at.has("player") and said.player_of(at) != said.me and at.prep not in {"к", "ко"}:
            return []  # «Аэлин зайти в Трон»: the player, not her mage
        third = any(a.verb in (Verb.THIRD, Verb.PAST) for a in said.match.triggers)
        towards = at.prep in {"к", "ко", "на"}
        if third and not towards:
            return []  # a story: somebody else's troops
        if towards:
            mine = [said.default_actor()]
    if foreign and mine:
        units = mine
    elif not units:
        own = said.personal() if said.words("me") and not said.match.triggers and not said.match.inherited else None
        mine = [own or said.default_actor()]
    units = mine or units
    path = steps(said, units[0])
    if not path:
        return []
    if len(units) > 1:
        if len(path) == len(units):
            return [
                said.read({"type": "move", "unit": u, "path": [_arrive(said, u, c)]}) for u, c in zip(units, path, strict=True)
            ]
        names = [said.unit_title(u) for u in units]
        raise said.stop(
            "ambiguous",
            f"На одной клетке может быть только одно войско. Кого поставить на {path[-1]}?",
            choices=[choice(n) for n in names],
        )
    if unit_atoms and not said.match.triggers and all(a.has("~person") for a in unit_atoms):
        said.unsure(f"«{unit_atoms[0].text} …»: стоит там или идёт туда")
    if not said.match.triggers and _unmade(said):
        return []
    unit = units[0]
    if not unit_atoms and not said.match.triggers:
        ahead = [a for a in said.context.by_sentence.get(said.match.sentence, []) if a.last <= said.match.first]
        if ahead and ahead[-1].has("unit", "utype", "hire") and ahead[-1].first not in _read_so_far(said):
            said.unsure(f"непонятно, к чему «{ahead[-1].text}»")
    back = said.near("reverse", behind=4) or _returns(said)
    start = said.at(unit)
    if back is not None and back.first >= max((a.last for a in said.atoms("cells")), default=0) and start is not None:
        path = [*path, *reversed(path[:-1]), start]  # «на Г4 и обратно»
        said.unsure(f"«{back.text}» понято как возвращение тем же путём")
    if not unit_atoms and _shortened(said, path):
        return []
    command = {"type": "move", "unit": unit, "path": path}
    reading = said.read(command)
    said.put(unit, path[-1])
    return [reading]


def _unmade(said: Said) -> bool:
    """«Стража на Г9 не пойдёт»: the verb behind a bare way denies it; one of the past («уже была») tells of it."""
    layout, last = said.context.layout, said.match.last
    beside = said.context.by_sentence.get(said.match.sentence, [])
    behind = [a for a in beside if last <= a.first <= last + 2]
    taken = {i for a in said.match.atoms for i in a.tokens()}
    past = [t for i, t in enumerate(layout.tokens[said.match.first : last], said.match.first) if i not in taken and _past(t.norm)]
    going = any(f.sense.kind == "go" for t in past for f in said.context.lexicon.find([t]))
    if past and not going:
        return True  # «Стража мрачно смотрела на Г9»
    no = next((a for a in behind if a.has("go", "refuse") and (a.negated or a.text.lower().startswith("не "))), None)
    if no is not None and not any(a.has("path") for a in said.atoms("cells")):
        return True
    if no is not None:
        said.unsure(f"непонятно, что отменяет «{no.text}»")
    for token in layout.tokens[last : min(last + 3, layout.sentences[said.match.sentence].last)]:
        if token.kind is Kind.SIGN:
            break
        if _past(token.norm):
            said.unsure(f"сказано о прошлом: «{token.norm}»")
    return False


def _past(word: str) -> bool:
    return info(word).verb is Verb.PAST


def _shortened(said: Said, path: list[str]) -> bool:
    """«…Т9, Т10 и У11. Стоп, там дракон. Только Т9, Т10.»: what is left of the way told before takes its place."""
    only = said.has("only") or said.near("only") is not None
    for match, outputs in reversed(said.context.outputs):
        for n, output in enumerate(outputs):
            if not isinstance(output, Reading) or output.command["type"] != "move":
                continue
            before = list(output.command["path"])
            line = _line(said, match.sentence) == _line(said, said.match.sentence)
            if not only or not line or not set(path) <= set(before):
                return False
            command = {**output.command, "path": before[: before.index(path[-1]) + 1]}
            outputs[n] = replace(output, command=command, extra_spans=(*output.extra_spans, said.match.span))
            said.put(str(command["unit"]), path[-1])
            return True
    return False


def _line(said: Said, sentence: int) -> int:
    return said.context.layout.sentences[sentence].line


def _returns(said: Said) -> Atom | None:
    """«…до Г9 и возвращается»: a verb of coming back with no place behind it."""
    beside = said.context.by_sentence.get(said.match.sentence, [])
    cells = [a.last for a in said.atoms("cells")]
    behind = [a for a in beside if cells and max(cells) <= a.first <= said.match.last + 3]
    if not behind or not behind[0].has("go") or any(a.has("cell", "path", "house") for a in behind[1:]):
        return None
    return behind[0] if behind[0].text.lower().startswith(stems("returning")) else None


def _read_so_far(said: Said) -> set[int]:
    return {i for m, made in said.context.outputs if made for a in m.atoms for i in range(a.first, a.last)}


def _arrive(said: Said, unit: str, cell: str) -> str:
    said.put(unit, cell)
    return cell


def _first_cell(said: Said) -> str | None:
    cells = said.atoms("cells")
    if not cells:
        return None
    way = cells[0].get("path")
    return str(way.value[0][0]) if way is not None else said.cell_of(cells[0])


@maker
def _embark(said: Said) -> Iterable[Output]:
    if said.atoms("money") and all(_priced(said, a) for a in said.match.triggers):
        said.unsure("приказ это или цена плотов")
    return _one_unit(said, "embark")


def _priced(said: Said, trigger: Atom) -> bool:
    """«Плоты: 5 монет, треть казны»: what they cost, among things weighed."""
    behind = said.context.layout.tokens[trigger.last : trigger.last + 1]
    return trigger.text.lower() in _RAFTS and any(t.norm in {":", "-", "–", "—"} for t in behind)


@maker
def _disembark(said: Said) -> Iterable[Output]:
    return _one_unit(said, "disembark")


def _one_unit(said: Said, kind: str) -> list[Output]:
    units = list(dict.fromkeys(said.named() or [said.default_actor()]))
    gone = walk(said, units[0], "embark", "disembark") if len(units) == 1 else []
    return [*gone, *(said.read({"type": kind, "unit": u}) for u in units)]


def _where(trigger: Atom) -> bool:
    """«стража на берегу»: where it is, and no landing."""
    cases = info(normal(trigger.text.split()[-1])).cases
    return trigger.verb is Verb.NONE and "loct" in cases and "accs" not in cases


_RAFTS = frozenset(tables()["rafts"]["words"])
"""«плоты» as a word of order; «пять за плоты» tells the price."""
FRAMES = (
    Frame(
        "move",
        ("go", "put"),
        (
            UNITS,
            PATH,
            BAD,
            Slot("way", ("way",), many=True),
            Slot("garrison", ("garrison",)),
            Slot(
                "places",
                ("house",),
                many=True,
                preps=frozenset({"в", "во", "к", "ко", "на", "из", "с", "до", "через", "от"}),
                strict=True,
            ),
            Slot("coin", ("coins",), weight=0.1),
        ),
        bare=(
            frozenset({"units", "cells"}),
            frozenset({"units", "bad"}),
            frozenset({"units", "way"}),
            frozenset({"units", "places"}),
            frozenset({"cells"}),
        ),
        bare_partial=True,
        noise=frozenset(
            {
                "let",
                "btype",
                "cell_word",
                "arrow",
                "troops",
                "then",
                "first",
                "me",
                "each_word",
                "stay",
                "commander_word",
                "landing",
                "school",
                "level",
            }
        ),
        at_most={"units": 3, "cells": 14, "places": 2},
        score=_move_score,
        make=_move,
    ),
    Frame(
        "embark",
        ("embark",),
        (UNITS, CELLS, MONEY),
        noise=frozenset({"go", "troops"}),
        score=lambda fill: None if any(a.prep and a.text.lower() in _RAFTS for a in fill.triggers) else 0.3,
        make=_embark,
        inherits=False,
        at_most={"cells": 1, "money": 1, "units": 2},
    ),
    Frame(
        "disembark",
        ("disembark",),
        (UNITS, CELLS),
        noise=frozenset({"go", "embark", "troops"}),
        score=lambda fill: None if all(_where(a) for a in fill.triggers) else 0.3,
        make=_disembark,
        inherits=False,
        at_most={"cells": 1, "units": 2},
    ),
)
