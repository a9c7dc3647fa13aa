"""The quality study in tables: what was measured beside what was published, and the gate's reply."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from memgauge.scoring.compare import NO_VERDICT
from memgauge.show.numbers import listed, number
from memgauge.show.safety import clean, escape
from memgauge.studies.quality.published import TABLE
from memgauge.studies.quality.study import HOLDS, OPEN, PUBLISHED_AS, REVERSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.board import Score
    from memgauge.studies.quality.gate import GatedMeasure, GateResult
    from memgauge.studies.quality.published import FigureDoubt
from memgauge.studies.quality.study import Quality, SystemQuality

MORE = (
    "Recall@5",
    "Complete@10",
    "Precision(conv=cap)@5",
    "Temporal(strict)@5",
    "Contaminated@5",
    "Omitted@5",
    "AsOf@5",
    "StaleShare@5",
    "AnyContradiction",
    "Contradiction@5",
    "AnyContradiction@5",
    "Unresolved@5",
    "SilentRightly",
    "SilentWrongly",
)
"""Measures beyond the document's five columns, in the order in which they are shown."""


def quality_rows(quality: Quality) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return heads and cells of the document's table: value, interval over conversations, published figure."""
    heads = ("system", *PUBLISHED_AS)
    return heads, [(row.name, *(_cell(row, column) for column in PUBLISHED_AS)) for row in quality.rows]


def _cell(row: SystemQuality, column: str) -> str:
    score = row.scores[PUBLISHED_AS[column]]
    printed = row.published.get(column)
    shown = number(score.value) + ("" if printed is None else f" ({printed:.2f})")
    bounds = _interval(score)
    return f"{shown}\n{bounds}" if bounds else shown


def _interval(score: Score) -> str:
    """Write the interval over conversations; one alone has none."""
    return "" if score.low is None or score.high is None else f"[{score.low:.3f}, {score.high:.3f}]"


def more_rows(quality: Quality) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return heads and cells of every other measure, one a line."""
    heads = ("measure", *(row.name for row in quality.rows), "n")
    rows = []
    for measure in MORE:
        scores = [row.scores[measure] for row in quality.rows]
        rows.append((measure, *(number(score.value) for score in scores), str(scores[0].denominator.scored)))
    return heads, rows


def order_sentences(quality: Quality) -> Iterator[str]:
    """Say column by column how far the document's order of systems holds."""
    for column in PUBLISHED_AS:
        counts = quality.order(column)
        if not sum(counts.values()):
            continue
        reversed_ = [
            f"{order.lower} over {order.higher}"
            for order in quality.orders
            if order.column == column and order.verdict == REVERSED
        ]
        shown = f": {'; '.join(reversed_)}" if reversed_ else ""
        yield (
            f"{column}: of {sum(counts.values())} pairs {counts[HOLDS]} as claimed, {counts[REVERSED]} reversed"
            f"{shown}, {counts[OPEN]} not told apart."
        )


def finding_rows(findings: Sequence[FigureDoubt]) -> list[tuple[str, ...]]:
    """Return the cells of what cannot be reproduced and why, one line for each column and verdict."""
    columns: dict[tuple[str, str], list[FigureDoubt]] = {}
    for finding in findings:
        columns.setdefault((finding.column, finding.verdict), []).append(finding)
    return [
        (
            column,
            listed([one.system for one in alike]) if len(alike) < len(TABLE) else "all six",
            " to ".join(f"{value:.2f}" for value in sorted({alike[0].published, alike[-1].published})),
            "" if alike[0].bound is None else f"{alike[0].bound:.2f}",
            verdict,
            alike[-1].why,
        )
        for (column, verdict), alike in columns.items()
    ]


FINDING_HEADS = ("column", "systems", "published", "bound", "verdict", "why")


def gate_rows(gated: GateResult) -> list[tuple[str, ...]]:
    """Return the cells of a gate: measure, both means, difference with interval, what could be seen, verdict."""
    return [_gate_cells(check) for check in gated.checks]


def _gate_cells(check: GatedMeasure) -> tuple[str, ...]:
    one = check.difference
    if one is None:
        return (check.measure, "", "", "undefined on both", "", "not checked")
    wide = "" if one.low is None or one.high is None else f" [{one.low:+.3f}, {one.high:+.3f}]"
    seen = "" if one.minimum_detectable is None else f"{one.minimum_detectable:.3f}"
    return (check.measure, number(one.a), number(one.b), f"{one.difference:+.3f}{wide}", seen, said(check))


def said(check: GatedMeasure) -> str:
    """Say in two words how one measure fared."""
    if check.difference is None or check.difference.verdict == NO_VERDICT:
        return "not checked"
    return "REGRESSED" if check.regressed else "improved" if check.improved else "no change seen"


GATE_HEADS = ("measure", "baseline", "candidate", "difference [95 %]", "detectable", "verdict")


def gate_markdown(gated: GateResult) -> str:
    """Render a comment for a pull request."""
    verdict = "passed" if gated.passed else "**failed**"
    lines = [
        f"### Memory quality gate: {verdict}\n",
        f"`{escape(gated.candidate)}` beside the baseline `{escape(gated.baseline)}` on {escape(gated.dataset)}.",
        "Paired by question, Holm over the measures.\n",
        "| " + " | ".join(map(escape, GATE_HEADS)) + " |",
        "| :--- | ---: | ---: | ---: | ---: | :--- |",
        *("| " + " | ".join(map(escape, cells)) + " |" for cells in gate_rows(gated)),
        "",
        "*Detectable*: a true difference that would have been seen with a chance of 80 %. All over conversations.",
    ]
    if gated.failed_calls:
        lines.append(f"\n**{gated.failed_calls} questions that the baseline answered failed.**")
    return "\n".join(lines) + "\n"


def gate_junit(gated: GateResult) -> str:
    """Render one test case a measure, and one for failed calls."""
    suite = ET.Element("testsuite", name=clean(f"quality gate {gated.dataset}"))
    group = clean(f"{gated.dataset}.{gated.candidate}")
    for check, cells in zip(gated.checks, gate_rows(gated), strict=True):
        case = ET.SubElement(suite, "testcase", classname=group, name=check.measure)
        text = f"{cells[1]} -> {cells[2]}, {cells[3]}, detectable {cells[4]}"
        if check.difference is None:
            ET.SubElement(case, "skipped", message="no question has it on both sides")
        elif check.difference.verdict == NO_VERDICT:
            ET.SubElement(case, "skipped", message=check.difference.reason)
        elif check.regressed:
            ET.SubElement(case, "failure", message=text, type="regression")
        else:
            ET.SubElement(case, "system-out").text = text
    calls = ET.SubElement(suite, "testcase", classname=group, name="failed calls")
    if gated.failed_calls:
        lost = f"{gated.failed_calls} questions that the baseline answered failed"
        ET.SubElement(calls, "error", message=lost, type="outcomes")
    suite.set("tests", str(len(gated.checks) + 1))
    suite.set("failures", str(sum(check.regressed for check in gated.checks)))
    suite.set("errors", str(int(bool(gated.failed_calls))))
    suite.set("skipped", str(sum(said(check) == "not checked" for check in gated.checks)))
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"
