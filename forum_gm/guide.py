"""The player's page «как писать приказы» of a game, made from its order language's own words and names and from its examples.

Examples are data of the ruleset (`data/examples.toml` in its package): a phrase and exactly the commands it means. What the page
says about a phrase is what the program says, so the page can't promise what isn't understood.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from forum_gm.errors import UsageProblem
from forum_gm.understand import audience_of, post_text, understand_view
from parsers.types import Parse
from renderers.templates import environment
from rules import registry
from rules.base import Ruleset, View

FILE = "examples.toml"
TEMPLATE = "docs/orders.md.j2"
MOST_WORDS = 16
"""Words of command shown in a section."""
FEWEST_WORDS = 7
"""…of one frame, where a section shows several."""
MOST_NICKNAMES = 8
"""Other names shown of one thing."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Example(_Part):
    """One phrase and what it means."""

    say: str
    """The post as a player writes it, BBCode allowed."""
    by: str = ""
    """Faction of its author; empty: the page's."""
    step: str | None = None
    """Kind of the step it answers."""
    commands: tuple[Mapping[str, Any], ...] = ()
    """Exactly the commands that come out, in order, all certain."""
    problems: tuple[str, ...] = ()
    """Codes of the problems that come out; warnings of the rules may be left out (then the page is silent about them)."""
    unsure: bool = False
    """The commands ask for confirmation (a typo, a guess)."""
    note: str = ""
    """A sentence beside it."""


class Section(_Part):
    """What is said about one thing to order."""

    title: str
    text: str = ""
    """A paragraph before the examples."""
    types: tuple[str, ...] = ()
    """Command types it explains."""
    frames: tuple[str, ...] = ()
    """Frames whose words of command it shows; empty: those named like the types."""
    examples: tuple[Example, ...] = ()


class Guide(_Part):
    """A game's examples."""

    title: str
    by: str
    """Faction of the examples' author."""
    text: str = ""
    names: Mapping[str, str] = {}
    """Kinds of names to list, with their headings."""
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Word:
    """A thing with a name, and what else it is called."""

    title: str
    others: tuple[str, ...]


def read_guide(ruleset_id: str) -> Guide:
    """The examples of a ruleset. Raises `UsageProblem` where it has none or they are not well-formed."""
    file = registry.package(ruleset_id).joinpath("data", FILE)
    try:
        return Guide.model_validate(tomllib.loads(file.read_text("utf-8")))
    except FileNotFoundError as error:
        raise UsageProblem(f"У правил «{ruleset_id}» нет примеров приказов (data/{FILE}).") from error
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise UsageProblem(f"Примеры приказов «{ruleset_id}» написаны с ошибкой: {error}.") from error


class Reader:
    """Reads examples at the start of a game's default scenario."""

    def __init__(self, ruleset_id: str, guide: Guide) -> None:
        self.ruleset: Ruleset = registry.get(ruleset_id)
        self._guide = guide
        self._state = self.ruleset.new_game(self.ruleset.load_scenario(None))

    def view(self, example: Example | None = None) -> View:
        """What the author of an example sees."""
        faction = (example.by if example else "") or self._guide.by
        return self.ruleset.view(self._state, audience_of(faction))

    def read(self, example: Example) -> Parse:
        """An example as the program understands it."""
        return understand_view(self.ruleset, self.view(example), example.step, post_text(example.say, "bbcode"))

    def answers(self, example: Example) -> Iterator[str]:
        """The program's lines about an example: its commands in words, then the problems it is meant to show."""
        parse, view = self.read(example), self.view(example)
        for reading in parse.readings:
            said = self.ruleset.describe(view, self.ruleset.commands.parse(reading.command))
            why = f": {reading.note}" if reading.note else ""
            yield said if reading.certain else f"{said} (переспросит{why})"
        for problem in parse.problems:
            if problem.code in example.problems:
                yield problem.message
        if not parse.readings and not example.problems:
            yield "не приказ"


def render(ruleset_id: str) -> str:
    """The page in Markdown."""
    guide = read_guide(ruleset_id)
    reader = Reader(ruleset_id, guide)
    language: Any = reader.ruleset.order_language(reader.view(), None)
    parts: list[dict[str, Any]] = []
    for section in guide.sections:
        words = words_of(language, section.frames or section.types)
        if any(words == part["words"] for part in parts):
            words = []
        answers = [(example, list(reader.answers(example))) for example in section.examples]
        parts.append({"section": section, "words": words, "examples": answers})
    names = [(heading, names_of(language, kind)) for kind, heading in guide.names.items()]
    made: str = environment().get_template(TEMPLATE).render(guide=guide, ruleset=ruleset_id, parts=parts, names=names)
    return made.rstrip("\n") + "\n"


def words_of(language: Any, frames: Sequence[str]) -> list[str]:
    """The words that call for these frames, each frame with its fair share."""
    entries: dict[str, list[str]] = {}
    for entry in language.lexicon.entries:
        entries.setdefault(entry.kind, []).extend(entry.names)
    share = max(FEWEST_WORDS, MOST_WORDS // max(1, len(frames)))
    out: list[str] = []
    for frame in language.frames:
        if frame.id in frames:
            said = (name for kind in frame.triggers for name in entries.get(kind, ()) if any(map(str.isalpha, name)))
            out += distinct(said, out)[:share]
    return out


def names_of(language: Any, kind: str) -> list[Word]:
    """The things of a kind with their other names."""
    found: dict[str, list[str]] = {}
    for entry in language.lexicon.entries:
        if entry.kind == kind:
            found.setdefault(entry.title, []).extend(name for name in entry.names if "*" not in name)
    return [
        Word(title, tuple(distinct(names, [title, *title.strip("«»").split()])[:MOST_NICKNAMES]))
        for title, names in sorted(found.items())
    ]


def distinct(names: Iterable[str], known: Sequence[str] = ()) -> list[str]:
    """Names of a lexicon as a reader may see them: without the language's signs, no form of one known already."""
    out: list[str] = []
    for name in names:
        word = name.replace("=", "").replace("*", "…").strip(". ")
        if not any(_alike(word, other) for other in (*known, *out)):
            out.append(word)
    return out


def _alike(one: str, other: str) -> bool:
    """Forms of one word, as far as a reader cares: the same beginning and nearly the same length."""
    one, other = (name.lower().replace("ё", "е").strip("«».,") for name in (one, other))
    common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    return abs(len(one) - len(other)) <= 2 and common >= max(3, min(len(one), len(other)) - 1)
