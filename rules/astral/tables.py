"""The state of the game as tables: worlds, free shards, runes; for an owner also his own secrets (§9, R104–R106)."""

from __future__ import annotations

from rules.astral.messages import report_words
from rules.astral.numbers import show
from rules.astral.state import LordTactic, Shard, Tactic
from rules.astral.view import View
from rules.base import FactionId
from rules.report import (
    Block,
    Bullets,
    Coloured,
    Column,
    Inline,
    Paragraph,
    Report,
    Rich,
    Section,
    Strong,
    Table,
    para,
    rich,
    row,
)


def standings(view: View) -> Report:
    """The state as that view shows it."""
    words = report_words("tables")
    title = words["title_end"] if view.game.finished is not None else words["title"].format(turn=view.turn)
    sections = [worlds(view), runes(view), neutral(view)]
    if view.me is not None:
        sections.insert(0, own(view))
    return Report(title, (), tuple(sections), subtitle=view.game.title)


def worlds(view: View) -> Section:
    """All worlds by size, then roster (§9)."""
    words, game = report_words("tables"), view.game
    heads = [("owner", False), ("size", True), ("income", True), ("energy", True), ("height", True), ("defence", True)]
    heads += [("shards", False), ("trophies", False), ("effects", False)]
    order = sorted(game.roster, key=lambda ident: (-view.worlds[ident].size, game.roster.index(ident)))
    rows = tuple(_world_row(view, ident) for ident in order)
    return Section(words["worlds"], (Table(tuple(Column(words[name], numeric) for name, numeric in heads), rows),), id="worlds")


def _world_row(view: View, ident: FactionId) -> tuple[Rich, ...]:
    words, game = report_words("tables"), view.game
    owner, public, tables = game.owners[ident], view.worlds[ident], view.catalog
    shards = [words["sized"].format(shard=game.shards[s].label, size=game.shards[s].size) for s in owner.shards]
    trophies = [tables.items[item].name_ru for item in owner.items if view.gm or not tables.items[item].hidden]
    alive = owner.status != "eliminated"
    defence = words["defence_value"].format(defence=show(owner.defence), effective=show(public.effective))
    income = words["none"] if owner.status != "active" else str(public.income)
    figures: list[Inline] = [str(public.size), income, str(owner.energy), str(owner.height), defence]
    return row(
        [Coloured(owner.name, owner.color)],
        *(figures if alive else [words["none"]] * len(figures)),
        ", ".join(shards) or words["none"],
        ", ".join(trophies) or words["none"],
        "; ".join(_effects(view, ident)) or words["none"],
    )


def _effects(view: View, ident: FactionId) -> list[str]:
    """Status, care and sacrifice counters, missed turns: what everybody may know (R104)."""
    words, game = report_words("tables"), view.game
    owner, out = game.owners[ident], []
    if owner.status != "active":
        out.append(words[f"status_{owner.status}"])
    if view.worlds[ident].untargetable:
        out.append(words["untargetable"])
    for shard in owner.shards:
        place = game.shards[shard]
        for name, count in (("care", place.care), ("sacrifice", place.sacrifice)):
            if count:
                out.append(words[name].format(shard=place.label, count=count))
    if owner.missed and owner.status == "active":
        total = game.settings.missed_turns_mode == "total"
        out.append(words["missed_total" if total else "missed"].format(count=owner.missed))
    return out


def neutral(view: View) -> Section:
    """All free shards by number."""
    words, tables = report_words("tables"), view.catalog
    heads = [("shard", False), ("size", True), ("height", True), ("defence", True), ("lord", False)]
    heads += [("features", False), ("specialists", False)]
    rows = []
    for place in view.neutral.values():
        lord = words["lord_unknown"] if place.tactic is None else tactic_text(view, place.tactic)
        features = ", ".join(tables.features[feature].name_ru for feature in place.features)
        teachers = ", ".join(tables.specialists[teacher].name_ru for teacher in place.specialists)
        figures = (str(place.size), str(place.height), show(place.defence))
        rows.append(row(place.label, *figures, lord, features or words["none"], teachers or words["none"]))
    table = Table(tuple(Column(words[name], numeric) for name, numeric in heads), tuple(rows))
    return Section(words["neutral"], (table,), details=True, id="neutral")


def runes(view: View) -> Section:
    """The board with descriptions and the acting runes (R80, R84)."""
    words, game, tables = report_words("tables"), view.game, view.catalog
    board = tuple(row(tables.runes[rune].name_ru, tables.runes[rune].description_ru) for rune in game.runes.board)
    blocks: list[Block] = [Table((Column(words["rune"]), Column(words["description"])), board, caption=words["board"])]
    acting = []
    for entry in game.runes.active:
        name = tables.runes[entry.rune].name_ru
        if entry.start > game.turn:
            text = words["acting_from"].format(name=name, start=entry.start)
        elif entry.until is None:
            text = words["acting_ever"].format(name=name)
        else:
            text = words["acting_until"].format(name=name, until=entry.until)
        acting.append(rich(Strong(words["acting"]), ": ", text, ". ", tables.runes[entry.rune].description_ru))
    blocks.append(Bullets(tuple(acting)) if acting else para(words["no_acting"]))
    return Section(words["runes"], tuple(blocks), id="runes")


def own(view: View) -> Section:
    """What only the owner knows of his world: levels, items with descriptions, tactics, secrets of shards (R105)."""
    words, tables, me = report_words("tables"), view.catalog, view.me
    assert me is not None
    assert view.reader is not None
    levels = [unit_text(view, unit, level) for unit, level in me.levels.items() if level]
    blocks: list[Block] = [para(words["levels"].format(levels=", ".join(levels)) if levels else words["no_levels"])]
    extra = [tables.units[unit].name_ru for unit in me.unlocked if not tables.units[unit].start]
    if extra:
        blocks.append(para(words["unlocked"].format(units=", ".join(extra))))
    rows = []
    for item, held in me.items.items():
        entry = tables.items[item]
        uses = str(held.uses) if held.uses else words["unlimited"]
        if held.ready > view.turn:
            uses += ", " + words["item_ready"].format(turn=held.ready)
        rows.append(row(f"{entry.name_ru} ({words[f'item_kind_{entry.kind}']})", uses, entry.description_ru))
    heads = (Column(words["item_title"]), Column(words["item_uses"]), Column(words["description"]))
    blocks.append(Table(heads, tuple(rows)) if rows else Paragraph(rich(words["no_items"])))
    blocks.append(_tactics(view, me.tactics))
    known = [text for ident, place in view.neutral.items() if (text := _known(view, ident, place))]
    if known:
        blocks.append(Bullets(tuple(rich(text) for text in known)))
    return Section(words["own"], tuple(blocks), id="own")


def _tactics(view: View, tactics: dict[str, Tactic]) -> Table:
    words = report_words("tables")
    numbered = sorted((key for key in tactics if key != "all"), key=int)
    rows = [row(key, tactic_text(view, tactics[key])) for key in numbered]
    if "all" in tactics:
        rows.append(row(words["tactic_all"], tactic_text(view, tactics["all"])))
    elif "1" not in tactics:
        # From the lowest own number on that tactic holds for all later attacks (R55).
        default = view.game.settings.default_tactic
        tactic = Tactic(troop=default.troop, magic=default.magic, hero=default.hero, troop_share=default.troop_share)
        rows.append(row(words["tactic_default"], tactic_text(view, tactic)))
    return Table((Column(words["tactic_title"]), Column(words["tactic_own"])), tuple(rows))


def _known(view: View, ident: str, place: Shard) -> str:
    """What the owner alone found out about a free shard (R110)."""
    words, game, items = report_words("tables"), view.game, view.catalog.items
    reader = view.reader or ""
    what = []
    if game.knows(reader, ident, "tactic") and place.tactic is not None and not place.tactic_known:
        what.append(words["known_tactic"].format(tactic=tactic_text(view, place.tactic)))
    if game.knows(reader, ident, "trophies") and not place.trophies_taken:
        names = ", ".join(items[item].name_ru for item in place.trophies)
        what.append(words["known_trophies"].format(items=names or words["none"]))
    return words["known"].format(shard=place.label, what="; ".join(what)) if what else ""


def unit_text(view: View, unit: str, level: int) -> str:
    """«Пехота-2», without a suffix at level 0."""
    name = view.catalog.units[unit].name_ru
    return report_words("tables")["levelled"].format(name=name, level=level) if level else name


def tactic_text(view: View, tactic: Tactic | LordTactic) -> str:
    """«Кавалерия-1 50% – Священная-1 50% – Воин»."""
    levels = (tactic.troop_level, tactic.magic_level) if isinstance(tactic, LordTactic) else (0, 0)
    return report_words("tables")["tactic"].format(
        troop=unit_text(view, tactic.troop, levels[0]),
        t=show(tactic.troop_share),
        magic=unit_text(view, tactic.magic, levels[1]),
        m=show(100 - tactic.troop_share),
        hero=view.catalog.units[tactic.hero].name_ru,
    )
