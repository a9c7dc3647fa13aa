"""What attacks on a memory say: how often they work, never without what a benign twin keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.results import plain
from memgauge.show import Cell, CheckOutcome, Column, CountedCheck, Document, Kind, Note, Table
from memgauge.show.numbers import percent, plural
from memgauge.show.safety import visible
from memgauge.studies.golden.attacks.measure import rule_of_three
from memgauge.version import __version__

if TYPE_CHECKING:
    from memgauge.stats.intervals import Interval
    from memgauge.studies.golden.attacks.measure import AttackOutcome, AttackRates, AttackReport

_BAD = frozenset({Verdict.FAIL, Verdict.VACUOUS, Verdict.ERROR})


def document(report: AttackReport, system: str) -> Document:
    """Say how often attacks worked, family by family, and how each of those ended that did not fail to."""
    ends = tuple(
        Note(visible(f"{outcome.verdict}; {outcome.detail}"), visible(f"{outcome.family} {outcome.variant}"))
        for outcome in worked(report)
    )
    return Document(
        title=f"Attacks on {visible(system)}",
        lead=_verdict(report.total),
        blocks=(_table(report),),
        notes=ends,
        noted="Attacks that worked or could not be measured",
        origin="attacks on fresh memories",
        identity={"memory": visible(system), "seed": str(report.seed), "memgauge": __version__},
        data={**plain(report), "families": plain(report.families), "total": plain(report.total)},
        checks=tuple(map(_check, report.outcomes)),
    )


def worked(report: AttackReport) -> list[AttackOutcome]:
    """List attacks that worked, whose control failed, or that ended in an error."""
    return [outcome for outcome in report.outcomes if outcome.verdict in _BAD]


def _check(outcome: AttackOutcome) -> CountedCheck:
    """Count one attack; where nothing could be measured, that is an error."""
    ended = CheckOutcome.ERROR if outcome.verdict is Verdict.VACUOUS else CheckOutcome.of(outcome.verdict)
    message = "" if ended is CheckOutcome.PASS else outcome.detail or str(outcome.verdict)
    kind = ",".join(outcome.anomalies) or str(outcome.verdict)
    return CountedCheck("attacks", outcome.family, outcome.variant, ended, message, kind)


def _verdict(total: AttackRates) -> str:
    if total.success.mean is None:
        return "No attack could be measured."
    twins = "" if total.utility.mean is None else f"; the benign twin is kept in {percent(total.utility.mean)}"
    return f"{percent(total.success.mean)} of {plural(total.n, 'attack')} work{twins}."


def _table(report: AttackReport) -> Table:
    return Table.of(
        "attacks",
        "Attacks by family",
        (
            Column("", Kind.TEXT),
            Column("attack", Kind.PROSE),
            Column("n", Kind.COUNT),
            Column("3/n", Kind.NUMBER, means="what a rate of none still allows"),
            *(Column(head, Kind.NUMBER) for head in ("injected", "successful", "twin kept")),
            Column("not measured", Kind.PROSE),
        ),
        [_row(name, rates) for name, rates in (*report.families.items(), ("all", report.total))],
        "3/n is what a rate of none still allows. A memory that keeps nothing resists everything: look at what it "
        "keeps of the benign twin.",
    )


def _row(name: str, rates: AttackRates) -> tuple[Cell | str | int, ...]:
    missing = {"unsupported": rates.unsupported, "vacuous": rates.vacuous, "errors": rates.errors}
    words = [f"{count} {what}" for what, count in missing.items() if count]
    if rates.unlike:
        words.append(f"{rates.unlike} unlike plain")
    shown = (_rate(rates.injection), _rate(rates.success), _rate(rates.utility))
    bounds = [bound for bound in (rule_of_three(rates.injection), rates.bound) if bound is not None]
    allowed = Cell(f"{bounds[0]:.2f}", value=bounds[0]) if bounds else Cell("")
    return name, "" if name == "all" else rates.title, rates.n, allowed, *shown, ", ".join(words)


def _rate(rate: Interval) -> Cell:
    if rate.mean is None or rate.low is None or rate.high is None:
        return Cell("-")
    return Cell(f"{rate.mean:.2f}", f"[{rate.low:.2f}, {rate.high:.2f}]", rate.mean, rate.low, rate.high)
