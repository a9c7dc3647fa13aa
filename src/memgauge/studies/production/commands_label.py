"""`memgauge study production label | rates`: people judge a sample, and rates follow for everything."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.console import aside, say, working
from memgauge.frame.exits import OK, PARTIAL
from memgauge.frame.numbers import COUNT, PORT, SEED
from memgauge.frame.options import Flag
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.studies.production.commands import app, opened
from memgauge.studies.production.commands_capture import capture
from memgauge.studies.production.drawing import DrawHow
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.drawing import DrawnQuestion, LabelDraw
    from memgauge.studies.production.sitting import LabelSitting

app.command(capture)


@app.command
def label(
    folder: Path,
    labels: Path,
    *,
    rater: str,
    n: Annotated[int, COUNT] = 50,
    how: DrawHow = DrawHow.RANDOM,
    seed: Annotated[int, SEED] = 0,
    answers: Path | None = None,
    browser: Annotated[bool, Flag] = False,
    port: Annotated[int, PORT] = 0,
    shown: Printing = PLAIN,
) -> int:
    """Draw a sample of searches, show one at a time, and append what you say of each; go on where you stopped.

    Example: memgauge study production label traffic labels --rater ada

    Parameters
    ----------
    folder
        Traffic whose queries were recorded; with their texts, unless you look them up.
    labels
        Folder of the sample and of what people said; it is made where there is none.
    rater
        Who you are.
    n
        Questions to draw, the first time.
    how
        As often from each stratum as it is large, or the most telling ones more often; estimates weight back.
    seed
        The same seed draws the same questions.
    answers
        Instead of asking: a file of lines {"question": "TRACE/SPAN", "verdict": "hit"}, miss, or unclear.
    browser
        Ask on a page of this machine instead of here, until you press Ctrl+C.
    port
        Of that page; 0 takes any that is free.
    """
    _require_name(rater)
    traffic, arrays = opened(folder, ())
    sitting = _sitting(_drawn(traffic, arrays, labels, (n, how, seed)), labels, rater)
    added = _answered(sitting, traffic, answers, port if browser else None)
    remaining, total = len(sitting.left), len(sitting.drawn.questions)
    data = {"drawn": total, "added": added, "rater": rater, "left": remaining}
    line = f"{added} judgments of {rater} added; {remaining} of {total} questions are left."
    return present(
        told(
            data,
            line,
            f"Next: memgauge study production rates {typed(folder)} {typed(labels)}",
        ),
        shown,
    )


def _require_name(rater: str) -> None:
    """Refuse a rater whom nobody could name again.

    Raises:
        ConfigError: The name is blank, or cannot be printed.
    """
    from memgauge.errors import ConfigError

    if not rater.strip() or not rater.isprintable():
        raise ConfigError(f"{rater!r} is no name of a rater.", "Say who you are: --rater ada.")


def _sitting(label_draw: LabelDraw, labels: Path, rater: str) -> LabelSitting:
    from datetime import UTC, datetime

    from memgauge.studies.production.judgments import FILE
    from memgauge.studies.production.sitting import LabelSitting

    return LabelSitting(label_draw, labels / FILE, rater, lambda: datetime.now(UTC).isoformat(timespec="seconds"))


def _answered(sitting: LabelSitting, traffic: Traffic, answers: Path | None, port: int | None) -> int:
    """Take answers from a file, from a page, or from whoever types; return how many came."""
    from memgauge.studies.production.asking import read_answers

    if answers is not None:
        judgments = read_answers(answers, sitting)
        sitting.keep(judgments)
        return len(judgments)
    return _typed(sitting, traffic) if port is None else _browsed(sitting, traffic, port)


def _typed(sitting: LabelSitting, traffic: Traffic) -> int:
    from memgauge.studies.production.asking import PROMPT, ask, spelled

    remaining, total = sitting.left, len(sitting.drawn.questions)

    def show(question: DrawnQuestion, place: int) -> None:
        for line in (f"{total - len(remaining) + place + 1} of {total}", *spelled(traffic, question), PROMPT):
            say(line)

    count = 0
    for question, verdict in ask(remaining, show, sys.stdin):
        sitting.keep([sitting.judge(question, verdict)])
        count += 1
    return count


def _browsed(sitting: LabelSitting, traffic: Traffic, port: int) -> int:
    from memgauge.studies.production.browsing import LabelServer

    with LabelServer(traffic, sitting, port) as server:
        aside(server.address)
        aside(f"It asks {sitting.rater}; whoever has this address can answer, and nobody else. Ctrl+C ends it.")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
        return server.answered


@app.command
def rates(
    folder: Path,
    labels: Path,
    *,
    judge: Path | None = None,
    certificate: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Estimate the hit rate of all searches from the labels of some, and from a certified judge's word on all.

    Ends with 3 where nothing that was labelled says anything yet.

    Example: memgauge study production rates traffic labels

    Parameters
    ----------
    folder
        Traffic that was drawn from.
    labels
        Folder of the sample and of what people said.
    judge
        What a judge said of every search: lines {"question": "TRACE/SPAN", "hit": 1}, from 0 to 1.
    certificate
        Of that judge, from `memgauge models certify`.
    """
    from memgauge.errors import DataNotFoundError
    from memgauge.studies.production.asking import read_judged
    from memgauge.studies.production.judgments import FILE, JUDGMENTS
    from memgauge.studies.production.labelling import labelled_rates
    from memgauge.studies.production.show_labels import labelled_document
    from memgauge.studies.production.sitting import DRAW_FILE

    panel = "" if judge is None else _certified(certificate)
    traffic, arrays = opened(folder, ())
    if not (labels / DRAW_FILE).is_file():
        raise DataNotFoundError(
            f"No sample at {labels}.",
            f"Draw one: memgauge study production label {typed(folder)} {typed(labels)} --rater NAME",
        )
    label_draw = _drawn(traffic, arrays, labels, (0, DrawHow.RANDOM, 0))
    with working("estimating"):
        verdicts = None if judge is None else read_judged(judge)
        value = labelled_rates(arrays, label_draw, JUDGMENTS.read(labels / FILE), verdicts, panel, folder)
    code = PARTIAL if (value.powered or value.alone).mean is None else OK
    return present(labelled_document(value), output, name="rates", code=code)


def _drawn(traffic: Traffic, arrays: TrafficArrays, labels: Path, order: tuple[int, DrawHow, int]) -> LabelDraw:
    """Read the sample at *labels*, or draw it.

    Raises:
        DataMismatchError: It was drawn from other traffic.
    """
    from memgauge.errors import DataMismatchError
    from memgauge.exchange.traffic.writer import SEAL
    from memgauge.results import plain
    from memgauge.runs.record.files import write_atomically
    from memgauge.runs.record.seal import file_hash
    from memgauge.show.exports import data_text
    from memgauge.studies.production.drawing import DRAW, draw
    from memgauge.studies.production.sitting import DRAW_FILE, read_draw

    seal = file_hash(traffic.folder / SEAL)
    if (label_draw := read_draw(labels)) is not None:
        if label_draw.traffic != seal:
            raise DataMismatchError(f"{labels} was drawn from other traffic.", "Name that, or another folder.")
        return label_draw
    label_draw = draw(arrays, seal, *order)
    labels.mkdir(parents=True, exist_ok=True)
    write_atomically(labels / DRAW_FILE, data_text(plain(DRAW.of(label_draw))))
    return label_draw


def _certified(path: Path | None) -> str:
    """Return who a certificate is of.

    Raises:
        ConfigError: There is none, or the judge is unfit.
    """
    from pydantic import ValidationError

    from memgauge.errors import ConfigError
    from memgauge.llm.judges.certify import read_certificate
    from memgauge.llm.judges.fitness import Fitness

    remedy = "Make one with `memgauge models certify --out FILE.json`, and name it: --certificate FILE.json."
    if path is None:
        raise ConfigError("A judge needs a certificate.", remedy)
    try:
        certificate = read_certificate(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise ConfigError(f"{path} is no certificate: {str(error).partition(chr(10))[0]}.", remedy) from error
    if certificate.verdict is Fitness.UNFIT:
        raise ConfigError(
            f"{path}: {certificate.panel} is unfit: {certificate.reasons[0]}.", "Take another judge."
        )
    return certificate.panel
