"""How attacks and defence tactics are read: targets (R117), groups (R32), splits (R26), levels (R24) and what may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output, candidates, choice
from parsers.russian import info
from parsers.types import Problem, Severity, Span
from rules.astral import effects
from rules.astral.language.names import harmless_words
from rules.astral.language.numbers import headed
from rules.astral.language.tactics import Number, Split, read_split, shown
from rules.astral.messages import text_of
from rules.astral.view import View

_SLOT_WORDS = {"troop": "войска", "magic": "магии", "hero": "героя"}


def make_attack(match: Match, context: Context) -> Iterable[Output]:
    """An attack on a shard or on a world, or what is wrong with it: target before tactic before energy before split (§8)."""
    view: View = context.view
    split = read_split(context.layout, match, tactic=False)
    again = _as_much_again(match, context, split)
    target = _target(match, context)
    if isinstance(target, Problem):
        return [target]
    command: dict[str, Any] = dict(target)
    problem = _units(match, context, split, command)
    if problem is not None:
        return [problem]
    problem = _energy(match, context, split, command)
    if problem is not None:
        return [problem]
    _group(match, view, command)
    items = [f.value for f in match.slots.get("items", ())]
    if items:
        command["items"] = items
    notes = match.notes()
    if match.slots.get("again"):
        notes.append(f"столько же: {again}" if again is not None else "не понял «столько же»")
    if split.stray:
        notes.append(f"не понял число «{split.stray[0].text}»")
    if any(not f.value for f in match.slots.get("partners", ())):
        notes.append("не понял, вместе с кем")
    places = {"shard": _place(match), "target": _place(match), **_item_place(match)}
    out: list[Output] = [context.reading(match, command, notes=notes, fields=places)]
    out.extend(_warnings(match, context, split, command))
    return out


def _as_much_again(match: Match, context: Context, split: Split) -> Number | None:
    """«столько же в каву, но в стихию 2»: the unit beside gets what it had in the attack before."""
    filled = match.first_of("again")
    units = [(name, atom) for name, atom in (("troop", split.troop), ("magic", split.magic)) if atom is not None]
    if filled is None or len(units) != 2:
        return None
    name = min(units, key=lambda u: abs(u[1].first - filled.atom.last))[0]
    other = "magic" if name == "troop" else "troop"
    earlier = [f.atom for f in match.slots.get("amounts", ()) if f.atom.first < filled.atom.first]
    near = [a for a in earlier if abs(a.first - dict(units)[other].last) <= 1 or abs(dict(units)[other].first - a.last) <= 1]
    if near:  # «стрелков 5, священной столько же»
        value = near[-1].senses[0].value
        split.amounts = {name: value, other: value}
        split.energy = next((a.senses[0].value for a in earlier if a is not near[-1] and a.has("energy")), split.energy)
        split.stray = [a for a in split.stray if a not in earlier]
        return Fraction(value)
    before = next((r.command for r in reversed(context.readings) if f"{name}_energy" in r.command), None)
    told = [f.atom for f in match.slots.get("amounts", ())]
    unit = dict(units)[other]
    beside = [a for a in told if abs(a.first - unit.last) <= 1 or abs(unit.first - a.last) <= 1]
    if before is None or not beside:
        return None
    split.amounts = {name: before[f"{name}_energy"], other: beside[0].senses[0].value}
    split.stray = [a for a in split.stray if a is not beside[0]]
    return split.amounts[name]


def _item_place(match: Match) -> dict[str, Span]:
    filled = match.first_of("items")
    return {} if filled is None else {"items": filled.atom.span}


def _place(match: Match) -> Any:
    filled = match.first_of("shard") or match.first_of("owner")
    return filled.atom.span if filled is not None else match.span


def _target(match: Match, context: Context) -> Mapping[str, Any] | Problem:
    view: View = context.view
    shards, owners = list(match.slots.get("shard", ())), list(match.slots.get("owner", ()))
    for filled in shards:
        if filled.sense.kind == "shard_unknown":
            text = text_of("E_UNKNOWN_TARGET", name=filled.value)
            return context.problem(match, "E_UNKNOWN_TARGET", text, filled.atom.span, severity=Severity.ERROR, rule="R117")
    if any(not f.sense.partial for f in shards):
        shards = [f for f in shards if not f.sense.partial]
    owner = context.resolve(owners[0], _OWNER_SLOT) if owners else None
    ids = {repr(s.value) for f in shards for s in f.senses}
    ambiguous = next((f for f in shards if len(f.senses) > 1), None)
    if ambiguous is not None:
        pool = list(ambiguous.senses)
        if owner is not None:
            pool = [s for s in pool if view.game.shards[s.value].owner == owner] or pool
        others = {repr(f.senses[0].value) for f in shards if f is not ambiguous and len(f.senses) == 1}
        sure = [s for s in pool if repr(s.value) in others]
        pool = sure or pool
        if len(pool) > 1:
            return context.which(match, "shard", ambiguous, "E_AMBIGUOUS")
        shards = [f for f in shards if f is not ambiguous]
        chosen: Any = pool[0].value
    else:
        chosen = shards[0].value if shards else None
        if len(ids) > 1:
            names = [view.game.shards[f.value].label for f in shards]
            message = f"Непонятно, какой осколок: {' или '.join(names)}?"
            choices = [choice(n) for n in names]
            return context.problem(match, "E_AMBIGUOUS", message, match.span, choices=choices)
    if owners and len(owners[0].senses) > 1:
        return context.which(match, "owner", owners[0], "E_AMBIGUOUS")
    if chosen is not None:
        shard = view.game.shards[chosen]
        if shard.status == "destroyed":
            text = text_of("E_UNKNOWN_TARGET", "destroyed", name=shard.label)
            return context.problem(match, "E_UNKNOWN_TARGET", text, severity=Severity.ERROR, rule="R117")
        named = owner if owner is not None and owner != view.reader else None
        if shard.owner is not None and shard.owner != view.reader and (shard.number is None or named == shard.owner):
            return {"type": "attack_owner", "target": shard.owner}
        if shard.owner == view.reader and owner is not None and owner != view.reader:
            return {"type": "attack_owner", "target": owner}
        return {"type": "attack_neutral", "shard": chosen}
    if owner is not None:
        return {"type": "attack_owner", "target": owner}
    return _unknown_target(match, context)


def _unknown_target(match: Match, context: Context) -> Problem:
    words = context.unknown_words(match.first, match.last + 4)
    named = " ".join(context.text(w.span) for w in words[:3])
    likely = context.lexicon.suggest(named, ["shard", "owner"]) if named else []
    message = f"Не знаю осколка «{named}»" if named else "Не указано, что атаковать"
    message += (
        f"; похоже на «{'», «'.join(likely)}» — поправьте или подтвердите." if likely else ": назовите осколок или владыку."
    )
    choices = [choice(name) for name in likely]
    return context.problem(match, "E_UNKNOWN_TARGET", message, severity=Severity.ERROR, choices=choices, rule="R117")


class _OwnerSlot:
    kinds = ("owner",)


_OWNER_SLOT: Any = _OwnerSlot()


def _units(match: Match, context: Context, split: Split, command: dict[str, Any]) -> Problem | None:
    strange = _strange_unit(match, context, split)
    if strange is not None:
        return strange
    missing: list[str] = []
    for name in ("troop", "magic", "hero"):
        atom: Atom | None = getattr(split, name)
        if atom is None:
            missing.append(name)
            continue
        senses = candidates(atom, (name,))
        if len(senses) > 1:
            return context.which(match, name, match.slots[name][0], "E_AMBIGUOUS")
        command[name] = senses[0].value
    if split.hero is not None and split.hero.data.get("level"):
        text = text_of("E_HERO_LEVEL", unit=context.title("hero", command["hero"]), hero=context.title("hero", command["hero"]))
        return context.problem(match, "E_HERO_LEVEL", text, split.hero.span, severity=Severity.ERROR, rule="R24")
    if missing:
        said = " и ".join(_SLOT_WORDS[m] for m in missing)
        severity = Severity.ERROR if len(missing) == 3 else Severity.QUESTION
        message = f"В тактике нет {said}. Нужны Войска–Магия–Герой."
        return context.problem(match, "E_UNIT_MISSING", message, severity=severity, draft=command, rule="R12")
    return None


def _strange_unit(match: Match, context: Context, split: Split) -> Problem | None:
    """«драконы 4, некра 3, воин»: a word of the list in the place of a unit that the game doesn't have."""
    if split.troop is not None and split.magic is not None:
        return None
    units = [a for a in (split.troop, split.magic, split.hero) if a is not None]
    if not units:
        return None
    tokens = context.layout.tokens
    words = context.unknown_words(match.first, match.last + 3)
    named = [f.atom for f in match.slots.get("shard", ())]
    if any(not s.partial for a in named for s in a.senses):  # «001 …: драконы 5»: no second target
        words += [tokens[a.first] for a in named if all(s.partial for s in a.senses)]
    for word in words:
        if info(word.norm).lemmas & harmless_words():
            continue
        index = next(i for i in range(match.first, min(match.last + 3, len(tokens))) if tokens[i] is word)
        near = [
            a
            for a in context.atoms
            if a.has("number", "percent", "energy") and (0 <= a.first - index - 1 <= 2 or 0 <= index - a.last <= 1)
        ]
        if any(not a.has("shard") and all(abs(a.first - u.last) > 1 or u.first > index for u in units) for a in near):
            slot = "troop" if split.troop is None else "magic"
            kind = {"troop": "войско", "magic": "магия"}[slot]
            known = [
                u.name_ru
                for n, u in context.view.catalog.units.items()
                if u.slot == slot and (u.start or n in context.view.me.unlocked if context.view.me else u.start)
            ]
            message = (
                f"Неизвестное {kind} „{context.text(word.span)}“."
                if slot == "troop"
                else f"Неизвестная {kind} „{context.text(word.span)}“."
            )
            message += f" Доступны: {', '.join(known)}."
            return context.problem(match, "E_UNIT_UNKNOWN", message, word.span, severity=Severity.ERROR, rule="R12")
    return None


def _energy(match: Match, context: Context, split: Split, command: dict[str, Any]) -> Problem | None:
    view: View = context.view
    numbers = [v for v in (split.energy, *split.amounts.values()) if v is not None]
    if any(isinstance(v, Fraction) or v < 0 for v in numbers) or split.energy == 0:
        return context.problem(match, "E_INT", text_of("E_INT"), severity=Severity.ERROR, draft=command, rule="R8")
    price = _price(view, command)
    if match.slots.get("all") and split.energy is None and view.me is not None:
        split.energy = view.me.energy
    if split.energy is not None:
        command["energy"] = shown(split.energy)
    if match.slots.get("equal") and not split.amounts and not split.shares and isinstance(split.energy, int):
        left = split.energy - (price or 0)
        if price is not None and left >= 0 and left % 2 == 0:
            split.amounts = {"troop": left // 2, "magic": left // 2}
        else:
            split.shares = {"troop": 50, "magic": 50}
    if not split.amounts and not split.shares:
        if split.energy is None:
            return context.problem(match, "E_ENERGY_MISSING", text_of("E_ENERGY_MISSING"), draft=command, rule="R26")
        energy = int(split.energy)
        half = max(0, energy - (price or 0))
        text = text_of("E_SPLIT_MISSING", energy=energy, troop=(half + 1) // 2, magic=half // 2)
        return context.problem(match, "E_SPLIT_MISSING", text, draft=command, rule="R26")
    if split.shares:
        for name, value in split.shares.items():
            command[f"{name}_share"] = shown(value)
        if split.energy is None:
            return context.problem(match, "E_ENERGY_MISSING", text_of("E_ENERGY_MISSING"), draft=command, rule="R26")
        return None
    for name, value in split.amounts.items():
        command[f"{name}_energy"] = shown(value)
    if len(split.amounts) == 2 and split.energy is None and price is not None:
        command["energy"] = int(sum(split.amounts.values())) + price
    elif len(split.amounts) == 1:
        (name,) = split.amounts
        other = "magic" if name == "troop" else "troop"
        if split.energy is None:
            return context.problem(match, "E_ENERGY_MISSING", text_of("E_ENERGY_MISSING"), draft=command, rule="R26")
        rest = int(split.energy) - int(split.amounts[name]) - (price or 0)
        if rest < 0:
            return context.problem(
                match, "E_SPLIT_MISSING", text_of("E_SPLIT_MISSING", energy=int(split.energy), troop=5, magic=3), draft=command
            )
        command[f"{other}_energy"] = rest
    return None


def _price(view: View, command: Mapping[str, Any]) -> int | None:
    """The planned price of the way (R9), as the player can know it."""
    if view.me is None:
        return None
    game, me = view.game, view.me
    if command["type"] == "attack_neutral":
        height = game.shards[command["shard"]].height
        if height is None:
            return None
        return effects.move_price(game, str(view.reader), me.height, height)
    target = str(command["target"])
    return effects.move_price(game, str(view.reader), me.height, game.owners[target].height, target, own_effects_only=True)


def _group(match: Match, view: View, command: dict[str, Any]) -> None:
    partners = [p for f in match.slots.get("partners", ()) for p in f.value]
    if partners:
        command["group"] = "+".join(sorted({*partners, str(view.reader)}))
    label = match.value("group_label")
    if label is not None:
        command["group"] = label
    position = match.value("position")
    if position is not None and command.get("group"):
        command["group_position"] = position


def _warnings(match: Match, context: Context, split: Split, command: Mapping[str, Any]) -> Iterable[Problem]:
    view: View = context.view
    if command["type"] == "attack_owner":
        outer = view.outer(command["target"])
        for filled in match.slots.get("shard", ()):
            if outer is not None and all(s.value != outer for s in filled.senses) and filled.sense.kind == "shard":
                owner = view.game.owners[command["target"]]
                text = text_of("W_OUTER_ONLY", outer=view.game.shards[outer].label, world=owner.name_gen or owner.name)
                yield Problem("W_OUTER_ONLY", Severity.WARNING, text, filled.atom.span, rule="R34")
    yield from level_warnings(split, context, command)


def level_warnings(split: Split, context: Context, command: Mapping[str, Any]) -> Iterable[Problem]:
    """A level that the player wrote and doesn't have (R24)."""
    view: View = context.view
    for name in ("troop", "magic"):
        atom: Atom | None = getattr(split, name)
        if atom is None or "level" not in atom.data or view.me is None:
            continue
        unit = command[name]
        real = view.me.levels.get(unit, 0)
        if real != atom.data["level"]:
            title = context.title(name, unit) + (f"-{real}" if real else "")
            yield Problem("W_LEVEL", Severity.WARNING, f"У вас {title}, посчитаем с ней.", atom.span, rule="R24")


# ------------------------------------------------------------------------------------------------ defence


def make_tactic(match: Match, context: Context) -> Iterable[Output]:
    """One command for each attack number named; no number: for all attacks."""
    split = read_split(context.layout, match, tactic=True)
    command: dict[str, Any] = {"type": "set_defence_tactic"}
    if match.slots.get("as_before"):
        text = "Какую тактику оставить? Напишите её ещё раз: Войска, Магия, Герой и доли."
        return [context.problem(match, "E_AMBIGUOUS", text, draft=command)]
    model = _model(match, context)
    if match.slots.get("same") or match.slots.get("reverse"):
        if model is None:
            return [context.problem(match, "E_AMBIGUOUS", "С какой тактикой сравнить?", draft=command)]
        command.update({k: v for k, v in model.items() if k in ("troop", "magic", "hero", "troop_share", "magic_share")})
        if match.slots.get("reverse"):
            command["troop_share"], command["magic_share"] = command.get("magic_share"), command.get("troop_share")
    for name in ("troop", "magic", "hero"):
        atom: Atom | None = getattr(split, name)
        if atom is not None:
            command[name] = candidates(atom, (name,))[0].value
    if match.slots.get("equal") and not split.shares:
        split.shares = {"troop": 50, "magic": 50}
    if split.shares:
        command.update({f"{n}_share": shown(v) for n, v in split.shares.items()})
        for name, other in (("troop", "magic"), ("magic", "troop")):
            if name not in split.shares and other in split.shares:
                command[f"{name}_share"] = shown(100 - split.shares[other])
    if not match.slots.get("same"):
        problem = (
            _units(match, context, split, {**command})
            if not all(k in command for k in ("troop", "magic", "hero")) or split.hero
            else None
        )
        if problem is not None:
            return [problem]
    if "troop_share" not in command or "magic_share" not in command:
        text = text_of("E_SPLIT_MISSING", "tactic") if _has_variant("tactic") else "В каких долях делить защиту? Например: 60/40."
        return [context.problem(match, "E_SPLIT_MISSING", text, draft=command)]
    items = [f.value for f in match.slots.get("items", ())]
    if items:
        command["items"] = items
    numbers: list[Any] = []
    head = headed(match, context)
    for filled in match.slots.get("attack_no", ()) or ((head,) if head is not None else ()):
        value = filled.value
        numbers.extend(value if isinstance(value, tuple) else [value])
    if any(isinstance(n, int) and n < 1 for n in numbers):
        return [context.problem(match, "E_ATTACK_NO", text_of("E_ATTACK_NO"), severity=Severity.ERROR, draft=command)]
    places = _item_place(match)
    notes = match.notes()
    if split.stray and not (match.slots.get("same") or match.slots.get("reverse")):
        notes.append(f"не понял число «{split.stray[0].text}»")
    out: list[Output] = [
        context.reading(match, {**command, "attack_no": n}, notes=notes, fields=places) for n in numbers or ["all"]
    ]
    out.extend(level_warnings(split, context, command))
    return out


def _has_variant(variant: str) -> bool:
    del variant
    return False


def _model(match: Match, context: Context) -> Mapping[str, Any] | None:
    """The tactic before this one in the post."""
    del match
    for reading in reversed(context.readings):
        if reading.command.get("type") == "set_defence_tactic":
            return reading.command
    return None
