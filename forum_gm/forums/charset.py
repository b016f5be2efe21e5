"""Texts for boards that can't hold every character (phpBB 2: windows-1251): substitutes and entities, never «?»."""

from __future__ import annotations

_PLAIN = str.maketrans(
    {"\u2010": "-", "\u2011": "-", "\u2012": "–", "\u2212": "–", "\u2015": "—"}
    | {"→": "->", "←": "<-", "↔": "<->", "⇒": "=>", "×": "x", "≤": "<=", "≥": ">=", "≠": "!=", "½": "1/2", "¼": "1/4"}
    | {"✓": "+", "✔": "+", "✗": "-", "✘": "-", "▲": "^", "▼": "v", "●": "•", "☐": "[ ]"}
    | {"\u2009": " ", "\u202f": "\xa0", "\u200b": "", "\u00ad": ""}
)


def fit(text: str, encoding: str) -> str:
    """The text with everything the character set lacks replaced: a plain substitute, else a numeric entity (`&#128512;`)."""
    out = []
    for char in text:
        if _fits(char, encoding):
            out.append(char)
            continue
        plain = char.translate(_PLAIN)
        out.append(plain if plain != char and _fits(plain, encoding) else f"&#{ord(char)};")
    return "".join(out)


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
