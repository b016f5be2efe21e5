"""Where sentences end."""

from __future__ import annotations

from parsers.russian import words
from parsers.structure import (
    Layout,
    Sentence,
    Status,
    phrases,
    starts_with,
)
from parsers.tokens import Kind

_ENDS = frozenset(".!?…;")

_LONGEST = 320
"""Tokens of a sentence at most: three times what the longest breath of a player takes; what games look for within a sentence
stays linear on a post without full stops."""
_BRACKET_REACH = 120
"""Tokens that a bracket spans at most."""


def find_sentences(layout: Layout, abbreviations: frozenset[str], unit_words: frozenset[str]) -> None:
    """Fills in the sentences; an item's number holds up to the next item or an empty line."""
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
            at_mark = layout.status[i] is Status.LIST_MARK and i > line.first and layout.status[i - 1] is not Status.LIST_MARK
            if at_mark:
                if i > first:
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
    while first < last:
        end = min(last, first + _LONGEST)
        for k in range(first, end):
            layout.sentence_of[k] = len(layout.sentences)
        layout.sentences.append(Sentence(first, end, line, item))
        first = end


def _ends_sentence(layout: Layout, i: int, last: int, abbreviations: frozenset[str], unit_words: frozenset[str]) -> bool:
    tokens = layout.tokens
    token = tokens[i]
    if token.kind is not Kind.SIGN or token.norm not in _ENDS:
        return False
    if i + 1 >= last:
        return True
    following = tokens[i + 1]
    if following.norm in _ENDS or _breaks_off(layout, i, last):
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


def _breaks_off(layout: Layout, i: int, last: int) -> bool:
    """«по левому… нет, по центральному»: dots before a self-repair in small letters end nothing."""
    tokens = layout.tokens
    dotted = tokens[i].norm == "…" or (tokens[i].norm == "." and i > 0 and tokens[i - 1].norm == ".")
    if not dotted or not layout.text[tokens[i + 1].start].islower():
        return False
    if not any(starts_with(tokens, i + 1, last, phrases("repair", name)) for name in ("strong", "terms", "words")):
        return False
    end = next((k for k in range(i + 1, last) if tokens[k].norm in _ENDS), last)
    return not any(t.norm in words()["repair"]["more"] for t in tokens[i + 1 : end])


def _smiles(layout: Layout, first: int, i: int, last: int) -> bool:
    """A closing bracket that nothing opened ends a sentence where a capital follows: «не смейтесь) Стража идёт …»; so do several
    that nothing closes or opens: «контрольная завтра ((( короче …»."""
    tokens = layout.tokens
    if tokens[i].norm in "()" and i > first and tokens[i - 1].norm == tokens[i].norm and i + 1 < last:
        other = ")" if tokens[i].norm == "(" else "("
        ends = tokens[i + 1].kind is Kind.WORD
        return ends and not any(t.norm == other for t in tokens[max(first, i - _BRACKET_REACH) : min(last, i + _BRACKET_REACH)])
    if tokens[i].norm != ")" or i + 1 >= last or tokens[i + 1].norm == ")":
        return False
    following = tokens[i + 1]
    if following.kind is not Kind.WORD or following.glued or not layout.text[following.start].isupper():
        return False
    depth = 0
    for k in range(max(first, i - _BRACKET_REACH), i):
        depth += (tokens[k].norm == "(") - (tokens[k].norm == ")" and depth > 0)
    return depth == 0
