"""What the frames of a turn's orders share: refusals, questions, looking for words and names, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Fill, Match, Slot, choice
from parsers.russian import Verb, info
from parsers.types import Problem, Severity, Span
from rules.steel_rose.language.names import tables
from rules.steel_rose.language.senses import value_of
from rules.steel_rose.refusals import Refusal, refuse

Score = Callable[[Fill], float | None]
MOST = 1_000_000_000
"""A larger number of units is a slip of the finger or a joke."""
CITY = ("city",)
TOWN = ("city", "mobile")
SQUADS = Slot("squads", ("squad", "unit"), many=True)
MONEY = Slot("money", ("gold", "honor", "mana", "hunger"), many=True, weight=0.2)
LEVEL = Slot("level", ("level",), many=True, weight=0.4)
EVERYWHERE = ("everywhere", "everywhere_small", "everywhere_large", "everywhere_rest")
"""Kinds of words for several own cities at once: all, the small, the large ones, those not named yet."""
RIVALS = Slot("faction", ("faction",), refs=("~person",))


def refusal(context: Context, match: Match, out: Refusal, severity: Severity, span: Span | None = None, **more: Any) -> Problem:
    """A refusal's sentence as a problem of a match."""
    return context.problem(match, out.code, out.message, span, severity=severity, rule=out.rule, **more)


def ask(context: Context, match: Match, key: str, choices: Iterable[str] = (), code: str = "ambiguous", **values: Any) -> Problem:
    """A question of the language (`[asks]` of the data)."""
    text = tables()["asks"][key].format_map(values)
    return context.problem(match, code, text, choices=[choice(c) for c in choices])


def has(match: Match, *kinds: str) -> bool:
    """True when a word of one of these kinds stands in the match."""
    return any(a.has(*kinds) for a in match.atoms)


def values(match: Match, *kinds: str) -> list[Any]:
    """The values of these kinds in the order of the text, each once."""
    out: list[Any] = []
    for atom in match.atoms:
        value = value_of(atom, *kinds)
        if value is not None and value not in out:
            out.append(value)
    return out


def nearby(context: Context, match: Match, *kinds: str) -> list[Atom]:
    """Atoms of these kinds in the sentence of a match."""
    return [a for a in context.by_sentence.get(match.sentence, []) if a.has(*kinds)]


def unknown_name(context: Context, match: Match, kinds: Sequence[str], reach: int = 3) -> Span | None:
    """A word that stands where a name should, but is none we know: before a colon or dash, or after «в», «на»."""
    tokens = context.layout.tokens
    sentence = context.layout.sentences[match.sentence]
    for token in context.unknown_words(max(sentence.first, match.first - reach), min(sentence.last, match.last + reach)):
        at = tokens.index(token)
        known = info(token.norm)
        if len(token.norm) < 4 or known.verb is not Verb.NONE:
            continue
        capital = context.layout.text[token.start].isupper()
        behind = tokens[at + 1].norm if at + 1 < len(tokens) else ""
        before = tokens[at - 1].norm if at else ""
        if (capital and (behind in {":", "-", "←", "=", "|"} or before in {"в", "на", "во", "-", "→", ">", "из"})) or (
            before in {"в", "во", "на"} and not known.known
        ):
            return token.span
    return None


_PART = 4
"""So many words beside an order a word for a part is looked for."""


def only_some(match: Match, context: Context) -> list[str]:
    """«Копейщиков 10, из них 4 в армию 2»: a note that only a part is meant."""
    said = [t.norm for t in context.layout.tokens[match.first : match.last]]
    words = frozenset(tables()["portion"]["words"])
    sentence = context.layout.sentences[match.sentence]
    here = context.layout.tokens[max(sentence.first, match.first - _PART) : min(sentence.last, match.last + _PART)]
    halved = next((t.norm for t in here if t.norm in words), "")
    if halved and not has(match, "squad"):
        return [tables()["asks"]["left_over"].format(text=halved)]  # «часть армии — на Кронвик»
    part = any(pair in (("из", "них"), ("из", "которых"), ("из", "коих")) for pair in pairwise(said))
    return [tables()["asks"]["left_over"].format(text="из них")] if part else []


def unknown_city(context: Context, match: Match, span: Span) -> Problem:
    """«Не знаю город «…»»."""
    near = context.lexicon.suggest(context.text(span), CITY)
    hint = tables()["asks"]["nearest"].format(list=", ".join(near)) if near else ""
    out = refuse("E_UNKNOWN_CITY", x=context.text(span), nearest=hint)
    return refusal(context, match, out, Severity.ERROR, span, choices=[choice(n) for n in near])


def city_of(context: Context, match: Match, name: str = "city", kinds: Sequence[str] = CITY) -> Any:
    """The city of a slot: its id; a `Problem` where it is not unique; None where there is none."""
    filled = match.first_of(name)
    if filled is None:
        return None
    if filled.ref:
        found = context.before(filled.atom.span.start, *kinds)
        return None if found is None else found.value
    if len(filled.senses) > 1:
        return context.which(match, name, filled)
    return filled.value


def wants(*groups: tuple[str, ...], bonus: float = 0.0) -> Score:
    """The stretch must hold a slot of every group."""

    def score(fill: Fill) -> float | None:
        return bonus if all(any(n in fill.slots for n in group) for group in groups) else None

    return score


def called(fill: Fill, *kinds: str) -> bool:
    """A word of one of these kinds stands in the stretch."""
    return any(a.has(*kinds) for a in fill.atoms)


def own_cities(context: Context, match: Match, used: Iterable[str] = ()) -> list[str]:
    """The own cities that a word like «везде», «в малых городах», «в остальных» of the match means; `used`: named before."""
    mine = [(i, c) for i, c in context.view.state.cities.items() if c.owner == context.view.faction and not c.ruin]
    if has(match, "everywhere_small"):
        mine = [(i, c) for i, c in mine if c.type == "small"]
    elif has(match, "everywhere_large"):
        mine = [(i, c) for i, c in mine if c.type == "large"]
    elif has(match, "everywhere_rest"):
        mine = [(i, c) for i, c in mine if i not in set(used)]
    return [i for i, _ in mine]
