"""The history: what every run said of every case at every layer, as JSON lines that can live in git.

A file is only appended to. A line is a row of a run, or somebody's decision to accept a run as the baseline; a
baseline never moves by itself, so that slow drift cannot be absorbed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.records import Verdict
from memgauge.text.jsons import json_of, object_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

_FIRST = ({"run", "case", "verdict", "layer"}, {"accepted", "by", "reason"})
"""Some of what a line of either kind has."""
WHOLE = "*"
"""The layer of a scenario that was not looked at: unsupported, or never opened."""


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


@dataclass(frozen=True, slots=True)
class AcceptedBaseline:
    """Somebody's decision that a run is the baseline from now on."""

    accepted: str
    """The run."""
    by: str
    reason: str
    at: str


@dataclass(frozen=True)
class HistoryRun:
    """All rows of one run."""

    rows: tuple[CaseRecord, ...]

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

    def cases(self, family: str = "") -> dict[str, bool | None]:
        """Return whether each case passed at all its layers; ``None`` where that could not be judged."""
        verdicts: dict[str, set[str]] = {}
        for row in self.rows:
            if not family or row.family == family:
                verdicts.setdefault(row.case, set()).add(row.verdict)
        return {case: _passed(found) for case, found in verdicts.items()}

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
        return next((named[one.accepted] for one in reversed(self.accepted) if one.accepted in named), None)

    def families(self) -> tuple[str, ...]:
        """Name every family of the last run."""
        return tuple(sorted({row.family for row in self.runs[-1].rows})) if self.runs else ()


def rows_of(report: GoldenReport, at: str, build: str = "") -> list[CaseRecord]:
    """Return what a history keeps of a run; *at* is when it was, in the caller's words."""
    tested = report.system
    digests = {one.id: (f"{one.id} {one.version}", one.sha256) for one in report.suites}
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
            *digests[one.suite],
            one.result.scenario,
            one.content,
            one.result.family,
            one.result.gate,
            layer,
            *_seen(one, layer),
        )
        for one in report.played
        for layer in one.layers or (WHOLE,)
    ]


def append(path: Path, lines: Iterable[CaseRecord | AcceptedBaseline]) -> None:
    """Append to a history; the file is made where there is none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(asdict(line), ensure_ascii=False) + "\n" for line in lines)


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
    written = [
        _line(line, f"{path}:{number}")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if line.strip()
    ]
    rows = [line for line in written if isinstance(line, CaseRecord)]
    systems = sorted({row.system for row in rows})
    if not system and len(systems) > 1:
        raise ConfigError(f"{path} is of {len(systems)} memories.", f"Name one: --system {systems[0]}.")
    if system and system not in systems:
        raise ConfigError(f"{path} knows no memory {system!r}.", f"It knows {', '.join(systems) or 'none'}.")
    grouped: dict[str, list[CaseRecord]] = {}
    for row in rows:
        if not system or row.system == system:
            grouped.setdefault(row.run, []).append(row)
    decisions = tuple(line for line in written if isinstance(line, AcceptedBaseline) and line.accepted in grouped)
    return History(tuple(HistoryRun(tuple(found)) for found in grouped.values()), decisions)


def is_history(path: Path) -> bool:
    """Whether the first line of a file is one of such a history."""
    if path.suffix != ".jsonl" or not path.is_file():
        return False
    with path.open("rb") as file:
        line = object_of(file.readline(1_000_000))
    return line is not None and any(keys <= line.keys() for keys in _FIRST)


def accept(history: History, run: str, by: str, reason: str, at: str) -> AcceptedBaseline:
    """Make a run the baseline; the last one where none is named.

    Raises:
        ConfigError: There is no such run, or nobody answers for it.
    """
    known = [one.id for one in history.runs]
    if not known or (run and run not in known):
        raise ConfigError(f"There is no run {run!r}.", f"There are {', '.join(known[-5:]) or 'none'}.")
    if not by.strip() or len(reason.strip()) < 3:
        raise ConfigError("A baseline needs a name and a reason.", "Say --by NAME --reason 'why it is right'.")
    return AcceptedBaseline(run or known[-1], by.strip(), reason.strip(), at)


def segments(runs: Sequence[HistoryRun]) -> Iterator[tuple[HistoryRun, ...]]:
    """Yield stretches of runs under the same versions of the same suites."""
    stretch: list[HistoryRun] = []
    for run in runs:
        if stretch and run.suites != stretch[-1].suites:
            yield tuple(stretch)
            stretch = []
        stretch.append(run)
    if stretch:
        yield tuple(stretch)


def _line(line: str, where: str) -> CaseRecord | AcceptedBaseline:
    kinds: tuple[type[CaseRecord | AcceptedBaseline], ...] = (CaseRecord, AcceptedBaseline)
    try:
        data: Any = json_of(line)
    except ValueError:
        data = None
    for kind in kinds:
        names = {field.name for field in fields(kind)}
        if (
            isinstance(data, dict)
            and set(data) == names
            and all(isinstance(value, str) for value in data.values())
        ):
            return kind(**data)
    raise MalformedDataError(
        f"{where}: this is no line of a golden history.", "Restore the file; it is only appended to."
    )


def _seen(one: PlayedScenario, layer: str) -> tuple[str, str]:
    """Return the verdict at one layer, and the anomaly that was seen there."""
    here = [finding.anomaly for finding in one.result.findings if finding.layer == layer]
    if one.result.verdict != Verdict.FAIL:
        return one.result.verdict, str(here[0]) if here else ""
    return (str(Verdict.FAIL), str(here[0])) if here else (str(Verdict.PASS), "")


def _passed(verdicts: set[str]) -> bool | None:
    if verdicts <= {str(Verdict.UNSUPPORTED)}:
        return None
    return verdicts == {str(Verdict.PASS)}
