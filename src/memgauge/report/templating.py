"""The template environment: escaping is always on, and figures are written one way."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memgauge.report import words

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from memgauge.scoring.board import Score

LONGEST = 1_200


@cache
def environment() -> Environment:
    """Make the environment of every template of this room."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("memgauge.report"),
        autoescape=True,
        finalize=_cleaned,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "num": words.number,
        "ci": words.interval,
        "ms": words.milliseconds,
        "pct": words.percent,
        "count": words.count,
        "plural": words.plural,
        "contract": words.contract_sentence,
        "capfirst": lambda text: text[:1].upper() + text[1:],
        "shorten": shorten,
        "bar": bar,
    }
    return made


def _cleaned(value: object) -> object:
    """Clean a text that a template shows; markup stays markup."""
    if not isinstance(value, str):
        return value
    return safe(words.clean(value)) if hasattr(value, "__html__") else words.clean(value)


def safe(text: str) -> Markup:
    """Mark *text*, which this package made, as markup."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 - only our own templates, style, script and drawings come here


def shorten(text: str) -> str:
    """Cut a very long text and say by how much."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… (and {len(text) - LONGEST:,} characters more)"


def bar(score: Score, top: float) -> Markup:
    """Draw a score with its interval as a bar that fits a table cell; *top* ends the scale."""

    def x(value: float) -> str:
        return f"{3 + 94 * value / top:.2f}"

    def line(low: float | None, high: float | None, width: float) -> str:
        if low is None or high is None:
            return ""
        return f'<line x1="{x(low)}" x2="{x(high)}" y1="5" y2="5" stroke="currentColor" stroke-width="{width}"/>'

    if score.value is None:
        return safe("")
    return safe(
        '<svg class="bar" viewBox="0 0 100 10" aria-hidden="true">'
        '<line x1="3" x2="97" y1="5" y2="5" stroke="currentColor" stroke-width=".6" opacity=".3"/>'
        + line(score.low, score.high, 3)
        + f'<line x1="{x(score.value)}" x2="{x(score.value)}" y1="1" y2="9" '
        'stroke="currentColor" stroke-width="1.4"/></svg>'
    )
