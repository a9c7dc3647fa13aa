"""What the shift study says in words and figures, the same on a terminal and on a page."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.show import Cell, Kind
from memgauge.show.numbers import UNDEFINED, listed, plural, written
from memgauge.show.table import cell
from memgauge.stats import Interval
from memgauge.studies.shift.protocol.spec import QuestionPlacement
from memgauge.studies.shift.published import LEXICAL, TABLE_1, TABLE_5

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.stats import Agreement
    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import Gap, PolicyResult, Route, ShiftResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.report import ShiftReport

RIGHT_BEHIND = (
    "Every question is asked right after its evidence, as in the paper: whoever returns the latest turns is right "
    "on the clean stream without reading it (--place session_end takes that away)."
)
_PRINTED = {0: 1, 100: 2}
"""Columns of the published Table 1 by burst length."""


def score(value: Interval, published: float | None = None) -> Cell:
    """Show a share of hits."""
    return _estimate(value, Kind.NUMBER, published)


def difference(value: Interval) -> Cell:
    """Show a difference with its sign."""
    return _estimate(value, Kind.SIGNED)


def rank(value: Agreement | Interval, published: float | None = None) -> Cell:
    """Show a measure of agreement."""
    interval = value if isinstance(value, Interval) else Interval(value.value, None, None, value.n, value.reason)
    return _estimate(interval, Kind.COARSE, published)


def deficit(row: PolicyResult, burst: int) -> Cell:
    """Show how many hits the burst costs, summed over T."""
    return _estimate(row.deficits[burst], Kind.COARSE)


def back(row: PolicyResult, burst: int) -> Cell:
    """Show when the curve is back at its clean level."""
    point = row.back[burst]
    beyond = f"beyond {len(row.curves[burst])}"
    around = "" if point.low == point.high else f"[{point.low or beyond}, {point.high or beyond}]"
    if point.at is None:
        return Cell("not yet", " ".join(filter(None, (around, point.reason))))
    return Cell(f"T={point.at}", around)


def spoken(cell: Cell) -> str:
    """Say a number in a sentence, with its interval or the reason why there is none."""
    if cell.text == UNDEFINED:
        return " ".join(filter(None, (f"{UNDEFINED}: {cell.under}", cell.beside)))
    return " ".join(filter(None, (cell.text, cell.under, cell.beside)))


def chosen(route: Route) -> str:
    """Say how often a router chose each of its arms, the most frequent first."""
    arms = sorted(route.shares.items(), key=lambda arm: (-arm[1], arm[0]))
    return ", ".join(f"{arm} {share:.0%}" for arm, share in arms)


def notes(report: ShiftReport) -> tuple[str, ...]:
    """Say what a reader should know before quoting a number."""
    share = report.unmatched / report.evidence if report.evidence else 0.0
    evidence = f"{report.evidence:,} entries of evidence, of which {report.unmatched:,} ({share:.1%}) name no turn"
    failures = (
        f"{row.policy} failed on {row.failed:,} questions, over all burst lengths; they count as no hit."
        for row in report.result.rows
        if row.failed
    )
    right_behind = RIGHT_BEHIND if report.spec.place is QuestionPlacement.AFTER_EVIDENCE else ""
    short_bursts = (
        f"{report.short:,} bursts are shorter than {report.spec.bursts[-1]}: no more turns could be drawn."
    )
    unpinned = "" if report.dataset.pinned else "The data is not known to be the published file."
    definition = f"{evidence}: a question without other evidence is not asked."
    vectors = f"Sentence vectors of simulated policies: {report.embedder}." if report.embedder else ""
    further = (vectors, right_behind, short_bursts if report.short else "", unpinned, report.left_out)
    return (definition, *failures, *filter(None, further))


def answered(check: AnswerCheck) -> str:
    """Say who answered how many questions."""
    return (
        f"{check.answerer} answered {check.questions:,} questions after a shift from what was found; "
        f"{check.unanswerable:,} more have no accepted answer."
    )


def follows(check: AnswerCheck) -> str:
    """Say whether the order of answers is that of hits."""
    return "; ".join(
        f"{after(m)}, over {agreement.n} policies: {spoken(rank(agreement))}"
        for m, agreement in check.agreement.items()
    )


def counts(result: ShiftResult, spec: ShiftSpec) -> str:
    """Say how many questions there are, and how many Recovery@T looks at."""
    return (
        f"{plural(result.questions, 'question')}, {result.post_shift:,} after a shift, "
        f"{result.pooled:,} in Recovery@{spec.horizon}"
    )


def published_overall(policy: str) -> float | None:
    """Look up the printed overall Hit@5."""
    return TABLE_1[policy][0] if policy in TABLE_1 else None


def published_recovery(policy: str, burst: int) -> float | None:
    """Look up the printed Recovery@5."""
    return TABLE_1[policy][_PRINTED[burst]] if policy in TABLE_1 and burst in _PRINTED else None


def ordered_as_published(result: ShiftResult) -> bool:
    """Tell whether the policies that are ordered are those of the paper."""
    return set(result.ranked) == set(LEXICAL)


def published_ranks(burst: int) -> tuple[float | None, float | None]:
    """Look up the printed inversion rate and rank correlation."""
    return TABLE_5.get(burst, (None, None))


def after(burst: int) -> str:
    """Say after what Recovery@T looks."""
    return f"after bursts of {burst} turns" if burst else "after session boundaries"


def verdict(result: ShiftResult) -> str:
    """Say who is highest before and after, and whether the gap between them holds over conversations."""
    burst = result.told
    clean_leaders = _leaders(result.rows, lambda row: row.overall.mean)
    then = _leaders(result.rows, lambda row: row.recovery[burst].mean)
    if not clean_leaders or not then:
        return "No policy has a defined score, so nobody leads."
    if len(result.rows) == 1:
        return f"{clean_leaders[0]} was played alone, so nobody leads."
    comparison = "and also" if clean_leaders == then else f"but {_highest(then)}"
    sentence = f"{_highest(clean_leaders)} overall on the clean stream, {comparison} {after(burst)}."
    return f"{sentence} {_lead(result, clean_leaders, then, burst)}".rstrip()


def _highest(policies: Sequence[str]) -> str:
    """Say whose mean is the highest, which nobody has tested."""
    return f"{listed(policies)} {'is' if len(policies) == 1 else 'are'} highest"


def _leaders(rows: Sequence[PolicyResult], value: Callable[[PolicyResult], float | None]) -> list[str]:
    """Name every policy that has the highest value."""
    values = {row.policy: number for row in rows if (number := value(row)) is not None}
    return [policy for policy, number in values.items() if number == max(values.values())]


def _lead(result: ShiftResult, clean_leaders: Sequence[str], then: Sequence[str], burst: int) -> str:
    """Compare who leads after the burst with who led before, or else with the next best."""
    other_rows = [
        row
        for row in result.rows
        if row.policy not in then and (row.policy in clean_leaders or clean_leaders == then)
    ]
    rival = next(iter(_leaders(other_rows, lambda row: row.recovery[burst].mean)), None)
    gap = next((g for g in result.gaps if {g.a, g.b} == {then[0], rival}), None)
    if gap is None:
        return ""
    lead = gap.over_conversations if gap.a == then[0] else _turned(gap.over_conversations)
    whose = "Its" if len(then) == 1 else "The"
    does, ends = "holds", ""
    if not holds(gap):
        bounded = lead.low is not None
        does = "does not hold" if bounded or gap.p_adjusted is None else "is not told from chance"
        is_close = bounded and lead.low is not None and lead.high is not None and lead.low <= 0 <= lead.high
        ends = (
            " contains 0"
            if is_close
            else " is no clear gap among so many"
            if bounded
            else f" (no interval: {lead.reason}{_chance(gap)})"
            if lead.mean is not None
            else ""
        )
    return f"{whose} lead over {rival} there {does} over conversations: {spoken(difference(lead))}{ends}."


def _chance(gap: Gap) -> str:
    """Say how likely a gap is by chance, where conversations that agree leave no interval."""
    return "" if gap.p_adjusted is None else f"; p = {gap.p_adjusted:.2g} after Holm over all pairs"


def _turned(value: Interval) -> Interval:
    def minus(x: float | None) -> float | None:
        return None if x is None else -x

    return replace(value, mean=minus(value.mean), low=minus(value.high), high=minus(value.low))


def holds(gap: Gap) -> bool:
    """Tell whether a gap is told from 0 over conversations, corrected for all gaps that are looked at."""
    return gap.p_adjusted is not None and gap.p_adjusted < 0.05


def clear(result: ShiftResult) -> str:
    """Name the gaps that hold."""
    gaps = (f"{gap.a} - {gap.b} {spoken(difference(gap.over_conversations))}" for gap in result.gaps if holds(gap))
    gap_list = "; ".join(gaps) or "none"
    return f"Gaps at m={result.told} that hold over conversations (95 %, Holm over all pairs): {gap_list}."


def _estimate(value: Interval, kind: Kind, published: float | None = None) -> Cell:
    """Write a value with its interval, or why there is none; what the paper printed stands beside it."""
    if value.mean is None and not value.reason:
        value = replace(value, reason="nothing to average")
    sided = "" if published is None else f"({written(published, kind)})"
    return replace(cell(value, kind), beside=sided)
