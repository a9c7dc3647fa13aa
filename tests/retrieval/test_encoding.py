"""How texts are put into batches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.retrieval.encoding import PORTION, batches


@given(st.lists(st.integers(1, 2 * PORTION), max_size=80))
def test_a_batch_holds_a_portion_with_its_padding(lengths: list[int]) -> None:
    """Every text is in one batch, short ones first; a text that is a portion by itself is alone."""
    made = list(batches(lengths))
    assert sorted(place for batch in made for place in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[i] for i in batch) <= PORTION or len(batch) == 1 for batch in made)
    flat = [lengths[place] for batch in made for place in batch]
    assert flat == sorted(flat)


def test_no_batch_is_smaller_than_it_need_be() -> None:
    """The next text would not have fitted."""
    lengths = [3, 60, 7, 200, 8, 90, 5, 100, 64]
    made = list(batches(lengths))
    assert [sorted(lengths[place] for place in batch) for batch in made] == [
        [3, 5, 7, 8],
        [60, 64],
        [90, 100],
        [200],
    ]
