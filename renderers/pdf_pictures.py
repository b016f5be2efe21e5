"""Pictures of a PDF, by content: WeasyPrint lays out light stand-ins, and the finished file gets the palette PNG's own data.

(WeasyPrint by itself blows a palette up to full colour, two and a half times the size; a digest must stay an attachable file.)
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PIL import Image

SCHEME = "gm:"
"""Addresses of a document's own pictures."""


@dataclass(frozen=True, slots=True)
class _Png:
    width: int
    height: int
    bits: int
    colour_type: int
    palette: bytes
    data: bytes
    """Compressed rows."""


class PictureBook:
    """The pictures of one document."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, bytes] = {}
        self._real: dict[bytes, _Png] = {}

    def add(self, data: bytes) -> str:
        """Takes a PNG; returns the address under which the document finds it, made of its content."""
        png = _read(data)
        if png.colour_type not in (0, 2, 3):
            data = _flattened(data)
            png = _read(data)
        url = f"{SCHEME}{hashlib.sha256(data).hexdigest()}"
        if url not in self._stand_ins:
            stand_in = _stand_in(png, len(self._stand_ins))
            self._stand_ins[url] = stand_in
            self._real[_read(_saved(Image.open(io.BytesIO(stand_in)))).data] = png
        return url

    def get(self, url: str) -> bytes:
        """The stand-in. Raises `ValueError` for any other address: nothing is read from network or disk."""
        if url not in self._stand_ins:
            raise ValueError(f"not a picture of this document: {url}")
        return self._stand_ins[url]

    def finish(self, document: Any, pdf: Any) -> None:
        """WeasyPrint's finisher: puts the real pictures in the stand-ins' places."""
        import pydyf

        for item in pdf.objects:
            extra = getattr(item, "extra", None)
            if not extra or extra.get("Subtype") != "/Image":
                continue
            png = self._real.get(bytes(item.stream[0].data))
            if png is None:
                raise RuntimeError("a picture of the PDF is not one of the document's")
            item.stream = [png.data]
            extra["BitsPerComponent"] = png.bits
            parms = {
                "Predictor": 15,
                "Columns": png.width,
                "BitsPerComponent": png.bits,
                "Colors": 3 if png.colour_type == 2 else 1,
            }
            extra["DecodeParms"] = pydyf.Dictionary(parms)
            if png.colour_type == 3:
                last = len(png.palette) // 3 - 1
                extra["ColorSpace"] = pydyf.Array(["/Indexed", "/DeviceRGB", last, f"<{png.palette.hex()}>"])
            else:
                extra["ColorSpace"] = "/DeviceRGB" if png.colour_type == 2 else "/DeviceGray"


def size(data: bytes) -> tuple[int, int]:
    """Pixels across and down of a PNG."""
    png = _read(data)
    return png.width, png.height


def _stand_in(png: _Png, number: int) -> bytes:
    """A blank picture of the same size, unlike any other of the document."""
    image = Image.new("L", (png.width, png.height), 255)
    for i in range(4):
        image.putpixel((i % png.width, (i // png.width) % png.height), number >> (8 * i) & 255)
    return _saved(image)


def _saved(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _flattened(data: bytes) -> bytes:
    """On white, without transparency."""
    image = Image.open(io.BytesIO(data)).convert("RGBA")
    paper = Image.new("RGBA", image.size, "white")
    return _saved(Image.alpha_composite(paper, image).convert("RGB"))


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(data):
        (length,) = struct.unpack_from("!I", data, at)
        yield data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        at += 12 + length


def _read(data: bytes) -> _Png:
    """The parts of a PNG. Raises `ValueError` when it is none. An interlaced or transparent one counts as colour type 6."""
    if not data.startswith(b"\x89PNG\r\n\x1a\n"):
        raise ValueError("pictures must be PNG")
    header, palette, rows, odd = b"", b"", b"", False
    for kind, content in _chunks(data):
        if kind == b"IHDR":
            header = content
        elif kind == b"PLTE":
            palette = content
        elif kind == b"IDAT":
            rows += content
        elif kind == b"tRNS":
            odd = True
    width, height, bits, colour_type, _, _, interlace = struct.unpack("!IIBBBBB", header)
    return _Png(width, height, bits, 6 if odd or interlace else colour_type, palette, rows)
