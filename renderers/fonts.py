"""The shipped faces (PT Serif, PT Sans, IBM Plex Mono, our signs) for Pillow and WeasyPrint alike; system fonts are never read.

Promise 2 (pictures and PDFs repeat byte for byte in the same installation) rests on this module.
"""

from __future__ import annotations

import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from PIL import ImageFont, features

from renderers import signs


class Face(Enum):
    """A shipped face: package and file."""

    SANS = ("fontpkg_pt_sans", "PT_Sans-Web-Regular.ttf")
    SANS_BOLD = ("fontpkg_pt_sans", "PT_Sans-Web-Bold.ttf")
    SANS_ITALIC = ("fontpkg_pt_sans", "PT_Sans-Web-Italic.ttf")
    SANS_BOLD_ITALIC = ("fontpkg_pt_sans", "PT_Sans-Web-BoldItalic.ttf")
    SERIF = ("fontpkg_pt_serif", "PT_Serif-Web-Regular.ttf")
    SERIF_BOLD = ("fontpkg_pt_serif", "PT_Serif-Web-Bold.ttf")
    SERIF_ITALIC = ("fontpkg_pt_serif", "PT_Serif-Web-Italic.ttf")
    SERIF_BOLD_ITALIC = ("fontpkg_pt_serif", "PT_Serif-Web-BoldItalic.ttf")
    MONO = ("fontpkg_ibm_plex_mono", "IBMPlexMono-Regular.ttf")
    MONO_BOLD = ("fontpkg_ibm_plex_mono", "IBMPlexMono-SemiBold.ttf")
    SIGNS = ("", "")

    @property
    def file(self) -> Path:
        """The face's TrueType file."""
        if self is Face.SIGNS:
            return signs.FILE
        package, name = str(self.value[0]), str(self.value[1])
        return Path(str(files(package))) / "files" / name


FAMILIES = frozenset({"PT Serif", "PT Sans", "IBM Plex Mono", signs.FAMILY})
"""What a PDF of ours may embed."""

PDF_NAMES = ("PT-Serif", "PTSerif", "PT-Sans", "PTSans", "IBM-Plex-Mono", "IBMPlexMono", "Forum-GM-Signs", "ForumGMSigns")
"""How those families begin in a PDF's font names."""

_FALLBACK = {
    Face.SANS_BOLD: (Face.MONO_BOLD, Face.SIGNS),
    Face.SERIF_BOLD: (Face.MONO_BOLD, Face.SIGNS),
    Face.MONO: (Face.SANS, Face.SIGNS),
    Face.MONO_BOLD: (Face.SANS_BOLD, Face.SIGNS),
}

_SPACES = str.maketrans(
    {"\u2009": "\u00a0", "\u202f": "\u00a0", "\u2007": "\u00a0", "\u2008": "\u00a0", "\u2011": "-", "\u2010": "-"}
)
_SKIN_TONES = range(0x1F3FB, 0x1F400)


@cache
def coverage(face: Face) -> frozenset[int]:
    """The code points that the face can draw."""
    from fontTools.ttLib import TTFont

    with TTFont(face.file, lazy=True) as font:
        return frozenset(font.getBestCmap())


@cache
def _any_coverage() -> frozenset[int]:
    return coverage(Face.SANS) & coverage(Face.SERIF) | coverage(Face.MONO) | coverage(Face.SIGNS)


def clean(text: str) -> str:
    """The text without what could disturb its surroundings: control characters and direction overrides vanish, new lines stay,
    the rest is composed (NFC)."""
    composed = unicodedata.normalize("NFC", text)
    if composed.isprintable():  # none of those categories, in one step
        return composed
    return "".join(c for c in composed if c in "\n\t\u200d" or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn"})


def drawable(text: str) -> str:
    """The text as the shipped faces can draw it: odd spaces become plain no-break ones, and each character that no face has (an
    emoji with its joiners and skin tones counts once) becomes a small empty box."""
    out: list[str] = []
    joined = False
    for char in clean(text).translate(_SPACES):
        code = ord(char)
        if char == "\u200d":
            joined = bool(out)
            continue
        if char.isspace() or code in _any_coverage():
            out.append(char)
        elif not (joined or code in _SKIN_TONES or unicodedata.combining(char) or 0xFE00 <= code <= 0xFE0F):
            out.append(signs.UNSUPPORTED)
        joined = False
    return "".join(out)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one face."""

    text: str
    face: Face


def runs(text: str, face: Face) -> list[Run]:
    """The text cut into stretches, each in the wanted face or, where that lacks a sign, in one that has it."""
    out: list[Run] = []
    chain = (face, *_FALLBACK.get(face, (Face.MONO, Face.SIGNS)))
    for char in drawable(text):
        chosen = next((f for f in chain if ord(char) in coverage(f)), face)
        if out and out[-1].face is chosen:
            out[-1] = Run(out[-1].text + char, chosen)
        else:
            out.append(Run(char, chosen))
    return out


@cache
def pillow_font(face: Face, size: float) -> ImageFont.FreeTypeFont:
    """The face at `size` pixels, laid out by Raqm where it works."""
    engine = ImageFont.Layout.RAQM if features.check("raqm") else ImageFont.Layout.BASIC
    return ImageFont.truetype(str(face.file), size, layout_engine=engine)


@dataclass(frozen=True, slots=True)
class TextLayout:
    """How Pillow lays text out here; widths of texts in maps depend on it."""

    raqm: bool
    fribidi: bool
    harfbuzz: bool
    message: str
    """One Russian sentence for `forum-gm check`, with the remedy where there is something to mend."""

    @property
    def ok(self) -> bool:
        """Everything is there."""
        return self.raqm and self.fribidi and self.harfbuzz


def text_layout_status() -> TextLayout:
    """Whether Pillow has Raqm, FriBiDi and HarfBuzz."""
    found = {name: bool(features.check(name)) for name in ("raqm", "fribidi", "harfbuzz")}
    missing = [label for name, label in (("raqm", "Raqm"), ("fribidi", "FriBiDi"), ("harfbuzz", "HarfBuzz")) if not found[name]]
    if missing:
        message = f"Pillow не находит {', '.join(missing)}: надписи на картах лягут чуть иначе. Поставьте пакет libfribidi0."
    else:
        message = f"Надписи на картах: Raqm {features.version('raqm')}, FriBiDi и HarfBuzz на месте."
    return TextLayout(**found, message=message)


def missing_faces() -> list[str]:
    """Shipped faces whose file can't be found; empty when all is well."""
    out = []
    for face in Face:
        try:
            found = face.file.is_file()
        except ModuleNotFoundError:
            found = False
        if not found:
            out.append(face.value[1] or signs.FILE.name)
    return out


def web_faces() -> dict[str, Path]:
    """The faces that desk and archive serve, by the name in their address."""
    return {
        "sans-regular.ttf": Face.SANS.file,
        "sans-bold.ttf": Face.SANS_BOLD.file,
        "serif-regular.ttf": Face.SERIF.file,
        "serif-bold.ttf": Face.SERIF_BOLD.file,
        "mono-regular.ttf": Face.MONO.file,
        "signs.ttf": Face.SIGNS.file,
    }


@contextmanager
def fontconfig_file() -> Iterator[Path]:
    """A Fontconfig file that knows the shipped faces only, for as long as the context lasts."""
    folders = sorted({str(face.file.parent) for face in Face})
    directories = "".join(f"<dir>{escape(folder)}</dir>" for folder in folders)
    with tempfile.TemporaryDirectory(prefix="forum-gm-fonts-") as folder:
        path = Path(folder) / "fonts.conf"
        path.write_text(
            '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">'
            f"<fontconfig>{directories}<cachedir>{escape(folder)}</cachedir>"
            + "".join(
                f"<alias><family>{generic}</family><prefer><family>{name}</family><family>IBM Plex Mono</family>"
                f"<family>{signs.FAMILY}</family></prefer></alias>"
                for generic, name in (("serif", "PT Serif"), ("sans-serif", "PT Sans"), ("monospace", "IBM Plex Mono"))
            )
            + "</fontconfig>",
            encoding="utf-8",
        )
        yield path
