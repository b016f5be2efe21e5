"""The frames of §3: how each of the nineteen commands is said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from parsers.context import Context
from parsers.frames import Frame, Match, Missing, Output, Slot, make_simple
from parsers.types import Severity
from rules.astral.language import attacks, cancelling, deals, scores
from rules.astral.messages import text_of

_TO = frozenset({"datv"})
_NUMBERS = ("number", "energy", "percent", "ratio")


def _vote(match: Match, context: Context) -> Iterable[Output]:
    filled = match.first_of("rune")
    if filled is not None and filled.sense.kind != "rune":
        laid = context.view.game.runes.board
        number = filled.value
        if not 1 <= number <= len(laid):
            return [context.problem(match, "E_RUNE_NOT_ON_BOARD", "Такой руны по счёту на столе нет.", severity=Severity.ERROR)]
        rune = laid[number - 1]
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
            on_board = filled.value in board(context)
            notes = ["понято как голос за руну"]
            return [context.reading(match, {"type": "vote_rune", "rune": filled.value}, notes=notes)] if on_board else []
    return make_simple(match, context)


def board(context: Context) -> set[str]:
    """The runes that may be voted for."""
    laid = context.view.game.runes.board
    return {str(getattr(rune, "rune", None) or getattr(rune, "id", None) or rune) for rune in laid}


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
                Slot("group_label", ("group_label",), weight=2.0),
                Slot("partners", ("partners",)),
                Slot("position", ("position",), weight=1.6),
                Slot("items", ("item",), many=True, weight=0.8),
                Slot("rest", ("~rest",), weight=0.5),
                Slot("all", ("~all",), weight=0.7),
                Slot("again", ("~amount",), weight=0.8),
                Slot("equal", ("equal",), many=True, weight=0.8),
                Slot("total", ("total", "raise"), many=True, weight=0.3),
            ),
            bare=(frozenset({"shard"}), frozenset({"owner"})),
            bare_partial=True,
            alone=("attack_call",),
            inherits=False,
            noise=frozenset(
                {
                    "world",
                    "move",
                    "movement",
                    "shard_word",
                    "self",
                    "outer",
                    "group",
                    "use",
                    "defence_of",
                    "get",
                    "offer",
                    "unit_again",
                    "arrow",
                }
            ),
            at_most={"amounts": 4, "shard": 3, "items": 3, "equal": 2},
            make=attacks.make_attack,
            score=scores.attack,
            key=lambda command: "main",
        ),
        Frame(
            "enter_nothing",
            ("nothing_in",),
            noise=frozenset({"movement", "world", "self", "~correction"}),
            inherits=False,
            score=scores.nothing,
        ),
        Frame(
            "exit_nothing", ("nothing_out",), noise=frozenset({"movement", "world", "self"}), inherits=False, score=scores.nothing
        ),
        Frame("pass", ("pass",), inherits=False),
        Frame(
            "invest_defence",
            ("defence",),
            (
                Slot("energy", ("energy", "number"), required=False, refs=("~amount",), weight=1.6),
                Slot("rest", ("~rest",), weight=1.2),
                Slot("half", ("~half",), weight=1.2),
                Slot("all", ("~all",), weight=0.2),
            ),
            inherits=False,
            noise=frozenset({"world", "raise", "self", "keep", "give", "movement", "arrow"}),
            score=scores.invest,
            make=deals.make_amount,
        ),
        Frame(
            "set_reserve",
            ("reserve",),
            (
                Slot("attack_no", ("attack_no", "ordinal_no"), required=True, weight=1.1),
                Slot("energy", ("energy", "number"), refs=("~amount",), weight=1.5),
                Slot("when", ("if_attacked",), weight=0.3),
                Slot("rest", ("~rest",), weight=0.8),
                Slot("half", ("~half",), weight=0.8),
            ),
            bare=(frozenset({"attack_no", "energy"}), frozenset({"attack_no", "rest"})),
            noise=frozenset({"keep", "raise", "give", "defence", "tactic", "movement", "arrow"}),
            score=lambda fill: (
                None if not fill.slots.keys() & scores.SAID and not fill.has("attack_no") else scores.reserve(fill)
            ),
            make=deals.make_amount,
            key=_by("attack_no"),
        ),
        Frame(
            "set_defence_tactic",
            ("tactic", "defence", "if_attacked"),
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
            noise=frozenset({"world", "use", "self", "movement", "get", "unit_again"}),
            at_most={"amounts": 3, "attack_no": 3, "equal": 2},
            make=attacks.make_tactic,
            score=scores.tactic,
            key=_by("attack_no"),
        ),
        Frame(
            "care",
            ("care",),
            (
                Slot("shard", ("shard", "shards", "shard_unknown"), required=True, refs=("~place", "~that")),
                Slot("times", ("times",), weight=1.6),
            ),
            noise=frozenset(
                {"~once_more", "people", "shard_word", "energy", "outer", "~same", "~that", "self", "world", "arrow"}
            ),
            score=scores.on_shard,
            make=deals.make_care,
            key=_by("shard"),
        ),
        Frame(
            "sacrifice",
            ("sacrifice",),
            (Slot("shard", ("shard", "shard_unknown"), required=True, refs=("~place", "~that")),),
            noise=frozenset(
                {"people", "shard_word", "energy", "outer", "~same", "~that", "raise", "use", "movement", "self", "world"}
            ),
            score=scores.on_shard,
            make=deals.make_sacrifice,
        ),
        Frame(
            "vote_rune",
            ("vote",),
            (Slot("rune", ("rune", "ordinal", "number"), required=True, weight=1.1),),
            inherits=False,
            alone=("vote_call",),
            bare=(frozenset({"rune"}),),
            noise=frozenset({"self", "give", "attack", "arrow"}),
            score=scores.vote,
            make=_vote,
        ),
        Frame(
            "transfer_energy",
            ("give", "get", "aid", "arrow"),
            (
                Slot("amount", ("energy", "number"), refs=("~amount",), weight=1.6),
                Slot("to", ("owner", "owners"), required=True, cases=_TO, refs=("~person",)),
                Slot("everyone", ("~all",), weight=0.5),
                Slot("rest", ("~rest",), weight=0.8),
                Slot("half", ("~half",), weight=0.8),
            ),
            bare=(frozenset({"amount", "to"}), frozenset({"half", "to"}), frozenset({"rest", "to"})),
            noise=frozenset({"world", "arrow", "movement", "offer", "total"}),
            asides=frozenset({"на", "за", "в", "перед"}),
            score=scores.apart(scores.gift),
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
            score=scores.apart(scores.item_gift),
            make=deals.make_item_gift,
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
            noise=frozenset({"give", "get", "info", "world", "tell", "offer", "aid", "price", "total"}),
            at_most={"goods": 6},
            score=scores.apart(scores.exchange),
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
            score=scores.apart(
                lambda fill: 0.2 if fill.inherited or fill.has("to") or any(a.has("tell") for a in fill.triggers) else None
            ),
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
            alone=("use_call",),
            score=scores.apart(scores.use),
            make=deals.make_use,
            key=_by("item"),
        ),
        Frame(
            "use_feature",
            ("work", "use"),
            (
                Slot("feature", ("feature",), required=True, weight=1.1),
                Slot("target_shard", ("shard",), many=True),
                Slot("target_owner", ("owner",), refs=("~person",)),
                Slot("position", ("ordinal", "position")),
                Slot("inside", ("inside",)),
                Slot("outside", ("outside",)),
            ),
            bare=(frozenset({"feature"}),),
            bare_partial=True,
            noise=frozenset({"energy", "shard_word", "world", "attack"}),
            at_most={"target_shard": 2},
            score=scores.apart(scores.feature),
            make=deals.make_feature,
            key=_by("feature"),
        ),
        Frame(
            "hire_specialist",
            ("learn",),
            (Slot("specialist", ("specialist",), required=True, weight=1.2), Slot("unit", ("troop", "magic"))),
            bare=(frozenset({"specialist", "unit"}),),
            noise=frozenset({"energy", "number", "ordinal", "attack", "give", "get", "use", "total"}),
            score=scores.apart(lambda fill: None if fill.inherited and not fill.has("unit") else 0.0),
            make=deals.make_lesson,
            key=_by("specialist", "unit"),
        ),
        Frame(
            "cancel_orders",
            ("~withdraw", "unsheet", "sheet_anew", "~instead"),
            (
                Slot("old", ("sheet_old",), weight=1.2),
                Slot("sheet", ("sheet",)),
                Slot("everything", ("~all",), weight=0.5),
                Slot("what", tuple(cancelling.PARTS), many=True, weight=0.8),
                Slot("which", ("attack_no", "ordinal_no", "shard", "owner", "item", "rune"), many=True, weight=0.4),
            ),
            bare=(),
            inherits=False,
            noise=frozenset({"self"}),
            score=cancelling.cancel_score,
            make=cancelling.cancel,
            weight=0.4,
        ),
    )


def _whom() -> Missing:
    return Missing("E_UNKNOWN_TARGET", text_of("E_UNKNOWN_TARGET", "owner", name="…"), Severity.ERROR)
