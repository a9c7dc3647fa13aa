"""`memgauge runs show`, `bundle` and `sql`: look into runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from memgauge.frame.choosing import finished
from memgauge.frame.numbers import DURATION
from memgauge.frame.options import Flag, ScoreOptions
from memgauge.frame.output import (
    PLAIN,
    SHOWN,
    SHOWN_UNCHECKED,
    Output,
    Printing,
    UncheckedOutput,
    present,
    told,
)
from memgauge.frame.threads import load_numpy_without_threads
from memgauge.registry import unknown_name
from memgauge.show.numbers import in_bytes

_DEFAULT = ScoreOptions()


def show(run: Path, /, *question: str, options: ScoreOptions = _DEFAULT, output: Output = SHOWN) -> int:
    """Print one question: its gold, and what every system returned for it; or, without one, what runs cost.

    Example: memgauge runs show runs u000000_q01

    Parameters
    ----------
    run
        A run folder, a folder of runs, or a pattern (`'runs/*bm25*'`).
    question
        Further runs, if any, and last the id of the question; none shows what each phase of the runs took.
    """
    load_numpy_without_threads()
    if not question:
        return _costs(run, output)
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.report.stories import document
    from memgauge.runs.record.store import load
    from memgauge.scoring.align import align
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.score import fitted
    from memgauge.scoring.stories import stories

    *others, asked = question
    every = [load(folder) for folder in finished((run, *map(Path, others)))]
    loaded = [each for each in every if asked in each.questions["question"]]
    if not loaded:
        ids = sorted({str(name) for each in every for name in each.questions["question"]})
        raise unknown_name("question", asked, ids)
    ref = loaded[0].manifest.dataset.ref
    gold = GoldTable.read(open_dataset(ref, allow_unpinned=True))
    settings = fitted(options.settings(), gold)
    judged = [align(r, gold, settings.contract, settings.depth) for r in loaded if r.manifest.dataset.ref == ref]
    (story,) = stories(judged, gold, settings.parsed[0], {asked: ""})
    return present(document(story), replace(output, tables=True), name="question")


def _costs(runs: Path, output: Output) -> int:
    from memgauge.report.spent import document
    from memgauge.runs.record.store import load

    return present(document([load(folder) for folder in finished((runs,))]), output, name="costs")


def bundle(
    *runs: Path, out: Path | None = None, without_text: Annotated[bool, Flag] = False, shown: Printing = PLAIN
) -> int:
    """Pack each run into one portable file that anyone can verify.

    Example: memgauge runs bundle runs/before --without-text

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    out
        The file to write, or the folder where there are several; the run's name with `.zip` when not named.
    without_text
        Leave out texts that belong to others, and layers of answers and verdicts, which quote them; hashes stay,
        so that the run can still be checked.
    """
    from memgauge.runs.record.bundle import bundle as pack
    from memgauge.runs.record.bundle import left_out
    from memgauge.runs.record.members import strangers
    from memgauge.runs.record.seal import file_hash
    from memgauge.show.safety import name_line

    folders = finished(runs)
    if several := len(folders) > 1:
        (out or Path()).mkdir(parents=True, exist_ok=True)
    data: list[dict[str, Any]] = []
    lines: list[str] = []
    for run in folders:
        name = Path(f"{run.resolve().name}.zip")
        target = pack(run, (out / name if several else out) if out else name, without_text=without_text)
        size, left = target.stat().st_size, left_out(run) if without_text else []
        others = strangers(run)
        data.append(
            {"bundle": str(target), "bytes": size, "sha256": file_hash(target), "left_out": [*left, *others]}
        )
        lines.append(f"{target} ({in_bytes(size)}, sha256 {file_hash(target)})")
        if left:
            lines.append(f"Left out, because they quote texts: {', '.join(left)}.")
        if others:
            lines.append(f"Left out, because they are no part of a run: {', '.join(map(name_line, others))}.")
    return present(told(data if several else data[0], *lines), shown)


def sql(
    statement: str,
    *runs: Path,
    seconds: Annotated[float, DURATION] = 60.0,
    output: UncheckedOutput = SHOWN_UNCHECKED,
) -> int:
    """Query runs with SQL: tables runs, questions, hits, memories, writes, and the joined view trace.

    Example: memgauge runs sql "select category, avg(returned) from questions group by category"

    Parameters
    ----------
    statement
        One statement, such as `select run, outcome, count(*) from questions group by all`. One that begins
        with `--` is taken for an option, unless all options stand before it: `runs sql --json -- "-- mine …"`.
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    seconds
        How long it may take before it is stopped. It may hold 4 GiB of memory, and give 64 MiB of rows.
    """
    from memgauge.results import ReadyData
    from memgauge.runs.record.sql import SqlLimits, query
    from memgauge.show import Cell, Document, Table

    result = query(finished(runs), statement, SqlLimits(seconds))
    data = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    rows = [[Cell("" if value is None else str(value)) for value in row] for row in result.rows]
    table = Table.of("rows", "", result.columns, rows)
    return present(Document("", blocks=(table,), data=ReadyData(data)), output, name="rows")
