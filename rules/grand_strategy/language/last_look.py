"""The last look at a whole post: what is said twice, what belongs to the order before it, what ends the turn."""

from __future__ import annotations

from dataclasses import replace

from parsers.context import Context
from parsers.discourse import WITHDRAW
from parsers.frames import Match, Output, choice
from parsers.russian import Verb, normal
from parsers.structure import Status
from parsers.types import Problem, Reading, Span
from rules.grand_strategy.language import (
    works,
)
from rules.grand_strategy.language.attack_tails import told_behind
from rules.grand_strategy.language.corrections import put_right
from rules.grand_strategy.language.leftovers import left_over, shaken
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.repeats import every_turn, only_one, said_again


def take_back(context: Context, match: Match) -> list[Output]:
    """What was withdrawn isn't in this post: a siege is lifted, anything else is asked."""
    kinds = {s.kind for f in match.slots.get("what", ()) for s in f.atom.senses}
    if "siege" in kinds:
        return list(works.lift(match, context))
    text = "Что отменить? В этом сообщении такого приказа нет."
    return [context.problem(match, "ambiguous", text, draft={})]


Outputs = list[tuple[Match, list[Output]]]
_ENDS = ("end_turn", "pass")


def finish(deeds: frozenset[str], things: frozenset[str], kind: str | None, context: Context, outputs: Outputs) -> Outputs:
    settled = [m for m, made in context.outputs if m.frame.id in ("stay", "restart") and not made] + context.memory.get(
        "stories", []
    )
    context.read |= {i for m in settled for a in m.atoms for i in range(a.first, a.last)}
    outputs = put_right(context, outputs)
    outputs = _answered(_one_battle(_taken_from(context, outputs)))
    if kind not in (None, "battle"):
        outputs = _cards_in_advance(context, outputs)
    outputs = _twice(context, _assaults(context, _one_way(_ways(context, told_behind(outputs)))))
    outputs = every_turn(context, only_one(context, said_again(context, outputs)))
    outputs = _played_once(_play_last(context, _trailing_conditions(context, outputs)))
    outputs = _ends(_of_the_turn(kind, _considerations(context, outputs)))
    left = left_over(context, outputs, deeds, things)
    return [*shaken(context, outputs), *left]


def _one_way(outputs: Outputs) -> Outputs:
    """«Маг выходит на Г4 и идёт дальше на Г5»: steps of one troop in one sentence are one way."""
    out: Outputs = []
    for match, made in outputs:
        before = out[-1] if out else None
        if before is not None and before[0].sentence == match.sentence:
            first, second = _lone_move(before[1]), _lone_move(made)
            if first is not None and second is not None and _goes_on(first, second):
                path = [*first.command["path"], *second.command["path"]]
                way = replace(
                    first,
                    command={**second.command, "path": path},
                    extra_spans=(*first.extra_spans, second.span, *second.extra_spans),
                    certain=first.certain and second.certain,
                    note=first.note or second.note,
                )
                out[-1] = (before[0], [way])
                continue
        out.append((match, made))
    return out


def _lone_move(made: list[Output]) -> Reading | None:
    only = made[0] if len(made) == 1 else None
    return only if isinstance(only, Reading) and only.command["type"] == "move" else None


def _goes_on(first: Reading, second: Reading) -> bool:
    a, b = first.command, second.command
    return (
        a["unit"] == b["unit"]
        and not a.get("assault")
        and a.get("condition") == b.get("condition")
        and a["path"][-1:] != b["path"][:1]
    )


def _play_last(context: Context, outputs: Outputs) -> Outputs:
    """«Исполнить сейчас: туман сна на …» is about what follows in its line."""
    layout = context.layout
    played = next((n for n, (m, made) in enumerate(outputs) if m.frame.id == "play_now" and made), None)
    if played is None or any(made for _, made in outputs[:played]):
        return outputs
    match, made = outputs[played]
    line = layout.sentences[match.sentence].line
    colon = match.last < len(layout.tokens) and layout.tokens[match.last].norm == ":"
    behind = [o for m, outs in outputs[played + 1 :] for o in outs if layout.sentences[m.sentence].line == line and o.span]
    if not colon or not behind:
        return outputs
    end = max(o.span.end for o in behind if o.span)
    moved: list[Output] = [replace(o, span=Span(end - 1, end), extra_spans=(o.span,)) for o in made if isinstance(o, Reading)]
    return [*outputs[:played], *outputs[played + 1 :], (match, moved)]


def _played_once(outputs: Outputs) -> Outputs:
    """«Исполнить сейчас: … Дальше решу по результату»: a portion is closed once."""
    out: Outputs = []
    closed = False
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            played = isinstance(output, Reading) and output.command["type"] == "play_now"
            if played and closed:
                continue
            closed = played or (closed and not isinstance(output, Reading))
            here.append(output)
        out.append((match, here))
    return out


def _trailing_conditions(context: Context, outputs: Outputs) -> Outputs:
    """«атаковать Н7, если дойдём»: a condition that the game doesn't know makes the order before it ask."""
    layout = context.layout
    tails = {}
    for first, last in layout.conditionals:
        words = layout.text[layout.tokens[first].start : layout.tokens[last - 1].end]
        tails[layout.sentence_of[first]] = (first, " ".join(words.split()))
    out: Outputs = []
    for match, made in outputs:
        tail = tails.get(match.sentence)
        if tail is not None and 0 <= tail[0] - match.last <= 2 and match.frame.id not in _ENDS:
            made = [_conditional(context, match, o, tail[1]) if isinstance(o, Reading) else o for o in made]
        out.append((match, made))
    return out


def _conditional(context: Context, match: Match, reading: Reading, condition: str) -> Problem:
    text = f"Такого условия в игре нет: «{condition[:60]}». Исполнить без него?"
    found = context.problem(match, "conditional", text, reading.span, draft=reading.command)
    return replace(found, choices=(choice("Да, без условия", reading.command),))


def _taken_from(context: Context, outputs: Outputs) -> Outputs:
    """«Отмена: Гхашу не надо»: what was to go to a player is withdrawn by his name."""
    layout = context.layout
    busy = {m.sentence for m, made in outputs if made and m.frame.id != WITHDRAW}
    out = outputs
    for index, inside in context.by_sentence.items():
        marks = [a for a in inside if a.has("~withdraw") and layout.status[a.first] is Status.LIVE]
        people = [s.value for a in inside for s in a.all("player")]
        if index in busy or not marks or len(people) != 1:
            continue
        hits = [
            o
            for m, made in out
            for o in made
            if m.last <= marks[-1].first
            and isinstance(o, Reading)
            and people[0] in (o.command.get("to"), o.command.get("player"))
        ]
        if len(hits) == 1:
            out = [(m, [o for o in made if o is not hits[0]]) for m, made in out]
            out = [(m, [] if m.frame.id == WITHDRAW and m.sentence == index else made) for m, made in out]
            context.read |= {i for a in inside for i in a.tokens()}
    return out


def _one_battle(outputs: Outputs) -> Outputs:
    """Cards of one battle given participant by participant are one order."""
    out: Outputs = []
    last: tuple[list[Output], int] | None = None
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            if last is not None and isinstance(output, Reading) and _same_cards(last[0][last[1]], output):
                continue  # «всадники рубят все трое, т.е. А А А»
            mergeable = (
                isinstance(output, Reading)
                and output.command["type"] == "battle_cards"
                and isinstance(output.command["cards"], dict)
            )
            if mergeable and last is not None and isinstance(output, Reading):
                before = last[0][last[1]]
                assert isinstance(before, Reading)
                same = before.command.get("battle") == output.command.get("battle")
                if same and not set(before.command["cards"]) & set(output.command["cards"]):
                    command = {
                        **before.command,
                        **output.command,
                        "cards": {**before.command["cards"], **output.command["cards"]},
                    }
                    note = "; ".join(n for n in (before.note, output.note) if n) or None
                    certain = before.certain and output.certain
                    last[0][last[1]] = replace(
                        before, command=command, span=before.span.cover(output.span), certain=certain, note=note
                    )
                    continue
            here.append(output)
            last = (here, len(here) - 1) if mergeable else last if not isinstance(output, Reading) else None
        out.append((match, here))
    return out


def _same_cards(before: Output, output: Reading) -> bool:
    """True for cards without a name that say again what one fighter just got."""
    told, again = (before.command if isinstance(before, Reading) else {}), output.command
    same = told.get("type") == again["type"] == "battle_cards" and told.get("battle") == again.get("battle")
    return same and isinstance(again["cards"], list) and list(told["cards"].values()) == [again["cards"]]


def _cards_in_advance(context: Context, outputs: Outputs) -> Outputs:
    """«Гарнизону Лориэна: О, О, С» outside any battle are cards by default (R120)."""
    commands = [o.command for _, made in outputs for o in made if isinstance(o, Reading)]
    fights = any(c["type"] in ("attack", "garrison_attack") or c.get("assault") for c in commands)
    if fights or context.view.state.battles or any(a.has("battle") for a in context.atoms):
        return outputs
    out: Outputs = []
    buildings = context.view.state.buildings
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            command = output.command if isinstance(output, Reading) else {}
            if command.get("type") == "battle_cards" and isinstance(command["cards"], dict) and "regroup" not in command:
                assert isinstance(output, Reading)
                for key, cards in command["cards"].items():
                    field = "building" if key in buildings else "unit"
                    here.append(replace(output, command={"type": "default_cards", field: key, "cards": cards}))
            else:
                here.append(output)
        out.append((match, here))
    return out


def _same_way(before: Reading, reading: Reading) -> bool:
    return all(before.command.get(k) == reading.command.get(k) for k in ("unit", "condition"))


def _assaults(context: Context, outputs: Outputs) -> Outputs:
    """«…-З10, входим в башню и забираем её», «входим в Устье с боем»: the step into a building that isn't one's own is an
    assault where force or taking is spoken of (R47)."""
    buildings = context.view.state.buildings
    out: Outputs = []
    for match, made in outputs:
        reading = made[0] if len(made) == 1 and isinstance(made[0], Reading) else None
        command = reading.command if reading is not None else {}
        house = buildings.get(str(command["path"][-1])) if command.get("type") == "move" else None
        if reading is not None and house is not None and house.owner != context.view.faction and "assault" not in command:
            force = [
                a
                for a in context.by_sentence.get(match.sentence, [])
                if a.first >= match.first and not a.negated and a.has("capture", "by_force") and not a.has("hire", "no_capture")
            ]
            if force:
                span = reading.span.cover(force[-1].span)
                made = [replace(reading, command={**command, "assault": True}, span=span)]
        out.append((match, made))
    return out


def _ways(context: Context, outputs: Outputs) -> Outputs:
    """«север, север, восток»: a way that goes on is one movement."""
    out: Outputs = []
    last: tuple[Match, list[Output]] | None = None
    for match, made in outputs:
        reading = made[0] if len(made) == 1 and isinstance(made[0], Reading) and made[0].command["type"] == "move" else None
        before = last[1][0] if last is not None and isinstance(last[1][0], Reading) else None
        goes_on = last is not None and match.inherited and match.sentence == last[0].sentence
        if reading is not None and before is not None and last is not None and goes_on and _same_way(before, reading):
            command = {**before.command, "path": [*before.command["path"], *reading.command["path"]]}
            last[1][0] = replace(before, command=command, span=before.span.cover(reading.span))
            continue
        entry = (match, list(made))
        out.append(entry)
        last = entry if reading is not None else None
    del context
    return out


def _answered(outputs: Outputs) -> Outputs:
    """«твоё предложение принято: беру тебя в вассалы» is one answer, said twice."""
    accepted: set[tuple[int, str]] = set()
    out: Outputs = []
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            command = output.command if isinstance(output, Reading) else {}
            key = (match.sentence, str(command.get("player")))
            if command.get("type") == "offer_service" and key in accepted:
                continue
            if command.get("type") == "accept_service":
                accepted.add(key)
            here.append(output)
        out.append((match, here))
    return out


_ONCE = frozenset(
    {
        *("leave_service", "leave_game", "allow_entry", "deny_entry", "allow_spawn", "deny_spawn", "offer_service"),
        *("accept_service", "decline_service", "dismiss_vassal", "set_turn_order", "join_consent", "joint_defense", "lift_siege"),
        *("default_cards", "disband_priority", "victory_choice", "smuta", "consent"),
    }
)
"""Orders that said twice in a post are one."""


def _twice(context: Context, outputs: Outputs) -> Outputs:
    """The same order said twice in a sentence, or one that can be given only once, is one order."""
    del context
    seen: dict[tuple[int, str], tuple[list[Output], int]] = {}
    out: Outputs = []
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            if isinstance(output, Reading):
                once = output.command["type"] in _ONCE
                key = (-1 if once else match.sentence, repr(sorted(output.command.items(), key=lambda f: f[0])))
                if key in seen:
                    home, place = seen[key]
                    earlier = home[place]
                    if not once and isinstance(earlier, Reading):
                        home[place] = replace(earlier, span=earlier.span.cover(output.span))
                    continue
                seen[key] = (here, len(here))
            here.append(output)
        out.append((match, here))
    return out


def _considerations(context: Context, outputs: Outputs) -> Outputs:
    """«Осада Бродов: 0 мон. … Вывод: в этом году ничего не делаю»: lines of a list without a verb before it were thoughts."""
    done = [m for m, made in outputs if m.frame.id == "pass" and made and any(a.has("nothing") for a in m.atoms)]
    if not done:
        return outputs
    layout = context.layout
    out: Outputs = []
    for match, made in outputs:
        line = layout.lines[layout.sentences[match.sentence].line]
        verbless = all(a.verb is Verb.NONE for a in match.triggers)
        thought = match.first < done[0].first and line.bullet and verbless and not match.item
        out.append((match, [] if thought else made))
    return out


def _of_the_turn(kind: str | None, outputs: Outputs) -> Outputs:
    """Where the reader has no turn, «Передаю», «приказов нет», «пас» are no orders, unless they speak of a turn."""
    if kind in (None, "turn"):
        return outputs
    return [(m, [] if m.frame.id in _ENDS and not _names_the_turn(m) else made) for m, made in outputs]


def _names_the_turn(match: Match) -> bool:
    words = {word for a in match.atoms for word in normal(a.text).split()}
    return bool(words & _TURN)


_TURN = frozenset(tables()["ending"]["turn"])


def _ends(outputs: Outputs) -> Outputs:
    """«пас» behind orders ends the turn; said twice it counts once."""
    others = any(
        isinstance(o, Problem) or (isinstance(o, Reading) and o.command["type"] not in _ENDS) for _, made in outputs for o in made
    )
    ends = [(m, o) for m, made in outputs for o in made if isinstance(o, Reading) and o.command["type"] in _ENDS]
    if not ends:
        return outputs
    if others and all(a.data.get("saving") for m, _ in ends for a in m.triggers):
        return [(m, [o for o in made if not any(o is e for _, e in ends)]) for m, made in outputs]  # «… Копим.» only tells why
    ended = next((o for _, o in ends if o.command["type"] == "end_turn"), None)
    keep = ended if ended is not None else ends[-1][1]
    out: Outputs = []
    for match, made in outputs:
        here: list[Output] = []
        for output in made:
            if isinstance(output, Reading) and output.command["type"] in _ENDS:
                if output is not keep:
                    continue
                if output.command["type"] == "pass" and others:
                    output = replace(output, command={**output.command, "type": "end_turn"})
            here.append(output)
        out.append((match, here))
    return out
