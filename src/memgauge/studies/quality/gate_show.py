"""What the gate says: its document, with a check for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.compare import NO_VERDICT
from memgauge.show import Cell, CheckOutcome, Column, CountedCheck, Document, Kind, Note, Table, Tone
from memgauge.show.numbers import number, plural
from memgauge.stats import Interval
from memgauge.studies.quality.gate import GATE
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.show import Value
    from memgauge.studies.quality.gate import GatedMeasure, GateResult


def document(gated: GateResult) -> Document:
    """Say whether a candidate is let through, and what was seen of each measure."""
    verdict = "Passed: nothing that could be seen became worse." if gated.passed else "FAILED."
    return Document(
        title=f"Memory quality gate: {'passed' if gated.passed else 'FAILED'}",
        lead=f"{verdict} {_lost(gated)}".rstrip(),
        facts=(f"{gated.candidate} beside the baseline {gated.baseline} on {gated.dataset}",),
        blocks=(_table(gated),),
        notes=(Note(_lost(gated), tone=Tone.WARN),) if gated.failed_calls else (),
        identity={"dataset": gated.dataset, "memgauge": __version__},
        data=GATE.of(gated),
        checks=tuple(_checks(gated)),
    )


def outcome(check: GatedMeasure) -> str:
    """Say in two words how one measure fared."""
    if check.difference is None or check.difference.verdict == NO_VERDICT:
        return "not checked"
    return "REGRESSED" if check.regressed else "improved" if check.improved else "no change seen"


def _table(gated: GateResult) -> Table:
    return Table.of(
        "gate",
        f"{gated.candidate} beside {gated.baseline}",
        (
            "measure",
            Column("baseline", Kind.NUMBER, yields=2),
            Column("candidate", Kind.NUMBER, yields=2),
            Column("difference [95 %]", Kind.SIGNED),
            Column("detectable", Kind.NUMBER, yields=1),
            "verdict",
        ),
        [(check.measure, *_cells(check), outcome(check)) for check in gated.checks],
        "Paired by question, Holm over the measures. Detectable: a true difference that would have been seen with "
        "a chance of 80 %. All over conversations.",
    )


def _cells(check: GatedMeasure) -> tuple[Cell | Interval | Value, ...]:
    difference = check.difference
    if difference is None:
        return Cell(""), Cell(""), Cell("undefined on both"), Cell("")
    seen = difference.minimum_detectable
    return (
        difference.a,
        difference.b,
        Interval(difference.difference, difference.low, difference.high, difference.n),
        Cell("") if seen is None else seen,
    )


def _checks(gated: GateResult) -> Iterator[CountedCheck]:
    suite, group = f"quality gate {gated.dataset}", f"{gated.dataset}.{gated.candidate}"
    for check in gated.checks:
        if check.difference is None:
            reason = "no question has it on both sides"
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, reason)
        elif check.difference.verdict == NO_VERDICT:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, check.difference.reason)
        elif check.regressed:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.FAIL, _seen(check), "regression")
        else:
            yield CountedCheck(suite, group, check.measure, output=_seen(check))
    ended = CheckOutcome.ERROR if gated.failed_calls else CheckOutcome.PASS
    yield CountedCheck(suite, group, "failed calls", ended, _lost(gated), "outcomes" if gated.failed_calls else "")


def _seen(check: GatedMeasure) -> str:
    """Say in one line what was measured."""
    difference = check.difference
    if difference is None:
        return ""
    bounded = difference.low is not None and difference.high is not None
    around = f" [{difference.low:+.3f}, {difference.high:+.3f}]" if bounded else ""
    shown = f"{number(difference.a)} -> {number(difference.b)}, {difference.difference:+.3f}{around}"
    seen = difference.minimum_detectable
    return f"{shown}, detectable {'' if seen is None else f'{seen:.3f}'}".rstrip()


def _lost(gated: GateResult) -> str:
    if not gated.failed_calls:
        return ""
    return f"{plural(gated.failed_calls, 'question')} that the baseline answered failed."
