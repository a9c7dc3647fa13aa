"""A run of the golden suite in sentences; nothing that a memory returned is trusted."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.show.numbers import bound, listed, plural
from memgauge.show.safety import visible
from memgauge.studies.golden.past import ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.golden.drift import Drift
    from memgauge.studies.golden.summary import GoldenReport, Negatives, PlayedScenario

_UNTAUGHT = (
    "The memory has a method teach and was not told what turns mean: only reference memories are, and what "
    "declares itself a ceiling."
)
_NAMED = 20
"""Cases that a line names before it only counts."""


def headline(report: GoldenReport) -> str:
    """Say in a sentence or two how it went."""
    counts = report.counts
    others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in ORDER[1:] if counts[verdict])
    ended = "let through" if report.let_through else "NOT let through"
    if report.verdict.idle:
        ended += f", and not tried at all in {listed(report.verdict.idle)}"
    passed = f"{counts['pass']} of {plural(len(report.played), 'scenario')} pass"
    sentences = [f"{visible(_name(report))}: {ended}.", f"{passed}; {others}." if others else f"{passed}."]
    if report.broken:
        sentences.append(f"{plural(len(report.broken), 'scenario')} could not be read.")
    return " ".join(sentences)


def _name(report: GoldenReport) -> str:
    tested = report.system
    return tested.ref if tested.ref == tested.name else f"{tested.name} ({tested.ref})"


def facts(report: GoldenReport) -> Iterator[str]:
    """Say what was promised and is not kept, worst first, what never happened, and what was not looked at."""
    if report.system.problem:
        yield visible(report.system.problem)
    yield from (f"Gate {each.gate}: {visible(each.why)}." for each in report.missed)
    weakest, also = report.verdict.weakest, report.verdict.also
    if weakest or also:
        beside = f"; also not: {', '.join(also)}" if weakest and also else ""
        yield f"Weakest promise that is broken: {weakest}{beside}." if weakest else f"Broken: {', '.join(also)}."
    yield from map(bounded, report.verdict.negatives)
    yield from _not_tried(report)
    used = report.verdict.protocols
    idle = sorted(set(report.system.offers) - set(used))
    yield (
        f"Optional protocols used: {', '.join(used) or 'none'}"
        + (f"; offered and not used: {', '.join(idle)}." if idle else ".")
    )
    surprises = [played.result.scenario for played in report.played if played.mended]
    if surprises:
        yield f"Known failures that pass now, and can be mended in the suite: {', '.join(surprises)}."


def _not_tried(report: GoldenReport) -> Iterator[str]:
    """Say what nothing is known of, because the memory does not offer it or no scenario asked for it."""
    verdict = report.verdict
    if verdict.idle:
        unheard = [played for played in report.played if played.result.family in verdict.idle]
        need = "needs" if len(unheard) == 1 else "need"
        counted = f"{plural(len(unheard), 'scenario')} {need} what the memory does not offer"
        yield f"Nothing was tried of {listed(verdict.idle)}: {counted}. None of them counts as a pass."
    lacking = ", ".join(verdict.not_offered)
    unused = ", ".join(verdict.not_called)
    if lacking or unused:
        absent = [f"{lacking} (not offered)"] if lacking else []
        idle = [f"{unused} (offered, and never called)"] if unused else []
        yield f"Methods not tried: {'; '.join(absent + idle)}."
    if report.system.untaught:
        yield _UNTAUGHT
    for each in report.times:
        spread = (
            f"median {each.median_ms:.1f} ms, 95 % within {each.p95_ms:.1f} ms, slowest {each.slowest_ms:.1f} ms"
        )
        yield f"{each.method}: {plural(each.n, 'call')}, {spread}."


def bounded(negatives: Negatives) -> str:
    """Say how often something came back that must not, and how often it may where it never did."""
    if not negatives.checks:
        return f"It was never looked whether values {negatives.what}."
    counted = f"{negatives.violated:,} of {plural(negatives.checks, 'value')} {negatives.what}"
    if negatives.bound is None:
        return f"{counted}."
    if negatives.bound >= 1:
        return f"{counted}: too few to say how often that may happen."
    return f"{counted}: at most {bound(negatives.bound)} (3/N, 95 %)."


def suites(report: GoldenReport) -> str:
    """Name the suites with their editions."""
    named = ", ".join(map(str, report.suites)) or "none"
    digest = sha256("".join(suite.sha256 for suite in report.suites).encode()).hexdigest()[:12]
    return f"Suites: {visible(named)} (sha256 {digest}); seed {report.seed}; layers {', '.join(report.layers)}."


def ended(played: PlayedScenario) -> str:
    """Say how a scenario ended: the verdict, its anomalies, and the first layer that broke."""
    kinds = ", ".join(played.result.anomalies)
    at = f" at {played.result.layer}" if played.result.layer else ""
    return f"{played.result.verdict}{f' {kinds}{at}' if kinds else ''}"


def witnesses(played: PlayedScenario) -> list[str]:
    """Return one witness for each anomaly, or what else there is to say."""
    by_anomaly = {finding.anomaly: visible(finding.witness) for finding in reversed(played.result.findings)}
    words = [by_anomaly[kind] for kind in played.result.anomalies]
    plain_detail = played.result.verdict != Verdict.FAIL and played.result.detail
    return [
        *([visible(played.result.detail)] if plain_detail and played.result.detail not in words else []),
        *words,
    ]


def where(played: PlayedScenario) -> str:
    """Name file and line, gate and severity, and where the case comes from."""
    place = f"{Path(played.path).name}:{played.line}"
    return visible(f"{place}, {played.result.gate} gate, severity {played.result.severity}, {played.provenance}")


def unsupported(report: GoldenReport) -> list[tuple[str, list[str]]]:
    """Group what does not apply by what the memory lacks, whichever step it is that needs it."""
    lacking: dict[str, list[str]] = {}
    for played in report.played:
        if played.result.verdict == Verdict.UNSUPPORTED:
            why = re.sub(r"^step \d+ ", "", visible(played.result.detail))
            lacking.setdefault(why, []).append(played.result.scenario)
    return sorted(lacking.items())


def drift_lines(drift: Drift) -> Iterator[str]:
    """Say what changed since the baseline, and what slides."""
    if drift.diff is not None:
        diff = drift.diff
        p = "" if diff.test is None or diff.test.p is None else f", McNemar p = {diff.test.p:.2g}"
        yield (
            f"Beside the baseline {diff.before}, {plural(diff.compared, 'case')}: {len(diff.lost)} lost, "
            f"{len(diff.gained)} gained, {len(diff.failing)} still failing{p}; "
            f"{len(diff.uncompared)} not compared."
        )
        for what, names in (("Lost", diff.lost), ("Gained", diff.gained), ("Still failing", diff.failing)):
            if names:
                shown, more = names[:_NAMED], len(names) - _NAMED
                yield f"{what}: {', '.join(shown)}{f' and {more} more' if more > 0 else ''}."
    elif drift.baseline == drift.last:
        yield f"The last run, {drift.last}, is the baseline."
    yield from (f"ALARM {alarm}" for alarm in drift.alarms)
    yield from (f"Trend: {flag}" for flag in drift.flags)
    yield from drift.notes
