"""The verdict of one compliance test, from two frozen runs and the gold of what each was played on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.changed.repeated import AGAIN
from memgauge.errors import ConfigError, IdentityError
from memgauge.measures import Rows
from memgauge.registry import Ref
from memgauge.runs.play.probing import shared
from memgauge.scoring.align import align
from memgauge.scoring.compare import differences, differences_of
from memgauge.scoring.compliance import Compliance, ComplianceVerdict, Complied, Expected
from memgauge.scoring.conclusions import Conclusion
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import DatasetSampling, fitted
from memgauge.scoring.withheld import withheld_from
from memgauge.stats import estimates
from memgauge.streams import open_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.measures import Measure
    from memgauge.records import Case, Gold
    from memgauge.runs.record.store import Run
    from memgauge.scoring.compare import Difference
    from memgauge.scoring.compliance import ComplianceTest, Tolerance
    from memgauge.scoring.score import Settings
    from memgauge.scoring.withheld import Withheld

_FAILED: Final = frozenset({"error", "timeout"})
_UNDECIDED: Final = "too few conversations to tell"


@dataclass(frozen=True, eq=False)
class PlayedSide:
    """A run, and the gold of the dataset that it was played on."""

    run: Run
    gold: GoldTable

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each question of the run stands among its counting rows."""
        return {name: row for row, name in enumerate(self.run.questions["question"].tolist())}

    def outcome(self, question: str) -> str:
        """Say how a question ended; empty where it was not asked."""
        row = self.place.get(question)
        return "" if row is None else str(self.run.questions["outcome"][row])

    @cached_property
    def failures(self) -> list[str]:
        """Say why each search failed that did."""
        ended = zip(self.run.questions["outcome"].tolist(), self.run.questions["reason"].tolist(), strict=True)
        return [str(reason) for outcome, reason in ended if outcome in _FAILED]

    def cases(self) -> Iterator[tuple[Case, Sequence[Gold]]]:
        """Yield the conversations of the dataset with their gold."""
        dataset = self.gold.conversations.dataset
        start = 0
        for case in dataset.cases() if dataset is not None else ():
            yield case, self.gold.golds[start : start + len(case.questions)]
            start += len(case.questions)


def compliance(
    runs: Sequence[Run], tests: Sequence[ComplianceTest], settings: Settings, tolerance: Tolerance, seed: int
) -> Compliance:
    """Say how the system of *runs* did in *tests*; the first run is the original, the others are its changes.

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
    verdicts = [complied(test, original, side(_run_of(test, runs)), settings, tolerance) for test in tests]
    manifest = runs[0].manifest
    return Compliance(
        runs[0].label, manifest.dataset.ref, manifest.dataset.sha256, str(settings.parsed[0]),
        str(settings.contract),
        tolerance.margin, tolerance.churn, seed, tuple(verdicts),
    )  # fmt: skip


def _run_of(test: ComplianceTest, runs: Sequence[Run]) -> Run:
    """Find the run that a test is about."""
    for run in runs:
        stream, change = run.manifest.stream.protocol, run.manifest.dataset.options.get("change", "")
        if (stream, change) == (test.stream or "clean", test.change):
            return run
    raise ConfigError(f"There is no run for {test.name}.", "Play it with `memgauge results comply`.")


def complied(
    test: ComplianceTest, original: PlayedSide, changed: PlayedSide, settings: Settings, tolerance: Tolerance
) -> ComplianceVerdict:
    """Say whether a change did what it must.

    Raises:
        IdentityError: The runs differ in more than the change.
        ConfigError: The runs share no question.
    """
    _require_pair(test, original.run, changed.run)
    failed, asked = changed.failures, len(changed.place)
    if failed and len(failed) / asked > len(original.failures) / len(original.place) + tolerance.margin:
        reason = f"{len(failed)} of {asked} searches failed: {failed[0]}"
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, n=asked, reason=reason)
    match test.expected:
        case Expected.EQUAL:
            return _equal(test, original, changed, settings, tolerance.margin)
        case Expected.NOTHING:
            return _nothing(test, original, changed, settings.depth, tolerance.margin)
        case Expected.STEADY:
            return _steady(test, original, changed, settings.depth, tolerance.churn)


def _require_pair(test: ComplianceTest, original: Run, changed: Run) -> None:
    """Make sure that two runs differ in the change and in nothing else."""
    a, b = original.manifest, changed.manifest
    if test.change:
        made_of = b.dataset.options.get("of") == a.dataset.ref and b.dataset.options.get("change") == test.change
        other = [part for part in differences(a, b, "stream") if part != "dataset"]
        alike = made_of and not other and a.stream == b.stream
    else:
        alike = not differences(a, b, "stream") and b.stream.protocol == test.stream
    if not alike:
        raise IdentityError(
            f"{b.id} is not {a.id} with {test.name} alone.", "Play both with `memgauge results comply`."
        )


def _equal(
    test: ComplianceTest, original: PlayedSide, changed: PlayedSide, settings: Settings, margin: float
) -> ComplianceVerdict:
    measure = settings.parsed[0]
    before, after = (_rows(side, settings, measure) for side in (original, changed))
    pairs = _paired(original.gold, changed.gold)
    after = Rows(after.values[pairs], after.defined[pairs], after.why)
    made, _ = differences_of([(str(measure), before, after)], DatasetSampling.of(original.gold), margin=margin)
    if not made:
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason="no question has a value in both")
    verdict, reason = _concluded(made[0], margin)
    moved = np.where(before.defined & after.defined, np.abs(after.values - before.values), 0.0)
    far = int(moved.argmax())
    return ComplianceVerdict(
        test.name,
        test.expected,
        verdict,
        made[0].a,
        made[0].b,
        made[0].low,
        made[0].high,
        made[0].n,
        made[0].clusters,
        reason,
        original.gold.questions[far].id if moved[far] > margin else "",
    )


def _rows(side: PlayedSide, settings: Settings, measure: Measure) -> Rows:
    return align(side.run, side.gold, settings.contract, settings.depth).rows(measure)


def _paired(original: GoldTable, changed: GoldTable) -> NDArray[np.intp]:
    """Return where each question stands after the change: by its id, or by its place where ids are others."""
    if all(question.id in changed.number for question in original.questions):
        return np.array([changed.number[question.id] for question in original.questions], dtype=np.intp)
    if len(original.questions) != len(changed.questions):
        raise ConfigError("The changed dataset has other questions.", "Play the original again.")
    return np.arange(len(original.questions))


def _concluded(difference: Difference, margin: float) -> tuple[Complied, str]:
    if difference.wins + difference.losses == 0:
        return Complied.YES, "the same on every question"
    if difference.verdict in {Conclusion.EQUAL, Conclusion.SAME}:
        return Complied.YES, ""
    shown = difference.verdict.confirmed or difference.verdict.suspected
    if shown and abs(difference.difference) > margin:
        return Complied.NO, ""
    return Complied.OPEN, difference.reason or _UNDECIDED


def _nothing(
    test: ComplianceTest, original: PlayedSide, changed: PlayedSide, depth: int, margin: float
) -> ComplianceVerdict:
    """Count the questions whose hits show what was withheld, before the change and after it."""
    before, after, partial = dict[str, bool](), dict[str, bool](), False
    for case, golds, stream in _streams(original, changed):
        secrets = withheld_from(case, golds, stream)
        total = {turn.id for turn in case.conversation.turns()}
        known = any(each.turns < total for each in secrets.values())
        partial |= known
        wanted = {name: each for name, each in secrets.items() if each.countable and changed.outcome(name)}
        after |= _shown(changed, wanted, depth)
        before |= _shown(original, wanted, depth) if known else {n: original.outcome(n) == "ok" for n in wanted}
    after = {name: shown for name, shown in after.items() if changed.outcome(name) not in _FAILED}
    if not after:
        reason = "nothing that was withheld could be told from the rest"
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason=reason)
    mean = sum(before[name] for name in after) / len(after)
    low, high, units = _share(original.gold, {name: float(shown) for name, shown in after.items()})
    share = sum(after.values()) / len(after)
    verdict, reason = Complied.NO if share > (margin if partial else 0.0) else Complied.YES, ""
    if partial and not mean:
        verdict, reason = Complied.OPEN, "nothing of it was found before it was withheld"
    example = next((name for name, shown in after.items() if shown), "")
    return ComplianceVerdict(
        test.name, test.expected, verdict, mean, share, low, high, len(after), units, reason, example
    )


def _streams(original: PlayedSide, changed: PlayedSide) -> Iterator[tuple[Case, Sequence[Gold], Any]]:
    """Yield each conversation as it was, with its gold, and the stream that was played in its place."""
    stream = changed.run.manifest.stream
    protocol = open_stream(str(Ref(stream.protocol, params=stream.parameters)))
    played = iter(changed.cases())
    now = next(played, None)
    for case, golds in original.cases():
        if now is None or now[0].conversation.id != case.conversation.id:
            continue  # nothing was left of it
        yield case, golds, protocol.order(now[0])
        now = next(played, None)


def _shown(side: PlayedSide, secrets: Mapping[str, Withheld], depth: int) -> dict[str, bool]:
    """Say of each question whether its hits show what it may not."""
    searched = [name for name in secrets if side.outcome(name) == "ok"]
    hits = side.run.hits_of(searched, depth) if searched else {}
    return {name: bool(hits.get(name)) and secret.shown(hits[name]) for name, secret in secrets.items()}


def _share(gold: GoldTable, values: Mapping[str, float]) -> tuple[float | None, float | None, int]:
    """Return the interval of a mean over conversations, and their number."""
    column, defined = np.zeros((len(gold.questions), 1)), np.zeros((len(gold.questions), 1), dtype=np.bool_)
    for name, value in values.items():
        column[gold.number[name]], defined[gold.number[name]] = value, True
    estimate = estimates(column, DatasetSampling.of(gold).clusters, defined, shares=True)[0]
    return estimate.low, estimate.high, estimate.units


def _steady(
    test: ComplianceTest, original: PlayedSide, changed: PlayedSide, depth: int, churn: float
) -> ComplianceVerdict:
    """Measure how much of what a search returns is something else when it is repeated."""
    lost: dict[str, float] = {}
    twice = bool(test.change)
    for case, _ in original.cases():
        names = [question.id for question in case.questions]
        first = _hits((changed if twice else original), names, depth)
        second = _hits(changed, [f"{name}{AGAIN}" if twice else name for name in names], depth)
        for name, before, after in zip(names, first, second, strict=True):
            if before is not None and after is not None:
                lost[name] = 1.0 - shared(before, after)
    if not lost:
        return ComplianceVerdict(test.name, test.expected, Complied.OPEN, reason="no search was repeated")
    low, high, units = _share(original.gold, lost)
    mean = sum(lost.values()) / len(lost)
    verdict, reason = Complied.OPEN, _UNDECIDED
    if not mean or (high is not None and high <= churn):
        verdict, reason = Complied.YES, "" if mean else "the same for every question"
    elif mean > churn and low is not None and low > churn:
        verdict, reason = Complied.NO, ""
    worst = max(lost, key=lambda name: lost[name])
    return ComplianceVerdict(
        test.name, test.expected, verdict, None, mean, low, high, len(lost), units, reason,
        worst if lost[worst] else "",
    )  # fmt: skip


def _hits(
    side: PlayedSide, questions: Sequence[str], depth: int
) -> list[tuple[tuple[str, float | None], ...] | None]:
    """Return the texts of the hits of each question; ``None`` of one that has no result."""
    searched = [name for name in questions if side.outcome(name) == "ok"]
    hits = side.run.hits_of(searched, depth) if searched else {}
    return [
        tuple((str(hit["text"]), None) for hit in hits.get(name, ())) if _ended(side, name) else None
        for name in questions
    ]


def _ended(side: PlayedSide, question: str) -> bool:
    return side.outcome(question) not in {"", *_FAILED}
