"""config.toml: every key is documented and in the example; errors name the key; passwords stay secret."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from forum_gm.config import (
    Account,
    ForumPart,
    Settings,
    example,
    password,
    read_settings,
    settings_from,
    write_settings,
)
from forum_gm.errors import UsageProblem

EXAMPLE = Path(__file__).parents[3] / "config.example.toml"


def test_example_file_is_what_the_settings_say() -> None:
    assert EXAMPLE.read_text("utf-8") == write_settings(example())
    assert settings_from(tomllib.loads(EXAMPLE.read_text("utf-8"))) == example()


def test_every_key_is_described() -> None:
    models: list[type[BaseModel]] = [Account]
    for field in Settings.model_fields.values():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            models.append(kind)
    text = EXAMPLE.read_text("utf-8")
    for model in models:
        for name, field in model.model_fields.items():
            assert field.description, (model, name)
            assert field.description.rstrip(".") in text, (model, name)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[time]\nhours_facto = 2", "time.hours_facto: нет такого ключа"),
        ("[time]\nhours_factor = 0", "time.hours_factor: должно быть больше 0"),
        ("[time]\npoll_minutes = 'да'", "time.poll_minutes: нужно число"),
        ("[campaign]\ntimezone = 'Марс'", "нет часового пояса «Марс»"),
        ("[review]\napprove = 'all'", "review.approve: может быть: 'gm' или 'auto'"),
        ("[[players]]\nfaction='a'\n[[players]]\nfaction='a'", "сторона «a» записана дважды"),
    ],
)
def test_mistakes_are_one_sentence_that_names_the_key(toml: str, words: str) -> None:
    with pytest.raises(UsageProblem) as error:
        settings_from(tomllib.loads(toml))
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_and_broken_file(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="forum-gm init"):
        read_settings(tmp_path)
    (tmp_path / "config.toml").write_text("[campaign", "utf-8")
    with pytest.raises(UsageProblem, match="TOML"):
        read_settings(tmp_path)


def test_password_comes_from_environment_or_a_private_file(tmp_path: Path) -> None:
    forum = ForumPart(user="Ведущий", password_file="pw")
    secret = password(forum, tmp_path, {"FORUM_GM_PASSWORD": "тайна"})
    assert secret is not None
    assert secret.get_secret_value() == "тайна"
    assert "тайна" not in repr(secret)
    (tmp_path / "pw").write_text("другая\n", "utf-8")
    (tmp_path / "pw").chmod(0o644)
    with pytest.raises(UsageProblem, match="chmod 600"):
        password(forum, tmp_path, {})
    (tmp_path / "pw").chmod(0o600)
    found = password(forum, tmp_path, {})
    assert found is not None
    assert found.get_secret_value() == "другая"
    with pytest.raises(UsageProblem, match="FORUM_GM_PASSWORD"):
        password(ForumPart(user="Ведущий"), tmp_path, {})
    assert password(ForumPart(), tmp_path, {}) is None
