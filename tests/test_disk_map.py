"""A mapping on disk is the dictionary that it stands for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.disk_map import DiskMap

NAMES = st.text("aé\ud800", max_size=2) | st.sampled_from(["x" * 300, "x" * 299 + "y"])
KEYS = NAMES | st.tuples(NAMES, st.tuples(NAMES))


@given(
    pairs=st.lists(st.tuples(KEYS, st.integers() | st.text(max_size=3))),
    asked=st.lists(KEYS),
    held=st.integers(1, 4),
)
def test_it_holds_what_a_dictionary_holds(
    pairs: list[tuple[object, object]], asked: list[object], held: int
) -> None:
    """Every value under its key, in the order in which keys came first, however few are held."""
    plain: dict[object, object] = {}
    written = DiskMap[object, object](held)
    for key, value in pairs:
        plain[key] = written[key] = value
        assert written[key] == value
    assert list(written.values()) == list(plain.values())
    assert [(key in written, written.get(key)) for key in asked] == [
        (key in plain, plain.get(key)) for key in asked
    ]
    written.clear()
    assert list(written.values()) == []
