"""Lists of objects, cut out of a file as they come."""

from __future__ import annotations

import io
import json
from typing import Any

import ijson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.text import json_stream
from memgauge.text.json_stream import UnsureError, objects_of

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.lists(st.dictionaries(st.text(max_size=5), _VALUES, max_size=4), max_size=6),
    st.sampled_from([None, 0, 3]),
    st.booleans(),
    st.integers(1, 40),
)
def test_objects_are_those_of_the_list(
    objects: list[dict[str, Any]], indent: int | None, plain: bool, piece: int
) -> None:
    """However a list is written, and wherever the pieces end that are read, its objects come out."""
    written = json.dumps(objects, indent=indent, ensure_ascii=plain).encode("utf-8", "replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_PIECE", piece)
        try:
            assert list(objects_of(io.BytesIO(written))) == json.loads(written)
        except UnsureError:
            assert "\\ud" in written.decode()


def test_no_object_but_the_first_is_begun_before_its_end_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where objects are about as long as each other, none of them is decoded twice."""
    attempts = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            attempts.append(idx)
            return super().raw_decode(s, idx)

    monkeypatch.setattr(json_stream, "_DECODER", Counting())
    monkeypatch.setattr(json_stream, "_PIECE", 1000)
    objects = [{"n": n, "text": "x" * 200} for n in range(100, 200)]
    assert list(objects_of(io.BytesIO(json.dumps(objects).encode()))) == objects
    assert len(attempts) <= len(objects) + 1


@pytest.mark.parametrize(
    "written",
    [
        *(b"", b"{}", b"[1]", b"[{}", b"[{},]", b"[{}] x", b"[{]"),
        *(b'[{"a":NaN}]', b'[{"a":"\\ud800"}]', b"[{\xff}]", b'[{"a":' + b"[" * 100_000),
    ],
)
def test_what_is_no_plain_list_is_left_to_another(written: bytes) -> None:
    """Nothing is guessed, and nothing raised that says less than the strict reader would."""
    with pytest.raises(UnsureError):
        list(objects_of(io.BytesIO(written)))


@given(st.binary(max_size=60), st.integers(0, 60))
def test_what_is_cut_out_is_what_the_strict_reader_reads(noise: bytes, place: int) -> None:
    """A spoilt list either comes out as the strict reader has it, or not at all."""
    sound = b'[{"a": 1.5, "b": "\\u00e9\\n"}, {"c": [true, null]}]'
    written = sound[:place] + noise + sound[place + len(noise) :]
    try:
        cut = list(objects_of(io.BytesIO(written)))
    except UnsureError:
        return
    assert cut == list(ijson.items(io.BytesIO(written), "item", use_float=True))
