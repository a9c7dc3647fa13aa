"""A run of the golden suite for people, build servers and programs; nothing that a memory returned is trusted."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.records import Verdict
from memgauge.results import plain
from memgauge.show.numbers import percent, plural
from memgauge.show.safety import escape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from memgauge.studies.golden.drift import Drift
    from memgauge.studies.golden.summary import GoldenReport, Negatives, PlayedScenario

ORDER = ("pass", "fail", "flaky", "vacuous", "error", "unsupported", "xfail")
"""Verdicts in the order in which they are shown."""


def visible(text: str) -> str:
    """Write characters that a terminal or a page would obey, or that nobody sees, as what they are."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _HIDDEN else _named(c) for c in text)


_NAMED = 20
"""Cases that a line names before it only counts."""
_HIDDEN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


def _named(c: str) -> str:
    point = ord(c)
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"


def headline(report: GoldenReport) -> str:
    """Say in a sentence or two how it went."""
    counts = report.counts
    others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER[1:] if counts[verdict])
    ended = "let through" if report.let_through else "NOT let through"
    said = f"{visible(_name(report))}: {ended}. {counts['pass']} of {plural(len(report.played), 'scenario')} pass"
    said += f"; {others}." if others else "."
    if report.broken:
        said += f" {plural(len(report.broken), 'scenario')} could not be read."
    return said


def _name(report: GoldenReport) -> str:
    tested = report.system
    return tested.ref if tested.ref == tested.name else f"{tested.name} ({tested.ref})"


def facts(report: GoldenReport) -> Iterator[str]:
    """Say what was promised and is not kept, what never happened, and what was not looked at."""
    if report.system.problem:
        yield visible(report.system.problem)
    weakest, also = report.models
    if weakest or also:
        beside = f"; also not: {', '.join(also)}" if weakest and also else ""
        yield f"Weakest promise that is broken: {weakest}{beside}." if weakest else f"Broken: {', '.join(also)}."
    yield from map(_bounded, report.negatives)
    used, idle = report.exercised, sorted(set(report.system.offers) - set(report.exercised))
    yield (
        f"Optional protocols used: {', '.join(used) or 'none'}"
        + (f"; offered and not used: {', '.join(idle)}." if idle else ".")
    )
    surprises = [one.result.scenario for one in report.played if one.mended]
    if surprises:
        yield f"Known failures that pass now, and can be mended in the suite: {', '.join(surprises)}."


def _bounded(one: Negatives) -> str:
    said = f"{one.violated:,} of {plural(one.checks, 'value')} {one.what}"
    return f"{said}: at most {percent(one.bound)} (3/N, 95 %)." if one.bound is not None else f"{said}."


def suites(report: GoldenReport) -> str:
    """Name the suites with their editions."""
    named = ", ".join(map(str, report.suites)) or "none"
    digest = sha256("".join(one.sha256 for one in report.suites).encode()).hexdigest()[:12]
    return f"Suites: {visible(named)} (sha256 {digest}); seed {report.seed}; layers {', '.join(report.layers)}."


def family_rows(report: GoldenReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return heads and cells of the table by family."""
    shown = [verdict for verdict in ORDER if report.counts[verdict]]
    rows = []
    for family in sorted({one.result.family for one in report.played}):
        here = [one for one in report.played if one.result.family == family]
        kinds = dict.fromkeys(str(kind) for one in here for kind in one.result.anomalies)
        counted = [sum(one.result.verdict == verdict for one in here) for verdict in shown]
        rows.append((visible(family), str(len(here)), *(str(n) if n else "" for n in counted), " ".join(kinds)))
    return ("family", "n", *shown, "anomalies"), rows


def ended(one: PlayedScenario) -> str:
    """Say how a scenario ended: the verdict, its anomalies, and the first layer that broke."""
    kinds = ", ".join(one.result.anomalies)
    at = f" at {one.result.layer}" if one.result.layer else ""
    return f"{one.result.verdict}{f' {kinds}{at}' if kinds else ''}"


def witnesses(one: PlayedScenario) -> list[str]:
    """Return one witness for each anomaly, or what else there is to say."""
    found = {finding.anomaly: visible(finding.witness) for finding in reversed(one.result.findings)}
    told = [found[kind] for kind in one.result.anomalies]
    plain_detail = one.result.verdict != Verdict.FAIL and one.result.detail
    return [*([visible(one.result.detail)] if plain_detail and one.result.detail not in told else []), *told]


def where(one: PlayedScenario) -> str:
    """Name file and line, gate and severity, and where the case comes from."""
    place = f"{Path(one.path).name}:{one.line}"
    return visible(f"{place}, {one.result.gate} gate, severity {one.result.severity}, {one.provenance}")


def terminal(report: GoldenReport) -> Iterator[RenderableType]:
    """Yield what is printed."""
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    yield Text(headline(report), style="bold")
    yield Text(suites(report))
    heads, rows = family_rows(report)
    table = Table(box=None, pad_edge=False)
    for place, head in enumerate(heads):
        table.add_column(Text(head), justify="left" if place in {0, len(heads) - 1} else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    yield table
    for fact in facts(report):
        yield Text(fact)
    for problem in report.broken:
        yield Text(f"\nnot readable: {visible(problem)}")
    for one in report.played:
        if one.unexpected and one.result.verdict != Verdict.UNSUPPORTED:
            yield Text(f"\n{one.result.scenario}: {ended(one)}", style="bold")
            yield Padding(Text("\n".join([*witnesses(one), where(one)])), (0, 0, 0, 2), expand=False)
    for why, names in _unsupported(report):
        yield Text(f"\nUnsupported, {why}: {', '.join(names)}.")
    for made in report.programs:
        yield Text(f"\n{made.anomaly} in {plural(made.steps, 'step')} (of {made.scenario}):", style="bold")
        yield Padding(Text(visible(made.text).rstrip()), (0, 0, 0, 2), expand=False)
    good = [one.result.scenario for one in report.played if not one.unexpected]
    if good:
        yield Text(f"\nPassed: {', '.join(good)}.")


def _unsupported(report: GoldenReport) -> list[tuple[str, list[str]]]:
    """Group what does not apply by what the memory lacks, whichever step it is that needs it."""
    found: dict[str, list[str]] = {}
    for one in report.played:
        if one.result.verdict == Verdict.UNSUPPORTED:
            why = re.sub(r"^step \d+ ", "", visible(one.result.detail))
            found.setdefault(why, []).append(one.result.scenario)
    return sorted(found.items())


def golden_markdown(report: GoldenReport, drift: Drift | None = None) -> str:
    """Render a comment for a pull request."""
    heads, rows = family_rows(report)
    lines = [
        f"### Golden suite\n\n{escape(headline(report))}\n",
        _row(heads),
        _row([":---", *["---:"] * (len(heads) - 2), ":---"]),
        *map(_row, rows),
        "",
        *(f"- {escape(fact)}" for fact in facts(report)),
    ]
    bad = [one for one in report.played if one.unexpected and one.result.verdict != Verdict.UNSUPPORTED]
    if bad or report.broken:
        lines += ["\n| scenario | how it ended | witness |\n| :--- | :--- | :--- |"]
        lines += [_row((one.result.scenario, ended(one), " ".join(witnesses(one)))) for one in bad]
        lines += [_row(("", "not readable", visible(problem))) for problem in report.broken]
    lines += ["\n" + escape(f"Unsupported, {why}: {', '.join(names)}.") for why, names in _unsupported(report)]
    if drift is not None:
        lines += ["", *(f"- {escape(visible(line))}" for line in drift_lines(drift))]
    return "\n".join([*lines, f"\n{escape(suites(report))}"]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(escape, cells)) + " |"


def golden_json(report: GoldenReport) -> dict[str, Any]:
    """Return a run as JSON-ready data."""
    weakest, also = report.models
    by_verdict = {
        verdict: [one.result.scenario for one in report.played if one.result.verdict == verdict]
        for verdict in ORDER[1:]
    }
    played = [{**plain(one), "anomalies": list(map(str, one.result.anomalies))} for one in report.played]
    return {
        "valid": report.valid,
        "let_through": report.let_through,
        "system": plain(report.system),
        "suites": plain(report.suites),
        "seed": report.seed,
        "layers": list(report.layers),
        "counts": {verdict: report.counts[verdict] for verdict in ORDER},
        "anomaly_types": list(map(str, report.anomalies)),
        "not": None if weakest is None else str(weakest),
        "also_not": list(map(str, also)),
        **{f"{verdict}_ids": ids for verdict, ids in by_verdict.items()},
        "broken": list(report.broken),
        "negative_checks": [{**plain(one), "bound": one.bound} for one in report.negatives],
        "coverage": {
            "families": {row[0]: int(row[1]) for row in family_rows(report)[1]},
            "protocols": list(report.exercised),
            "steps": report.steps,
        },
        "programs": plain(report.programs),
        "scenarios": played,
    }


def drift_lines(drift: Drift) -> Iterator[str]:
    """Say what changed since the baseline, and what slides."""
    if drift.diff is not None:
        one = drift.diff
        p = "" if one.test is None or one.test.p is None else f", McNemar p = {one.test.p:.2g}"
        yield (
            f"Beside the baseline {one.before}, {plural(one.compared, 'case')}: {len(one.lost)} lost, "
            f"{len(one.gained)} gained, {len(one.failing)} still failing{p}; {len(one.uncompared)} not compared."
        )
        for what, names in (("Lost", one.lost), ("Gained", one.gained), ("Still failing", one.failing)):
            if names:
                shown, more = names[:_NAMED], len(names) - _NAMED
                yield f"{what}: {', '.join(shown)}{f' and {more} more' if more > 0 else ''}."
    elif drift.baseline == drift.last:
        yield f"The last run, {drift.last}, is the baseline."
    yield from (f"ALARM {alarm}" for alarm in drift.alarms)
    yield from (f"Trend: {flag}" for flag in drift.flags)
    yield from drift.notes
