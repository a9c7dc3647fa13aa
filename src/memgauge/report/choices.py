"""What choices among options are worth, how showings ended, and what the options give away by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.answers import scores_table, undefined
from memgauge.scoring.chosen import ChoiceEnding
from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.scoring.chosen import ChoiceEntry


def document(
    entries: Sequence[ChoiceEntry], alone: Sequence[ChoiceEntry], showings: str, *, data: object = None
) -> Document:
    """Say what the choices of each system are worth, beside what the same options give without a memory.

    *entries* are by one reader and the same orders; *alone* is the same reader on the same questions, shown
    nothing.
    """
    return Document(
        title=f"Choices of {entries[0].chooser}",
        facts=(showings, *_counted(entries)),
        blocks=(
            scores_table("choices", entries),
            _endings(entries),
            _floors(entries, alone),
            _categories(entries),
        ),
        notes=tuple(undefined(entries)),
        origin="sealed layers of choices",
        data=data,
    )


def _endings(entries: Sequence[ChoiceEntry]) -> Table:
    columns = (Column("system", Kind.PROSE), *(Column(str(each), Kind.COUNT) for each in ChoiceEnding))
    rows: list[tuple[str | int, ...]] = [
        (entry.system, *(entry.endings[each] for each in ChoiceEnding)) for entry in entries
    ]
    return Table.of("endings", "How showings ended", columns, rows)


def _floors(entries: Sequence[ChoiceEntry], alone: Sequence[ChoiceEntry]) -> Table:
    """List what the options give away; systems that were asked the same questions share a row."""
    rows: dict[tuple[str, str, str], None] = {}
    for entry, without in zip(entries, alone, strict=True):
        for floor in entry.floors:
            rows[floor.name, number(floor.accuracy), f"{floor.questions:,}"] = None
        score = without.scores[0]
        name = f"the options alone, read by {without.chooser.removesuffix(' none')}"
        rows[name, number(score.value), f"{score.denominator.scored:,}"] = None
    columns = (
        Column("chosen without a memory", Kind.PROSE),
        Column("accuracy", Kind.NUMBER),
        Column("questions", Kind.COUNT),
    )
    return Table.of("floors", "What the options give away", columns, list(rows))


def _categories(entries: Sequence[ChoiceEntry]) -> Table:
    columns: tuple[Column | str, ...] = (
        "category",
        Column("questions", Kind.COUNT),
        *Column.each(Kind.NUMBER, "chance", "longest option"),
        *(Column(entry.system, Kind.NUMBER) for entry in entries),
    )
    accuracies = [{each.category: each.accuracy for each in entry.categories} for entry in entries]
    rows: list[tuple[Cell | str | int, ...]] = [
        (
            each.category,
            each.questions,
            _figure(each.chance),
            _figure(each.longest),
            *(_figure(own.get(each.category)) for own in accuracies),
        )
        for each in entries[0].categories
    ]
    return Table.of("categories", "By category", columns, rows)


def _figure(value: float | None) -> Cell:
    return Cell(number(value), value=value)


def _counted(entries: Sequence[ChoiceEntry]) -> Iterator[str]:
    counts = dict.fromkeys(
        "; ".join(f"{score.measure} {score.denominator}" for score in entry.scores) for entry in entries
    )
    return (f"Scored: {count}." for count in counts)
