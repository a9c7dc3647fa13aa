"""`memgauge systems`: memory systems."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial

from cyclopts import App

from memgauge.cli.console import emit, say
from memgauge.cli.exits import FAILED, OK
from memgauge.cli.options import AsData

app = App("systems", help="Memory systems: list, check.")


@app.command(name="list")
def list_(*, json: AsData = False) -> int:
    """List every memory system, and whether it can be used here.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.systems.catalogue import SYSTEMS, describe_system

    cards = [describe_system(name) for name in SYSTEMS.names()]
    if json:
        emit([asdict(card) for card in cards])
        return OK
    table = Table("system", "role", "what it does", "here", box=None)
    for card in cards:
        role = str(card.capabilities.role) if card.capabilities else ""
        table.add_row(card.ref, role, card.summary, card.unavailable or "yes")
    say(table)
    say("\nYour own: --system module:factory, or a TOML file with `system` and `[parameters]`.")
    return OK


@app.command
def check(*systems: str, json: AsData = False) -> int:
    """Check that systems keep the promises of the memory protocol, before anything is measured with them.

    What a system does not claim is unsupported; what it claims and does not do is a failure.

    Parameters
    ----------
    systems
        Memory systems: names with parameters, `module:factory`, or TOML files.
    json
        Print data instead of text.
    """
    from memgauge.records import Verdict
    from memgauge.systems.catalogue import open_system
    from memgauge.systems.conformance import check as conform

    good, data = True, []
    for ref in systems:
        open_system(ref)  # a name that does not exist is the user's mistake, not a failed check
        report = conform(partial(open_system, ref))
        bad = [c for c in report.checks if c.verdict in {Verdict.FAIL, Verdict.ERROR}]
        good &= not bad
        data.append({"system": ref, "passed": not bad, "checks": [asdict(c) for c in report.checks]})
        if not json:
            say(f"{ref}: {f'{len(bad)} of {len(report.checks)} checks failed' if bad else 'conforms'}")
            for c in report.checks:
                say(f"  {c.verdict:<11} {c.name}{': ' if c.detail else ''}{c.detail}")
    if json:
        emit(data)
    return OK if good else FAILED
