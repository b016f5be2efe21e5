"""Battles at the end of a turn: sides, cards, casualties, buildings, prize, the right to a смута (R28, R33, R100–R122)."""

from __future__ import annotations

from typing import Any

from rules.grand_strategy.combat import Fight, fight
from rules.grand_strategy.names import building_name, building_type_name, participant_name, unit_name
from rules.grand_strategy.play import Play
from rules.grand_strategy.state import Battle, Declared, Fallen, Fought, SmutaRight, State, Unit
from rules.grand_strategy.strength import (
    Squad,
    advantage,
    card_key,
    exists,
    given_cards,
    needs_no_cards,
    owner_of,
    participant,
    squads_of,
)

RANDOM_CARDS = ("attack", "attack", "defend", "defend", "shoot", "shoot")
"""What a d6 of 1…6 gives (R120)."""


# ------------------------------------------------------------------------------------------------ forming


def form(play: Play) -> None:
    """Groups the declared attacks into numbered battles (R103, R104) and announces them."""
    g = play.g
    groups: list[tuple[tuple[object, ...], Battle]] = []
    for attack in g.attacks:
        key, owner = _attacker_key(attack), _owner_now(g, attack)
        if not exists(g, key):
            continue
        target = f"{attack.target_kind}:{attack.target}"
        if not exists(g, target):
            continue
        defenders = _defenders(g, attack)
        alone = attack.kind != "unit" or owner is None
        same = (owner, frozenset(defenders), key if alone else "")
        battle = next((b for k, b in groups if k == same), None)
        if battle is None:
            cell = g.units[attack.target].cell if attack.target_kind == "unit" else attack.target
            battle = Battle(len(groups) + 1, [], defenders, target, cell)
            groups.append((same, battle))
        if key in battle.attackers:
            continue
        battle.attackers.append(key)
        battle.capture[key], battle.preserve[key] = attack.capture, attack.preserve
        battle.ally[key] = list(attack.ally)
        if attack.cards is not None:
            battle.cards[key] = list(attack.cards)
    g.battles = [battle for _, battle in groups]
    for battle in g.battles:
        play.emit(
            "battle_announced", "R186", number=battle.number, cell=battle.cell,
            attackers=[_card(play, battle, k) for k in battle.attackers],
            defenders=[_card(play, battle, k) for k in battle.defenders],
            no_cards=needs_no_cards(g, battle),
        )  # fmt: skip


def _card(play: Play, battle: Battle, key: str) -> dict[str, object]:
    g = play.g
    return {"participant": key, "owner": owner_of(g, key), "name": participant_name(g, key), "squads": squads_of(g, battle, key)}


def _attacker_key(attack: Declared) -> str:
    return {"unit": "unit", "garrison": "garrison", "lair": "dragon"}[attack.kind] + ":" + attack.attacker


def _owner_now(g: State, attack: Declared) -> str | None:
    return owner_of(g, _attacker_key(attack))


def _defenders(g: State, attack: Declared) -> list[str]:
    """The target first, then its cell-mates who defend with it (R104, R118)."""
    target = f"{attack.target_kind}:{attack.target}"
    out = [target]
    cell = g.units[attack.target].cell if attack.target_kind == "unit" else attack.target
    against = {_attacker_key(a) for a in g.attacks if _meets(g, a, cell)}
    mates = [f"unit:{u.id}" for u in sorted(g.units_at(cell), key=lambda u: u.id)]
    building = g.buildings.get(cell)
    if building is not None and not g.btype(building).mine:
        mates.append(f"building:{cell}")
    for mate in mates:
        if mate in out or mate in against or f"garrison:{participant(mate)[1]}" in against:
            continue
        if attack.kind == "lair" or not _together(g, target, mate):
            continue
        out.append(mate)
    return out


def _meets(g: State, attack: Declared, cell: str) -> bool:
    """The attack is against something on this cell."""
    if attack.target_kind == "building":
        return attack.target == cell
    return attack.target in g.units and g.units[attack.target].cell == cell


def _together(g: State, one: str, other: str) -> bool:
    """Whether the two on one cell defend together: same owner, or a permitted guest, and nobody refuses (R104, R32)."""
    first, second = owner_of(g, one), owner_of(g, other)
    for mine, his, whose in ((one, second, first), (other, first, second)):
        if whose in g.players:
            wishes = g.players[whose].joint_defense
            name = card_key(mine)
            if not wishes.get(f"{name}|{his}", wishes.get(name, True)):
                return False
    if first == second:
        return True
    cell = participant(one)[1] if one.startswith("building") else g.units[participant(one)[1]].cell
    building = g.buildings.get(cell)
    if building is None or f"building:{cell}" not in (one, other):
        return False
    guest = participant(other if one.startswith("building") else one)[1]
    permit = building.permits.get(g.units[guest].owner or "")
    return permit is not None and (permit.units is None or guest in permit.units)


def merge(g: State) -> None:
    """Battles of different owners against the same defenders become one where both agreed (R103, R187)."""
    merged: list[Battle] = []
    for battle in g.battles:
        mate = next((b for b in merged if _agreed(g, b, battle)), None)
        if mate is None:
            merged.append(battle)
            continue
        mate.attackers += [a for a in battle.attackers if a not in mate.attackers]
        mate.capture |= battle.capture
        mate.preserve |= battle.preserve
        mate.ally |= battle.ally
        mate.cards |= battle.cards
        mate.merged.append(battle.number)
    g.battles = merged


def _agreed(g: State, one: Battle, other: Battle) -> bool:
    if set(one.defenders) != set(other.defenders):
        return False
    if not all(key.startswith("unit:") for key in [*one.attackers, *other.attackers]):
        return False
    pairs = {(owner_of(g, a), owner_of(g, b)) for a in one.attackers for b in other.attackers}
    return all(_agrees(g, a, b, one, other) and _agrees(g, b, a, one, other) for a, b in pairs)


def _agrees(g: State, who: str | None, with_: str | None, one: Battle, other: Battle) -> bool:
    if who is None or with_ is None or who not in g.players:
        return False
    for battle in (one, other):
        for number in [battle.number, *battle.merged]:
            if (word := g.players[who].join.get(f"{with_}|{number}")) is not None:
                return word
    if (word := g.players[who].join.get(with_)) is not None:
        return word
    return any(with_ in b.ally.get(a, ()) for b in (one, other) for a in b.attackers if owner_of(g, a) == who)


# ------------------------------------------------------------------------------------------------ fighting


def fight_all(play: Play) -> None:
    """All battles of the turn in order of declaration (R100)."""
    merge(play.g)
    for battle in play.g.battles:
        run(play, battle)


def run(play: Play, battle: Battle) -> str | None:
    """One battle; `att`, `def`, `draw`, or None when it is cancelled."""
    g = play.g
    attackers = [k for k in battle.attackers if exists(g, k)]
    owners = {owner_of(g, k) for k in attackers} - {None}
    defenders = [k for k in battle.defenders if exists(g, k) and not (owner_of(g, k) in owners and owners)]
    if not attackers or not defenders:
        play.emit("battle_cancelled", "R100", number=battle.number, cell=battle.cell, attackers=list(battle.attackers),
                  defenders=list(battle.defenders))  # fmt: skip
        return None
    attackers, defenders = _line(g, battle, attackers), _line(g, battle, defenders)
    rulers = {k: g.is_ruler(owner_of(g, k)) for k in [*attackers, *defenders]}
    commanders = {k: g.is_commander(owner_of(g, k)) for k in [*attackers, *defenders]}
    owner = {k: owner_of(g, k) for k in [*attackers, *defenders]}
    names = {k: participant_name(g, k) for k in [*attackers, *defenders]}
    units = {k: g.units[participant(k)[1]] for k in [*attackers, *defenders] if k.startswith("unit:")}
    magic = {k: k.startswith("dragon:") or (k in units and g.utype(units[k]).magic) for k in owner}
    result, placed = _fight(play, battle, attackers, defenders)
    winner = result.winner
    alive = {_key(squad) for squad in (*result.attackers, *result.defenders)}
    if needs_no_cards(g, battle):
        alive |= set(attackers if winner == "att" else defenders)
    dead_units = [k for k in units if k not in alive]
    values = {k: unit_value(g, units[k]) for k in dead_units}
    for key in dead_units:
        play.remove_unit(participant(key)[1])
    for key in attackers:
        if key.startswith("dragon:") and key not in alive:
            g.lairs[participant(key)[1]].state = "dead"
            values[key] = g.unit_types["dragon"].cost
    sides = {"att": (battle.attackers, attackers, defenders), "def": (battle.defenders, defenders, attackers)}
    changes = _buildings(play, battle, winner, sides, alive, owner, magic)
    prize = None
    if winner in sides:
        entry, ours, theirs = sides[winner]
        entry = [k for k in entry if k in ours]
        prize = _prize(play, battle, entry, theirs, alive, owner, commanders, values, changes)
    data: dict[str, Any] = {
        "number": battle.number, "cell": battle.cell, "result": winner,
        "attackers": [_side(k, owner, names, result) for k in attackers],
        "defenders": [_side(k, owner, names, result) for k in defenders],
        "squads": {"attackers": [[s.name, s.card, s.advantage] for s in placed[0]],
                   "defenders": [[s.name, s.card, s.advantage] for s in placed[1]]},
        "log": [
            [d.round, d.column, d.attacker.name, d.attacker.card, d.defender.name, d.defender.card, d.died] for d in result.duels
        ],
        "survivors": {"attackers": [s.name for s in result.attackers], "defenders": [s.name for s in result.defenders]},
        "dead": dead_units + [k for k in owner if k.startswith(("building", "garrison", "dragon")) and k not in alive],
        "buildings": changes, "prize": prize,
    }  # fmt: skip
    play.emit("battle", "R108", **data)
    stood = [(units[k].cell, owner[k]) for k in attackers if k in units]
    fallen = [Fallen(units[k].cell, units[k].type, owner[k]) for k in dead_units]
    g.clashes.append(Fought(battle.cell, battle.number, winner, stood, fallen))
    if winner in sides:
        entry, ours, theirs = sides[winner]
        _smuta(play, [k for k in entry if k in ours], theirs, alive, owner, commanders, units, dead_units, rulers)
    fighters = {participant(k)[1] for k in units}
    g.effects = [e for e in g.effects if not (e.first_battle and e.unit in fighters)]
    return winner


def _key(squad: Squad) -> str:
    """The participant of a squad; a sleeping dragon's squads are called as the awake one's."""
    return squad.participant or squad.name.rpartition("#")[0]


def _side(key: str, owner: dict[str, str | None], names: dict[str, str], result: Fight) -> dict[str, object]:
    left = sum(_key(s) == key for s in (*result.attackers, *result.defenders))
    return {"participant": key, "owner": owner[key], "name": names[key], "left": left}


def _line(g: State, battle: Battle, side: list[str]) -> list[str]:
    """The line order of a side: as its players arranged, else by entry (R118)."""
    owners = {owner_of(g, k) for k in side} - {None}
    for who in sorted(o for o in owners if o):
        wishes = g.players[who].line if who in g.players else {}
        order = wishes.get(str(battle.number), wishes.get(""))
        if order is None:
            continue
        mine = [k for k in side if owner_of(g, k) == who]
        wanted = [k for name in order for k in mine if card_key(k) == name]
        wanted += [k for k in mine if k not in wanted]
        queue = iter(wanted)
        side = [next(queue) if k in mine else k for k in side]
    return side


def _fight(
    play: Play, battle: Battle, attackers: list[str], defenders: list[str]
) -> tuple[Fight, tuple[list[Squad], list[Squad]]]:
    g = play.g
    counts = {k: squads_of(g, battle, k) for k in [*attackers, *defenders]}
    no_cards = not sum(counts[k] for k in attackers) or not sum(counts[k] for k in defenders)
    sides: list[list[Squad]] = []
    for line in (attackers, defenders):
        squads: list[Squad] = []
        for key in line:
            cards = ["defend"] * counts[key] if no_cards else _cards(play, battle, key, counts[key])
            kind, name = participant(key)
            unit = g.units.get(name) if kind == "unit" else None
            dragon = kind == "dragon" or (unit is not None and unit.type == "dragon")
            even = unit is not None and g.utype(unit).even_with_dragon
            label = f"unit:dragon_{name}" if kind == "dragon" else key
            for i, card in enumerate(cards, start=1):
                squads.append(Squad(f"{label}#{i}", card, advantage(g, battle, key, card), dragon, even, key))
        sides.append(squads)
    if no_cards:
        # A garrison of nobody always loses (R78); two empty sides: the attacker's garrison does.
        left, right = (sides[0], []) if sides[0] else ([], sides[1])
        return Fight((), tuple(left), tuple(right)), ([], [])
    regroup = (_regroup(g, battle, attackers), _regroup(g, battle, defenders))
    return fight(sides[0], sides[1], regroup=regroup), (sides[0], sides[1])


def _regroup(g: State, battle: Battle, line: list[str]) -> str:
    who = owner_of(g, line[0])
    if who not in g.players:
        return "keep"
    wishes = g.players[who].regroup
    return wishes.get(str(battle.number), wishes.get("", "keep"))


def _cards(play: Play, battle: Battle, key: str, count: int) -> list[str]:
    """The cards of a participant: sent, else default, else by the die (R119, R120)."""
    g = play.g
    owner = owner_of(g, key)
    sent = given_cards(g, battle, key)[:count]
    default: list[str] = []
    if owner in g.players:
        known = g.players[owner].default_cards
        default = list(known.get(card_key(key), []))
        if not default and "all" in known:
            default = [*known["all"], *([known["all"][-1]] * count)] if known["all"] else []
    out = []
    for i in range(count):
        if i < len(sent):
            out.append(sent[i])
        elif i < len(default):
            out.append(default[i])
        elif g.settings.missing_cards == "random" or owner is None:
            out.append(RANDOM_CARDS[play.roll(f"карты, битва {battle.number}, {key}") - 1])
        else:
            out.append(g.settings.missing_cards)
    return out


def unit_value(g: State, unit: Unit) -> int:
    """What a troop counts for a prize (R29)."""
    if unit.personal:
        return g.settings.personal_value_mithril if unit.mithril else g.settings.personal_value
    return g.utype(unit).cost


def _buildings(
    play: Play,
    battle: Battle,
    winner: str,
    sides: dict[str, tuple[list[str], list[str], list[str]]],
    alive: set[str],
    owner: dict[str, str | None],
    magic: dict[str, bool],
) -> list[dict[str, object]]:
    """Garrisons that died: levels lost, owners changed (R113–R116)."""
    g = play.g
    out: list[dict[str, object]] = []
    for key in [k for k in owner if k.startswith(("building:", "garrison:"))]:
        cell = participant(key)[1]
        building = g.buildings[cell]
        side = "att" if key in battle.attackers else "def"
        counts = squads_of(g, battle, key)
        if (counts > 0 and key in alive) or (counts == 0 and winner == side):
            continue
        before, name, old_owner = building.type, building_name(g, building), building.owner
        lost_value = g.btype(building).cost
        victors: list[str] = []
        if winner in sides and winner != side:
            victors = [k for k in sides[winner][0] if k in sides[winner][1]]
        real = [k for k in victors if owner[k] is not None and not magic[k]]
        taker = _earliest(g, [k for k in victors if k in alive and owner[k] is not None], owner, cell) if real else None
        capture, preserve = _wishes(g, battle, victors, alive, owner, taker)
        inside = any(
            k in alive
            and owner[k] is not None
            and not magic[k]
            and k.startswith("unit:")
            and g.units[participant(k)[1]].cell == cell
            for k in victors
        )
        after: str | None = before
        if not (preserve and inside and real):
            after = play.lower(building)
        if after is not None and taker is not None and capture:
            play.set_building_owner(building, taker)
        out.append(
            {
                "cell": cell, "before": before, "after": after or "removed", "owner_before": old_owner,
                "owner": g.buildings[cell].owner if after is not None else None, "name": name, "value": lost_value,
                "lowered": after != before, "captured": after is not None and taker is not None and capture, "side": side,
                "kind": building_type_name(g, after) if after else "",
            }
        )  # fmt: skip
    return out


def _earliest(g: State, keys: list[str], owner: dict[str, str | None], thing: str) -> str | None:
    """The owner of the surviving participant that entered the battle first (R117), unless the GM ruled otherwise."""
    if not keys:
        return None
    ruled = g.dispute.get(thing)
    return ruled if ruled in {owner[k] for k in keys} else owner[keys[0]]


def _wishes(
    g: State, battle: Battle, victors: list[str], alive: set[str], owner: dict[str, str | None], taker: str | None
) -> tuple[bool, bool]:
    """The victor's choice: take it, keep its level (R114, R115)."""
    who = taker or next((owner[k] for k in victors if k in alive and owner[k] is not None), None)
    capture = preserve = True
    for key in victors:
        if owner[key] == who and key in battle.capture:
            capture, preserve = battle.capture[key], battle.preserve[key]
            break
    if who in g.players:
        for number in ["", *(str(n) for n in battle.merged), str(battle.number)]:
            choice = g.players[who].victory.get(number, {})
            capture, preserve = choice.get("capture", capture), choice.get("preserve", preserve)
    return capture, preserve


def _prize(
    play: Play,
    battle: Battle,
    entry: list[str],
    losers: list[str],
    alive: set[str],
    owner: dict[str, str | None],
    commanders: dict[str, bool],
    values: dict[str, int],
    changes: list[dict[str, object]],
) -> dict[str, object] | None:
    """One fifth of what was beaten to the commander among the victors (R28)."""
    g = play.g
    worthy = [k for k in entry if k in alive and commanders[k]]
    who = _earliest(g, worthy, owner, f"prize:{battle.number}")
    if who is None:
        return None
    total = sum(value for key, value in values.items() if key in losers)
    for change in changes:
        lost = f"building:{change['cell']}" in losers or f"garrison:{change['cell']}" in losers
        if lost and change["after"] == "removed":
            total += int(str(change["value"]))
        elif lost and change["lowered"] and g.settings.prize_counts_levels:
            total += int(str(change["value"])) - g.building_types[str(change["after"])].cost
    amount = total // g.settings.prize_divisor
    if amount:
        g.players[who].money += amount
    return {"player": who, "amount": amount} if amount else None


def _smuta(
    play: Play,
    entry: list[str],
    losers: list[str],
    alive: set[str],
    owner: dict[str, str | None],
    commanders: dict[str, bool],
    units: dict[str, Unit],
    dead: list[str],
    rulers: dict[str, bool],
) -> None:
    """Notes the right of a free commander to the state of a ruler whose личное войско was beaten (R33)."""
    g = play.g
    free = [k for k in entry if k in alive and commanders[k] and g.players[str(owner[k])].suzerain is None]
    if not free:
        return
    for key in losers:
        who = owner[key]
        if key in dead and who is not None and units[key].personal and rulers[key]:
            commander = _earliest(g, free, owner, f"smuta:{who}")
            if commander is not None and not any(r.commander == commander and r.ruler == who for r in g.smuta):
                g.smuta.append(SmutaRight(commander, who))
                play.emit("smuta_right", "R33", commander=commander, ruler=who)


__all__ = ["fight_all", "form", "merge", "run", "unit_name", "unit_value"]
