"""`memgauge golden`: run the golden suite, and remember what it said."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.cli.golden_cases import capture, explore, lint
from memgauge.cli.golden_proof import Suites, System, attack, identities, open_suites, selftest
from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData, Flag, Repeatable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.golden.drift import Drift
    from memgauge.studies.golden.history import History
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.summary import GoldenReport

app = App("golden", help="Stateful and adversarial tests of a memory, that are proven able to fail.")
for _command in (selftest, attack, identities, explore, capture, lint):
    app.command(_command)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ResultFiles:
    """Where results go besides the terminal."""

    junit: Path | None = None
    """JUnit XML for a build server."""
    markdown: Path | None = None
    """A comment for a pull request."""
    html: Path | None = None
    """One self-contained page, with timelines of failures and charts over history."""
    history: Path | None = None
    """JSON lines that the run is appended to; keep the file in git."""

    def write(self, report: GoldenReport, history: History | None, drifted: Drift | None) -> None:
        """Write what was asked for."""
        from memgauge.report.golden import golden_markdown
        from memgauge.report.golden_junit import golden_junit
        from memgauge.report.golden_page import render_golden
        from memgauge.runs.files import write_atomically
        from memgauge.version import __version__

        made: list[tuple[Path | None, Callable[[], str]]] = [
            (self.junit, lambda: golden_junit(report)),
            (self.markdown, lambda: golden_markdown(report, drifted)),
            (self.html, lambda: render_golden(report, identity=identity, history=history)),
        ]
        identity = {
            "memory": f"{report.system.name} {report.system.version}, {report.system.ref}",
            "fingerprint": report.system.fingerprint,
            **{str(suite): suite.sha256 for suite in report.suites},
            "seed": report.seed,
            "memgauge": __version__,
        }
        for path, text in made:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(path, text())


_NOWHERE = ResultFiles()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DrivingOptions:
    """How scenarios are played."""

    layers: Annotated[tuple[Literal["store", "recall", "context", "answer"], ...], Repeatable] = ()
    """Only what is seen at this layer; repeat for several; default: all that the memory has."""
    seed: int = 0
    """Of the values that are planted, and of the order in which concurrent lanes go on."""
    timeout: float = 30
    """Seconds that one call may take."""

    def options(self) -> Options:
        """Return how scenarios are played."""
        from memgauge.studies.golden.runner import Options
        from memgauge.studies.golden.scenario import LAYERS

        return Options(str(self.seed), self.timeout, self.layers or LAYERS)


_DRIVING = DrivingOptions()


@app.command
def run(
    *,
    system: System,
    suite: Suites = (),
    family: Annotated[tuple[str, ...], Repeatable] = (),
    driving: DrivingOptions = _DRIVING,
    workers: int = 1,
    shrink: Annotated[bool, Flag] = False,
    build: str = "",
    files: ResultFiles = _NOWHERE,
    json: AsData = False,
) -> int:
    """Play every scenario against a memory; exit with 1 where a hard gate is missed or a scenario cannot be read.

    Parameters
    ----------
    system
        A memory by name with parameters (`bm25:k1=1.2`), `module:factory`, or a TOML file.
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    family
        Only this family; repeat for several.
    workers
        Processes that play side by side; results stay the same.
    shrink
        Look for the smallest program that shows each anomaly, instead of the steps that led to it.
    build
        What a history calls this state of the memory: a commit, a model, a prompt.
    json
        Print everything as data.
    """
    from memgauge.report.golden import drift_lines, golden_json, terminal
    from memgauge.results import plain
    from memgauge.studies.golden.drift import drift
    from memgauge.studies.golden.suite_run import run_suites

    if files.history is not None and (family or driving.layers):
        raise ConfigError("A history is of whole suites.", "Leave --family and --layers out, or --history.")
    loaded = open_suites(suite)
    with _watched() as on_progress:
        report = run_suites(
            loaded,
            system,
            driving.options(),
            families=family,
            workers=workers,
            shrunk=shrink,
            on_progress=on_progress,
        )
    history = None if files.history is None else _remembered(files.history, report, system, build)
    drifted = None if history is None else drift(history)
    files.write(report, history, drifted)
    if json:
        emit({**golden_json(report), "drift": plain(drifted)})
    else:
        for part in (*terminal(report), *(drift_lines(drifted) if drifted else ())):
            say(part)
    return OK if report.let_through else FAILED


def _remembered(path: Path, report: GoldenReport, system: str, build: str) -> History:
    """Append a run to a history, and return what it then holds of the memory."""
    from memgauge.studies.golden.history import append, read_history, rows_of

    append(path, rows_of(report, _now(), build))
    return read_history(path, system)


@app.command(name="list")
def list_(*, suite: Suites = (), family: Annotated[tuple[str, ...], Repeatable] = (), json: AsData = False) -> int:
    """List scenarios: id, gate, severity, where they come from, and what they are about.

    Parameters
    ----------
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    family
        Only this family; repeat for several.
    json
        Print data instead of a table.
    """
    from rich.table import Table
    from rich.text import Text

    from memgauge.show.safety import visible
    from memgauge.studies.golden.contents import content_of

    loaded = open_suites(suite)
    chosen = [
        (one, scenario)
        for one in loaded
        for scenario in one.suite.scenarios
        if not family or scenario.family in family
    ]
    if json:
        shown = {"steps"}
        emit(
            [
                {
                    **scenario.model_dump(mode="json", exclude=shown),
                    "file": str(one.path),
                    "line": one.lines.get(scenario.id, 1),
                    "content": content_of(scenario),
                }
                for one, scenario in chosen
            ]
        )
        return OK
    table = Table("family", "scenario", "gate", "severity", "from", "title", box=None)
    for _, one in chosen:
        origin = f"{one.provenance.kind} {one.provenance.ref}".strip()
        row = (one.family, one.id, one.gate, one.severity, origin, one.title)
        table.add_row(*(Text(visible(cell)) for cell in row))
    say(table)
    broken = [problem for one in loaded for problem in one.broken]
    for problem in broken:
        say(f"not readable: {visible(problem)}")
    say(f"{len(chosen)} scenarios in {len(loaded)} suites")
    return FAILED if broken else OK


@app.command
def accept(
    *,
    history: Path,
    by: str,
    reason: str,
    run: str = "",
    system: Annotated[str, Parameter(name=["--system", "-s"], show_default=False)] = "",
    json: AsData = False,
) -> int:
    """Make a run the baseline that later ones are compared with; a baseline never moves by itself.

    Parameters
    ----------
    history
        File that runs were appended to.
    by
        Who answers for it.
    reason
        Why what this run shows is right from now on.
    run
        The run's id; default: the last one.
    system
        The memory, where the history is of several.
    json
        Print data instead of a line.
    """
    from dataclasses import asdict

    from memgauge.studies.golden.history import accept as accepted
    from memgauge.studies.golden.history import append, read_history

    decision = accepted(read_history(history, system), run, by, reason, _now())
    append(history, [decision])
    if json:
        emit(asdict(decision))
    else:
        say(f"{history}: run {decision.accepted} is the baseline from now on.")
    return OK


@app.command
def drift(
    *,
    history: Path,
    system: Annotated[str, Parameter(name=["--system", "-s"], show_default=False)] = "",
    json: AsData = False,
) -> int:
    """Say what changed since the baseline and what slides; exit with 1 on an alarm.

    Parameters
    ----------
    history
        File that runs were appended to.
    system
        The memory, where the history is of several.
    json
        Print data instead of lines.
    """
    from memgauge.report.golden import drift_lines
    from memgauge.results import plain
    from memgauge.show.safety import visible
    from memgauge.studies.golden.drift import drift as measure
    from memgauge.studies.golden.history import read_history

    found = measure(read_history(history, system))
    if found is None:
        raise ConfigError(f"{history} holds no run.", "Add one: `memgauge golden run --history FILE`.")
    if json:
        emit({**plain(found), "alarms": found.alarms, "flags": found.flags})
    else:
        for line in drift_lines(found):
            say(visible(line))
    return FAILED if found.alarms else OK


@contextmanager
def _watched() -> Iterator[Callable[[int, int, str], None]]:
    with working("playing") as update:
        yield lambda done, total, name: update(f"playing: {done} of {total}, {name}")


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
