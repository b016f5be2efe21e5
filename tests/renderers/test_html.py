"""HTML fragments and templates: escaped, overridable, sandboxed."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from jinja2 import UndefinedError
from jinja2.exceptions import SecurityError
from syrupy.assertion import SnapshotAssertion

from renderers import environment, render_html, render_posts
from rules.report import Coloured, Report, Section, para
from tests.renderers import samples


def test_html(snapshot: SnapshotAssertion) -> None:
    html = render_html(samples.report(battles=1), picture_url=lambda i: f"/files/{i}.png", rule_url=lambda r: f"/rules#{r}")
    assert str(html) == snapshot


@pytest.mark.parametrize("text", samples.HOSTILE)
def test_player_text_never_becomes_html(text: str) -> None:
    report = Report(
        "Ход", (para(text, Coloured(text, 'red" onclick="x')),), (Section(text, (para(text),), details=True, id=text),)
    )
    soup = BeautifulSoup(render_html(report), "lxml")
    assert {tag.name for tag in soup.find_all(True)} <= {"html", "body", "div", "p", "span", "details", "summary"}
    assert not any(name.startswith("on") for tag in soup.find_all(True) for name in tag.attrs)


def test_campaign_folder_comes_before_ruleset_and_shipped(tmp_path: Path) -> None:
    for folder, name in (("campaign", "кампания"), ("ruleset", "игра")):
        (tmp_path / folder / "posts").mkdir(parents=True)
        (tmp_path / folder / "posts" / "report.bbcode.j2").write_text(
            f"{name}: {{{{ title }}}}\n{{{{ body }}}}", encoding="utf-8"
        )
    (post,) = render_posts(samples.report(), folders=(tmp_path / "campaign", tmp_path / "ruleset"))
    assert post.text.startswith("кампания: Ход 3")
    (post,) = render_posts(samples.report(), folders=(tmp_path / "none", tmp_path / "ruleset"))
    assert post.text.startswith("игра: Ход 3")


def test_templates_are_strict_and_sandboxed() -> None:
    env = environment()
    with pytest.raises(UndefinedError):
        env.from_string("{{ nothing }}").render()
    with pytest.raises(SecurityError):
        env.from_string("{{ ''.__class__.__mro__ }}").render()
