"""What is said of differences within budgets that lists of one side, or of both, end at k before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.scoring.conclusions import Conclusion
from memgauge.show import Cell
from memgauge.show.numbers import listed, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.scoring.compare import Comparison, Difference
    from memgauge.scoring.ended_pairs import EndedPair

OR_MORE = "or more"
"""Beside a verdict that holds all the more where lists of the other side go on."""


def short_lists_sentence(pair: EndedPair, a: str, b: str) -> str:
    """Say whose lists end where, without a full stop."""
    short = [(name, lists) for name, lists in ((a, pair.a), (b, pair.b)) if lists is not None]
    before = min(lists.before for _, lists in short)
    if len({lists.k for _, lists in short}) > 1:
        ends = " and ".join(f"of {name} at k={lists.k}" for name, lists in short)
        return f"lists {ends} end before {before:,} tokens are full"
    names = listed([name for name, _ in short])
    return f"lists of {names} end at k={short[0][1].k} before {before:,} tokens are full"


def verdict_cell(difference: Difference) -> Cell:
    """Write a verdict; below it what the memories that were kept show, or that more would only add to it."""
    ended, verdict = difference.ended, difference.verdict
    mark = "told" if verdict.confirmed else ""
    if ended is None or verdict is Conclusion.NONE:
        return Cell(verdict, mark=mark)
    if ended.of_k:
        return Cell(verdict, "(as one of k)", mark=mark)
    if verdict is Conclusion.CUT:
        return Cell(verdict, f"(of what was kept: {ended.shown})")
    return Cell(verdict, f"({OR_MORE})", mark=mark)


def ended_notes(made: Comparison) -> Iterator[str]:
    """Say of every measure that k cuts what may be told of it, and with which k all may."""
    for difference in made.differences:
        if (ended := difference.ended) is not None:
            ends = short_lists_sentence(ended, made.a, made.b)
            yield f"{difference.measure}: {ends}. {_told(difference, ended, made.a, made.b)}"
    if made.unknown_ends:
        lists, named = plural(len(made.unknown_ends), "measure"), listed(made.unknown_ends)
        yield (
            f"Whether lists of {made.a} end at k before the budgets of {lists} are full ({named}) is not known: "
            "an earlier version accepted it. Accept its run again; until then a difference there may be one of k."
        )


def _told(difference: Difference, ended: EndedPair, a: str, b: str) -> str:
    if ended.of_k:
        return "The two were to keep different numbers of memories, so the difference is told as one of k."
    if difference.verdict in {Conclusion.CUT, Conclusion.NONE}:
        who = "either" if ended.a and ended.b else a if ended.a else b
        sentence = (
            f"More of {who} may lie below, so nobody is called better, worse or equal there, and how small a "
            "difference would have been seen is not known."
        )
    else:
        sentence = f"More of {a if ended.a else b} may lie below, which could only add to what is told."
    enough = max(lists.enough for lists in (ended.a, ended.b) if lists is not None)
    return f"{sentence} Play and score both with --k {enough} or more."
