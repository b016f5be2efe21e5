"""How good a stretch of words is as each command; None: it is no such command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from parsers.atoms import Atom
from parsers.frames import Fill
from parsers.russian import Verb
from rules.astral.language.names import beside

SAID = frozenset({"energy", "amount", "rest", "half"})
"""Slots that say how much."""

CROSSING = 2.0
"""What it costs a deal to go on in another sentence, beyond what the engine takes for it."""


def _crossing(fill: Fill) -> float | None:
    """A deal is said in one sentence; a владыка who opens a line («Каэлю: …») opens what follows, not what went before."""
    sentences = [a.data.get("sentence") for a in fill.atoms]
    steps = sum(1 for a, b in pairwise(sentences) if a != b)
    if steps and len({a.data.get("sentence") for a in fill.triggers}) > 1:
        return None
    first = fill.atoms[0].data.get("sentence")
    goods = any(a.data.get("sentence") == first and not a.has("owner", "self") for a in fill.atoms)
    if steps and goods and any(a.data.get("sentence") != first for a in fill.triggers):
        return None  # «… 4э на якорь. Обмен с Ржавым: …»: the verb opens another order
    for atom in fill.atoms[1:]:
        if atom.has("owner") and atom.data.get("opens") and atom.data.get("sentence") != fill.atoms[0].data.get("sentence"):
            return None
    return -CROSSING * steps


def apart(score: Callable[[Fill], float | None]) -> Callable[[Fill], float | None]:
    """The score of a frame whose orders keep to one sentence."""

    def scored(fill: Fill) -> float | None:
        worth = score(fill)
        crossing = _crossing(fill)
        return None if worth is None or crossing is None else worth + crossing

    return scored


def on_shard(fill: Fill) -> float | None:
    """Cares and sacrifices: the shard may stand in the sentence before by its full name («Сад Костей — на алтарь! В жертву»)."""
    said = [a for a in fill.atoms if not a.has("times")]
    steps = sum(1 for a, b in pairwise(said) if a.data.get("sentence") != b.data.get("sentence"))
    shard = fill.slots.get("shard")
    if fill.inherited and shard and shard[0].atom.has("~that"):
        return None  # «забота о Саде, о нём …» says it again
    times = fill.slots.get("times")
    apart = bool(times and shard) and times[0].atom.data.get("sentence") != shard[0].atom.data.get("sentence")  # type: ignore[index]
    if apart and times and shard and times[0].atom.first < shard[0].atom.first:
        return None  # «Забота о Свалке :) два раза :) Улей тоже»
    if steps and shard and shard[0].sense.partial:
        return None
    return -0.3 * steps - (0.8 if shard and shard[0].atom.has("~that") else 0.0)


def attack(fill: Fill) -> float | None:
    """An attack needs a target, or a trigger with a tactic; a bare name with a number is none."""
    slots = fill.slots
    tactical = sum(1 for n in ("troop", "magic", "hero") if n in slots)
    target = "shard" in slots or "owner" in slots
    called = any(a.has("attack_call") for a in fill.triggers)
    if not target and tactical < 2 and not called:
        return None
    if not fill.triggers and (not target or tactical == 0):
        return None
    if not fill.triggers and tactical < 2 and "amounts" not in slots:
        return None
    score = 0.6 * max(0, tactical - 1)
    if tactical:
        score -= 0.9 * (3 - tactical)
    if not target:
        score -= 2.0
    elif fill.triggers and not tactical:
        # A tactic that follows belongs here rather than to a place named further on.
        score -= 0.8 if "amounts" not in slots else 1.4
    if len(slots.get("amounts", ())) > 2 and slots.keys() & {"rest", "equal"}:
        score -= 2.0  # all is said already: «8э, луки 4, свет 4, маг. Остальное пополам: …»
    shards = slots.get("shard", ())
    behind = [f.atom for n in ("troop", "magic", "hero") for f in slots.get(n, ())]
    places = {f.atom.data.get("sentence") for f in shards if not f.sense.partial}
    late = [f.atom for f in shards if f.atom.data.get("opens")]
    early = [a for a in fill.atoms if late and a.has("number", "energy") and a.first < late[0].first]
    if len(places) > 1 or _item_apart(fill, behind) or any(a.data.get("sentence") not in places for a in early):
        return None  # «016 или 018. На 003: …»: a place told in another sentence is another matter
    aims = [f.atom for n in ("shard", "owner") for f in slots.get(n, ())]
    if (
        not fill.triggers
        and aims
        and behind
        and min(a.first for a in aims) > behind[-1].first
        and aims[0].data.get("sentence") != behind[-1].data.get("sentence")
    ):
        return None  # «…, маг. Пиявку!»
    late_aim = aims[0] if aims and behind and aims[0].first > behind[-1].first else None
    if not fill.triggers and late_aim is not None and late_aim.has("owner") and not late_aim.prep and "nomn" in late_aim.cases:
        return None  # «…, ком. Я первый, Аск за мной»
    if "owner" in slots and behind and any(f.sense.partial and f.atom.first > behind[-1].first for f in shards):
        return None  # «Атакую Аскольда: …, воин. Дом без хозяйки …»
    units = [f.atom.first for n in ("troop", "magic", "hero") for f in slots.get(n, ())]
    if len(shards) > 1 and any(shards[0].atom.first < at < shards[-1].atom.first for at in units):
        score -= 1.6  # a place named behind the tactic is another matter
    return score


def _item_apart(fill: Fill, units: Sequence[Atom]) -> bool:
    """True for an item that opens a line of its own («Пиявку!»)."""
    items = [f.atom for f in fill.slots.get("items", ())]
    return any(a.data.get("opens") and units and a.data.get("sentence") != units[-1].data.get("sentence") for a in items)


def tactic(fill: Fill) -> float | None:
    slots = fill.slots
    units = sum(1 for n in ("troop", "magic", "hero") if n in slots)
    if _item_apart(fill, [f.atom for n in ("troop", "magic", "hero") for f in slots.get(n, ())]):
        return None
    if not slots.keys() & {"same", "reverse", "as_before"}:
        if fill.inherited and units < 3:
            return None
        fill_cost = -0.8 * (3 - units)
    else:
        fill_cost = _SAME * _behind_same(fill)
    if any(a.has("tactic") for a in fill.triggers):
        return 0.4 + fill_cost if units or slots.keys() & {"same", "reverse", "as_before"} else None
    named = [f.atom for n in ("troop", "magic", "hero") for f in slots.get(n, ())]
    if fill.triggers and any(
        a.first < fill.triggers[0].first and a.data.get("sentence") != fill.triggers[0].data.get("sentence") for a in named
    ):
        return None  # «… луки, свет, маг. Остальное в деф»: the units are an attack's
    if units == 3 and fill.slots.get("attack_no") and fill.slots["attack_no"][0].atom.prep in {"от", "против"}:
        return 0.3
    if units >= 2 or (slots.keys() & {"same", "reverse"} and "attack_no" in slots):
        numbered = fill.slots.get("attack_no")
        if not fill.triggers and not fill.inherited and numbered and numbered[0].sense.kind != "attack_no":
            return None
        return 0.3 + fill_cost
    return None


_SAME = 0.5
"""What each unit behind «те же доли» adds."""


def _behind_same(fill: Fill) -> int:
    """«те же доли, лучники и священная, маг»: the units go with what stands before them."""
    same = fill.slots.get("same")
    if not same:
        return 0
    named = [f.atom for n in ("troop", "magic", "hero") for f in fill.slots.get(n, ())]
    return sum(1 for a in named if a.first > same[0].atom.first) if all(a.first > same[0].atom.first for a in named) else 0


def invest(fill: Fill) -> float | None:
    """«Оставлю себе 4э, остальное в защиту»: the first amount is another matter; «остальное (4э) в защиту» is one."""
    told, rest = fill.slots.get("energy"), fill.slots.get("rest")
    if told and rest and told[0].atom.first < rest[0].atom.first:
        return None
    return 0.0 if fill.slots.keys() & SAID else None


def reserve(fill: Fill) -> float | None:
    if not fill.slots.keys() & SAID and not fill.has("attack_no"):
        return None
    if not fill.slots.keys() & SAID:
        return -2.4 if fill.triggers else None
    if not fill.triggers and len({a.data.get("sentence") for a in fill.atoms}) > 1:
        return None
    if len(fill.slots.keys() & SAID) > 1:
        return None  # «3я - 2э. Остаток не расходуется.»
    if fill.triggers or fill.inherited:
        return 0.0
    numbered = fill.slots.get("attack_no")
    return 0.0 if numbered and numbered[0].sense.kind == "attack_no" else None


def _needs_good(fill: Fill) -> float | None:
    return 0.0 if len(fill.slots.get("goods", ())) >= 1 and (fill.has("with") or fill.triggers) else None


_SWAPPED = 2.4
"""What «… за …» between two goods adds."""


def exchange(fill: Fill) -> float | None:
    base = _needs_good(fill)
    if base is None:
        return None
    if any(f.sense.kind == "shard" and f.sense.partial for f in fill.slots.get("goods", ())) and not any(
        a.has("info") for a in fill.atoms
    ):
        return None  # «3э за старое добро»
    both = any(a.has("offer") for a in fill.atoms) and len(fill.slots.get("goods", ())) > 1
    if any(a.has("exchange", "buy") for a in fill.triggers):
        told = both or sum(a.has("give", "get") for a in fill.atoms) > 1  # «отдаю …, получаю …»
        return (1.5 if told else 0.5) if len(fill.slots.get("goods", ())) > 1 else -1.0
    if both:
        return 1.5
    goods = fill.slots.get("goods", ())
    if len(goods) < 2 or not fill.has("with"):
        return None
    swapped = any(f.atom.prep in {"против", "за"} or (f.atom.prep == "на" and f.atom.data.get("theirs")) for f in goods[1:])
    swapped = swapped or any(a.has("info") and a.prep in {"за", "на", "против"} for a in fill.atoms[1:])
    return (0.6 if fill.triggers else 0.0) + (_SWAPPED if swapped else 0.0) if fill.triggers or swapped else None


def use(fill: Fill) -> float | None:
    if any(f.sense.partial and not f.atom.prep for f in fill.slots.get("target_shard", ())):
        return None  # «Перо применяю, душа просит высоты»
    if fill.triggers or fill.inherited:
        return 0.0
    owner = fill.slots.get("target_owner")
    shard = fill.slots.get("target_shard")
    aimed = [f for f in (*(owner or ()), *(shard or ())) if f.atom.prep in {"на", "против", "к", "по"} or f.ref]
    return 0.1 if aimed else None


def feature(fill: Fill) -> float | None:
    if fill.triggers:
        return 0.3 if len(fill.slots) > 1 else -0.5
    named = fill.slots.get("feature")
    if named and named[0].sense.partial:
        tool = "ablt" in named[0].atom.cases and "nomn" not in named[0].atom.cases and not named[0].atom.prep
        numbered = any(f.atom.text[-1:].isdigit() for f in fill.slots.get("target_shard", ()))
        if not tool or not (numbered or fill.slots.keys() & {"position", "inside", "outside", "target_owner"}):
            return None  # «верфью Слободу — в самый конец»; «Верфь» alone is a shard as well
    return 0.2 if fill.slots.keys() & {"target_shard", "target_owner", "position"} else None


def vote(fill: Fill) -> float | None:
    runes = fill.slots.get("rune")
    if not fill.triggers:
        whole = bool(runes) and runes[0].sense.kind == "rune" and not runes[0].sense.partial  # type: ignore[index]
        meant = bool(runes) and (runes[0].atom.prep == "за" or runes[0].atom.data.get("after") == "а")  # type: ignore[index]
        return -0.3 if whole and meant else None
    if runes and runes[0].sense.kind != "rune":
        number = runes[0].atom
        if number.has("shard") or all(number.data.get("sentence") != t.data.get("sentence") for t in fill.triggers):
            return None  # «руны на блюде. Первая блестела»
        if runes[0].sense.kind == "number" and not any(0 <= number.first - t.last <= 1 for t in fill.triggers):
            return None
        if not any(-1 <= number.first - t.last <= 5 or 0 <= t.first - number.last <= 1 for t in fill.triggers):
            return None
    return 0.3


def nothing(fill: Fill) -> float | None:
    return 0.4


def gift(fill: Fill) -> float | None:
    if not fill.slots.keys() & SAID:
        return None
    if _mine(fill):
        return None
    to = fill.slots.get("to")
    if to and any(a.has("arrow") for a in fill.triggers) and fill.triggers[0].last > to[0].atom.first:
        return None if not {"datv"} & to[0].atom.cases else 0.0  # «Морвену → 2э»; «2э → Морвен»
    if not to and not any(a.has("give", "aid") for a in fill.triggers):
        return None  # «лучники получают 5»
    if to and not to[0].ref and fill.triggers and not any(a.has("get") for a in fill.triggers):
        atom = to[0].atom
        if "nomn" in atom.cases and "datv" not in atom.cases and fill.triggers[0].first - atom.last > 1:
            return None  # «Каэль просил десять. Дам пять.»
    if not fill.triggers and to and not to[0].ref and to[0].atom.cases and "datv" not in to[0].atom.cases:
        return None
    if to and to[0].atom.prep in {"у", "против"}:
        return None
    everyone = fill.slots.get("everyone")
    if everyone and (to or everyone[0].atom.text.lower() not in beside("everyone")):
        return None
    amount = fill.slots.get("amount")
    bare_number = "rest" not in fill.slots and bool(amount) and amount[0].sense.kind == "number"  # type: ignore[index]
    if not fill.triggers and not fill.inherited and bare_number:
        return None
    if not fill.triggers and to and to[0].atom.prep in {"на", "против", "с", "у"}:
        return None
    return 0.0


def _mine(fill: Fill) -> bool:
    """«Получаю 3э от Морвена», «заберу у него Рог»: what comes to the writer himself is no gift of his."""
    return any(a.has("get") and a.verb is Verb.ORDER for a in fill.triggers)


def item_gift(fill: Fill) -> float | None:
    if _mine(fill):
        return None
    to = fill.slots.get("to")
    if fill.triggers or not to:
        return 0.0
    atom = to[0].atom
    if atom.prep in {"на", "против", "с", "у", "к"}:
        return None
    return 0.0 if to[0].ref or not atom.cases or "datv" in atom.cases else None
