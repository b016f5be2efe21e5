"""Whether the words of one sentence may be orders: signature, out of character, a sum, a question, a wish."""

from __future__ import annotations

from collections.abc import Sequence

from parsers.layout.questions import asks, question_end, question_start, told_before
from parsers.layout.unreal import mark_reported, mark_unreal
from parsers.russian import Verb, info, words
from parsers.structure import (
    Layout,
    Line,
    Sentence,
    Status,
    first_word,
    phrases,
    set_status,
    starts_with,
)
from parsers.tokens import Kind, Token


def weigh_sentence(layout: Layout, sentence: Sentence, real_words: frozenset[str]) -> None:
    """Gives the sentence's words the first of these statuses that fits; words that may be orders stay live."""
    tokens = layout.tokens
    first, last = first_word(layout, sentence), sentence.last
    if first >= last:
        return
    if starts_with(tokens, first, last, phrases("signature", "edit_stamp")):
        set_status(layout, sentence.first, layout.lines[sentence.line].last, Status.SIGNATURE)
        return
    if layout.status[first] is Status.SIGNATURE:
        return
    if starts_with(tokens, first, last, phrases("signature", "starts")):
        rest = layout.lines[sentence.line :]
        if sum(1 for line in rest if line.first < line.last) <= 4:
            for line in rest:
                set_status(layout, line.first, _signed(layout, sentence, line), Status.SIGNATURE)
            return
    if layout.status[first] is Status.OOC:
        return
    marked = starts_with(tokens, first, last, phrases("ooc", "starts"))
    if marked:
        behind = tokens[first + marked].norm if first + marked < last else ""
        if behind in {":", "-", ".", ",", ""} or tokens[first - 1].norm in {"(", "["}:
            line = layout.lines[sentence.line]
            closing = next((k for k in range(first, line.last) if tokens[k].norm in {")", "]"}), None)
            inside = first > line.first and tokens[first - 1].norm in {"(", "["}
            set_status(layout, sentence.first, closing + 1 if inside and closing is not None else line.last, Status.OOC)
            return
    arrow = any(tokens[k].norm == "→" for k in range(first, last))
    counted = any(tokens[k].kind is Kind.NUMBER or tokens[k].norm in words()["numerals"]["values"] for k in range(first, last))
    head = starts_with(tokens, first, last, phrases("summary", "starts"))
    if counted and not arrow and head and not _tells(tokens, first + head, last):
        set_status(layout, sentence.first, last, Status.SUMMARY)
        return
    if asks(layout, sentence, first):
        start = question_start(layout, sentence)
        for k in range(sentence.last - 1, sentence.first - 1, -1):
            if tokens[k].norm == "(":
                if not any(tokens[m].norm == ")" for m in range(k, sentence.last)):
                    start = k
                break
        end = question_end(layout, sentence)
        set_status(layout, start, end, Status.QUESTION)
        if start == sentence.first and end == last:
            set_status(layout, first, told_before(layout, sentence), Status.HEDGED)
        if start == sentence.first and end == last:
            return
    mark_unreal(layout, sentence, real_words)
    mark_reported(layout, sentence)


def _signed(layout: Layout, sentence: Sentence, line: Line) -> int:
    """Where a signature's line ends: «С уважением, Аэлин. Ход окончен.» signs with its first sentence."""
    if line is not layout.lines[sentence.line] or sentence.last >= line.last:
        return line.last
    return sentence.last if layout.tokens[sentence.last].kind is Kind.WORD else line.last


def _tells(tokens: Sequence[Token], at: int, last: int) -> bool:
    """True when a verb that counts nothing stands here: «казна (велит: десяток копейщиков)» is no sum."""
    while at < last and tokens[at].norm == "не":
        at += 1
    if at >= last or tokens[at].kind is not Kind.WORD:
        return False
    return info(tokens[at].norm).verb is not Verb.NONE and tokens[at].norm not in words()["summary"]["counting"]
