"""A command as one short Russian line, for «понял так», the desk and corrections; words from `data/phrases.toml`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.astral import commands as c
from rules.astral.catalog import raw_data
from rules.astral.messages import ordinal, quoted, world_gen
from rules.astral.numbers import rational, show
from rules.astral.state import State
from rules.astral.view import View
from rules.base import Command


def part(key: str, **params: Any) -> str:
    """A piece of a line."""
    return str(raw_data("phrases")["parts"][key]).format(**params)


def describe(view: View, command: Command) -> str:
    """The command as one line. Never fails: an unknown id is shown as it is."""
    kind = str(command.model_dump()["type"])
    words = {name: value for name, value in command.model_dump(by_alias=True).items() if not isinstance(value, dict)}
    words |= _common(view.game, words)
    filler = FILLERS.get(type(command))
    if filler is not None:
        words |= filler(view.game, command)
    return str(raw_data("phrases")["lines"][kind]).format(**words)


def main_action(game: State, command: Command) -> str:
    """A main action inside a sentence: «атака мира Каэля»."""
    words = _common(game, command.model_dump())
    if isinstance(command, c.AttackOwner):
        words["world"] = _world(game, command.target)
    return str(raw_data("phrases")["main"][command.model_dump()["type"]]).format(**words)


def shard_name(game: State, ident: str) -> str:
    """`011.Круг Седых Камней`, or the id of an unknown shard."""
    return game.shards[ident].label if ident in game.shards else ident


def owner_name(game: State, ident: str) -> str:
    """An owner's name, or an unknown id."""
    return game.owners[ident].name if ident in game.owners else ident


def subject_name(game: State, ident: str) -> str:
    """What is told about: an item's name in quotes or a shard."""
    items = game.catalog.items
    return quoted(items[ident].name_ru) if ident in items else shard_name(game, ident)


def _world(game: State, ident: str) -> str:
    return world_gen(game, ident) if ident in game.owners else ident


def _common(game: State, words: dict[str, Any]) -> dict[str, Any]:
    """Names instead of ids, for the fields that many commands share."""
    tables = game.catalog
    out: dict[str, Any] = {}
    if isinstance(words.get("shard"), str):
        out["shard"] = shard_name(game, words["shard"])
    for name in ("to", "with", "owner"):
        if isinstance(words.get(name), str):
            out[name] = owner_name(game, words[name])
    for name, table in (("item", tables.items), ("feature", tables.features), ("specialist", tables.specialists)):
        if isinstance(words.get(name), str):
            label = table[words[name]].name_ru if words[name] in table else words[name]
            out[name] = label if name == "specialist" else quoted(label)
    if isinstance(words.get("rune"), str):
        out["rune"] = tables.runes[words["rune"]].name_ru if words["rune"] in tables.runes else words["rune"]
    if isinstance(words.get("subject"), str):
        out["subject"] = subject_name(game, words["subject"])
    return out


def _items(game: State, items: tuple[str, ...]) -> str:
    return part("items", items=", ".join(_item(game, item) for item in items)) if items else ""


def _item(game: State, item: str) -> str:
    return quoted(game.catalog.items[item].name_ru) if item in game.catalog.items else item


def tactic_words(game: State, command: c.Attack | c.SetDefenceTactic) -> str:
    """«Пехота 6 – Некромантия 6 – Волшебник»."""
    units = game.catalog.units

    def name(ident: str | None) -> str:
        if ident is None:
            return part("unknown_unit")
        return units[ident].name_ru if ident in units else ident

    words = {"troop": name(command.troop), "magic": name(command.magic), "hero": name(command.hero)}
    if isinstance(command, c.Attack) and not (command.troop_energy is None and command.magic_energy is None):
        t, m = command.troop_energy, command.magic_energy
        return part("absolute", t=part("unknown_unit") if t is None else t, m=part("unknown_unit") if m is None else m, **words)
    shares = _shares(command.troop_share, command.magic_share)
    return part("bare", **words) if shares is None else part("shares", t=shares[0], m=shares[1], **words)


def _shares(troop: c.Percent | None, magic: c.Percent | None) -> tuple[str, str] | None:
    try:
        t = None if troop is None else rational(troop)
        m = None if magic is None else rational(magic)
    except ValueError:
        return str(troop), str(magic)
    if t is None:
        return None if m is None else (show(100 - m), show(m))
    return show(t), show(100 - t if m is None else m)


def _attack(game: State, command: c.Attack) -> dict[str, Any]:
    return {
        "energy": "" if command.energy is None else part("energy", energy=command.energy),
        "tactic": tactic_words(game, command),
        "items": _items(game, command.items),
    }


def _attack_owner(game: State, command: c.AttackOwner) -> dict[str, Any]:
    group = "" if command.group is None else part("group", group=command.group.strip(" «»\"'„“”"))
    if command.group_position is not None:
        group += part("group_position", position=command.group_position)
    return {**_attack(game, command), "world": _world(game, command.target), "group": group}


def _reserve(game: State, command: c.SetReserve) -> dict[str, Any]:
    number = command.attack_no
    return {"attack_acc": ordinal(int(number), "acc") if number == int(number) else str(number)}


def _tactic(game: State, command: c.SetDefenceTactic) -> dict[str, Any]:
    number = command.attack_no
    if number == "all":
        against = part("against_all")
    else:
        against = part("against", attack_gen=ordinal(int(number), "gen") if number == int(number) else str(number))
    return {"against": against, "tactic": tactic_words(game, command), "items": _items(game, command.items)}


def goods_words(game: State, goods: c.Goods) -> str:
    """«6э, «Рог Сбора»» or «ничего»."""
    parts = [part("energy_goods", energy=goods.energy)] if goods.energy else []
    parts += [_item(game, item) for item in goods.items]
    parts += [part("info_goods", subject=subject_name(game, subject)) for subject in goods.info]
    return ", ".join(parts) or part("nothing")


def _exchange(game: State, command: c.Exchange) -> dict[str, Any]:
    return {"give": goods_words(game, command.give), "want": goods_words(game, command.want)}


def _use(game: State, command: c.UseItem | c.UseFeature) -> dict[str, Any]:
    target = ""
    if command.target_owner is not None:
        target += part("on_owner", owner=owner_name(game, command.target_owner))
    if command.target_shard is not None:
        target += part("on_shard", shard=shard_name(game, command.target_shard))
    if command.position is not None:
        target += part("position", position=command.position)
    elif isinstance(command, c.UseFeature) and command.target_shard is not None:
        feature = game.catalog.features.get(command.feature)
        if feature is not None and feature.has("reorder_shard"):
            target += part("last_position")
    return {"target": target}


def _hire(game: State, command: c.HireSpecialist) -> dict[str, Any]:
    teacher, unit = game.catalog.specialists.get(command.specialist), command.unit
    if unit is None and teacher is not None and len(teacher.units) == 1:
        unit = teacher.units[0]
    units = game.catalog.units
    return {"unit": "" if unit is None else part("unit", unit=units[unit].name_ru if unit in units else unit)}


def _cancel(game: State, command: c.CancelOrders) -> dict[str, Any]:
    if command.orders is None:
        return {"which": ""}
    titles = []
    for order in command.orders:
        kind = str(order.get("type"))
        titles.append(c.COMMANDS[kind].title if kind in c.COMMANDS else kind)
    return {"which": part("which", count=", ".join(titles))}


def _set_param(game: State, command: c.GmSetParam) -> dict[str, Any]:
    what = owner_name(game, command.owner) if command.owner is not None else shard_name(game, command.shard or "")
    unit = game.catalog.units.get(command.unit or "")
    return {"what": what, "field": command.field + (f" {unit.name_ru}" if unit is not None else "")}


def _apply_effect(game: State, command: c.GmApplyEffect) -> dict[str, Any]:
    what = part("everybody") if command.owner is None else owner_name(game, command.owner)
    ops, value = raw_data("phrases")["ops"], command.effect.get("value")
    op = ops.get(command.effect.get("op"), command.effect.get("op", part("unknown_unit")))
    return {"what": what, "effect": ops["bare" if value is None else "value"].format(op=op, value=value)}


def _place(game: State, command: c.GmPlaceShard) -> dict[str, Any]:
    return {"shard": f"{command.shard.get('number', '')}.{command.shard.get('name_ru', '')}"}


def _remove(game: State, command: c.GmRemoveShard) -> dict[str, Any]:
    return {"fate": part(f"fate_{command.fate}")}


def _board(game: State, command: c.GmSetRuneBoard) -> dict[str, Any]:
    runes = game.catalog.runes
    return {"runes": ", ".join(runes[rune].short if rune in runes else rune for rune in command.runes)}


def _owners(game: State, command: c.GmSetGroupOrder) -> dict[str, Any]:
    return {"owners": ", ".join(owner_name(game, ident) for ident in command.owners)}


def _end(game: State, command: c.GmEndGame) -> dict[str, Any]:
    owners = ", ".join(owner_name(game, ident) for ident in command.winners)
    return {"owners": owners, "reason": part("reason", reason=command.reason) if command.reason else ""}


FILLERS: dict[type[Command], Callable[[State, Any], dict[str, Any]]] = {
    c.AttackNeutral: _attack,
    c.AttackOwner: _attack_owner,
    c.SetReserve: _reserve,
    c.SetDefenceTactic: _tactic,
    c.Exchange: _exchange,
    c.UseItem: _use,
    c.UseFeature: _use,
    c.HireSpecialist: _hire,
    c.CancelOrders: _cancel,
    c.GmSetParam: _set_param,
    c.GmApplyEffect: _apply_effect,
    c.GmPlaceShard: _place,
    c.GmRemoveShard: _remove,
    c.GmSetRuneBoard: _board,
    c.GmSetGroupOrder: _owners,
    c.GmEndGame: _end,
}
