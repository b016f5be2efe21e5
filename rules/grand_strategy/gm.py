"""The GM's commands: carried out before all others, each told publicly with its reason (R189)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rules.base import EVERYONE, GM_ONLY, RulesError, command_to_json, only
from rules.grand_strategy import commands as c
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.scenario import with_setting
from rules.grand_strategy.state import Building, Permit, Personal, Player, Unit, natural


def run(play: Play, commands: Sequence[c.GmOrder]) -> bool:
    """All of them; True when one closes the open step."""
    closing = False
    for command in commands:
        try:
            closing = bool(HANDLERS[type(command)](play, command)) or closing
        except (Refusal, RulesError) as error:
            message = error.message if isinstance(error, Refusal) else str(error)
            play.events.append(
                _event("gm_refused", {"command": command_to_json(command), "message": message}, GM_ONLY),
            )
            continue
        audience = EVERYONE
        if isinstance(command, c.GmSetMoney) and not play.g.settings.public_treasury:
            audience = only(command.player)
        play.events.append(_event("gm", {"command": command_to_json(command), "reason": command.reason}, audience))
    return closing


def _event(kind: str, data: dict[str, Any], audience: Any) -> Any:
    from rules.base import Event

    return Event(kind, data, "R189", audience)


def _player(play: Play, name: str | None) -> str | None:
    if name in (None, ""):
        return None
    if name not in play.g.players:
        raise Refusal("gm_bad", text=f"Игрока «{name}» нет.")
    return name


def _admit(play: Play, order: c.GmAdmitVagabond) -> None:
    g = play.g
    me = g.players.get(order.player) or Player(order.player, str(order.params.get("name", order.player)), status="out")
    old = me.vagabond or Personal()
    p = order.params
    me.vagabond = Personal(
        int(p.get("treasury", old.treasury)),
        int(p.get("income", old.income)),
        int(p.get("personal_upkeep", old.personal_upkeep)),
        str(p["unit"]) if p.get("unit") else old.unit,
    )
    if me.vagabond.unit is not None and me.vagabond.unit not in g.unit_types:
        raise Refusal("gm_bad", text=f"Войска «{me.vagabond.unit}» нет.")
    cell = p.get("cell")
    if cell is not None:
        play.cell(str(cell))
        if g.units_at(str(cell)):
            raise Refusal("gm_bad", text=f"Клетка {cell} занята.")
    g.players[order.player] = me
    me.status, me.money, me.left_tour = "in", int(p.get("money", me.money)), None
    me.state = str(p.get("state", me.state))
    if order.player not in g.order():
        g.slots.append([order.player])
    if cell is not None:
        unit = Unit(play.new_id(), me.vagabond.unit or "knights", str(cell), me.id, str(p.get("unit_name", "")), personal=True)
        unit.school = p.get("school")
        play.block(unit)
        g.units[unit.id] = unit


def _consent(play: Play, order: c.GmConsent) -> None:
    g = play.g
    names = [str(_player(play, p)) for p in order.players]
    if len(names) < 2:
        raise Refusal("gm_bad", text="Нужны двое: кто согласен и с кем.")
    who, others = names[0], names[1:]
    for other in others:
        if order.topic == "annex":
            g.players[who].consents[f"annex|{other}|{order.unit or ''}"] = order.value
        elif order.topic == "smuta_all":
            g.players[who].consents[f"smuta_all|{other}"] = order.value
        elif order.topic == "battle":
            g.players[who].join[other] = order.value
            g.players[other].join[who] = order.value
        elif order.topic in ("spawn", "join"):
            g.players[who].spawn[f"{other}|{order.province or ''}|"] = order.value
        elif order.topic == "service":
            from rules.grand_strategy.players import accept_service

            model = c.AcceptService if order.value else c.DeclineService
            accept_service(play, who, model(player=other))
        elif order.topic == "entry":
            building = play.building(who, order.building or "?")
            if order.value:
                building.permits[other] = Permit(None)
            else:
                building.permits.pop(other, None)


def _dispute(play: Play, order: c.GmResolveDispute) -> None:
    _player(play, order.player)
    play.g.dispute[order.object] = order.player
    if order.object in play.g.buildings and play.g.phase == "window":
        play.set_building_owner(play.g.buildings[order.object], order.player)


def _money(play: Play, order: c.GmSetMoney) -> None:
    me = play.g.players[str(_player(play, order.player))]
    me.money = order.amount if order.amount is not None else max(0, me.money + (order.add or 0))


def _place_unit(play: Play, order: c.GmPlaceUnit) -> None:
    g = play.g
    kind = g.unit_types.get(order.unit_type)
    if kind is None:
        raise Refusal("gm_bad", text=f"Войска «{order.unit_type}» нет.")
    play.cell(order.cell)
    owner = _player(play, order.owner)
    there = g.units_at(order.cell)
    if there and not (
        order.unit_type == "zombies" and len(there) == 1 and there[0].type == "zombies" and there[0].owner == owner
    ):
        raise Refusal("gm_bad", text=f"Клетка {order.cell} занята.")
    if order.personal and owner is not None and g.personal_of(owner) is not None:
        raise Refusal("has_personal")
    unit_id = order.id or play.new_id()
    if unit_id in g.units:
        raise Refusal("gm_bad", text=f"Войско «{unit_id}» уже есть.")
    school = order.school or (g.mage_school(owner) if kind.kind == "mage" else None)
    if kind.kind == "mage" and school is None:
        raise Refusal("school_needed")
    lair = None
    if order.unit_type == "dragon":
        lair = unit_id.removeprefix("dragon_") if unit_id.startswith("dragon_") else None
        lair = lair if lair in g.lairs else next(iter(sorted(g.lairs, key=lambda cell: g.board.gap(cell, order.cell))), None)
        if lair is not None:
            g.lairs[lair].state, g.lairs[lair].tamer = "away", None
    controller = order.controller
    if kind.magic and controller is None and owner is not None:
        mages = [u for u in g.units_of(owner) if g.utype(u).kind == "mage"]
        controller = mages[0].id if mages else None
    g.units[unit_id] = Unit(
        unit_id, order.unit_type, order.cell, owner, order.name or "", school=school, personal=order.personal,
        mithril=order.mithril, afloat=order.afloat or g.board.is_sea(order.cell), controller=controller, lair=lair,
    )  # fmt: skip


def _unit(play: Play, name: str) -> Unit:
    unit = play.g.units.get(name)
    if unit is None:
        raise Refusal("gm_bad", text=f"Войска «{name}» нет.")
    return unit


def _move_unit(play: Play, order: c.GmMoveUnit) -> None:
    unit = _unit(play, order.unit)
    play.cell(order.cell)
    others = [u for u in play.g.units_at(order.cell) if u.id != unit.id]
    if others and not (
        unit.type == "zombies" and len(others) == 1 and others[0].type == "zombies" and others[0].owner == unit.owner
    ):
        raise Refusal("gm_bad", text=f"Клетка {order.cell} занята.")
    unit.cell = order.cell
    unit.afloat = play.g.board.is_sea(order.cell)
    if unit.siege is not None and play.g.board.gap(unit.cell, unit.siege) > play.g.settings.siege_range:
        unit.siege = None


def _remove(play: Play, order: c.GmRemove) -> None:
    if order.unit is not None:
        play.remove_unit(_unit(play, order.unit).id)
    if order.building is not None:
        play.remove_building(play.building(None, order.building).cell)


def _set_owner(play: Play, order: c.GmSetOwner) -> None:
    owner = _player(play, order.owner)
    if order.object in play.g.units:
        unit = play.g.units[order.object]
        play.set_owner(unit, owner)
    else:
        building = play.building(None, order.object)
        blocked = building.blocked
        play.set_building_owner(building, owner)
        building.blocked = blocked


def _set_building(play: Play, order: c.GmSetBuilding) -> None:
    g = play.g
    cell = play.cell(order.cell)
    kind = g.building_types.get(order.what)
    if kind is None:
        raise Refusal("gm_bad", text=f"Строения «{order.what}» нет.")
    if g.board.is_sea(cell):
        raise Refusal("gm_bad", text=f"{cell} — море, строения бывают только на суше.")
    house = g.house_in(g.board.province[cell])
    if kind.house and house is not None and house.cell != cell:
        raise Refusal("gm_bad", text=f"На этой земле уже есть дом лорда ({house.cell}).")
    old = g.buildings.get(cell)
    owner = _player(play, order.owner) if order.owner is not None else (old.owner if old else None)
    g.buildings[cell] = Building(cell, kind.id, owner, order.name or (old.name if old else ""), old.blocked if old else None)


def _set_rule(play: Play, order: c.GmSetRule) -> None:
    play.g.settings = with_setting(play.g.settings, order.setting, order.value)


def _lair(play: Play, order: c.GmSetLair) -> None:
    lair = play.g.lairs.get(order.cell)
    if lair is None:
        raise Refusal("gm_bad", text=f"На {order.cell} нет логова.")
    for unit_id in [u.id for u in play.g.units.values() if u.type == "dragon" and u.lair == order.cell]:
        play.remove_unit(unit_id)
    lair.state, lair.tamer = order.state, None


def _skip(play: Play, order: c.GmSkipTurn) -> bool:
    if play.g.phase != "turn" or play.g.active != order.player:
        raise Refusal("gm_bad", text="Сейчас не его ход.")
    return True


def _close(play: Play, order: c.GmCloseTurn) -> bool:
    return True


def _end(play: Play, order: c.GmEndGame) -> None:
    play.g.winner = _player(play, order.winner)
    play.g.phase = "over"
    play.emit("game_over", "R1", winner=play.g.winner)


def _service(play: Play, order: c.GmOrder) -> None:
    """The rules can't: it is about steps, deadlines and players' orders (R189)."""
    raise Refusal("gm_bad", text="Это делает служба, а не правила: с пульта или сообщением мастера.")


HANDLERS: dict[type[c.GmOrder], Callable[[Play, Any], Any]] = {
    c.GmAdmitVagabond: _admit,
    c.GmConsent: _consent,
    c.GmResolveDispute: _dispute,
    c.GmSetMoney: _money,
    c.GmPlaceUnit: _place_unit,
    c.GmMoveUnit: _move_unit,
    c.GmRemove: _remove,
    c.GmSetOwner: _set_owner,
    c.GmSetBuilding: _set_building,
    c.GmSetRule: _set_rule,
    c.GmSetLair: _lair,
    c.GmSkipTurn: _skip,
    c.GmCloseTurn: _close,
    c.GmEndGame: _end,
    c.GmReroll: _service,
    c.GmSetDeadline: _service,
    c.GmUndo: _service,
    c.GmReject: _service,
    c.GmEdit: _service,
}

__all__ = ["HANDLERS", "natural", "run"]
