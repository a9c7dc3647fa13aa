"""What the gate says: its document, with a check for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.measures import parse
from memgauge.report.compared import estimated
from memgauge.scoring.conclusions import Conclusion
from memgauge.show import Cell, CheckOutcome, Column, CountedCheck, Document, Kind, Note, Table, Tone
from memgauge.show.numbers import listed, number, plural
from memgauge.studies.quality.gate import GATE
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.show import Value
    from memgauge.studies.quality.gate import GatedMeasure, GateResult

NOT_CHECKED: Final = "not checked"


def document(gated: GateResult) -> Document:
    """Say whether a candidate is let through, and what was seen of each measure."""
    return Document(
        title=f"Memory quality gate: {'passed' if gated.passed else 'FAILED'}",
        lead=lead(gated),
        facts=(f"{gated.candidate} beside the baseline {gated.baseline} on {gated.dataset}",),
        blocks=(_table(gated),),
        notes=(Note(_lost(gated), tone=Tone.WARN),) if gated.failed_calls else (),
        identity={"dataset": gated.dataset, "memgauge": __version__},
        data=GATE.of(gated),
        checks=tuple(_checks(gated)),
    )


def lead(gated: GateResult) -> str:
    """Say why a candidate is let through or not, and what to keep an eye on."""
    if not gated.passed:
        regressions = [
            f"{check.measure} is worse ({_difference(check)})" for check in gated.checks if check.regressed
        ]
        return " ".join(
            filter(None, (f"FAILED: {listed(regressions)}." if regressions else "FAILED.", _lost(gated)))
        )
    checked = [check for check in gated.checks if outcome(check) != NOT_CHECKED]
    if not checked:
        return "Passed, but nothing could be checked."
    open_ = [f"{check.measure} ({outcome(check)})" for check in checked if _suspected(check)]
    return f"Passed: nothing is confirmed to be worse.{f' Not settled: {listed(open_)}.' if open_ else ''}"


def outcome(check: GatedMeasure) -> str:
    """Say how one measure fared, in the words of every comparison."""
    if check.difference is None or check.difference.verdict is Conclusion.NONE:
        return NOT_CHECKED
    return str(check.difference.verdict)


def _suspected(check: GatedMeasure) -> bool:
    """Whether a measure may have become worse: its own interval says so, and correction does not confirm it."""
    wrong_direction = Conclusion.HIGHER if parse(check.measure).formula.lower else Conclusion.LOWER
    return check.difference is not None and check.difference.verdict is wrong_direction


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
        [(check.measure, *_cells(check), _verdict(check)) for check in gated.checks],
        "Paired by question, Holm over the measures; intervals of each alone. Detectable: a true difference that "
        f"would have been seen with a chance of 80 %. All over conversations.{_less(gated)}",
    )


def _verdict(check: GatedMeasure) -> Cell:
    return Cell(outcome(check), mark="warn" if check.regressed else "told" if check.improved else "")


def _less(gated: GateResult) -> str:
    lower_is_better = [check.measure for check in gated.checks if parse(check.measure).formula.lower]
    return f" Less is better in {listed(lower_is_better)}." if lower_is_better else ""


def _cells(check: GatedMeasure) -> tuple[Cell | Value, ...]:
    difference = check.difference
    if difference is None:
        return Cell(""), Cell(""), Cell("undefined on both"), Cell("")
    detectable = difference.minimum_detectable
    return (
        difference.a,
        difference.b,
        estimated(difference),
        Cell("") if detectable is None else detectable,
    )


def _checks(gated: GateResult) -> Iterator[CountedCheck]:
    suite, group = f"quality gate {gated.dataset}", f"{gated.dataset}.{gated.candidate}"
    for check in gated.checks:
        if check.difference is None:
            reason = "no question has it on both sides"
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, reason)
        elif check.difference.verdict is Conclusion.NONE:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, check.difference.reason)
        elif check.regressed:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.FAIL, _seen(check), "regression")
        else:
            yield CountedCheck(suite, group, check.measure, output=_seen(check))
    check_outcome = CheckOutcome.ERROR if gated.failed_calls else CheckOutcome.PASS
    yield CountedCheck(
        suite, group, "failed calls", check_outcome, _lost(gated), "outcomes" if gated.failed_calls else ""
    )


def _seen(check: GatedMeasure) -> str:
    """Say in one line what was measured."""
    difference = check.difference
    if difference is None:
        return ""
    change = f"{number(difference.a)} -> {number(difference.b)}, {_difference(check)}, {outcome(check)}"
    detectable = difference.minimum_detectable
    return f"{change}, detectable {'' if detectable is None else f'{detectable:.3f}'}".rstrip()


def _difference(check: GatedMeasure) -> str:
    """Write a difference and its interval."""
    if check.difference is None:
        return ""
    difference_cell = estimated(check.difference)
    return f"{difference_cell.text} {difference_cell.under}".rstrip()


def _lost(gated: GateResult) -> str:
    if not gated.failed_calls:
        return ""
    return f"{plural(gated.failed_calls, 'question')} that the baseline answered failed."
