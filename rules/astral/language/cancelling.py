"""What takes back earlier posts, whole or in part (R114)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.context import Context
from parsers.frames import Fill, Match, Output, choice
from parsers.types import Severity
from rules.astral.language.names import beside

PARTS: Mapping[str, tuple[str, ...]] = {
    "attack": ("attack_neutral", "attack_owner"),
    "reserve": ("set_reserve",),
    "care": ("care",),
    "sacrifice": ("sacrifice",),
    "vote": ("vote_rune",),
    "defence": ("invest_defence",),
    "tactic": ("set_defence_tactic",),
    "give": ("transfer_energy", "transfer_item"),
    "exchange": ("exchange",),
    "tell": ("share_info",),
    "use": ("use_item",),
    "learn": ("hire_specialist",),
    "nothing_in": ("enter_nothing",),
    "nothing_out": ("exit_nothing",),
}
"""What of an earlier sheet may be taken back, by the kind of word that names it."""
_WITHIN = frozenset({"из", "в", "во", "от", "с", "со"})
_FIELDS = {"attack_no": "attack_no", "ordinal_no": "attack_no", "shard": "shard", "item": "item", "rune": "rune"}


def partial_cancel(context: Context, match: Match) -> Iterable[Output]:
    """«атаку из прошлой заявки снимаю», «резерв на вторую атаку снимаю»: what of the earlier posts goes (R114)."""
    kinds = {s.kind for f in match.slots.get("what", ()) for s in f.atom.senses}
    orders: list[dict[str, Any]] = [{"type": t} for kind in PARTS if kind in kinds for t in PARTS[kind]]
    for filled in match.slots.get("which", ()):
        field = _FIELDS.get(filled.sense.kind)
        if field is None or filled.sense.partial or (field == "rune" and "vote" in kinds):
            continue
        values = filled.value if isinstance(filled.value, tuple) else (filled.value,)
        wanted = {"set_reserve", "set_defence_tactic"} if field == "attack_no" else {"care", "sacrifice", "attack_neutral"}
        if field in ("attack_no", "shard"):
            orders = [{**order, field: value} if order["type"] in wanted else order for order in orders for value in values]
    refused = any(a.text.lower() in beside("refusing") for a in match.triggers)
    if refused and orders and not any(a.has("sheet_old") for a in context.by_sentence.get(match.sentence, [])):
        text = "Снять этот приказ из прежнего сообщения?"
        choices = [choice("Снять", {"type": "cancel_orders", "orders": orders})]
        return [context.problem(match, "E_AMBIGUOUS", text, draft={"type": "cancel_orders"}, choices=choices)]
    if not orders:
        return [context.problem(match, "E_AMBIGUOUS", "Что именно отменить?", severity=Severity.QUESTION)]
    return [context.reading(match, {"type": "cancel_orders", "orders": orders})]


def cancel_score(fill: Fill) -> float | None:
    if fill.has("what"):
        within = fill.has("old") and fill.slots["old"][0].atom.prep in _WITHIN
        return 0.8 if within and fill.triggers else None
    if fill.has("which") or (fill.has("old") and fill.slots["old"][0].atom.prep in _WITHIN):
        return None
    if all(a.has("~instead") for a in fill.triggers):
        return None
    if fill.has("old") or any(a.has("sheet_anew") for a in fill.triggers):
        return 0.8
    if fill.has("sheet"):
        return 0.5
    return 0.3 if fill.has("everything") and len(fill.atoms) == 2 else None


def cancel(match: Match, context: Context) -> Iterable[Output]:
    if match.slots.get("what"):
        return partial_cancel(context, match)
    if match.slots.keys() & {"everything", "sheet"} and not match.slots.get("old"):
        context.memory["cancel_all"] = match
    return [context.reading(match, {"type": "cancel_orders"})]
