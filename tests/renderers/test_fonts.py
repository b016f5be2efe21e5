"""Shipped faces: what they cover, what replaces the rest, and that nothing else is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renderers import signs
from renderers.fonts import Face, clean, coverage, drawable, fontconfig_file, missing_faces, runs, text_layout_status, web_faces


def test_every_shipped_face_is_there() -> None:
    assert missing_faces() == []
    assert all(path.is_file() for path in web_faces().values())


def test_sign_face_on_disk_is_what_its_outlines_give() -> None:
    assert signs.FILE.read_bytes() == signs.build()


@pytest.mark.parametrize("sign", ["★", "▲", "▼", "→", "⚔", "‐", "□"])
def test_signs_that_pt_lacks_come_from_a_shipped_face(sign: str) -> None:
    (run,) = runs(sign, Face.SANS)
    assert ord(run.text) in coverage(run.face)


def test_text_stays_in_its_face_and_only_the_sign_changes() -> None:
    assert [(r.text, r.face) for r in runs("ход ★ 3", Face.SERIF)] == [
        ("ход ", Face.SERIF),
        ("★", Face.SIGNS),
        (" 3", Face.SERIF),
    ]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("и\u0306", "й"),
        ("1\u202f000", "1\u00a0000"),
        ("да\u200bнет", "данет"),
        ("\u202eтсалуб", "тсалуб"),
        ("семья 👨‍👩‍👧‍👦!", "семья □!"),
        ("👍🏽", "□"),
        ("⚔️", "⚔"),
        ("שלום", "□□□□"),
    ],
)
def test_what_no_face_has_becomes_one_box(typed: str, shown: str) -> None:
    assert drawable(typed) == shown


@given(st.text())
def test_every_drawable_character_is_covered(text: str) -> None:
    known = coverage(Face.SANS) | coverage(Face.MONO) | coverage(Face.SIGNS)
    assert all(c.isspace() or ord(c) in known for c in drawable(text))
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", clean(text))


def test_fontconfig_names_the_shipped_folders_only() -> None:
    with fontconfig_file() as path:
        folders = re.findall("<dir>(.*?)</dir>", path.read_text(encoding="utf-8"))
        assert {Path(f) for f in folders} == {face.file.parent for face in Face}
    assert not path.exists()


def test_doctor_gets_a_sentence_about_text_layout() -> None:
    status = text_layout_status()
    assert status.message.endswith(".")
    assert status.ok == ("на месте" in status.message)
