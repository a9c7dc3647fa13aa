"""A memory as one line of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Memory
from memgauge.systems.notes.lines import line_of, memory_in

if TYPE_CHECKING:
    from datetime import datetime

TEXT = st.text() | st.sampled_from(["a\nb\\n", 'x <!-- {"id":"t9"} -->', "\r\n", "\u2028", "\ud800", "- ", " -->"])


@given(TEXT, TEXT, st.lists(TEXT, max_size=2), st.none() | st.datetimes(), TEXT)
def test_a_line_gives_back_the_memory_whatever_it_holds(
    key: str, text: str, sources: list[str], at: datetime | None, role: str
) -> None:
    """It is one line, and comes back the same from the bytes of a file."""
    memory = Memory(key, text, sources=tuple(sources), event_at=at, channel=role)
    line = line_of(memory)
    assert "\n" not in line
    assert memory_in(line.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")) == memory


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# 8 May 2023",
        "- written by hand",
        "- x <!-- {} -->",
        "- x <!-- {broken} -->",
        '- x <!-- {"id":"t"} -->',
    ],
)
def test_a_line_of_somebody_else_is_no_memory(line: str) -> None:
    """A heading, a note by hand, and a comment that lacks what is wanted are left alone."""
    assert memory_in(line) is None
