"""Money from player to player (R31)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from parsers.atoms import Atom, Sense
from parsers.frames import Fill, Filled, Frame, Output, Slot, choice
from parsers.russian import Verb
from parsers.tokens import Token
from parsers.types import Reading, Severity
from rules.grand_strategy.language.making import maker
from rules.grand_strategy.language.names import stems, tables
from rules.grand_strategy.language.payees import gets_else, paid, paired, receivers, two_named
from rules.grand_strategy.language.said import Said, text_of
from rules.grand_strategy.language.slots import called

_DATIVE = frozenset({"datv"})
_ADVERBS = 2
"""Words between a name that stands as it is and its sum at most."""
_YOU = frozenset({"тебе", "вам", "ему", "ей", "ему же", "ей же", "им"})
_WITH = frozenset({"с", "со"})
_TOWARDS = frozenset({"к", "ко", "для"})
_NOT_TO = frozenset({"на", "против", "с", "со", "у", "из", "от", "к", "в", "за", "для", "через", "под"})
# ------------------------------------------------------------------------------------------------ money


def _money_score(fill: Fill) -> float | None:
    to, amount = fill.slots.get("players"), fill.slots.get("amount")
    if "pairs" in fill.slots:
        return 0.6 if not to and not amount else None
    if "share" in fill.slots:
        return -0.5 if to and not amount and fill.triggers and any(_may_receive(f.atom) for f in to) else None
    if called(fill, "split"):
        return 0.4 if to and len(to) > 1 and amount and len(amount) == 1 else None
    if not to and amount and amount[0].atom.data.get("asker") and fill.triggers:
        return 0.2
    yours = to and amount and len(amount) == 1 and to[0].ref and to[0].atom.text.lower() in _YOU
    if yours and amount and (amount[0].sense.kind == "coins" or amount[0].atom.data.get("told")):
        return 0.2  # «Радомир, тебе 15 монет»
    if not to and amount and amount[0].sense.kind == "coins":
        if "everyone" in fill.slots:
            return 0.0
        return -0.8 if any(a.verb for a in fill.triggers) else None
    if (
        not to
        and amount
        and len(amount) == 1
        and all(a.has("give") and a.verb is Verb.ORDER for a in fill.triggers or (amount[0].atom,))
    ):
        return -0.8  # «Радомир, не командуй. Даю 5.»
    if not to or not amount:
        return None
    if not called(fill, "courier", "endow") and not any(f.ref or _may_get(f.atom) or f.atom.prep in _TOWARDS for f in to):
        return None  # «за голову Торгрима плачу 20 монет»
    carried = called(fill, "courier") or (fill.triggers and amount[0].atom.prep in _WITH)  # «слугу к Гхашу с десятью монетами»
    if amount[0].atom.prep in _WITH and not carried:
        return None
    endowed = called(fill, "endow") and (
        to[0].atom.prep in _WITH or "accs" in to[0].atom.cases
    )  # «одарить Гхаша, делиться с ним»
    sent = carried or endowed or called(fill, "gift", "receive")
    coined = to[0].atom.prep == "для" and amount[0].sense.kind == "coins"  # «для Гхаша 5 монет»
    sent = sent or coined
    carried = carried or coined
    if (
        to[0].atom.prep in _NOT_TO
        and not (endowed and to[0].atom.prep in _WITH)
        and not (carried and to[0].atom.prep in _TOWARDS)
    ):
        return None
    lines = {f.atom.data.get("line", amount[0].atom.data.get("line")) for f in to}
    strange = [f for f in amount if f.atom.data.get("line") not in lines]
    if strange and (len(amount) > len(to) or any(f.sense.kind == "number" for f in strange)):
        return None  # a number of another line is another order's
    datives = [f for f in to if not f.ref and (_may_receive(f.atom) or sent)]
    extra = -1.5 * max(0, len(amount) - max(1, len(to)))
    if fill.triggers or fill.inherited:
        return (0.2 if datives or any(f.ref for f in to) else -0.8) + extra
    if not datives:
        return None
    coins = any(f.sense.kind == "coins" or f.atom.data.get("told") for f in amount)
    reach = 5 if coins else 2
    near = all(any(0 <= a.atom.first - d.atom.last <= reach or d.atom.first == a.atom.last for d in datives) for a in amount)
    if not near:
        return None
    beside = 0 <= amount[0].atom.span.start - datives[0].atom.span.end <= 3 or bool(amount[0].atom.data.get("told"))
    beside = beside or (coins and datives[0].atom.first == amount[-1].atom.last)  # «6 монет Аэлин»
    plain = [a.atom for a in amount if a.atom.prep in {"", "по"} and not a.atom.data.get("done")]
    gaps = [a.first - d.atom.last for a in plain for d in datives]
    beside = beside or any(0 <= gap <= (_ADVERBS if coins else 1) for gap in gaps)  # «Аэлин ровно 5 монет», «Аэлин монет 5-7»
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
    amounts = said.atoms("amount")
    if _asks_back(said, amounts):
        return []
    people = receivers(said, amounts)
    out: list[Output] = []
    for atom in said.atoms("pairs"):
        person, amount = atom.data["pair"]
        out.append(_transfer(said, person, amount))
    if out:
        rest = [p for p in people if not any(p is q for a in said.atoms("pairs") for q in a.data["pair"])]
        return out if not (rest or amounts) else [*out, *(_how_much(said, p) for p in rest)]
    if not people and said.settled:
        return []
    _exactly(said, amounts)
    if not said.match.triggers and any(t.norm in _OWED for t in _tokens_before(said)):
        said.unsure("долг назван, но не сказано, что он отдан")
    if len(people) > 1 and len(amounts) > 1:
        return [_transfer(said, person, amount) for person, amount in paired(people, amounts)]
    if not people and said.has("both"):
        return [_sent(said, player, amounts[0]) for player in two_named(said)]
    if not people and amounts[0].data.get("asker") not in (None, said.me):
        return [_sent(said, str(amounts[0].data["asker"]), amounts[0])]
    if not people and not amounts[0].has("coins"):
        return _to_addressed(said, amounts[0])
    if not people:
        return [_guessed(said, amounts[0])]
    tokens = said.context.layout.tokens
    if len(amounts) > len(people) and any(t.norm in _OR for t in tokens[amounts[0].first : amounts[-1].last]):
        raise said.stop("ambiguous", "Сколько именно монет?", choices=[choice(a.text) for a in amounts])
    if len(amounts) > len(people):
        said.unsure("названо несколько сумм")
    nearest = min(amounts, key=lambda a: abs(a.first - people[-1].first))
    if said.has("split") and nearest.prep != "по":
        return _split(said, people, nearest)
    given, others = paid(said, people, nearest)
    for person in others:
        said.settled.append(person)
        if person.last < len(tokens) and tokens[person.last].norm in _ALSO:
            out.append(_transfer(said, person, nearest))  # «Радомиру 15 монет, Гхашу тоже»
        elif not gets_else(said, person):
            out.append(_how_much(said, person))
    return [*out, *(_transfer(said, person, nearest) for person in given)]


def _to_addressed(said: Said, amount: Atom) -> list[Output]:
    """«Радомир, не командуй. Даю 5.»: for the player spoken to in the sentence before; else it may be the price of anything."""
    layout = said.context.layout
    before = said.match.sentence - 1
    if before < 0 or layout.sentences[before].line != layout.sentences[said.match.sentence].line:
        return []
    called_ = [a for a in said.context.by_sentence.get(before, []) if a.has("player") and not a.prep]
    if not called_ or called_[0].first != layout.sentences[before].first or layout.tokens[called_[0].last].norm != ",":
        return []
    said.unsure(f"кому, не сказано: понято как {said.player_title(str(said.player_of(called_[0])))}")
    return [_transfer(said, called_[0], amount)]


def _asks_back(said: Said, amounts: list[Atom]) -> bool:
    """«Аэлин, верни мои 5 монет!»: asked of another, given to nobody."""
    tokens = said.context.layout.tokens
    mine = any(a.first and tokens[a.first - 1].norm.startswith((*stems("mine"), *stems("ours"))) for a in amounts)
    return mine and any(a.verb is Verb.IMPERATIVE for a in said.match.triggers)


def _exactly(said: Said, amounts: list[Atom]) -> None:
    """Stops where no sum is told: «вдвое больше», «половину казны», «около десяти»."""
    words = [t.norm for t in said.context.layout.tokens[said.match.first : said.match.last + 1]]
    if any(w in _COMPARED for w in words) and not said.has("from_now") and "ни" not in words:
        raise said.stop("ambiguous", "Сколько именно монет? Назовите число.", draft={"type": "send_money"})
    if len(amounts) > 1 and any(a.prep == "на" for a in amounts[1:]):
        raise said.stop("ambiguous", "Кому сколько монет? Назовите каждому число.", draft={"type": "send_money"})
    if said.atoms("share") or any(_about(said, a) for a in amounts):
        raise said.stop("ambiguous", "Сколько именно монет? Назовите число.", draft={"type": "send_money"})


def _tokens_before(said: Said) -> Sequence[Token]:
    """The tokens of the match and the few before it in its sentence."""
    layout = said.context.layout
    return layout.tokens[max(layout.sentences[said.match.sentence].first, said.match.first - 3) : said.match.last]


def _about(said: Said, amount: Atom) -> bool:
    """«до пяти монет», «монет около десяти», «примерно 5»."""
    tokens = said.context.layout.tokens
    before = tokens[amount.first - 1].norm if amount.first else ""
    return before in _ABOUT or amount.prep in _UP_TO


def _split(said: Said, people: list[Atom], amount: Atom) -> list[Output]:
    """«двенадцать монет поровну между Аэлин и Торгримом»: each gets his part of the sum."""
    sense = amount.get("coins", "number")
    total = sense.value if sense is not None and isinstance(sense.value, int) else 0
    if len(people) < 2 or total <= 0 or total % len(people):
        raise said.stop("ambiguous", "Кому сколько монет? Назовите каждому число.", draft={"type": "send_money"})
    said.settled.append(amount)
    part = replace(amount, senses=(Sense("coins", total // len(people)),))
    return [_transfer(said, person, part) for person in people]


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
_ABOUT = frozenset(tables()["about"]["words"])
_UP_TO = frozenset(tables()["about"]["preps"])
_OWED = frozenset(tables()["owed"]["words"])
_ALSO = frozenset({"тоже", "также"})
_COMPARED = frozenset(tables()["comparative"]["words"])


def _as_much_as(said: Said, amount: Atom) -> Filled | None:
    """The sum of the player whom «столько же, сколько …» names, where this post gives him one."""
    tokens = said.context.layout.tokens
    model = next((a for a in said.context.by_sentence.get(said.match.sentence, []) if 0 <= a.first - amount.last <= 2), None)
    if model is None or not model.has("player") or tokens[model.first - 1].norm not in {"сколько", "как"}:
        return None
    sent = (o.command for _, made in said.context.outputs for o in made if isinstance(o, Reading))
    sums = [c["amount"] for c in sent if c.get("type") == "send_money" and c.get("to") == said.player_of(model)]
    said.settled.append(model)
    return Filled(model, (Sense("coins", sums[-1]),)) if sums else None


def _how_much(said: Said, person: Atom) -> Output:
    draft = {"type": "send_money", "to": said.player_of(person)}
    return said.stop("bad_amount", f"Сколько монет: {person.text}?", span=person.span, draft=draft).problem


def _transfer(said: Said, person: Atom, amount: Atom) -> Output:
    return _sent(said, said.player_of(person), amount)


def _sent(said: Said, to: str | None, amount: Atom) -> Output:
    sense = amount.get("coins", "range", "number")
    if sense is None:  # «столько же», «столько же, сколько Аэлин»
        before = _as_much_as(said, amount) or said.context.before(amount.span.start, "coins", "number")
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
    minus = amount.first > 0 and said.context.layout.tokens[amount.first - 1].norm == "минус"
    negative = bool(amount.data.get("negative")) or value < 0 or minus
    if negative or value <= 0:
        raise said.stop("bad_amount", text_of("bad_amount"), severity=Severity.ERROR, draft=draft)
    if to is None or to == said.me:
        names = ", ".join(p.name for p in said.state.players.values() if p.id != said.me and p.status == "in")
        raise said.stop("bad_recipient", text_of("bad_recipient", list=names), draft=draft)
    return said.read({"type": "send_money", "to": to, "amount": int(value)})


FRAMES = (
    Frame(
        "send_money",
        ("give", "courier", "gift", "receive", "split", "endow"),
        (
            Slot("players", ("player",), many=True, refs=("~person",), cases=_DATIVE, required=False, weight=1.2),
            Slot("amount", ("coins", "number", "range"), many=True, refs=("~amount",), weight=1.3),
            Slot("everyone", ("everyone", "both"), weight=0.7),
            Slot("pairs", ("transfer",), many=True, weight=1.4),
            Slot("share", ("~half", "~all", "~rest"), weight=0.6),
        ),
        bare=(frozenset({"pairs"}), frozenset({"players", "amount"}), frozenset({"everyone", "amount"})),
        asides=frozenset({"на", "за", "в"}),
        noise=frozenset(
            {"arrow", "~each", "~once_more", "troops", "commander_word", "from_now", "reverse", "each_word", "only", "province"}
        ),
        at_most={"players": 3, "amount": 3},
        score=_money_score,
        make=_money,
        key=lambda command: command.get("to"),
    ),
)
