"""Boards as checks of a build server: what it needs to stop a change that loses quality.

A check is one measure of one system. It fails where its value lies on the wrong side of a gate, or where a gated
score is undefined; an undefined score without a gate is skipped. Calls that failed or timed out are an error of a
check of their own, ``outcomes``, so that they never hide behind a good mean nor blame a measure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.measures import parse
from memgauge.registry import unknown_name
from memgauge.report.words import interval
from memgauge.show import CheckOutcome, CountedCheck
from memgauge.show.numbers import number, spelled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.scoring.board import Board, Entry, Score

_FAULTS = ("error", "timeout")


def require_gates(boards: Sequence[Board], gates: Mapping[str, float]) -> None:
    """Refuse gates that could not fail.

    Raises:
        ConfigError: A gate that is not a number.
        UnknownNameError: A gate on a score that no board has.
    """
    known = {f"{entry.label}/{measure}" for each in boards for entry in each.entries for measure in each.measures}
    for name, least in gates.items():
        if name not in known:
            raise unknown_name("gate", name, known)
        if least != least:  # noqa: PLR0124 - the definition of not-a-number
            raise ConfigError(f"Gate {name!r} is not a number.", "Give the least value that passes, such as 0.5.")


def missed(board: Board, gates: Mapping[str, float]) -> Iterator[str]:
    """Yield a sentence for every gate that a board does not reach."""
    for entry in board.entries:
        for measure, score in entry.scores.items():
            name = f"{entry.label}/{measure}"
            if name in gates and (score.value is None or _misses(score, gates[name])):
                beside = _beside(score, gates[name]) + _ended_at_k(board, entry, measure)
                yield f"Gate missed on {board.dataset.ref}: {name} is {beside}."


def _beside(score: Score, gate: float) -> str:
    """Say where a value lies beside the gate that it misses."""
    if score.value is None:
        return f"undefined, where the gate is {gate:.12g}"
    return f"{spelled(score.value, gate)}, {_side(score.value, gate)} the gate of {gate:.12g}"


def _ended_at_k(board: Board, entry: Entry, measure: str) -> str:
    """Say that a value is at least what is seen, where lists end at k before the budget of its measure is full."""
    short = entry.short_of.keys() & set(parse(measure).budgets) if entry.short_of else set()
    if not short:
        return ""
    enough = max(entry.short_of[budget] for budget in short)
    ends = f"its lists end at k={board.k} before {min(short):,} tokens are full"
    return f"; {ends}, and may hold more with --k {enough} or more"


def _side(value: float, gate: float) -> str:
    return "above" if value > gate else "below"


def _misses(score: Score, gate: float) -> bool:
    """Whether a value lies on the wrong side of its gate."""
    value = score.value or 0.0
    return value > gate if parse(score.measure).formula.lower else value < gate


def facts(board: Board) -> dict[str, str]:
    """Return what is the same for all checks of a board."""
    return {
        "dataset": board.dataset.ref,
        "sha256": board.dataset.sha256,
        "contract": str(board.contract),
        "k": str(board.k),
    }


def checks(board: Board, suite: str, gates: Mapping[str, float]) -> Iterator[CountedCheck]:
    """Yield the checks of a board: every measure of every system, and how its questions ended."""
    for entry in board.entries:
        group = f"{board.dataset.ref}.{entry.label}"
        for measure in board.measures:
            check = _scored(suite, group, entry.scores[measure], measure, gates.get(f"{entry.label}/{measure}"))
            yield _with_ends(check, _ended_at_k(board, entry, measure))
        yield _ended(suite, group, entry)


def _scored(suite: str, group: str, score: Score, measure: str, least: float | None) -> CountedCheck:
    value = number(score.value) if score.value is None or least is None else spelled(score.value, least)
    figure = f"{value} {interval(score)}".rstrip() + f", n={score.denominator}"
    if score.value is None and least is None:
        return CountedCheck(suite, group, measure, CheckOutcome.SKIP, score.reason)
    if score.value is None:
        message = f"undefined, gate {least:.12g}: {score.reason}"
    elif least is not None and _misses(score, least):
        message = f"{_side(score.value or 0.0, least)} gate {least:.12g}: {figure}"
    else:
        return CountedCheck(suite, group, measure, output=figure)
    return CountedCheck(suite, group, measure, CheckOutcome.FAIL, message, "gate", output=figure)


def _with_ends(check: CountedCheck, ends: str) -> CountedCheck:
    """Say in a check what may lie below k; whoever reaches a gate reaches it all the more."""
    message = check.message + ends if check.outcome is CheckOutcome.FAIL else check.message
    return replace(check, message=message, output=check.output + ends if check.output else "")


def _ended(suite: str, group: str, entry: Entry) -> CountedCheck:
    faults = [f"{n} {kind}" for kind in _FAULTS if (n := entry.outcomes.get(kind, 0))]
    if not faults:
        return CountedCheck(suite, group, "outcomes")
    return CountedCheck(
        suite, group, "outcomes", CheckOutcome.ERROR, f"questions lost: {', '.join(faults)}", "outcomes"
    )
