"""All joins of atoms that only together mean something, in the order in which they build on each other."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parsers.atoms import Atom, Sense
from parsers.russian import Verb, closed_class, info, normal
from parsers.structure import Layout
from parsers.tokens import Kind
from rules.grand_strategy.language.address_joins import addressed
from rules.grand_strategy.language.card_joins import CardJoins
from rules.grand_strategy.language.card_places import placed
from rules.grand_strategy.language.closings import closing
from rules.grand_strategy.language.consent_joins import ConsentJoins
from rules.grand_strategy.language.defence_joins import by_oneself, held_walls, no_more, unjoined
from rules.grand_strategy.language.denials import denied, exchanged, meanwhile, refused, renamed, replaced, supposed
from rules.grand_strategy.language.endings import Endings
from rules.grand_strategy.language.force_joins import allies, forced, prize, side_by_side
from rules.grand_strategy.language.house_joins import becoming
from rules.grand_strategy.language.number_joins import numbered
from rules.grand_strategy.language.permit_joins import Passes
from rules.grand_strategy.language.place_joins import PlaceJoins
from rules.grand_strategy.language.sentences import stamped
from rules.grand_strategy.language.service_joins import served
from rules.grand_strategy.language.spell_joins import numbered_twice, raised, spoken
from rules.grand_strategy.language.spots import Spots
from rules.grand_strategy.language.sum_joins import (
    asked_for,
    go_betweens,
    lone_coins,
    purposes,
    ranges,
    revive,
    totals,
    transfers,
)
from rules.grand_strategy.language.suppositions import suppositions
from rules.grand_strategy.language.way_joins import overflow, paths, ways
from rules.grand_strategy.language.window_joins import between_turns
from rules.grand_strategy.view import View


class Joins:
    """All joins of a view, in the order in which they build on each other."""

    def __init__(self, view: View, kind: str | None = None) -> None:
        units = view.state.units.values()
        self._card_joins = CardJoins(
            view.faction,
            kind == "battle",
            frozenset(u.id for u in units if u.owner != view.faction),
            frozenset(u.type for u in units if u.owner == view.faction),
        )
        self._state = view.state
        self._numbered = partial(numbered, view.state.board.provinces)
        self._places = PlaceJoins(view)
        owned = {u.id: u.owner for u in view.state.units.values() if u.owner and u.owner != view.faction}
        self._allies = partial(allies, owned)
        self._spots = Spots(view)
        self._endings = Endings(view.faction)
        self._passes = Passes(view.faction)
        self._consents = ConsentJoins(view)

    def __call__(self, layout: Layout, atoms: list[Atom]) -> list[Atom]:
        atoms = [a for a in self._spots(layout, atoms) if not a.has("now")]
        atoms = [self._as_it_stands(_whole(a)) for a in atoms]
        revive(layout, atoms)
        for step in (
            suppositions,
            totals,
            addressed,
            becoming,
            lone_coins,
            asked_for,
            go_betweens,
            purposes,
            ranges,
            exchanged,
            replaced,
            renamed,
            transfers,
            held_walls,
            by_oneself,
            unjoined,
            no_more,
            forced,
            self._card_joins.fought,
            self._numbered,
            placed,
            self._card_joins.cards,
            raised,
            spoken,
            numbered_twice,
            self._places.houses,
            self._card_joins.named,
            self._places.garrisons,
            self._places.troops,
            ways,
            self._allies,
            side_by_side,
            prize,
            supposed,
            meanwhile,
            served,
            between_turns,
            refused,
            denied,
            self._passes,
            self._consents,
            overflow,
            _without_possessives,
            paths,
            self._endings,
            closing,
        ):
            atoms = step(layout, atoms)
        return stamped(layout, atoms)

    def _as_it_stands(self, here: Atom) -> Atom:
        """A player's name in its first form may stand for any case («Аэлин 5»): marked with the case `same`."""
        sense = here.get("player")
        if sense is not None and not sense.partial:
            here = replace(
                here, senses=tuple(s for s in here.senses if s.kind != "unit" or self._named_after(s, str(sense.value)))
            )
        if sense is not None and not sense.partial:
            name = normal(self._state.players[sense.value].name)
            if normal(here.text) != name and normal(here.text).startswith(name[:-1]):
                here = replace(here, cases=here.cases - {"nomn"})  # «Торгрима» is no woman's name
        if sense is None or sense.partial or normal(here.text) != normal(self._state.players[sense.value].name):
            return here
        return replace(here, cases=here.cases | {"same"})

    def _named_after(self, unit: Sense, player: str) -> bool:
        """«Аэлин» may be the troop «Аэлин Ясновидящая», «Радомир» is never his «Дружина Радомира»."""
        found = self._state.units.get(str(unit.value))
        return found is None or not unit.partial or found.name.split()[0].lower() == self._state.players[player].name.lower()


def _without_possessives(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«на его вкус»: a possessive stands for nobody."""
    tokens = layout.tokens
    out: list[Atom] = []
    for here in atoms:
        if here.has("~person") and here.text.lower() in {"его", "ее", "её", "их"} and here.last < len(tokens):
            following = tokens[here.last]
            noun = following.kind is Kind.WORD and following.norm not in closed_class() and info(following.norm).verb is Verb.NONE
            if noun:
                continue
        out.append(here)
    return out


def _whole(here: Atom) -> Atom:
    """Where a word is a whole name it is no part of a longer one; a troop's kind and its proper name may go together."""
    person = any(s.kind == "player" and not s.partial for s in here.senses)
    for kind in ("house",) if person else ("house", "unit"):
        parts = {s.value for s in here.senses if s.kind == kind}
        if len(parts) == 1:  # a part of a name that fits one thing only is its name
            here = replace(here, senses=tuple(replace(s, partial=False) if s.kind == kind else s for s in here.senses))
    whole = [s for s in here.senses if not s.partial]
    partial = [s for s in here.senses if s.partial]
    if partial and any(s.kind in ("player", "house", "province", "unit") for s in whole):
        return replace(here, senses=tuple(s for s in here.senses if not s.partial or s.kind == "unit"))
    return here
