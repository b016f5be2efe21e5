"""The GM's commands that change the state (§3.2). Each leaves an event; what can't be done is told to the GM alone."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from pydantic import ValidationError

from rules.astral import commands as c
from rules.astral import victory
from rules.astral.catalog import Effect, problem_place, raw_data
from rules.astral.context import Context, Fired, make_neutral
from rules.astral.describe import describe
from rules.astral.numbers import rational
from rules.astral.scenario import NeutralTable, neutral_shard
from rules.astral.state import Finish, GroupOrder
from rules.astral.view import view
from rules.base import EVERYONE, GM_ONLY, Audience, Command, only

WHOLE_OWNER = frozenset({"energy", "height", "missed"})
WHOLE_SHARD = frozenset({"size", "care", "care_count", "sacrifice", "height"})
SECRET_FIELDS = frozenset({"level"})


class GmError(Exception):
    """Why a GM's command can't be carried out; the message is for the GM. Never leaves this module."""


def carry_out(ctx: Context, command: Command) -> None:
    """Carries one command out, or tells the GM why not."""
    handler = HANDLERS.get(type(command))
    kind = command.model_dump()["type"]
    line = describe(view(ctx.state, GM_ONLY), command)
    try:
        if handler is None:
            raise GmError(_text("not_gm"))
        audience = handler(ctx, command)
    except GmError as error:
        ctx.tell("gm_refused", "R6", {"type": kind, "line": line, "message": str(error)}, GM_ONLY)
        return
    ctx.tell("gm", "R6", {"type": kind, "line": line}, audience)


def objection(ctx: Context, command: Command) -> str | None:
    """What stands against a GM's command, tried on a scratch context; None: it can be carried out."""
    handler = HANDLERS.get(type(command))
    try:
        if handler is None:
            raise GmError(_text("not_gm"))
        handler(ctx, command)
    except GmError as error:
        return str(error)
    return None


def _text(key: str, **params: Any) -> str:
    return str(raw_data("report")["gm"][key]).format(**params)


def _owner(ctx: Context, ident: str) -> str:
    if ident not in ctx.state.owners:
        raise GmError(_text("no_owner", name=ident))
    return ident


def _shard(ctx: Context, ident: str) -> str:
    if ident not in ctx.state.shards:
        raise GmError(_text("no_shard", name=ident))
    return ident


def _item(ctx: Context, ident: str) -> str:
    if ident not in ctx.state.catalog.items:
        raise GmError(_text("no_item", name=ident))
    return ident


def _rune(ctx: Context, ident: str) -> str:
    if ident not in ctx.state.catalog.runes:
        raise GmError(_text("no_rune", name=ident))
    return ident


def _about_item(ctx: Context, owner: str, item: str) -> Audience:
    return only(owner) if ctx.state.catalog.items[item].hidden else EVERYONE


def _grant(ctx: Context, command: c.GmGrantItem) -> Audience:
    owner, item = _owner(ctx, command.owner), _item(ctx, command.item)
    if ctx.state.owners[owner].status == "eliminated":
        raise GmError(_text("dead", name=ctx.state.owners[owner].name))
    ctx.gain_item(owner, item, "")
    return _about_item(ctx, owner, item)


def _remove_item(ctx: Context, command: c.GmRemoveItem) -> Audience:
    owner, item = _owner(ctx, command.owner), _item(ctx, command.item)
    if ctx.state.owners[owner].items.pop(item, None) is None:
        raise GmError(_text("not_held", name=ctx.state.catalog.items[item].name_ru))
    return _about_item(ctx, owner, item)


def _set_param(ctx: Context, command: c.GmSetParam) -> Audience:
    if (command.owner is None) == (command.shard is None):
        raise GmError(_text("owner_or_shard"))
    if command.shard is not None:
        _set_shard(ctx, _shard(ctx, command.shard), command)
        return EVERYONE
    owner = _owner(ctx, command.owner or "")
    who, name = ctx.state.owners[owner], command.field
    if name == "level":
        if command.unit not in ctx.state.catalog.units:
            raise GmError(_text("no_unit", name=command.unit))
        who.levels[command.unit] = _whole(command.value)
        return only(owner)
    if name in WHOLE_OWNER:
        value = _whole(command.value)
        if name == "height":
            rules = ctx.state.settings
            if not rules.height_min <= value <= rules.height_max:
                raise GmError(_text("height", low=rules.height_min, high=rules.height_max))
        setattr(who, name, value)
    elif name == "defence":
        who.defence = _exact(command.value)
    elif name == "name":
        who.name = str(command.value)
    else:
        raise GmError(_text("no_field", name=name))
    return EVERYONE


def _set_shard(ctx: Context, shard: str, command: c.GmSetParam) -> None:
    place, name = ctx.state.shards[shard], command.field
    if name in WHOLE_SHARD:
        if name == "height" and place.status != "neutral":
            raise GmError(_text("owned_height"))
        setattr(place, name, _whole(command.value))
    elif name == "defence":
        place.defence = _exact(command.value)
    elif name == "name":
        place.name = str(command.value)
    elif name == "trophies_taken" and isinstance(command.value, bool):
        place.trophies_taken = command.value
    else:
        raise GmError(_text("no_field", name=name))


def _whole(value: Any) -> int:
    try:
        number = rational(value)
    except ValueError:
        raise GmError(_text("not_whole", name=value)) from None
    if number.denominator != 1 or number < 0:
        raise GmError(_text("not_whole", name=value))
    return int(number)


def _exact(value: Any) -> Any:
    try:
        number = rational(value)
    except ValueError:
        raise GmError(_text("not_number", name=value)) from None
    if number < 0:
        raise GmError(_text("not_number", name=value))
    return number


def _apply(ctx: Context, command: c.GmApplyEffect) -> Audience:
    try:
        effect = Effect.model_validate(command.effect)
    except ValidationError as error:
        raise GmError(_text("bad_effect", place=problem_place(error))) from None
    known = (("unit", ctx.state.catalog.units), ("item", ctx.state.catalog.items))
    for name, table in known:
        value = getattr(effect, name)
        if value is not None and value not in table:
            raise GmError(_text("bad_effect", place=value))
    if command.shard is not None:
        _shard(ctx, command.shard)
    whom = ctx.state.active() if command.owner is None else [_owner(ctx, command.owner)]
    text = command.text or _text("effect_source")
    for owner in whom:
        fired = Fired(owner, text, "gm", command.hidden, command.duration or None, rule="R99")
        fired.target_owner, fired.target_shard = owner, command.shard
        ctx.apply([effect], fired)
    if command.text:
        ctx.tell("gm_text", "R99", {"text": command.text}, GM_ONLY if command.hidden else EVERYONE)
    return GM_ONLY if command.hidden else EVERYONE


def _place(ctx: Context, command: c.GmPlaceShard) -> Audience:
    try:
        table = NeutralTable.model_validate(command.shard)
    except ValidationError as error:
        raise GmError(_text("bad_shard", place=problem_place(error))) from None
    numbers = {place.number for place in ctx.state.shards.values()}
    if table.id in ctx.state.shards or table.number in numbers:
        raise GmError(_text("shard_exists", name=table.id))
    tables, tactic = ctx.state.catalog, table.tactic
    named: list[tuple[Container[str], list[str]]] = [
        (tables.units, [tactic.troop, tactic.magic, tactic.hero]),
        (tables.items, table.trophies),
        (tables.features, table.features),
        (tables.specialists, table.specialists),
    ]
    for entries, idents in named:
        for ident in idents:
            if ident not in entries:
                raise GmError(_text("bad_shard", place=ident))
    ctx.state.shards[table.id] = neutral_shard(table)
    ctx.state.shards = dict(sorted(ctx.state.shards.items()))
    # The line names number and name only; tactic and trophies stay hidden (R106).
    return EVERYONE


def _remove_shard(ctx: Context, command: c.GmRemoveShard) -> Audience:
    place = ctx.state.shards[_shard(ctx, command.shard)]
    owner = place.owner
    if place.status == "destroyed":
        raise GmError(_text("destroyed", name=place.label))
    if place.status == "neutral" and command.fate == "neutral":
        raise GmError(_text("neutral_already", name=place.label))
    ctx.lose_shard(command.shard, command.fate)
    if owner is not None:
        ctx.kill_if_empty(owner, "R47")
    return EVERYONE


def _board(ctx: Context, command: c.GmSetRuneBoard) -> Audience:
    board = [_rune(ctx, rune) for rune in command.runes]
    if len(set(board)) != len(board):
        raise GmError(_text("rune_twice"))
    runes = ctx.state.runes
    back = [rune for rune in runes.board if rune not in board]
    runes.deck = [rune for rune in (*runes.deck, *back) if rune not in board]
    runes.used = [rune for rune in runes.used if rune not in board]
    runes.since = {rune: runes.since.get(rune, ctx.state.turn) for rune in board}
    runes.board = board
    return EVERYONE


def _choose(ctx: Context, command: c.GmChooseRune) -> Audience:
    ctx.state.pending.rune = _rune(ctx, command.rune)
    return GM_ONLY


def _group_order(ctx: Context, command: c.GmSetGroupOrder) -> Audience:
    for owner in command.owners:
        _owner(ctx, owner)
    if command.target is not None:
        _owner(ctx, command.target)
    ctx.state.pending.groups.append(GroupOrder(group=command.group, target=command.target, owners=list(command.owners)))
    return GM_ONLY


def _excuse(ctx: Context, command: c.GmExcuseMissed) -> Audience:
    who = ctx.state.owners[_owner(ctx, command.owner)]
    who.missed = max(0, who.missed - 1)
    return EVERYONE


def _force(ctx: Context, command: c.GmForceNothing) -> Audience:
    who = ctx.state.owners[_owner(ctx, command.owner)]
    if who.status != "active":
        raise GmError(_text("not_active", name=who.name))
    who.status = "nothing"
    ctx.tell("nothing_entered", "R70", {"owner": command.owner, "auto": False})
    return EVERYONE


def _release(ctx: Context, command: c.GmRelease) -> Audience:
    who = ctx.state.owners[_owner(ctx, command.owner)]
    if who.status != "nothing":
        raise GmError(_text("not_nothing", name=who.name))
    who.status = "active"
    ctx.tell("nothing_left", "R70", {"owner": command.owner})
    return EVERYONE


def _eliminate(ctx: Context, command: c.GmEliminate) -> Audience:
    who = ctx.state.owners[_owner(ctx, command.owner)]
    if who.status == "eliminated":
        raise GmError(_text("dead", name=who.name))
    for shard in list(who.shards):
        ctx.lose_shard(shard, command.fate)
        if command.fate == "neutral":
            make_neutral(ctx.state, ctx.state.shards[shard])
    ctx.kill_if_empty(command.owner, "R47")
    return EVERYONE


def _reveal(ctx: Context, command: c.GmReveal) -> Audience:
    owner, subject = _owner(ctx, command.owner), command.subject
    items = ctx.state.catalog.items
    if subject in items:
        ctx.learn(owner, subject)
        data = {"name": items[subject].name_ru, "description": items[subject].description_ru}
        ctx.whisper(owner, "told", "R108", teller=None, subject=subject, **data)
    elif subject in ctx.state.shards:
        ctx.reveal_shard(owner, subject, ("tactic", "trophies", "features"), "", "R108")
    else:
        raise GmError(_text("no_subject", name=subject))
    return only(owner)


def _end(ctx: Context, command: c.GmEndGame) -> Audience:
    winners = [_owner(ctx, owner) for owner in command.winners]
    victory.end(ctx, Finish(reason="gm", winners=winners, note=command.reason or None))
    return EVERYONE


HANDLERS: dict[type[Command], Callable[[Context, Any], Audience]] = {
    c.GmGrantItem: _grant,
    c.GmRemoveItem: _remove_item,
    c.GmSetParam: _set_param,
    c.GmApplyEffect: _apply,
    c.GmPlaceShard: _place,
    c.GmRemoveShard: _remove_shard,
    c.GmSetRuneBoard: _board,
    c.GmChooseRune: _choose,
    c.GmSetGroupOrder: _group_order,
    c.GmExcuseMissed: _excuse,
    c.GmForceNothing: _force,
    c.GmRelease: _release,
    c.GmEliminate: _eliminate,
    c.GmReveal: _reveal,
    c.GmEndGame: _end,
}
