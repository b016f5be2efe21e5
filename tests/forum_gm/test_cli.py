"""The command line's contract: help in Russian, exit codes, one sentence instead of a traceback, the documented JSON."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from forum_gm.cli import COMMANDS, as_command, load, main
from forum_gm.reference import entries
from rules import registry

RULESETS = registry.available()
REASONS = {"prose", "quote", "signature", "struck", "ooc", "heading", "separator", "summary", "superseded", "code"}
ENGLISH = (
    "Usage",
    "Options",
    "Arguments",
    "Show this",
    "default:",
    "required",
    "Commands:",
    "<str>",
    "<int>",
    "<path>",
    "TEXT",
    "INTEGER",
)
BATTLE = """
ruleset = "steel_rose"
[attacker]
faction = "empire"
[attacker.positions]
CV = { spearman = 6 }
LV = { horseman = 3 }
[attacker.maneuvers]
LV = { maneuver = "charge", target = "CR" }
[defender]
faction = "empire"
garrison = false
[defender.positions]
CV = { spearman = 7 }
CR = { archer = 6 }
[defender.maneuvers]
CV = { maneuver = "defend", target = "CR" }
"""


@dataclass
class Done:
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Exactly one document on standard output."""
        return json.loads(self.out)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Calls the program inside this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as stopped:
            main(list(arguments))
        told = capsys.readouterr()
        return Done(int(stopped.value.code or 0), told.out, told.err)

    return call


def written(path: Path, document: Any) -> str:
    path.write_text(document if isinstance(document, str) else json.dumps(document, ensure_ascii=False), "utf-8")
    return str(path)


# ------------------------------------------------------------------------------------------------------------- help


def calls() -> list[list[str]]:
    """Every command and sub-command."""
    return [entry["name"].split()[1:] for name in COMMANDS for entry in entries(as_command(load(name), name), f"forum-gm {name}")]


@pytest.mark.parametrize("words", [[], ["rules"], ["forum"], *calls()], ids=" ".join)
def test_help_is_in_russian(words: list[str], run: Run) -> None:
    done = run(*words, "--help")
    assert done.code == 0
    assert done.out.startswith("Вызов: ")
    assert not [word for word in ENGLISH if word in done.out]


def test_help_lists_every_command_of_the_contract(run: Run) -> None:
    page = run().out
    for name in [
        "demo",
        "init",
        "check",
        "run",
        "poll",
        "orders",
        "approve",
        "resolve",
        "publish",
        "rollback",
        "parse",
        "rules",
        "forecast",
        "forum",
        "chronicle",
        "verify",
        "backup",
        "restore",
    ]:
        assert f"  {name} " in page


# ----------------------------------------------------------------------------------------------------- wrong usage


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ("нет-такой", 2, "Нет такой команды: нет-такой"),
        ("rules", 2, "Не указана команда"),
        ("rules new", 2, "Не указано: --ruleset"),
        ("rules new --ruleset шахматы", 2, "Нет правил «шахматы»"),
        ("rules new --ruleset astral --scenario нет.toml", 2, "нет такого файла"),
        ("rules new --ruleset astral --scenario битый.json", 2, "ошибка TOML"),
        ("rules step --ruleset astral --state нет.json", 2, "нет такого файла"),
        ("rules step --ruleset astral --state битый.json", 2, "не JSON"),
        ("rules step --ruleset astral --state список.json", 2, "не состояние"),
        ("rules step --ruleset astral --state пустой.json", 2, "не указано"),
        ("rules step --ruleset steel_rose --state пустой.json", 2, "не указано"),
        ("rules step --ruleset grand_strategy --state пустой.json", 2, "не состояние"),
        ("parse --ruleset astral --as kael нет.txt", 2, "нет такого файла"),
        ("parse --ruleset astral --as kael .", 2, "это папка"),
        ("parse --ruleset astral --as kael двоичный", 2, "не в UTF-8"),
        ("parse --ruleset astral --as никто письмо.txt", 2, "Нет фракции «никто»"),
        ("parse --ruleset astral письмо.txt", 2, "--as"),
        ("parse --ruleset astral --as kael --format doc письмо.txt", 2, "bbcode, html или text"),
        ("parse --batch письмо.txt", 2, "Строка 1: это не JSON"),
        ("parse --batch пустой.json", 2, "нужны поля"),
        ("parse --лишнее", 2, "Нет такого параметра: --лишнее"),
        ("init", 2, "Не указано: ПАПКА"),
        ("forecast нет.toml", 2, "нет такого файла"),
        ("forecast битый-бой.toml", 2, "TOML"),
        ("forecast --seed много письмо.txt", 2, "целое число"),
        ("forecast --ruleset astral письмо.txt", 2, "только для steel_rose"),
        ("forum read нет.html", 2, "нет такого файла"),
        ("verify нет.json", 2, "Нет ни файла"),
        ("verify пустой.json", 1, "не читается"),
        ("restore нет.tar.gz новая", 2, "нет такого файла"),
        ("backup нигде", 2, "нет config.toml"),
        ("guide --ruleset шахматы", 2, "Нет правил"),
    ],
)
def test_wrong_use_is_one_russian_sentence(arguments: str, code: int, words: str, run: Run, tmp_path: Path) -> None:
    written(tmp_path / "битый.json", "[1,")
    written(tmp_path / "список.json", [])
    written(tmp_path / "пустой.json", {})
    written(tmp_path / "письмо.txt", "Защита +3э")
    written(tmp_path / "битый-бой.toml", '[attacker]\nfaction = "empire')
    (tmp_path / "двоичный").write_bytes(b"\xff\xfe\x00")
    done = run(*arguments.split())
    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert "Traceback" not in done.err


def test_debug_shows_the_traceback() -> None:
    call = [str(Path(sys.executable).with_name("forum-gm")), "--debug", "rules", "new", "--ruleset", "шахматы"]
    if not Path(call[0]).exists():
        pytest.skip("the program is not installed beside this Python")
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert "Traceback" in done.stderr
    assert done.returncode != 0


def test_the_package_runs_as_the_command_does() -> None:
    done = subprocess.run([sys.executable, "-m", "forum_gm", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"forum-gm {version('forum-gm')}\n")


# ----------------------------------------------------------------------------------------------------------- rules


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_silent_game_goes_on_by_files_alone(ruleset: str, run: Run, tmp_path: Path) -> None:
    """new → step → resolve with nobody's orders → step …: each document is what the next command takes."""
    state = written(tmp_path / "0.json", run("rules", "new", "--ruleset", ruleset, "--json").out)
    nobody = written(tmp_path / "silent.json", {})
    seen = []
    for number in range(1, 4):
        step = run("rules", "step", "--ruleset", ruleset, "--state", state, "--json").json
        assert set(step) == {"id", "kind", "title", "awaits", "secret", "anytime", "waits"}
        for wait in step["waits"]:
            assert {"faction", "title", "types", "secret", "hours"} <= set(wait)
        assert step["waits"]
        seen.append(step["id"])
        done = run(
            "rules", "resolve", "--ruleset", ruleset, "--state", state, "--orders", nobody, "--seed", str(number), "--json"
        )
        assert done.code == 0
        assert set(done.json) == {"state", "events", "dice"}
        again = run(
            "rules", "resolve", "--ruleset", ruleset, "--state", state, "--orders", nobody, "--seed", str(number), "--json"
        )
        assert again.out == done.out
        state = written(tmp_path / f"{number}.json", done.json["state"] if number % 2 else done.json)
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_schema_of_every_command(ruleset: str, run: Run) -> None:
    schemas = run("rules", "commands", "--ruleset", ruleset, "--json").json
    assert set(schemas) == set(registry.get(ruleset).commands)
    for name, schema in schemas.items():
        assert schema["properties"]["type"]["const"] == name


@pytest.mark.parametrize(
    ("orders", "words"),
    [
        ([], "объект {фракция"),
        ({"kael": {"type": "pass"}}, "список объектов"),
        ({"kael": ["pass"]}, "список объектов"),
        ({"kael": [{"type": "шах"}]}, "шах"),
        ({"kael": [{"type": "care"}]}, "поле shard: не указано"),
        ({"kael": [{"type": "invest_defence", "energy": "много"}]}, "целое число"),
        ({"никто": [{"type": "pass"}]}, "никто"),
    ],
)
def test_orders_that_are_none(orders: Any, words: str, run: Run, tmp_path: Path) -> None:
    state = written(tmp_path / "0.json", run("rules", "new", "--ruleset", "astral", "--json").out)
    file = written(tmp_path / "orders.json", orders)
    done = run("rules", "resolve", "--ruleset", "astral", "--state", state, "--orders", file, "--seed", "x", "--json")
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_rolls_are_taken_in_order_and_must_suffice(run: Run, tmp_path: Path) -> None:
    """An example of the specification is exact: its rolls are given, no fewer and none out of range."""
    state = run("rules", "new", "--ruleset", "steel_rose", "--json").out
    nobody = written(tmp_path / "silent.json", {})
    for number in range(8):
        call = ("rules", "resolve", "--ruleset", "steel_rose", "--state", written(tmp_path / "state.json", state))
        free = run(*call, "--orders", nobody, "--seed", str(number), "--json")
        if free.json["dice"]:
            break
        state = free.out
    call = (*call, "--orders", nobody, "--json")
    results = [draw["result"] for draw in free.json["dice"]]
    assert results
    same = run(*call, "--rolls", written(tmp_path / "rolls.json", results)).json
    assert same["state"] == free.json["state"]
    assert [draw["result"] for draw in same["dice"]] == results
    for rolls, words in (
        ([], "нужен ещё"),
        (results[:-1], "нужен ещё"),
        ([999, *results[1:]], "не подходит"),
        ({"a": 1}, "список"),
    ):
        done = run(*call, "--rolls", written(tmp_path / "rolls.json", rolls))
        assert (done.code, done.out) == (2, ""), rolls
        assert words in done.err
        assert len(done.err.strip().splitlines()) == 1
    assert run(*call).code == 2
    assert run(*call, "--seed", "x", "--rolls", str(tmp_path / "rolls.json")).code == 2


# ----------------------------------------------------------------------------------------------------------- parse

POST = """[quote]Атакую 002, 8э: пехота 4, стихия 4, воин[/quote]
Здравствуйте, мастер!
[b]Атакую 001[/b], 8э: пехота 4, некромантия 4, воин
Защита +30э
Атакую Пьяный Дркон, 8э
[s]Голос за Дань[/s] голосую за Изобилие
Если нападут, отступлю в Ничто."""


def assert_documented(document: dict[str, Any]) -> None:
    """The shape that other programs rely on."""
    text = document["text"]
    covered = bytearray(len(text))
    for command in document["commands"]:
        assert isinstance(command["type"], str)
        assert isinstance(command["certain"], bool)
        assert command["note"] is None or isinstance(command["note"], str)
        source = command["source"]
        assert text[source["start"] : source["end"]] == source["text"]
        covered[source["start"] : source["end"]] = b"\1" * (source["end"] - source["start"])
    for problem in document["problems"]:
        assert problem["severity"] in {"error", "warning", "question"}
        assert problem["code"]
        assert any("а" <= letter <= "я" for letter in problem["message"].lower())
        assert problem["line"] == text.count("\n", 0, problem["start"]) + 1
        covered[problem["start"] : problem["end"]] = b"\1" * (problem["end"] - problem["start"])
    for part in document["ignored"]:
        assert part["reason"] in REASONS
        covered[part["start"] : part["end"]] = b"\1" * (part["end"] - part["start"])
    assert not [i for i, letter in enumerate(text) if not covered[i] and not letter.isspace()]


def test_parse_prints_the_documented_json(run: Run, tmp_path: Path) -> None:
    done = run("parse", "--ruleset", "astral", "--as", "kael", "--json", written(tmp_path / "p.txt", POST))
    assert done.code == 1
    document = done.json
    assert (document["ruleset"], document["faction"]) == ("astral", "kael")
    assert {"text", "commands", "problems", "ignored"} <= set(document)
    assert_documented(document)
    types = [command["type"] for command in document["commands"]]
    assert types[:2] == ["attack_neutral", "invest_defence"]
    assert "vote_rune" in types
    assert {"E_ENERGY", "conditional"} <= {problem["code"] for problem in document["problems"]}
    assert {"quote", "struck", "prose"} <= {part["reason"] for part in document["ignored"]}


def test_parse_of_good_orders_ends_with_zero_and_words(run: Run) -> None:
    done = run("parse", "--ruleset", "astral", "--as", "kael", "-", stdin="Защита +3э")
    assert done.code == 0
    assert "понял так: 3э в защиту мира" in done.out
    assert run("parse", "--ruleset", "astral", "--as", "kael", stdin="").code == 0


def test_parse_shows_the_place_of_a_problem(run: Run) -> None:
    done = run("parse", "--ruleset", "astral", "--as", "kael", "-", stdin="Привет!\nАтакую 099, 8э: пехота 4, некра 4, воин")
    assert done.code == 1
    lines = done.out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("строка 2, ошибка:"))
    carets = lines[at + 2]
    assert "099" in lines[at + 1][carets.index("^") : carets.rindex("^") + 1]


@pytest.mark.parametrize("markup", ["bbcode", "html", "text"])
def test_parse_reads_each_kind_of_text(markup: str, run: Run) -> None:
    text = {"bbcode": "[b]Защита[/b] +3э", "html": "<b>Защита</b> +3э", "text": "Защита +3э"}[markup]
    document = run("parse", "--ruleset", "astral", "--as", "kael", "--format", markup, "--json", "-", stdin=text).json
    assert document["text"].strip() == "Защита +3э"
    assert [command["type"] for command in document["commands"]] == ["invest_defence"]


def test_parse_uses_the_given_state(run: Run, tmp_path: Path) -> None:
    state = run("rules", "new", "--ruleset", "astral", "--json").json
    state["owners"]["kael"]["energy"] = 1
    file = written(tmp_path / "0.json", state)
    assert run("parse", "--ruleset", "astral", "--as", "kael", "--state", file, "-", stdin="Защита +3э").code == 1


def test_parse_reads_the_gm_too(run: Run) -> None:
    document = run("parse", "--ruleset", "astral", "--as", "gm", "--json", "-", stdin="Добрый день всем.").json
    assert document["faction"] == "gm"
    assert_documented(document)


def test_batch_answers_line_by_line(run: Run, tmp_path: Path) -> None:
    requests = [
        {"id": "a", "ruleset": "astral", "faction": "kael", "format": "bbcode", "step": None, "text": "Защита +3э"},
        {"id": 7, "ruleset": "astral", "faction": "morwen", "text": POST},
        {"id": "c", "ruleset": "astral", "faction": "gm", "format": "html", "text": "<p></p>"},
    ]
    lines = "\n".join(json.dumps(request, ensure_ascii=False) for request in requests) + "\n\n"
    done = run("parse", "--batch", "-", stdin=lines)
    assert done.code == 1
    results = [json.loads(line) for line in done.out.splitlines()]
    assert [result["id"] for result in results] == ["a", 7, "c"]
    for result in results:
        assert_documented(result)
    single = run("parse", "--ruleset", "astral", "--as", "morwen", "--json", written(tmp_path / "p.txt", POST)).json
    assert {key: value for key, value in results[1].items() if key != "id"} == single
    assert run("parse", "--batch", written(tmp_path / "b.jsonl", lines.splitlines()[0])).code == 0


@pytest.mark.parametrize(
    "request_", [{"text": 5}, {"faction": None}, {"faction": "никто"}, {"format": "doc"}, {"ruleset": "шахматы"}]
)
def test_batch_names_a_bad_request(request_: dict[str, Any], run: Run) -> None:
    line = json.dumps({"id": 1, "ruleset": "astral", "faction": "kael", "text": "пас", **request_})
    done = run("parse", "--batch", "-", stdin=line)
    assert (done.code, done.out) == (2, "")
    assert len(done.err.strip().splitlines()) == 1


# --------------------------------------------------------------------------------------------------------- forecast


def test_forecast_prints_the_documented_json(run: Run, tmp_path: Path) -> None:
    file = written(tmp_path / "battle.toml", BATTLE)
    done = run("forecast", "--ruleset", "steel_rose", file, "-n", "400", "--seed", "5", "--json")
    assert done.code == 0
    odds = done.json
    assert odds["n"] == 400
    assert odds["attacker_wins"] + odds["defender_wins"] + odds["draws"] == pytest.approx(1)
    low, high = odds["ci95"]
    assert low <= odds["attacker_wins"] <= high
    assert set(odds["standing"]) == {"attacker", "defender"}
    assert odds["rounds_mean"] > 0
    assert {"seconds", "battles_per_second"} <= set(odds)
    again = run("forecast", file, "-n", "400", "--seed", "5", "--json").json
    timed = {"seconds", "battles_per_second"}
    assert {k: v for k, v in odds.items() if k not in timed} == {k: v for k, v in again.items() if k not in timed}


def test_forecast_reads_plain_russian(run: Run, tmp_path: Path) -> None:
    told = written(tmp_path / "бой.txt", "Империя: 6 копейщиков\nКняжество: 7 щитовиков и двух стрелков. Щиты в укрытие!")
    file = str(tmp_path / "шансы.png")
    done = run("forecast", told, "-n", "200", "--png", file)
    assert done.code == 0
    assert "Княжество стальной розы: центральный авангард — 7 щитовиков; центральный арьергард — 2 стрелка" in done.out
    assert "центральный авангард — в укрытии" in done.out
    assert "Щитовик: из 7 погибает" in done.out
    for name in ("шансы.png", "шансы-deployment.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


def test_forecast_says_that_the_first_time_takes_longer(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rules.steel_rose.fast import forecast

    monkeypatch.setattr(forecast, "prepared", lambda: False)
    file = written(tmp_path / "battle.toml", BATTLE)
    done = run("forecast", file, "-n", "100", "--json")
    assert done.code == 0
    assert done.json["n"] == 100
    assert done.err.startswith("Готовлю быстрый счёт")


def test_forecast_shows_what_it_did_not_understand_as_the_parser_does(run: Run, tmp_path: Path) -> None:
    told = written(tmp_path / "бой.txt", "10 копейщиков и 3 рыцаря\nпротив 8 гоблинов")
    done = run("forecast", told, "--json")
    assert (done.code, done.out) == (2, "")
    first, line, carets = done.err.splitlines()[:3]
    assert first.startswith("строка 2, вопрос: ")
    assert line.strip() == "против 8 гоблинов"
    assert "^" in carets


def test_forecast_examples_are_understood() -> None:
    from forum_gm.commands.forecast import forecast
    from rules.steel_rose.fast.description import read_battle

    examples = re.findall("«([^»…]*против[^»]*)»", forecast.__doc__ or "")
    folder = Path(__file__).parents[2] / "docs" / "примеры"
    texts = [*examples, *((folder / name).read_text("utf-8") for name in ("бой.txt", "бой.toml"))]
    assert len(texts) == 3
    for text in texts:
        battle = read_battle(text)
        assert (battle.problems, battle.warnings) == ((), ())


# ------------------------------------------------------------------------------------------------------------ guide


def test_guide_is_printed_or_written(run: Run, tmp_path: Path) -> None:
    printed = run("guide", "--ruleset", "astral")
    assert printed.out.startswith("# ")
    done = run("guide", "--ruleset", "astral", "--out", str(tmp_path / "page.md"))
    assert done.code == 0
    assert (tmp_path / "page.md").read_text("utf-8") == printed.out
    assert run("guide", "--ruleset", "astral", "--out", str(tmp_path / "нет" / "page.md")).code == 2
