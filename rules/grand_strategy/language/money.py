"""Money from player to player (R31)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from parsers.atoms import Atom
from parsers.frames import Fill, Frame, Output, Slot, choice
from parsers.types import Severity
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import tables
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import called

_DATIVE = frozenset({"datv"})
_TOWARDS = frozenset({"к", "ко", "для"})
_NOT_TO = frozenset({"на", "против", "с", "со", "у", "из", "от", "к", "в", "за", "для", "через", "под"})
# ------------------------------------------------------------------------------------------------ money


def _money_score(fill: Fill) -> float | None:
    to, amount = fill.slots.get("players"), fill.slots.get("amount")
    if "pairs" in fill.slots:
        return 0.6 if not to and not amount else None
    if "share" in fill.slots:
        return -0.5 if to and not amount and fill.triggers and any(_may_receive(f.atom) for f in to) else None
    if not to and amount and amount[0].sense.kind == "coins":
        if "everyone" in fill.slots:
            return 0.0
        return -0.8 if any(a.verb for a in fill.triggers) else None
    if not to or not amount:
        return None
    if not called(fill, "courier") and not any(f.ref or _may_get(f.atom) for f in to):
        return None  # «за голову Торгрима плачу 20 монет»
    sent = called(fill, "courier", "gift", "receive")
    if to[0].atom.prep in _NOT_TO and not (called(fill, "courier") and to[0].atom.prep in _TOWARDS):
        return None
    datives = [f for f in to if not f.ref and (_may_receive(f.atom) or sent)]
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
    beside = 0 <= amount[0].atom.span.start - datives[0].atom.span.end <= 3
    beside = beside or (coins and datives[0].atom.first == amount[-1].atom.last)  # «6 монет Аэлин»
    if all("datv" not in d.atom.cases for d in datives) and not beside:
        return None
    return (0.3 if coins else 0.0) + extra


def _may_get(atom: Atom) -> bool:
    return not atom.cases or bool(atom.cases & {"datv", "nomn", "same"})


def _may_receive(atom: Atom) -> bool:
    """In the dative, or a name that stands as it is («Аэлин 5»)."""
    return not atom.cases or bool(atom.cases & {"datv", "same"})


@maker
def _money(said: Said) -> Iterable[Output]:
    people = said.atoms("players")
    amounts = said.atoms("amount")
    sentence_of = said.context.layout.sentence_of
    people = [p for p in people if said.player_of(p) != said.me or not _subject(p)] or people
    people = [p for p in people if any(sentence_of[p.first] == sentence_of[a.first] for a in amounts)] or people
    arrows = said.words("arrow")
    if arrows:
        people = [a for a in people if a.first > arrows[0].first] or people
    out: list[Output] = []
    for person in [p for p in people if _refused(said, p, amounts)]:
        people.remove(person)
        said.settled.append(person)
    for person in [p for p in people if _gets_nothing(said, p, amounts)]:
        people.remove(person)  # «Гхашу ни монеты, Аэлин 3»
        said.settled.append(person)
    for atom in said.atoms("pairs"):
        person, amount = atom.data["pair"]
        out.append(_transfer(said, person, amount))
    if out:
        rest = [p for p in people if not any(p is q for a in said.atoms("pairs") for q in a.data["pair"])]
        return out if not (rest or amounts) else [*out, *(_how_much(said, p) for p in rest)]
    if not people and said.settled:
        return []
    words = [t.norm for t in said.context.layout.tokens[said.match.first : said.match.last + 1]]
    if any(w in _COMPARED for w in words) and not said.has("from_now"):
        raise said.stop("ambiguous", "Сколько именно монет? Назовите число.", draft={"type": "send_money"})
    if len(amounts) > 1 and any(a.prep == "на" for a in amounts[1:]):
        raise said.stop("ambiguous", "Кому сколько монет? Назовите каждому число.", draft={"type": "send_money"})
    if said.atoms("share"):
        raise said.stop("ambiguous", "Сколько именно монет? Назовите число.", draft={"type": "send_money"})
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
    if not people and said.has("both"):
        return [_sent(said, player, amounts[0]) for player in _two_named(said)]
    if not people:
        return [_guessed(said, amounts[0])]
    tokens = said.context.layout.tokens
    low, high = amounts[0].first, amounts[-1].last
    if len(amounts) > len(people) and any(t.norm in _OR for t in tokens[low:high]):
        raise said.stop("ambiguous", "Сколько именно монет?", choices=[choice(a.text) for a in amounts])
    if len(amounts) > len(people):
        said.unsure("названо несколько сумм")
    before = [p for p in people if p.first < low]
    for person in [p for p in people if before and p.first > low]:
        # «Торгриму 10, Радомиру ничего»: the sum was the other one's
        people.remove(person)
        said.settled.append(person)
        if not any(t.norm in _NOTHING for t in tokens[person.last : person.last + 3]):
            out.append(_how_much(said, person))
    for person in people:
        nearest = min(amounts, key=lambda a: abs(a.first - people[-1].first))
        out.append(_transfer(said, person, nearest))
    return out


def _two_named(said: Said) -> list[str]:
    """«Аэлин, благодарю, Торгрим, тебя тоже. Обоим по 3 монеты»: the two players named just before; more or fewer ask."""
    named: list[str] = []
    for back in range(_RECALLED + 1):
        spoken = [
            said.player_of(a)
            for a in said.context.by_sentence.get(said.match.sentence - back, [])
            if a.has("player") and a.first < said.match.first
        ]
        named += [p for p in spoken if p is not None and p != said.me and p not in named]
        if len(named) > 1:
            break
    if len(named) != 2:
        names = ", ".join(p.name for p in said.state.players.values() if p.id != said.me and p.status == "in")
        raise said.stop("bad_recipient", text_of("bad_recipient", list=names), draft={"type": "send_money"})
    return named


_RECALLED = 2
"""Sentences back that «обоим» reaches."""


def _subject(atom: Atom) -> bool:
    """«Радомир посылает Гхашу 3»: who sends."""
    return not atom.prep and ("same" in atom.cases or ("nomn" in atom.cases and "datv" not in atom.cases))


def _refused(said: Said, person: Atom, amounts: list[Atom]) -> bool:
    """«Не буду слать Торгриму, а Радомиру пошлю 3»: what is denied in his part of the sentence."""
    layout = said.context.layout
    sentence = layout.sentences[layout.sentence_of[person.first]]
    first, last = person.first, person.last
    while first > sentence.first and layout.tokens[first - 1].norm not in _PARTS:
        first -= 1
    while last < sentence.last and layout.tokens[last].norm not in _PARTS:
        last += 1
    if (first == sentence.first and last == sentence.last) or any(first <= a.first < last for a in amounts):
        return False
    return any(layout.tokens[i].norm == "не" for i in range(first, last))


_PARTS = frozenset({",", ";", ":", "-", "(", ")"})


def _gets_nothing(said: Said, person: Atom, amounts: list[Atom]) -> bool:
    """«Радомиру ничего», «Гхашу ни монеты»: said right behind the name, before any sum."""
    tokens = said.context.layout.tokens
    for i in range(person.last, min(len(tokens), person.last + 3)):
        if tokens[i].norm == "," or any(a.first == i for a in amounts):
            return False
        if tokens[i].norm in _NOTHING:
            return True
    return False


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


_OR = frozenset(tables()["or"]["words"])
_COMPARED = frozenset(tables()["comparative"]["words"])
_NOTHING = frozenset(tables()["nothing_for"]["words"])


def _how_much(said: Said, person: Atom) -> Output:
    draft = {"type": "send_money", "to": said.player_of(person)}
    return said.stop("bad_amount", f"Сколько монет: {person.text}?", span=person.span, draft=draft).problem


def _transfer(said: Said, person: Atom, amount: Atom) -> Output:
    return _sent(said, said.player_of(person), amount)


def _sent(said: Said, to: str | None, amount: Atom) -> Output:
    sense = amount.get("coins", "range", "number")
    if sense is None:  # «столько же»
        before = said.context.before(amount.span.start, "coins", "number")
        if before is None:
            raise said.stop("bad_amount", "Сколько монет?", draft={"type": "send_money"})
        sense = before.sense
    value = sense.value
    draft: dict[str, Any] = {"type": "send_money"}
    if to is not None:
        draft["to"] = to
    if sense.kind == "range":
        low, high = value
        raise said.stop("ambiguous", f"Сколько именно: {low} или {high}?", draft=draft, choices=[choice(str(v)) for v in value])
    if isinstance(value, Fraction):
        raise said.stop("bad_amount", "Монеты пересылают целыми: какая сумма?", severity=Severity.ERROR, draft=draft)
    negative = bool(amount.data.get("negative")) or value < 0
    if negative or value <= 0:
        raise said.stop("bad_amount", text_of("bad_amount"), severity=Severity.ERROR, draft=draft)
    if to is None or to == said.me:
        names = ", ".join(p.name for p in said.state.players.values() if p.id != said.me and p.status == "in")
        raise said.stop("bad_recipient", text_of("bad_recipient", list=names), draft=draft)
    return said.read({"type": "send_money", "to": to, "amount": int(value)})


FRAMES = (
    Frame(
        "send_money",
        ("give", "courier", "gift", "receive"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), cases=_DATIVE, required=False, weight=1.2),
            Slot("amount", ("coins", "number", "range"), many=True, refs=("~amount",), weight=1.3),
            Slot("everyone", ("everyone", "both"), weight=0.4),
            Slot("pairs", ("transfer",), many=True, weight=1.4),
            Slot("share", ("~half", "~all", "~rest"), weight=0.6),
        ),
        bare=(frozenset({"pairs"}), frozenset({"players", "amount"}), frozenset({"everyone", "amount"})),
        asides=frozenset({"на", "за", "в"}),
        noise=frozenset({"arrow", "~each", "~once_more", "troops", "commander_word", "from_now", "reverse"}),
        at_most={"players": 3, "amount": 3},
        score=_money_score,
        make=_money,
        key=lambda command: command.get("to"),
    ),
)
