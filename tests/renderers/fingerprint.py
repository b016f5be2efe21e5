"""Prints the hashes of sample pictures and PDFs; run by a test in another process."""

from __future__ import annotations

import datetime as dt
import hashlib

from renderers import Chronicle, DigestMeta, Picture, Turn, draw_png, render_chronicle, render_digest
from tests.renderers import samples


def fingerprint() -> list[str]:
    """SHA-256 of each."""
    day = dt.date(2013, 7, 26)
    figures = (
        samples.height_map(late=True),
        samples.road_map(),
        samples.grid_map(),
        samples.battle_figure(1),
        samples.bars(),
        samples.line_chart(),
    )
    drawn = [draw_png(figure) for figure in figures]
    report = samples.report(battles=1)
    digest = render_digest(report, [Picture(drawn[0])], DigestMeta("Печати", "Астрал", day), attachments={"record.json": b"{}"})
    book = Chronicle("Печати", "Астрал", day, (Turn(report, day, (Picture(drawn[1]),)),))
    return [hashlib.sha256(data).hexdigest() for data in (*drawn, digest, render_chronicle(book))]


if __name__ == "__main__":
    print("\n".join(fingerprint()))
