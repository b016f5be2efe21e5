"""The last look: lines of one deployment, a choice with its attack, roads of one way, one betrayal — put together."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.steel_rose.language import common
from rules.steel_rose.language.battlefield import battle_fields
from rules.steel_rose.language.deployment import PRESET, preset_above
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.outcome import Outputs, readings
from rules.steel_rose.language.placed import OTHER, PLACES, WHO, Placed
from rules.steel_rose.language.positions import read_positions


def deployments(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """Every line of a deployment, and the headings between them, make one command (a preset: one for each city)."""
    homes: list[tuple[Match, list[Reading]]] = []
    out: Outputs = []
    pieces: list[tuple[Match, list[Match]]] = []
    for match, made in outputs:
        places = [r for r in readings(made) if r.command["type"] in ("deploy", PRESET)]
        if not places:
            out.append((match, made))
            continue
        preset = match.frame.id == "deploy" and kind not in ("deployment", "planning")
        above = (preset_above(context, match) or _defended(outputs, match)) if preset else []
        if above and not (pieces and pieces[-1][1][-1].sentence == match.sentence):
            places = [replace(places[0], command={"type": PRESET, "city": city, "positions": {}}) for city in above]
        elif match.frame.id == "deploy" and pieces and _continues(context, pieces[-1], match, kind):
            pieces[-1][1].append(match)
            continue
        homes.append((match, places))
        pieces.append((match, [match]))
    used = {a.first for m, made in out if made for a in m.atoms}
    for (match, orders), (_, parts) in zip(homes, pieces, strict=True):
        placed, span = _placed(context, match, parts, used)
        if not placed.positions and match.frame.id != "deploy" and common.has(match, "~same"):
            told = [r.command["positions"] for _, made in out for r in readings(made) if r.command["type"] == PRESET]
            placed.positions = dict(told[-1]) if told else {}
        if not placed.positions and not placed.problems and not (match.frame.id != "deploy" and common.has(match, "default")):
            if placed.notes and kind == "deployment" and not out:
                out.append((match, [context.problem(match, context.ambiguous_code, placed.notes[0])]))
            continue
        notes = list(dict.fromkeys(placed.notes))
        made_: list[Output] = list(placed.problems)
        asked = any(p.severity is Severity.QUESTION for p in placed.problems)
        battle = next((battle_fields(p) for p in parts if battle_fields(p)), {})
        for reading in orders:
            command = {**reading.command, **(battle if match.frame.id == "deploy" else {}), "positions": placed.positions}
            if asked or (not placed.positions and placed.problems):
                continue
            note = "; ".join([*notes, *placed.remarks]) or None
            made_.append(replace(reading, command=command, span=span, certain=not notes, note=note))
        if asked:
            draft = {**orders[0].command, "positions": placed.positions}
            made_ = [
                replace(o, draft=draft, span=span) if isinstance(o, Problem) and o.severity is Severity.QUESTION else o
                for o in made_
            ]
        atoms = {a.first: a for a in (*match.atoms, *placed.atoms)}
        ordered = tuple(atoms[k] for k in sorted(atoms))
        out.append((replace(match, atoms=ordered, last=max(a.last for a in ordered)), made_))
    out.sort(key=lambda item: item[0].first)
    return out


def _defended(outputs: Outputs, match: Match) -> list[str]:
    """«Оборона Ормиса: щиты вперёд, стрелки назад»: the city whose defence is told so, without an army."""
    for other, made in outputs:
        found = [r for r in readings(made) if r.command["type"] == "army_order" and r.command["order"] == "defend"]
        if found and other.sentence == match.sentence and not any(a.has("army", "armyword") for a in other.atoms):
            made.remove(found[0])
            return [str(found[0].command["city"])]
    return []


def _continues(context: Context, piece: tuple[Match, list[Match]], match: Match, kind: str | None) -> bool:
    """A further line of the same deployment; behind a garrison's preset only while lines follow at once."""
    home, parts = piece
    if home.frame.id == "deploy":
        mine, old = battle_fields(match), next((battle_fields(p) for p in parts if battle_fields(p)), {})
        return not mine or not old or mine == old
    if kind == "deployment":
        return False
    layout = context.layout
    ended = layout.sentence_of[parts[-1].last - 1]
    return layout.sentences[match.sentence].line - layout.sentences[ended].line <= 1


def _placed(context: Context, home: Match, parts: list[Match], used: set[int]) -> tuple[Placed, Span]:
    layout = context.layout
    wanted = (*PLACES, *WHO, *OTHER)
    mine = {layout.sentence_of[a.first] for m in parts for a in m.atoms}
    first, last = min(mine), max(mine)
    while first > 0 and home.frame.id == "deploy" and (_only_places(context, first - 1) or _ruled(context, first - 1)):
        first -= 1
    atoms: list[Atom] = []
    taken = {a.first for m in parts for a in m.atoms}
    start = home.first if home.frame.id != "deploy" else 0
    for index in range(first, min(last + 2, len(layout.sentences))):
        inside = [
            a
            for a in context.by_sentence.get(index, [])
            if (layout.status[a.first] is Status.LIVE or a.first in taken) and not a.negated
        ]
        inside = [a for a in inside if a.first >= start and a.first not in used]
        if index == last + 1:
            if not (inside and inside[0].has("~correction") and all(a.has(*wanted) for a in inside)):
                break
        elif index not in mine and not all(a.has(*wanted) for a in inside):
            inside = [a for a in inside if a.has("cell", "flank", "row") and _only_places(context, index)]
        atoms += [a for a in inside if a.has(*wanted) and (index not in mine or a.first in taken or not a.has("number") or True)]
    corrected = frozenset(a.first for m in parts if m.correcting for a in m.atoms)
    placed = read_positions(context, atoms, corrected)
    placed.atoms += [a for index in range(first, last + 1) for a in _left_empty(context, index)]
    spans = [a.span for a in placed.atoms] + [a.span for m in parts for a in m.atoms]
    if home.frame.id == "deploy":
        spans += [a.span for a in atoms if a.has("cell", "flank", "row", "nobody")]
    span = spans[0] if spans else home.span
    for other in spans[1:]:
        span = span.cover(other)
    return placed, span


def _left_empty(context: Context, index: int) -> list[Atom]:
    """«справа никого не ставим»: a place that was heard of."""
    denied = [a for a in context.by_sentence.get(index, ()) if a.negated]
    return [a for a in denied if a.has(*PLACES, "nobody", "deployword")] if any(a.has("nobody") for a in denied) else []


def _ruled(context: Context, index: int) -> bool:
    """«|---|---|»: the rule below the head of a table."""
    sentence = context.layout.sentences[index]
    return all(t.norm in {"|", "-", "+", ":", "="} for t in context.layout.tokens[sentence.first : sentence.last])


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


def captures(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """A capture option said with an attack belongs to it; a choice alone is made for the city named, or the only battle."""
    outputs = _one_fate(outputs)
    attacks: list[tuple[Match, list[Output]]] = []
    for match, made in outputs:
        if any(r.command["type"] == "army_order" and r.command.get("order") == "attack" for r in readings(made)):
            attacks.append((match, made))
    for match, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == "capture_choice"]:
            home = _attack_of(reading, match, attacks)
            if home is not None:
                made.remove(reading)
                _join(home[1], reading)
            elif kind == "orders" and "city" in reading.command:
                made[made.index(reading)] = _attacking(context, match, reading)
            elif "city" not in reading.command and kind not in ("capture", None) and not _near_order(match, outputs):
                made.remove(reading)
    return outputs


def _attacking(context: Context, match: Match, reading: Reading) -> Reading:
    """«На Хольмгард, грабить!»: a city of another's is taken by an attack, though none was called so."""
    city = reading.command["city"]
    known = context.view.state.cities.get(city)
    if known is None or known.owner == context.view.faction:
        return replace(reading, certain=False, note=tables()["asks"]["no_attack"])
    kept = {k: v for k, v in reading.command.items() if k == "keep_ruins"}
    army = int(context.memory.get("army", 1))
    command = {
        "type": "army_order",
        "army": army,
        "order": "attack",
        "city": city,
        "on_capture": reading.command["choice"],
        **kept,
    }
    named = match.first_of("capture_city")
    spoken_of = context.by_sentence.get(match.sentence, [])
    marches = any(a.has("armyword", "army") for a in spoken_of) and any(a.has("attack", "go") for a in spoken_of)
    if named is not None and (marches or named.atom.prep in {"на", "к"}) and reading.certain:
        return replace(reading, command=command)
    return replace(reading, command=command, certain=False, note=tables()["asks"]["attack_meant"])


def _one_fate(outputs: Outputs) -> Outputs:
    """«сжечь Камень дотла, руины не нужны»: a further word for the same fate adds to the choice before it, but for that of
    another attack: «армия 1 бьёт Кронвик, разграбить. Армия 2 бьёт Белый Брод, разграбить»."""
    last: tuple[Match, list[Output]] | None = None
    attacks = [m.first for m, made in outputs if any(r.command["type"] == "army_order" for r in readings(made))]
    for match, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == "capture_choice"]:
            old = (
                next((r for r in readings(last[1]) if r.command["type"] == "capture_choice"), None) if last is not None else None
            )
            near = last is not None and match.sentence - last[0].sentence <= 1
            near = near and not any(last[0].first < first <= match.first for first in attacks if last is not None)
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


_FATE_REACH = 40
"""So many tokens behind an attack may tell the city's fate."""


def fates_unsaid(context: Context, outputs: Outputs) -> None:
    """«если победа, то наш город»: something is said of the city after the victory, and nobody understood what."""
    layout = context.layout
    stems = tuple(s for s in tables()["keeps"]["stems"] if s not in tables()["keeps"]["of_the_rules"])
    heads = frozenset(tables()["keeps"]["heads"])
    fate = frozenset(tables()["keeps"]["fate"])
    used = {i for m, _ in outputs for a in m.atoms for i in range(a.first, a.last)}
    for match, made in outputs:
        for n, output in enumerate(made):
            if not isinstance(output, Reading) or output.command.get("order") != "attack" or "on_capture" in output.command:
                continue
            following = layout.sentences[match.sentence : match.sentence + 2]
            tokens = [(i, layout.tokens[i]) for s in following for i in range(max(s.first, match.last), s.last)][:_FATE_REACH]
            told = any(t.norm in fate for i, t in tokens if i not in used)
            won = told or any(
                t.norm in heads and any(o.norm.startswith(stems) for _, o in tokens[k + 1 : k + 4])
                for k, (i, t) in enumerate(tokens)
                if i not in used
            )
            if won and output.certain:
                made[n] = replace(output, certain=False, note=tables()["asks"]["fate_unsaid"])


def _near_order(match: Match, outputs: Outputs) -> bool:
    """A choice without a city and without an attack counts only beside other orders."""
    del outputs
    return match.inherited


def _attack_of(reading: Reading, match: Match, attacks: Outputs) -> tuple[Match, list[Output]] | None:
    city = reading.command.get("city")
    near = [(m, made) for m, made in attacks if m.first <= match.last]
    for home in reversed(near):
        orders = [r for r in readings(home[1]) if r.command["type"] == "army_order"]
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
        twice = output.command.get("on_capture") not in (None, reading.command["choice"])
        certain = output.certain and reading.certain and not twice
        doubt = tables()["asks"]["two_fates"] if twice else None
        note = "; ".join(filter(None, (output.note, reading.note, doubt))) or None
        made[n] = replace(output, command=command, certain=certain, note=note, extra_spans=(*output.extra_spans, reading.span))


_OF_BATTLE = frozenset({"deploy", "maneuver", "skip_planning", "allocate_powder"})


def of_battle(context: Context, outputs: Outputs, kind: str | None) -> Outputs:
    """«Бой за Пик кошмаров.»: a heading that names the battle holds for every order below that names none."""
    if kind not in ("deployment", "planning"):
        return outputs
    layout = context.layout
    skips = [r.command for _, made in outputs for r in readings(made) if r.command["type"] == "skip_planning"]
    if any("battle" in command for command in skips):  # «По Сталевару манёвры не нужны, планирование скипаю»
        outputs = [(m, [o for o in made if not _same_skip(o)]) for m, made in outputs]
    for match, made in outputs:  # «Бой за Шиповник, держим так:»
        if match.frame.id == "army_order" and any(a.has("battleword") for a in context.by_sentence.get(match.sentence, ())):
            made.clear()
    used = {a.first for m, made in outputs if made for a in m.atoms}
    heads: list[tuple[int, str]] = []
    for index, inside in sorted(context.by_sentence.items()):
        cities = [v.value for a in inside for v in a.all("city") if a.first not in used]
        words = sum(t.kind is Kind.WORD for t in layout.tokens[layout.sentences[index].first : layout.sentences[index].last])
        if len(cities) == 1 and words <= _HEADING and any(a.has("battleword") for a in inside):
            heads.append((layout.sentences[index].first, str(cities[0])))
    if not heads:
        return outputs
    for match, made in outputs:
        above = [city for first, city in heads if first <= match.first] or [city for _, city in heads if len(heads) == 1]
        for n, output in enumerate(made):
            if above and isinstance(output, Reading) and output.command["type"] in _OF_BATTLE:
                made[n] = replace(output, command={"battle": above[-1], **output.command})
    return outputs


def _same_skip(output: Output) -> bool:
    return isinstance(output, Reading) and output.command["type"] == "skip_planning" and "battle" not in output.command


_HEADING = 6
"""Words of a heading at most."""


def ways(outputs: Outputs) -> Outputs:
    """Roads of the mobile city said one after another are one way."""
    last: tuple[Match, list[Output]] | None = None
    for match, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == "move_mobile_city"]:
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


def betrayals(outputs: Outputs) -> Outputs:
    """«Кидаю ушастых: предаю эльфов, забираю Эльв»: one betrayal of one ally."""
    seen: dict[str, tuple[list[Output], Reading]] = {}
    for _, made in outputs:
        for reading in [r for r in readings(made) if r.command["type"] == "betray_ally"]:
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
