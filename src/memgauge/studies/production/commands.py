"""`memgauge study production`: health and drift of recorded traffic, and a simulated service to try them on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App

from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK, PARTIAL
from memgauge.frame.numbers import COUNT, HITS, SEED
from memgauge.frame.options import Repeatable, SystemRef
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.arrays import TrafficArrays

app = App("production", help="What production traffic says of a memory without gold: health, drift and labels.")


def opened(folder: Path, shared: tuple[str, ...]) -> tuple[Traffic, TrafficArrays]:
    """Read sealed traffic.

    Raises:
        ConfigError: It holds no operation.
        RunError: It is no traffic, or broken.
    """
    from memgauge.errors import ConfigError
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.arrays import TrafficArrays

    with working("reading the traffic"):
        traffic = Traffic.read(folder)
        if not traffic.manifest.operations:
            raise ConfigError(
                f"{folder} holds no operation.", "Record or import some; its ledger says what was left out."
            )
        return traffic, TrafficArrays.of(traffic, shared)


@app.command
def health(
    folder: Path,
    *,
    against: Path | None = None,
    shared: Annotated[tuple[str, ...], Repeatable] = (),
    output: Output = SHOWN,
) -> int:
    """Measure what needs no gold: times, empties, stale returns, leaks, age. Exit with 1 where a fault was seen.

    Example: memgauge study production health traffic

    Parameters
    ----------
    folder
        Traffic, from `runs import otlp` or `watch`.
    against
        Other traffic to compare with, such as that of the month before.
    shared
        Name of a store that belongs to everybody; repeat.
    """
    from memgauge.studies.production.health import health as measured
    from memgauge.studies.production.health import health_rows
    from memgauge.studies.production.show import health_document

    traffic, arrays = opened(folder, shared)
    other = None if against is None else opened(against, shared)[1]
    with working("measuring"):
        value = measured(traffic, arrays, health_rows(arrays, other))
    return present(health_document(value), output, name="health", code=FAILED if value.faults else OK)


@app.command
def drift(
    folder: Path,
    *,
    shared: Annotated[tuple[str, ...], Repeatable] = (),
    grafana: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Follow what may drift, day by day, and say what left where it was.

    Exit with 1 where there is an alarm, with 3 where nothing could be followed, or what changed could not.

    Example: memgauge study production drift traffic

    Parameters
    ----------
    folder
        Traffic of more than three weeks, from `runs import otlp` or `watch`.
    shared
        Name of a store that belongs to everybody; repeat.
    grafana
        File that a dashboard of Grafana is written to, with the numbers in it.
    """
    from memgauge.errors import ConfigError
    from memgauge.studies.production.drift import drift as followed
    from memgauge.studies.production.grafana import write_dashboard
    from memgauge.studies.production.show import drift_document

    traffic, arrays = opened(folder, shared)
    with working("following"):
        value = followed(arrays, traffic.identity.services)
    if grafana is not None:
        try:
            write_dashboard(value, f"Drift of {folder.name}", grafana)
        except OSError as error:
            raise ConfigError(f"Cannot write {grafana}: {error.strerror}.", "Name another file.") from error
    return present(
        drift_document(value),
        output,
        name="drift",
        code=FAILED if value.alarms else PARTIAL if value.is_blind else OK,
    )


@app.command
def paraphrase(
    source: Path,
    *,
    system: SystemRef = "",
    paraphrases: Path | None = None,
    n: Annotated[int, COUNT] = 200,
    k: Annotated[int, HITS] = 10,
    seed: Annotated[int, SEED] = 0,
    output: Output = SHOWN,
) -> int:
    """Ask the same in other words, and say how much of what comes back stays. Replayed on a system at hand.

    Example: memgauge study production paraphrase traffic --system bm25

    Parameters
    ----------
    source
        Traffic that was imported with its texts, or a sealed run.
    system
        What is asked; of a run, the system that it was made with where nothing is named.
    paraphrases
        File of lines {"query": "...", "paraphrase": "..."}; rules reword where there is none.
    n
        How many questions are drawn.
    k
        How many memories are compared.
    seed
        The same seed draws the same questions.
    """
    from tempfile import TemporaryDirectory

    from memgauge.errors import ConfigError
    from memgauge.studies.production.replaying import ReplayOrder, replay
    from memgauge.studies.production.rewording import read_paraphrases
    from memgauge.studies.production.show import paraphrase_document
    from memgauge.studies.production.sources import replayable

    if n < 1 or k < 1:
        raise ConfigError("A question and a place at least.", "Take --n 200 --k 10.")
    wordings = {} if paraphrases is None else read_paraphrases(paraphrases)
    with TemporaryDirectory(prefix="memgauge-paraphrase-") as scratch, working("asking in other words"):
        dataset, made_with = replayable(source, Path(scratch))
        order = ReplayOrder(system or made_with, k, n, seed)
        if not order.system:
            raise ConfigError("Traffic does not say what to ask.", "Name a system: --system bm25.")
        value = replay(dataset, order, wordings, Path(scratch))
    return present(paraphrase_document(value), output, name="paraphrase")


@app.command
def simulate(
    folder: Path,
    *,
    users: Annotated[int, COUNT] = 500,
    weeks: Annotated[int, COUNT] = 8,
    seed: Annotated[int, SEED] = 0,
    plant: Annotated[tuple[str, ...], Repeatable] = (),
    shown: Printing = PLAIN,
) -> int:
    """Write traffic of a service that never was, healthy or with planted faults, to try the other commands on.

    Example: memgauge study production simulate traffic --plant stale

    Parameters
    ----------
    folder
        Where the traffic goes.
    users
        How many people use it.
    weeks
        How long.
    seed
        The same seed gives the same traffic.
    plant
        A fault: leak, stale, undeleted, dead, silent, or drift, which is of scores by 7 %; repeat for several.
    """
    from memgauge.errors import ConfigError
    from memgauge.studies.production.service import SimulatedService, planted
    from memgauge.studies.production.simulate import simulate as lived
    from memgauge.studies.production.written import write

    if users < 2 or weeks < 1:
        raise ConfigError("A service has two users and a week at least.", "Take --users 500 --weeks 8.")
    service = SimulatedService(users=users, days=7 * weeks, faults=planted(plant, weeks))
    with working("simulating"):
        traffic = write(lived(service, seed), folder)
    n = traffic.manifest
    data = {"folder": str(folder), "operations": n.operations, "records": n.records, "planted": list(plant)}
    line = f"{folder}: {n.operations:,} operations with {n.records:,} records. Invented, and nobody's."
    return present(told(data, line, f"Next: memgauge study production health {typed(folder)}"), shown)
