"""The chronicle entry of a turn and the standings, from filtered events and a view only (R121, R186)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from parsers.types import Json
from rules.base import Event, RulesError, Step
from rules.grand_strategy import commands as c
from rules.grand_strategy.data import counted, plural, word
from rules.grand_strategy.describe import cards_text, describe
from rules.grand_strategy.mapview import grid_map
from rules.grand_strategy.names import building_type_name, object_name, player_name
from rules.grand_strategy.standings import own_blocks, standing_blocks
from rules.grand_strategy.state import State
from rules.grand_strategy.view import View
from rules.report import (
    Block,
    Bullets,
    Column,
    FigureBlock,
    Lines,
    Paragraph,
    Report,
    Rich,
    Rule,
    Section,
    Strong,
    Table,
    para,
    rich,
    row,
)

Data = Mapping[str, Json]


def report(view: View, events: Sequence[Event], step: Step) -> Report:
    """The report of a closed step or portion."""
    g = view.state
    years = [e for e in events if e.kind == "year"]
    battles = [e for e in events if e.kind == "battle"]
    announced = [e for e in events if e.kind == "battle_announced"]
    sections: list[Section] = []
    told = [line for e in events if (line := _line(g, e)) is not None]
    if told:
        sections.append(Section("Хроника", (Bullets(tuple(told)),), id="chronicle"))
    if announced and not battles:
        sections.append(Section("Битвы хода", tuple(_announcement(e) for e in announced), id="announced"))
    for event in battles:
        sections.append(_battle(g, event))
    private = [line for e in events if (line := _private(g, e, gm=view.gm)) is not None]
    if private:
        title = "Только для мастера" if view.gm else "Только для вас"
        sections.append(Section(title, (Bullets(tuple(private)),), id="private"))
    model = grid_map(view)
    sections.append(Section("Карта", (FigureBlock(model, f"{g.title}, год {g.tour}", alt=_map_words(g)),), id="map"))
    if view.faction is None:
        sections.append(Section("Положение", tuple(standing_blocks(view)), id="standings", details=True))
    elif view.faction in g.players and (private or view.faction in (g.active, *(wait.faction for wait in step.waits))):
        sections.append(Section("Ваши дела", tuple(own_blocks(view, view.faction)), id="own"))
    summary: list[Block] = []
    for event in years:
        tour, order = event.data["tour"], event.data["order"]
        seats = "; ".join(", ".join(player_name(g, p) for p in slot) for slot in order)
        summary.append(para(Strong(f"Начало года {tour}."), f" Очередь ходов: {seats}. ", Rule("R2")))
    for event in events:
        if event.kind in ("goal", "game_over"):
            summary.append(para(*_goal(g, event)))
    if battles:
        summary.append(Bullets(tuple(_in_short(e.data) for e in battles)))
    elif announced:
        summary.append(para(f"Объявлено битв: {len(announced)}. Ждём карточки."))
    if not summary:
        summary.append(para("Без битв." if told else "Ничего не произошло."))
    if g.phase == "turn" and g.active:
        summary.append(para("Следующий ход: ", Strong(player_name(g, g.active)), f" (год {g.tour})."))
    return Report(step.title, tuple(summary), tuple(sections), g.title)


def _goal(g: State, event: Event) -> Rich:
    if event.kind == "game_over":
        winner = event.data.get("winner")
        return rich(Strong("Игра окончена."), f" Победитель: {player_name(g, winner)}." if winner else " Победителя нет.")
    lands = counted(int(event.data["houses"]), "land")
    return rich(
        Strong(f"{player_name(g, event.data['player'])} достигает цели"), f": {lands} из {event.data['provinces']}. ", Rule("R1")
    )


# ------------------------------------------------------------------------------------------------ lines


def _who(g: State, key: Json) -> str:
    return player_name(g, key) if key else "Ничьи"


def _move(g: State, d: Data) -> str:
    stop = {"terrain": "смена местности", "river": "река", "sea_river": "устье", "shore": "берег"}.get(str(d.get("stopped")))
    cost = f", за переправу {counted(int(d['cost']), 'coin')}" if d.get("cost") else ""
    end = f" (стоп: {stop})" if stop else ""
    return f"{_who(g, d['owner'])}: {d['name']}, путь {'–'.join(d['path'])}{cost}{end}."


def _attack(g: State, d: Data) -> str:
    target = d.get("target_name") or object_name(g, str(d["target"]))
    how = "штурм" if d.get("assault") else "бой"
    return f"{_who(g, d['owner'])}: {how} — {d['name']} против: {target}."


def _work(g: State, d: Data) -> str:
    what = building_type_name(g, str(d["what"])) if d["what"] else object_name(g, str(d["cell"]))
    results = {
        "built": f"готово: {what} на {d['cell']}",
        "failed_roll": f"{d['cell']}: {what} — неудача",
        "interrupted": f"{d['cell']}: работа сорвана нападением, деньги пропали",
        "occupied": f"{d['cell']}: место занято, деньги пропали",
        "lost": f"{d['cell']}: строение потеряно, работа пропала",
        "removed": f"{d['cell']}: строение снято",
    }
    text = results.get(str(d["result"]), f"{d['cell']}: теперь {building_type_name(g, str(d['result']))}")
    die = f" (кубик {d['die']})" if d.get("die") else ""
    return f"{_who(g, d['player'])}: {text}{die}."


def _cast(g: State, d: Data) -> str:
    outcomes = {
        "none": "ничего не вышло",
        "0": "ничего не вышло",
        "mage_dead": "маг погиб",
        "dragon_dead": "дракон погиб",
        "tamed": "дракон приручён",
        "sunk": "потонули: " + (", ".join(d.get("names") or []) or "никто"),
        "sleep": "лишились действия: " + (", ".join(d.get("names") or []) or "никто"),
        "freed": "отпущено",
    }
    text = outcomes.get(str(d["outcome"]))
    if text is None and d["spell"] == "sleep_fog":
        text = "лишились действия: " + ", ".join(d.get("names") or [])
    elif text is None and d["spell"] == "earthquake":
        text = f"{d['target_name']}: " + (
            "разрушено" if d["after"] == "removed" else f"теперь {building_type_name(g, str(d['after']))}"
        )
    elif text is None and d["spell"] == "raise_zombies":
        placed = d["placed"]
        text = "поднято отрядов: " + str(len(placed)) + (" (" + ", ".join(p[1] for p in placed) + ")" if placed else "")
    elif text is None and d["spell"] == "find_vein":
        text = f"найдено: {word('level', str(d['found']))} ({d['cell']})"
    elif text is None and d["spell"] == "turn_to_dust":
        text = f"рассыпалось отрядов: {len(d['units'])}"
    target = f" — {player_name(g, d['player'])}" if d.get("player") else ""
    if d.get("target_name") and d["spell"] != "earthquake":
        target = f" — {d['target_name']}"
    die = f"кубик {d['die']}" + (f", с поправками {d['result']}" if d["die"] != d["result"] else "")
    return f"{_who(g, d['owner'])}: {d['name']}, «{d['spell_name']}»{target} ({die}): {text or 'удача'}."


def _hire(g: State, d: Data) -> str:
    extra = ", личное войско" if d["personal"] else ""
    return f"{_who(g, d['payer'])} нанимает {d['name']} в {d['building_name']} за {counted(int(d['cost']), 'coin')}{extra}."


def _joined(g: State, d: Data) -> str:
    return f"{_who(g, d['player'])} вступает в игру: {word('type', str(d['entry']))}, {d['cell']}."


def _smuta(g: State, d: Data) -> str:
    rolls = ", ".join(f"{r[0]} — {r[1]}" for r in d["rolls"])
    passed = ", ".join(d["passed"]) or "ничего"
    return f"Смута: {_who(g, d['commander'])} против {_who(g, d['ruler'])}. Кубики: {rolls or 'нет'}. Перешло: {passed}."


def _flight(g: State, d: Data) -> str:
    end = "и засыпает в своей горе" if d["home"] else "и гибнет в пути"
    return f"Дракон летит {'–'.join(d['path'])} {end}."


LINES: dict[str, Callable[[State, Data], str]] = {
    "move": _move,
    "embark": lambda g, d: f"{_who(g, d['owner'])}: {d['name']} — на воду ({d['cell']}).",
    "disembark": lambda g, d: f"{_who(g, d['owner'])}: {d['name']} — на берег ({d['cell']}).",
    "attack_declared": _attack,
    "dragon_wakes": lambda g, d: f"На {d['cell']} просыпается дракон и нападает: {d['name']}.",
    "dragon_appeared": lambda g, d: f"На {d['cell']} появляется приручённый дракон ({_who(g, d['owner'])}).",
    "neutral": lambda g, d: f"{d['name']}: отныне ничьё.",
    "siege": lambda g, d: f"{_who(g, d['owner'])}: {d['name']} — осада: {d['building_name']}.",
    "siege_lifted": lambda g, d: f"{_who(g, d['owner'])}: {d['name']} — осада {d['building']} снята.",
    "work_ordered": lambda g, d: (
        f"{_who(g, d['owner'])}: {d['name']} — "
        + {"build": "стройка", "upgrade": "повышение уровня", "deepen": "углубление", "downgrade": "понижение"}[str(d["kind"])]
        + (f", {building_type_name(g, str(d['what']))}" if d.get("what") else "")
        + f" ({d['cell']})"
        + (f", {counted(int(d['cost']), 'coin')}." if d["cost"] else ".")
    ),
    "work": _work,
    "hire": _hire,
    "mithril": lambda g, d: f"{_who(g, d['owner'])}: {d['name']} — мифрил за {counted(int(d['cost']), 'coin')}.",
    "annex": lambda g, d: f"{_who(g, d['owner'])} присоединяет {d['name']}.",
    "disbanded": lambda g, d: f"{_who(g, d['owner'])} распускает {d['name']}{' (нечем платить)' if d.get('forced') else ''}.",
    "abandoned": lambda g, d: f"{_who(g, d['owner'])} бросает {d['name']}: нечем содержать.",
    "cast": _cast,
    "money_sent": lambda g, d: (
        f"{_who(g, d['sender'])} → {_who(g, d['receiver'])}: {counted(int(d['amount']), 'coin')}, "
        f"налог {d['tax']}, дошло {d['received']}."
    ),
    "entry_allowed": lambda g, d: f"{_who(g, d['owner'])} пускает в {d['name']}: {', '.join(_who(g, p) for p in d['guests'])}.",
    "entry_denied": lambda g, d: f"{_who(g, d['owner'])} закрывает {d['name']}: {', '.join(_who(g, p) for p in d['guests'])}.",
    "spawn_allowed": lambda g, d: f"{_who(g, d['owner'])} разрешает появиться: {_who(g, d['guest'])}.",
    "spawn_denied": lambda g, d: f"{_who(g, d['owner'])} запрещает появляться: {_who(g, d['guest'])}.",
    "service": lambda g, d: f"{_who(g, d['vassal'])} поступает на службу: сюзерен {_who(g, d['suzerain'])}.",
    "service_left": lambda g, d: f"{_who(g, d['vassal'])} уходит со службы ({_who(g, d['suzerain'])}).",
    "vassal_dismissed": lambda g, d: f"{_who(g, d['suzerain'])} увольняет вассала: {_who(g, d['vassal'])}.",
    "turn_order": lambda g, d: "Очерёдность: " + ", ".join(_who(g, p) for p in d["order"]) + ".",
    "joined": _joined,
    "left": lambda g, d: f"{_who(g, d['player'])} выходит из игры; вернуться можно с года {d['back_from']}.",
    "smuta": _smuta,
    "smuta_right": lambda g, d: f"{_who(g, d['commander'])} вправе поднять смуту: {_who(g, d['ruler'])}.",
    "smuta_declined": lambda g, d: f"{_who(g, d['commander'])} отказывается от смуты.",
    "dragon_flight": _flight,
    "crumbled": lambda g, d: f"Зомби на {d['cell']} рассыпаются.",
    "vanished": lambda g, d: f"Ничьё войско исчезает: {d['name']}.",
    "battle_cancelled": lambda g, d: f"Битва №{d['number']} на {d['cell']} отменена: биться некому.",
    "missed": lambda g, d: f"{_who(g, d['player'])} пропускает ход (подряд: {d['times']}).",
    "passed": lambda g, d: f"{_who(g, d['player'])}: ни войск, ни строений — ход пропущен.",
    "standing_fired": lambda g, d: f"{_who(g, d['owner'])}: сработал условный приказ.",
    "stalemate": lambda g, d: "Ходить больше некому: игра окончена.",
}


def _line(g: State, event: Event) -> Rich | None:
    if event.kind == "gm":
        reason = f" ({event.data['reason']})" if event.data.get("reason") else ""
        try:
            text = describe(g, c.COMMANDS.parse(event.data["command"]))
        except (RulesError, ValueError):
            text = str(event.data["command"].get("type"))
        return rich(text[:1].upper() + text[1:] + reason + ". ", Rule(event.rule))
    line = LINES.get(event.kind)
    return rich(line(g, event.data) + " ", Rule(event.rule)) if line is not None else None


PRIVATE: dict[str, Callable[[State, Data], str]] = {
    "refused": lambda g, d: f"Не исполнено: {_order(g, d)}. {d['message']}",
    "standing_dropped": lambda g, d: f"Условный приказ №{d['id']} не исполнен. {d['message']}",
    "gm_refused": lambda g, d: f"Не исполнено: {_order(g, d)}. {d['message']}",
    "payout": lambda g, d: (
        f"{_who(g, d['player'])}: "
        + (f"изъято сверх казны {d['confiscated']}; " if d["confiscated"] else "")
        + f"доход {d['income']:+d}, в казне {counted(int(d['money']), 'coin')} (казна {d['treasury']})."
    ),
    "confiscated": lambda g, d: f"{_who(g, d['player'])}: изъято сверх казны {d['amount']}.",
    "waits": lambda g, d: (
        f"{_who(g, d['player'])}: «{_order(g, d)}» ждёт "
        + ("окна следующего года: ход сюзерена уже начался." if d["too_late"] else "окна между ходами.")
    ),
    "service_offer": lambda g, d: f"{_who(g, d['suzerain'])} предлагает службу: {_who(g, d['vassal'])}.",
    "service_declined": lambda g, d: f"{_who(g, d['vassal'])} отказывается служить.",
    "standing_order": lambda g, d: f"{_who(g, d['player'])}: принят условный приказ №{d['id']}.",
    "standing_cancelled": lambda g, d: f"{_who(g, d['player'])}: условные приказы отменены.",
    "cards_received": lambda g, d: f"{_who(g, d['player'])}: карточки приняты.",
    "default_cards": lambda g, d: f"{_who(g, d['player'])}: карты по умолчанию ({d['object']}): {cards_text(d['cards'])}.",
    "ask_leave": lambda g, d: str(d["message"]),
}


def _order(g: State, d: Data) -> str:
    try:
        return describe(g, c.COMMANDS.parse(d["command"]))
    except (RulesError, ValueError):
        return str(d["command"].get("type"))


def _private(g: State, event: Event, *, gm: bool) -> Rich | None:
    line = PRIVATE.get(event.kind)
    if line is None:
        return None
    whose = f"{_who(g, event.data['player'])}: " if gm and event.kind in ("refused", "standing_dropped") else ""
    return rich(whose + line(g, event.data) + " ", Rule(event.rule))


# ------------------------------------------------------------------------------------------------ battles


def _announcement(event: Event) -> Paragraph:
    d = event.data
    sides = " против ".join(
        ", ".join(f"{p['name']} ({counted(p['squads'], 'squad')})" for p in d[side]) for side in ("attackers", "defenders")
    )
    return para(Strong(f"Битва №{d['number']}, {d['cell']}: "), sides, ". Карточки не нужны." if d["no_cards"] else ".")


def _battle(g: State, event: Event) -> Section:
    d = event.data
    names = {p["participant"]: str(p["name"]) for side in ("attackers", "defenders") for p in d[side]}
    for key in list(names):
        if key.startswith("dragon:"):
            names[f"unit:dragon_{key[7:]}"] = names[key]
    blocks: list[Block] = []
    for side, title in (("attackers", "Нападают"), ("defenders", "Обороняются")):
        lines = []
        for p in d[side]:
            key = p["participant"]
            mine = [s for s in d["squads"][side] if _plain(s[0]) in (key, key.replace("dragon:", "unit:dragon_"))]
            cards = " ".join(word("card_letter", s[1]) + ("[+]" if s[2] else "") for s in mine)
            whose = f"{_who(g, p['owner'])}: " if p["owner"] else ""
            lines.append(rich(f"{whose}{p['name']} — ", Strong(cards or "без карточек")))
        blocks.append(para(Strong(title + ".")))
        blocks.append(Lines(tuple(lines)))
    if d["log"]:
        rows = tuple(
            row(
                str(r),
                str(col),
                f"{_squad(names, a)}: {word('card', ca)}",
                f"{_squad(names, b)}: {word('card', cb)}",
                _died(died, _squad(names, a), _squad(names, b)),
            )
            for r, col, a, ca, b, cb, died in d["log"]
        )
        columns = (Column("Ряд", True), Column("Столбец", True), Column("Нападающий"), Column("Обороняющийся"), Column("Гибнет"))
        blocks.append(Table(columns, rows))
    fallen = [names.get(key, key) for key in d["dead"]]
    result = word("win", str(d["result"])).capitalize() + "."
    blocks.append(para(Strong(result), f" Погибли: {', '.join(fallen)}. " if fallen else " ", Rule("R108")))
    for change in d["buildings"]:
        text = str(change["name"]) + ": " + ("разрушено" if change["after"] == "removed" else f"теперь {change['kind']}")
        if change["captured"]:
            text += f", хозяин {_who(g, change['owner'])}"
        blocks.append(para(text + ". ", Rule("R113")))
    if d["prize"]:
        blocks.append(
            para(
                f"Приз полководца: {_who(g, d['prize']['player'])} получает {counted(d['prize']['amount'], 'coin')}. ",
                Rule("R28"),
            )
        )
    return Section(f"Битва №{d['number']}: {d['cell']}", tuple(blocks), id=f"battle-{d['number']}-{d['cell']}")


def _plain(squad: str) -> str:
    return squad.rpartition("#")[0]


def _squad(names: Mapping[str, str], squad: str) -> str:
    key, _, number = squad.rpartition("#")
    return f"{names.get(key, key)} №{number}"


def _died(died: str, attacker: str, defender: str) -> str:
    return {"A": attacker, "D": defender}.get(died, "оба")


def _in_short(d: Data) -> Rich:
    """«№1, У11: дракон в горе У11 против: «Волчьи всадники». Победили нападавшие.»"""
    attackers, defenders = (", ".join(str(p["name"]) for p in d[side]) for side in ("attackers", "defenders"))
    result = word("win", str(d["result"])).capitalize()
    return rich(Strong(f"Битва №{d['number']}, {d['cell']}"), f": {attackers} против: {defenders}. {result}.")


def _map_words(g: State) -> str:
    lands: dict[str, int] = {}
    for player in g.players.values():
        if houses := len(g.houses_of(player.id)):
            lands[player.name] = houses
    parts: list[Any] = [f"{name} — {n} {plural(n, 'land')}" for name, n in lands.items()]
    return f"Карта {g.title}: " + (", ".join(parts) or "земли ничьи") + "."
