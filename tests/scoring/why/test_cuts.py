"""Where a list is cut: by ranks, and by tokens."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.runs.record.searches import RankedMemory
from memgauge.scoring.causes import FailureCause
from memgauge.scoring.why.cuts import cut_by_ranks, cut_by_tokens
from memgauge.scoring.why.telling import read


def hits(*tokens: int | None) -> list[RankedMemory]:
    """Spell a list by its lengths."""
    return [RankedMemory(rank, f"m{rank}", 1, tokens=each) for rank, each in enumerate(tokens, 1)]


@given(st.lists(st.integers(1, 50), max_size=12), st.integers(1, 120))
def test_tokens_are_paid_in_order_until_none_is_left(lengths: list[int], budget: int) -> None:
    """Of each rank is read what the ranks above left; the first of which nothing is read is named."""
    cut = cut_by_tokens(hits(*lengths), budget)
    assert cut is not None
    left, read = budget, list[int]()
    for length in lengths:
        read.append(min(length, left))
        left -= read[-1]
    assert cut.first_out == next((rank for rank, each in enumerate(read, 1) if each == 0), None)
    assert cut.last == (max((rank for rank, each in enumerate(read, 1) if each), default=None))
    whole = [length for length, each in zip(lengths, read, strict=True) if length == each]
    assert cut.tokens == sum(whole)
    assert cut.in_part == any(0 < each < length for length, each in zip(lengths, read, strict=True))


def test_an_unknown_length_on_the_way_is_not_guessed() -> None:
    """Behind a memory of unknown length nobody knows where tokens end; before it, everybody does."""
    assert cut_by_tokens(hits(3, None, 3), 10) is None
    cut = cut_by_tokens(hits(10, None), 10)
    assert cut is not None
    assert cut.first_out == 2
    assert cut.keeps_out(2) == (FailureCause.CUT, "rank 2, and 10 tokens are full after rank 1")


def test_what_is_read_in_part_is_counted_as_read() -> None:
    """The tokens that are read are as many as the budget where its last memory is read in part."""
    (whole, part) = (read(cut_by_tokens(hits(30, 13, each), 62)) for each in (19, 40))
    assert (whole.text, whole.beside, whole.value) == ("62", "", 62)
    assert (part.text, part.under, part.value) == ("62", "19 of them of rank 3", 62)


def test_ranks_below_the_cutoff_are_out() -> None:
    """The cutoff itself is read, the next one is not; a shorter list is read whole."""
    cut = cut_by_ranks(hits(1, 1, 1), 2)
    assert (cut.last, cut.first_out) == (2, 3)
    assert cut.keeps_out(2)[1] == ""
    assert cut.keeps_out(3) == (FailureCause.TOO_DEEP, "rank 3, and 2 count")
    assert cut_by_ranks(hits(1), 2).first_out is None
