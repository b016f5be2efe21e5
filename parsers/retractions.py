"""Orders that the words behind them may take back, unnoticed so far: «…, а нет, пусть стоят», «… Хотя нет, не надо.»

What a withdrawal names is taken back by `discourse`; here are those that name nothing.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from parsers.atoms import Atom
from parsers.context import Context
from parsers.frames import Match, Output
from parsers.russian import closed_class, info
from parsers.structure import Status, clauses
from parsers.tokens import Kind

if TYPE_CHECKING:
    from parsers.language import Language

SLIP = 4
"""A slip so many tokens before «стоят» takes back what was said before it."""


@lru_cache(maxsize=1)
def doubting() -> dict[str, Any]:
    """The tables of `data/doubts.toml`."""
    return tomllib.loads(resources.files("parsers.data").joinpath("doubts.toml").read_text("utf-8"))


@lru_cache(maxsize=1)
def _slips() -> frozenset[str]:
    return frozenset(doubting()["slip"]["words"])


@lru_cache(maxsize=1)
def _staying() -> frozenset[str]:
    return frozenset(doubting()["stays"]["lemmas"])


def retracted(language: Language, context: Context, outputs: list[tuple[Match, list[Output]]]) -> dict[int, str]:
    """By number of an output, the words behind it that may take it back."""
    layout = context.layout
    out: dict[int, str] = {}
    things = language.names | language.strong
    for at, text, bare in _withdrawals(context):
        index = layout.sentence_of[at]
        if any(a.has(*things) and a.first not in context.read for a in context.by_sentence.get(index, ())):
            continue
        if not bare and _of_lines(context, at):
            out.update(dict.fromkeys(_above(context, at, outputs), text))
            continue
        before = [n for n, (m, made) in enumerate(outputs) if made and m.last <= at and 0 <= index - m.sentence <= 1]
        if before and (bare or not _qualified(context, at)):
            out[before[-1]] = text
    return out


def _withdrawals(context: Context) -> list[tuple[int, str, bool]]:
    """Words that take something back and that nothing has carried out: token, text, and whether they stand alone."""
    layout = context.layout
    out = [(a.first, a.text, False) for a in context.atoms if a.has("~withdraw") and _open(context, a)]
    for i, token in enumerate(layout.tokens):
        if token.norm not in _slips():
            continue
        for k in range(i + 1, min(i + SLIP, len(layout.tokens))):
            word = layout.tokens[k]
            stays = word.kind is Kind.WORD and bool(info(word.norm).lemmas & _staying())
            if stays and layout.status[k] is Status.LIVE and k not in context.read and layout.tokens[k - 1].norm != "не":
                out.append((k, layout.text[token.start : word.end], True))
    return out


def _open(context: Context, atom: Atom) -> bool:
    return not atom.negated and context.layout.status[atom.first] is Status.LIVE and atom.first not in context.read


def _of_lines(context: Context, at: int) -> bool:
    """«Первые две строки не исполнять», «всё, что выше, не считать»: of orders before, none by its number."""
    layout = context.layout
    index = layout.sentence_of[at]
    if any(a.has("~item") for a in context.by_sentence.get(index, ())):
        return False
    sentence = layout.sentences[index]
    words = (t.norm for t in layout.tokens[sentence.first : sentence.last] if t.kind is Kind.WORD)
    lines = frozenset(doubting()["lines"]["lemmas"])
    return any(info(word).lemmas & lines for word in words)


def _above(context: Context, at: int, outputs: list[tuple[Match, list[Output]]]) -> list[int]:
    """The orders in the lines above: in all of them, or in so many first ones («первые две строки»)."""
    layout = context.layout
    index = layout.sentence_of[at]
    line = {n: layout.sentences[m.sentence].line for n, (m, made) in enumerate(outputs) if made and m.last <= at}
    lines = sorted(set(line.values()) - {layout.sentences[index].line}) or sorted(set(line.values()))
    sentence = layout.sentences[index]
    first = any("первый" in info(t.norm).lemmas for t in layout.tokens[sentence.first : sentence.last])
    many = [s.value for a in context.by_sentence.get(index, ()) for s in a.all("number") if isinstance(s.value, int)]
    meant = lines[: many[0]] if first and len(many) == 1 else lines
    return [n for n in line if line[n] in meant]


def _qualified(context: Context, at: int) -> bool:
    """«большего не надо» takes nothing back."""
    layout = context.layout
    atom = next(a for a in context.by_sentence[layout.sentence_of[at]] if a.first == at)
    for first, last in clauses(layout, layout.sentences[layout.sentence_of[at]]):
        if first <= at < last:
            around = (*layout.tokens[first:at], *layout.tokens[atom.last : last])
            return any(t.kind is Kind.WORD and t.norm not in closed_class() | _slips() for t in around)
    return False
