"""Who gets the coins: those named beside a sum, but for its sender and for whom it is refused (R31)."""

from __future__ import annotations

from dataclasses import replace

from parsers.atoms import Atom
from parsers.russian import info
from parsers.tokens import Kind
from rules.grand_strategy.language.names import is_noun, tables
from rules.grand_strategy.language.said import Said, text_of


def receivers(said: Said, amounts: list[Atom]) -> list[Atom]:
    """The people of a match who may get something: not its sender, not those who are refused."""
    people = said.atoms("players")
    sentence_of = said.context.layout.sentence_of
    people = [p for p in people if said.player_of(p) != said.me or not _subject(p)] or people
    people = [p for p in people if any(sentence_of[p.first] == sentence_of[a.first] for a in amounts)] or people
    arrows = said.words("arrow")
    if arrows:
        people = [a for a in people if a.first > arrows[0].first] or people
    # «Гхашу ни монеты, Аэлин 3»
    refused = [p for p in people if _refused(said, p, amounts) or _gets_nothing(said, p, amounts)]
    said.settled += refused
    for person in refused:
        _heard(said, person)
    people = [p for p in people if p not in refused]
    return [p for n, p in enumerate(people) if said.player_of(p) not in {said.player_of(q) for q in people[:n]}]


def _heard(said: Said, person: Atom) -> None:
    """«…, но Гхашу не дам»: the refusal is understood, it shakes nobody else's sum."""
    for atom in said.context.by_sentence.get(said.match.sentence, []):
        if atom.has("refuse") and 0 <= atom.first - person.last <= _BEHIND:
            refusal = replace(said.match, atoms=(atom,), first=atom.first, last=atom.last)
            said.memory.setdefault("stories", []).append(refusal)


_BEHIND = 3
"""Tokens between a name and what is refused him at most."""


def paired(people: list[Atom], amounts: list[Atom]) -> list[tuple[Atom, Atom]]:
    """«отдать 7 монет Дружине и 3 Гхашу», «Аэлин 5, Радомиру 7»: amounts keep to their side of the name."""
    out: list[tuple[Atom, Atom]] = []
    for person in people:
        free = [a for a in amounts if not any(a is used for _, used in out)]
        if not free:
            break
        before_first = amounts[0].first < people[0].first
        near = [a for a in free if (a.first < person.first) == before_first] or free
        out.append((person, min(near, key=lambda a: abs(a.first - person.first))))
    return out


def paid(said: Said, people: list[Atom], amount: Atom) -> tuple[list[Atom], list[Atom]]:
    """Whom one sum goes to, and the others: «Торгриму, Гхашу и Радомиру по 3» is for all of the list, «привет Торгриму и 8
    монет Гхашу» for the one beside it."""
    lists: list[list[Atom]] = []
    for person in people:
        gap = said.context.layout.tokens[lists[-1][-1].last : person.first] if lists else []
        if lists and all(t.norm in _LINKS for t in gap):
            lists[-1].append(person)
        else:
            lists.append([person])

    def distance(group: list[Atom]) -> int:
        return min(max(amount.first - p.last, p.first - amount.last) for p in group)

    best = min(lists, key=distance)
    ahead = [g for g in lists if g is not best and g[0].first < amount.first and not any(gets_else(said, p) for p in g)]
    if best[0].first < amount.first or amount.prep == "по":
        best = [p for g in lists if g is best or any(g is a for a in ahead) for p in g]
    return best, [p for p in people if p not in best]


def gets_else(said: Said, person: Atom) -> bool:
    """«Торгриму привет», «привет Торгриму»: a thing that is nothing of the game stands right beside the name."""
    layout = said.context.layout
    for i in (person.first - 1, person.last):
        if not 0 <= i < len(layout.tokens) or layout.tokens[i].kind is not Kind.WORD or said.inside(i):
            continue
        word = info(layout.tokens[i].norm)
        if layout.sentence_of[i] == layout.sentence_of[person.first] and "accs" in word.cases and is_noun(layout.tokens[i].norm):
            return True
    return False


_LINKS = frozenset({",", "и", "а", "также", "тоже", "с", "плюс", "+", "еще", "/", "&", "между", "к", "для"})


def two_named(said: Said) -> list[str]:
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
        if tokens[i].norm in {",", "и"} or any(a.first == i for a in amounts):
            return False
        if tokens[i].norm in _NOTHING:
            return True
    return False


_NOTHING = frozenset(tables()["nothing_for"]["words"])
