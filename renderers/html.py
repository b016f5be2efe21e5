"""Report → safe HTML for desk, archive and PDF: every text is escaped by the templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from markupsafe import Markup

from renderers.document import cited_rules, figures, report_to_json
from renderers.templates import shared_template
from rules.report import Report


def render_html(
    report: Report,
    *,
    picture_url: Callable[[int], str | None] = lambda index: None,
    rule_url: Callable[[str], str | None] = lambda rule: None,
    rule_text: Callable[[str], str | None] = lambda rule: None,
    level: int = 2,
    folders: Iterable[Path] = (),
) -> Markup:
    """The report's summary and sections as an HTML fragment (its title is left to the page).

    `picture_url` gives the address of the figure with that index (None: its words stand in for it), `rule_url` the address of a
    ruling, `rule_text` its words for a tooltip; `level` is the level of the sections' headings. Details are `<details>`."""
    cited = cited_rules(report)
    template = shared_template("shared/report.html.j2", folders)
    return Markup(
        template.render(
            report=report_to_json(report, models=False),
            pictures=[picture_url(index) for index in range(len(figures(report)))],
            rule_urls={rule: url for rule in cited if (url := rule_url(rule))},
            rule_texts={rule: words for rule in cited if (words := rule_text(rule))},
            level=level,
        )
    )
