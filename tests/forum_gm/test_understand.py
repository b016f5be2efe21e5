"""The rules' objections laid over a reading: what is dropped stays accounted for, by the problem that is about it."""

from __future__ import annotations

from forum_gm.understand import judged
from parsers.types import Parse, Problem, Reading, Severity, Span

#       0         1         2         3
#       0123456789012345678901234567890123
TEXT = "наём: птиц, рыб и раков в городе Б"
SHARED = Span(0, 5)


def reading(kind: str, start: int, end: int, *extra: Span) -> Reading:
    return Reading({"type": kind}, Span(start, end), extra_spans=extra)


def test_each_dropped_order_is_covered_by_its_own_problem() -> None:
    """«наём:» belongs to all three orders; the first and the last are refused, one by the language's side stands apart."""
    other = Problem("unknown_order", Severity.ERROR, "Чужая забота.", Span(24, 34), draft={"type": "x"})
    parse = Parse(TEXT, (reading("a", 6, 10, SHARED), reading("b", 12, 15, SHARED), reading("c", 18, 23, SHARED)), (other,))
    objections = [
        Problem("E_A", Severity.ERROR, "Нельзя птиц.", command=0),
        Problem("W_B", Severity.WARNING, "Мало рыб.", command=1),
        Problem("E_C", Severity.QUESTION, "Каких раков?", command=2),
    ]
    result = judged(parse, objections)
    assert [r.command["type"] for r in result.readings] == ["b"]
    found = {p.code: (p.command, p.draft, p.span) for p in result.problems}
    assert found["E_A"] == (None, {"type": "a"}, Span(0, 10))
    assert found["E_C"] == (None, {"type": "c"}, Span(0, 23))
    assert found["W_B"] == (0, None, Span(12, 15))
    assert found["unknown_order"] == (None, {"type": "x"}, Span(24, 34))
    assert len(result.problems) == 4


def test_a_problem_of_the_language_keeps_its_place_when_its_order_is_dropped() -> None:
    note = Problem("W_LEVEL", Severity.WARNING, "Уровень другой.", Span(7, 9), command=0)
    parse = Parse(TEXT, (reading("a", 6, 10),), (note,))
    result = judged(parse, [Problem("E_A", Severity.ERROR, "Нельзя.", command=0)])
    assert result.readings == ()
    assert {(p.code, p.span) for p in result.problems} == {("W_LEVEL", Span(7, 9)), ("E_A", Span(6, 10))}
