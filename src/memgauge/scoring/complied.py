"""The verdict of each compliance test, from two frozen runs and the gold of what each was played on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, DataError
from memgauge.measures import Rows
from memgauge.scoring.align import align
from memgauge.scoring.compare import differences_of
from memgauge.scoring.compliance import Compliance, ComplianceVerdict, Complied, ExpectedEffect
from memgauge.scoring.complied_hits import comes_again, shows_nothing
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.played_pair import PlayedPair, PlayedSide
from memgauge.scoring.score import DatasetSampling, fitted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.runs.record.store import Run
    from memgauge.scoring.compare import Difference
    from memgauge.scoring.compliance import ComplianceTest, Tolerance
    from memgauge.scoring.score import Settings


def compliance(
    runs: Sequence[Run],
    tests: Sequence[ComplianceTest],
    settings: Settings,
    tolerance: Tolerance,
    seed: int,
    unplayable: Mapping[str, str] | None = None,
) -> Compliance:
    """Say how the system of *runs* did in *tests*; the first run is the original, the others are its changes.

    *unplayable* says by test why its change could not be played.

    Raises:
        IdentityError: A changed run is none of the original.
        ConfigError: A change was not played.
    """
    gold: dict[str, GoldTable] = {}

    def side(run: Run) -> PlayedSide:
        ref = run.manifest.dataset.ref
        if ref not in gold:
            gold[ref] = GoldTable.read(open_dataset(ref, allow_unpinned=not run.manifest.dataset.pinned))
        return PlayedSide(run, gold[ref])

    original = side(runs[0])
    settings = fitted(settings, original.gold)
    verdicts = []
    for test in tests:
        if unplayable and test.name in unplayable:
            verdicts.append(_not_run(test, unplayable[test.name]))
            continue
        pair = PlayedPair(original, side(_run_of(test, runs)))
        try:
            verdicts.append(complied(test, pair, settings, tolerance))
        except (ConfigError, DataError) as error:
            verdicts.append(_not_run(test, error.what))
    manifest = runs[0].manifest
    return Compliance(
        runs[0].label, manifest.dataset.ref, manifest.dataset.sha256, str(settings.parsed[0]),
        str(settings.contract),
        tolerance.margin, tolerance.churn, seed, tuple(verdicts),
    )  # fmt: skip


def _not_run(test: ComplianceTest, reason: str) -> ComplianceVerdict:
    """Leave one test open, whatever becomes of the others."""
    return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason=reason.rstrip("."))


def _run_of(test: ComplianceTest, runs: Sequence[Run]) -> Run:
    """Find the run that a test is about."""
    for run in runs:
        stream, change = run.manifest.stream.protocol, run.manifest.dataset.options.get("change", "")
        if (stream, change) == (test.stream or "clean", test.change):
            return run
    raise ConfigError(f"There is no run for {test.name}.", "Play it with `memgauge results comply`.")


def complied(
    test: ComplianceTest, pair: PlayedPair, settings: Settings, tolerance: Tolerance
) -> ComplianceVerdict:
    """Say whether a change did what it must.

    Raises:
        IdentityError: The runs differ in more than the change.
        ConfigError: The changed dataset has other questions.
    """
    pair.require(test)
    failed, asked = pair.changed.failures, len(pair.changed.outcomes)
    usual = len(pair.original.failures) / len(pair.original.outcomes)
    if failed and len(failed) / asked > usual + tolerance.margin:
        reason = f"{len(failed)} of {asked} searches failed: {failed[0]}"
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, n=asked, reason=reason)
    match test.expected:
        case ExpectedEffect.EQUAL:
            return _equal(test, pair, settings, tolerance.margin)
        case ExpectedEffect.NOTHING:
            return shows_nothing(test, pair, settings.depth, tolerance.margin)
        case ExpectedEffect.STEADY:
            return comes_again(test, pair, settings.depth, tolerance.churn)


def _equal(test: ComplianceTest, pair: PlayedPair, settings: Settings, margin: float) -> ComplianceVerdict:
    measure, gold = settings.parsed[0], pair.original.gold
    before, after = (
        align(side.run, side.gold, settings.contract, settings.depth).rows(measure)
        for side in (pair.original, pair.changed)
    )
    after = Rows(after.values[pair.place], after.defined[pair.place], after.why)
    made, _ = differences_of([(str(measure), before, after)], DatasetSampling.of(gold), margin=margin)
    if not made:
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason="no question has a value in both")
    verdict, reason = _concluded(made[0], margin)
    moved = np.where(before.defined & after.defined, np.abs(after.values - before.values), 0.0)
    example = gold.questions[int(moved.argmax())].id if moved.any() else ""
    return ComplianceVerdict(
        test.name, test.expected, verdict, made[0].a, made[0].b, made[0].low, made[0].high, made[0].n,
        made[0].clusters, reason, example,
    )  # fmt: skip


def _concluded(difference: Difference, margin: float) -> tuple[Complied, str]:
    if difference.wins + difference.losses == 0:
        return Complied.YES, "the same on every question"
    if difference.verdict in {Conclusion.EQUAL, Conclusion.SAME}:
        return Complied.YES, ""
    shown = difference.verdict.confirmed or difference.verdict.suspected
    if shown and abs(difference.difference) > margin:
        return Complied.NO, ""
    return Complied.OPEN, difference.reason or "too few conversations to tell"
