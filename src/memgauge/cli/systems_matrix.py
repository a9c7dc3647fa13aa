"""`memgauge systems card | matrix`: all that can be measured of a system, and systems beside each other."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import DURATION
from memgauge.frame.options import Flag, SystemRef
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.golden.summary import GoldenReport
    from memgauge.systems.conformance.card import Golden, Installed, SystemCard
    from memgauge.systems.conformance.footprint import Spent


def card(
    system: SystemRef,
    *,
    golden: Path | None = None,
    no_golden: Annotated[bool, Flag] = False,
    scripted_model: Annotated[bool, Flag] = False,
    timeout: Annotated[float, DURATION] = 120,
    output: Output = SHOWN,
) -> int:
    """Measure a system and make its conformance card; exit with 1 where a promise is broken.

    Beside the checks of `memgauge systems check`: when a write can be read, what a search changes, the most hits,
    whether orders hold, bytes a memory, and what the golden suite finds. `--out FILE.json` saves it for
    `memgauge systems matrix`.

    Example: memgauge systems card bm25 --out card.json

    Parameters
    ----------
    system
        A memory system, as `--system` takes it.
    golden
        What `memgauge study golden run --out FILE.json` wrote of it, instead of playing the suite.
    no_golden
        Leave the golden suite out; what it would tell is then not looked at.
    scripted_model
        Serve the system a scripted model on this machine, and count what each write asks of it.
    timeout
        Seconds that one probe, or one call of a scenario, may take.
    """
    from memgauge.studies.golden.under_test import look_at
    from memgauge.systems.conformance.aspects import ClaimState
    from memgauge.systems.conformance.matrix import matrix_of
    from memgauge.systems.conformance.show import document

    with ExitStack() as stack:
        spent = stack.enter_context(counted()) if scripted_model else None
        look_at(system, timeout)  # a name that does not exist is the user's mistake
        with working(f"measuring {system}"):
            made = matrix_of([_measured(system, timeout, spent, golden, played=not no_golden)])
    broken = any(aspect.state is ClaimState.BROKEN for aspect in made.systems[0].aspects)
    return present(document(made), output, name="card", code=FAILED if broken else OK)


def matrix(*cards: Path, output: Output = SHOWN) -> int:
    """Put saved cards beside each other, with what was installed, run and scored, and known failures found.

    Example: memgauge systems matrix cards/bm25.json cards/mem0.json

    Parameters
    ----------
    cards
        Files of `memgauge systems card --out`, or folders of them; those of the products that were measured for
        this release when none is named.
    """
    from memgauge.systems.conformance.matrix import matrix_of
    from memgauge.systems.conformance.show import document

    return present(document(matrix_of(_read(cards))), output, name="systems")


def _read(paths: Sequence[Path]) -> list[SystemCard]:
    from memgauge.systems.conformance.matrix import read_cards
    from memgauge.systems.conformance.shipped import shipped_cards

    if not paths:
        return list(shipped_cards())
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        raise ConfigError("No card is there.", "`memgauge systems card NAME --out FILE.json` makes one.")
    return [card for file in files for card in read_cards(file)]


def _measured(
    system: str, timeout: float, spent: Callable[[], Spent] | None, golden: Path | None, *, played: bool
) -> SystemCard:
    from memgauge.systems.catalogue import open_system
    from memgauge.systems.conformance.measure import measure_card

    report = _saved(golden) if golden else None  # before anything is measured, so that a mistake costs nothing

    def played_or_saved() -> Golden:
        return report or _played(system, timeout)

    return measure_card(
        system,
        lambda: open_system(system),
        timeout_s=timeout,
        spent=spent,
        golden=played_or_saved if played or report else None,
        installed=_installed(system),
    )


def _played(system: str, timeout: float) -> Golden:
    """Play the golden suite."""
    from memgauge.studies.golden.commands_proof import open_suites
    from memgauge.studies.golden.runner import Options
    from memgauge.studies.golden.suite_run import run_suites

    return _summed(run_suites(open_suites(()), system, Options(timeout_s=timeout)))


def _summed(report: GoldenReport) -> Golden:
    from memgauge.results import plain
    from memgauge.systems.conformance.card import golden_of

    scenarios = [
        {"result": plain(played.result), "anomalies": plain(played.result.anomalies)} for played in report.played
    ]
    return golden_of({"scenarios": scenarios})


def _saved(path: Path) -> Golden:
    """Read what the golden suite said.

    Raises:
        MalformedDataError: It is something else, or not there.
    """
    from memgauge.errors import MalformedDataError
    from memgauge.studies.golden.kinds import GOLDEN
    from memgauge.text.jsons import json_file

    try:
        data = json_file(path, "`memgauge study golden run --out FILE.json` writes one.")
    except OSError as error:
        raise MalformedDataError(
            f"{path} cannot be read as a golden report: {error.strerror}.",
            "`memgauge study golden run --out FILE.json` writes one.",
        ) from error
    return _summed(GOLDEN.read(data, str(path)).report)


def _installed(system: str) -> Installed | None:
    from memgauge.registry import parse_ref
    from memgauge.systems.conformance.card import Installed
    from memgauge.systems.environments.places import environment_of
    from memgauge.systems.environments.products import product_of

    product = product_of(parse_ref(system).name)
    made = environment_of(product) if product else None
    return Installed(made.version, made.python, made.seconds, made.megabytes) if made else None


@contextmanager
def counted() -> Iterator[Callable[[], Spent]]:
    """Serve a scripted model to whatever is opened meanwhile, and tell what it was asked."""
    from memgauge.llm.served import ModelServer
    from memgauge.systems.conformance.footprint import Spent

    names = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
    before = {name: os.environ.get(name) for name in names}
    with ModelServer() as server:
        os.environ.update(OPENAI_BASE_URL=server.url, OPENAI_API_KEY=os.environ.get("OPENAI_API_KEY") or "unused")

        def spent() -> Spent:
            calls = list(server.calls)
            return Spent(len(calls), sum(call.input_tokens + call.output_tokens for call in calls))

        try:
            yield spent
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
