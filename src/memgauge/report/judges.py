"""What `memgauge judge` prints: the board of one panel, and everything that limits what it says."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgauge.frame.console import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.judged import JudgedEntry
    from memgauge.scoring.judged_board import JudgedBoard, JudgedPlace
    from memgauge.stats import Interval


def board_data(board: JudgedBoard, stamp: str) -> dict[str, Any]:
    """Return a board as JSON-ready data."""
    from memgauge.scoring.noise import judge_noise, over_runs

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


def print_board(board: JudgedBoard, stamp: str) -> None:
    """Print the board, what its judges said, and why it may not be believed."""
    entries = [place.entry for place in board.places]
    _print_table(board)
    for bar in board.bars:
        say(f"Nobody is ranked: {bar}")
    for mark in board.marks:
        say(mark)
    for place in board.places:
        for mark in place.marks:
            say(f"{place.entry.system}: {mark}")
    for method in dict.fromkeys(place.corrected.method for place in board.places if place.corrected.method):
        say(f"Corrected by {method}; its 95 % intervals hold the doubt about the judge too.")
    _print_judges(entries)
    say(f"Judge: {entries[0].panel}; {stamp}.")


def _print_table(board: JudgedBoard) -> None:
    from rich.table import Table

    from memgauge.report.words import interval
    from memgauge.show.numbers import number

    names = list(dict.fromkeys(score.measure for place in board.places for score in place.entry.scores))
    corrected = any(place.corrected.value is not None for place in board.places)
    heads = (
        *(["rank"] if board.ranked else []),
        "system",
        "answers",
        *names,
        *(["corrected"] if corrected else []),
    )
    table = Table(*heads, "scored", "injections", box=None)
    for place in board.places:
        entry = place.entry
        scores = {score.measure: score for score in entry.scores}
        cells = [
            f"{number(scores[name].value)} {interval(scores[name])}".rstrip() if name in scores else ""
            for name in names
        ]
        counts = "; ".join(dict.fromkeys(str(score.denominator) for score in entry.scores))
        table.add_row(
            *([_rank(place)] if board.ranked else []),
            entry.system,
            entry.answers,
            *cells,
            *([_corrected(place)] if corrected else []),
            counts,
            str(entry.injections),
        )
    say(table)


def _rank(place: JudgedPlace) -> str:
    if place.rank is None:
        return ""
    return str(place.rank) if place.rank_low == place.rank_high else f"{place.rank_low}-{place.rank_high}"


def _corrected(place: JudgedPlace) -> str:
    change = place.corrected
    if change.value is None:
        return "undefined"
    ends = "" if change.low is None or change.high is None else f" [{change.low:.3f}, {change.high:.3f}]"
    return f"{change.value:.3f}{ends}"


def _print_judges(entries: Sequence[JudgedEntry]) -> None:
    from memgauge.scoring.noise import judge_noise, over_runs

    for entry in entries:
        for judge, grades in entry.by_judge.items():
            say(f"{entry.system}, {judge}: {', '.join(f'{n} {grade}' for grade, n in sorted(grades.items()))}.")
        for flip in entry.flips:
            alike = f"{flip.agreed} of {flip.both} alike, kappa {_kappa(flip.kappa)}"
            alone = f"{flip.only_a} better to the first, {flip.only_b} to the second"
            say(f"{entry.system}, {flip.a} and {flip.b}: {alike}; {alone}.")
    for noise in judge_noise(entries):
        if noise.within is not None:
            between = "" if noise.between is None else f"; between systems {noise.between:.3f}"
            say(f"{noise.judge}, judging {noise.repeats} times: standard deviation {noise.within:.3f}{between}.")
    for runs in over_runs(entries):
        if runs.sd is not None:
            say(f"{runs.system}: mean of {runs.runs} runs {runs.mean:.3f}, standard deviation {runs.sd:.3f}.")


def print_categories(entries: Sequence[JudgedEntry]) -> None:
    """Print the first score by category, and the mean over categories, each counting once."""
    from statistics import mean

    from rich.table import Table

    from memgauge.show.numbers import number

    table = Table("category", *(entry.system for entry in entries), box=None, title=entries[0].score.measure)
    for name in sorted({name for entry in entries for name in entry.by_category}):
        scores = [entry.by_category.get(name) for entry in entries]
        table.add_row(
            name, *("" if score is None else f"{number(score.value)} of {score.denominator}" for score in scores)
        )
    means = [[score.value for score in entry.by_category.values() if score.value is not None] for entry in entries]
    table.add_row("mean of categories", *(number(mean(values)) if values else "" for values in means))
    say(table)


def print_lost(systems: Sequence[str], lost: Sequence[dict[str, int]]) -> None:
    """Print how many questions ended at each stage."""
    from rich.table import Table

    table = Table("stage", *systems, box=None, title="Where answers were lost")
    for stage in lost[0]:
        table.add_row(stage, *(str(counts[stage]) for counts in lost))
    say(table)


def _kappa(value: Interval) -> str:
    if value.mean is None:
        return f"undefined ({value.reason})"
    around = "" if value.low is None or value.high is None else f" [{value.low:.2f}, {value.high:.2f}]"
    return f"{value.mean:.2f}{around}"
