"""Put tables and charts into the documentation's page, between its markers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.counts.guard import Counts
from bench.page import charts, tables
from bench.places import CHARTS, COUNTS, PAGE

if TYPE_CHECKING:
    from pathlib import Path

    from bench.results import Results


def parts(results: Results, counts: Counts) -> dict[str, str]:
    """Return the text of every marked place."""
    return {
        "conditions": tables.conditions(results),
        "rows": tables.rows(results.rows),
        "behind": tables.behind(results.rows),
        "budgets": tables.budgets(results.budgets),
        "growth": tables.growth(results.growth),
        "counts": tables.counts(counts),
    }


def filled(page: str, texts: dict[str, str]) -> str:
    """Replace what stands between ``<!-- bench: NAME -->`` and ``<!-- bench: end -->``."""

    def put(match: re.Match[str]) -> str:
        return f"{match[1]}\n\n{texts[match[2]]}\n\n{match[3]}"

    return re.sub(r"(<!-- bench: (?!end)(\w+) -->)\n.*?\n?(<!-- bench: end -->)", put, page, flags=re.DOTALL)


def write(results: Results, page: Path = PAGE, folder: Path = CHARTS) -> None:
    """Write the page and its charts again."""
    texts = parts(results, Counts.read(COUNTS))
    page.write_text(filled(page.read_text(encoding="utf-8"), texts), encoding="utf-8")
    drawn = {
        "bench-time.svg": charts.time_chart(results.growth),
        "bench-memory.svg": charts.memory_chart(results.growth),
        "bench-ratios.svg": charts.ratio_chart(results.rows),
    }
    for name, picture in drawn.items():
        if picture is not None:
            (folder / name).write_text(picture + "\n", encoding="utf-8")
