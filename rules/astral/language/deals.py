"""How exchanges, features, lessons and repeated cares are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.atoms import Sense
from parsers.context import Context
from parsers.frames import Filled, Match, Output, make_simple
from parsers.reading_atoms import between
from parsers.types import Reading, Severity, Span
from rules.astral.language.names import beside
from rules.astral.language.numbers import headed
from rules.astral.language.rests import wait
from rules.astral.language.tactics import shown
from rules.astral.messages import text_of
from rules.astral.view import View

_TURNS = frozenset({"на", "за", "против"})


def make_exchange(match: Match, context: Context) -> Iterable[Output]:
    """An exchange: what stands before «на», «за», «против», «взамен» is given, what stands behind is wanted; «мой» and «его»
    decide first."""
    notes: list[str] = match.notes()
    owner = match.first_of("with")
    if owner is None:
        owner = _named_before(match, context)
        if owner is None:
            return [context.problem(match, "E_UNKNOWN_TARGET", "С кем обмен? Назовите владыку.", severity=Severity.ERROR)]
        said = {t.norm for t in context.layout.tokens[match.first : match.last]}
        if not said & beside("him"):
            notes.append(f"с кем: {context.title('owner', owner.value)}?")
    sides: dict[str, dict[str, Any]] = {"give": {}, "want": {}}
    buying = any(a.has("buy") for a in match.triggers)
    first, second = ("want", "give") if buying else ("give", "want")
    side = first
    tokens = context.layout.tokens
    previous_info = -9
    good_seen = False
    turns = [a for a in match.triggers if a.has("want")]
    turns += [f.atom for f in match.slots.get("turn", ())]
    behind = _marked_behind(match, context)
    offers = [a for a in match.atoms if a.has("offer")]
    goods = [f.atom for f in match.slots.get("goods", ())]
    asked = {t.norm for t in tokens[match.first : goods[0].first]} if goods else set()
    if offers and not turns and goods and goods[0].first < offers[0].first and asked & beside("me"):
        side = "want"  # «Тишина мне щит, я ей рог»
    for atom in match.atoms:
        if atom in turns or atom.has("offer"):
            if id(atom) not in behind.values():
                side = "want" if atom in turns else "give"
            continue
        if atom.has("price") or (buying and atom.has("aid")):
            side = second
            continue
        if atom.has("info"):
            previous_info = atom.last
            if atom.prep in _TURNS and good_seen:
                side = second
            continue
        kind = next(
            (
                k
                for k in ("energy", "item", "shard", "number")
                if any(f.atom is atom for f in match.slots.get("goods", ())) and atom.has(k)
            ),
            None,
        )
        if kind is None:
            continue
        before = tokens[atom.first - 1].norm if atom.first else ""
        if id(atom) in behind:
            mark = next(a for a in match.atoms if id(a) == behind[id(atom)])
            side = "give" if mark.has("offer") else "want"
        elif before in beside("theirs"):
            side = "want"
        elif before in beside("mine"):
            side = "give"
        elif atom.prep in _TURNS and good_seen:
            side = second
        target = sides[side]
        informative = 0 <= atom.first - previous_info <= 2
        if kind in ("energy", "number"):
            target["energy"] = shown(atom.senses[0].value)
        elif informative or kind == "shard":
            sense = atom.get("shard", "item") if kind == "shard" else atom.get("item")
            assert sense is not None
            if sense.value not in target.setdefault("info", []):
                target["info"].append(sense.value)
        else:
            sense = atom.get("item")
            assert sense is not None
            target.setdefault("items", []).append(sense.value)
        good_seen = True
    if not sides["give"] or not sides["want"]:
        # «меняю у Морвена его Око на мои 6э»: the side that was said last may be the first
        if not sides["give"] and not sides["want"]:
            return [context.problem(match, "E_AMBIGUOUS", "Что на что менять?", severity=Severity.QUESTION)]
        return [context.problem(match, "E_AMBIGUOUS", "Обмен назван наполовину: что взамен?", severity=Severity.QUESTION)]
    command = {"type": "exchange", "with": owner.value, "give": sides["give"], "want": sides["want"]}
    return [context.reading(match, command, notes=notes)]


def _marked_behind(match: Match, context: Context) -> dict[int, int]:
    """«4э от меня, Шпоры от него»: goods whose side is told right behind them."""
    goods = [f.atom for f in match.slots.get("goods", ())]
    out: dict[int, int] = {}
    for left, right in zip(match.atoms, match.atoms[1:], strict=False):
        marks = right.has("offer", "want") and right.text.lower().startswith(("от ", "с "))
        if marks and left in goods and set(between(context.layout, left, right)) <= {"."}:
            out[id(left)] = id(right)
    return out


def make_feature(match: Match, context: Context) -> Iterable[Output]:
    """An особенность: the shard is filled in where only one has it."""
    view: View = context.view
    filled = match.first_of("feature")
    if filled is None:
        return [context.problem(match, "E_FEATURE_UNKNOWN", "Какую особенность применить?", severity=Severity.ERROR)]
    feature = filled.value
    places = [ident for ident, s in view.game.shards.items() if feature in s.features and s.status != "destroyed"]
    mine = [p for p in places if view.game.shards[p].owner == view.reader]
    place = next(iter(mine or places), None)
    if place is None or (len(places) > 1 and not mine):
        return [context.problem(match, "E_FEATURE_UNKNOWN", "На каком осколке эта особенность?", severity=Severity.ERROR)]
    command: dict[str, Any] = {"type": "use_feature", "shard": place, "feature": feature}
    owner = match.first_of("target_owner")
    shards = list(match.slots.get("target_shard", ()))
    told = next((f for f in shards if f.atom.prep in {"в", "во"} and len(shards) > 1), None)
    if told is not None:  # «обсерваторией в Обители гляжу на 033»
        command["shard"] = told.value
    rest = [f for f in shards if f is not told]
    needless = view.catalog.features[feature].target == "owner" and owner is not None
    if rest and not needless:
        command["target_shard"] = rest[0].value
    if owner is not None:
        command["target_owner"] = context.resolve(owner, _slot(match, "target_owner"))
    position = match.first_of("position")
    if position is not None:
        value = position.value
        command["position"] = value[0] if isinstance(value, tuple) else value
    elif match.slots.get("inside"):
        command["position"] = 1
    return [context.reading(match, command)]


def make_use(match: Match, context: Context) -> Iterable[Output]:
    """An item used; its target where it takes one."""
    view: View = context.view
    filled = match.first_of("item")
    if filled is None:
        named = [w for w in context.unknown_words(match.last, match.last + 3) if context.text(w.span)[:1].isupper()]
        if not named:
            return []
        place = Span(named[0].start, named[-1].end)
        text = text_of("E_ITEM_NOT_YOURS", name=context.text(place))
        return [context.problem(match, "E_ITEM_NOT_YOURS", text, place, severity=Severity.ERROR)]
    if len(filled.senses) > 1:
        return [context.which(match, "item", filled, "E_AMBIGUOUS")]
    command: dict[str, Any] = {"type": "use_item", "item": filled.value}
    owner, shard = match.first_of("target_owner"), match.first_of("target_shard")
    if owner is not None:
        command["target_owner"] = context.resolve(owner, _slot(match, "target_owner"))
    if shard is not None:
        command["target_shard"] = shard.value
    item = view.catalog.items[filled.value]
    if item.target == "owner" and owner is None and match.inherited:
        before = [
            o.command for m, outs in context.outputs if m.sentence == match.sentence for o in outs if isinstance(o, Reading)
        ]
        aimed = next((c for c in reversed(before) if c["type"] == "use_item" and "target_owner" in c), None)
        if aimed is not None:  # «На Буйного — Ритуал Нисхождения и Пиявку»
            return [context.reading(match, {**command, "target_owner": aimed["target_owner"]})]
    if item.target == "owner" and owner is None and item.activation == "action":
        text = text_of("E_ITEM_TARGET", name=item.name_ru)
        return [context.problem(match, "E_ITEM_TARGET", text, draft=command, rule="R91")]
    return [context.reading(match, command)]


def _slot(match: Match, name: str) -> Any:
    return next(s for s in match.frame.slots if s.name == name)


def make_lesson(match: Match, context: Context) -> Iterable[Output]:
    """A lesson; the unit goes without saying where the specialist teaches one only."""
    view: View = context.view
    filled = match.first_of("specialist")
    if filled is None:
        message = "У кого учиться? Назовите специалиста."
        return [context.problem(match, "E_SPECIALIST_NOT_YOURS", message, severity=Severity.ERROR, rule="R94")]
    if len(filled.senses) > 1:
        return [context.which(match, "specialist", filled, "E_AMBIGUOUS")]
    specialist = view.catalog.specialists[filled.value]
    unit = match.first_of("unit")
    command: dict[str, Any] = {"type": "hire_specialist", "specialist": filled.value}
    if unit is not None:
        command["unit"] = unit.value
    elif len(specialist.units) == 1:
        command["unit"] = specialist.units[0]
    else:
        names = ", ".join(view.catalog.units[u].name_ru for u in specialist.units)
        text = f"Кого учить у «{specialist.name_ru}»: {names}?"
        return [context.problem(match, "E_UNIT_MISSING", text, draft=command, rule="R94")]
    return [context.reading(match, command) for _ in range(_lessons(match))]


def _lessons(match: Match) -> int:
    """«два урока»: how many (one more than allowed is refused by the rules)."""
    for left, right in zip(match.atoms, match.atoms[1:], strict=False):
        if left.has("number") and right in match.triggers and left.last == right.first and left.senses[0].value in range(2, 6):
            return int(left.senses[0].value)
    return 1


def make_care(match: Match, context: Context) -> Iterable[Output]:
    """One care, or as many as «два раза» says."""
    filled = match.first_of("shard")
    if filled is None:
        return [context.problem(match, "E_UNKNOWN_TARGET", "О каком осколке забота?", severity=Severity.ERROR)]
    return _on_shard(match, context, filled, "care")


def make_sacrifice(match: Match, context: Context) -> Iterable[Output]:
    """A sacrifice of a shard's people."""
    filled = match.first_of("shard")
    if filled is None:
        return [context.problem(match, "E_UNKNOWN_TARGET", "Какой осколок принести в жертву?", severity=Severity.ERROR)]
    return _on_shard(match, context, filled, "sacrifice")


_ONCE_MORE = 8
"""So many tokens before an order «ещё» may stand."""


def _on_shard(match: Match, context: Context, filled: Filled, kind: str) -> Iterable[Output]:
    view: View = context.view
    if filled.sense.kind == "shard_unknown":
        text = text_of("E_UNKNOWN_TARGET", name=filled.value)
        return [context.problem(match, "E_UNKNOWN_TARGET", text, filled.atom.span, severity=Severity.ERROR)]
    senses = filled.senses
    notes = match.notes()
    if filled.sense.kind == "shards":
        return [context.reading(match, {"type": kind, "shard": shard}, notes=notes) for shard in filled.value]
    if filled.ref:
        return _on_shard_before(match, context, filled, kind)
    value = context.resolve(filled, _slot(match, "shard"))
    if len(senses) > 1 and not filled.ref:
        mine = [s for s in senses if view.game.shards[s.value].owner == view.reader]
        named = [a for a in context.atoms if a.first < match.first and a.has("shard")]
        recent = [s for s in senses for a in named if any(s.value == o.value and not o.partial for o in a.all("shard"))]
        if len(mine) == 1:
            value = mine[0].value
        elif len({s.value for s in recent}) == 1:
            value = recent[0].value
        else:
            return [context.which(match, "shard", filled, "E_AMBIGUOUS")]
    if value is None:
        return [context.problem(match, "E_AMBIGUOUS", f"Какой осколок — «{filled.atom.text}»?")]
    times = match.value("times", 1)
    count = times if isinstance(times, int) and 1 <= times <= 9 and kind == "care" else 1
    command = {"type": kind, "shard": value}
    if kind == "care" and not match.inherited and not match.slots.get("times") and _given_here(match, context, command):
        first = max(context.layout.sentences[match.sentence].first, match.first - _ONCE_MORE)
        said = context.layout.tokens[first : match.last]
        if not {t.norm for t in said} & beside("once_more"):
            notes = [*notes, "вторая забота о том же осколке?"]
    again = any(a.has("~once_more", "times") for a in match.atoms)
    if match.inherited and not again and _given_here(match, context, command):
        return []  # «Слободу буду холить, забота о Слободе» is one care
    return [context.reading(match, command, notes=notes) for _ in range(count)]


def _given_here(match: Match, context: Context, command: Mapping[str, Any]) -> bool:
    """True when this sentence has ordered it already."""
    done, given = context.memory.setdefault("given", (0, set()))
    fresh = context.outputs[done:]  # outputs are only added while orders are made
    given.update((m.sentence, repr(o.command)) for m, outs in fresh for o in outs if isinstance(o, Reading))
    context.memory["given"] = (len(context.outputs), given)
    return (match.sentence, repr(command)) in given


def _on_shard_before(match: Match, context: Context, filled: Filled, kind: str) -> Iterable[Output]:
    """«Беру Заводь … и забота о ней»: the last shard named, if it is only one."""
    named = [a for a in context.atoms if a.first < filled.atom.first and a.has("shard")]
    senses = named[-1].all("shard") if named else []
    if len({s.value for s in senses}) > 1:
        senses = [s for s in senses if context.view.game.shards[s.value].owner == context.view.reader]
    if len({s.value for s in senses}) != 1:
        return [context.problem(match, "E_AMBIGUOUS", f"Какой осколок — «{filled.atom.text}»?")]
    command = {"type": kind, "shard": senses[0].value}
    if filled.atom.has("~that") and _given_here(match, context, command):
        return []  # «Цитадель холю: забота о ней» is one care
    near = match.sentence - context.layout.sentence_of[named[-1].first] <= 1
    notes = match.notes() if near else [*match.notes(), f"«{filled.atom.text}» — {context.title('shard', senses[0].value)}?"]
    times = match.value("times", 1)
    count = times if isinstance(times, int) and 1 <= times <= 9 and kind == "care" else 1
    return [context.reading(match, command, notes=notes) for _ in range(count)]


def make_item_gift(match: Match, context: Context) -> Iterable[Output]:
    """An item given away; one that the game doesn't have is named in the answer (§8)."""
    item = match.first_of("item")
    if item is not None:
        kind = context.view.catalog.items[item.value]
        aimed = kind.activation == "action" and kind.target == "owner"
        if aimed and not any(a.has("give", "get") for a in match.triggers):
            text = f"«{kind.name_ru}»: отдать или применить?"
            return [context.problem(match, "E_AMBIGUOUS", text)]
        return make_simple(match, context)
    sentence = context.layout.sentences[match.sentence]
    words = context.unknown_words(max(sentence.first, match.first - 4), min(sentence.last, match.last + 4))
    if not words:
        text = "Что передать? Назовите предмет или сколько энергии."
        return [context.problem(match, "E_ITEM_NOT_YOURS", text, severity=Severity.ERROR)]
    place = Span(words[0].start, words[-1].end)
    text = text_of("E_ITEM_NOT_YOURS", name=" ".join(context.text(w.span) for w in words))
    return [context.problem(match, "E_ITEM_NOT_YOURS", text, place, severity=Severity.ERROR)]


def _of_a_shard(match: Match, context: Context) -> bool:
    """«Присматриваюсь к Шахте: защита 12»: a shard that nothing attacks stands in the sentence."""
    here = context.by_sentence.get(match.sentence, [])
    named = [a for a in here if a.first < match.first and a.has("shard")]
    taken = {a.first for m, made in context.outputs if made for a in m.atoms}
    return any(a.first not in taken for a in named)


def _named_before(match: Match, context: Context) -> Filled | None:
    """«Ржавый просил десять. Дам пять.»: the one other владыка of this sentence and the one before."""
    sentence = context.layout.sentences[match.sentence]
    said = {t.norm for t in context.layout.tokens[match.first : min(sentence.last, match.last + 2)]}
    if said & beside("self") and any(a.has("give") for a in match.triggers):
        return Filled(match.triggers[0], (Sense("owner", context.view.reader),))  # «передаю себе»: the rules refuse it
    near = max(sentence.first, match.first - 3), min(sentence.last, match.last + 3)
    if any(context.text(word.span)[:1].isupper() for word in context.unknown_words(*near)):
        return None  # «Радогору передаю 3 энергии»: somebody whom the game doesn't know
    here = [a for at in (match.sentence - 1, match.sentence) for a in context.by_sentence.get(at, [])]
    named = [a for a in here if a.first < match.first and a.has("owner") and a.senses[0].value != context.view.reader]
    if not match.triggers or len({a.senses[0].value for a in named}) != 1:
        return None
    return Filled(named[-1], tuple(named[-1].all("owner")[:1]))


def make_amount(match: Match, context: Context) -> Iterable[Output]:
    """Commands of one amount: defence, reserve, gift of energy. «Остаток» is worked out when all is known (`finish`)."""
    frame = match.frame
    amount = match.first_of("energy") or match.first_of("amount")
    command: dict[str, Any] = {"type": frame.id}
    field = "amount" if frame.id == "transfer_energy" else "energy"
    if frame.id == "set_reserve":
        number = match.first_of("attack_no")
        if number is None:
            number = headed(match, context)
        if number is None:
            return [context.problem(match, "E_ATTACK_NO", "На какую по счёту атаку резерв?", draft=command)]
        values = number.value
        if not isinstance(values, tuple) or values == ("all",):
            return [context.problem(match, "E_AMBIGUOUS", "Резерв ставится на атаку с номером: на какую?", draft=command)]
        if any(v < 1 for v in values):
            return [context.problem(match, "E_ATTACK_NO", text_of("E_ATTACK_NO"), severity=Severity.ERROR, draft=command)]
    else:
        values = (None,)
    if frame.id == "transfer_energy":
        to = match.first_of("to") or _named_before(match, context)
        if match.slots.get("everyone") and not match.slots.get("to"):
            return [context.problem(match, "E_AMBIGUOUS", "Кому именно? Назовите владык.", draft=command)]
        if to is None:
            return [
                context.problem(
                    match, "E_UNKNOWN_TARGET", "Кому передать? Назовите владыку.", severity=Severity.ERROR, draft=command
                )
            ]
        if len(to.senses) > 1:
            return [context.which(match, "to", to, "E_AMBIGUOUS")]
        if to.sense.kind == "owners" and amount is not None and amount.atom.prep == "по" and isinstance(amount.value, int):
            gifts = [{**command, "to": owner, field: amount.value} for owner in to.value]
            return [context.reading(match, gift, notes=match.notes()) for gift in gifts]
        command["to"] = context.resolve(to, _slot(match, "to"))
        if command["to"] is None or to.sense.kind == "owners":
            return [context.problem(match, "E_AMBIGUOUS", f"Кому — «{to.atom.text}»?")]
    note = None
    notes = match.notes()
    if frame.id == "invest_defence" and amount is not None and amount.sense.kind == "number" and _of_a_shard(match, context):
        notes.append("защита осколка или вклад?")
    if frame.id == "transfer_energy" and not match.slots.get("to") and command["to"] != context.view.reader:
        notes.append(f"кому: {context.title('owner', command['to'])}?")
    if amount is None:
        if not match.slots.keys() & {"rest", "half"}:
            return [context.problem(match, "E_ENERGY_MISSING", text_of("E_ENERGY_MISSING"), draft=command)]
        command[field] = 0
        wait(context, match, field)
    elif amount.ref:
        found = context.before(amount.atom.span.start, "energy", "number", live=True)
        if found is None:
            return [context.problem(match, "E_AMBIGUOUS", f"Сколько — «{amount.atom.text}»?", draft=command)]
        command[field] = shown(found.value)
    else:
        value = amount.value
        if not isinstance(value, int) or value < 1:
            return [context.problem(match, "E_INT", text_of("E_INT"), severity=Severity.ERROR, draft=command, rule="R8")]
        command[field] = value
    out: list[Output] = []
    for number_value in values:
        extra = {"attack_no": number_value} if number_value is not None else {}
        out.append(context.reading(match, {**command, **extra}, notes=notes, note=note))
    return out
