"""The bar of a score that fits the cell of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from memgauge.show.assets import safe

if TYPE_CHECKING:
    from markupsafe import Markup


class WithInterval(Protocol):
    """A value with the ends of its interval; ``None`` is undefined."""

    @property
    def value(self) -> float | None:
        """Return the value."""
        ...

    @property
    def low(self) -> float | None:
        """Return the lower end."""
        ...

    @property
    def high(self) -> float | None:
        """Return the upper end."""
        ...


def bar(score: WithInterval, top: float) -> Markup | None:
    """Draw a score with its interval; *top* ends the scale, and what is undefined has no bar."""

    def x(value: float) -> str:
        return f"{3 + 94 * value / top:.2f}"

    def line(low: float | None, high: float | None, width: float) -> str:
        if low is None or high is None:
            return ""
        return f'<line x1="{x(low)}" x2="{x(high)}" y1="5" y2="5" stroke="currentColor" stroke-width="{width}"/>'

    if score.value is None:
        return None
    return safe(
        '<svg class="bar" viewBox="0 0 100 10" aria-hidden="true">'
        '<line x1="3" x2="97" y1="5" y2="5" stroke="currentColor" stroke-width=".6" opacity=".3"/>'
        + line(score.low, score.high, 3)
        + f'<line x1="{x(score.value)}" x2="{x(score.value)}" y1="1" y2="9" '
        'stroke="currentColor" stroke-width="1.4"/></svg>'
    )
