"""What stands alone in its sentence: a name without an order («Верфь»), a teacher nobody knows, a gift «всем»."""

from __future__ import annotations

from parsers.context import Context
from parsers.frames import Frame, Match, Output, choice
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Severity, Span
from rules.astral.language.frames import board, frames
from rules.astral.language.names import beside
from rules.astral.messages import text_of

Outputs = list[tuple[Match, list[Output]]]
_LONELY = Frame("lonely")
_VOTE = next(f for f in frames() if f.id == "vote_rune")


def lonely(context: Context, outputs: Outputs) -> Outputs:
    """A name alone in its sentence («Верфь», «Пиявку!») may mean several things or lacks its target: it asks."""
    layout, view = context.layout, context.view
    out: Outputs = []
    busy = {layout.sentence_of[a.first] for m, _ in outputs for a in m.atoms}
    for index, sentence in enumerate(layout.sentences):
        inside = context.by_sentence.get(index, [])
        if index in busy or len(inside) != 1:
            continue
        words = [i for i in range(sentence.first, sentence.last) if layout.tokens[i].kind is Kind.WORD]
        if not words or layout.status[words[0]] is not Status.LIVE:
            continue
        atom = inside[0]
        rest = {layout.tokens[i].norm for i in words if not atom.first <= i < atom.last}
        rune = atom.get("rune")
        asked = [a for a in context.by_sentence.get(index - 1, []) if layout.status[a.first] is Status.QUESTION]
        if rune is not None and not rune.partial and not rest and any(a.has("vote") for a in asked):
            frame = _VOTE
            match = Match(frame, (atom,), (), {}, False, atom.span, atom.first, atom.last, index, sentence.item)
            out.append((match, [context.reading(match, {"type": "vote_rune", "rune": rune.value})]))  # «Руна? Дань.»
            continue
        bare = rune is not None and rest <= beside("period") and rune.value in board(context)  # «Дань!»
        bare = bare and not any(m.frame.id == "vote_rune" for m, _ in outputs)
        if rune is not None and not rune.partial and (rest == {"за"} or bare):
            frame = _VOTE
            match = Match(frame, (atom,), (), {}, False, atom.span, atom.first, atom.last, index, sentence.item)
            vote = {"type": "vote_rune", "rune": rune.value}
            out.append((match, [context.reading(match, vote, notes=["понято как голос за руну"])]))
            continue
        if rest - beside("moving") or not atom.has("item", "feature"):
            continue
        match = Match(_LONELY, (atom,), (), {}, False, atom.span, atom.first, atom.last, index, sentence.item)
        item, feature, shard = (atom.get(k) for k in ("item", "feature", "shard"))
        if item is not None and not item.partial and view.catalog.items[item.value].target == "owner":
            text = text_of("E_ITEM_TARGET", name=view.catalog.items[item.value].name_ru)
            draft = {"type": "use_item", "item": item.value}
            out.append((match, [context.problem(match, "E_ITEM_TARGET", text, draft=draft, rule="R91")]))
            continue
        names = [context.title(s.kind, s.value) for s in (shard, feature, item) if s is not None]
        text = f"Уточните, что сделать: {' или '.join(names)}?"
        choices = tuple(choice(n) for n in names)
        out.append((match, [context.problem(match, "E_AMBIGUOUS", text, draft={}, choices=choices)]))
    return out


def strangers(context: Context, outputs: Outputs) -> Outputs:
    """«У Ивы — лучников. У дядюшки Фомы — пехоту.»: a teacher whom the game doesn't have."""
    layout = context.layout
    lessons = {m.sentence for m, _ in outputs if m.frame.id == "hire_specialist"}
    busy = {layout.sentence_of[a.first] for m, _ in outputs for a in m.atoms}
    out: Outputs = []
    for index, sentence in enumerate(layout.sentences):
        inside = context.by_sentence.get(index, [])
        words = [t for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD]
        taught = len(inside) == 1 and inside[0].has("troop", "magic")
        if index in busy or not taught or not words or words[0].norm not in beside("at") or not lessons & {index - 1, index - 2}:
            continue
        named = context.unknown_words(sentence.first, inside[0].first)
        if not named:
            continue
        place = Span(named[0].start, named[-1].end)
        match = Match(_LONELY, (inside[0],), (), {}, False, inside[0].span, sentence.first, inside[0].last, index, sentence.item)
        text = text_of("E_SPECIALIST_NOT_YOURS", name=context.text(place))
        out.append((match, [context.problem(match, "E_SPECIALIST_NOT_YOURS", text, place, draft={}, severity=Severity.ERROR)]))
    return out


def to_everyone(context: Context, outputs: Outputs) -> Outputs:
    """«Всем соседям по 1э»: to whom, it asks."""
    layout = context.layout
    busy = {layout.sentence_of[a.first] for m, _ in outputs for a in m.atoms}
    out: Outputs = []
    for index, inside in context.by_sentence.items():
        each = next((a for a in inside if a.has("energy") and a.prep == "по"), None)
        sentence = layout.sentences[index]
        named = next((i for i in range(sentence.first, sentence.last) if layout.tokens[i].norm in beside("everyone")), None)
        if index in busy or each is None or named is None or layout.status[each.first] is not Status.LIVE:
            continue
        span = each.span.cover(Span(layout.tokens[named].start, layout.tokens[named].end))
        first, last = min(named, each.first), max(named + 1, each.last)
        match = Match(_LONELY, (each,), (), {}, False, span, first, last, index, sentence.item)
        text = "Кому именно? Назовите владык."
        out.append((match, [context.problem(match, "E_AMBIGUOUS", text, draft={"type": "transfer_energy"})]))
    return out
