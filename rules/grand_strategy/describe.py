"""One order as a short Russian line, for «понял так» and the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.base import Command, RulesError
from rules.grand_strategy import commands as c
from rules.grand_strategy.data import counted, spells, word
from rules.grand_strategy.names import building_name, building_type_name, object_name, player_name, type_name, unit_name
from rules.grand_strategy.state import State


def cards_text(cards: Any) -> str:
    """«А О С»."""
    return " ".join(word("card_letter", card) for card in cards)


def _unit(g: State, name: str, form: int = 0) -> str:
    if name.startswith("<hired "):
        return f"{type_name(g, name[7:-1], form)} (нанятые сейчас)"
    if name == "<trigger unit>":
        return "это войско"
    return unit_name(g, name, form)


def _object(g: State, name: str, form: int = 0) -> str:
    return _unit(g, name, form) if name in g.units or name.startswith("<") else object_name(g, name, form)


def _who(g: State, player: str) -> str:
    return "все" if player == "all" else player_name(g, player)


def _send(g: State, o: c.SendMoney) -> str:
    return f"переслать {counted(o.amount, 'coin')}: {_who(g, o.to)}"


def _allow(g: State, o: c.AllowEntry) -> str:
    guests = f"{_unit(g, o.unit)} ({_who(g, o.player)})" if o.unit else _who(g, o.player)
    return f"разрешить вход в {building_name(g, o.building, 2)}: {guests}{'' if o.walls else ', без стен'}"


def _deny(g: State, o: c.DenyEntry) -> str:
    return f"запретить вход в {building_name(g, o.building, 2)}: {_who(g, o.player)}"


def _spawn(g: State, o: Any) -> str:
    where = f" на земле {o.province}" if o.province is not None else f" на {o.cell}" if o.cell else " на своих землях"
    return f"{'разрешить' if isinstance(o, c.AllowSpawn) else 'запретить'} появиться{where}: {_who(g, o.player)}"


def _move(g: State, o: c.Move) -> str:
    return f"{_unit(g, o.unit)}: идти {'–'.join(o.path)}{' со штурмом' if o.assault else ''}"


def _attack(g: State, o: c.Attack) -> str:
    extra = f", карты {cards_text(o.cards)}" if o.cards else ""
    allies = f", вместе: {', '.join(_who(g, p) for p in o.ally)}" if o.ally else ""
    wish = ("" if o.capture else ", не захватывать") + ("" if o.preserve else ", понизить")
    return f"{_unit(g, o.unit)}: объявить бой — {_object(g, o.target, 2)}{allies}{extra}{wish}"


def _build(g: State, o: c.Build) -> str:
    what = building_type_name(g, f"mine_{o.level}" if o.what == "mine" and o.level else o.what, 2)
    return f"{_unit(g, o.unit)}: построить {what}"


def _cast(g: State, o: c.Cast) -> str:
    spell = spells().get(o.spell)
    target = [_object(g, o.target)] if o.target else []
    target += [o.cell] if o.cell else []
    target += [_who(g, o.player)] if o.player else []
    target += [_unit(g, t) for t in o.targets or ()]
    target += [word("card", a) for a in o.actions or ()]
    return f"{_unit(g, o.mage)}: «{spell.name if spell else o.spell}»" + (" — " + ", ".join(target) if target else "")


def _hire(g: State, o: c.Hire) -> str:
    extra = f", школа {word('school', o.school)}" if o.school else ""
    extra += ", сразу на воду" if o.afloat else ""
    extra += ", личное войско" if o.personal_for else ""
    return f"нанять: {type_name(g, o.unit_type)} в {building_name(g, o.building)}{extra}"


def _battle_cards(g: State, o: c.BattleCards) -> str:
    number = f"битва №{o.battle}" if o.battle is not None else "битва"
    if isinstance(o.cards, dict):
        cards = "; ".join(f"{_card_name(g, key)}: {cards_text(value)}" for key, value in o.cards.items())
    else:
        cards = cards_text(o.cards)
    return f"{number}: {cards}" + {"reverse": ", перестановка наоборот", "keep": "", None: ""}[o.regroup]


def _card_name(g: State, key: str) -> str:
    return f"гарнизон {key}" if key in g.board else _unit(g, key)


def _victory(g: State, o: c.VictoryChoice) -> str:
    parts = []
    if o.capture is not None:
        parts.append("захватить" if o.capture else "не захватывать")
    if o.preserve is not None:
        parts.append("уровень сохранить" if o.preserve else "понизить")
    return f"при победе{f' в битве №{o.battle}' if o.battle else ''}: {', '.join(parts)}"


def _default(g: State, o: c.DefaultCards) -> str:
    name = "все" if o.key == "all" else _card_name(g, o.key)
    return f"карты по умолчанию — {name}: {cards_text(o.cards)}"


def _standing(g: State, o: c.StandingOrder) -> str:
    when = word("trigger", o.trigger).format(
        cell=o.filter.get("cell", ""), target=object_name(g, str(o.filter.get("target", o.filter.get("mine", ""))))
    )
    who = f" ({_who(g, str(o.filter['player']))})" if o.filter.get("player") else ""
    near = f" к {_object(g, str(o.filter['mine']), 2)}" if o.filter.get("mine") and o.trigger == "unit_adjacent" else ""
    try:
        action = describe(g, c.COMMANDS.parse(o.action))
    except (RulesError, ValueError):
        action = str(o.action.get("type", "?"))
    return f"условно: {when}{near}{who} — {action}{'' if o.once else ' (каждый раз)'}"


def _join(g: State, o: c.JoinGame) -> str:
    where = f", земля {o.province}" if o.province is not None else ""
    where += f", клетка {o.cell}" if o.cell else ""
    kind = f", личное войско: {type_name(g, o.personal_type)}" if o.personal_type else ""
    return f"вступить в игру: {word('type', o.entry)}{where}{kind}"


def _smuta(g: State, o: c.Smuta) -> str:
    if o.decline:
        return f"отказаться от смуты: {_who(g, o.ruler)}"
    return f"поднять смуту: {_who(g, o.ruler)} ({'одним броском' if o.mode == 'all' else 'по каждому'})"


LINES: dict[type[Command], Callable[[State, Any], str]] = {
    c.SendMoney: _send,
    c.AllowEntry: _allow,
    c.DenyEntry: _deny,
    c.AllowSpawn: _spawn,
    c.DenySpawn: _spawn,
    c.OfferService: lambda g, o: f"предложить службу: {_who(g, o.player)}",
    c.AcceptService: lambda g, o: f"согласие служить: {_who(g, o.player)}",
    c.DeclineService: lambda g, o: f"отказ служить: {_who(g, o.player)}",
    c.LeaveService: lambda g, o: "уйти со службы",
    c.DismissVassal: lambda g, o: f"уволить вассала: {_who(g, o.player)}",
    c.SetTurnOrder: lambda g, o: "очерёдность: " + ", ".join(_who(g, p) for p in o.order),
    c.JoinGame: _join,
    c.LeaveGame: lambda g, o: "выйти из игры",
    c.Smuta: _smuta,
    c.Consent: lambda g, o: (
        f"{'согласие' if o.agree else 'отказ'}: {'присоединение' if o.topic == 'annex' else 'смута одним броском'}"
        f"{' ' + _unit(g, o.unit, 1) if o.unit else ''} — {_who(g, o.player)}"
    ),
    c.Move: _move,
    c.Embark: lambda g, o: f"{_unit(g, o.unit)}: на воду",
    c.Disembark: lambda g, o: f"{_unit(g, o.unit)}: на берег",
    c.Attack: _attack,
    c.JoinConsent: lambda g, o: f"{'вместе' if o.agree else 'отдельно'} в бою: {_who(g, o.player)}",
    c.JointDefense: lambda g, o: (
        f"{_object(g, o.object)}: оборона {'общая' if o.allowed else 'порознь'}{' с: ' + _who(g, o.with_) if o.with_ else ''}"
    ),
    c.Siege: lambda g, o: f"{_unit(g, o.unit)}: осадить {building_name(g, o.building, 2)}",
    c.LiftSiege: lambda g, o: f"{_unit(g, o.unit)}: снять осаду{' с ' + building_name(g, o.building, 1) if o.building else ''}",
    c.Build: _build,
    c.ForgeMithril: lambda g, o: f"{_unit(g, o.unit)}: мифриловые доспехи или амулет",
    c.Annex: lambda g, o: f"{_unit(g, o.unit)}: присоединить {_unit(g, o.target, 2)}",
    c.Disband: lambda g, o: f"распустить {_unit(g, o.unit, 2)}",
    c.Cast: _cast,
    c.Upgrade: lambda g, o: f"повысить {building_name(g, o.building, 2)}",
    c.Deepen: lambda g, o: f"углубить рудник {o.building}: {word('level', o.level)}",
    c.Downgrade: lambda g, o: f"понизить {building_name(g, o.building, 2)}",
    c.Hire: _hire,
    c.GarrisonAttack: lambda g, o: f"гарнизон {o.building}: бить {_unit(g, o.target, 2)}",
    c.BattleCards: _battle_cards,
    c.BattleOrder: lambda g, o: "порядок в строю: " + ", ".join(_card_name(g, k) for k in o.order),
    c.VictoryChoice: _victory,
    c.DefaultCards: _default,
    c.StandingOrder: _standing,
    c.CancelOrder: lambda g, o: f"отменить условный приказ №{o.id}" if o.id is not None else "отменить все условные приказы",
    c.DisbandPriority: lambda g, o: "при нехватке денег распускать: " + ", ".join(_object(g, u, 2) for u in o.units),
    c.PlayNow: lambda g, o: "исполнить сейчас",
    c.EndTurn: lambda g, o: "конец хода",
    c.Pass: lambda g, o: "пас",
}


def describe(g: State, command: Command) -> str:
    """The line; GM commands by their title and fields."""
    line = LINES.get(type(command))
    if line is None:
        data = command.model_dump(mode="json", exclude_none=True, exclude={"type", "reason", "condition", "text"})
        return command.title + (": " + ", ".join(f"{k} {v}" for k, v in data.items()) if data else "")
    text = line(g, command)
    condition = getattr(command, "condition", None)
    if condition is not None:
        text = f"если приказ №{condition.ref} {'удался' if condition.outcome == 'success' else 'не удался'}: {text}"
    return text
