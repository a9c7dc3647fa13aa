"""`memgauge results comply`: the same benchmark with one thing changed, test by test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.console import aside, progress, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION, SEED, SHARE
from memgauge.frame.options import RUNS, DatasetRef, Repeatable, ScoreOptions, SystemRef
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.placing import HERE, Placing
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.play.plan import Plan
    from memgauge.runs.record.manifest import Limits
    from memgauge.scoring.compliance import ComplianceTest

_SCORED = ScoreOptions()


def comply(
    *,
    system: SystemRef,
    dataset: DatasetRef,
    test: Annotated[tuple[str, ...], Repeatable] = (),
    runs: Path = RUNS,
    seed: Annotated[int, SEED] = 0,
    margin: Annotated[float, SHARE] = 0.05,
    churn: Annotated[float, SHARE] = 0.05,
    conversations: Annotated[int | None, COUNT] = None,
    timeout: Annotated[float, DURATION] = 60.0,
    options: ScoreOptions = _SCORED,
    placing: Placing = HERE,
    output: Output = SHOWN,
) -> int:
    """Play a benchmark again with one thing changed, and say whether that changed what it may.

    Names, ids, clock and order of questions may be others without a difference; what was withheld, deleted or
    never said may not be found. Runs that are there are not repeated. Exits with 1 where a test differs.

    Example: memgauge results comply -d synthetic:tiny -s bm25 --test renamed-ids --test search-before-write

    Parameters
    ----------
    test
        Test by name; repeat for several; all when none is named.
    runs
        Folder that the runs are made in.
    seed
        Of what is drawn: new names, new ids, another order.
    margin
        How far means may differ that must be equal.
    churn
        The share of memories that may be others when a search is repeated.
    conversations
        Only the first so many conversations.
    timeout
        Seconds that one call may take.
    """
    from memgauge.report.compliance import document
    from memgauge.runs.play.execute import execute
    from memgauge.runs.record.manifest import limits
    from memgauge.runs.record.store import load
    from memgauge.scoring.compliance import Complied, Tolerance, named_tests
    from memgauge.scoring.complied import compliance

    tests, tolerance = named_tests(test), Tolerance(margin, churn).required()
    output.folder(runs)  # a wrong ending is better known now
    within = limits(k=options.k, timeout_s=timeout)
    planned, unplayable = CompliancePlanner(system, dataset, seed, within, conversations).planned(tests)
    folders: list[Path] = []
    with progress(quiet=output.as_data) as on_progress:
        for part in planned:
            folders += execute(part, runs, executor=placing.open(), on_progress=on_progress)
    with working("comparing"):
        made = compliance([*map(load, folders)], tests, options.settings(), tolerance, seed, unplayable)
    if failing := _failing(system, folders):
        aside(failing)
    code = FAILED if failing or made.ended(Complied.NO) else OK
    return present(document(made), output, name="compliance", code=code)


def _failing(system: str, folders: Sequence[Path]) -> str:
    """Say of what calls failed that it shows nothing: two failures are equal. Empty where all succeeded."""
    from memgauge.cli.endings import RunEnding

    endings = [RunEnding.read(folder) for folder in folders]
    calls = [part for each in endings for part in (each.searches, each.writes) if part.failed]
    if not calls:
        return ""
    reason, total = next(iter(calls[0].reasons)), sum(part.failed for part in calls)
    return (
        f"{total:,} calls of {system} failed, most often: {reason}. Where both sides fail they are equal, which "
        f"shows nothing. Mend that first: memgauge systems check {typed(system)}"
    )


@dataclass(frozen=True)
class CompliancePlanner:
    """What is played to comply: a system on the data as they are and with one thing changed, within limits."""

    system: str
    dataset: str
    seed: int
    limits: Limits
    conversations: int | None

    def planned(self, tests: Sequence[ComplianceTest]) -> tuple[list[Plan], dict[str, str]]:
        """Plan what can be played, and say by test why its changed dataset cannot.

        Raises:
            UserError: The system or the dataset itself cannot be played.
        """
        from memgauge.errors import ConfigError, DataError
        from memgauge.runs.play.plan import plan

        try:
            return self._plans(tests), {}
        except (ConfigError, DataError):
            # What is wrong with these two is so in every test.
            plan([self.dataset], [self.system], limits=self.limits, conversations=1)
            reasons = self._unplayable(tests)
            if not reasons:
                raise
        return self._plans([test for test in tests if test.name not in reasons]), reasons

    def _unplayable(self, tests: Sequence[ComplianceTest]) -> dict[str, str]:
        from memgauge.datasets.catalogue import open_dataset
        from memgauge.errors import ConfigError, DataError
        from memgauge.runs.play.counting import sizes_of

        reasons: dict[str, str] = {}
        for test in tests:
            if test.change:
                try:
                    sizes_of(open_dataset(test.dataset_ref(self._source, self.seed)), self.conversations)
                except (ConfigError, DataError) as error:
                    reasons[test.name] = error.what
        return reasons

    def _plans(self, tests: Sequence[ComplianceTest]) -> list[Plan]:
        """Plan the original with all changed datasets, it first, and what is streamed otherwise."""
        from memgauge.runs.play.plan import plan
        from memgauge.streams import CLEAN, open_stream

        changes = dict.fromkeys(test.dataset_ref(self._source, self.seed) for test in tests if test.change)
        streams = [*map(open_stream, dict.fromkeys(test.stream_ref(self.seed) for test in tests if test.stream))]
        parts = [([self._source, *changes], [CLEAN]), *([([self._source], streams)] if streams else [])]
        return [
            plan(
                datasets,
                [self.system],
                limits=self.limits,
                streams=streamed,
                conversations=self.conversations,
                probes=0,
            )
            for datasets, streamed in parts
        ]

    @cached_property
    def _source(self) -> str:
        from memgauge.datasets.catalogue import open_dataset

        return open_dataset(self.dataset).identity.ref
