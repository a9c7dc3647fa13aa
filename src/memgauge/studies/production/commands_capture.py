"""`memgauge study production capture`: what people called wrong becomes traces of golden cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.console import working
from memgauge.frame.options import Repeatable
from memgauge.frame.output import PLAIN, Printing, present, told
from memgauge.studies.production.commands import opened
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.production.arrays import TrafficArrays
    from memgauge.studies.production.capturing import CapturedFailure


def capture(
    folder: Path,
    labels: Path,
    traces: Path,
    *,
    confirm: Annotated[tuple[str, ...], Repeatable] = (),
    shown: Printing = PLAIN,
) -> int:
    """Write every search that people called a miss as a trace, from which `study golden capture` makes a case.

    A trace holds the fewest writes, removals and questions that tell a stale return, a return after deletion, a
    leak, or a hit that is no answer. It holds what people wrote; the case that is made of it does not.

    Example: memgauge study production capture traffic labels traces

    Parameters
    ----------
    folder
        Traffic whose texts were recorded.
    labels
        Folder of the sample and of what people said.
    traces
        Folder that gets a file for each failure.
    confirm
        TRACE/SPAN of a search that was not drawn and is a failure, as `health` names one; repeat.
    """
    from memgauge.runs.record.files import write_atomically
    from memgauge.studies.production.capturing import FailureCapture

    traffic, arrays = opened(folder, ())
    if not confirm:
        _require_sample(labels, folder)
    rows = _missed(labels) | _confirmed(arrays, confirm)
    with working("capturing"):
        capturing = FailureCapture(traffic, arrays)
        told_of = {name: capturing.of(name, row) for name, row in rows.items()}
    failures = [failure for failure in told_of.values() if not isinstance(failure, str)]
    paths = {failure.question: traces / f"{failure.kind}-{failure.row}.jsonl" for failure in failures}
    traces.mkdir(parents=True, exist_ok=True)
    for failure in failures:
        lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in failure.lines)
        write_atomically(paths[failure.question], "".join(lines))
    refusals = {name: outcome for name, outcome in told_of.items() if isinstance(outcome, str)}
    data = {"traces": {name: str(path) for name, path in paths.items()}, "refused": refusals}
    return present(told(data, *_lines(failures, paths, refusals)), shown)


def _lines(failures: list[CapturedFailure], paths: dict[str, Path], refusals: dict[str, str]) -> Iterator[str]:
    from memgauge.show.numbers import plural

    yield f"Traces of {plural(len(failures), 'failure')}; they hold what people wrote."
    yield from (f"{paths[failure.question]}: {failure.kind}, {failure.question}" for failure in failures)
    yield from (f"Not {name}: {reason}." for name, reason in refusals.items())
    if failures:
        path = paths[failures[0].question]
        yield f'Next: memgauge study golden capture {typed(path)} --id incident.1 --title "…" --key KEY -s SYSTEM'


def _require_sample(labels: Path, folder: Path) -> None:
    """Refuse a folder of labels that is none, where nothing else says what failed.

    Raises:
        DataNotFoundError: No sample lies there.
    """
    from memgauge.errors import DataNotFoundError
    from memgauge.studies.production.sitting import DRAW_FILE

    if not (labels / DRAW_FILE).is_file():
        raise DataNotFoundError(
            f"No sample at {labels}.",
            f"Draw one: memgauge study production label {typed(folder)} {typed(labels)} --rater NAME; "
            "or --confirm a search.",
        )


def _missed(labels: Path) -> dict[str, int]:
    """Return the rows of drawn questions that more raters call a miss than a hit."""
    from memgauge.studies.production.judgments import FILE, JUDGMENTS, latest
    from memgauge.studies.production.judgments import labels as shares
    from memgauge.studies.production.sitting import read_draw

    hits, label_draw = shares(latest(JUDGMENTS.read(labels / FILE))), read_draw(labels)
    if label_draw is None:
        return {}
    return {question.name: question.row for question in label_draw.questions if hits.get(question.name, 1.0) < 0.5}


def _confirmed(arrays: TrafficArrays, names: tuple[str, ...]) -> dict[str, int]:
    """Return the rows of searches by their names.

    Raises:
        DataMismatchError: There is no such search.
    """
    import numpy as np

    from memgauge.errors import DataMismatchError
    from memgauge.studies.production.drawing import question_names

    rows = np.flatnonzero(arrays.searches)
    rows_by_name = dict(zip(question_names(arrays, rows), rows.tolist(), strict=True)) if names else {}
    for name in names:
        if name not in rows_by_name:
            raise DataMismatchError(f"There is no search {name}.", "Name one as `health --json` does: TRACE/SPAN.")
    return {name: rows_by_name[name] for name in names}
