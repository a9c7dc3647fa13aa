"""Cases and labels as files: one JSON object a line, appended and synced, so that a kill loses nothing."""

from __future__ import annotations

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.llm.judges.items import support
from memgauge.llm.judges.rubrics import OPEN, SUPPORT
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.spelling import encode
from memgauge.studies.targets.semantic.cases import SupportCase
from memgauge.studies.targets.semantic.proxies import PROXIES
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from memgauge.llm.judges.panel import Judge

CASES, LABELS, HUMAN = "cases.jsonl", "labels.jsonl", "human.csv"
_COLUMNS = ("case", "annotator", "label", "question", "accepted answer", "evidence", "memory")
PERSON = "person:"
"""What the name of a person who labels begins with."""


@dataclass(frozen=True, slots=True)
class CaseLabel:
    """What one judge, heuristic or person said of one case."""

    case: str
    judge: str
    label: str
    """supports, partial, not, or invalid."""
    reason: str = ""
    request: str = ""
    raw: str = ""


def write_cases(folder: Path, cases: Sequence[SupportCase], people: Sequence[SupportCase], overlap: int) -> None:
    """Write the cases, and a sheet for two people, who both label the first *overlap* of theirs."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(asdict(case), ensure_ascii=False) for case in cases)
    write_atomically(folder / CASES, "".join(f"{line}\n" for line in lines))
    _write_sheet(folder / HUMAN, [("1", case) for case in people] + [("2", case) for case in people[:overlap]])


def _write_sheet(path: Path, asked: Iterable[tuple[str, SupportCase]]) -> None:
    """Write a sheet of cases and who is asked about them; what people filled in before stays."""
    filled = {(row["case"], row["annotator"]): row for _, row in _filled_rows(path)}
    text = io.StringIO(newline="")
    sheet = csv.DictWriter(text, _COLUMNS)
    sheet.writeheader()
    for annotator, case in asked:
        label = filled.pop((case.id, annotator), {}).get("label", "")
        evidence = "\n".join(case.evidence)
        sheet.writerow(
            dict(
                zip(
                    _COLUMNS,
                    (case.id, annotator, label, case.question, case.gold, evidence, case.memory),
                    strict=True,
                )
            )
        )
    sheet.writerows(filled.values())
    write_atomically(path, text.getvalue())


def read_cases(folder: Path) -> list[SupportCase]:
    """Read the cases of a folder.

    Raises:
        DataNotFoundError: There are none.
        MalformedDataError: A line is no case.
    """
    cases = []
    for number, row in _rows(folder / CASES):
        try:
            cases.append(SupportCase(**row | {"evidence": tuple(row["evidence"]), "runs": tuple(row["runs"])}))
        except (TypeError, KeyError) as error:
            raise MalformedDataError(
                f"{folder / CASES}:{number}: {error}.",
                "Extract the cases again with `memgauge study targets cases`.",
            ) from error
    return cases


def read_labels(folder: Path) -> list[CaseLabel]:
    """Read every label: of models, of heuristics, and of the people who filled in their sheet.

    Raises:
        MalformedDataError: A line is no label.
    """
    labels: dict[tuple[str, str], CaseLabel] = {}
    if (folder / LABELS).is_file():
        for number, row in _rows(folder / LABELS):
            try:
                label = CaseLabel(**row)
            except TypeError as error:
                raise MalformedDataError(f"{folder / LABELS}:{number}: {error}.", "Remove that line.") from error
            labels[label.case, label.judge] = label
    return [*labels.values(), *_human(folder / HUMAN)]


def _human(path: Path) -> Iterator[CaseLabel]:
    """Yield what people filled in."""
    for number, row in _filled_rows(path):
        if (grade := row["label"].lower()) not in SUPPORT.grades:
            raise MalformedDataError(
                f"{path}:{number}: label: {grade!r} is none.", f"Write one of {', '.join(SUPPORT.grades)}."
            )
        yield CaseLabel(row["case"], f"{PERSON}{row['annotator']}", grade)


def _filled_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a sheet that people labelled, each case of a person once, with the lines they begin in.

    Raises:
        MalformedDataError: A column is missing, or one person said two things of one case.
    """
    filled: dict[tuple[str, str], tuple[int, dict[str, str]]] = {}
    for number, row in _labelled_rows(path):
        earlier, first = filled.setdefault((row["case"], row["annotator"]), (number, row))
        if first["label"].lower() != row["label"].lower():
            raise MalformedDataError(
                f"{path}:{number}: annotator {row['annotator']} labels case {row['case']} {row['label']!r}, and "
                f"{first['label']!r} in line {earlier}.",
                "Keep one of both labels, and empty the other.",
            )
    return list(filled.values())


def _labelled_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield every row with a label and the line that it begins in; an empty cell is not labelled yet."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        if absent := set(_COLUMNS) - set(rows.fieldnames or ()):
            raise MalformedDataError(
                f"{path}: it has no column {', '.join(sorted(absent))}.",
                "Give it its columns again, or move it away and extract the cases anew.",
            )
        line = rows.line_num + 1
        for row in rows:
            cells = {name: (row[name] or "").strip() for name in _COLUMNS}
            if cells["label"]:
                yield line, cells
            line = rows.line_num + 1  # texts of a cell may go over several lines


def label_by_proxies(folder: Path, cases: Sequence[SupportCase]) -> None:
    """Let every heuristic label every case."""
    labelled_pairs = {(label.case, label.judge) for label in read_labels(folder)}
    with _appending(folder / LABELS) as append:
        for name, proxy in PROXIES.items():
            for case in _by_id(cases):
                if (case.id, name) not in labelled_pairs:
                    append(CaseLabel(case.id, name, proxy(case)))


def label_by_models(
    folder: Path,
    cases: Sequence[SupportCase],
    judges: Sequence[Judge],
    *,
    workers: int = 1,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> None:
    """Let every judge label every case that it has not labelled yet; a reply that is no label is kept as invalid.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    labelled_pairs = {(label.case, label.judge) for label in read_labels(folder) if label.label not in OPEN}
    open_pairs = [
        (case, judge) for case in _by_id(cases) for judge in judges if (case.id, judge.name) not in labelled_pairs
    ]

    def ask(pair: tuple[SupportCase, Judge]) -> CaseLabel:
        case, judge = pair
        vote = judge.vote(support(case.question, case.gold, case.evidence, case.memory))
        return CaseLabel(case.id, judge.name, str(vote.grade), vote.reason, vote.request, vote.raw)

    with _appending(folder / LABELS) as append, ThreadPoolExecutor(max_workers=workers) as pool:
        try:
            for n, label in enumerate(pool.map(ask, open_pairs), 1):
                append(label)
                on_progress(n, len(open_pairs))
        finally:
            pool.shutdown(cancel_futures=True)


def _by_id(cases: Sequence[SupportCase]) -> Iterable[SupportCase]:
    """Yield what differs to a judge: one memory of one question may stand in two arms."""
    return {case.id: case for case in cases}.values()


@contextmanager
def _appending(path: Path) -> Iterator[Callable[[CaseLabel], None]]:
    """Give what appends a label, each on disk before the next; a line that was cut off is forgotten."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with Appender(path, elsewhere="stop the other one") as file:
        file.cut(path.read_bytes().rfind(b"\n") + 1)
        yield lambda label: file.append(encode([asdict(label)]))


def _rows(path: Path) -> Iterable[tuple[int, dict[str, Any]]]:
    if not path.is_file():
        raise DataNotFoundError(
            f"There are no cases at {path}.", "Extract them with `memgauge study targets cases`."
        )
    *lines, _ = text_file(path).split("\n")  # a line that was cut off was never finished
    for number, line in enumerate(lines, 1):
        try:
            row = json_of(line)
        except ValueError as error:
            raise MalformedDataError(f"{path}:{number}: not JSON: {error}.", "Remove that line.") from error
        if not isinstance(row, dict):
            raise MalformedDataError(f"{path}:{number}: not an object.", "Remove that line.")
        yield number, row
