"""The build of a post: lines, list items, sentences, and for each token whether orders may stand there.

Serves the accounting: whatever is no order here has a reason (quote, struck-out, out of character, conditional, wish, question).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache

from parsers.russian import Verb, closed_class, info, words
from parsers.text import Mark, PostText
from parsers.tokens import Kind, Token, tokenise
from parsers.types import Ignored, IgnoredReason, Span


class Status(IntEnum):
    """Whether a token may be part of an order."""

    LIVE = 0
    CONDITIONAL = 1
    QUESTION = 2
    IRREAL = 3
    """A wish, a plan, a guess, the past."""
    SPEECH = 4
    """Somebody's words in quotation marks."""
    SUMMARY = 5
    OOC = 6
    SIGNATURE = 7
    LIST_MARK = 8
    """«1.», «а)», «•»."""
    HEDGED = 9
    """Said as likely, or as what others say: an order in it is asked about."""


UNREAL = frozenset({Status.IRREAL, Status.HEDGED})


REASONS = {
    Status.SUMMARY: IgnoredReason.SUMMARY,
    Status.OOC: IgnoredReason.OOC,
    Status.SIGNATURE: IgnoredReason.SIGNATURE,
    Status.LIST_MARK: IgnoredReason.SEPARATOR,
}


@dataclass(slots=True)
class Line:
    """One line of the post, as token indices."""

    first: int
    last: int
    item: str = ""
    """Number or letter of the list item that begins here («2»)."""
    bullet: bool = False
    """A list item begins here."""
    start: int = 0
    end: int = 0


@dataclass(slots=True)
class Sentence:
    """A sentence, as token indices; never longer than its line."""

    first: int
    last: int
    line: int
    item: str = ""
    """Number of the list item it belongs to."""


@dataclass(slots=True)
class Layout:
    """Everything found out about a post's build."""

    text: str
    tokens: list[Token]
    status: list[Status]
    lines: list[Line]
    sentences: list[Sentence]
    sentence_of: list[int]
    """Index of the sentence of each token; -1 for line ends."""
    ignored: list[Ignored] = field(default_factory=list)
    conditionals: list[tuple[int, int]] = field(default_factory=list)
    """Conditional stretches, as token indices."""
    bold: list[Span] = field(default_factory=list)
    italic: list[Span] = field(default_factory=list)
    item_starts: frozenset[int] = frozenset()
    """Indices of tokens right after a list mark."""


_HOLES = {
    Mark.QUOTE: IgnoredReason.QUOTE,
    Mark.STRUCK: IgnoredReason.STRUCK,
    Mark.CODE: IgnoredReason.CODE,
    Mark.SIGNATURE: IgnoredReason.SIGNATURE,
    Mark.OOC: IgnoredReason.OOC,
}
_RULE = re.compile(r"^[ \t]*_{5,}[ \t]*$|^--[ ]?$", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>|&gt;).*$", re.MULTILINE)
_ENDS = frozenset(".!?…;")
_BRACKET_REACH = 120
"""Tokens that a bracket spans at most."""
_BULLETS = frozenset("•*-+·●▪◦►→‣")
_OPENERS = {"«": "»", "“": "”", "„": "“", '"': '"'}


_TURNS = frozenset({"но", "поэтому", "однако", "значит", "итак"})
"""Words after which a sentence leaves what is only thought or told."""

Phrases = Mapping[str, Sequence[tuple[str, ...]]]


@lru_cache(maxsize=64)
def phrases(*path: str) -> Phrases:
    """A list of phrases of `data/russian.toml`, by their first word, longest first."""
    table: object = words()
    for key in path:
        table = table[key]  # type: ignore[index]
    assert isinstance(table, list)
    out: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted((tuple(p.replace("-", " ").split()) for p in table), key=len, reverse=True):
        out.setdefault(phrase[0], []).append(phrase)
    return out


def starts_with(tokens: Sequence[Token], at: int, last: int, phrases: Phrases) -> int:
    """The length in tokens of the longest phrase that stands at `at`, signs between its words not counted; 0: none."""
    for phrase in phrases.get(tokens[at].norm, ()) if at < last else ():
        i = at
        for n, word in enumerate(phrase):
            while n and i < last and tokens[i].norm in {"-", "."}:
                i += 1
            if i >= last or tokens[i].norm != word:
                break
            i += 1
        else:
            return i - at
    return 0


def lay_out(
    post: PostText,
    *,
    abbreviations: frozenset[str] = frozenset(),
    unit_words: frozenset[str] = frozenset(),
    keeps: Callable[[Sequence[Token]], bool] | None = None,
    real_words: frozenset[str] = frozenset(),
) -> Layout:
    """Works out the build of a post.

    `abbreviations`: words whose full stop ends no sentence («э», «оск»). `keeps`: whether a conditional stretch is one that the
    game's orders know («если возьмём — колонизировать»): it stays live. `unit_words`: words of units; their full stop ends a
    sentence where a capital follows. `real_words`: words that are no sign of a wish in this
    game although they are in Russian («может» where one permits)."""
    text = post.text
    holes, ignored = _holes(post)
    tokens = tokenise(text, 0, len(text), holes)
    layout = Layout(text, tokens, [Status.LIVE] * len(tokens), [], [], [-1] * len(tokens), ignored)
    layout.bold = _merged(post.marked(Mark.BOLD))
    layout.italic = _merged(post.marked(Mark.ITALIC))
    _lines(layout, post)
    _sentences(layout, abbreviations, unit_words)
    for sentence in layout.sentences:
        _judge(layout, sentence, real_words)
    _speech(layout)
    _backward(layout)
    _headed_lists(layout)
    _conditionals(layout, keeps)
    return layout


def _merged(spans: list[Span]) -> list[Span]:
    """Spans sorted by start, overlapping ones joined."""
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start <= out[-1].end:
            out[-1] = Span(out[-1].start, max(out[-1].end, span.end))
        else:
            out.append(span)
    return out


def inside(spans: Sequence[Span], offset: int) -> bool:
    """True when one of these sorted, disjoint spans holds the offset."""
    at = bisect_right(spans, offset, key=lambda s: s.start) - 1
    return at >= 0 and offset < spans[at].end


# ------------------------------------------------------------------------------------------------ zones


def _holes(post: PostText) -> tuple[list[Span], list[Ignored]]:
    found: list[tuple[Span, IgnoredReason]] = [
        (m.span, _HOLES[m.mark]) for m in post.marks if m.mark in _HOLES and m.span.start < m.span.end
    ]
    text = post.text
    found.extend((Span(m.start(), m.end()), IgnoredReason.QUOTE) for m in _QUOTED_LINE.finditer(text))
    rule = next(iter([*_RULE.finditer(text)][-1:]), None)
    if rule is not None and text.count("\n", rule.end()) <= 8 and text[: rule.start()].strip():
        found.append((Span(rule.start(), len(text)), IgnoredReason.SIGNATURE))
    at = 0
    while (start := text.find("((", at)) >= 0:
        end = text.find("))", start)
        if end < 0:
            break
        found.append((Span(start, end + 2), IgnoredReason.OOC))
        at = end + 2
    found.sort(key=lambda f: (f[0].start, -f[0].end))
    spans: list[Span] = []
    ignored: list[Ignored] = []
    for span, reason in found:
        if spans and span.start < spans[-1].end:
            if span.end <= spans[-1].end:
                continue
            span = Span(spans[-1].end, span.end)
        spans.append(span)
        ignored.append(Ignored(span, reason))
    return spans, ignored


# ------------------------------------------------------------------------------------------------ lines and list items


def _lines(layout: Layout, post: PostText) -> None:
    tokens = layout.tokens
    first = 0
    offset = 0
    for i in range(len(tokens) + 1):
        if i == len(tokens) or tokens[i].kind is Kind.LINE:
            end = tokens[i].start if i < len(tokens) else len(layout.text)
            layout.lines.append(Line(first, i, start=offset, end=end))
            first, offset = i + 1, end + 1
    numbers = {m.span.start: m.detail for m in post.marks if m.mark is Mark.ITEM}
    starts: set[int] = set()
    plain = _plain_numbering(layout)
    for index, line in enumerate(layout.lines):
        if line.first < line.last:
            _list_mark(layout, line, numbers, starts, plain.get(index))
    rows = {m.span.start for m in post.marks if m.mark is Mark.ROW}
    starts.update(i for i, t in enumerate(tokens) if t.start in rows)
    blocks = (Mark.ITEM, Mark.SPOILER, Mark.QUOTE, Mark.HEADING, Mark.CODE)
    for mark in post.marks:
        if mark.mark in blocks:  # what follows a block is no part of its last order
            at = bisect_left(tokens, mark.span.end, key=lambda t: t.start)
            while at < len(tokens) and tokens[at].kind is Kind.LINE:
                at += 1
            starts.add(at)
    layout.item_starts = frozenset(starts)


def _plain_numbering(layout: Layout) -> dict[int, int]:
    """Lines numbered «1 …», «2 …» without a dot: the numbers must run on from 1."""
    out: dict[int, int] = {}
    expected = 1
    for index, line in enumerate(layout.lines):
        if line.first < line.last and layout.tokens[line.first].kind is Kind.NUMBER:
            norm = layout.tokens[line.first].norm
            following = layout.tokens[line.first + 1] if line.first + 1 < line.last else None
            if norm == str(expected) and following is not None and following.kind is Kind.WORD and not following.glued:
                out[index] = expected
                expected += 1
    return out if len(out) >= 3 else {}


def _list_mark(layout: Layout, line: Line, numbers: dict[int, str], starts: set[int], plain: int | None) -> None:
    tokens, status = layout.tokens, layout.status
    i = line.first
    token = tokens[i]
    if token.start in numbers or any(line.start <= s <= token.start for s in (token.start,) if s in numbers):
        line.bullet, line.item = True, numbers[token.start]
        starts.add(i)
    following = tokens[i + 1] if i + 1 < line.last else None
    marked = 0
    if token.kind is Kind.NUMBER and len(token.norm) <= 2 and following is not None:
        closes = following.norm in {".", ")"} and following.glued
        then = tokens[i + 2] if i + 2 < line.last else None
        if closes and not (following.norm == "." and then is not None and then.glued and then.kind is Kind.NUMBER):
            marked, line.item = 2, token.norm
        elif plain is not None:
            marked, line.item = 1, str(plain)
    elif token.kind is Kind.WORD and len(token.norm) == 1 and following is not None and following.norm == ")" and following.glued:
        marked, line.item = 2, token.norm
    elif token.kind is Kind.SIGN and token.norm in _BULLETS and following is not None:
        marked = 1 if token.norm != "-" or following.kind is not Kind.NUMBER or not following.glued else 0
    if marked:
        line.bullet = True
        for k in range(i, i + marked):
            status[k] = Status.LIST_MARK
        starts.add(i + marked)
        if token.kind is Kind.NUMBER:
            _inline_numbering(layout, line, i + marked, int(token.norm), starts)


def _inline_numbering(layout: Layout, line: Line, at: int, number: int, starts: set[int]) -> None:
    """«1. … 2. … 3. …» in one line."""
    tokens = layout.tokens
    for i in range(at, line.last - 1):
        token = tokens[i]
        if (
            token.kind is Kind.NUMBER
            and token.norm == str(number + 1)
            and not token.glued
            and tokens[i + 1].norm in {".", ")"}
            and tokens[i + 1].glued
            and tokens[i - 1].norm in {".", ";", ",", ":", "!", ")"}
            and not (i + 2 < line.last and tokens[i + 2].glued and tokens[i + 2].kind is Kind.NUMBER)
        ):
            layout.status[i] = layout.status[i + 1] = Status.LIST_MARK
            starts.add(i + 2)
            number += 1


# ------------------------------------------------------------------------------------------------ sentences


def _sentences(layout: Layout, abbreviations: frozenset[str], unit_words: frozenset[str]) -> None:
    tokens = layout.tokens
    item = ""
    for index, line in enumerate(layout.lines):
        if line.first >= line.last:
            item = ""
            continue
        if line.bullet:
            item = line.item
        first = line.first
        for i in range(line.first, line.last):
            at_mark = layout.status[i] is Status.LIST_MARK and i > first and layout.status[i - 1] is not Status.LIST_MARK
            if at_mark:
                _add_sentence(layout, first, i, index, item)
                first = i
                if tokens[i].kind is Kind.NUMBER:
                    item = tokens[i].norm
            elif layout.status[i] is not Status.LIST_MARK and (
                _ends_sentence(layout, i, line.last, abbreviations, unit_words) or _smiles(layout, first, i, line.last)
            ):
                _add_sentence(layout, first, i + 1, index, item)
                first = i + 1
        _add_sentence(layout, first, line.last, index, item)


def _add_sentence(layout: Layout, first: int, last: int, line: int, item: str) -> None:
    if first < last:
        for k in range(first, last):
            layout.sentence_of[k] = len(layout.sentences)
        layout.sentences.append(Sentence(first, last, line, item))


def _ends_sentence(layout: Layout, i: int, last: int, abbreviations: frozenset[str], unit_words: frozenset[str]) -> bool:
    tokens = layout.tokens
    token = tokens[i]
    if token.kind is not Kind.SIGN or token.norm not in _ENDS:
        return False
    if i + 1 >= last:
        return True
    following = tokens[i + 1]
    if following.norm in _ENDS:
        return False
    if token.norm != ".":
        return True
    if following.glued and following.kind is not Kind.SIGN:
        return False
    before = tokens[i - 1] if i else None
    if before is None or before.kind is not Kind.WORD:
        return before is not None
    if before.norm in unit_words and layout.text[following.start].isupper():
        return True  # «… вместо 2э. Тактику снять»
    return before.norm not in abbreviations


def _smiles(layout: Layout, first: int, i: int, last: int) -> bool:
    """A closing bracket that nothing opened ends a sentence where a capital follows: «не смейтесь) Стража идёт …»."""
    tokens = layout.tokens
    if tokens[i].norm != ")" or i + 1 >= last or tokens[i + 1].norm == ")":
        return False
    following = tokens[i + 1]
    if following.kind is not Kind.WORD or following.glued or not layout.text[following.start].isupper():
        return False
    depth = 0
    for k in range(max(first, i - _BRACKET_REACH), i):
        depth += (tokens[k].norm == "(") - (tokens[k].norm == ")" and depth > 0)
    return depth == 0


def clauses(layout: Layout, sentence: Sentence) -> list[tuple[int, int]]:
    """The clauses of a sentence: parts between commas, colons, dashes with blanks, brackets."""
    tokens = layout.tokens
    out: list[tuple[int, int]] = []
    first = sentence.first
    for i in range(sentence.first, sentence.last):
        norm = tokens[i].norm
        dash = norm == "-" and not tokens[i].glued
        if tokens[i].kind is Kind.SIGN and (norm in ",:;()→" or dash):
            if first < i:
                out.append((first, i))
            first = i + 1
        elif norm == "но" and i > first:
            out.append((first, i))
            first = i
    if first < sentence.last:
        out.append((first, sentence.last))
    return out


# ------------------------------------------------------------------------------------------------ what is no order


def _set(layout: Layout, first: int, last: int, status: Status) -> None:
    for k in range(first, last):
        if layout.status[k] is not Status.LIST_MARK:
            layout.status[k] = status


def _first_word(layout: Layout, sentence: Sentence) -> int:
    i = sentence.first
    while i < sentence.last and (layout.status[i] is Status.LIST_MARK or layout.tokens[i].kind is Kind.SIGN):
        i += 1
    return i


def _judge(layout: Layout, sentence: Sentence, real_words: frozenset[str]) -> None:
    tokens = layout.tokens
    first, last = _first_word(layout, sentence), sentence.last
    if first >= last:
        return
    if starts_with(tokens, first, last, phrases("signature", "edit_stamp")):
        _set(layout, sentence.first, layout.lines[sentence.line].last, Status.SIGNATURE)
        return
    if layout.status[first] is Status.SIGNATURE:
        return
    if starts_with(tokens, first, last, phrases("signature", "starts")):
        rest = layout.lines[sentence.line :]
        if sum(1 for line in rest if line.first < line.last) <= 4:
            for line in rest:
                _set(layout, line.first, _signed(layout, sentence, line), Status.SIGNATURE)
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
            _set(layout, sentence.first, closing + 1 if inside and closing is not None else line.last, Status.OOC)
            return
    arrow = any(tokens[k].norm == "→" for k in range(first, last))
    counted = any(tokens[k].kind is Kind.NUMBER or tokens[k].norm in words()["numerals"]["values"] for k in range(first, last))
    head = starts_with(tokens, first, last, phrases("summary", "starts"))
    if counted and not arrow and head and not _tells(tokens, first + head, last):
        _set(layout, sentence.first, last, Status.SUMMARY)
        return
    if _is_question(layout, sentence, first):
        start = _tag_question(layout, sentence)
        for k in range(sentence.last - 1, sentence.first - 1, -1):
            if tokens[k].norm == "(":
                if not any(tokens[m].norm == ")" for m in range(k, sentence.last)):
                    start = k
                break
        _set(layout, start, last, Status.QUESTION)
        if start == sentence.first:
            return
    _irreal(layout, sentence, real_words)
    _reported(layout, sentence)


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


def _is_question(layout: Layout, sentence: Sentence, first: int) -> bool:
    tokens = layout.tokens
    if any(tokens[k].norm == "?" for k in range(max(first, sentence.last - 3), sentence.last)):
        return True
    at = first
    leading = frozenset(words()["question"]["leading"])
    while at < sentence.last and (tokens[at].norm in leading or tokens[at].norm in {",", ":"}):
        if starts_with(tokens, at, sentence.last, phrases("question", "starts")):
            return True
        at += 1
    asked = starts_with(tokens, at, sentence.last, phrases("question", "starts"))
    if asked and tokens[at].norm in {"скажите", "скажи"} and at + 1 < sentence.last:
        told = tokens[at + 1].norm  # «Скажите Радомиру, что …»: a message, no question
        return told in {"мне", "нам"} or "datv" not in info(told).cases
    return bool(asked)


def _tag_question(layout: Layout, sentence: Sentence) -> int:
    """Where the question begins: «Мир возвращается — соскучились?» asks with its last words only."""
    tokens = layout.tokens
    for k in range(sentence.last - 1, sentence.first, -1):
        if tokens[k].norm == "-" and not tokens[k].glued:
            behind = [t for t in tokens[k + 1 : sentence.last] if t.kind is Kind.WORD]
            if 1 <= len(behind) <= 3 and any(
                info(t.norm).verb is not Verb.NONE or t.norm in ("верно", "да", "правда") for t in behind
            ):
                return k
            break
    return sentence.first


def _irreal(layout: Layout, sentence: Sentence, real_words: frozenset[str]) -> None:
    tokens = layout.tokens
    single = frozenset(words()["irreal"]["words"]) - real_words
    asking = frozenset(words()["question"]["words"])
    likely = frozenset(words()["hedge"]["words"]) - real_words
    found, likely_found = phrases("irreal", "phrases"), phrases("hedge", "phrases")
    carried = Status.LIVE
    for first, last in clauses(layout, sentence):
        opener = tokens[first].norm
        if opener in _TURNS:
            carried = Status.LIVE
        hit = carried
        for k in range(first, last):
            norm = tokens[k].norm
            if layout.status[k] is Status.LIST_MARK:
                continue
            if norm in asking and first < k <= first + 4 and info(tokens[k - 1].norm).verb is not Verb.NONE:
                _set(layout, first, last, Status.QUESTION)  # «спросил, не поставить ли крепость»
                break
            if norm in single or starts_with(tokens, k, last, found):
                hit = Status.IRREAL
                break
            if norm == "может" and not (k == first or (k + 1 < last and tokens[k + 1].norm == "быть")):
                continue
            if hit is Status.LIVE and (norm in likely or starts_with(tokens, k, last, likely_found)):
                hit = Status.HEDGED
        if hit is not Status.LIVE:
            _set(layout, first, last, hit)
            carried = hit


def _reported(layout: Layout, sentence: Sentence) -> None:
    """What others say or are said to do: «хвастались, что наймут …», «говорят, Борис строит …»."""
    tokens = layout.tokens
    table = words()["reported"]
    tellers, links = frozenset(table["lemmas"]), frozenset(table["links"])
    for k in range(sentence.first, sentence.last):
        if layout.status[k] is not Status.LIVE or tokens[k].kind is not Kind.WORD:
            continue
        begin = -1
        opens = starts_with(tokens, k, sentence.last, phrases("reported", "openers"))
        if opens and all(tokens[m].kind is not Kind.WORD for m in range(_first_word(layout, sentence), k)):
            begin = k + opens
        elif info(tokens[k].norm).verb in (Verb.PAST, Verb.THIRD) and info(tokens[k].norm).lemmas & tellers:
            reach = range(k + 1, min(k + 5, sentence.last - 1))
            begin = next((m + 2 for m in reach if tokens[m].norm == "," and tokens[m + 1].norm in links), -1)
        if begin >= 0:
            turns = (a for a, _ in clauses(layout, sentence) if a > begin and tokens[a].norm in _TURNS)
            _set(layout, k, next(turns, sentence.last), Status.HEDGED)
            return


def _speech(layout: Layout) -> None:
    """Words in quotation marks that say something (they hold a verb) are somebody's speech, not an order."""
    tokens = layout.tokens
    i = 0
    while i < len(tokens):
        closer = _OPENERS.get(tokens[i].norm) if tokens[i].kind is Kind.SIGN else None
        if closer is None:
            i += 1
            continue
        j = i + 1
        while j < len(tokens) and j - i < 80 and tokens[j].norm != closer and tokens[j].kind is not Kind.LINE:
            j += 1
        if j < len(tokens) and tokens[j].norm == closer:
            said = [t for t in tokens[i + 1 : j] if t.kind is Kind.WORD]
            spoken = any(info(t.norm).verb not in (Verb.NONE, Verb.INFINITIVE) for t in said if t.norm not in closed_class())
            if len(said) >= 3 and spoken:
                plain = [k for k in range(i, j + 1) if not inside(layout.bold, tokens[k].start)]
                # What is set in bold inside a speech is what its author wants to be read.
                quiet = plain if any(tokens[k].kind is Kind.WORD for k in plain) else range(i, j + 1)
                for k in quiet:
                    _set(layout, k, k + 1, Status.SPEECH)
            i = j + 1
        else:
            i += 1


def _backward(layout: Layout) -> None:
    """«…, но не сейчас» takes back what was said before it in its sentence; as a sentence of its own, the one before it."""
    tokens = layout.tokens
    found = phrases("irreal", "backward")
    items = frozenset(words()["withdrawal"]["item_words"])
    for index, sentence in enumerate(layout.sentences):
        if any(t.norm in items for t in tokens[sentence.first : sentence.first + 2]):
            continue  # «Пункт 3 вычёркиваю»: a withdrawal of that item
        for k in range(sentence.first, sentence.last):
            if not starts_with(tokens, k, sentence.last, found):
                continue
            before = layout.sentences[index - 1] if index else sentence
            opens = sum(1 for m in range(sentence.first, k) if tokens[m].kind is Kind.WORD) <= 1
            _set(layout, before.first if opens and before.line == sentence.line else sentence.first, k, Status.IRREAL)


def _headed_lists(layout: Layout) -> None:
    """A list under «Посчитал варианты:» is thoughts, not orders."""
    tokens = layout.tokens
    heads = frozenset(words()["irreal"]["headings"])
    for index, line in enumerate(layout.lines):
        if line.first >= line.last or tokens[line.last - 1].norm != ":":
            continue
        if not any(t.kind is Kind.WORD and info(t.norm).lemmas & heads for t in tokens[line.first : line.last]):
            continue
        for below in layout.lines[index + 1 :]:
            if below.first >= below.last or not below.bullet:
                break
            _set(layout, below.first, below.last, Status.IRREAL)


def _conditionals(layout: Layout, keeps: Callable[[Sequence[Token]], bool] | None) -> None:
    tokens = layout.tokens
    starts, polite, goes_on = (phrases("conditional", k) for k in ("starts", "polite", "continues"))
    open_end = -1
    for index, sentence in enumerate(layout.sentences):
        first = _first_word(layout, sentence)
        begin = -1
        if open_end == index - 1 and index and starts_with(tokens, first, sentence.last, goes_on):
            begin = first
        else:
            parts = clauses(layout, sentence)
            for n, (a, b) in enumerate(parts):
                at = next((k for k in range(a, b) if _begins_condition(tokens, k, a, b, starts, polite)), None)
                if at is None or layout.status[at] is not Status.LIVE:
                    continue
                initial = all(tokens[k].norm in {"и", "а", "но", "ну"} for k in range(a, at) if tokens[k].kind is Kind.WORD)
                if initial and n:
                    n -= 1
                    while n and tokens[parts[n][0] - 1].norm in {"-", ":"}:
                        n -= 1  # «голос — Штиль, если …»: the dash parts nothing
                    begin = parts[n][0]
                else:
                    begin = at
                break
        if begin < 0:
            continue
        end = sentence.last
        if keeps is not None and keeps(tokens[begin:end]):
            continue
        open_end = index
        layout.conditionals.append((begin, end))
        for k in range(begin, end):
            if layout.status[k] is Status.LIVE:
                layout.status[k] = Status.CONDITIONAL


def _begins_condition(
    tokens: Sequence[Token],
    k: int,
    first: int,
    last: int,
    starts: Phrases,
    polite: Phrases,
) -> bool:
    if tokens[k].kind is not Kind.WORD or not starts_with(tokens, k, last, starts):
        return False
    if tokens[k].norm in {"когда", "как", "иначе"} and k != first:
        return False
    return not starts_with(tokens, k, last, polite)
