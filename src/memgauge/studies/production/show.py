"""What health and drift say: their documents."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.results import ReadyData, plain
from memgauge.show import CheckOutcome, CountedCheck, Document, Figure, Note
from memgauge.show.numbers import count, listed, percent, plural
from memgauge.studies.production.charts import control
from memgauge.studies.production.daily import BASELINE
from memgauge.studies.production.drift import DRIFT
from memgauge.studies.production.faults import LAST
from memgauge.studies.production.health import HEALTH
from memgauge.studies.production.replaying import PARAPHRASE
from memgauge.studies.production.tables import (
    alarm_table,
    arrival_table,
    groups,
    line_table,
    mix_table,
    sensitivity_table,
)
from memgauge.studies.production.totals import NOT_AT_RISK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.production.drift import TrafficDrift
    from memgauge.studies.production.health import FirstWitness, TrafficHealth
    from memgauge.studies.production.replaying import ParaphraseSensitivity


def health_document(health: TrafficHealth) -> Document:
    """Say what traffic says without gold."""
    return Document(
        title="Health of a memory in production",
        beside=_whose(health),
        lead=_faulty(health),
        facts=tuple(_facts(health)),
        blocks=groups(health.rows),
        notes=(
            *(Note(seen(row.first), row.name) for row in health.faults if row.first),
            *_local(health),
            Note(
                "Whether what came back was right is not known without labels: `memgauge study production label`."
            ),
        ),
        origin="traffic that was recorded",
        data=ReadyData(plain(HEALTH.of(health))),
    )


def _local(health: TrafficHealth) -> Iterator[Note]:
    """Say where names of memories tell nothing."""
    if health.local_stores:
        stores = plural(health.local_stores, "store")
        yield Note(
            f"In {stores} one name was added with another text under several scopes: names belong to a scope "
            "there. What is an old version, or was deleted by its name, cannot be told; what is somebody else's "
            "is told by long texts."
        )


def _whose(health: TrafficHealth) -> str:
    """Count operations, and whose they are; results of before counted sessions and single operations as scopes."""
    operations = plural(health.operations, "operation")
    if health.scopes is None:
        return operations
    scopes = f" of {plural(health.scopes, 'scope')}" if health.scopes or not health.without_scope else ""
    nobodys = f", {count(health.without_scope)} without a known scope" if health.without_scope else ""
    return f"{operations}{scopes}{nobodys}"


def _faulty(health: TrafficHealth) -> str:
    if not health.faults:
        return _early(health) or "Nothing was returned that should never be, as far as this traffic can say."
    weeks = [f"{row.name} (first in week {row.first.week})" for row in health.faults if row.first]
    return f"Something was returned that should never be: {listed(weeks)}."


def _early(health: TrafficHealth) -> str:
    """Say what came back before it counts as a fault, and whether anything could have come later."""
    rows = {row.key: row for row in health.rows}
    early, is_open = [], False
    for key, what in (("deleted", "of memories that had been deleted"), ("stale", "stale")):
        soon, late = rows.get(f"{key} 0"), rows.get(f"{key} {LAST}")
        if soon and soon.cases and late:
            early.append(f"{count(soon.cases)} of {count(soon.value.n)} hits were {what}")
            is_open |= late.value.reason == NOT_AT_RISK
    if not early:
        return ""
    later = "; this traffic cannot say what comes later" if is_open else ", and none later"
    return f"{listed(early)}, all within {LAST}{later}."


def _facts(health: TrafficHealth) -> Iterator[str]:
    traced = f"recorder: {health.recorder}, sampling: {health.sampling}, {_time(health.weeks)}"
    yield f"Every number is about traced, sampled traffic ({traced})."
    by = ", else by session, trace or operation" if health.without_scope else ""
    yield f"Intervals are 95 %, clustered by scope{by}. What cannot be known is undefined, with the reason."
    if health.left_out:
        yield "Left out: " + "; ".join(f"{reason}: {count(n)}" for reason, n in sorted(health.left_out.items()))


def _time(weeks: float) -> str:
    """Spell how long was recorded in the largest unit of which it is one at least."""
    units = ((1.0, "weeks"), (7.0, "days"), (7.0 * 24, "hours"), (7.0 * 24 * 60, "minutes"))
    return next((f"{weeks * size:.1f} {unit}" for size, unit in units if weeks * size >= 1), "less than a minute")


def seen(first: FirstWitness) -> str:
    """Name an operation as it can be looked up."""
    trace, span = first.trace or "unknown", first.span or "unknown"
    return f"first seen in week {first.week}, row {first.row}, trace {trace}, span {span}"


def drift_document(drift: TrafficDrift) -> Document:
    """Say what changed over the weeks."""
    lines = [line for line in drift.lines if line.chart.left is not None]
    figures = (
        Figure(f"chart-{line.chart.key}", line.chart.name, _CAPTION, partial(control, line.chart))
        for line in lines
    )
    blocks = (
        alarm_table(drift.alarms) if drift.alarms else None,
        line_table(drift.lines, drift.weeks),
        mix_table(drift.mixes),
        arrival_table(drift.came) if drift.came else None,
        *figures,
    )
    names = [f"{alarm.name} (week {alarm.week})" for alarm in drift.alarms]
    usual = (
        f"The first {BASELINE} weeks say what is usual, by day of the week; an EWMA chart watches every day after "
        f"them. Of services that never change, {percent(drift.stated)} at most get an alarm of a chart in 8 weeks."
    )
    return Document(
        title="Drift in production",
        beside=plural(drift.weeks, "whole week"),
        lead=" ".join(filter(None, (f"Alarms: {listed(names)}." if names else _no_alarm(drift), _moved(drift)))),
        facts=(
            "Every number is about traced, sampled traffic.",
            usual,
            *([f"Services: {listed(list(drift.services))}."] if drift.services else []),
        ),
        blocks=tuple(block for block in blocks if block is not None),
        notes=tuple(Note(seen(alarm.first), alarm.name) for alarm in drift.alarms),
        noted="First witnesses",
        origin="traffic that was recorded",
        data=ReadyData(plain(DRIFT.of(drift))),
        checks=tuple(_checks(drift)),
    )


def _no_alarm(drift: TrafficDrift) -> str:
    """Say of how much nothing is heard because nothing happened, and of how much because nobody could look."""
    followed = sum(line.chart.chart is not None for line in drift.lines)
    if followed == len(drift.lines):
        return "No alarm."
    if not followed:
        reasons = dict.fromkeys(line.chart.reason for line in drift.lines)
        return f"No measure could be followed from day to day, so no alarm says nothing: {'; '.join(reasons)}."
    return f"No alarm in {followed} of {len(drift.lines)} measures; the others could not be followed."


def _moved(drift: TrafficDrift) -> str:
    """Name what changed and could not be followed."""
    moved = [f"{line.chart.name} ({line.change.mean:+.3g})" for line in drift.moved_unseen if line.change.mean]
    return f"Changed in the last week, and not followed from day to day: {listed(moved)}." if moved else ""


def _checks(drift: TrafficDrift) -> Iterator[CountedCheck]:
    """Count every measure, and every alarm of what should never be."""
    suite, weeks = "drift", {alarm.name: alarm.week for alarm in drift.alarms}
    for line in drift.lines:
        name, week = line.chart.name, weeks.pop(line.chart.name, None)
        if week is not None:
            yield CountedCheck(suite, "measures", name, CheckOutcome.FAIL, f"alarm in week {week}", "alarm")
        elif line.chart.chart is None:
            yield CountedCheck(suite, "measures", name, CheckOutcome.SKIP, line.chart.reason)
        else:
            yield CountedCheck(suite, "measures", name)
    for name, week in weeks.items():
        yield CountedCheck(suite, "faults", name, CheckOutcome.FAIL, f"alarm in week {week}", "alarm")


def paraphrase_document(sensitivity: ParaphraseSensitivity) -> Document:
    """Say how a system takes the same questions in other words."""
    measured_rules = [rule for rule in sensitivity.rules if rule.overlap.mean is not None]
    worst = min(measured_rules, key=lambda rule: rule.overlap.mean or 0.0, default=None)
    lead = (
        f"Nothing can be said: {listed(list(dict.fromkeys(rule.overlap.reason for rule in sensitivity.rules)))}."
        if worst is None
        else f"Asked in other words ({worst.rule}), {percent(worst.overlap.mean or 0.0)} of the list stays."
    )
    return Document(
        title="Sensitivity to paraphrase",
        beside=f"{plural(sensitivity.questions, 'question')} of {plural(sensitivity.scopes, 'scope')}",
        lead=lead,
        facts=(
            f"Replayed on {sensitivity.system}: everything is written again, and asked in both wordings.",
            "Both are asked of the same state, in which what was changed or deleted later is still there.",
            "Intervals are 95 %, clustered by scope.",
            *([f"Without a text: {count(sensitivity.without_text)}."] if sensitivity.without_text else []),
            *([f"Pairs with a search that failed: {count(sensitivity.failed)}."] if sensitivity.failed else []),
        ),
        blocks=(sensitivity_table(sensitivity.rules, sensitivity.k),),
        notes=(Note("Another list is not a worse one: what is right is not known without labels."),),
        origin=f"{sensitivity.source}, replayed",
        data=ReadyData(plain(PARAPHRASE.of(sensitivity))),
    )


_CAPTION = "The faded average of every day, and the limits that it should stay within."
