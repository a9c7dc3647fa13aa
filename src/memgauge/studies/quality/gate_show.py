"""What the gate says: its document, with a check for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.measures import parse
from memgauge.report.compared import estimated
from memgauge.report.ended import short_lists_sentence, verdict_cell
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
_DETECTABLE: Final = "Detectable: a true difference that would have been seen with a chance of 80 %."


def document(gated: GateResult) -> Document:
    """Say whether a candidate is let through, and what was seen of each measure."""
    return Document(
        title=f"Memory quality gate: {_ending(gated)}",
        lead=lead(gated),
        facts=(f"{gated.candidate} beside the baseline {gated.baseline} on {gated.dataset}",),
        blocks=(_table(gated),),
        notes=tuple(_notes(gated)),
        identity={"dataset": gated.dataset, "memgauge": __version__},
        data=GATE.of(gated),
        checks=tuple(_checks(gated)),
    )


def _ending(gated: GateResult) -> str:
    if not gated.passed:
        return "FAILED"
    return "nothing checked" if gated.is_blind else "passed"


def _notes(gated: GateResult) -> Iterator[Note]:
    if lost := _lost(gated):
        yield Note(lost, tone=Tone.WARN)
    for check in gated.checks:
        if why := _untold(gated, check):
            yield Note(f"{check.measure} {why}.", tone=Tone.WARN if check.untold else Tone.PLAIN)


def lead(gated: GateResult) -> str:
    """Say why a candidate is let through or not, and what to keep an eye on."""
    if not gated.passed:
        wrong = [f"{check.measure} is worse ({_difference(check)})" for check in gated.checks if check.regressed]
        wrong += [f"{check.measure} {_untold(gated, check)}" for check in gated.checks if check.untold]
        return " ".join(filter(None, (f"FAILED: {listed(wrong)}." if wrong else "FAILED.", _lost(gated))))
    checked = [check for check in gated.checks if outcome(check) != NOT_CHECKED]
    if not checked:
        return "Nothing could be checked, so nothing is let through."
    open_ = [f"{check.measure} ({outcome(check)})" for check in checked if _suspected(check)]
    return f"Passed: nothing is confirmed to be worse.{f' Not settled: {listed(open_)}.' if open_ else ''}"


def outcome(check: GatedMeasure) -> str:
    """Say how one measure fared, in the words of every comparison."""
    if check.difference is None or check.difference.verdict in {Conclusion.NONE, Conclusion.CUT}:
        return NOT_CHECKED
    return str(check.difference.verdict)


def _untold(gated: GateResult, check: GatedMeasure) -> str:
    """Say why a measure within a budget was not looked at; empty where it was."""
    difference = check.difference
    if difference is None or difference.ended is None or difference.verdict is not Conclusion.CUT:
        return ""
    ended = difference.ended
    enough = max(lists.enough for lists in (ended.a, ended.b) if lists is not None)
    worse = f"looks worse in what was kept ({_difference(check)}), and " if check.untold else ""
    ends = short_lists_sentence(ended, gated.baseline, gated.candidate)
    return f"{worse}cannot be told: {ends}; play both with --k {enough} or more"


def _suspected(check: GatedMeasure) -> bool:
    """Whether a measure may have become worse: its own interval says so, and correction does not confirm it."""
    bad = Conclusion.HIGHER if parse(check.measure).formula.lower else Conclusion.LOWER
    return check.difference is not None and check.difference.verdict is bad


def _table(gated: GateResult) -> Table:
    return Table.of(
        "gate",
        f"{gated.candidate} beside {gated.baseline}",
        (
            "measure",
            Column("baseline", Kind.NUMBER, yields=2),
            Column("candidate", Kind.NUMBER, yields=2),
            Column("difference [95 %]", Kind.SIGNED),
            Column("detectable", Kind.NUMBER, yields=1, legend=_DETECTABLE),
            "verdict",
        ),
        [(check.measure, *_cells(check), _verdict(check)) for check in gated.checks],
        "Paired by question, Holm over the measures; intervals of each alone. All over "
        f"conversations{_over(gated)}.{_less(gated)}",
    )


def _over(gated: GateResult) -> str:
    """Say of how many questions rows are, which are those that both sides answered."""
    counts = sorted({check.difference.n for check in gated.checks if check.difference is not None})
    if not counts:
        return ""
    spread = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    return f", and over the {spread} questions that both answered"


def _verdict(check: GatedMeasure) -> Cell:
    mark = "warn" if check.regressed or check.untold else "told" if check.improved else ""
    under = verdict_cell(check.difference).under if check.difference else ""
    cut = check.difference is not None and check.difference.verdict is Conclusion.CUT
    return Cell(Conclusion.CUT if cut else outcome(check), under, mark=mark)


def _less(gated: GateResult) -> str:
    lower = [check.measure for check in gated.checks if parse(check.measure).formula.lower]
    return f" Less is better in {listed(lower)}." if lower else ""


def _cells(check: GatedMeasure) -> tuple[Cell | Value, ...]:
    difference = check.difference
    if difference is None:
        return Cell(""), Cell(""), Cell("no question is defined on both"), Cell("")
    seen = difference.minimum_detectable
    return (
        difference.a,
        difference.b,
        estimated(difference),
        Cell("") if seen is None else seen,
    )


def _checks(gated: GateResult) -> Iterator[CountedCheck]:
    suite, group = f"quality gate {gated.dataset}", f"{gated.dataset}.{gated.candidate}"
    for check in gated.checks:
        if check.difference is None:
            reason = "no question has it on both sides"
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, reason)
        elif check.difference.verdict is Conclusion.NONE:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.SKIP, check.difference.reason)
        elif why := _untold(gated, check):
            ended, kind = (CheckOutcome.ERROR, "ends at k") if check.untold else (CheckOutcome.SKIP, "")
            yield CountedCheck(suite, group, check.measure, ended, why, kind)
        elif check.regressed:
            yield CountedCheck(suite, group, check.measure, CheckOutcome.FAIL, _seen(check), "regression")
        else:
            yield CountedCheck(suite, group, check.measure, output=_seen(check))
    lost = _lost(gated)
    ended = CheckOutcome.ERROR if lost else CheckOutcome.PASS
    yield CountedCheck(suite, group, "failed calls", ended, lost, "outcomes" if lost else "")


def _seen(check: GatedMeasure) -> str:
    """Say in one line what was measured."""
    difference = check.difference
    if difference is None:
        return ""
    shown = f"{number(difference.a)} -> {number(difference.b)}, {_difference(check)}, {outcome(check)}"
    seen = difference.minimum_detectable
    return f"{shown}, detectable {'' if seen is None else f'{seen:.3f}'}".rstrip()


def _difference(check: GatedMeasure) -> str:
    """Write a difference and its interval."""
    if check.difference is None:
        return ""
    written = estimated(check.difference)
    return f"{written.text} {written.under}".rstrip()


def _lost(gated: GateResult) -> str:
    """Say which searches failed that the baseline answered, and which side was not told everything."""
    failed = gated.failed_calls
    searches = f"{plural(failed, 'question')} that the baseline answered failed." if failed else ""
    return " ".join(filter(None, (searches, *gated.lost_writes)))
