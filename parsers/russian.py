"""Words of Russian that every order language needs (`data/russian.toml`) and the one morphological analyser, loaded once.

`info(word)` answers everything the engine asks about a word form: its lemmas and what kind of verb it is.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import Any

import pymorphy3

LOOK_ALIKES = str.maketrans("aeopcxykmthbi", "аеорсхукмтнви")
"""Latin letters that look like Cyrillic ones, after lower-casing."""
_LAYOUT = str.maketrans("qwertyuiop[]asdfghjkl;'zxcvbnm,.", "йцукенгшщзхъфывапролджэячсмитьбю")
_TRANSLIT = [
    tuple(pair.split("="))
    for pair in [
        "shch=щ",
        "sch=щ",
        "zh=ж",
        "kh=х",
        "ts=ц",
        "ch=ч",
        "sh=ш",
        "yu=ю",
        "ju=ю",
        "ya=я",
        "ja=я",
        "yo=е",
        "a=а",
        "b=б",
        "v=в",
        "w=в",
        "g=г",
        "d=д",
        "e=е",
        "z=з",
        "i=и",
        "j=й",
        "y=ы",
        "k=к",
        "l=л",
        "m=м",
        "n=н",
        "o=о",
        "p=п",
        "r=р",
        "s=с",
        "t=т",
        "u=у",
        "f=ф",
        "h=х",
        "c=ц",
        "x=кс",
        "q=к",
        "'=ь",
    ]
]


class Verb(StrEnum):
    """What a verb form does in a sentence."""

    NONE = ""
    ORDER = "order"
    """First person present or future («атакую», «вложим»)."""
    INFINITIVE = "infinitive"
    IMPERATIVE = "imperative"
    THIRD = "third"
    """Third person present or future («атакует»)."""
    SECOND = "second"
    PAST = "past"


@dataclass(frozen=True, slots=True)
class WordInfo:
    """What morphology knows of a word form."""

    lemmas: frozenset[str]
    verb: Verb
    known: bool
    """Stands in the dictionary."""
    cases: frozenset[str]
    """`nomn`, `gent`, `datv`, `accs`, `ablt`, `loct` of its nominal readings."""
    genders: frozenset[str]
    """`masc`, `femn`, `neut`, `plur`."""
    colours: bool = False
    """An adjective or participle: it qualifies a noun and names nothing by itself."""


def normal(word: str) -> str:
    """Lower case, ё as е, Latin look-alikes inside a Cyrillic word as Cyrillic, apostrophes as one sign."""
    word = word.lower().replace("ё", "е").replace("’", "'").replace("ʼ", "'")
    if not word.isascii() and any("a" <= c <= "z" for c in word):
        word = word.translate(LOOK_ALIKES)
    return word


def alternatives(word: str) -> tuple[str, ...]:
    """Cyrillic words that a wholly Latin word may stand for: look-alikes, keyboard layout, transliteration."""
    if not word.isascii() or not word.isalpha():
        return ()
    out = []
    looked = word.translate(LOOK_ALIKES)
    if not looked.isascii() and not any("a" <= c <= "z" for c in looked):
        out.append(looked)
    out.append(word.translate(_LAYOUT).replace("ё", "е"))
    rest, spelt = word, ""
    while rest:
        for latin, cyrillic in _TRANSLIT:
            if rest.startswith(latin):
                spelt += cyrillic
                rest = rest[len(latin) :]
                break
        else:
            spelt += rest[0]
            rest = rest[1:]
    out.append(spelt)
    return tuple(dict.fromkeys(out))


@lru_cache(maxsize=1)
def words() -> dict[str, Any]:
    """The tables of `data/russian.toml`."""
    source = resources.files("parsers.data").joinpath("russian.toml").read_text("utf-8")
    return tomllib.loads(source)


@lru_cache(maxsize=1)
def closed_class() -> frozenset[str]:
    """Pronouns, prepositions, conjunctions, particles."""
    return frozenset(words()["closed_class"]["words"].split())


@lru_cache(maxsize=1)
def analyser() -> pymorphy3.MorphAnalyzer:
    """The analyser; loading takes about 0.2 s."""
    return pymorphy3.MorphAnalyzer()


_CASES = {
    "nomn": "nomn",
    "gent": "gent",
    "datv": "datv",
    "accs": "accs",
    "ablt": "ablt",
    "loct": "loct",
    "gen2": "gent",
    "loc2": "loct",
}
_VERBS = {"INFN": Verb.INFINITIVE}
_COLOURING = frozenset({"ADJF", "PRTF"})
_CYRILLIC = re.compile(r"[а-яіїєґў']{1,40}")
_PLAIN = WordInfo(frozenset(), Verb.NONE, False, frozenset(), frozenset())


@lru_cache(maxsize=60_000)
def info(word: str) -> WordInfo:
    """Morphology of a normalised word (see `normal`)."""
    if not _CYRILLIC.fullmatch(word):
        return _PLAIN
    lemmas: set[str] = {word}
    cases: set[str] = set()
    genders: set[str] = set()
    verb, verb_score, known = Verb.NONE, 0.0, False
    best_other = 0.0
    colours = False
    for parse in analyser().parse(word)[:6]:
        tag = parse.tag
        known = known or bool(parse.is_known)
        colours = colours or parse.tag.POS in _COLOURING
        if parse.score < 0.02:
            continue
        lemmas.add(parse.normal_form.replace("ё", "е"))
        kind = _verb_kind(tag)
        if kind is Verb.NONE:
            best_other += parse.score
        elif parse.score > verb_score:
            verb, verb_score = kind, parse.score
        if tag.case in _CASES:
            cases.add(_CASES[tag.case])
        genders.add("plur" if tag.number == "plur" else str(tag.gender or ""))
    if verb is not Verb.NONE and verb_score < 0.1 and best_other > 0.5:
        verb = Verb.NONE
    if verb is Verb.PAST and best_other > verb_score:
        verb = Verb.NONE
    if known is False and verb is not Verb.NONE and best_other > verb_score:
        verb = Verb.NONE
    return WordInfo(frozenset(lemmas), verb, known, frozenset(cases), frozenset(genders), colours)


ORDERING = frozenset({Verb.ORDER, Verb.INFINITIVE, Verb.IMPERATIVE})
"""Forms of a verb in which one orders."""


def _verb_kind(tag: Any) -> Verb:
    pos = tag.POS
    if pos == "INFN":
        return Verb.INFINITIVE
    if pos != "VERB":
        return Verb.NONE
    if tag.tense == "past":
        return Verb.PAST
    if tag.mood == "impr":
        return Verb.IMPERATIVE
    return {"1per": Verb.ORDER, "2per": Verb.SECOND, "3per": Verb.THIRD}.get(str(tag.person), Verb.NONE)


@lru_cache(maxsize=20_000)
def inflections(word: str) -> frozenset[str]:
    """Every form of a word as a lexicon lists it, itself included; closed-class words are left out of the others."""
    word = normal(word)
    if len(word) < 3 or word.isascii():
        return frozenset({word})
    out = {word}
    parses = analyser().parse(word)
    for parse in parses[:4]:
        if parse.score < 0.08 and parse is not parses[0]:
            continue
        if parse.tag.POS in {"VERB", "INFN"} and parse.normal_form.replace("ё", "е") != word and parse.score < 0.3:
            continue
        for form in parse.lexeme:
            if form.tag.POS in {"PRTF", "PRTS", "COMP"} and parse.tag.POS in {"VERB", "INFN", "ADJF"}:
                continue
            out.add(form.word.replace("ё", "е"))
    return frozenset({w for w in out if w not in closed_class()} | {word})


def forms_of_order(verb: str) -> frozenset[str]:
    """The forms of a verb's infinitive in which it orders: «нанять», «найми», «нанимаем», «найму»."""
    parse = next((p for p in analyser().parse(verb) if p.tag.POS == "INFN"), None)
    lexeme = parse.lexeme if parse is not None else ()
    return frozenset(form.word.replace("ё", "е") for form in lexeme if _verb_kind(form.tag) in ORDERING)
