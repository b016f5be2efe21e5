"""Between players: money, permissions, service, entering and leaving, смута, consents (§3)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.types import Severity, Span
from rules.grand_strategy.language.said import Said, maker, text_of
from rules.grand_strategy.language.slots import BAD, BTYPE, CELLS, LAND, PLACES, SCHOOL, called

_DATIVE = frozenset({"datv"})
_NOT_TO = frozenset({"на", "против", "с", "со", "у", "из", "от", "к", "в", "за", "для", "через", "под"})

# ------------------------------------------------------------------------------------------------ money


def _money_score(fill: Fill) -> float | None:
    to, amount = fill.slots.get("players"), fill.slots.get("amount")
    if not to and amount and amount[0].sense.kind == "coins":
        if "everyone" in fill.slots:
            return 0.0
        return -0.8 if any(a.verb for a in fill.triggers) else None
    if not to or not amount:
        return None
    if to[0].atom.prep in _NOT_TO:
        return None
    datives = [f for f in to if not f.ref and _may_receive(f.atom)]
    extra = -1.5 * max(0, len(amount) - max(1, len(to)))
    if fill.triggers or fill.inherited:
        return (0.2 if datives or any(f.ref for f in to) else -0.8) + extra
    if not datives:
        return None
    coins = any(f.sense.kind == "coins" for f in amount)
    reach = 5 if coins else 2
    near = all(any(0 <= a.atom.first - d.atom.last <= reach or d.atom.first == a.atom.last for d in datives) for a in amount)
    if not near:
        return None
    if all("datv" not in d.atom.cases for d in datives) and not 0 <= amount[0].atom.span.start - datives[0].atom.span.end <= 3:
        return None
    return (0.3 if coins else 0.0) + extra


def _may_receive(atom: Atom) -> bool:
    """In the dative, or a name that stands as it is («Аэлин 5»)."""
    return not atom.cases or bool(atom.cases & {"datv", "same"})


@maker
def _money(said: Said) -> Iterable[Output]:
    people = said.atoms("players")
    amounts = said.atoms("amount")
    sentence_of = said.context.layout.sentence_of
    people = [p for p in people if any(sentence_of[p.first] == sentence_of[a.first] for a in amounts)] or people
    arrows = said.words("arrow")
    if arrows:
        people = [a for a in people if a.first > arrows[0].first] or people
    out: list[Output] = []
    if len(people) > 1 and len(amounts) > 1:
        used: list[Atom] = []
        for person in people:
            free = [a for a in amounts if a not in used]
            if not free:
                break
            # «отдать 7 монет Дружине и 3 Гхашу», «Аэлин 5, Радомиру 7»: amounts keep to their side of the name
            before_first = amounts[0].first < people[0].first
            near = [a for a in free if (a.first < person.first) == before_first] or free
            best = min(near, key=lambda a: abs(a.first - person.first))
            used.append(best)
            out.append(_transfer(said, person, best))
        return out
    if not people:
        return [_guessed(said, amounts[0])]
    tokens = said.context.layout.tokens
    low, high = amounts[0].first, amounts[-1].last
    if len(amounts) > len(people) and any(t.norm in {"или", "либо"} for t in tokens[low:high]):
        raise said.stop("ambiguous", "Сколько именно монет?", choices=[choice(a.text) for a in amounts])
    if len(amounts) > len(people):
        said.unsure("названо несколько сумм")
    before = [p for p in people if p.first < low]
    for person in [p for p in people if before and p.first > low]:
        # «Торгриму 10, Радомиру ничего»: the sum was the other one's
        people.remove(person)
        if not any(t.norm in _NOTHING for t in tokens[person.last : person.last + 3]):
            out.append(_how_much(said, person))
    for person in people:
        nearest = min(amounts, key=lambda a: abs(a.first - people[-1].first))
        out.append(_transfer(said, person, nearest))
    return out


def _guessed(said: Said, amount: Atom) -> Output:
    """The name is misspelt («Радамиру»): the likeliest player, never certain."""
    for token in said.context.unknown_words(said.match.first, said.match.last + 2):
        for sense in said.context.lexicon.guess(token.norm, "player"):
            value = amount.get("coins", "number")
            if value is not None and isinstance(value.value, int) and value.value > 0 and sense.note:
                said.unsure(sense.note)
                return said.read({"type": "send_money", "to": sense.value, "amount": value.value})
    names = ", ".join(p.name for p in said.state.players.values() if p.id != said.me and p.status == "in")
    return said.stop("bad_recipient", text_of("bad_recipient", list=names), draft={"type": "send_money"}).problem


_NOTHING = frozenset({"ничего", "шиш", "ноль", "фиг", "нисколько"})


def _how_much(said: Said, person: Atom) -> Output:
    draft = {"type": "send_money", "to": said.player_of(person)}
    return said.stop("bad_amount", f"Сколько монет: {person.text}?", span=person.span, draft=draft).problem


def _transfer(said: Said, person: Atom, amount: Atom) -> Output:
    sense = amount.get("coins", "number")
    if sense is None:  # «столько же»
        before = said.context.before(amount.span.start, "coins", "number")
        if before is None:
            raise said.stop("bad_amount", "Сколько монет?", draft={"type": "send_money"})
        sense = before.sense
    value = sense.value
    draft: dict[str, Any] = {"type": "send_money"}
    to = said.player_of(person)
    if to is not None:
        draft["to"] = to
    if isinstance(value, Fraction):
        raise said.stop("bad_amount", "Монеты пересылают целыми: какая сумма?", severity=Severity.ERROR, draft=draft)
    negative = bool(amount.data.get("negative")) or value < 0
    if negative or value <= 0:
        raise said.stop("bad_amount", text_of("bad_amount"), severity=Severity.ERROR, draft=draft)
    if to is None or to == said.me:
        names = ", ".join(p.name for p in said.state.players.values() if p.id != said.me and p.status == "in")
        raise said.stop("bad_recipient", text_of("bad_recipient", list=names), draft=draft)
    return said.read({"type": "send_money", "to": to, "amount": int(value)})


# ------------------------------------------------------------------------------------------------ permissions


def _verdict(said: Said) -> bool | None:
    """Allowed or denied; None where neither was said."""
    if said.has("deny"):
        return False
    return True if said.has("allow", "let") else None


def _verdict_for(said: Said, player: str, allowed: bool) -> bool:
    """Where some are let in and others not, the word nearest to a player counts; commas part."""
    denials = said.words("deny")
    # «пускать запрещаю»: the one word is the other's object
    words = [a for a in said.words("allow") if all(abs(a.first - d.first) > 3 for d in denials)] + denials
    if not denials or len(words) == len(denials):
        return allowed
    tokens = said.context.layout.tokens
    atom = next((a for a in said.atoms("players") if said.player_of(a) == player), None)
    if atom is None:
        return allowed

    def distance(word: Atom) -> int:
        low, high = sorted((word.first, atom.first))
        return high - low + 4 * sum(1 for t in tokens[low:high] if t.norm in {",", ";", "."})

    return not min(words, key=distance).has("deny")


def _entry_score(fill: Fill) -> float | None:
    slots = fill.slots
    who = slots.keys() & {"players", "units", "everyone"}
    where = slots.keys() & {"places", "btype", "cells", "place_ref", "garrison"}
    if not called(fill, "allow", "deny"):
        # «пусть войска Аэлин заходят в Трон»
        visiting = called(fill, "let") and any(a.has("entry") for a in fill.atoms)
        return 0.5 if visiting and "players" in slots and where and "units" not in slots else None
    if not who or not where:
        if "place_ref" in slots and who:
            return 0.0
        if who and called(fill, "allow", "deny") and not slots.keys() & {"units"}:
            return -0.6
        return 0.0 if who and called(fill, "deny") and any(a.has("revoked") for a in fill.atoms) else None
    return 0.5


@maker
def _entry(said: Said) -> Iterable[Output]:
    said.check_cells()
    allowed = _verdict(said)
    refs = said.atoms("place_ref")
    last = said.last
    if refs and last.get("type") in ("allow_spawn", "deny_spawn"):
        command = {k: v for k, v in last.items() if k in ("province", "cell")}
        return [said.read({"type": "allow_spawn" if allowed else "deny_spawn", **command, "player": said.player()})]
    building = said.building(slots=("places", "garrison", "cells"))
    if building is None and refs and last.get("building"):
        building = str(last["building"])
    if building is None and not refs and said.has("revoked"):
        own = [b for b in said.state.buildings.values() if b.owner == said.me and said.value("players") in b.permits]
        own = own or said.buildings("lord_house", said.me)
        building = own[0].cell if len(own) == 1 else None
    if building is None and last.get("type") in ("allow_entry", "deny_entry"):
        building = str(last["building"])
    if building is None and not any(a.text.lower().startswith("не ") or a.has("revoked", "entry") for a in said.match.atoms):
        return []
    if building is None:
        raise said.stop("ambiguous", "В какое строение? Назовите его или клетку.")
    if len(said.atoms("btype")) > 1:
        said.unsure("названо несколько строений")
    unit = None
    players: list[str] = []
    for atom in said.atoms("units"):
        found = said.candidates(atom) if not atom.has("~person") else []
        others = [u for u in found if not said.mine(u)]
        race = atom.get("utype")
        if len(others) == 1 and said.unit_object(others[0]) is not None:
            owner = said.state.units[others[0]].owner
            if owner:
                players.append(owner)
                unit = others[0] if atom.has("unit") else None
        elif race is not None:
            owner = said.of_race(str(race.value))
            if owner:
                players.append(owner)
    named = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    players = list(dict.fromkeys([*named, *players])) if not unit else list(dict.fromkeys(players))
    if not players:
        if said.has("~all", "everyone") or said.near("everyone", "~all"):
            players = ["all"]
        else:
            raise said.stop("ambiguous", "Чьи войска? Назовите игрока.", draft={"type": "allow_entry", "building": building})
    no_walls = said.near("no_walls", behind=8) is not None
    out: list[Output] = []
    for player in players:
        yes = _verdict_for(said, player, bool(allowed))
        kind = "allow_entry" if yes else "deny_entry"
        walls = False if yes and no_walls else None
        out.append(said.read({"type": kind, "building": building, "player": player, "unit": unit, "walls": walls}))
    return out


def _spawn_score(fill: Fill) -> float | None:
    verdict = called(fill, "allow", "deny") or "let" in fill.slots
    if called(fill, "spawn") and verdict and fill.slots.keys() & {"players", "everyone", "land", "own_land", "newcomers"}:
        return 1.0
    if called(fill, "deny") and "newcomers" in fill.slots and fill.slots.keys() & {"own_land", "land"}:
        return 1.2
    return None


@maker
def _spawn(said: Said) -> Iterable[Output]:
    said.check_cells()
    allowed = bool(_verdict(said))
    players = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    everyone = not players
    command: dict[str, Any] = {}
    lands = [s.value for a in said.atoms("land") for s in a.all("province")]
    if lands:
        command["province"] = lands[0]
    else:
        cell = said.building()
        if cell is not None:
            command["cell"] = cell
        elif said.has("~place"):
            last = said.last if str(said.last.get("type")).endswith("_spawn") else {}
            command.update({k: v for k, v in last.items() if k in ("province", "cell")})
    kind = "allow_spawn" if allowed else "deny_spawn"
    if everyone:
        return [said.read({"type": kind, **command, "player": "all"})]
    return [
        said.read({"type": "allow_spawn" if _verdict_for(said, p, allowed) else "deny_spawn", **command, "player": p})
        for p in dict.fromkeys(players)
    ]


# ------------------------------------------------------------------------------------------------ service


def _service_score(fill: Fill) -> float | None:
    slots = fill.slots
    if called(fill, "own_man"):
        return 0.5
    if called(fill, "swear", "refuse_all"):
        return 0.8 if "players" in slots or not called(fill, "refuse_verb") else None
    if called(fill, "refuse_verb") and not called(fill, "service", "fire"):
        return -0.4 if "players" in slots else None
    if not called(fill, "service"):
        if called(fill, "fire") and "players" in slots and not slots.keys() & {"places"}:
            return -0.6
        return None
    spoken = any(a.verb for a in fill.triggers)
    return 0.6 if "how" in slots or len(fill.triggers) > 1 or spoken or fill.inherited else None


@maker
def _service(said: Said) -> Iterable[Output]:
    people = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    services = said.words("service")
    if said.match.inherited and not said.words("fire", "quit", "take", "agree", "refuse", "swear", "service", "go"):
        last = said.last if said.last.get("type") in _SERVICE else None
        if last is not None and people:
            return [said.read({"type": last["type"], "player": p}) for p in people]
    if said.has("own_man"):
        return [said.read({"type": "leave_service"})]
    told_no = said.has("refuse") and any("datv" in a.cases for a in said.atoms("players"))
    if said.has("fire") and (people or said.addressed()) and not told_no:
        who = people or [p for p in (said.addressed(),) if p]
        return [said.read({"type": "dismiss_vassal", "player": p}) for p in who]
    if said.has("quit") or (said.has("lift") and services):
        tokens = said.context.layout.tokens[said.match.first : said.match.last]
        refusing = said.has("refuse") and not any(t.norm == "больше" for t in tokens)
        if not refusing:
            return [said.read({"type": "leave_service"})]
    if said.has("refuse", "refuse_verb", "refuse_all"):
        return _refusals(said, people)
    taking = said.words("take")
    mine_to_serve = said.has("swear") or said.has("agree")
    spoken = [a.text.lower() for a in taking]
    if any(t.startswith("предлож") for t in spoken) and any(t.startswith("прин") for t in spoken):
        return _answers(said, "accept_service", people)  # «твоё предложение принято»
    if taking and not mine_to_serve:
        accusative = any("присяг" in a.text.lower() for a in services)
        yours = any(_possessive(said, a) for a in services)
        at_somebody = any(a.prep == "у" for a in said.atoms("players"))
        if (yours and not accusative) or at_somebody:
            return _answers(said, "accept_service", people)
        return _answers(said, "offer_service", people)
    going = said.has("go", "pass_over") and any(a.prep in {"к", "ко"} for a in said.atoms("players"))
    if said.has("swear", "agree") or _serving(said) or going:
        return _answers(said, "accept_service", people)
    raise said.stop("ambiguous", "О службе: предложить, согласиться или отказаться?")


def _refusals(said: Said, people: list[str]) -> list[Output]:
    """«К Торгриму на службу не пойду. К Аэлин пойду.»: a refusal reaches no sentence that says yes."""
    sentence_of = said.context.layout.sentence_of
    no = {sentence_of[a.first] for a in said.words("refuse", "refuse_verb", "refuse_all")}
    yes = {sentence_of[a.first] for a in said.words("agree", "go", "swear")} - no
    willing = [p for a in said.atoms("players") if sentence_of[a.first] in yes and (p := said.player_of(a)) is not None]
    unwilling = [p for p in people if p not in willing]
    out = _answers(said, "decline_service", unwilling) if unwilling or not willing else []
    return out + (_answers(said, "accept_service", willing) if willing else [])


_SERVICE = ("offer_service", "accept_service", "decline_service", "dismiss_vassal")


def _possessive(said: Said, atom: Atom) -> bool:
    tokens = said.context.layout.tokens
    return atom.first > 0 and tokens[atom.first - 1].norm.startswith(("тво", "ваш"))


def _serving(said: Said) -> bool:
    return any(a.text.lower().startswith(("служ", "послуж", "cлуж")) and a.verb for a in said.words("service"))


def _answers(said: Said, kind: str, people: list[str]) -> list[Output]:
    if not people:
        told = said.addressed() or _offer_from(said)
        if told is None:
            raise said.stop("ambiguous", "Кому? Назовите игрока.", draft={"type": kind})
        people = [told]
    return [said.read({"type": kind, "player": p}) for p in dict.fromkeys(people)]


def _offer_from(said: Said) -> str | None:
    offers = [p.id for p in said.state.players.values() if said.me in p.offers]
    return offers[0] if len(offers) == 1 else None


# ------------------------------------------------------------------------------------------------ in and out


def _join_score(fill: Fill) -> float | None:
    if not fill.triggers and not any("ablt" in f.atom.cases for f in fill.slots.get("role", ())):
        return None
    return (1.0 if fill.triggers else -1.6) if "role" in fill.slots else None


@maker
def _join(said: Said) -> Iterable[Output]:
    said.check_cells()
    role = said.atoms("role")[0]
    entry = "ruler" if role.has("as_ruler") else "vagabond" if role.has("as_vagabond") else "commander"
    command: dict[str, Any] = {"type": "join_game", "as": entry}
    lands = [s.value for a in said.atoms("land") for s in a.all("province")]
    if lands:
        command["province"] = lands[0]
    cells = said.cells()
    if cells:
        command["cell"] = cells[0]
        if not lands and entry == "commander":
            number = said.state.board.province.get(cells[0])
            if number:
                command["province"] = number
    kinds = [str(a.get("utype").value) for a in said.atoms("units") if a.has("utype")]  # type: ignore[union-attr]
    if kinds:
        command["personal_type"] = kinds[0]
    school = said.school()
    if school is not None and kinds[:1] in ([], ["mage"]):
        command["school"] = school
    name = _quoted_name(said)
    if name:
        command["state_name"] = name
    return [said.read(command)]


def _quoted_name(said: Said) -> str | None:
    """«назовусь "Орда 2"»."""
    layout = said.context.layout
    for atom in said.words("state_name"):
        tokens = layout.tokens
        i = atom.last
        while i < len(tokens) and tokens[i].norm in {":", "-"}:
            i += 1
        if i < len(tokens) and tokens[i].norm in {"«", '"', "“", "„"}:
            closing = {"«": "»", "“": "”", "„": "“"}.get(tokens[i].norm, tokens[i].norm)
            for j in range(i + 1, min(len(tokens), i + 10)):
                if tokens[j].norm == closing and j > i + 1:
                    return layout.text[tokens[i + 1].start : tokens[j - 1].end]
    return None


@maker
def _leave(said: Said) -> Iterable[Output]:
    layout = said.context.layout
    line = layout.sentences[said.match.sentence].line
    confirmed = any(
        a.has("confirm") and abs(layout.sentences[layout.sentence_of[a.first]].line - line) <= 1
        for a in said.context.atoms
        if not a.negated
    )
    draft = {"type": "leave_game", "confirm": True}
    if not confirmed:
        text = "Вы уверены, что выходите из игры? Ответьте «подтверждаю»."
        raise said.stop("not_confirmed", text, draft=draft, choices=[choice("Да, выхожу", draft)])
    near = [
        a
        for a in said.context.atoms
        if a.has("confirm") and a.first >= said.match.last and layout.sentences[layout.sentence_of[a.first]].line == line
    ]
    span = said.match.span
    for atom in near:
        span = Span(span.start, max(span.end, atom.span.end))
    return [said.read(draft, span=span)]


# ------------------------------------------------------------------------------------------------ смута, consents


def _smuta_score(fill: Fill) -> float | None:
    if called(fill, "smuta"):
        return 0.6
    return 0.3 if "players" in fill.slots and any(a.has("agree") for a in fill.atoms) else None


@maker
def _smuta(said: Said) -> Iterable[Output]:
    agreeing = said.words("consent_word", "pass_over")
    people = [p for p in (said.player_of(a) for a in said.atoms("players")) if p is not None and p != said.me]
    mode = "all" if said.near("at_once", behind=12) else "each"
    if said.near("one_by_one", behind=12) and not said.has("at_once"):
        mode = "each"
    del agreeing
    if said.has("refuse"):
        ruler = people[0] if people else _right(said)
        if mode == "all":
            if ruler is None:
                raise said.stop(
                    "ambiguous", "Кому отказано в смуте одним броском?", draft={"type": "consent", "topic": "smuta_all"}
                )
            return [said.read({"type": "consent", "topic": "smuta_all", "player": ruler, "agree": False})]
        if ruler is None:
            raise said.stop("ambiguous", "От смуты в чьём государстве отказ?", draft={"type": "smuta", "decline": True})
        return [said.read({"type": "smuta", "ruler": ruler, "mode": "each", "decline": True})]
    ruler = people[0] if people else _right(said)
    if ruler is None:
        raise said.stop("ambiguous", "В чьём государстве смута?", draft={"type": "smuta", "mode": mode})
    subject = next((a for a in said.atoms("players") if said.player_of(a) == ruler), None)
    heir = subject is not None and "nomn" in subject.cases and "loct" not in subject.cases and not subject.prep
    agreed = said.has("agree") and not said.has("raise_revolt")
    if (heir and any(a.text.lower().startswith("насле") for a in said.words("smuta"))) or (agreed and mode == "all"):
        return [said.read({"type": "consent", "topic": "smuta_all", "player": ruler})]
    return [said.read({"type": "smuta", "ruler": ruler, "mode": mode})]


def _right(said: Said) -> str | None:
    rights = [r.ruler for r in said.state.smuta if r.commander == said.me]
    return rights[0] if len(rights) == 1 else None


def _consent_score(fill: Fill) -> float | None:
    if "units" not in fill.slots or "players" not in fill.slots or fill.slots["units"][0].sense.partial:
        return None
    if "amount" in fill.slots:
        return None
    return 0.5


@maker
def _consent(said: Said) -> Iterable[Output]:
    mine = [u for a in said.atoms("units") for u in said.candidates(a)[:1] if not a.has("~person")]
    cells = said.cells()
    own = [u for u in mine if said.mine(u)]
    if cells and not any(said.at(u) in cells for u in own):
        raise said.stop(
            "no_such_unit",
            text_of("no_such_unit", text=said.atoms("units")[0].text, list=", ".join(said.unit_title(u) for u in said.own())),
            severity=Severity.ERROR,
        )
    unit = said.unit(said.atoms("units")[0], cells[0] if cells else None)
    player = said.player()
    agree = None if not said.has("refuse") else False
    return [said.read({"type": "consent", "topic": "annex", "player": player, "unit": unit, "agree": agree})]


FRAMES = (
    Frame(
        "send_money",
        ("give",),
        (
            Slot("players", ("player",), many=True, refs=("~person",), cases=_DATIVE, required=False, weight=1.2),
            Slot("amount", ("coins", "number"), many=True, refs=("~amount",), weight=1.3),
            Slot("everyone", ("everyone", "~all"), weight=0.4),
        ),
        bare=(frozenset({"players", "amount"}), frozenset({"everyone", "amount"})),
        noise=frozenset({"arrow", "~each", "~once_more", "troops", "commander_word", "from_now"}),
        at_most={"players": 3, "amount": 3},
        score=_money_score,
        make=_money,
        key=lambda command: command.get("to"),
    ),
    Frame(
        "entry",
        ("allow", "deny", "let"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.1),
            Slot("units", ("unit", "utype"), many=True, weight=0.9),
            PLACES,
            BTYPE,
            CELLS,
            Slot("garrison", ("garrison",)),
            BAD,
            Slot("place_ref", ("~place",), weight=0.8),
            Slot("everyone", ("~all", "everyone"), weight=0.4),
            Slot("revoked", ("revoked",), weight=0.4),
        ),
        noise=frozenset({"entry", "troops", "commander_word", "no_walls", "only", "from_now", "go", "agree", "me", "on_arrive"}),
        at_most={"players": 3, "units": 2, "cells": 1, "places": 1, "btype": 2},
        score=_entry_score,
        make=_entry,
        inherits=False,
    ),
    Frame(
        "spawn",
        ("spawn", "allow", "deny"),
        (
            Slot("players", ("player",), many=True, refs=("~person",)),
            LAND,
            PLACES,
            BTYPE,
            CELLS,
            BAD,
            Slot("own_land", ("mine_land", "land_word"), many=True, weight=0.5),
            Slot("everyone", ("~all",), weight=0.4),
            Slot("newcomers", ("commander_word",), many=True, weight=0.5),
            Slot("place_ref", ("~place",), weight=0.5),
            Slot("let", ("let",), weight=0.4),
        ),
        noise=frozenset({"on_arrive", "on_near", "entry", "troops", "from_now", "agree", "me"}),
        at_most={"players": 3, "cells": 1, "places": 1, "btype": 1},
        score=_spawn_score,
        make=_spawn,
        inherits=False,
        weight=0.3,
    ),
    Frame(
        "service",
        ("service", "swear", "fire", "own_man", "refuse_verb", "refuse_all"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.1),
            Slot("how", ("take", "quit", "agree", "refuse", "fire", "lift", "go", "pass_over"), many=True, weight=0.7),
        ),
        noise=frozenset(
            {
                "commander_word",
                "me",
                "troops",
                "go",
                "from_now",
                "confirm",
                "then",
                "together",
                "drop",
                "to_me",
                "state_word",
                "spawn",
            }
        ),
        at_most={"players": 3, "how": 3},
        score=_service_score,
        make=_service,
        key=lambda command: command.get("player"),
    ),
    Frame(
        "join_game",
        ("enter_game",),
        (
            Slot(
                "role",
                ("as_ruler", "as_commander", "as_vagabond"),
                required=True,
                many=True,
                weight=1.3,
                cases=frozenset({"ablt", "gent"}),
            ),
            LAND,
            CELLS,
            BAD,
            Slot("units", ("utype", "personal"), many=True),
            SCHOOL,
            Slot("name", ("state_name",), weight=0.5),
        ),
        bare=(frozenset({"role", "land"}), frozenset({"role", "cells"})),
        noise=frozenset({"land_word", "btype", "player", "number", "on_arrive", "allow", "let", "then", "steps", "enter_game"}),
        at_most={"units": 3, "cells": 1, "land": 2},
        score=_join_score,
        make=_join,
        inherits=False,
        incomplete=False,
        weight=0.5,
    ),
    Frame("leave_game", ("leave_game",), (), noise=frozenset({"confirm", "me"}), make=_leave, inherits=False, weight=0.6),
    Frame(
        "smuta",
        ("smuta", "at_once"),
        (
            Slot("players", ("player",), many=True, weight=1.1),
            Slot("dice", ("at_once", "one_by_one", "take"), many=True, weight=0.5),
            Slot("refusal", ("refuse",), weight=0.8),
        ),
        noise=frozenset({"raise_revolt", "state_word", "agree", "me", "together", "upgrade", "~all", "allow", "let", "give"}),
        at_most={"players": 2, "dice": 3},
        score=_smuta_score,
        make=_smuta,
        inherits=False,
    ),
    Frame(
        "consent",
        ("pass_over", "refuse"),
        (
            Slot("units", ("unit", "utype", "personal"), many=True, weight=1.2),
            CELLS,
            Slot("players", ("player",), many=True, refs=("~person",), weight=1.2),
            Slot("refusal", ("refuse",), weight=0.4),
            Slot("amount", ("coins",)),
        ),
        noise=frozenset({"agree", "give", "allow", "let", "go", "troops", "me"}),
        at_most={"units": 1, "cells": 1, "players": 1},
        score=_consent_score,
        make=_consent,
        inherits=False,
    ),
)
