"""Lines behind «>»: a quote, unless the writer's own list can be told from it."""

from __future__ import annotations

import pytest

from parsers.layout import lay_out
from parsers.text import PostText
from parsers.types import IgnoredReason


def quoted(text: str) -> list[str]:
    layout = lay_out(PostText(text))
    return [text[i.span.start : i.span.end] for i in layout.ignored if i.reason is IgnoredReason.QUOTE]


@pytest.mark.parametrize(
    "text",
    [
        "> сдавайтесь\nНе сдадимся.",
        "> сдавайтесь\n> и уходите\nНе сдадимся.",
        "Каэль пишет:\n> сдавайтесь\n> и уходите",
        "Ты говорил:\n> атакую 007\n> и 008",
        "Не сдадимся.\n> сдавайтесь\n> и уходите",
        "> сдавайтесь",
    ],
)
def test_what_others_said_is_a_quote(text: str) -> None:
    assert "\n".join(quoted(text)) == "\n".join(line for line in text.split("\n") if line.startswith(">"))


@pytest.mark.parametrize(
    "text", ["> атакую 007\n> забота о 008", "Мой ход:\n> атакую 007\n> забота о 008\nВсё.", "Приказы:\n\n> раз\n> два"]
)
def test_a_list_of_ones_own_is_none(text: str) -> None:
    assert quoted(text) == []
