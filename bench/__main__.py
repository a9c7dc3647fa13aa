"""Measure, print, keep, and draw the page.

Usage: python -m bench [rows|embed|budgets|growth|page|all] [NAME ...] [--repeats N] [--up-to N] [--out FILE]

Run it with an interpreter that holds memgauge; the peers live in another environment (`.venv-bench`). The exit
code is 1 only where something could not be measured that should have been.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import table
from bench.budgets import BUDGETS
from bench.compare import REPEATS, measure
from bench.growth import CURVES
from bench.growth.measure import measure as measure_curve
from bench.places import RESULTS
from bench.results import Results, machine
from bench.rows import HEAVY, ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BUSY = 2.5
"""From which load on times are worth less than ratios: more than two threads want to run."""
KNOWN: dict[str, tuple[str, ...]] = {"rows": ROWS, "embed": HEAVY, "budgets": tuple(BUDGETS), "growth": CURVES}
"""What can be measured, by name."""


def measured(what: str, names: Iterable[str], repeats: int, up_to: int | None) -> Iterator[Results]:
    """Measure one kind of thing, or those of it that are named; print and yield each when it is there."""
    wanted = set(names)
    with tempfile.TemporaryDirectory(prefix="memgauge-bench-") as temporary:
        for key in KNOWN[what]:
            if not wanted or key in wanted:
                yield _one(what, key, Path(temporary), repeats, up_to)


def _one(what: str, key: str, folder: Path, repeats: int, up_to: int | None) -> Results:
    if what in {"rows", "embed"}:
        row = measure(f"bench.rows.{key}", folder / key, repeats)
        print(table.rows([row]), flush=True)
        if what == "embed":
            return Results(rows=(replace(row, when=_when(machine())),))
        return Results(machine(), rows=(row,))
    if what == "budgets":
        kept = BUDGETS[key](folder)
        print(table.budgets([kept]), flush=True)
        return Results(machine(), budgets=(kept,))
    curve = measure_curve(key, lambda text: print(text, flush=True), up_to=up_to)
    print(table.growth([curve]), flush=True)
    return Results(machine(), growth=(curve,))


def _when(machine: dict[str, Any]) -> str:
    """Say when a row was measured alone, and what a reader of its times must know."""
    busy = machine["load"] > BUSY
    return f"measured on {machine['date']} at a load of {machine['load']}" + (": read the ratios" if busy else "")


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure speed, beside peers and floors.")
    parser.add_argument("what", nargs="?", default="rows", choices=[*KNOWN, "page", "all"])
    parser.add_argument("names", nargs="*", help="which of them; all where none is named")
    parser.add_argument("--repeats", type=int, default=REPEATS, help="repetitions of each side")
    parser.add_argument("--up-to", type=int, help="the largest size of a growth curve")
    parser.add_argument("--out", type=Path, default=RESULTS, help="file of results, joined with what it holds")
    chosen = parser.parse_args()
    known = KNOWN.get(chosen.what, ())
    if unknown := [name for name in chosen.names if name not in known]:
        parser.error(f"no {chosen.what} named {', '.join(unknown)}; there are {', '.join(known) or 'no names'}")
    results, broken = Results.read(chosen.out), False
    for what in KNOWN if chosen.what == "all" else (what for what in KNOWN if what == chosen.what):
        for newer in measured(what, chosen.names, chosen.repeats, chosen.up_to):
            results = results.joined(newer)
            results.write(chosen.out)
            broken = broken or any(side.broken for row in newer.rows for side in row.sides)
    if chosen.what in {"page", "all"}:
        from bench.page import write

        write(results)
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
