"""`memgauge study golden races`: threads and connections on one memory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION, SEED, SHARE
from memgauge.frame.options import Flag, Repeatable, SystemRef
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from memgauge.studies.golden.races.race import RaceReport


def races(
    *,
    system: SystemRef,
    shape: Annotated[tuple[str, ...], Repeatable] = (),
    one_in: Annotated[int, COUNT] = 50,
    sure: Annotated[float, SHARE] = 0.95,
    seed: Annotated[int, SEED] = 0,
    timeout: Annotated[float, DURATION] = 30,
    jitter: Annotated[bool, Flag] = False,
    output: Output = SHOWN,
) -> int:
    """Hammer a memory from several threads or connections at once; exit with 1 where something was lost or torn.

    Every call is recorded with its begin and end, and judged by what no order of the calls explains: lost updates,
    dirty and stale reads, write cycles, leaks. What the memory does on one thread too is no race.

    Example: memgauge study golden races -s racy:read-modify-write --one-in 10

    Parameters
    ----------
    system
        A memory by name with parameters, `module:factory`, or a TOML file.
    shape
        Only this shape of race, as `same` or `erase`; repeat for several.
    one_in
        A race that shows once in so many rounds is to be seen.
    sure
        With this probability.
    seed
        Of the histories.
    timeout
        Seconds that a call, and a history, may take.
    jitter
        Let threads change after every few instructions, and wait where the memory touches files or connections.
    """
    from memgauge.studies.golden.races.race import rounds_for
    from memgauge.studies.golden.races.show import document
    from memgauge.studies.golden.under_test import look_at

    rounds = rounds_for(one_in, sure)
    look_at(system, timeout)
    report = _raced(system, shape, rounds, str(seed), timeout, jitter=jitter)
    failed = bool(report.findings) or not (report.positive or report.not_tried)
    return present(
        document(report, system, str(seed), one_in), output, name="races", code=FAILED if failed else OK
    )


def _raced(
    system: str, shapes: tuple[str, ...], rounds: int, seed: str, timeout: float, *, jitter: bool
) -> RaceReport:
    """Open a memory, race it, and close it."""
    from dataclasses import replace

    from memgauge.studies.golden.driver import Driver
    from memgauge.studies.golden.races.jitter import jitter as jittering
    from memgauge.studies.golden.races.race import race
    from memgauge.studies.golden.under_test import factory_of

    driver = Driver.opening(factory_of(system), timeout_s=timeout)
    try:
        with working("racing") as update, jittering(seed) if jitter else nullcontext(lambda: None) as pause:
            report = race(
                driver,
                shapes=shapes,
                rounds=rounds,
                seed=seed,
                fresh=True,
                pause=pause,
                on_progress=lambda name, number: update(f"racing: {name}, round {number} of {rounds}"),
            )
    finally:
        driver.close()
    return replace(report, jitter=jitter)
