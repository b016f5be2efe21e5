"""Standing orders: «если орки подойдут — атакуем» (R184)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from parsers.atoms import Atom, within
from parsers.context import Context
from parsers.language import Language
from parsers.russian import Verb, info
from parsers.structure import Layout
from parsers.types import Reading
from rules.grand_strategy.commands import PLUS_ACTIONS
from rules.grand_strategy.language import standing_audit
from rules.grand_strategy.language.events import EVENTS, spread_events
from rules.grand_strategy.language.names import pronouns, stems, tables
from rules.grand_strategy.language.said import Said
from rules.grand_strategy.language.slots import COMMON

TRIGGER_UNIT = "<trigger unit>"


def standing(
    language: Language, said: Said, where: Sequence[Atom], condition: tuple[int, int], deed: tuple[int, int]
) -> Reading | None:
    """The standing order that these words make; None where the event or the deed is none of the game."""
    turns = [kind for _, kind in spread_events(said.context.layout.tokens[slice(*condition)])]
    events = turns or [kind for kind in EVENTS if any(a.has(kind) for a in where)] or _implied(said, where, condition)
    if not events or (where and _either(said.context.layout, where)):
        return None
    if standing_audit.denied(said, where, condition) or standing_audit.limited(said, deed):
        return None
    filter_: dict[str, Any] = {}
    mine = _mine(said, where)
    who = _who(said, where, mine)
    if "player" not in who and any(t.norm in pronouns("somebody") for t in said.context.layout.tokens[slice(*condition)]):
        meant = next((p for a in inside(said.context, *deed) if (p := said.player_of(a)) not in (None, said.me)), None)
        who = {**who, "player": meant} if meant is not None else who  # «Торгриму 3 монеты, как только он начнёт ход»
    own = [a for a, _ in mine]
    places = _places(said, [a for a in where if a not in own])
    if standing_audit.turned_round(own, [a for a in where if a not in own and a.has("player", "unit", "utype", "cell")]):
        return None
    if not places and not mine and "on_arrive" in events:
        # «нагрянет кто — гарнизон бьёт»
        places = [(a, said.cell_of(a)) for a in inside(said.context, *deed) if a.has("garrison") and a.senses[0].value]
    kind = events[0]
    if kind == "on_near" and not mine and not places and len(said.own()) == 1:
        mine = [(where[0], said.own()[0])]
    if not mine and any(a.has("on_near") and not a.has("on_arrive") for a in where):
        mine = [(a, c) for a, c in places if _owner(said, c) == said.me][:1]  # «подойдёт к Трону»
    if "on_near" in events and mine:
        kind = "on_near"
    elif places and "on_arrive" in events:
        kind = "on_arrive"
    if kind == "on_near" and not mine:
        kind = "on_arrive" if places else kind
    if "on_near" in events and kind == "on_arrive":
        said.unsure("«рядом» понято как «на этой клетке»")
    trigger = {
        "on_attack": "attack_declared_on",
        "on_start": "turn_start",
        "on_end": "turn_end",
        "on_money": "money_received",
    }.get(kind, "")
    if kind == "on_near":
        if not mine:
            return None
        trigger, filter_["mine"] = "unit_adjacent", mine[0][1]
        filter_.update(who)
    elif kind == "on_arrive":
        if not places:
            return None
        cell = places[0][1]
        trigger = "unit_on_building" if _owner(said, cell) == said.me else "unit_on_cell"
        filter_["cell"] = cell
        filter_.update(who)
    elif kind == "on_attack":
        target = mine[0][1] if mine else places[0][1] if places else None
        if target is None:
            return None
        filter_["target"] = target
    elif kind == "on_money":
        if any(a.has("unit", "utype") and not a.has("player") for a in where):
            return None  # «если пришлёт эльфов»
        if who.get("player"):
            filter_["from"] = who["player"]
    elif who.get("player"):
        filter_["player"] = who["player"]
    else:
        return None
    action = _action(language, said, deed, mine, who)
    if action is None:
        return None
    command: dict[str, Any] = {"type": "standing_order", "trigger": trigger, "filter": filter_, "action": action}
    if said.near("repeat", behind=12) is not None:
        command["once"] = False
    left = standing_audit.unheld(said, where, inside(said.context, *deed), command)
    if left is not None:
        said.unsure(f"в приказ не вошло «{left.text}»")
    if standing_audit.nobody(said, where, condition, command):
        said.unsure("не сказано, чьё войско")
    return said.read(command)


def _implied(said: Said, where: Sequence[Atom], condition: tuple[int, int]) -> list[str]:
    """«деньги от Радомира», «чужие у стражи», «Гхаш доберётся до Г8»: the event that only who comes and where tells."""
    head = tables()["head"]
    words = [info(said.context.layout.tokens[i].norm) for i in range(*condition)]
    if any(w.lemmas & set(tables()["supposing"]["money"]) for w in words) and any(a.prep in {"от", "с"} for a in where):
        return ["on_money"]
    told = any(w.verb in (Verb.THIRD, Verb.SECOND, Verb.PAST) and not w.lemmas & set(head["moved"]) for w in words)
    if told and _to_me(said, condition) and any(said.player_of(a) not in (None, said.me) for a in where if a.has("player")):
        return ["on_money"]
    if told:
        return []
    if any(a.prep and a.prep not in {"на", "в", "во"} and _own(said, a) for a in where):
        return ["on_near"]
    return ["on_arrive"] if any(a.has("cell") or (a.prep and a.has("house", "garrison")) for a in where) else []


def _to_me(said: Said, condition: tuple[int, int]) -> bool:
    """«прислал деньги», «мне перечислит»."""
    tokens = said.context.layout.tokens
    money, me = set(tables()["supposing"]["money"]), pronouns("to_me")
    return any(info(tokens[i].norm).lemmas & money or tokens[i].norm in me for i in range(*condition))


def _places(said: Said, where: Sequence[Atom]) -> list[tuple[Atom, str]]:
    """Cells and buildings in the condition; «мой город» where there is one."""
    out: list[tuple[Atom, str]] = []
    for atom in where:
        if atom.has("house", "cell", "garrison"):
            out.append((atom, said.cell_of(atom)))
        elif atom.has("btype"):
            own = said.buildings(str(atom.all("btype")[0].value), said.me)
            out += [(atom, b.cell) for b in own if len(own) == 1]
    return out


def _own(said: Said, atom: Atom) -> bool:
    return atom.has("unit", "utype", "personal") and any(said.mine(u) for u in said.candidates(atom))


def _owner(said: Said, cell: str) -> str | None:
    building = said.state.buildings.get(cell)
    return building.owner if building is not None else None


def _action(
    language: Language, said: Said, deed: tuple[int, int], mine: Sequence[tuple[Atom, str]], who: dict[str, Any]
) -> dict[str, Any] | None:
    context = said.context
    atoms = [a for a in inside(context, *deed) if not a.negated]
    fights = [a for a in atoms if _fights(a, atoms) and not a.has("give") and not _his(said, a)]
    if fights and any(a.has("coins", "hire", "build", "spell") for a in atoms if a not in fights):
        return None  # more than one deed
    if fights:
        garrison = next((a for a in atoms if a.has("garrison")), None)
        if garrison is not None and any(garrison.last <= a.first < fights[0].first and _own(said, a) for a in atoms):
            said.unsure(f"в приказ не вошло «{garrison.text}»")  # «гарнизон бессилен, но пусть всадники их рубят»
            garrison = None
        others = [
            u
            for a in atoms
            if a.has("unit", "utype")
            for u in said.candidates(a)
            if not said.mine(u) and a.first > fights[0].first and not _pronoun_before(said, a)
        ]
        if garrison is not None and garrison.senses[0].value and garrison.get("garrison") is not None:
            return {"type": "garrison_attack", "building": str(garrison.get("garrison").value), "target": TRIGGER_UNIT}  # type: ignore[union-attr]
        named = [
            said.unit(a) for a in atoms if a.has("unit", "utype", "personal") and any(said.mine(u) for u in said.candidates(a))
        ]
        unit = named[0] if named else next((u for _, u in mine if u in said.own()), None) or said.default_actor()
        target = others[0] if others and not mine else TRIGGER_UNIT
        command: dict[str, Any] = {"type": "attack", "unit": unit, "target": target}
        cards = [s for a in atoms for s in a.all("cards") if not a.has("badcard")]
        if cards:
            command["cards"] = list(cards[0].value)
        else:
            single = [s for a in atoms for s in a.all("card") if not a.has("attack")]
            if single:
                command["cards"] = [single[0].value] * said.squads(unit)
        return command
    made = language.read_part(context, *deed)
    commands = [o.command for _, outputs in made for o in outputs if isinstance(o, Reading)]
    plain = [dict(c) for c in commands if c["type"] in PLUS_ACTIONS]
    if not commands:
        return _gift(said, atoms, who)
    return plain[0] if len(plain) == 1 and len(commands) == 1 else None


def _fights(verb: Atom, deed: Sequence[Atom]) -> bool:
    """«бьёт», «отвечает»; «выставить» is the garrison's."""
    return verb.has("attack", "answer") or (verb.has("fire") and any(a.has("garrison") for a in deed))


def _his(said: Said, verb: Atom) -> bool:
    """«…, пусть валит миром»: what he is to do."""
    beside = said.context.by_sentence.get(said.context.layout.sentence_of[verb.first], [])
    return verb.verb is Verb.THIRD and any(a.last == verb.first and a.has("let") for a in beside)


def _gift(said: Said, atoms: Sequence[Atom], who: dict[str, Any]) -> dict[str, Any] | None:
    """«…, ему 4 монеты»: to him whom the condition is about."""
    sums = [int(s.value) for a in atoms for s in a.all("coins", "number")[:1]]
    people = [a for a in atoms if a.has("~person", "player")]
    others = [a for a in atoms if not a.has("coins", "number", "~person", "player", "me", "give") and not a.kinds <= COMMON]
    if len(sums) != 1 or len(people) != 1 or others:
        return None
    to = said.player_of(people[0]) if people[0].has("player") else who.get("player")
    return {"type": "send_money", "to": to, "amount": sums[0]} if to not in (None, said.me) else None


def _either(layout: Layout, where: Sequence[Atom]) -> bool:
    """«на С7 или С8»: two conditions in one."""
    named = ("player", "unit", "utype", "cell", "house", "garrison", "personal")
    for i in range(where[0].first, where[-1].last):
        if layout.tokens[i].norm in tables()["or"]["words"]:
            if any(info(t.norm).lemmas & set(tables()["head"]["anybody"]) for t in layout.tokens[i + 1 : i + 3]):
                continue  # «Аэлин или кто-то из её людей»
            behind = [a for a in where if a.first > i]
            told = next((n for n, a in enumerate(behind) if a.has(*EVENTS)), len(behind))
            if told == 0 or any(a.has(*named) for a in behind[:told]) or told == len(behind):
                return True
    return False


def inside(context: Context, first: int, last: int) -> list[Atom]:
    """The atoms of the tokens `first <= i < last`."""
    return [a for a in within(context.atoms, first, last) if a.last <= last]


def _out_of(said: Said, atom: Atom) -> bool:
    """True for «кто из дружины», «кто из Радомировой дружины»."""
    whose = next((a for a in said.match.atoms if a.last == atom.first and a.has("player")), None)
    return "из" in {atom.prep, whose.prep if whose is not None else ""}


def _pronoun_before(said: Said, atom: Atom) -> bool:
    tokens = said.context.layout.tokens
    return atom.first > 0 and tokens[atom.first - 1].norm in {"их", "его", "мои", "моими"}


def _mine(said: Said, where: Sequence[Atom]) -> list[tuple[Atom, str]]:
    """One's own troops in the condition: what somebody comes near to or attacks."""
    out: list[tuple[Atom, str]] = []
    for atom in where:
        if atom.has("unit", "utype", "personal"):
            own = [u for u in said.candidates(atom) if said.mine(u)]
            if len(own) == 1:
                out.append((atom, own[0]))
            elif own:
                out.append((atom, said.unit(atom)))
            elif atom.prep in {"к", "ко"} and said.context.layout.tokens[atom.first - 1].norm.startswith(stems("mine")):
                said.unit(replace(atom, senses=()))
    for atom in where:
        if atom.has("garrison") and atom.senses[0].value:
            out.append((atom, str(atom.get("garrison").value)))  # type: ignore[union-attr]
    return out


def _who(said: Said, where: Sequence[Atom], mine: Sequence[tuple[Atom, str]]) -> dict[str, Any]:
    """Whose troops set it off, and of what kinds."""
    out: dict[str, Any] = {}
    taken = [a for a, _ in mine]
    for atom in where:
        if atom in taken:
            continue
        if atom.has("player") and (_out_of(said, atom) or not atom.has("utype")):
            player = said.player_of(atom)
            if player is not None and player != said.me:
                out.setdefault("player", player)
        elif atom.prep == "из" and atom.has("utype") and (race := said.player_of(atom)) is not None:
            out.setdefault("player", race)  # «кто из подгорных»
        elif atom.has("unit", "utype", "player"):
            found = said.candidates(atom)
            foreign = [u for u in found if not said.mine(u)]
            unit = said.unit_object(foreign[0]) if len(foreign) == 1 else None
            if unit is not None and atom.has("unit"):
                if unit.owner:
                    out.setdefault("player", unit.owner)
                if not _out_of(said, atom):  # «кто из Радомировой дружины»: any of his people
                    out.setdefault("types", [unit.type])
            elif atom.has("utype"):
                out.setdefault("types", [str(atom.get("utype").value)])  # type: ignore[union-attr]
    return out
