"""What players do: money, permissions, consents, service, notes for battles, standing orders.

R31, R32, R37, R118–R120, R184, R187, R194."""

from __future__ import annotations

from math import ceil

from rules.grand_strategy.commands import (
    AcceptService,
    AllowEntry,
    AllowSpawn,
    BattleCards,
    BattleOrder,
    CancelOrder,
    Consent,
    DeclineService,
    DefaultCards,
    DenyEntry,
    DenySpawn,
    DisbandPriority,
    JoinConsent,
    JointDefense,
    OfferService,
    SendMoney,
    StandingOrder,
    VictoryChoice,
)
from rules.grand_strategy.data import counted, plural
from rules.grand_strategy.magic import transfer_tax
from rules.grand_strategy.names import building_name, participant_name, player_name, unit_name
from rules.grand_strategy.play import Play, Refusal
from rules.grand_strategy.standing import parse_action
from rules.grand_strategy.state import Battle, Building, Permit, StandingRule, Unit
from rules.grand_strategy.strength import card_key, owner_of, squads_of, strength


def send_money(play: Play, player: str, order: SendMoney) -> None:
    """Transfers coins less the tax, rounded up (R31)."""
    g = play.g
    if order.amount <= 0:
        raise Refusal("bad_amount")
    if order.to == player:
        raise Refusal("bad_recipient", list=", ".join(p.name for p in g.players.values() if p.status == "in" and p.id != player))
    to = play.player(order.to)
    play.pay(player, order.amount)
    tax = ceil(order.amount * transfer_tax(g, player))
    g.players[to].money += order.amount - tax
    play.emit("money_sent", "R31", sender=player, receiver=to, amount=order.amount, tax=tax, received=order.amount - tax)
    play.happened("money_received", sender=player, receiver=to)


# ------------------------------------------------------------------------------------------------ permissions


def allow_entry(play: Play, player: str, order: AllowEntry) -> None:
    """Lets troops in (R32)."""
    g = play.g
    building = play.building(player, order.building)
    if order.player == player:
        raise Refusal("own_player")
    unit = None
    if order.unit is not None:
        unit = play.unit(player, order.unit, own=False)
        if g.utype(unit).magic:
            raise Refusal("magic_not_in_building")
    guests = [p for p in g.players if p != player] if order.player == "all" else [play.player(order.player)]
    for guest in guests:
        old = building.permits.get(guest)
        if unit is None:
            building.permits[guest] = Permit(None, order.walls)
        elif old is None or old.units is not None:
            units = [*(old.units or [] if old else []), unit.id]
            building.permits[guest] = Permit(list(dict.fromkeys(units)), order.walls)
        else:
            old.walls = order.walls
    for inside in g.units_at(building.cell):
        if inside.owner in guests and (unit is None or inside.id == unit.id):
            inside.intruder = False
    play.emit("entry_allowed", "R32", building=building.cell, owner=player, guests=guests, unit=unit.id if unit else None,
              walls=order.walls, name=building_name(g, building))  # fmt: skip


def deny_entry(play: Play, player: str, order: DenyEntry) -> None:
    """Takes the permission back; evicts nobody (R32)."""
    g = play.g
    building = play.building(player, order.building)
    if order.player == player:
        raise Refusal("own_player")
    guests = list(building.permits) if order.player == "all" else [play.player(order.player)]
    for guest in guests:
        permit = building.permits.get(guest)
        if permit is None:
            continue
        if order.unit is not None and permit.units is not None:
            permit.units = [u for u in permit.units if u != play.unit_id(order.unit)]
            if permit.units:
                continue
        del building.permits[guest]
    play.emit("entry_denied", "R32", building=building.cell, owner=player, guests=guests, name=building_name(g, building))


def allow_spawn(play: Play, player: str, order: AllowSpawn | DenySpawn) -> None:
    """Lets a new commander appear on one's land, or forbids it (R12)."""
    g = play.g
    allowed = isinstance(order, AllowSpawn)
    if order.player == player:
        raise Refusal("own_player")
    if order.cell is not None:
        play.cell(order.cell)
    province = order.province
    if province is not None:
        house = g.house_in(province)
        if house is None or house.owner != player:
            raise Refusal("not_owner", object=f"Земля {province}")
    elif order.cell is not None:
        number = g.board.province[order.cell]
        house = g.house_in(number)
        if house is None or house.owner != player:
            raise Refusal("not_owner", object=f"Земля клетки {order.cell}")
    guest = order.player
    spawn = g.players[player].spawn
    if province is None and order.cell is None:
        for key in [k for k in spawn if k.split("|")[0] == guest or guest == "all"]:
            del spawn[key]
    spawn[f"{guest}|{province if province is not None else ''}|{order.cell or ''}"] = allowed
    play.emit(
        "spawn_allowed" if allowed else "spawn_denied", "R12", owner=player, guest=guest, province=province, cell=order.cell
    )


def may_spawn(play: Play, ruler: str, guest: str, province: int, cell: str) -> bool:
    """The ruler's word on this place: the narrowest counts; silence is refusal (R12)."""
    spawn = play.g.players[ruler].spawn
    for who in (guest, "all"):
        for key in (f"{who}|{province}|{cell}", f"{who}||{cell}", f"{who}|{province}|", f"{who}||"):
            if key in spawn:
                return spawn[key]
    return False


def consent(play: Play, player: str, order: Consent) -> None:
    """Agrees to an annexation or to a смута by one die (R187)."""
    g = play.g
    if order.topic == "annex" and order.unit is not None:
        unit = play.unit(player, order.unit)
        key = f"annex|{order.player}|{unit.id}"
    else:
        key = f"{order.topic}|{order.player}|" if order.topic == "annex" else f"smuta_all|{order.player}"
    g.players[player].consents[key] = order.agree
    play.private(player, "consent", "R187", topic=order.topic, to=order.player, unit=order.unit, agree=order.agree)


# ------------------------------------------------------------------------------------------------ service


def offer_service(play: Play, player: str, order: OfferService) -> None:
    """Offers a place as vassal; stands until his next turn (R37, R194)."""
    g = play.g
    play.own_turn(player)
    candidate = play.player(order.player)
    if candidate == player:
        raise Refusal("bad_recipient", list=", ".join(p.name for p in g.players.values() if p.status == "in" and p.id != player))
    if g.players[player].suzerain is not None:
        raise Refusal("vassal_cannot")
    if g.players[candidate].suzerain is not None:
        raise Refusal("already_vassal", player=player_name(g, candidate))
    if g.vassals_of(candidate):
        raise Refusal("has_vassals", player=player_name(g, candidate))
    me = g.players[player]
    if candidate not in me.offers:
        me.offers.append(candidate)
    play.private(player, "service_offered", "R194", suzerain=player, vassal=candidate)
    play.private(candidate, "service_offer", "R194", suzerain=player, vassal=candidate)
    if g.players[candidate].answers.get(player):
        _into_service(play, player, candidate)


def accept_service(play: Play, player: str, order: AcceptService | DeclineService) -> None:
    """Answers an offer, perhaps in advance (R194)."""
    g = play.g
    suzerain = play.player(order.player)
    agreed = isinstance(order, AcceptService)
    if suzerain == player:
        raise Refusal("bad_recipient", list=", ".join(p.name for p in g.players.values() if p.status == "in" and p.id != player))
    if agreed and g.players[player].suzerain is not None:
        raise Refusal("already_vassal", player=player_name(g, player))
    if agreed and g.vassals_of(player):
        raise Refusal("has_vassals", player=player_name(g, player))
    g.players[player].answers[suzerain] = agreed
    play.private(player, "service_answer", "R194", suzerain=suzerain, vassal=player, agree=agreed)
    if not agreed:
        if player in g.players[suzerain].offers:
            g.players[suzerain].offers.remove(player)
            play.private(suzerain, "service_declined", "R194", suzerain=suzerain, vassal=player)
        return
    if player in g.players[suzerain].offers:
        _into_service(play, suzerain, player)


def _into_service(play: Play, suzerain: str, vassal: str) -> None:
    """Service begins: the vassal's troops and buildings lose their АД; slots merge next year (R37)."""
    g = play.g
    if g.players[suzerain].suzerain is not None or g.players[vassal].suzerain is not None or g.vassals_of(vassal):
        return
    g.services += 1
    me = g.players[vassal]
    me.suzerain, me.joined_service = suzerain, g.services
    g.players[suzerain].offers.remove(vassal)
    me.answers.pop(suzerain, None)
    me.offers = []
    things: list[Unit | Building] = [*g.units_of(vassal), *g.buildings_of(vassal)]
    for thing in things:
        play.block(thing)
    play.emit("service", "R37", suzerain=suzerain, vassal=vassal)


# ------------------------------------------------------------------------------------------------ battles


def battle_cards(play: Play, player: str, order: BattleCards) -> None:
    """Cards for the battles of the open turn (R119)."""
    g = play.g
    battles = _battles(play)
    if not battles or (order.battle is not None and all(order.battle not in (b.number, *b.merged) for b in battles)):
        raise Refusal("no_such_battle", "" if order.battle is not None else "none", n=order.battle)
    chosen = [b for b in battles if order.battle is None or order.battle in (b.number, *b.merged)]
    mine = [(b, k) for b in chosen for k in [*b.attackers, *b.defenders] if owner_of(g, k) == player]
    if not mine:
        raise Refusal("not_participant", n=order.battle or chosen[0].number)
    number = str(order.battle) if order.battle is not None else ""
    if isinstance(order.cards, dict):
        for raw, cards in order.cards.items():
            name = play.unit_id(raw)
            fits = [(b, k) for b, k in mine if card_key(k) == name]
            if not fits:
                raise Refusal("not_participant", n=order.battle or chosen[0].number)
            _count(play, fits[0][0], fits[0][1], len(cards))
        for raw, cards in order.cards.items():
            g.players[player].cards[f"{number}|{play.unit_id(raw)}"] = list(cards)
    else:
        able = [(b, k) for b, k in mine if squads_of(g, b, k) > 0]
        for b, k in able:
            _count(play, b, k, len(order.cards))
        g.players[player].cards[f"{number}|"] = list(order.cards)
    if order.regroup is not None:
        g.players[player].regroup[number] = order.regroup
    play.private(player, "cards_received", "R119", battle=order.battle)


def _count(play: Play, battle: Battle, key: str, sent: int) -> None:
    need = squads_of(play.g, battle, key)
    if sent > need:
        raise Refusal("too_many_cards", unit=participant_name(play.g, key, 1), n=need, squads=plural(need, "squad"), m=sent)


def _battles(play: Play) -> list[Battle]:
    """The battles of the open turn: formed, or as they would be formed now."""
    g = play.g
    if g.battles or not g.attacks:
        return g.battles
    from rules.grand_strategy.battles import form

    probe = Play(g.copy(), None)
    form(probe)
    return probe.g.battles


def battle_order(play: Play, player: str, order: BattleOrder) -> None:
    """The line order of one's troops (R118)."""
    names = [play.unit_id(n) for n in order.order]
    play.g.players[player].line[str(order.battle) if order.battle is not None else ""] = names
    play.private(player, "battle_order", "R118", battle=order.battle, order=names)


def victory_choice(play: Play, player: str, order: VictoryChoice) -> None:
    """What to do with a building won (R114, R115)."""
    choice = {k: v for k, v in (("capture", order.capture), ("preserve", order.preserve)) if v is not None}
    play.g.players[player].victory[str(order.battle) if order.battle is not None else ""] = choice
    play.private(player, "victory_choice", "R115", battle=order.battle, **choice)


def join_consent(play: Play, player: str, order: JoinConsent) -> None:
    """Agrees (or not) to attack together (R103)."""
    g = play.g
    other = play.player(order.player)
    if order.battle is not None:
        numbers = {n for b in _battles(play) for n in (b.number, *b.merged)}
        if order.battle not in numbers:
            raise Refusal("no_such_battle", n=order.battle)
    g.players[player].join[other if order.battle is None else f"{other}|{order.battle}"] = order.agree
    play.private(player, "join_consent", "R103", to=other, battle=order.battle, agree=order.agree)


def joint_defense(play: Play, player: str, order: JointDefense) -> None:
    """Whether a troop or garrison defends with its cell-mates (R104)."""
    name = play.unit_id(order.object)
    thing = play.g.units.get(name) or play.g.buildings.get(name)
    if thing is None:
        if name in play.g.board:
            raise Refusal("no_building", cell=name)
        play.unit(player, name)
    elif thing.owner != player:
        raise Refusal("not_owner", object=play.name(thing))
    play.g.players[player].joint_defense[f"{name}|{order.with_}" if order.with_ else name] = order.allowed
    play.private(player, "joint_defense", "R104", object=name, allowed=order.allowed, **{"with": order.with_})


def default_cards(play: Play, player: str, order: DefaultCards) -> None:
    """Cards that count when none are sent (R120)."""
    g = play.g
    key = "all"
    if order.unit is not None:
        unit = play.unit(player, order.unit)
        key = unit.id
        full = max(g.utype(unit).strength, strength(g, unit))
        if len(order.cards) > full:
            raise Refusal("too_many_cards", unit=unit_name(g, unit, 1), n=full, squads=plural(full, "squad"), m=len(order.cards))
    elif order.building is not None:
        building = play.building(player, order.building)
        key, full = building.cell, g.btype(building).garrison
        if len(order.cards) > full:
            raise Refusal("too_many_cards", unit="гарнизона", n=full, squads=plural(full, "squad"), m=len(order.cards))
    g.players[player].default_cards[key] = list(order.cards)
    play.private(player, "default_cards", "R120", object=key, cards=list(order.cards))


def standing_order(play: Play, player: str, order: StandingOrder) -> None:
    """Registers a standing order under the player's next number (R184)."""
    me = play.g.players[player]
    action = {k: play.unit_id(v) if isinstance(v, str) else v for k, v in order.action.items()}
    probe = {k: "x" if v == "<trigger unit>" else v for k, v in action.items()}
    parse_action(probe)
    for key in ("cell",):
        if key in order.filter:
            play.cell(str(order.filter[key]))
    wanted = {k: play.unit_id(v) if isinstance(v, str) else v for k, v in order.filter.items()}
    me.standing_count += 1
    me.standing.append(StandingRule(me.standing_count, order.trigger, wanted, action, order.once))
    play.private(player, "standing_order", "R184", id=me.standing_count, trigger=order.trigger, filter=wanted, action=action,
                 once=order.once)  # fmt: skip


def cancel_order(play: Play, player: str, order: CancelOrder) -> None:
    """Takes standing orders back (R184)."""
    me = play.g.players[player]
    if order.id is not None and not order.all:
        if all(rule.id != order.id for rule in me.standing):
            if play.dry:
                return
            raise Refusal("no_such_order", n=order.id)
        me.standing = [rule for rule in me.standing if rule.id != order.id]
    else:
        me.standing = []
    play.private(player, "standing_cancelled", "R184", id=order.id)


def disband_priority(play: Play, player: str, order: DisbandPriority) -> None:
    """Who goes first when money runs out (R24)."""
    names = []
    for name in order.units:
        found = play.unit_id(name)
        if found in play.g.buildings:
            play.building(player, found)
            names.append(found)
        else:
            names.append(play.unit(player, found).id)
    play.g.players[player].disband_priority = names
    play.private(player, "disband_priority", "R24", units=names)


def coins(amount: int) -> str:
    """«5 монет»."""
    return counted(amount, "coin")
