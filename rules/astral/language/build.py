"""The order language of one view, and the last look at a whole post: rests, duplicates, passes (R113–R115)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output, choice
from parsers.language import Language, build_lexicon
from parsers.lexicon import Lexicon
from parsers.russian import Verb, closed_class, info, words
from parsers.structure import Status
from parsers.tokens import Kind
from parsers.types import Problem, Reading, Severity, Span
from rules.astral.language import names
from rules.astral.language.amending import amended
from rules.astral.language.assaults import expected
from rules.astral.language.atoms import Composites, ShardNumbers
from rules.astral.language.cancelling import partial_cancel
from rules.astral.language.frames import frames
from rules.astral.language.guesses import guesses
from rules.astral.language.loners import lonely, strangers, to_everyone
from rules.astral.language.names import beside
from rules.astral.language.rests import worked_out
from rules.astral.language.summing import summed_up
from rules.astral.language.weighing import weighed
from rules.astral.messages import text_of
from rules.astral.view import View

_NAMES = frozenset(
    {
        "owner",
        "shard",
        "item",
        "specialist",
        "feature",
        "rune",
        "troop",
        "magic",
        "hero",
        "self",
        "shard_unknown",
        "move",
        "people",
    }
)
_STRONG = frozenset({"energy", "troop", "magic", "hero"})
_FRAMES = frames()
_GUESSES = guesses(_FRAMES)
_NEAR = 3
"""So many words behind an order say that it isn't needed."""
_NO_BATTLE = "боевой предмет: к какой атаке или тактике?"
_cache: dict[Any, Lexicon] = {}
Outputs = list[tuple[Match, list[Output]]]


def order_language(view: View, kind: str | None) -> Language:
    """The language of the view's reader. Steps make no difference: a turn is one step."""
    del kind
    table = names.tables()
    made: list[Language] = []

    def finish(context: Context, outputs: Outputs) -> Outputs:
        return summed_up(made[0], context, _finish(context, outputs))

    language = Language(
        _lexicon(view),
        _FRAMES,
        guesses=_GUESSES,
        units={unit: frozenset(words) for unit, words in table["units"].items()},
        recognisers=(ShardNumbers(view),),
        composites=(Composites(view),),
        strong=_STRONG,
        names=_NAMES,
        abbreviations=frozenset(table["abbreviations"]["words"]),
        persons=frozenset({"owner"}),
        me=view.reader,
        harmless=frozenset(table["harmless"]["words"]),
        keeps=expected,
        finish=finish,
        take_back=partial_cancel,
        allows=_allows,
        view=view,
        ambiguous_code="E_AMBIGUOUS",
    )
    made.append(language)
    return language


def _lexicon(view: View) -> Lexicon:
    """Lexicons are kept by what they name: a view of the same game has the same names."""
    game = view.game
    key = (
        tuple((i, o.name, tuple(o.aliases)) for i, o in game.owners.items()),
        tuple((i, s.name, s.number) for i, s in game.shards.items()),
        id(view.catalog),
    )
    if key not in _cache:
        if len(_cache) > 16:
            _cache.clear()
        _cache[key] = build_lexicon(names.entries(view))
    return _cache[key]


def _allows(context: Context, match: Match) -> bool:
    """No order: what the text says somebody else does («Буйный подтянется вторым»)."""
    if _somebody_elses(context, match) or _told_to(context, match) or _put_off(context, match):
        return False
    third = [a for a in match.triggers if a.verb in (Verb.THIRD, Verb.PAST, Verb.SECOND)]
    if not third or any(a.has("get", "want", "offer") for a in third):
        return True  # «Тишина получает от меня 3э», «Ржавый даёт мне якорь, я ему 7э»
    sentence = context.layout.sentence_of[match.first]
    for atom in context.by_sentence.get(sentence, []):
        if not atom.has("owner") or atom.prep:
            continue
        beside_verb = atom.last == third[0].first and atom.first == context.layout.sentences[sentence].first
        actor = _nominative(context, atom) and (beside_verb or "accs" not in atom.cases)
        if actor and abs(atom.first - third[0].first) <= 4:
            return False
    return True


def _nominative(context: Context, atom: Atom) -> bool:
    """The dictionary doesn't know every name: as it stands in the list it may be a nominative."""
    return "nomn" in atom.cases or atom.text == context.title("owner", atom.senses[0].value)


def _put_off(context: Context, match: Match) -> bool:
    """«Забота об Обсерватории не нужна», «забота о 005 отложена»."""
    tokens, end = context.layout.tokens, context.layout.sentences[match.sentence].last
    if any(a.verb is not Verb.NONE for a in match.triggers) or not match.triggers:
        return False
    for i in range(match.last, min(end, match.last + _NEAR)):
        if tokens[i].kind is Kind.SIGN:
            return False
        if tokens[i].norm in beside("postponed"):
            return True
        if tokens[i].norm == "не" and i + 1 < end and tokens[i + 1].norm in beside("needless"):
            return True
    return False


def _told_to(context: Context, match: Match) -> bool:
    """«Мне тут сказали: голосуй за Дань»: what others tell the writer to do."""
    if not match.triggers or any(a.verb is not Verb.IMPERATIVE for a in match.triggers):
        return False
    tellers = frozenset(words()["reported"]["lemmas"]) | beside("urging")
    first = context.layout.sentences[match.sentence].first
    spoken = context.layout.tokens[first : match.first]
    return any(info(t.norm).verb is Verb.PAST and info(t.norm).lemmas & tellers for t in spoken if t.kind is Kind.WORD)


def _somebody_elses(context: Context, match: Match) -> bool:
    """«Тишина кладёт трёшку на стены»: a владыка and his verb stand right before the words of the order."""
    if any(a.verb in (Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE) for a in match.triggers) or match.frame.id == "exchange":
        return False
    tokens = context.layout.tokens
    for atom in _right_before(context, match):
        if atom.last > match.first or not atom.has("owner") or atom.prep or not _nominative(context, atom):
            continue
        between = tokens[atom.last : match.first]
        if not 1 <= len(between) <= 3 or any(t.kind is not Kind.WORD for t in between):
            continue
        first = info(between[0].norm)
        if first.verb in (Verb.THIRD, Verb.PAST) and between[0].norm not in closed_class():
            return True
    return False


def _right_before(context: Context, match: Match) -> Sequence[Atom]:
    """The last atoms before an order in its sentence."""
    at = bisect_left(context.atoms, match.first, key=lambda a: a.first)
    return [a for a in context.atoms[max(0, at - _NEAR) : at] if context.layout.sentence_of[a.first] == match.sentence]


def _finish(context: Context, outputs: Outputs) -> Outputs:
    text = context.layout.text
    if not outputs and text.strip() in {"-", "–", "—"}:
        at = len(text) - len(text.lstrip())
        frame = next(f for f in _FRAMES if f.id == "pass")
        match = Match(frame, (), (), {}, False, Span(at, at + 1), 0, 1, 0, "")
        return [(match, [context.reading(match, {"type": "pass"})])]
    outputs = _battle_items(context, amended(context, weighed(context, outputs)))
    outputs = worked_out(context, outputs)
    outputs = _units_left(context, _duplicates(context, outputs))
    return [
        *_passes(context, outputs),
        *lonely(context, outputs),
        *strangers(context, outputs),
        *to_everyone(context, outputs),
    ]


def _battle_items(context: Context, outputs: Outputs) -> Outputs:
    """«… воин, трублю в Рог»: a battle item belongs to the attack or tactic of its sentence, else to the nearest before it."""
    items = context.view.catalog.items
    homes = [
        m for m, outs in outputs if m.frame.id in ("attack", "set_defence_tactic") and any(isinstance(o, Reading) for o in outs)
    ]
    out = [(m, list(outs)) for m, outs in outputs]
    for match, outs in list(out):
        if match.frame.id != "use_item":
            continue
        for output in list(outs):
            if not isinstance(output, Reading) or items[output.command["item"]].activation != "battle":
                continue
            near = [m for m in homes if m.sentence == match.sentence] or [m for m in homes if m.first < match.first][-1:]
            if not near:
                units = sum(a.has("troop", "magic", "hero") for a in context.by_sentence.get(match.sentence, []))
                if output.certain and units > 1:  # the attack that it belongs to wasn't understood
                    outs[outs.index(output)] = replace(output, certain=False, note=_NO_BATTLE)
                continue
            outs.remove(output)
            for home, made in out:
                if home is near[0]:
                    made[:] = [
                        replace(
                            o,
                            command={**o.command, "items": [*o.command.get("items", []), output.command["item"]]},
                            extra_spans=(*o.extra_spans, output.span),
                            fields={**o.fields, "items": output.span},
                        )
                        if isinstance(o, Reading)
                        else o
                        for o in made
                    ]
    return [(m, outs) for m, outs in out if outs]


def _units_left(context: Context, outputs: Outputs) -> Outputs:
    """«018: 9э, пехота 4, свет 4, воин, маг»: a unit more than a tactic has makes it ask."""
    layout = context.layout
    held = {i for m, made in outputs if made for a in m.atoms for i in a.tokens()}
    units = [a for a in context.atoms if a.has("troop", "magic", "hero") and not a.negated and a.first not in held]
    out: Outputs = []
    for match, made in outputs:
        if match.frame.id in ("attack", "set_defence_tactic"):
            at = bisect_left(units, match.last, key=lambda a: a.first)
            left = units[at] if at < len(units) else None
            if (
                left is not None
                and layout.sentence_of[left.first] == layout.sentence_of[match.last - 1]
                and layout.status[left.first] is Status.LIVE
            ):
                note = f"лишнее «{left.text}»"
                made = [replace(o, certain=False, note=note) if isinstance(o, Reading) and o.certain else o for o in made]
        out.append((match, made))
    return out


_SLOTS: dict[str, str] = {
    "vote_rune": "",
    "set_reserve": "attack_no",
    "set_defence_tactic": "attack_no",
}


def _duplicates(context: Context, outputs: Outputs) -> Outputs:
    """One slot twice in one post without a sign of correction asks (R115)."""
    seen: dict[Any, list[tuple[Match, Reading]]] = {}
    for match, outs in outputs:
        for output in outs:
            if isinstance(output, Reading):
                kind = str(output.command["type"])
                if kind in _SLOTS:
                    seen.setdefault((kind, output.command.get(_SLOTS[kind])), []).append((match, output))
    drop: set[int] = set()
    problems: list[tuple[Match, Problem]] = []
    for found in seen.values():
        if len(found) < 2:
            continue
        if all(r.command == found[0][1].command for _, r in found):
            drop.update(id(r) for _, r in found[1:])
            continue
        texts = [context.text(r.span) for _, r in found]
        message = f"Указано дважды: {' и '.join('«' + ' '.join(t.split()) + '»' for t in texts)}. Что верно?"
        choices = [choice(" ".join(t.split()), r.command) for t, (_, r) in zip(texts, found, strict=True)]
        for match, reading in found:
            drop.add(id(reading))
            problems.append(
                (
                    match,
                    Problem(
                        "E_DUPLICATE",
                        Severity.QUESTION,
                        message,
                        reading.span,
                        draft=reading.command,
                        choices=tuple(choices),
                        rule="R115",
                    ),
                )
            )
    out: Outputs = []
    for match, outs in outputs:
        kept: list[Output] = [o for o in outs if id(o) not in drop]
        kept.extend(p for m, p in problems if m is match)
        if kept:
            out.append((match, kept))
    return out


def _of_a_sheet(context: Context, match: Match) -> bool:
    """«Пост от утра — мимо»: what is passed by is an earlier sheet."""
    return any(a.has("sheet_old") for a in _right_before(context, match))


def _passes(context: Context, outputs: Outputs) -> Outputs:
    """«пас» beside other orders says nothing; several passes are one."""
    others = any(
        (isinstance(o, Reading) and o.command["type"] not in ("pass", "cancel_orders")) or isinstance(o, Problem)
        for _, outs in outputs
        for o in outs
    )
    sure = any(not isinstance(o, Reading) or o.certain for m, outs in outputs for o in outs if m.frame.id != "pass")
    out: Outputs = []
    passed = cancelled = False
    for match, outs in outputs:
        is_pass = match.frame.id == "pass"
        if match.frame.id == "cancel_orders" and all(isinstance(o, Reading) and len(o.command) == 1 for o in outs):
            if cancelled:
                continue  # «Переигрываю ход заново, старое забудьте»
            cancelled = True
        if is_pass and ((others and sure) or passed):
            continue
        if is_pass and _of_a_sheet(context, match):
            note = "пропуск хода или отмена прежней заявки?"
            outs = [replace(o, certain=False, note=note) if isinstance(o, Reading) else o for o in outs]
        elif is_pass and others:
            note = "рядом с другим приказом: ход пропущен?"
            outs = [replace(o, certain=False, note=note) if isinstance(o, Reading) else o for o in outs]
        passed = passed or is_pass
        out.append((match, outs))
    everything = context.memory.get("cancel_all")
    leads = everything is not None and all(m.first >= everything.first for m, _ in outputs)
    if everything is not None and leads and any(m.frame.id == "cancel_orders" and m is not everything for m, _ in out):
        out = [(m, outs) for m, outs in out if m is not everything]  # «Забудьте всё: прежняя заявка отменяется»
    elif everything is not None and others and not leads:
        out = [(m, outs) for m, outs in out if m is not everything]
        text = "Отменить и приказы этого сообщения или только прежние?"
        out.append((everything, [context.problem(everything, "E_AMBIGUOUS", text, draft={"type": "cancel_orders"})]))
    return out


__all__ = ["order_language", "text_of"]
