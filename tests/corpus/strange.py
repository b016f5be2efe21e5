"""`python -m tests.corpus.strange GAME [COUNT [SEED]]`: what becomes of an order when one of its words is one that nobody knows.

In posts that are read rightly, a word of an order is replaced by a made-up one with the same ending. The order may ask, or stay as
it was where the word said nothing; it must neither vanish silently nor turn into another one that is certain. This looks for silent
errors without new posts: new words are what a stranger's post differs by most.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from forum_gm.understand import audience_of, post_text, understand_view
from parsers.types import Parse
from rules import registry
from tests.corpus.scoring import DERIVABLE, HERE, load, places_of, same, touch

SYLLABLES = ("брыл", "шмот", "фук", "тарк", "жбан", "квал", "дрын", "пучк", "хлоб", "сверк", "мурз", "лопт")
FILES = ("examined", "examined_two", "unseen")


@dataclass
class Strange:
    """What became of the changed orders."""

    tried: int = 0
    asks: int = 0
    unchanged: int = 0
    """Certain and the same as before."""
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @property
    def silent(self) -> float:
        """Silent errors per 100 changes."""
        return 100 * (len(self.lost) + len(self.wrong)) / max(1, self.tried)


class _Reader:
    def __init__(self, game: str) -> None:
        self._rules = registry.get(game)
        self._state = self._rules.new_game(self._rules.load_scenario(None))
        self._views: dict[str, Any] = {}

    def __call__(self, post: dict[str, Any], text: str) -> Parse:
        faction = post["faction"]
        if faction not in self._views:
            self._views[faction] = self._rules.view(self._state, audience_of(faction))
        return understand_view(self._rules, self._views[faction], post.get("step"), post_text(text, post.get("format", "bbcode")))


def _words(posts: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any], int, int]]:
    """Every word of every order: the post, the order, and where the word begins and ends."""
    for post in posts:
        if "[" in post["text"] or "<" in post["text"]:
            continue  # a word of the markup is no word of the player's
        for command in post.get("commands", ()):
            at = post["text"].find(command.get("src", "\0"))
            if at >= 0:
                for word in re.finditer("[А-Яа-яё]{4,}", command["src"]):
                    yield post, command, at + word.start(), at + word.end()


def _made_up(word: str, chance: random.Random) -> str:
    out = chance.choice(SYLLABLES) + (word[-2:] if len(word) > 4 else word[-1:])
    return out.capitalize() if word[0].isupper() else out


def strange(game: str, count: int, seed: int = 7) -> Strange:
    """Changes so many words, chosen by the seed, in posts that independent hands wrote."""
    chance = random.Random(seed)
    read, derivable = _Reader(game), DERIVABLE[game]
    places = list(_words([post for name in FILES for post in load(HERE / f"{game}_{name}.toml")]))
    out = Strange()
    for post, gold, first, last in chance.sample(places, min(count, len(places))):
        text: str = post["text"]
        word = _made_up(text[first:last], chance)
        if not any(same(gold, r.command, derivable) for r in read(post, text).readings):
            continue
        start = text.index(gold["src"])
        source = gold["src"][: first - start] + word + gold["src"][last - start :]
        parse = read(post, text[:first] + word + text[last:])
        out.tried += 1
        line = f"{post['id']} {post['faction']}: {text[first:last]} → {source!r}"
        right = [r for r in parse.readings if same(gold, r.command, derivable)]
        other = [r for r in parse.readings if r.certain and not any(same(g, r.command, derivable) for g in post["commands"])]
        asked = [(p.span.start, p.span.end) for p in parse.problems if p.span is not None]
        asked += [(r.span.start, r.span.end) for r in parse.readings if not r.certain]
        if other:
            out.wrong.append(f"{line}: {dict(other[0].command)}")
        elif right:
            out.unchanged += any(r.certain for r in right)
            out.asks += not any(r.certain for r in right)
        elif any(touch(place, asked) for place in places_of(parse.text, source)):
            out.asks += 1
        else:
            out.lost.append(line)
    return out


def main() -> None:
    """Prints the figures and each silent error."""
    game, count, seed = sys.argv[1], int([*sys.argv, "300"][2]), int([*sys.argv, "7", "7"][3])
    found = strange(game, count, seed)
    print(
        f"{game}: {found.tried} changed, {found.asks} ask, {found.unchanged} unchanged, {found.silent:.1f} silent errors per 100"
    )
    print(*(f"  lost  {line}" for line in found.lost), *(f"  wrong {line}" for line in found.wrong), sep="\n")


if __name__ == "__main__":
    main()
