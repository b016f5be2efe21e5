"""A scenario as a GM draws it by hand: every mistake is told in Russian with the line where it stands, and all at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from forum_gm.commands.files import read_toml
from forum_gm.errors import UsageProblem
from rules.base import RulesError
from rules.grand_strategy import RULESET
from rules.toml_lines import TomlText, line_of

TEXT = RULESET.default_scenario_text()


def swap(old: str, new: str) -> Callable[[], str]:
    def changed() -> str:
        assert old in TEXT
        return TEXT.replace(old, new, 1)

    return changed


MISTAKES: dict[str, tuple[Callable[[], str], str, str]] = {
    "short row": (swap(' "~fffff.fmmmmm~~~..~~",', ' "~fffff.fmmmmm~~~..~",'), "клеток 19, а столбцов 20", "fffff.fmmmmm~~~..~"),
    "foreign mark": (swap("~ffffffmmmmmm.~~...~", "~ffffffmmmmmx.~~...~"), "клетка Н3: знака «x» нет", "mmmmmx"),
    "unknown province": (swap("~~1111422222555~~33~", "~~1111422222Q55~~33~"), "на суше стоит «Q»", "22222Q55"),
    "province in the sea": (swap("~~111~~~2222~~~~~~~~", "1~111~~~2222~~~~~~~~"), "в море провинции не бывает", '"1~111'),
    "house in the sea": (swap('cell = "Т8"\nname = "Кр', 'cell = "А1"\nname = "Кр'), "А1 — море", "[[house]]"),
    "Latin letter": (swap('cell = "В10"', 'cell = "G10"'), "«G10» — не клетка", "[[mine_site]]"),
    "no such cell": (swap('cell = "Н7"', 'cell = "Н77"'), "клетки Н77 на карте нет", "[[army]]"),
    "two on a cell": (swap('cell = "Ж7"', 'cell = "Н7"'), "клетка Н7 уже занята войском R1", "[[army]]"),
    "misspelt field": (swap("upkeep = 2\nhire", "upkep = 2\nhire"), "такого поля нет (опечатка?)", "upkep = 2"),
    "word for a number": (swap("money = 15", 'money = "много"'), "нужно целое число", 'money = "много"'),
    "unknown player": (swap('owner = "radomir"', 'owner = "radomyr"'), "игрока «radomyr» нет", "[[army]]"),
    "broken river": (swap('["И4","И5","И6"', '["И4","И6"'), "И6 не соседняя с И4", "Серебрянка"),
    "vein in a field": (swap('cell = "Д13"', 'cell = "Е6"'), "только в горах, а на Е6 — поле", "[[mine_site]]"),
    "unknown setting": (swap("embark_cost = 5", "embark_price = 5"), "таких настроек нет: embark_price", "embark_price"),
    "bad setting": (swap("embark_cost = 5", 'embark_cost = "пять"'), "нужно целое число", "embark_cost"),
    "colour": (swap("#8b5a2b", "brown"), "цвет пишется как #rrggbb", "[[player]]"),
    "same id": (swap('id = "T1"', 'id = "A1"'), "«A1» записано дважды", "[[army]]"),
    "capital abroad": (swap('capital = "М9"', 'capital = "К2"'), "столица К2 не на её земле", "[[province]]"),
    "lair without a vein": (
        swap('[[mine_site]]\ncell = "Л1"\nmax_level = "mithril"\n', ""),
        "под драконом должна быть жила",
        "[[dragon_lair]]",
    ),
    "a row too many": (swap(' "~~fff~~~', ' "~~fff~~~~~~~~~~~~~~~",\n "~~fff~~~'), "строк 15, а rows = 14", "terrain = ["),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_told_with_its_line(name: str, tmp_path: Path) -> None:
    change, words, there = MISTAKES[name]
    text = change()
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError, match=re.escape(words)) as raised:
        RULESET.load_scenario(read_toml(path))
    told = [line for line in str(raised.value).splitlines() if words in line]
    number = re.match(r"строка (\d+): ", told[0])
    assert number is not None, told[0]
    assert there in text.splitlines()[int(number[1]) - 1], told[0]


def test_named_tables_are_found_among_many(tmp_path: Path) -> None:
    """The line is that of the very table, not of the first of its kind."""
    text = TEXT.replace('cell = "Н7"', 'cell = "Н77"').replace('cell = "Д13"', 'cell = "G13"')
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError) as raised:
        RULESET.load_scenario(read_toml(path))
    lines = text.splitlines()
    number = int(re.findall(r"строка (\d+): mine_site", str(raised.value))[0])
    assert 'cell = "G13"' in lines[number : number + 2]


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = TEXT.replace("#8b5a2b", "brown").replace('owner = "radomir"', 'owner = "radomyr"').replace('id = "T1"', 'id = "A1"')
    path = tmp_path / "scenario.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RulesError) as raised:
        RULESET.load_scenario(read_toml(path))
    assert len(re.findall(r"строка \d+: ", str(raised.value))) >= 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "Лориэн"', 'name = "Лориэн', "не закрыта кавычка"),
        ("money = 15", "money = пятнадцать", "текст пишется в кавычках"),
        ("money = 15", "money 15", "после имени нет «=»"),
        ("money = 15", "money = 15\nmoney = 16", "уже записано"),
        ("money = 15", "money = 15 монет", "лишнее в конце строки"),
    ],
)
def test_broken_toml_is_explained(old: str, new: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageProblem, match=r"строка \d+, знак \d+: ") as raised:
        read_toml(path)
    assert words in str(raised.value)


def test_lines_of_paths() -> None:
    text = 'top = 1\n[map]\nrows = [\n "ab",\n "cd",\n]\n[[army]]\nid = "A"\n[[army]]\nid = "B"\n'
    assert tomllib.loads(text) == TomlText.read(text)
    assert line_of(text, ("top",)) == 1
    assert line_of(text, ("map", "rows", 1)) == 5
    assert line_of(text, ("army", 1, "id")) == 10
    assert line_of(text, ("army", 1, "cell")) == 9
    assert line_of(text, ("house", 0)) is None
