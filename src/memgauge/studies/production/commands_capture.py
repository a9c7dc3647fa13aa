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
    wanted = _missed(labels) | _confirmed(arrays, confirm)
    with working("capturing"):
        capturing = FailureCapture(traffic, arrays)
        told_of = {name: capturing.of(name, row) for name, row in wanted.items()}
    failures = [each for each in told_of.values() if not isinstance(each, str)]
    written = {each.question: traces / f"{each.kind}-{each.row}.jsonl" for each in failures}
    traces.mkdir(parents=True, exist_ok=True)
    for each in failures:
        lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in each.lines)
        write_atomically(written[each.question], "".join(lines))
    refused = {name: why for name, why in told_of.items() if isinstance(why, str)}
    data = {"traces": {name: str(path) for name, path in written.items()}, "refused": refused}
    return present(told(data, *_lines(failures, written, refused)), shown)


def _lines(failures: list[CapturedFailure], written: dict[str, Path], refused: dict[str, str]) -> Iterator[str]:
    from memgauge.show.numbers import plural

    yield f"Traces of {plural(len(failures), 'failure')}; they hold what people wrote."
    yield from (f"{written[each.question]}: {each.kind}, {each.question}" for each in failures)
    yield from (f"Not {name}: {why}." for name, why in refused.items())
    if failures:
        path = written[failures[0].question]
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

    hits, drawn = shares(latest(JUDGMENTS.read(labels / FILE))), read_draw(labels)
    if drawn is None:
        return {}
    return {question.name: question.row for question in drawn.questions if hits.get(question.name, 1.0) < 0.5}


def _confirmed(arrays: TrafficArrays, names: tuple[str, ...]) -> dict[str, int]:
    """Return the rows of searches by their names.

    Raises:
        DataMismatchError: There is no such search.
    """
    import numpy as np

    from memgauge.errors import DataMismatchError
    from memgauge.studies.production.drawing import question_names

    rows = np.flatnonzero(arrays.searches)
    known = dict(zip(question_names(arrays, rows), rows.tolist(), strict=True)) if names else {}
    for name in names:
        if name not in known:
            raise DataMismatchError(f"There is no search {name}.", "Name one as `health --json` does: TRACE/SPAN.")
    return {name: known[name] for name in names}
