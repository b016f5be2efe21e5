"""Words that stand for something said elsewhere, or that set something aside: «атакуем его», «там же», «не барак, а ферму»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parsers.atoms import Atom, Sense
from parsers.reading_atoms import between, joined
from parsers.russian import Verb, info, normal
from parsers.structure import Layout
from parsers.tokens import Kind
from parsers.types import Span
from rules.steel_rose.language.names import tables

ASIDE = "instead_of"
"""Kind of what a player names only to say that he doesn't want it; `data["aside"]` holds its senses."""
_THINGS = frozenset(
    {"building", "unit", "squad", "number", "city", "faction", "cell", "flank", "row", "army", "armynumber", "gold"}
)


def widened(layout: Layout, atom: Atom, first: int, last: int) -> Atom:
    """The atom over the tokens `first <= i < last`, all of them its own."""
    span = Span(layout.tokens[first].start, layout.tokens[last - 1].end)
    text = layout.text[span.start : span.end]
    return replace(atom, first=first, last=last, span=span, text=text, data={**atom.data, "parts": ((first, last),)})


def set_aside(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«не барак, а ферму», «не 10, а 8»: what «не» denies and «а» replaces is one atom that means nothing."""
    tokens = layout.tokens
    out: list[Atom] = []
    i = 0
    while i < len(atoms):
        run = _denied(layout, atoms, i)
        if not run:
            out.append(atoms[i])
            i += 1
            continue
        made = _aside(layout, run)
        at = next(k for k in range(made.first - 1, made.first - 3, -1) if tokens[k].norm == "не")
        out.append(widened(layout, replace(made, prep=""), at, made.last))
        i += len(run)
    return out


def _denied(layout: Layout, atoms: Sequence[Atom], i: int) -> list[Atom]:
    """The atoms between «не» and «, а»; none where nothing of their kind follows."""
    tokens, first = layout.tokens, atoms[i].first
    before = [tokens[k].norm for k in range(max(0, first - 2), first)]
    if not (before[-1:] == ["не"] or (before[:1] == ["не"] and len(before) == 2 and atoms[i].prep)):
        return []
    run = [atoms[i]]
    for following in atoms[i + 1 : i + 4]:
        gap = between(layout, run[-1], following)
        if layout.sentence_of[following.first] != layout.sentence_of[first]:
            return []
        if "а" in gap:
            kinds = {k for a in run for k in a.kinds} & _THINGS
            same = bool(kinds & following.kinds) or (run[-1].has("number") and following.has("unit", "number"))
            return run if kinds and same and len(gap) <= 4 else []
        if gap:
            return []
        run.append(following)
    return []


def _aside(layout: Layout, run: Sequence[Atom]) -> Atom:
    senses = tuple((s.kind, s.value) for a in run for s in a.senses)
    return joined(layout, run, Sense(ASIDE, ASIDE), aside=senses)


def were(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«волки: было 10, пусть будет 12»: the number that was is no order."""
    past = frozenset(tables()["were"]["words"])
    tokens = layout.tokens
    out = []
    for n, atom in enumerate(atoms):
        was = atom.has("number") and atom.first and tokens[atom.first - 1].norm in past
        if (
            was
            and n
            and atoms[n - 1].has("unit", "number")
            and layout.sentence_of[atoms[n - 1].first] == layout.sentence_of[atom.first]
        ):
            out.append(_aside(layout, [atom]))
        else:
            out.append(atom)
    return out


def sums_beside(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«барак, минус 150, осталось 700»: a minus with a bare sum takes nothing away but money."""
    out: list[Atom] = []
    for n, atom in enumerate(atoms):
        left = out[-1] if out else None
        if (
            left is not None
            and left.has("minus")
            and atom.has("number", "gold", "honor", "mana", "hunger")
            and not atom.has("unit", "squad", "building")
            and not between(layout, left, atom)
            and not (n + 1 < len(atoms) and atoms[n + 1].has("unit", "building") and atoms[n + 1].first == atom.last)
        ):
            out[-1] = _aside(layout, [left, atom])
            continue
        out.append(atom)
    return out


def instead(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«вместо барака», «вместо 4 лучников»: what stands behind «вместо» is no order."""
    out: list[Atom] = []
    for atom in atoms:
        left = out[-1] if out else None
        if (
            left is not None
            and left.has("~instead")
            and atom.has("building", "unit", "squad")
            and not between(layout, left, atom)
        ):
            out[-1] = widened(layout, replace(_aside(layout, [atom]), prep=""), left.first, atom.last)
            continue
        out.append(atom)
    return out


def pronouns(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«атакуем его», «идём на него», «строим там»: a pronoun for a place named before is a reference `~place`."""
    table = tables()["pronouns"]
    objects, spots = frozenset(table["objects"]), frozenset(table["places"])
    tokens = layout.tokens
    wanted = {t.norm for t in tokens} & (objects | spots)
    if not wanted:
        return atoms
    fates = ("colonize", "plunder", "destroy")
    verbs = {a.last for a in atoms if a.has("attack", "defend", "upgrade", "m_defend", *fates)}
    heads = {a.first for a in atoms if a.has("attack", "defend", "upgrade", *fates)}
    taken = {i for a in atoms for i in range(a.first, a.last) if not a.has("enemy")}
    places: list[Atom] = []
    for i, token in enumerate(tokens):
        if token.norm not in wanted or i in taken:
            continue
        before = tokens[i - 1].norm if i else ""
        if token.norm in objects:
            verb = i - (before in {"на", "в", "к"})
            bare = before in {"на", "в", "к"} or info(token.norm).cases & {"accs", "gent"}
            if not bare or not (verb in verbs or i + 1 in heads) or _possessive(layout, i):
                continue
        elif (token.norm in {"нем", "ней"} and before not in {"в", "на"}) or any(
            tokens[k].norm in {"если", "чтобы"} for k in range(max(0, i - 3), i)
        ):
            continue
        prep = before if before in {"на", "в", "к"} else ""
        places.append(
            Atom(i, i + 1, token.span, (Sense("~place", "place"),), prep, frozenset(), Verb.NONE, False, False, token.norm, {})
        )
    if not places:
        return atoms
    now = {a.first for a in places}
    return sorted([*(a for a in atoms if a.first not in now), *places], key=lambda a: a.first)


def skipped_turns(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«пропускаю этот ход»: the verb with its turn is a pass, whatever stands between."""
    if not any(a.has("skip") for a in atoms):
        return atoms
    table = tables()["turn"]
    between_, turns = frozenset(table["between"]), frozenset(table["words"])
    tokens = layout.tokens
    out: list[Atom] = []
    for atom in atoms:
        made = atom
        if atom.has("skip") and not atom.has("pass"):
            at = atom.last
            while at < len(tokens) and (tokens[at].norm in between_ or tokens[at].norm in {":", "-"}):
                at += 1
            before = atom.first - 1
            while before > 0 and (tokens[before].norm in between_ or tokens[before].norm in {":", "-"}):
                before -= 1
            if at < len(tokens) and tokens[at].norm in turns:
                made = _whole(layout, atom, atom.first, at + 1)
            elif before >= 0 and tokens[before].norm in turns:
                made = _whole(layout, atom, before, atom.last)
        while out and out[-1].last > made.first:
            out.pop()
        out.append(made)
    return out


def _whole(layout: Layout, atom: Atom, first: int, last: int) -> Atom:
    return widened(layout, replace(atom, senses=(Sense("pass", "pass"),)), first, last)


def edited(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«едит: лучников 8»: a sign of correction that is one only at the head of a line."""
    words = frozenset(tables()["edits"]["words"])
    tokens = layout.tokens
    found: list[Atom] = []
    for line in layout.lines:
        heads = range(line.first, min(line.first + 2, line.last))
        at = next((i for i in heads if tokens[i].kind is Kind.WORD), -1)
        said = normal(layout.text[tokens[at].start : tokens[at].end]) if at >= 0 else ""  # as written: «едит» is no typo here
        if said.rstrip("0123456789") not in {w.rstrip("0123456789") for w in words}:
            continue
        end = at + 1
        while end < line.last and tokens[end].kind is Kind.NUMBER and tokens[end].glued:
            end += 1
        if end < line.last and (tokens[end].norm in {":", "-"} or end > at + 1):
            span = Span(tokens[at].start, tokens[end - 1].end)
            sense = Sense("~correction", "correction")
            found.append(Atom(at, end, span, (sense,), "", frozenset(), Verb.NONE, False, False, tokens[at].norm, {}))
    if not found:
        return atoms
    taken = {i for a in found for i in range(a.first, a.last)}
    return sorted([*(a for a in atoms if a.first not in taken), *found], key=lambda a: a.first)


def only_placed(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«никого», «нет», «пусто» mean something only where places are told; elsewhere they are words like others."""
    if not any(a.has("nobody") for a in atoms):
        return atoms
    lines = {layout.sentences[layout.sentence_of[a.first]].line for a in atoms if a.has("cell", "flank", "row")}
    out = []
    for atom in atoms:
        index = layout.sentence_of[atom.first]
        line = layout.sentences[index].line
        if atom.kinds == {"nobody"} and not lines & {line, line - 1}:
            continue
        out.append(atom)
    return out


def _possessive(layout: Layout, i: int) -> bool:
    """«его столицу»: a noun of its case follows at once."""
    following = layout.tokens[i + 1] if i + 1 < len(layout.tokens) else None
    if following is None or following.kind is not Kind.WORD:
        return False
    known = info(following.norm)
    return known.verb is Verb.NONE and bool(known.cases & {"accs", "gent", "datv"}) and "ablt" not in known.cases


def said_anew(layout: Layout, atoms: list[Atom]) -> list[Atom]:
    """«6 копейщиков, точнее 7 копейщиков»: the squad before a sign of correction and the same unit behind it is no squad."""
    out: list[Atom] = []
    for atom in atoms:
        left, mark = (out[-2], out[-1]) if len(out) > 1 else (None, None)
        if left is None or mark is None or not mark.has("~correction") or not left.has("squad") or not atom.has("squad"):
            out.append(atom)
            continue
        units = [{s.value[0] for s in a.all("squad")} for a in (left, atom)]
        together = layout.sentence_of[left.first] == layout.sentence_of[atom.first]
        loose = between(layout, left, mark), between(layout, mark, atom)
        if together and units[0] == units[1] and not any(norm.isalpha() for gap in loose for norm in gap):
            out[-2:] = [widened(layout, joined(layout, [left, mark], Sense(ASIDE, ASIDE), aside=()), left.first, mark.last)]
        out.append(atom)
    return out
