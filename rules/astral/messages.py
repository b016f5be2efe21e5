"""What a player is told about an order (§8): texts from `data/messages.toml`, filled in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from parsers.types import Choice, Problem, Severity
from rules.astral.catalog import raw_data
from rules.astral.state import State
from rules.base import FactionId


@dataclass(frozen=True, slots=True)
class Fault:
    """An objection to one command."""

    code: str
    params: dict[str, Any] = field(default_factory=dict)
    variant: str = "text"
    """Which text of the code."""
    field: str | None = None
    """The command's field to blame."""
    choices: tuple[Choice, ...] = ()
    correction: str | None = None

    @property
    def message(self) -> str:
        """The Russian sentence."""
        return text_of(self.code, self.variant, **self.params)

    @property
    def rule(self) -> str:
        """The ruling broken."""
        return str(raw_data("messages")[self.code]["rule"])

    def problem(self, command: int) -> Problem:
        """As a problem about the command with this index."""
        severity = Severity(raw_data("messages")[self.code]["severity"])
        if self.code == "E_ITEM_TARGET" and self.params.get("absent"):
            severity = Severity.QUESTION
        return Problem(
            self.code,
            severity,
            self.message,
            command=command,
            field=self.field,
            choices=self.choices,
            correction=self.correction,
            rule=self.rule,
        )


def text_of(code: str, variant: str = "text", **params: Any) -> str:
    """The text of a code and variant, filled in."""
    return str(raw_data("messages")[code][variant]).format(**params)


def word(name: str) -> str:
    """A word used inside messages."""
    return str(raw_data("messages")["words"][name])


def ordinal(number: int, case: str) -> str:
    """«первую» (`acc`), «первой» (`gen`); from the eleventh on «11-ю», «11-й»."""
    words = raw_data("messages")["words"]
    known = words[f"ordinals_{case}"]
    return str(known[number]) if 0 < number < len(known) else f"{number}{words[f'ordinal_{case}_suffix']}"


def quoted(name: str) -> str:
    """A name in quotation marks; one that has its own («ТЗ «Тайна Стен»») stays as it is."""
    return name if "«" in name else f"«{name}»"


def world_gen(game: State, owner: FactionId) -> str:
    """After «мир»: «Каэля», or «владыки Каэль» where the scenario gives no genitive."""
    who = game.owners[owner]
    return who.name_gen or f"владыки {who.name}"


def rule_text(rule: str) -> str | None:
    """The ruling in a Russian sentence; None: there is no such ruling."""
    found = raw_data("rulings")["rulings"].get(rule)
    return None if found is None else str(found)


def report_words(section: str) -> dict[str, str]:
    """A section of the report's words (`data/report.toml`)."""
    return dict(raw_data("report")[section])
