"""The order language of one view and step, and the last look at a post: deployments put together, choices joined to attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Frame, Match, Output
from parsers.language import Language, build_lexicon
from parsers.lexicon import Lexicon
from parsers.russian import Verb, info
from parsers.structure import Status, clauses
from parsers.tokens import Kind, Token
from parsers.types import Problem, Reading, Severity, Span
from rules.steel_rose.language import cities, common, gm, names, realm, tactics
from rules.steel_rose.language.joins import Joins, is_ogre
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.positions import OTHER, PLACES, WHO, Placed, read_positions
from rules.steel_rose.view import View

Outputs = list[tuple[Match, list[Output]]]
_NAMES = frozenset({"unit", "building", "city", "origin", "faction", "spell", "ritual", "mobile", "squad", "cell", "flank", "row",
    "road", "army", "armyword", "capital", "roadword", "town"})  # fmt: skip
_STRONG = frozenset({"squad"})
_NEEDS = frozenset({"city", "unit", "squad", "building", "army", "armyword", "gold"})
_lexicons: dict[Any, Lexicon] = {}


def order_language(view: View, kind: str | None) -> Language:
    """The language of the view's reader in a step (`orders`, `deployment`, `planning`, `capture`; None: unknown)."""
    table = tables()
    keeps = tuple(table["keeps"]["stems"])

    def kept(tokens: Sequence[Token]) -> bool:
        return any(t.norm.startswith(stem) for t in tokens for stem in keeps) and not any(
            t.norm in {"отступаем", "отходим", "отступить"} for t in tokens
        )

    return Language(
        _lexicon(view),
        gm.frames() if view.all_seeing else _frames(view.faction, kind),
        units={unit: frozenset(words) for unit, words in table["units"].items()},
        composites=(Joins(view),),
        strong=_STRONG,
        names=_NAMES,
        abbreviations=frozenset(table["abbreviations"]["words"]),
        keeps=kept,
        finish=None if view.all_seeing else lambda context, outputs: _finish(context, outputs, kind),
        allows=None if view.all_seeing else _allows,
        view=view,
        unknown_message=table["asks"]["unknown"],
        conditional_message=table["asks"]["conditional"],
        unknown_needs=_NEEDS,
    )


@cache
def _frames(me: str | None, kind: str | None) -> tuple[Frame, ...]:
    orders = realm.frames(me)
    if kind in ("deployment", "planning"):  # a bare «8 копейщиков» stands somewhere there, nobody hires
        orders = tuple(replace(f, weight=f.weight - 0.9) if f.id == "hire" else f for f in orders)
    return (*orders, *tactics.frames(me, kind))


def _lexicon(view: View) -> Lexicon:
    """Lexicons are kept by what they name."""
    mobile = view.state.mobile_city
    key = (
        view.all_seeing,
        view.faction,
        tuple((i, c.name_ru, tuple(c.aliases)) for i, c in view.state.cities.items()),
        (mobile.name_ru, tuple(mobile.aliases)) if mobile is not None else None,
    )
    if key not in _lexicons:
        if len(_lexicons) > 24:
            _lexicons.clear()
        _lexicons[key] = build_lexicon(names.entries(view))
    return _lexicons[key]


# ------------------------------------------------------------------------------------------------ stories


_TELLING = (Verb.THIRD, Verb.PAST, Verb.SECOND)
_NEAR = 60
"""Tokens around a bare list of units or buildings that tell whether it is one."""
_MANY_STRANGERS = 7
"""So many words of no game meaning around a bare number of units are a story."""


def _allows(context: Context, match: Match) -> bool:
    """No order: what the text says others do («князья идут на Брод»), or units in a story («гибель одного копейщика»)."""
    sentence = context.layout.sentence_of[match.first]
    if any(a.bold for a in match.atoms):
        return True
    if match.frame.id in ("hire", "build") and not match.triggers and not match.inherited and not match.correcting:
        return _listed(context, match, sentence)
    third = [a for a in match.triggers if a.verb in _TELLING]
    if not third or match.frame.id in ("maneuver", "cast_spell", "ritual", "capture_choice") or any(a.bold for a in match.atoms):
        return True
    me = context.view.faction
    for atom in context.by_sentence.get(sentence, []):
        faction = atom.get("faction")
        if faction is None or atom.prep or faction.value == me or atom.has("squad"):
            continue
        opens = atom.first == context.layout.sentences[sentence].first
        actor = "nomn" in atom.cases and ("accs" not in atom.cases or opens)
        if actor and 0 < third[0].first - atom.first <= 4:
            return False
    return True


def _listed(context: Context, match: Match, sentence: int) -> bool:
    """Units and numbers as a list has them, not in a sentence that tells something."""
    from parsers.russian import closed_class, info

    part = context.layout.sentences[sentence]
    strangers = 0
    first, last = max(part.first, match.first - _NEAR), min(part.last, match.last + _NEAR)
    used = {i for a in cities.atoms_between(context, first, last) for i in range(a.first, a.last)}
    colons = [i for i in range(first, match.first) if context.layout.tokens[i].norm == ":"]
    for i in range(colons[-1] if colons else first, last):
        token = context.layout.tokens[i]
        if token.kind is not Kind.WORD or token.norm in closed_class():
            continue
        verb = info(token.norm).verb
        if verb in _TELLING and i not in used and abs(i - match.first) < 12:
            return False
        strangers += i not in used
    return strangers < _MANY_STRANGERS and strangers <= 2 + 2 * len(match.atoms)


# ------------------------------------------------------------------------------------------------ the last look


def _finish(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    outputs = _restarted(context, outputs)
    outputs = _instead(context, outputs)
    outputs = _said_again(context, outputs)
    _withdrawn(context, outputs)
    outputs = _deployments(context, outputs, kind)
    outputs = _replaced(context, outputs)
    outputs = _captures(context, outputs, kind)
    outputs = _ways(outputs)
    outputs = _betrayals(outputs)
    outputs = _transfers(context, outputs)
    outputs = _as_last_turn(context, outputs)
    outputs = _duplicates(outputs)
    if kind == "planning":
        outputs = [*outputs, *_idle_squads(context)]
    return [(m, made) for m, made in outputs if made]


def _idle_squads(context: Context) -> Outputs:
    """«цар лупит по их цав»: a squad at the head of a clause with a verb that no manoeuvre knows must not be lost: it asks."""
    layout = context.layout
    used = {a.first for m, _ in context.outputs for a in m.atoms}
    frame = next(f for f in _frames(context.view.faction, "planning") if f.id == "maneuver")
    out: Outputs = []
    for index, inside in context.by_sentence.items():
        cells = [a for a in inside if a.has("cell")]
        if not cells or index < 0:
            continue
        for first, last in clauses(layout, layout.sentences[index]):
            mine = [a for a in cells if first <= a.first < last]
            live = all(layout.status[a.first] is Status.LIVE and not a.negated for a in mine)
            if not mine or not live or mine[0].prep or any(a.first in used for a in mine):
                continue
            verbs = [t for t in layout.tokens[mine[0].last : last] if t.kind is Kind.WORD and info(t.norm).verb in _ORDERED]
            if not verbs or mine[0].first - first > 2:
                continue
            span = mine[0].span.cover(layout.tokens[last - 1].span)
            match = Match(frame, (mine[0],), (), {}, False, span, mine[0].first, last, index, "")
            text = tables()["asks"]["unknown_maneuver"].format(word=verbs[0].norm)
            out.append((match, [context.problem(match, "E_UNKNOWN_MANEUVER", text, severity=Severity.ERROR)]))
    return out


_ORDERED = (Verb.THIRD, Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE)


def _withdrawn(context: Context, outputs: Outputs) -> None:
    """«Лучников отменяю»: the order for them is no longer certain."""
    for inside in context.by_sentence.values():
        if not any(a.has("~withdraw") and not a.negated for a in inside):
            continue
        for atom in inside:
            values = {
                str(s.value[0] if s.kind == "squad" else s.value) for s in atom.senses if s.kind in ("squad", "unit", "building")
            }
            for match, made in outputs:
                for n, output in enumerate(made):
                    if isinstance(output, Reading) and match.last <= atom.first:
                        named = output.command.get("unit") or output.command.get("building")
                        if named in values and context.layout.sentence_of[match.first] != context.layout.sentence_of[atom.first]:
                            made[n] = replace(output, certain=False, note=tables()["asks"]["withdrawn"])


def _said_again(context: Context, outputs: Outputs) -> Outputs:
    """«5 копейщиков … нет, 7 копейщиков»: a line that begins with «нет» puts the number before it right."""
    for n, (match, made) in enumerate(outputs):
        sentence = context.layout.sentences[match.sentence]
        opening = next((t.norm for t in context.layout.tokens[sentence.first : match.first] if t.kind is Kind.WORD), "")
        if opening != "нет" or match.first - sentence.first > 3:
            continue
        units = {r.command.get("unit") for r in _readings(made) if r.command["type"] in ("hire", "hire_mercenary", "disband")}
        for _, before in outputs[:n]:
            gone = [r for r in _readings(before) if r.command.get("unit") in units - {None}]
            before[:] = [o for o in before if o not in gone]
            _cover(made, gone)
    return outputs


def _cover(made: list[Output], gone: Sequence[Reading]) -> None:
    """The first reading also stands where the orders stood that it replaces."""
    first = next(iter(_readings(made)), None)
    if first is not None and gone:
        spans = (*first.extra_spans, *(r.span for r in gone))
        made[made.index(first)] = replace(first, extra_spans=spans)


def _instead(context: Context, outputs: Outputs) -> Outputs:
    """«вместо лучников 4 — лучники 6»: what stands behind «вместо» is no order, and an order for it before is taken back."""
    orders: dict[str, list[tuple[list[Output], Reading]]] = {}
    for _, made in outputs:
        for reading in _readings(made):
            if reading.command["type"] in ("hire", "build", "hire_mercenary"):
                named = repr(reading.command.get("unit") or reading.command.get("building"))
                orders.setdefault(named, []).append((made, reading))
    if not orders:
        return outputs
    for n, atom in enumerate(context.atoms[:-1]):
        old = context.atoms[n + 1]
        if not atom.has("~instead") or not old.has("squad", "unit", "building"):
            continue
        values = {
            repr(s.value[0] if s.kind == "squad" else s.value) for s in old.senses if s.kind in ("squad", "unit", "building")
        }
        for value in values:
            left = []
            for made, reading in orders.get(value, ()):
                place = reading.fields.get("unit", reading.span)
                itself = place.start <= old.span.start and old.span.end <= place.end
                if itself or reading.span.end <= atom.span.start:
                    made.remove(reading)
                else:
                    left.append((made, reading))
            orders[value] = left
    return outputs


def _restarted(context: Context, outputs: Outputs) -> Outputs:
    """«Отмена хода, заново: …»: what this very post said before it counts no more either."""
    span = context.memory.get("restart_span")
    if span is None:
        return outputs
    return [(m, made) for m, made in outputs if m.span.start >= span.start]


def _readings(made: Sequence[Output]) -> list[Reading]:
    return [o for o in made if isinstance(o, Reading)]


def _deployments(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """Every line of a deployment, and the headings between them, make one command (a preset: one for each city)."""
    homes: list[tuple[Match, list[Reading]]] = []
    out: Outputs = []
    pieces: list[tuple[Match, list[Match]]] = []
    for match, made in outputs:
        places = [r for r in _readings(made) if r.command["type"] in ("deploy", "set_garrison_deployment")]
        if not places:
            out.append((match, made))
            continue
        if match.frame.id == "deploy" and pieces and _continues(context, pieces[-1], match, kind):
            pieces[-1][1].append(match)
            continue
        homes.append((match, places))
        pieces.append((match, [match]))
    used = {a.first for m, made in out if made for a in m.atoms}
    for (match, readings), (_, parts) in zip(homes, pieces, strict=True):
        placed, span = _placed(context, match, parts, used)
        if not placed.positions and not placed.problems and not (match.frame.id != "deploy" and common.has(match, "default")):
            continue
        notes = list(dict.fromkeys(placed.notes))
        made_: list[Output] = list(placed.problems)
        asked = any(p.severity is Severity.QUESTION for p in placed.problems)
        battle = next((tactics.battle_fields(p) for p in parts if tactics.battle_fields(p)), {})
        for reading in readings:
            command = {**reading.command, **(battle if match.frame.id == "deploy" else {}), "positions": placed.positions}
            if asked or (not placed.positions and placed.problems):
                continue
            note = "; ".join([*notes, *placed.remarks]) or None
            made_.append(replace(reading, command=command, span=span, certain=not notes, note=note))
        if asked:
            draft = {**readings[0].command, "positions": placed.positions}
            made_ = [
                replace(o, draft=draft, span=span) if isinstance(o, Problem) and o.severity is Severity.QUESTION else o
                for o in made_
            ]
        atoms = {a.first: a for a in (*match.atoms, *placed.atoms)}
        out.append((replace(match, atoms=tuple(atoms[k] for k in sorted(atoms))), made_))
    out.sort(key=lambda item: item[0].first)
    return out


def _continues(context: Context, piece: tuple[Match, list[Match]], match: Match, kind: str | None) -> bool:
    """A further line of the same deployment; behind a garrison's preset only while lines follow at once."""
    home, parts = piece
    if home.frame.id == "deploy":
        mine, old = tactics.battle_fields(match), next((tactics.battle_fields(p) for p in parts if tactics.battle_fields(p)), {})
        return not mine or not old or mine == old
    if kind == "deployment":
        return False
    lines = context.layout.sentences
    return lines[match.sentence].line - lines[parts[-1].sentence].line <= 1


def _placed(context: Context, home: Match, parts: list[Match], used: set[int]) -> tuple[Placed, Span]:
    layout = context.layout
    wanted = (*PLACES, *WHO, *OTHER)
    mine = {layout.sentence_of[a.first] for m in parts for a in m.atoms}
    first, last = min(mine), max(mine)
    while first > 0 and home.frame.id == "deploy" and _only_places(context, first - 1):
        first -= 1
    atoms: list[Atom] = []
    taken = {a.first for m in parts for a in m.atoms}
    start = home.first if home.frame.id != "deploy" else 0
    for index in range(first, min(last + 2, len(layout.sentences))):
        inside = [a for a in context.by_sentence.get(index, []) if layout.status[a.first] is Status.LIVE and not a.negated]
        inside = [a for a in inside if a.first >= start and a.first not in used]
        if index == last + 1:
            if not (inside and inside[0].has("~correction") and all(a.has(*wanted) for a in inside)):
                break
        elif index not in mine and not all(a.has(*wanted) for a in inside):
            inside = [a for a in inside if a.has("cell", "flank", "row") and _only_places(context, index)]
        atoms += [a for a in inside if a.has(*wanted) and (index not in mine or a.first in taken or not a.has("number") or True)]
    placed = read_positions(context, atoms)
    spans = [a.span for a in placed.atoms] + [a.span for m in parts for a in m.atoms]
    if home.frame.id == "deploy":
        spans += [a.span for a in atoms if a.has("cell", "flank", "row", "nobody")]
    span = spans[0] if spans else home.span
    for other in spans[1:]:
        span = span.cover(other)
    return placed, span


def _only_places(context: Context, index: int) -> bool:
    """A heading: a line of places alone."""
    sentence = context.layout.sentences[index]
    atoms = context.by_sentence.get(index, [])
    words = [t for t in context.layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD]
    return (
        bool(atoms)
        and any(a.has("flank", "row", "cell") for a in atoms)
        and all(a.has("flank", "row", "cell", "deployword", "number") for a in atoms)
        and len(words) <= sum(a.last - a.first for a in atoms) + 3
    )


def _replaced(context: Context, outputs: Outputs) -> Outputs:
    """«…, нет, просто в укрытие»: the manoeuvre of the same squad before it is taken back; two in one breath ask."""
    gone = context.memory.get("replaced", [])
    for match in gone:
        positions = {r.command.get("position") for m, made in outputs if m is match for r in _readings(made)}
        for earlier, made in outputs:
            if earlier.first < match.first:
                kept = [
                    o
                    for o in made
                    if not (isinstance(o, Reading) and o.command.get("position") in positions and o.command["type"] == "maneuver")
                ]
                taken = [o for o in made if o not in kept]
                if taken:
                    made[:] = kept
                    for other, later in outputs:
                        if other is match:
                            later[:] = [
                                replace(o, extra_spans=(*o.extra_spans, *(t.span for t in taken if t.span is not None)))
                                if isinstance(o, Reading)
                                else o
                                for o in later
                            ]
    for match, made in outputs:
        for problem in [o for o in made if isinstance(o, Problem) and o.code == "E_TWO_MANEUVERS"]:
            position = (problem.draft or {}).get("position")
            for earlier, before in outputs:
                same = [
                    r
                    for r in _readings(before)
                    if r.command["type"] == "maneuver"
                    and r.command.get("position") == position
                    and earlier.sentence == match.sentence
                ]
                for reading in same:
                    before.remove(reading)
                    assert problem.span is not None
                    made[made.index(problem)] = problem = problem.at(reading.span.cover(problem.span))
    return outputs


def _captures(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """A capture option said with an attack belongs to it; a choice alone is made for the city named, or the only battle."""
    outputs = _one_fate(outputs)
    attacks: list[tuple[Match, list[Output]]] = []
    for match, made in outputs:
        if any(r.command["type"] == "army_order" and r.command.get("order") == "attack" for r in _readings(made)):
            attacks.append((match, made))
    for match, made in outputs:
        for reading in [r for r in _readings(made) if r.command["type"] == "capture_choice"]:
            home = _attack_of(reading, match, attacks)
            if home is not None:
                made.remove(reading)
                _join(home[1], reading)
            elif kind == "orders" and "city" in reading.command and reading.certain:
                made[made.index(reading)] = replace(reading, certain=False, note=tables()["asks"]["no_attack"])
            elif "city" not in reading.command and kind not in ("capture", None) and not _near_order(match, outputs):
                made.remove(reading)
    return outputs


def _one_fate(outputs: Outputs) -> Outputs:
    """«сжечь Камень дотла, руины не нужны»: a further word for the same fate adds to the choice before it."""
    last: tuple[Match, list[Output]] | None = None
    for match, made in outputs:
        for reading in [r for r in _readings(made) if r.command["type"] == "capture_choice"]:
            old = (
                next((r for r in _readings(last[1]) if r.command["type"] == "capture_choice"), None) if last is not None else None
            )
            near = last is not None and match.sentence - last[0].sentence <= 1
            same = old is not None and old.command["choice"] == reading.command["choice"]
            if last is not None and old is not None and near and same and "city" not in reading.command:
                made.remove(reading)
                joined = replace(
                    old,
                    command={**reading.command, **old.command},
                    certain=old.certain and reading.certain,
                    extra_spans=(*old.extra_spans, reading.span),
                )
                last[1][last[1].index(old)] = joined
            else:
                last = (match, made)
    return outputs


def _near_order(match: Match, outputs: Outputs) -> bool:
    """A choice without a city and without an attack counts only beside other orders."""
    del outputs
    return match.inherited


def _attack_of(reading: Reading, match: Match, attacks: Outputs) -> tuple[Match, list[Output]] | None:
    city = reading.command.get("city")
    near = [(m, made) for m, made in attacks if m.first <= match.last]
    for home in reversed(near):
        orders = [r for r in _readings(home[1]) if r.command["type"] == "army_order"]
        if city is not None and all(r.command.get("city") != city for r in orders):
            continue
        if city is None and match.sentence - home[0].sentence > 3:
            continue
        return home
    return None


def _join(made: list[Output], reading: Reading) -> None:
    for n, output in enumerate(made):
        if not isinstance(output, Reading) or output.command["type"] != "army_order" or output.command.get("order") != "attack":
            continue
        command = {**output.command, "on_capture": reading.command["choice"]}
        if "keep_ruins" in reading.command:
            command["keep_ruins"] = reading.command["keep_ruins"]
        certain = output.certain and reading.certain
        note = "; ".join(filter(None, (output.note, reading.note))) or None
        made[n] = replace(output, command=command, certain=certain, note=note, extra_spans=(*output.extra_spans, reading.span))


def _ways(outputs: Outputs) -> Outputs:
    """Roads of the mobile city said one after another are one way."""
    last: tuple[Match, list[Output]] | None = None
    for match, made in outputs:
        for reading in [r for r in _readings(made) if r.command["type"] == "move_mobile_city"]:
            if last is not None and reading.command["path"] and match.sentence - last[0].sentence <= 1 and not match.correcting:
                made.remove(reading)
                for n, output in enumerate(last[1]):
                    if isinstance(output, Reading) and output.command["type"] == "move_mobile_city":
                        path = [*output.command["path"], *reading.command["path"]]
                        command = {**output.command, "path": path}
                        sure = output.certain and reading.certain
                        note = "; ".join(filter(None, (output.note, reading.note))) or None
                        last[1][n] = replace(
                            output, command=command, certain=sure, note=note, extra_spans=(*output.extra_spans, reading.span)
                        )
            else:
                last = (match, made)
    return outputs


def _betrayals(outputs: Outputs) -> Outputs:
    """«Кидаю ушастых: предаю эльфов, забираю Эльв»: one betrayal of one ally."""
    seen: dict[str, tuple[list[Output], Reading]] = {}
    for _, made in outputs:
        for reading in [r for r in _readings(made) if r.command["type"] == "betray_ally"]:
            before = seen.get(reading.command["faction"])
            if before is None:
                seen[reading.command["faction"]] = (made, reading)
                continue
            cities = list(dict.fromkeys([*(before[1].command.get("cities") or []), *(reading.command.get("cities") or [])]))
            command = {**before[1].command, **({"cities": cities} if cities else {})}
            main, other = (reading, before[1]) if reading.command.get("cities") else (before[1], reading)
            joined = replace(main, command=command, extra_spans=(*main.extra_spans, *other.extra_spans, other.span))
            before[0][before[0].index(before[1])] = joined
            made.remove(reading)
            seen[reading.command["faction"]] = (before[0], joined)
    return outputs


def _transfers(context: Context, outputs: Outputs) -> Outputs:
    """Ogres hired beside ogres' names are mercenaries whatever the verb; nothing to do for the ogres themselves."""
    if context.view.faction == "ogres":
        return outputs
    for _, made in outputs:
        for n, output in enumerate(made):
            if isinstance(output, Reading) and output.command["type"] == "hire" and is_ogre(output.command.get("unit")):
                made[n] = replace(output, command={**output.command, "type": "hire_mercenary"})
    return outputs


def _as_last_turn(context: Context, outputs: Outputs) -> Outputs:
    """«остальное как в прошлом ходу» stands in a clause of the past, where no frame looks."""
    if any(m.frame.id == "last_turn" for m, _ in outputs):
        return outputs
    for atom in context.atoms:
        if atom.has("lastturn") and context.layout.status[atom.first] is Status.IRREAL:
            frame = next(f for f in _frames(context.view.faction, None) if f.id == "last_turn")
            sentence = context.layout.sentence_of[atom.first]
            match = Match(frame, (atom,), (atom,), {}, False, atom.span, atom.first, atom.last, sentence, "")
            return [*outputs, (match, [common.ask(context, match, "last_turn")])]
    return outputs


def _duplicates(outputs: Outputs) -> Outputs:
    """The same choice said twice («Грабить! … грабим») is one."""
    seen: set[str] = set()
    for _, made in outputs:
        for output in list(_readings(made)):
            if output.command["type"] in ("hire", "disband", "hire_mercenary"):
                continue
            key = repr(sorted(output.command.items(), key=lambda i: i[0]))
            if key in seen:
                made.remove(output)
            seen.add(key)
    return outputs
