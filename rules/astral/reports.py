"""The report of a turn as a document: the public part from the public events, an owner's private part from his own (§9).

Sentences stand in `data/report.toml`; every happening cites its ruling.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rules.astral import effects, tables
from rules.astral.describe import owner_name
from rules.astral.messages import ordinal, quoted, report_words
from rules.astral.numbers import rational, show, signed
from rules.astral.state import LordTactic
from rules.astral.view import View
from rules.base import Event, FactionId, Step
from rules.report import (
    Block,
    Bullets,
    Column,
    Emphasis,
    Lines,
    Report,
    Rich,
    Rule,
    Section,
    Strong,
    Table,
    para,
    rich,
    row,
)


def report(view: View, events: Sequence[Event], step: Step) -> Report:
    """The report of a closed turn for the view's audience; the GM's holds everybody's private part."""
    words = report_words("turn")
    teller = _Teller(view, events)
    sections = [section for section in teller.public() if section.blocks]
    readers = view.game.roster if view.gm else [view.reader] if view.reader is not None else []
    for reader in readers:
        private = [section for section in teller.private(str(reader)) if section.blocks]
        if view.gm and private:
            title = words["private_of"].format(owner=owner_name(view.game, str(reader)))
            sections.append(Section(title, tuple(private), details=True, id=f"private-{reader}"))
        else:
            sections[:0] = private
    number = int(step.id.lstrip("t")) if step.id.lstrip("t").isdigit() else view.turn
    return Report(words["title"].format(turn=number), teller.summary(), tuple(sections), subtitle=view.game.title)


class _Teller:
    """Turns events into blocks; one method for each part of the report."""

    def __init__(self, view: View, events: Sequence[Event]) -> None:
        self.view, self.game = view, view.game
        self.events = list(events)
        self.words = report_words("turn")
        self.lines: dict[str, str] = report_words("lines")

    def of(self, *kinds: str, owner: FactionId | None = None) -> list[Event]:
        """Events of these kinds, in order; `owner`: only those addressed to him alone or with others."""
        found = [event for event in self.events if event.kind in kinds]
        if owner is None:
            return found
        return [e for e in found if e.audience.factions is not None and owner in e.audience.factions]

    def line(self, key: str, event: Event, **params: Any) -> Rich:
        """One sentence with its ruling."""
        data = {**event.data, **params}
        for name, key_quoted in (("name", "quoted"), ("source", "source_quoted")):
            if isinstance(data.get(name), str):
                data[key_quoted] = quoted(data[name])
        return rich(self.lines[key].format(**data), " ", Rule(event.rule))

    def name(self, ident: Any) -> str:
        return owner_name(self.game, str(ident))

    # -------------------------------------------------------------------------------------------- public

    def summary(self) -> tuple[Block, ...]:
        """What every reader sees first: rune, what changed hands, deaths, victory."""
        items: list[Rich] = []
        for event in self.of(
            "rune", "capture", "lost_shard", "eliminated", "nothing_entered", "nothing_left", "finished", "gm_text"
        ):
            if event.kind == "rune" and event.data["chosen"] is None:
                items.append(rich(self.lines["rune_none"]))
            elif event.kind == "rune":
                items.append(rich(self.lines["rune"].format(**event.data)))
            else:
                items.append(self._happening(event))
        return (Bullets(tuple(items)),) if items else (para(self.words["quiet"]),)

    def _happening(self, event: Event) -> Rich:
        data = event.data
        if event.kind == "capture":
            if data["from"] is None:
                return self.line("capture", event, owner=self.name(data["owner"]))
            return self.line("capture_world", event, owner=self.name(data["owner"]), loser=self.name(data["from"]))
        if event.kind == "lost_shard":
            return self.line(f"lost_{data['fate']}", event, owner=self.name(data["owner"]))
        if event.kind == "eliminated":
            return self.line("eliminated", event, owner=self.name(data["owner"]))
        if event.kind == "nothing_entered":
            return self.line("nothing_auto" if data["auto"] else "nothing_entered", event, owner=self.name(data["owner"]))
        if event.kind == "nothing_left":
            return self.line("nothing_left", event, owner=self.name(data["owner"]))
        if event.kind == "gm_text":
            return rich(Emphasis(str(data["text"])))
        return self._finish(event)

    def _finish(self, event: Event) -> Rich:
        winners = [self.name(ident) for ident in event.data["winners"]]
        key = "victory" if len(winners) == 1 else "victory_none" if not winners else "draw"
        text = self.lines[key].format(name=", ".join(winners))
        reason = self.lines[f"reason_{event.data['reason']}"].format(
            size=event.data.get("size"), note=event.data.get("note") or ""
        )
        return rich(Strong(text), " ", reason, " ", Rule(event.rule))

    def public(self) -> list[Section]:
        """The public sections in the order of §9."""
        view, words = self.view, self.words
        return [
            Section(words["runes"], (*self._votes(), *tables.runes(view).blocks), id="runes"),
            Section(words["neutral_battles"], self._battles(2), id="battles-neutral"),
            Section(words["world_battles"], self._battles(3), id="battles-worlds"),
            Section(words["happenings"], self._happenings(), id="happenings"),
            tables.worlds(view),
            tables.neutral(view),
        ]

    def _votes(self) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for event in self.of("rune"):
            runes = self.view.catalog.runes
            votes = [f"{runes[rune].short} — {count}" for rune, count in event.data["votes"].items() if count]
            text = self.lines["votes"].format(votes=", ".join(votes)) if votes else self.lines["no_votes"]
            if event.data["chosen"] is None:
                blocks.append(para(text, " ", self.lines["rune_none"], " ", Rule(event.rule)))
                continue
            chosen = self.lines["rune_gm" if event.data["by_gm"] else "rune"].format(**event.data)
            until = event.data["until"]
            how_long = self.lines["rune_ever" if until is None else "rune_until"].format(start=event.data["from"], until=until)
            blocks.append(para(text, " ", Strong(chosen), " ", how_long, " ", Rule(event.rule)))
            if event.data["new"] is not None:
                blocks.append(para(self.lines["rune_new"].format(name=runes[event.data["new"]].name_ru)))
        return tuple(blocks)

    def _battles(self, phase: int) -> tuple[Block, ...]:
        blocks: list[Block] = []
        words = report_words("battle")
        for event in self.of("battle"):
            data = event.data
            if data["phase"] != phase:
                continue
            if "line_a" not in data:
                target = words["world_target"].format(name=data["name"]) if phase == 3 else data["name"]
                text = words[data["result"]].format(
                    attacker=self.name(data["attacker"]), target=target, **_only(data, "move", "spent")
                )
                blocks.append(para(text, " ", Rule(event.rule)))
                continue
            head: tuple[Any, ...] = (data["header"],)
            if phase == 3:
                head = (self.lines["attack_no"].format(number=data["attack_no"]), " ", data["header"])
            last = rich(Strong(str(data["verdict"])), " ", Rule(event.rule))
            blocks.append(Lines((rich(*head), rich(str(data["line_a"])), rich(str(data["line_d"])), last)))
            if phase == 3 and data["defence_before"] != data["defence_after"]:
                before, after = show(rational(data["defence_before"])), show(rational(data["defence_after"]))
                worn = self.lines["defence_worn"].format(name=data["name"], before=before, after=after)
                blocks.append(para(worn, " ", Rule("R53")))
        return tuple(blocks)

    def _happenings(self) -> tuple[Block, ...]:
        items: list[Rich] = []
        missed = self.of("missed")
        if missed:
            named = [self.lines["missed_one"].format(**{**e.data, "owner": self.name(e.data["owner"])}) for e in missed]
            items.append(self.line("missed", missed[0], owners=", ".join(named)))
        kinds = ("lost_shard", "cared", "sacrificed", "reordered", "eliminated", "nothing_entered", "nothing_left")
        for event in self.of(*kinds, "gm", "gm_text", "finished"):
            data = event.data
            if event.kind in ("cared", "sacrificed", "reordered"):
                key = "care_lifted" if event.kind == "cared" and data["lifted"] else event.kind
                items.append(self.line(key, event, owner=self.name(data["owner"])))
            elif event.kind == "gm":
                items.append(rich(str(data["line"])))
            else:
                items.append(self._happening(event))
        return (Bullets(tuple(items)),) if items else ()

    # -------------------------------------------------------------------------------------------- private

    def private(self, owner: FactionId) -> list[Section]:
        """An owner's own sections: sheet, energy, what came his way, prices to come."""
        words = self.words
        return [
            Section(words["sheet"], self._sheet(owner), id=f"sheet-{owner}"),
            Section(words["ledger"], self._ledger(owner), id=f"ledger-{owner}"),
            Section(words["news"], self._news(owner), id=f"news-{owner}"),
            Section(words["prices"], self._prices(owner), id=f"prices-{owner}"),
            *([tables.own(self.view)] if owner == self.view.reader else []),
        ]

    def _sheet(self, owner: FactionId) -> tuple[Block, ...]:
        blocks: list[Block] = []
        for event in self.of("accepted", owner=owner):
            orders = [rich(self._costed(order)) for order in event.data["orders"]]
            if orders:
                blocks += [para(Strong(self.words["accepted"])), Bullets(tuple(orders))]
        refused = [self.line("refused", event) for event in self.of("refused", owner=owner)]
        if refused:
            blocks += [para(Strong(self.words["refused"])), Bullets(tuple(refused))]
        warned = [self.line("warned", event) for event in self.of("warned", owner=owner)]
        warned += [self.line("void", event) for event in self.of("void", owner=owner)]
        warned += [self.line("cancelled", event) for event in self.of("cancelled", owner=owner)]
        if warned:
            blocks += [para(Strong(self.words["remarks"])), Bullets(tuple(warned))]
        return tuple(blocks) or (para(self.words["no_sheet"]),)

    def _costed(self, order: Mapping[str, Any]) -> str:
        said = not order["cost"] or f"{order['cost']}э" in order["line"]
        return self.lines["order_free" if said else "order_cost"].format(**order)

    def _ledger(self, owner: FactionId) -> tuple[Block, ...]:
        reasons = report_words("ledger")
        blocks: list[Block] = []
        for event in self.of("ledger", owner=owner):
            data = event.data
            rows = [row(reasons["start"], str(data["start"]))]
            for entry in data["entries"]:
                detail = entry["detail"]
                if entry["reason"] in ("cost_set_reserve", "reserve_back") and detail.isdigit():
                    detail = ordinal(int(detail), "acc")
                text = reasons[entry["reason"]].format(detail=detail)
                if detail and detail not in text:
                    text += f": {detail}"
                rows.append(row(text, signed(entry["amount"])))
            heads = (Column(self.words["entry"]), Column(self.words["amount"], numeric=True))
            total = row([Strong(reasons["end"])], [Strong(str(data["end"]))])
            blocks.append(Table(heads, tuple(rows), total=total))
        return tuple(blocks)

    def _news(self, owner: FactionId) -> tuple[Block, ...]:
        items = [NEWS[event.kind](self, event, owner) for event in self.of(*NEWS, owner=owner)]
        return (Bullets(tuple(item for item in items if item)),) if any(items) else ()

    def _prices(self, owner: FactionId) -> tuple[Block, ...]:
        """What care and defence will cost next turn (§9)."""
        me, game = self.game.owners[owner], self.game
        if me.status != "active":
            return ()
        cares = tuple(row(game.shards[s].label, f"{effects.care_price(game, owner, s)}э") for s in me.shards)
        heads = (Column(self.words["shard"]), Column(self.words["care_price"], numeric=True))
        rate = self.lines["defence_rate"].format(rate=show(effects.defence_rate(game, owner)), k=len(me.shards))
        return (Table(heads, cares), para(rate, " ", Rule("R50")))

    # ---- news of an owner

    def _gained(self, event: Event, owner: FactionId) -> Rich:
        how = event.data["how"]
        return self.line("gained_from" if how else "gained", event)

    def _sent(self, event: Event, owner: FactionId) -> Rich:
        data = event.data
        if event.kind == "sent_energy":
            return self.line("got_energy" if data["to"] == owner else "gave_energy", event, **self._partners(event))
        return self.line("got_item" if data["to"] == owner else "gave_item", event, **self._partners(event))

    def _partners(self, event: Event) -> dict[str, str]:
        return {"giver": self.name(event.data["from"]), "receiver": self.name(event.data["to"])}

    def _exchanged(self, event: Event, owner: FactionId) -> Rich:
        data = event.data
        goods = [f"{data['energy']}э"] if data["energy"] else []
        goods += [quoted(item["name"]) for item in data["items"]]
        goods += [self.lines["about"].format(name=name) for name in data["info"]]
        key = "got_exchange" if data["to"] == owner else "gave_exchange"
        return self.line(key, event, goods=", ".join(goods) or self.lines["nothing"], **self._partners(event))

    def _told(self, event: Event, owner: FactionId) -> Rich:
        teller = event.data["teller"]
        return self.line("told", event, teller=self.lines["gm_teller"] if teller is None else self.name(teller))

    def _revealed(self, event: Event, owner: FactionId) -> Rich:
        data, catalog = event.data, self.view.catalog
        parts = []
        if "tactic" in data:
            tactic = tables.tactic_text(self.view, LordTactic.model_validate(data["tactic"]))
            parts.append(self.lines["seen_tactic"].format(tactic=tactic))
        if "trophies" in data:
            names = ", ".join(catalog.items[item].name_ru for item in data["trophies"]) or self.lines["nothing"]
            parts.append(self.lines["seen_trophies_gone" if data["trophies_taken"] else "seen_trophies"].format(names=names))
        if "features" in data:
            names = ", ".join(catalog.features[feature].name_ru for feature in data["features"]) or self.lines["nothing"]
            parts.append(self.lines["seen_features"].format(names=names))
        return self.line("revealed", event, parts="; ".join(parts))

    def _revealed_owner(self, event: Event, owner: FactionId) -> Rich:
        catalog, parts = self.view.catalog, []
        for key, value in event.data.items():
            if key == "levels":
                found = ", ".join(tables.unit_text(self.view, unit, level) for unit, level in value.items())
            elif key == "items":
                found = ", ".join(catalog.items[item].name_ru for item in value)
            elif key == "reserves":
                found = ", ".join(f"{number} — {energy}э" for number, energy in value.items())
            elif key == "tactics":
                found = "; ".join(f"{number}: {_tactic_of(self.view, tactic)}" for number, tactic in value.items())
            else:
                continue
            parts.append(self.lines[f"seen_{key}"].format(names=found or self.lines["nothing"]))
        return self.line("revealed_owner", event, subject=self.name(event.data["subject"]), parts="; ".join(parts))

    def _effect(self, event: Event, owner: FactionId) -> Rich:
        data = event.data
        source = f" ({data['source']})" if data["source"] else ""
        values = {"before": show(rational(data["before"])), "after": show(rational(data["after"])), "source": source}
        return self.line(f"effect_{data['what']}", event, owner=self.name(data["owner"]), **values)

    def _used(self, event: Event, owner: FactionId) -> Rich:
        return self.line("used_gone" if event.data["gone"] else "used_left" if event.data["left"] else "used", event)

    def _charge(self, event: Event, owner: FactionId) -> Rich:
        return self.line("charge_left" if event.data["left"] else "charge", event)

    def _invested(self, event: Event, owner: FactionId) -> Rich:
        data = event.data
        return self.line("invested", event, gain=show(rational(data["gain"])), rate=show(rational(data["rate"])))

    def _level(self, event: Event, owner: FactionId) -> Rich:
        source = f" ({event.data['source']})" if event.data["source"] else ""
        return self.line("level", event, source=source)

    def _stole(self, event: Event, owner: FactionId) -> Rich:
        return self.line("stole", event, victim=self.name(event.data["victim"]))

    def _robbed(self, event: Event, owner: FactionId) -> Rich:
        source = f" ({event.data['source']})" if event.data["source"] else ""
        return self.line("robbed", event, source=source)

    def _plain(self, event: Event, owner: FactionId) -> Rich:
        return self.line(event.kind, event)


NEWS: dict[str, Callable[[_Teller, Event, FactionId], Rich]] = {
    "invested": _Teller._invested,
    "sent_energy": _Teller._sent,
    "sent_item": _Teller._sent,
    "exchanged": _Teller._exchanged,
    "told": _Teller._told,
    "gained": _Teller._gained,
    "unlocked": _Teller._plain,
    "level": _Teller._level,
    "used": _Teller._used,
    "charge": _Teller._charge,
    "revealed": _Teller._revealed,
    "revealed_owner": _Teller._revealed_owner,
    "effect": _Teller._effect,
    "stole": _Teller._stole,
    "robbed": _Teller._robbed,
    "refunded": _Teller._plain,
}
"""What an owner learns beside his sheet and ledger, and how it is told."""


def _only(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: data[name] for name in names}


def _tactic_of(view: View, raw: Mapping[str, Any]) -> str:
    fields = {name: raw[name] for name in ("troop", "magic", "hero", "troop_share")}
    return tables.tactic_text(view, LordTactic.model_validate(fields))
