"""A demo campaign as data: who plays, what they post and when, from `posts/<ruleset>.toml`."""

from __future__ import annotations

import tomllib
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from forum_gm.config import sentence
from forum_gm.errors import UsageProblem

POSTS = Path(__file__).parent / "posts"


class Part(BaseModel):
    """Base of the file's tables."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Person(Part):
    """Somebody with an account on the board."""

    name: str
    faction: str = ""


class Edit(Part):
    """A later text of a post."""

    hours: float = Field(ge=0)
    text: str


class ScriptPost(Part):
    """A post: `hours` after its step opened, or `late` hours after its deadline."""

    step: str
    """Id of the step it is for."""
    by: str
    """A faction, or `gm`."""
    text: str
    hours: float | None = None
    late: float | None = None
    private: bool = False
    """A message to the bot instead of a post in the thread."""
    edits: tuple[Edit, ...] = ()

    @model_validator(mode="after")
    def one_time(self) -> ScriptPost:
        """Either in time or late."""
        if (self.hours is None) == (self.late is None):
            raise ValueError("нужно одно из двух: hours или late")
        return self


class Script(Part):
    """The whole demo of one ruleset."""

    ruleset: str
    topic: str
    """Title of the thread."""
    first_post: str
    opened: datetime
    """When the GM opens the thread."""
    turn: str
    """The turn that the demo plays: the step with this id and all whose id begins with it and a dot."""
    gm: Person
    bot: Person
    players: tuple[Person, ...]
    posts: tuple[ScriptPost, ...]
    secret_in_public: str = "warn"

    @model_validator(mode="after")
    def known_authors(self) -> Script:
        """Every post has an author."""
        known = {player.faction for player in self.players} | {"gm"}
        for post in self.posts:
            if post.by not in known:
                raise ValueError(f"сообщение неизвестного автора «{post.by}»")
        return self


def in_turn(step_id: str, turn: str) -> bool:
    """True for the turn's step, or one of its steps."""
    return step_id == turn or step_id.startswith(turn + ".")


def available() -> list[str]:
    """Rulesets that have a demo."""
    return sorted(path.stem for path in POSTS.glob("*.toml"))


def load(ruleset: str) -> Script:
    """The demo of a ruleset. Raises `UsageProblem`."""
    path = POSTS / f"{ruleset}.toml"
    if not path.exists():
        raise UsageProblem(f"Для правил «{ruleset}» показа нет. Есть: {', '.join(available())}.")
    try:
        return Script.model_validate(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        reason = sentence(error, path.name) if isinstance(error, ValidationError) else f"{path.name}: {error}"
        raise UsageProblem(reason) from error
