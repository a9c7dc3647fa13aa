"""`memgauge study golden`: run the golden suite, and remember what it said."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import DURATION, FACTOR, NUMBER, SEED
from memgauge.frame.options import Flag, Repeatable, SystemRef
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.studies.golden.commands_cases import beliefs, capture, explore, lint, new
from memgauge.studies.golden.commands_proof import Suites, attack, identities, open_suites, selftest
from memgauge.studies.golden.races.commands import races

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.golden.gates import Gates
    from memgauge.studies.golden.history import History, RunFacts
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.summary import GoldenReport

app = App("golden", help="Stateful and adversarial tests of a memory, that are proven able to fail.")
for _command in (selftest, attack, identities, races, explore, capture, beliefs, lint, new):
    app.command(_command)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DrivingOptions:
    """Which scenarios are played, and how."""

    family: Annotated[tuple[str, ...], Repeatable] = ()
    """Only this family; repeat for several."""
    quick: Annotated[bool, Flag] = False
    """Leave out what has more than 100 turns, sweeps and restarts: seconds, for every commit."""
    layers: Annotated[tuple[Literal["store", "recall", "context", "answer"], ...], Repeatable] = ()
    """Only what is seen at this layer; repeat for several; default: all that the memory has."""
    seed: Annotated[int, SEED] = 0
    """Of the values that are planted, and of the order in which concurrent lanes go on."""
    timeout: Annotated[float, DURATION] = 30
    """Seconds that one call may take."""

    @property
    def whole(self) -> bool:
        """Whether whole suites are played."""
        return not (self.family or self.quick or self.layers)

    def options(self) -> Options:
        """Return how scenarios are played."""
        from memgauge.studies.golden.runner import Options
        from memgauge.studies.golden.scenario import LAYERS

        return Options(str(self.seed), self.timeout, self.layers or LAYERS)


_DRIVING = DrivingOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What is asked of the memory beside the scenarios."""

    require: Annotated[tuple[str, ...], Repeatable] = ()
    """Capabilities without which it is not let through, as `erasable,durable`."""
    product: Annotated[str, Parameter(name="--class")] = ""
    """What it is for: `session`, `assistant`, `support` or `regulated`; each requires more than the one before."""
    slowest: Annotated[float | None, DURATION] = None
    """Milliseconds that 95 of 100 calls of any method may take; default: only `--timeout` limits a call."""
    slower: Annotated[float | None, FACTOR] = None
    """How many times as long as in the accepted run of `--history` they may take."""

    def gates(self) -> Gates:
        """Return what is asked."""
        from memgauge.studies.golden.gates import Gates

        required = [name.strip() for each in self.require for name in each.split(",") if name.strip()]
        return Gates(tuple(required), self.product, self.slowest, self.slower)


_GATES = GateOptions()


@app.command
def run(
    *,
    system: SystemRef,
    suite: Suites = (),
    driving: DrivingOptions = _DRIVING,
    gating: GateOptions = _GATES,
    workers: Annotated[int, NUMBER] = 1,
    shrink: Annotated[bool, Flag] = False,
    history: Path | None = None,
    build: str = "",
    output: Output = SHOWN,
) -> int:
    """Play every scenario against a memory; exit with 1 where a gate is missed or a scenario cannot be read.

    Beside the scenarios, gates are what `--require` and `--class` ask for, what the accepted run of `--history`
    offered, and how long calls may take.

    Example: memgauge study golden run -s mymemory:MyMemory --out golden

    Parameters
    ----------
    system
        A memory by name with parameters (`bm25:k1=1.2`), `module:factory`, or a TOML file.
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    workers
        Processes that play side by side; results stay the same. What is not ours never plays in this one.
    shrink
        Look for the smallest program that shows each anomaly, instead of the steps that led to it.
    history
        JSON lines that the run is appended to; what is shown then has what changed; keep the file in git.
    build
        What a history calls this state of the memory: a commit, a model, a prompt.
    """
    from memgauge.studies.golden.outcome import outcome
    from memgauge.studies.golden.show import document
    from memgauge.studies.golden.suite_run import run_suites

    players, options = _players(workers, system), driving.options()
    gates = _gates_beside(history, gating, whole=driving.whole)
    with _watched() as on_progress:
        report = run_suites(
            open_suites(suite),
            system,
            options,
            families=driving.family,
            quick=driving.quick,
            gates=gates,
            baseline=_accepted(history, system),
            workers=players,
            shrunk=shrink,
            on_progress=on_progress,
        )
    past = None if history is None else _remembered(history, report, system, build)
    code = OK if report.let_through else FAILED
    present(document(outcome(report, past)), output, name="golden", code=code)
    if history is not None:
        aside(f"Written: {history}")
    return code


def _players(workers: int, system: str) -> int:
    """Return how many processes play: none beside this one where one is asked for, and the memory is ours."""
    from memgauge.systems.catalogue import ours

    return 0 if workers <= 1 and ours(system) else max(workers, 1)


def _gates_beside(history: Path | None, gating: GateOptions, *, whole: bool) -> Gates:
    """Return what is asked of a memory, once it goes together with the history that is named or not."""
    if history is not None and not whole:
        raise ConfigError(
            "A history is of whole suites.", "Leave --family, --layers and --quick out, or --history."
        )
    gates = gating.gates()
    if gates.slower is not None and history is None:
        raise ConfigError("--slower compares with an accepted run.", "Name its --history, or take --slowest.")
    return gates


def _accepted(path: Path | None, system: str) -> RunFacts | None:
    """Return what the accepted run of a history says of the memory."""
    from memgauge.studies.golden.history import histories

    known = histories(path).get(system) if path is not None else None
    return known.baseline.facts if known is not None and known.baseline is not None else None


def _remembered(path: Path, report: GoldenReport, system: str, build: str) -> History:
    """Append a run to a history, and return what it then holds of the memory."""
    from memgauge.studies.golden.history import HISTORY, facts_of, read_history, rows_of

    rows = rows_of(report, _now(), build)
    HISTORY.append(path, [*rows, *facts_of(report, rows)])
    return read_history(path, system)


@app.command(name="list")
def list_(
    *, suite: Suites = (), family: Annotated[tuple[str, ...], Repeatable] = (), output: Output = SHOWN
) -> int:
    """List scenarios: id, gate, severity, where they come from, and what they are about.

    Example: memgauge study golden list --family currency

    Parameters
    ----------
    suite
        Suite file, or a folder of them; repeat; default: the suite that is shipped.
    family
        Only this family; repeat for several.
    """
    from memgauge.studies.golden.show_lists import scenarios

    loaded = open_suites(suite)
    broken = any(each.broken for each in loaded)
    code = FAILED if broken and not output.as_data else OK
    return present(scenarios(loaded, family), output, name="scenarios", code=code)


@app.command
def accept(
    *,
    history: Path,
    by: str,
    reason: str,
    run: str = "",
    system: SystemRef = "",
    shown: Printing = PLAIN,
) -> int:
    """Make a run the baseline that later ones are compared with; a baseline never moves by itself.

    Example: memgauge study golden accept --history golden.jsonl --by Ada --reason "as released in 1.4"

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
    """
    from dataclasses import asdict

    from memgauge.studies.golden.history import HISTORY, read_history
    from memgauge.studies.golden.history import accept as accepted

    decision = accepted(read_history(history, system), run, by, reason, _now())
    HISTORY.append(history, [decision])
    line = f"{history}: run {decision.accepted} is the baseline from now on."
    return present(told(asdict(decision), line), shown)


@app.command
def drift(
    *,
    history: Path,
    system: SystemRef = "",
    shown: Printing = PLAIN,
) -> int:
    """Say what changed since the baseline and what slides; exit with 1 on an alarm, or where nothing is compared.

    Example: memgauge study golden drift --history golden.jsonl

    Parameters
    ----------
    history
        File that runs were appended to.
    system
        The memory, where the history is of several.
    """
    from memgauge.results import plain
    from memgauge.show.safety import visible
    from memgauge.studies.golden.drift import drift as measure
    from memgauge.studies.golden.history import read_history
    from memgauge.studies.golden.words import drift_lines

    seen = measure(read_history(history, system))
    if seen is None:
        raise ConfigError(f"{history} holds no run.", "Add one: `memgauge study golden run --history FILE`.")
    lines = map(visible, drift_lines(seen))
    code = FAILED if seen.alarms or seen.incomparable else OK
    return present(told(plain(seen), *lines), shown, name="drift", code=code)


@contextmanager
def _watched() -> Iterator[Callable[[int, int, str], None]]:
    with working("playing") as update:
        yield lambda done, total, name: update(f"playing: {done} of {total}, {name}")


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")
