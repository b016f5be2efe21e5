"""A battle told in Russian: in one paragraph, or blow by blow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rules.steel_rose.battle.figure import name_of, texts
from rules.steel_rose.battle.log import Effect, Entry, Modifier, Note, Strike, Who
from rules.steel_rose.battle.model import BattleResult
from rules.steel_rose.data import Counts, counted, game_data, plural


def paragraph(result: BattleResult) -> tuple[str, ...]:
    """The course of a battle in a few sentences: barrages, charges, flanks, the final, losses, the winner."""
    said = texts()["paragraph"]
    out = [*openings(result.log, result)]
    for flank in result.flank_rounds:
        name = texts()["flanks"][flank.flank]
        there = any(place[0] == flank.flank for side in result.setup.sides for place in side.squads)
        if flank.rounds:
            out.append(said["flank"].format(flank=name, rounds=rounds(flank.rounds)))
        elif there:
            out.append(said["unpaired"].format(flank=name))
    if result.flanked is not None:
        out.append(said["flanked"].format(side=name_of(result.setup, result.flanked)))
    if result.final_rounds:
        out.append(said["final"].format(rounds=rounds(result.final_rounds)))
    for side in (0, 1):
        fallen = result.counts(0 if side == 0 else 1, "fallen")
        if not fallen:
            out.append(said["no_losses"].format(side=name_of(result.setup, side)))
            continue
        saved = result.counts(0 if side == 0 else 1, "rescued")
        more = said["rescued"].format(units=units_text(saved)) if saved else ""
        out.append(said["losses"].format(side=name_of(result.setup, side), losses=units_text(fallen) + more))
    if result.winner is None:
        out.append(said["result_draw"])
    else:
        out.append(said["result_win"].format(side=name_of(result.setup, result.winner)))
    return tuple(out)


def openings(log: Sequence[Entry], result: BattleResult) -> Iterator[str]:
    """What came before the clash: barrages with their dead, charges with their ends."""
    said, places = texts()["paragraph"], game_data().places
    for at, entry in enumerate(log):
        if not isinstance(entry, Note) or entry.kind not in ("bombard", "charge", "charge_cancelled"):
            continue
        words = {
            "side": name_of(result.setup, entry.data["side"]),
            "place": places[entry.data["place"]][0],
            "target": places[entry.data["target"]][0],
        }
        if entry.kind == "charge_cancelled":
            yield said["charge"].format(outcome=said["charge_cancelled"], **words)
        elif entry.kind == "bombard":
            fallen = deaths(log[at + 1 :])
            yield said["bombard" if fallen else "bombard_none"].format(fallen=units_text(fallen), **words)
        else:
            yield said["charge"].format(outcome=charge_end(log[at + 1 :], entry.data["side"]), **words)


def charge_end(log: Sequence[Entry], side: int) -> str:
    """How a charge ended."""
    said = texts()["paragraph"]
    living = [0, 0]
    for entry in log:
        if isinstance(entry, Note):
            if entry.kind in ("charge", "charge_cancelled", "phase"):
                break
            if entry.kind == "charge_end":
                living = entry.data["living"]
    if not living[side]:
        return str(said["charge_lost"])
    return str(said["charge_even"] if living[1 - side] else said["charge_won"])


def deaths(log: Sequence[Entry]) -> Counts:
    """Who dies before the next note."""
    out: Counts = {}
    for entry in log:
        if isinstance(entry, Note):
            break
        if isinstance(entry, Effect) and entry.kind == "death":
            out[entry.who.unit] = out.get(entry.who.unit, 0) + 1
    return out


def blow_by_blow(log: Sequence[Entry]) -> Iterator[str]:
    """Every entry of the protocol as one line; notes that say nothing to a reader are left out."""
    for entry in log:
        line = told(entry)
        if line:
            yield line


def told(entry: Entry) -> str:
    """One entry."""
    if isinstance(entry, Strike):
        return strike(entry)
    if isinstance(entry, Effect):
        words = {"who": who(entry.who), "amount": number(entry.amount), "rounds": rounds(entry.rounds)}
        return f"{texts()['effects'][entry.kind].format(**words)} [{entry.rule}]"
    if entry.kind == "round":
        living = " : ".join(str(n) for n in entry.data["living"])
        return str(texts()["blows"]["round"].format(number=entry.data["number"], living=living))
    return ""


def strike(entry: Strike) -> str:
    """A blow with its sum."""
    said = texts()["blows"]
    sums = said["sums"].format(
        roll=entry.roll,
        strength=entry.strength,
        armor=number(entry.armor),
        minimum=said["minimum"].format(minimum=entry.minimum) if entry.minimum else "",
        modifiers="".join(f", {modifier(m)}" for m in entry.modifiers),
        damage=number(entry.damage),
        before=number(entry.hp_before),
        after=number(entry.hp_after),
    )
    start = said[entry.kind].format(attacker=who(entry.attacker), target=who(entry.target))
    return f"{start}{sums}{said['dead'] if entry.hp_after <= 0 else ''} [{entry.rule}]"


def modifier(given: Modifier) -> str:
    """«усталость −20 % [R30]», «ярость ×1,05 [R67]»."""
    name = texts()["modifiers"].get(given.key, given.key)
    if given.how == "times":
        return f"{name} ×{number(given.value)} [{given.rule}]"
    sign = "+" if given.value > 0 else "−"
    return f"{name} {sign}{number(abs(given.value) * 100)} % [{given.rule}]"


def who(unit: Who) -> str:
    """«Копейщик 3 (атакующие)»."""
    known = game_data().units.get(unit.unit)
    name = known.name_ru if known is not None else unit.unit
    return f"{name} {unit.number} ({texts()['sides']['names'][unit.side]})"


def units_text(counts: Mapping[str, int]) -> str:
    """«5 копейщиков, 1 рыцарь»."""
    units = game_data().units
    return ", ".join(counted(n, units[unit]) if unit in units else f"{n} {unit}" for unit, n in counts.items())


def rounds(count: int) -> str:
    """«5 раундов»."""
    one, few, many = texts()["rounds"]["forms"]
    return f"{count} {plural(count, (one, few, many))}"


def number(value: float) -> str:
    """Up to two decimals, with a comma: 19,8."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace(".", ",")
