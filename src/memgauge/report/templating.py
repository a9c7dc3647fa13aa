"""The templates of pages that are not documents yet, and the bar of a score in a cell."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from memgauge.report import words
from memgauge.show import numbers
from memgauge.show.assets import environment as shared
from memgauge.show.assets import safe

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from memgauge.scoring.board import Score


@cache
def environment() -> Environment:
    """Make the environment of the templates of this room, over those that show has."""
    from jinja2 import ChoiceLoader, PackageLoader

    base = shared()
    loader = ChoiceLoader([PackageLoader("memgauge.report"), PackageLoader("memgauge.show")])
    made = base.overlay(loader=loader)
    made.filters = base.filters | {
        "num": numbers.number,
        "ci": words.interval,
        "ms": numbers.milliseconds,
        "pct": numbers.percent,
        "count": numbers.count,
        "contract": words.contract_sentence,
        "capfirst": lambda text: text[:1].upper() + text[1:],
        "bar": bar,
    }
    return made


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
