"""What the shift study says in words and figures, the same on a terminal and on a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memgauge.show.numbers import UNDEFINED, listed, plural
from memgauge.stats import Interval
from memgauge.studies.shift.protocol.spec import QuestionPlacement
from memgauge.studies.shift.published import LEXICAL, TABLE_1, TABLE_5

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.stats import Agreement
    from memgauge.studies.shift.findings.answering import AnswerCheck
    from memgauge.studies.shift.findings.result import Gap, PolicyResult, Route, ShiftResult
    from memgauge.studies.shift.protocol.spec import ShiftSpec
    from memgauge.studies.shift.study import ShiftStudy

RIGHT_BEHIND = (
    "Every question is asked right after its evidence, as in the paper: whoever returns the latest turns is right "
    "on the clean stream without reading it (--place session_end takes that away)."
)
_PRINTED = {0: 1, 100: 2}
"""Columns of the published Table 1 by burst length."""


@dataclass(frozen=True)
class Cell:
    """One number as it is shown; an undefined one says why."""

    text: str
    around: str = ""
    """Its interval, in brackets."""
    published: str = ""
    """What the paper printed, in parentheses."""
    why: str = ""

    def line(self) -> str:
        """Write everything on one line."""
        shown = f"{self.text}: {self.why}" if self.why else self.text
        return " ".join(filter(None, (shown, self.around, self.published)))


def score(value: Interval, published: float | None = None) -> Cell:
    """Show a share of hits."""
    return _cell(value, published, "{:.3f}")


def difference(value: Interval) -> Cell:
    """Show a difference with its sign."""
    return replace(_cell(value, None, "{:.3f}"), text=UNDEFINED if value.mean is None else f"{value.mean:+.3f}")


def rank(value: Agreement | Interval, published: float | None = None) -> Cell:
    """Show a measure of agreement."""
    shown = value if isinstance(value, Interval) else Interval(value.value, None, None, value.n, value.reason)
    return _cell(shown, published, "{:.2f}")


def deficit(row: PolicyResult, burst: int) -> Cell:
    """Show how many hits the burst costs, summed over T."""
    return _cell(row.deficits[burst], None, "{:.2f}")


def back(row: PolicyResult, burst: int) -> Cell:
    """Show when the curve is back at its clean level."""
    found = row.back[burst]
    beyond = f"beyond {len(row.curves[burst])}"
    around = "" if found.low == found.high else f"[{found.low or beyond}, {found.high or beyond}]"
    if found.at is None:
        return Cell("not yet", around, why=found.reason)
    return Cell(f"T={found.at}", around)


def chosen(route: Route) -> str:
    """Say how often a router chose each of its arms."""
    return ", ".join(f"{arm} {share:.0%}" for arm, share in route.shares.items())


def notes(study: ShiftStudy) -> tuple[str, ...]:
    """Say what a reader should know before quoting a number."""
    share = study.unmatched / study.evidence if study.evidence else 0.0
    evidence = f"{study.evidence:,} entries of evidence, of which {study.unmatched:,} ({share:.1%}) name no turn"
    failed = (
        f"{row.policy} failed on {row.failed:,} questions, over all burst lengths; they count as no hit."
        for row in study.result.rows
        if row.failed
    )
    short = (
        f"{study.short:,} bursts are shorter than {study.outcomes.spec.bursts[-1]}: no more turns could be drawn."
    )
    said = [f"{evidence}: a question without other evidence is not asked.", *failed]
    if study.outcomes.spec.place is QuestionPlacement.AFTER_EVIDENCE:
        said.append(RIGHT_BEHIND)
    return (*said, short) if study.short else tuple(said)


def answered(check: AnswerCheck) -> str:
    """Say who answered how many questions."""
    return (
        f"{check.answerer} answered {check.questions:,} questions after a shift from what was found; "
        f"{check.unanswerable:,} more have no accepted answer."
    )


def follows(check: AnswerCheck) -> str:
    """Say whether the order of answers is that of hits."""
    return "; ".join(
        f"{after(m)}: {rank(agreement).line()} over {agreement.n} policies"
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
    """Say who leads before and after, and whether the gap between them holds over conversations."""
    burst = result.told
    first = _leaders(result.rows, lambda row: row.overall.mean)
    then = _leaders(result.rows, lambda row: row.recovery[burst].mean)
    if not first or not then:
        return "No policy has a defined score, so nobody leads."
    verb = "leads" if len(first) == 1 else "lead"
    same = "and also" if first == then else f"but {listed(then)} {'leads' if len(then) == 1 else 'lead'}"
    sentence = f"{listed(first)} {verb} overall on the clean stream, {same} {after(burst)}."
    return f"{sentence} {_lead(result, first, then, burst)}".rstrip()


def _leaders(rows: Sequence[PolicyResult], value: Callable[[PolicyResult], float | None]) -> list[str]:
    """Name every policy that has the highest value."""
    values = {row.policy: found for row in rows if (found := value(row)) is not None}
    return [policy for policy, found in values.items() if found == max(values.values())]


def _lead(result: ShiftResult, first: Sequence[str], then: Sequence[str], burst: int) -> str:
    """Compare who leads after the burst with who led before, or else with the next best."""
    others = [row for row in result.rows if row.policy not in then and (row.policy in first or first == then)]
    rival = next(iter(_leaders(others, lambda row: row.recovery[burst].mean)), None)
    gap = next((g for g in result.gaps if {g.a, g.b} == {then[0], rival}), None)
    if gap is None:
        return ""
    lead = gap.over_conversations if gap.a == then[0] else _turned(gap.over_conversations)
    whose = "Its" if len(then) == 1 else "The"
    does, ends = "holds", ""
    if not holds(gap):
        bounded = lead.low is not None
        does = "does not hold"
        reached = bounded and lead.low is not None and lead.high is not None and lead.low <= 0 <= lead.high
        ends = (
            " contains 0"
            if reached
            else " is no clear gap among so many"
            if bounded
            else f" (no interval: {lead.reason})"
            if lead.mean is not None
            else ""
        )
    return f"{whose} lead over {rival} there {does} over conversations: {difference(lead).line()}{ends}."


def _turned(value: Interval) -> Interval:
    def minus(x: float | None) -> float | None:
        return None if x is None else -x

    return replace(value, mean=minus(value.mean), low=minus(value.high), high=minus(value.low))


def holds(gap: Gap) -> bool:
    """Tell whether a gap is told from 0 over conversations, corrected for all gaps that are looked at."""
    return gap.p_adjusted is not None and gap.p_adjusted < 0.05


def _cell(value: Interval, published: float | None, form: str) -> Cell:
    printed = "" if published is None else f"({form.format(published)})"
    if value.mean is None:
        return Cell(UNDEFINED, published=printed, why=value.reason or "nothing to average")
    bounded = value.low is not None and value.high is not None
    around = f"[{form.format(value.low)}, {form.format(value.high)}]" if bounded else ""
    return Cell(form.format(value.mean), around, printed)
