"""The board of one panel of judges, and everything that limits what it says."""

from __future__ import annotations

from dataclasses import asdict
from statistics import mean
from typing import TYPE_CHECKING, Any

from memgauge.report.answers import score_cell, stages_table
from memgauge.results import ReadyData
from memgauge.scoring.noise import judge_noise, over_runs
from memgauge.show import Cell, Column, Document, Kind, Note, Table, Tone
from memgauge.show.numbers import between, listed, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.scoring.judged import JudgedEntry
    from memgauge.scoring.judged_board import JudgedBoard, JudgedPlace
    from memgauge.stats import Interval


def document(
    board: JudgedBoard, stamp: str, *, categories: bool = False, lost: Sequence[tuple[str, Mapping[str, int]]] = ()
) -> Document:
    """Say what a panel says of answers, and why it may not be believed.

    With *categories*, the score that ranks is also shown by category of question. *lost* are systems, and how many
    questions of each ended at which stage.
    """
    entries = [place.entry for place in board.places]
    tables = (_board(board), _grades(entries), _agreement(entries))
    extra = (
        *([_by_category(entries)] if categories else []),
        *([stages_table(lost)] if lost else []),
    )
    return Document(
        title="Answers as judges see them",
        lead=_lead(board),
        facts=(f"Judge: {entries[0].panel}; {stamp}.",),
        blocks=tuple(table for table in (*tables, *extra) if table.rows),
        notes=(*_limits(board), *_noise(entries)),
        origin="sealed layers of verdicts",
        data=ReadyData(_data(board, stamp) | ({"stages": [counts for _, counts in lost]} if lost else {})),
    )


def _data(board: JudgedBoard, stamp: str) -> dict[str, Any]:
    entries = [place.entry for place in board.places]
    noise = {"judges": list(map(asdict, judge_noise(entries))), "runs": list(map(asdict, over_runs(entries)))}
    return {
        "stamp": stamp,
        "verdict": board.verdict,
        "ranked": board.ranked,
        "marks": [*board.bars, *board.marks],
        "judged": [_place_data(place) for place in board.places],
        "noise": noise,
    }


def _place_data(place: JudgedPlace) -> dict[str, Any]:
    return asdict(place.entry) | {
        "corrected": asdict(place.corrected),
        "rank": place.rank,
        "rank_low": place.rank_low,
        "rank_high": place.rank_high,
        "marks": list(place.marks),
    }


def _lead(board: JudgedBoard) -> str:
    if board.bars:
        return " ".join(f"Nobody is ranked: {bar}" for bar in board.bars)
    best = [place.entry.system for place in board.places if place.rank_low == 1]
    if len(best) == 1:
        return f"{best[0]} leads."
    return f"{listed(best)} may each be the best." if best else ""


def _limits(board: JudgedBoard) -> Iterator[Note]:
    yield from (Note(mark, tone=Tone.WARN) for mark in board.marks)
    yield from (Note(mark, place.entry.system) for place in board.places for mark in place.marks)
    methods = (place.corrected.method for place in board.places if place.corrected.method)
    for method in dict.fromkeys(methods):
        yield Note(f"Corrected by {method}; its 95 % intervals hold the doubt about the judge too.")


def _board(board: JudgedBoard) -> Table:
    measures = list(dict.fromkeys(score.measure for place in board.places for score in place.entry.scores))
    corrected = any(place.corrected.value is not None for place in board.places)
    columns = (
        *([Column("rank", Kind.TEXT)] if board.ranked else []),
        *(Column(head, Kind.PROSE) for head in ("system", "answers")),
        *(Column(measure, Kind.NUMBER) for measure in measures),
        *([Column("corrected", Kind.NUMBER)] if corrected else []),
        Column("scored", Kind.PROSE),
        Column("injections", Kind.COUNT),
    )
    rows = [_row(place, measures, ranked=board.ranked, corrected=corrected) for place in board.places]
    return Table.of("judged", "What answers are worth", columns, rows)


def _row(
    place: JudgedPlace, measures: Sequence[str], *, ranked: bool, corrected: bool
) -> tuple[Cell | str | int, ...]:
    entry, scores = place.entry, {score.measure: score for score in place.entry.scores}
    return (
        *([_rank(place)] if ranked else []),
        entry.system,
        entry.answers,
        *(score_cell(scores.get(measure)) for measure in measures),
        *([_corrected(place)] if corrected else []),
        "; ".join(dict.fromkeys(str(score.denominator) for score in entry.scores)),
        entry.injections,
    )


def _rank(place: JudgedPlace) -> str:
    if place.rank is None:
        return ""
    return str(place.rank) if place.rank_low == place.rank_high else f"{place.rank_low}-{place.rank_high}"


def _corrected(place: JudgedPlace) -> Cell:
    change = place.corrected
    return Cell(number(change.value), between(change.low, change.high), change.value, change.low, change.high)


def _grades(entries: Sequence[JudgedEntry]) -> Table:
    rows = [
        (entry.system, judge, ", ".join(f"{n} {grade}" for grade, n in sorted(grades.items())))
        for entry in entries
        for judge, grades in entry.by_judge.items()
    ]
    columns = tuple(Column(head, Kind.PROSE) for head in ("system", "judge", "grades"))
    return Table.of("grades", "What each judge said", columns, rows)


def _agreement(entries: Sequence[JudgedEntry]) -> Table:
    rows = [
        (
            entry.system,
            f"{flip.a} and {flip.b}",
            f"{flip.agreed} of {flip.both}",
            _kappa(flip.kappa),
            flip.only_a,
            flip.only_b,
        )
        for entry in entries
        for flip in entry.flips
    ]
    columns = (
        *(Column(head, Kind.PROSE) for head in ("system", "judges")),
        Column("alike", Kind.TEXT),
        Column("kappa", Kind.PROSE),
        *(Column(f"better to the {which}", Kind.COUNT) for which in ("first", "second")),
    )
    return Table.of("agreement", "How judges agree, two by two", columns, rows)


def _kappa(value: Interval) -> Cell:
    if value.mean is None:
        return Cell(f"undefined ({value.reason})")
    around = "" if value.low is None or value.high is None else f"[{value.low:.2f}, {value.high:.2f}]"
    return Cell(f"{value.mean:.2f}", around, value.mean, value.low, value.high)


def _noise(entries: Sequence[JudgedEntry]) -> Iterator[Note]:
    for noise in judge_noise(entries):
        if noise.within is not None:
            between_systems = "" if noise.between is None else f"; between systems {noise.between:.3f}"
            yield Note(
                f"{noise.judge}, judging {noise.repeats} times: "
                f"standard deviation {noise.within:.3f}{between_systems}."
            )
    for runs in over_runs(entries):
        if runs.sd is not None:
            yield Note(f"mean of {runs.runs} runs {runs.mean:.3f}, standard deviation {runs.sd:.3f}.", runs.system)


def _by_category(entries: Sequence[JudgedEntry]) -> Table:
    """Show the first score by category, and the mean over categories, each counting once."""
    names = sorted({name for entry in entries for name in entry.by_category})
    rows: list[tuple[Cell | str, ...]] = [
        (name, *(_of_category(entry, name) for entry in entries)) for name in names
    ]
    values = [
        [score.value for score in entry.by_category.values() if score.value is not None] for entry in entries
    ]
    means = [mean(defined) if defined else None for defined in values]
    rows.append(
        ("mean of categories", *(Cell("" if each is None else number(each), value=each) for each in means))
    )
    columns = (Column("category", Kind.PROSE), *(Column(entry.system, Kind.NUMBER) for entry in entries))
    return Table.of("categories", entries[0].score.measure, columns, rows)


def _of_category(entry: JudgedEntry, name: str) -> Cell:
    score = entry.by_category.get(name)
    return Cell("") if score is None else Cell(number(score.value), f"of {score.denominator}", score.value)
