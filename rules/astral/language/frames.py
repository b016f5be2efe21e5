"""The frames of §3: how each of the nineteen commands is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.context import Context
from parsers.frames import Fill, Frame, Match, Missing, Output, Slot, make_simple
from parsers.types import Severity
from rules.astral.language import attacks, deals
from rules.astral.messages import text_of

_TO = frozenset({"datv"})
_NUMBERS = ("number", "energy", "percent", "ratio")


def _attack_score(fill: Fill) -> float | None:
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
    shards = slots.get("shard", ())
    units = [f.atom.first for n in ("troop", "magic", "hero") for f in slots.get(n, ())]
    if len(shards) > 1 and any(shards[0].atom.first < at < shards[-1].atom.first for at in units):
        score -= 1.6  # a place named behind the tactic is another matter
    return score


def _tactic_score(fill: Fill) -> float | None:
    slots = fill.slots
    units = sum(1 for n in ("troop", "magic", "hero") if n in slots)
    if not slots.keys() & {"same", "reverse", "as_before"}:
        if fill.inherited and units < 3:
            return None
        fill_cost = -0.8 * (3 - units)
    else:
        fill_cost = 0.0
    if any(a.has("tactic") for a in fill.triggers):
        return 0.4 + fill_cost if units or slots.keys() & {"same", "reverse", "as_before"} else None
    if units >= 2 or (slots.keys() & {"same", "reverse"} and "attack_no" in slots):
        numbered = fill.slots.get("attack_no")
        if not fill.triggers and not fill.inherited and numbered and numbered[0].sense.kind != "attack_no":
            return None
        return 0.3 + fill_cost
    return None


def _reserve_score(fill: Fill) -> float | None:
    if not fill.slots.keys() & {"energy", "rest"}:
        return -1.0 if fill.triggers else None
    if fill.triggers or fill.inherited:
        return 0.0
    numbered = fill.slots.get("attack_no")
    return 0.0 if numbered and numbered[0].sense.kind == "attack_no" else None


def _needs_good(fill: Fill) -> float | None:
    return 0.0 if len(fill.slots.get("goods", ())) >= 1 and (fill.has("with") or fill.triggers) else None


def _bare_exchange(fill: Fill) -> float | None:
    base = _needs_good(fill)
    if base is None:
        return None
    if any(a.has("exchange", "buy") for a in fill.triggers):
        return 0.5
    if any(a.has("offer") for a in fill.atoms) and len(fill.slots.get("goods", ())) > 1:
        return 1.5
    goods = fill.slots.get("goods", ())
    if len(goods) < 2 or not fill.has("with"):
        return None
    swapped = any(f.atom.prep in {"против", "за"} for f in goods[1:])
    return (0.6 if fill.triggers else 0.0) + (1.0 if swapped else 0.0) if fill.triggers or swapped else None


def _use_score(fill: Fill) -> float | None:
    if fill.triggers or fill.inherited:
        return 0.0
    owner = fill.slots.get("target_owner")
    shard = fill.slots.get("target_shard")
    aimed = [f for f in (*(owner or ()), *(shard or ())) if f.atom.prep in {"на", "против", "к", "по"} or f.ref]
    return 0.1 if aimed else None


def _feature_score(fill: Fill) -> float | None:
    if fill.triggers:
        return 0.3 if len(fill.slots) > 1 else -0.5
    return 0.2 if fill.slots.keys() & {"target_shard", "target_owner", "position"} else None


def _vote_score(fill: Fill) -> float | None:
    runes = fill.slots.get("rune")
    if not fill.triggers:
        whole = bool(runes) and runes[0].sense.kind == "rune" and not runes[0].sense.partial  # type: ignore[index]
        return -0.3 if whole and runes and runes[0].atom.prep == "за" else None
    if runes and runes[0].sense.kind != "rune":
        number = runes[0].atom
        if runes[0].sense.kind == "number" and not any(0 <= number.first - t.last <= 1 for t in fill.triggers):
            return None
        if not any(-1 <= number.first - t.last <= 3 or 0 <= t.first - number.last <= 1 for t in fill.triggers):
            return None
    return 0.3


def _give_item_score(fill: Fill) -> float | None:
    return 0.0 if fill.triggers or fill.has("to", "item") else None


def _cancel_score(fill: Fill) -> float | None:
    if fill.has("old") or any(a.has("sheet_anew") for a in fill.triggers):
        return 0.8
    if fill.has("sheet"):
        return 0.5
    return 0.3 if fill.has("everything") and len(fill.atoms) == 2 else None


def _cancel(match: Match, context: Context) -> Iterable[Output]:
    if match.slots.keys() & {"everything", "sheet"} and not match.slots.get("old"):
        context.memory["cancel_all"] = match
    return [context.reading(match, {"type": "cancel_orders"})]


def _nothing_score(fill: Fill) -> float | None:
    return 0.4


def _vote(match: Match, context: Context) -> Iterable[Output]:
    filled = match.first_of("rune")
    if filled is not None and filled.sense.kind != "rune":
        board = context.view.game.runes.board
        number = filled.value
        if not 1 <= number <= len(board):
            return [context.problem(match, "E_RUNE_NOT_ON_BOARD", "Такой руны по счёту на столе нет.", severity=Severity.ERROR)]
        rune = board[number - 1]
        rune = getattr(rune, "rune", None) or getattr(rune, "id", None) or rune
        return [context.reading(match, {"type": "vote_rune", "rune": rune}, note=f"{number}-я руна на столе")]
    if filled is None:
        words = context.unknown_words(match.first, match.last + 3)
        named = context.text(words[0].span) if words else ""
        if not named:
            return [context.problem(match, "E_AMBIGUOUS", "За какую руну голос?")]
        likely = context.lexicon.suggest(named, ["rune"])
        text = f"Руны «{named}» нет" + (f"; похоже на «{likely[0]}»." if likely else ".")
        return [context.problem(match, "E_RUNE_NOT_ON_BOARD", text, words[0].span, severity=Severity.ERROR, rule="R81")]
    if not match.triggers:
        # «Не буду голосовать за Дань, лучше за Изобилие»; elsewhere «за …» may be no vote at all
        spoken = any(a.has("vote") and a.first < match.first for a in context.by_sentence.get(match.sentence, []))
        if not spoken:
            on_board = filled.value in _board(context)
            notes = ["понято как голос за руну"]
            return [context.reading(match, {"type": "vote_rune", "rune": filled.value}, notes=notes)] if on_board else []
    return make_simple(match, context)


def _board(context: Context) -> set[str]:
    board = context.view.game.runes.board
    return {str(getattr(rune, "rune", None) or getattr(rune, "id", None) or rune) for rune in board}


def _info(match: Match, context: Context) -> Iterable[Output]:
    command: dict[str, Any] = {"type": "share_info"}
    to = match.first_of("to")
    if to is not None:
        command["to"] = context.resolve(to, next(s for s in match.frame.slots if s.name == "to"))
    elif match.inherited:
        before = next((r.command for r in reversed(context.readings) if r.command["type"] == "share_info"), None)
        if before is not None:
            command["to"] = before["to"]
    subject = match.first_of("subject")
    if "to" not in command:
        return [context.problem(match, "E_UNKNOWN_TARGET", "Кому рассказать? Назовите владыку.", severity=Severity.ERROR)]
    if subject is None:
        return [context.problem(match, "E_AMBIGUOUS", "О чём рассказать?")]
    if len(subject.senses) > 1:
        return [context.which(match, "subject", subject, "E_AMBIGUOUS")]
    return [context.reading(match, {**command, "subject": subject.value})]


def _by(*names: str) -> Any:
    def key(command: Mapping[str, Any]) -> Any:
        return tuple(command.get(n) for n in names)

    return key


def frames() -> tuple[Frame, ...]:
    """All frames; the order decides between equals."""
    return (
        Frame(
            "attack",
            ("attack",),
            (
                Slot("shard", ("shard", "shard_unknown"), many=True, weight=1.4),
                Slot("owner", ("owner",), refs=("~person",), weight=1.1),
                Slot("troop", ("troop",)),
                Slot("magic", ("magic",)),
                Slot("hero", ("hero",)),
                Slot("amounts", _NUMBERS, many=True, weight=0.8),
                Slot("group_label", ("group_label",)),
                Slot("partners", ("partners",)),
                Slot("position", ("position",), weight=1.6),
                Slot("items", ("item",), many=True, weight=0.8),
                Slot("rest", ("~rest",), weight=0.5),
                Slot("all", ("~all",), weight=0.3),
                Slot("equal", ("equal",), many=True, weight=0.8),
                Slot("total", ("total", "raise"), many=True, weight=0.3),
            ),
            bare=(frozenset({"shard"}), frozenset({"owner"})),
            bare_partial=True,
            alone=("attack_call",),
            inherits=False,
            noise=frozenset(
                {"world", "move", "movement", "shard_word", "self", "outer", "group", "use", "defence_of", "get", "offer"}
            ),
            at_most={"amounts": 4, "shard": 3, "items": 3, "equal": 2},
            make=attacks.make_attack,
            score=_attack_score,
            key=lambda command: "main",
        ),
        Frame(
            "enter_nothing",
            ("nothing_in",),
            noise=frozenset({"movement", "world", "self", "~correction"}),
            inherits=False,
            score=_nothing_score,
        ),
        Frame(
            "exit_nothing", ("nothing_out",), noise=frozenset({"movement", "world", "self"}), inherits=False, score=_nothing_score
        ),
        Frame("pass", ("pass",), inherits=False),
        Frame(
            "invest_defence",
            ("defence",),
            (
                Slot("energy", ("energy", "number"), required=False, refs=("~amount",), weight=1.6),
                Slot("rest", ("~rest",), weight=1.2),
                Slot("all", ("~all",), weight=0.2),
            ),
            inherits=False,
            noise=frozenset({"world", "raise", "self", "keep", "give", "movement"}),
            score=lambda fill: 0.0 if fill.slots.keys() & {"energy", "rest"} else None,
            make=deals.make_amount,
        ),
        Frame(
            "set_reserve",
            ("reserve",),
            (
                Slot("attack_no", ("attack_no", "ordinal_no"), required=True, weight=1.1),
                Slot("energy", ("energy", "number"), refs=("~amount",), weight=1.5),
                Slot("rest", ("~rest",), weight=0.8),
            ),
            bare=(frozenset({"attack_no", "energy"}), frozenset({"attack_no", "rest"})),
            noise=frozenset({"keep", "raise", "give", "defence", "tactic", "movement"}),
            score=lambda fill: (
                None if not fill.slots.keys() & {"energy", "rest"} and not fill.has("attack_no") else _reserve_score(fill)
            ),
            make=deals.make_amount,
            key=_by("attack_no"),
        ),
        Frame(
            "set_defence_tactic",
            ("tactic", "defence"),
            (
                Slot("attack_no", ("attack_no", "ordinal_no"), many=True),
                Slot("troop", ("troop",)),
                Slot("magic", ("magic",)),
                Slot("hero", ("hero",)),
                Slot("amounts", ("number", "percent", "ratio"), many=True, weight=0.8),
                Slot("rest", ("~rest",), weight=0.5),
                Slot("same", ("~same",)),
                Slot("reverse", ("~reverse",)),
                Slot("as_before", ("as_before",), weight=1.5),
                Slot("items", ("item",), many=True, weight=0.6),
                Slot("all", ("~all",), weight=0.2),
                Slot("equal", ("equal",), many=True, weight=0.8),
            ),
            bare=(frozenset({"attack_no"}),),
            noise=frozenset({"world", "use", "self", "movement", "get"}),
            at_most={"amounts": 3, "attack_no": 3, "equal": 2},
            make=attacks.make_tactic,
            score=_tactic_score,
            key=_by("attack_no"),
        ),
        Frame(
            "care",
            ("care",),
            (Slot("shard", ("shard", "shards", "shard_unknown"), required=True, refs=("~place",)), Slot("times", ("times",))),
            noise=frozenset({"~once_more", "people", "shard_word", "energy", "outer", "~same", "self", "world"}),
            make=deals.make_care,
            key=_by("shard"),
        ),
        Frame(
            "sacrifice",
            ("sacrifice",),
            (Slot("shard", ("shard", "shard_unknown"), required=True, refs=("~place",)),),
            noise=frozenset({"people", "shard_word", "energy", "outer", "~same", "raise", "use", "movement", "self", "world"}),
            make=deals.make_sacrifice,
        ),
        Frame(
            "vote_rune",
            ("vote",),
            (Slot("rune", ("rune", "ordinal", "number"), required=True, weight=1.1),),
            inherits=False,
            alone=("vote_call",),
            bare=(frozenset({"rune"}),),
            noise=frozenset({"self", "give", "attack"}),
            score=_vote_score,
            make=_vote,
        ),
        Frame(
            "transfer_energy",
            ("give", "get"),
            (
                Slot("amount", ("energy", "number"), refs=("~amount",), weight=1.6),
                Slot("to", ("owner",), required=True, cases=_TO, refs=("~person",)),
                Slot("rest", ("~rest",), weight=0.8),
            ),
            bare=(frozenset({"amount", "to"}),),
            noise=frozenset({"world", "arrow", "movement", "offer"}),
            asides=frozenset({"на", "за", "в", "перед"}),
            score=_gift_score,
            make=deals.make_amount,
            key=_by("to"),
        ),
        Frame(
            "transfer_item",
            ("give", "get", "arrow"),
            (
                Slot("item", ("item",), required=True),
                Slot("to", ("owner",), required=True, cases=_TO, refs=("~person",), missing=_whom()),
            ),
            bare=(frozenset({"item", "to"}),),
            noise=frozenset({"world", "movement", "offer"}),
            asides=frozenset({"на", "за", "в"}),
            score=_item_gift_score,
            key=_by("to", "item"),
        ),
        Frame(
            "exchange",
            ("exchange", "want", "buy"),
            (
                Slot("with", ("owner",), weight=1.6),
                Slot("goods", ("item", "energy", "shard", "number"), many=True),
            ),
            bare=(frozenset({"with", "goods"}),),
            inherits=False,
            noise=frozenset({"give", "info", "world", "tell", "offer"}),
            at_most={"goods": 6},
            score=_bare_exchange,
            make=deals.make_exchange,
            key=_by("with"),
        ),
        Frame(
            "share_info",
            ("tell", "info"),
            (
                Slot("subject", ("shard", "item"), required=True),
                Slot("to", ("owner",), cases=frozenset({"datv", "ablt"}), refs=("~person",), weight=1.4),
            ),
            noise=frozenset({"give", "tactic", "use", "shard_word"}),
            score=lambda fill: 0.2 if fill.inherited or fill.has("to") or any(a.has("tell") for a in fill.triggers) else None,
            make=_info,
            key=_by("to", "subject"),
        ),
        Frame(
            "use_item",
            ("use", "work"),
            (
                Slot("item", ("item",), required=True),
                Slot("target_owner", ("owner",), refs=("~place", "~person")),
                Slot("target_shard", ("shard",), weight=0.9),
            ),
            bare=(frozenset({"item", "target_owner"}), frozenset({"item", "target_shard"})),
            noise=frozenset({"energy", "world"}),
            score=_use_score,
            make=deals.make_use,
            key=_by("item"),
        ),
        Frame(
            "use_feature",
            ("work", "use"),
            (
                Slot("feature", ("feature",), required=True, weight=1.1),
                Slot("target_shard", ("shard",)),
                Slot("target_owner", ("owner",), refs=("~person",)),
                Slot("position", ("ordinal", "position")),
                Slot("inside", ("inside",)),
                Slot("outside", ("outside",)),
            ),
            bare=(frozenset({"feature"}),),
            noise=frozenset({"energy", "shard_word", "world", "attack"}),
            score=_feature_score,
            make=deals.make_feature,
            key=_by("feature"),
        ),
        Frame(
            "hire_specialist",
            ("learn",),
            (Slot("specialist", ("specialist",), required=True, weight=1.2), Slot("unit", ("troop", "magic"))),
            bare=(frozenset({"specialist", "unit"}),),
            noise=frozenset({"energy", "number", "ordinal"}),
            score=lambda fill: None if fill.inherited and not fill.has("unit") else 0.0,
            make=deals.make_lesson,
            key=_by("specialist", "unit"),
        ),
        Frame(
            "cancel_orders",
            ("~withdraw", "unsheet", "sheet_anew"),
            (Slot("old", ("sheet_old",), weight=1.2), Slot("sheet", ("sheet",)), Slot("everything", ("~all",), weight=0.5)),
            bare=(),
            inherits=False,
            noise=frozenset({"self"}),
            score=_cancel_score,
            make=_cancel,
            weight=0.4,
        ),
    )


def _whom() -> Missing:
    return Missing("E_UNKNOWN_TARGET", text_of("E_UNKNOWN_TARGET", "owner", name="…"), Severity.ERROR)


def _gift_score(fill: Fill) -> float | None:
    if not fill.slots.keys() & {"amount", "rest"}:
        return None
    to = fill.slots.get("to")
    if not to and not any(a.has("give") for a in fill.triggers):
        return None  # «лучники получают 5»
    if to and not to[0].ref and fill.triggers and not any(a.has("get") for a in fill.triggers):
        atom = to[0].atom
        if "nomn" in atom.cases and "datv" not in atom.cases and fill.triggers[0].first - atom.last > 1:
            return None  # «Каэль просил десять. Дам пять.»
    if not fill.triggers and to and not to[0].ref and to[0].atom.cases and "datv" not in to[0].atom.cases:
        return None
    amount = fill.slots.get("amount")
    bare_number = bool(amount) and amount[0].sense.kind == "number"  # type: ignore[index]
    if not fill.triggers and not fill.inherited and bare_number:
        return None
    if not fill.triggers and to and to[0].atom.prep in {"на", "против", "с", "у"}:
        return None
    return 0.0


def _item_gift_score(fill: Fill) -> float | None:
    to = fill.slots.get("to")
    if fill.triggers or not to:
        return 0.0
    atom = to[0].atom
    if atom.prep in {"на", "против", "с", "у", "к"}:
        return None
    return 0.0 if to[0].ref or not atom.cases or "datv" in atom.cases else None
