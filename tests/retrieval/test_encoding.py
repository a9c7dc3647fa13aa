"""How texts are put into batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import MissingExtraError
from memgauge.retrieval.encoding import PORTION, BatchEncoder, batches, require_libraries
from support.encoders import write_tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.retrieval.embedders import Vectors
    from memgauge.retrieval.encoding import Ids


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


def test_texts_become_rows_of_float32_and_cut_ones_are_counted(tmp_path: Path) -> None:
    """In their order, whatever batches they were in, and no wider than they need be."""
    pytest.importorskip("tokenizers", reason="needs the extra dense")
    file = tmp_path / "tokenizer.json"
    write_tokenizer(file)

    def lengths(ids: Ids, mask: Ids) -> Vectors:
        return np.repeat(mask.sum(axis=1, keepdims=True).astype(np.float32), 2, axis=1)

    encoder = BatchEncoder(file, 6, 2, lengths)
    texts = [" ".join(["rain"] * words) for words in (9, 1, 3)]
    rows = encoder.encode(texts)
    assert rows.dtype == np.float32
    assert rows[0, 0] == 6
    assert rows[0, 0] > rows[2, 0] > rows[1, 0]
    assert (encoder.texts, encoder.cut) == (3, 1)


def test_a_package_that_is_absent_is_named() -> None:
    """With every other one that is, and not with those that are here."""
    require_libraries("numpy")
    with pytest.raises(MissingExtraError, match="Dense retrieval needs nowhere_a, nowhere_b"):
        require_libraries("numpy", "nowhere_a", "nowhere_b")
