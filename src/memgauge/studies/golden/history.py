"""The history: what every run said of every case at every layer, as JSON lines that can live in git.

A file is only appended to. A line is a row of a run, or somebody's decision to accept a run as the baseline; a
baseline never moves by itself, so that slow drift cannot be absorbed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from memgauge.errors import ConfigError
from memgauge.records import Verdict
from memgauge.results import result
from memgauge.studies.golden.gates import MethodTimes
from memgauge.studies.history import HistoryFormat, RecordKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

WHOLE = "*"
"""The layer of a scenario that was not looked at: unsupported, or never opened."""


@result
@dataclass(frozen=True, slots=True)
class CaseRecord:
    """One case at one layer in one run."""

    run: str
    at: str
    """When, as the caller says."""
    system: str
    """The reference under which the memory is run."""
    fingerprint: str
    """Of the memory as it was then."""
    build: str
    """What its maker calls it: a commit, a model, a prompt."""
    seed: str
    suite: str
    """Id and version."""
    sha256: str
    """Of the suite file."""
    case: str
    content: str
    """Of the case."""
    family: str
    gate: str
    layer: str
    verdict: str
    anomaly: str = ""


@result
@dataclass(frozen=True, slots=True)
class AcceptedBaseline:
    """Somebody's decision that a run is the baseline from now on."""

    accepted: str
    """The run."""
    by: str
    reason: str
    at: str


@result
@dataclass(frozen=True, slots=True)
class RunFacts:
    """What one run says of the memory besides its cases."""

    run: str
    at: str
    system: str
    offers: tuple[str, ...]
    """Optional protocols that it implemented."""
    times: tuple[MethodTimes, ...] = ()
    """How long calls took, where that was measured."""


GoldenRecord: TypeAlias = CaseRecord | RunFacts | AcceptedBaseline
HISTORY: Final = HistoryFormat[GoldenRecord](
    (
        RecordKind("golden case", 1, f"{__name__}:CaseRecord", "memgauge study golden run", "system"),
        RecordKind("golden run facts", 1, f"{__name__}:RunFacts", "memgauge study golden run", "system"),
        RecordKind(
            "golden baseline", 1, f"{__name__}:AcceptedBaseline", "memgauge study golden accept", "accepted"
        ),
    )
)
"""The file that runs and decisions are appended to."""
is_history = HISTORY.recognises


@dataclass(frozen=True)
class HistoryRun:
    """All rows of one run."""

    rows: tuple[CaseRecord, ...]
    facts: RunFacts | None = None
    """``None`` in histories that are older than what it says."""

    @property
    def id(self) -> str:
        """Return its id."""
        return self.rows[0].run

    @property
    def suites(self) -> tuple[str, ...]:
        """Name the suites with their versions."""
        return tuple(sorted({row.suite for row in self.rows}))

    @property
    def fingerprint(self) -> str:
        """Return what tells one state of the memory from another."""
        return f"{self.rows[0].fingerprint} {self.rows[0].build}".strip()

    def verdicts(self, family: str = "") -> dict[str, set[str]]:
        """Return how each case ended at its layers."""
        verdicts: dict[str, set[str]] = {}
        for row in self.rows:
            if not family or row.family == family:
                verdicts.setdefault(row.case, set()).add(row.verdict)
        return verdicts

    def cases(self, family: str = "") -> dict[str, bool | None]:
        """Return whether each case passed at all its layers; ``None`` where that could not be judged."""
        return {case: _passed(layers) for case, layers in self.verdicts(family).items()}

    def rate(self, family: str = "") -> tuple[float | None, int]:
        """Return the share of judged cases that passed, and how many were judged."""
        judged = [passed for passed in self.cases(family).values() if passed is not None]
        return (sum(judged) / len(judged) if judged else None), len(judged)


@dataclass(frozen=True)
class History:
    """What was recorded of one memory, oldest first."""

    runs: tuple[HistoryRun, ...]
    accepted: tuple[AcceptedBaseline, ...] = ()

    @property
    def baseline(self) -> HistoryRun | None:
        """Return the run that was accepted last."""
        named = {run.id: run for run in self.runs}
        return next((named[each.accepted] for each in reversed(self.accepted) if each.accepted in named), None)

    def families(self) -> tuple[str, ...]:
        """Name every family of the last run."""
        return tuple(sorted({row.family for row in self.runs[-1].rows})) if self.runs else ()


def rows_of(report: GoldenReport, at: str, build: str = "") -> list[CaseRecord]:
    """Return what a history keeps of a run; *at* is when it was, in the caller's words."""
    tested = report.system
    digests = {suite.id: (f"{suite.id} {suite.version}", suite.sha256) for suite in report.suites}
    known = json.dumps([at, tested.ref, tested.fingerprint, build, report.seed, sorted(digests.values())])
    run = sha256(known.encode()).hexdigest()[:12]
    return [
        CaseRecord(
            run,
            at,
            tested.ref,
            tested.fingerprint,
            build,
            report.seed,
            *digests[played.suite],
            played.result.scenario,
            played.content,
            played.result.family,
            played.result.gate,
            layer,
            *_seen(played, layer),
        )
        for played in report.played
        for layer in played.layers or (WHOLE,)
    ]


def facts_of(report: GoldenReport, rows: Sequence[CaseRecord]) -> list[RunFacts]:
    """Return what a history keeps of a run besides its *rows*; nothing of a run without cases."""
    times = report.times
    return [RunFacts(row.run, row.at, row.system, report.system.offers, times) for row in rows[:1]]


def histories(path: Path) -> dict[str, History]:
    """Read what a file holds of each memory; decisions go with the runs that they name.

    Raises:
        MalformedDataError: A line is none of ours, at a named place.
    """
    written = HISTORY.read(path)
    runs: dict[str, dict[str, list[CaseRecord]]] = {}
    for row in written:
        if isinstance(row, CaseRecord):
            runs.setdefault(row.system, {}).setdefault(row.run, []).append(row)
    facts = {line.run: line for line in written if isinstance(line, RunFacts)}
    decisions = [line for line in written if isinstance(line, AcceptedBaseline)]
    return {
        system: History(
            tuple(HistoryRun(tuple(rows), facts.get(run)) for run, rows in grouped.items()),
            tuple(decision for decision in decisions if decision.accepted in grouped),
        )
        for system, grouped in sorted(runs.items())
    }


def read_history(path: Path, system: str = "") -> History:
    """Read what a history holds of one memory.

    Raises:
        ConfigError: There is no history, or it is of several memories and none is named.
        MalformedDataError: A line is none of ours, at a named place.
    """
    if not path.is_file():
        raise ConfigError(
            f"There is no history at {path}.", "Begin one: `memgauge study golden run --history FILE`."
        )
    known = histories(path)
    if not system and len(known) > 1:
        raise ConfigError(f"{path} is of {len(known)} memories.", f"Name one: --system {min(known)}.")
    if system and system not in known:
        raise ConfigError(f"{path} knows no memory {system!r}.", f"It knows {', '.join(sorted(known)) or 'none'}.")
    return known[system] if system else next(iter(known.values()), History(()))


def accept(history: History, run: str, by: str, reason: str, at: str) -> AcceptedBaseline:
    """Make a run the baseline; the last one where none is named.

    Raises:
        ConfigError: There is no such run, or nobody answers for it.
    """
    known = [run.id for run in history.runs]
    if not known or (run and run not in known):
        raise ConfigError(f"There is no run {run!r}.", f"There are {', '.join(known[-5:]) or 'none'}.")
    if not by.strip() or len(reason.strip()) < 3:
        raise ConfigError("A baseline needs a name and a reason.", "Say --by NAME --reason 'why it is right'.")
    return AcceptedBaseline(run or known[-1], by.strip(), reason.strip(), at)


def segments(runs: Sequence[HistoryRun]) -> Iterator[tuple[HistoryRun, ...]]:
    """Return stretches of runs under the same versions of the same suites."""
    return (tuple(stretch) for _, stretch in groupby(runs, attrgetter("suites")))


def _seen(played: PlayedScenario, layer: str) -> tuple[str, str]:
    """Return the verdict at played layer, and the anomaly that was seen there."""
    here = [finding.anomaly for finding in played.result.findings if finding.layer == layer]
    if played.result.verdict != Verdict.FAIL:
        return played.result.verdict, str(here[0]) if here else ""
    return (str(Verdict.FAIL), str(here[0])) if here else (str(Verdict.PASS), "")


def _passed(verdicts: set[str]) -> bool | None:
    if verdicts <= {str(Verdict.UNSUPPORTED)}:
        return None
    return verdicts == {str(Verdict.PASS)}
