"""`memgauge systems card | matrix`: all that can be measured of a system, and systems beside each other."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import AsData, Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memgauge.studies.golden.summary import GoldenReport
    from memgauge.systems.conformance.card import Golden, Installed, SystemCard
    from memgauge.systems.conformance.footprint import Spent


def card(
    system: str,
    *,
    golden: Path | None = None,
    no_golden: Annotated[bool, Flag] = False,
    scripted_model: Annotated[bool, Flag] = False,
    timeout: float = 120,
    out: Path | None = None,
    json: AsData = False,
) -> int:
    """Measure a system and make its conformance card; exit with 1 where a promise is broken.

    Beside the checks of `memgauge systems check`: when a write can be read, what a search changes, the most hits,
    whether orders hold, bytes a memory, and what the golden suite finds.

    Parameters
    ----------
    system
        A memory system, as `--system` takes it.
    golden
        What `memgauge golden run --out FILE.json` wrote of it, instead of playing the suite.
    no_golden
        Leave the golden suite out; what it would tell is then not looked at.
    scripted_model
        Serve the system a scripted model on this machine, and count what each write asks of it.
    timeout
        Seconds that one probe, or one call of a scenario, may take.
    out
        Save the card here, for `memgauge systems matrix`.
    json
        Print the card and its rows as data.
    """
    from memgauge.report.systems import card_json, card_terminal
    from memgauge.runs.files import write_atomically
    from memgauge.studies.golden.under_test import look_at
    from memgauge.systems.conformance.aspects import ClaimState, aspects
    from memgauge.systems.conformance.card import card_text

    with ExitStack() as stack:
        spent = stack.enter_context(_counted()) if scripted_model else None
        look_at(system, timeout)  # a name that does not exist is the user's mistake
        with working(f"measuring {system}"):
            made = _measured(system, timeout, spent, golden, played=not no_golden)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, card_text(made))
    if json:
        emit(card_json(made))
    else:
        for part in card_terminal(made):
            say(part)
    return FAILED if any(one.state is ClaimState.BROKEN for one in aspects(made)) else OK


def matrix(*cards: Path, markdown: Path | None = None, html: Path | None = None, json: AsData = False) -> int:
    """Put saved cards beside each other, with what was installed, run and scored, and known failures found.

    Parameters
    ----------
    cards
        Files of `memgauge systems card --out`, or folders of them; those of the products that were measured for
        this release when none is named.
    markdown
        Write the tables here.
    html
        Write one self-contained page here.
    json
        Print data instead of a table.
    """
    from memgauge.report.systems import matrix_json, matrix_markdown, matrix_terminal
    from memgauge.report.systems_page import render_systems
    from memgauge.runs.files import write_atomically
    from memgauge.version import __version__

    told = _read(cards)
    made: list[tuple[Path | None, Callable[[], str]]] = [
        (markdown, lambda: matrix_markdown(told)),
        (html, lambda: render_systems(told, identity={"memgauge": __version__})),
    ]
    for path, text in made:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text())
    if json:
        emit(matrix_json(told))
    else:
        for part in matrix_terminal(told):
            say(part)
    return OK


def _read(paths: Sequence[Path]) -> list[SystemCard]:
    from memgauge.systems.conformance.card import read_card
    from memgauge.systems.conformance.shipped import shipped_cards

    if not paths:
        return list(shipped_cards())
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    if not files:
        raise ConfigError("No card is there.", "`memgauge systems card NAME --out FILE` makes one.")
    return [read_card(file) for file in files]


def _measured(
    system: str, timeout: float, spent: Callable[[], Spent] | None, golden: Path | None, *, played: bool
) -> SystemCard:
    from memgauge.systems.catalogue import open_system
    from memgauge.systems.conformance.measure import measure_card

    report = _saved(golden) if golden else None  # before anything is measured, so that a mistake costs nothing

    def told() -> Golden:
        return report or _played(system, timeout)

    return measure_card(
        system,
        lambda: open_system(system),
        timeout_s=timeout,
        spent=spent,
        golden=told if played or report else None,
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
        data = json_file(path, "`memgauge golden run --out FILE.json` writes one.")
    except OSError as error:
        raise MalformedDataError(
            f"{path} cannot be read as a golden report: {error.strerror}.",
            "`memgauge golden run --out FILE.json` writes one.",
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
def _counted() -> Iterator[Callable[[], Spent]]:
    """Serve a scripted model to whatever is opened meanwhile, and tell what it was asked."""
    from memgauge.llm.served import ModelServer
    from memgauge.systems.conformance.footprint import Spent

    names = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
    before = {name: os.environ.get(name) for name in names}
    with ModelServer() as server:
        os.environ.update(OPENAI_BASE_URL=server.url, OPENAI_API_KEY=os.environ.get("OPENAI_API_KEY") or "unused")

        def spent() -> Spent:
            calls = list(server.calls)
            return Spent(len(calls), sum(one.input_tokens + one.output_tokens for one in calls))

        try:
            yield spent
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
