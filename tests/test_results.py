"""Results as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import MalformedDataError
from memgauge.records import Contract, Target
from memgauge.results import ReadyData, ResultKind, kind_of, plain, result


@result
@dataclass(frozen=True)
class Part:
    """What a result may hold."""

    contract: Contract
    target: Target
    values: Mapping[str, float | None]
    names: tuple[str, ...] = ()


@result
@dataclass(frozen=True)
class Whole:
    """A result."""

    parts: tuple[Part, ...]
    seed: int = 0


KIND: ResultKind[Whole] = ResultKind("whole", 2, f"{__name__}:Whole", "memgauge make whole")
PARTS = st.builds(
    Part,
    st.sampled_from([Contract(), Contract.parse("target=raw,credit=id")]),
    st.sampled_from(Target),
    st.dictionaries(st.text(max_size=5), st.none() | st.floats(-10, 10).map(lambda x: round(x, 6)), max_size=3),
    st.lists(st.text(max_size=5), max_size=3).map(tuple),
)


@given(st.lists(PARTS, max_size=3).map(tuple), st.integers())
def test_what_is_read_is_what_was_written(parts: tuple[Part, ...], seed: int) -> None:
    """Contracts, targets, numbers and gaps come back as they were, with their types."""
    value = Whole(parts, seed)
    assert KIND.read(plain(KIND.of(value))) == value


def test_another_kind_or_version_is_refused_with_a_sentence() -> None:
    """The sentence says what it is, what was wanted, and what makes one."""
    written = plain(KIND.of(Whole(())))
    assert kind_of(written) == "whole"
    others: tuple[object, ...] = ({**written, "version": 1}, {**written, "kind": "part"}, {"parts": []}, [], None)
    for data in others:
        with pytest.raises(MalformedDataError, match="not a whole result of version 2") as caught:
            KIND.read(data, "x.json")
        assert "memgauge make whole" in str(caught.value)


def test_a_mistake_inside_is_named_with_its_place() -> None:
    """The field that is wrong is said, not only that something is."""
    with pytest.raises(MalformedDataError, match=r"parts\.0\.contract"):
        KIND.read({"kind": "whole", "version": 2, "value": {"parts": [{}], "seed": 1}})


def test_data_that_is_ready_is_written_as_it_is() -> None:
    """Its order and its digits are kept, where a result is sorted by key and rounded."""
    data = {"b": 1 / 3, "a": [1e-9]}
    assert plain(ReadyData(data)) is data
    assert list(plain(dict(data))) == ["a", "b"]
