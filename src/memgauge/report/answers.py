"""What answers are worth, and where they were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import between, listed, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.scoring.answered import AnswerEntry
    from memgauge.scoring.board import Score
    from memgauge.scoring.chosen import ChoiceEntry


def document(
    entries: Sequence[AnswerEntry],
    lost: Sequence[Mapping[str, int]] = (),
    *,
    right: float = 0.5,
    data: object = None,
) -> Document:
    """Say what the answers of each system are worth.

    *entries* are by one answerer and the same scorers. *lost* counts how many questions of each ended at which
    stage; an answer of the token F1 *right* counted as right for that.
    """
    by_system = [(entry.system, counts) for entry, counts in zip(entries, lost, strict=bool(lost))]
    stages = (stages_table(by_system, f"Right from F1 {right:g} on."),) if lost else ()
    return Document(
        title=f"Answers of {entries[0].answerer}",
        facts=tuple(_counted(entries)),
        blocks=(scores_table("answers", entries), *stages),
        notes=tuple(undefined(entries)),
        origin="sealed layers of answers",
        data=data,
    )


def stages_table(lost: Sequence[tuple[str, Mapping[str, int]]], note: str = "") -> Table:
    """Count for each system the questions that ended at each stage."""
    columns = (Column("stage", Kind.PROSE), *(Column(system, Kind.COUNT) for system, _ in lost))
    rows: list[tuple[str | int, ...]] = [(stage, *(counts[stage] for _, counts in lost)) for stage in lost[0][1]]
    return Table.of("stages", "Where answers were lost", columns, rows, note)


def score_cell(score: Score | None) -> Cell:
    """Write a score with its interval; nothing where there is none."""
    if score is None:
        return Cell("")
    return Cell(number(score.value), between(score.low, score.high), score.value, score.low, score.high)


def scores_table(name: str, entries: Sequence[AnswerEntry] | Sequence[ChoiceEntry]) -> Table:
    """Lay out what each system's answers or choices are worth."""
    columns = (
        Column("system", Kind.PROSE),
        *(Column(score.measure, Kind.NUMBER) for score in entries[0].scores),
        Column("tokens", Kind.COUNT, means="mean tokens of context that were shown"),
    )
    rows: list[tuple[Cell | str, ...]] = [
        (
            entry.system,
            *map(score_cell, entry.scores),
            "" if entry.tokens is None else Cell(f"{entry.tokens:,.0f}", value=entry.tokens),
        )
        for entry in entries
    ]
    return Table.of(name, "What they are worth", columns, rows)


def _counted(entries: Sequence[AnswerEntry]) -> Iterator[str]:
    """Say of how many questions each score is the mean, systems with the same counts together."""
    systems: dict[str, list[str]] = {}
    for entry in entries:
        counts = "; ".join(f"{score.measure} {score.denominator}" for score in entry.scores)
        systems.setdefault(counts, []).append(entry.system)
    return (f"Scored for {listed(names)}: {counts}." for counts, names in systems.items())


def undefined(entries: Sequence[AnswerEntry] | Sequence[ChoiceEntry]) -> Iterator[Note]:
    """Say why some have no mean."""
    for entry in entries:
        reasons = (score.reason for score in entry.scores if score.value is None and score.denominator.scored)
        for reason in dict.fromkeys(reasons):
            yield Note(f"no mean is given: {reason}.", entry.system)
