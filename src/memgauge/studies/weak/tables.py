"""The tables of the study: writes, every lost one by name, requests, what they took, and our own users."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Kind, Table
from memgauge.show.numbers import count, listed, plural
from memgauge.studies.weak.verdicts import ReplyVerdict, WriteFate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show.table import Value
    from memgauge.studies.weak.study import ModelSpending, StepRow, WeakRow

SHOWN = 240


def writes(rows: Sequence[WeakRow]) -> Table:
    """Say what became of every lane's writes, and what they were counted as."""
    columns = (
        Column("lane"),
        Column("turns", Kind.COUNT, means="handed over, one write each, or a pair where the product takes pairs"),
        *(Column(str(fate), Kind.COUNT) for fate in WriteFate),
        Column("lost", Kind.COUNT, means="nothing in the store descends from the turn"),
        Column("timeouts", Kind.COUNT, means="calls that the harness gave up"),
        Column("stored memories", Kind.PROSE),
        Column("s a turn", Kind.COARSE),
        Column("tokens a turn", Kind.COUNT),
        Column("requests a turn", Kind.COARSE),
    )
    note = (
        "Written or failed: what the harness counts, because the product said so. Stored: the store's listing at "
        "the end has a memory that descends from the turn. Seconds and tokens are those of writing and settling; "
        "what was refused took none. The order is that of the description."
    )
    return Table.of("writes", "What became of writes", columns, [_written(row) for row in rows], note)


def _written(row: WeakRow) -> tuple[Cell | Value, ...]:
    if row.problem:
        return (_named(row), 0, *([Cell("")] * 6), Cell("not played"), *([Cell("")] * 3))
    n = row.asked or 1
    stored_words = listed([f"{count(k)} {name}" for name, k in row.memories.items()]) if row.memories else "none"
    return (
        _named(row),
        row.asked,
        *(row.fates[str(fate)] for fate in WriteFate),
        len(row.lost),
        row.timeouts,
        stored_words,
        row.writing_s / n,
        row.spent.tokens / n,
        row.spent.requests / n,
    )


def _named(row: WeakRow) -> Cell:
    return Cell(row.key, row.version)


def lost(rows: Sequence[WeakRow]) -> Table:
    """Name every write that was lost, and why."""
    columns = (Column("lane"), Column("turn"), Column("counted as"), Column("why", Kind.PROSE))
    cells = [
        (row.key, lost_write.turn, lost_write.counted, _short(lost_write.why))
        for row in rows
        for lost_write in row.lost
    ]
    note = (
        "Why: what the product raised, where it raised something; else what was wrong with the replies to its "
        "requests for that write, which the product did not say."
    )
    return Table.of("lost", "Every lost write", columns, cells, note)


def requests(rows: Sequence[WeakRow]) -> Table:
    """Say what became of requests, by what they are for."""
    columns = (
        Column("lane"),
        Column("for"),
        Column("reply has to be"),
        Column("requests", Kind.COUNT),
        *(Column(str(each), Kind.COUNT) for each in ReplyVerdict),
        Column("retries", Kind.COUNT, means="begin as one before them in the same write"),
        *Column.each(Kind.COUNT, "tokens read", "written", "s"),
        Column("commonest fault", Kind.PROSE),
    )
    cells = [
        (
            row.key,
            each.purpose,
            each.shape,
            *_counts(each.spent),
            _short(each.commonest),
        )
        for row in rows
        for each in row.purposes
    ]
    note = (
        "fits: whole, and of the shape that was asked for (of text any is; a schema that stands in the words of "
        "a prompt alone is not looked at). unfit: whole, and no JSON, not by its schema, or no use of a tool. "
        "capped: cut at the cap of its tokens, as runaway replies are. late: cut when its time was up. refused: "
        "an error in the place of a reply. unanswered: none had come when the lane ended."
    )
    return Table.of("requests", "What became of requests", columns, cells, note)


def _counts(spent: ModelSpending) -> tuple[Value, ...]:
    verdicts = (spent.verdicts[str(each)] for each in ReplyVerdict)
    return (
        spent.requests,
        *verdicts,
        spent.retries,
        spent.input_tokens,
        spent.output_tokens,
        round(spent.model_s),
    )


def steps(rows: Sequence[WeakRow]) -> Table:
    """Say what our own commands made of the model's replies."""
    columns = (
        Column("lane"),
        Column("step"),
        *Column.each(Kind.COUNT, "exit", "requests"),
        *(Column(str(each), Kind.COUNT) for each in ReplyVerdict),
        *Column.each(Kind.COUNT, "retries", "tokens read", "written", "s"),
        Column("counted by the command itself", Kind.PROSE),
    )
    cells = [
        (row.key, step.name, step.code, *_counts(step.spent), _counted(step)) for row in rows for step in row.steps
    ]
    return Table.of("users", "Our own users of a model", columns, cells)


def _counted(step: StepRow) -> str:
    return step.problem or "; ".join(_spelled(name, value) for name, value in step.counted.items())


def _spelled(name: str, value: object) -> str:
    if isinstance(value, dict):
        parts = (_spelled(part_name, part) for part_name, part in value.items() if part)
        return f"{name}: {', '.join(parts) or 'none'}"
    return f"{name}: {'; '.join(map(str, value))}" if isinstance(value, list) else f"{name} {value}"


def played(rows: Sequence[WeakRow]) -> Table:
    """Say what was played, when, and what was done to run it."""
    columns = (
        Column("lane"),
        Column("version"),
        Column("reference"),
        Column("day"),
        Column("whole lane, s", Kind.COUNT),
        Column("load", Kind.COARSE),
        Column("changed", Kind.PROSE),
    )
    cells = [
        (row.key, row.version, row.ref, row.played, row.seconds, row.load, "; ".join(row.changed)) for row in rows
    ]
    return Table.of("played", "What was played, and what was changed to run it", columns, cells, brief=False)


def unplayed(rows: Sequence[WeakRow]) -> Table | None:
    """Name who could not be played, with the reason in its own words."""
    cells = [(row.key, row.problem) for row in rows if row.problem]
    columns = (Column("lane"), Column("its own words", Kind.PROSE))
    return Table.of("unplayed", "Who could not be played", columns, cells) if cells else None


def reasons(rows: Sequence[WeakRow]) -> Iterator[str]:
    """Say of every lane in a sentence why writes were lost."""
    for row in rows:
        if row.lost:
            silent = sum(loss.counted == WriteFate.SILENT for loss in row.lost)
            how = f"{count(silent)} of them counted as written" if silent else "all of them with an error"
            common, _ = Counter(loss.why for loss in row.lost).most_common(1)[0]
            yield f"{row.key} lost {count(len(row.lost))} of {plural(row.asked, 'turn')}, {how}: {_short(common)}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"
