"""What somebody calls something is one line that does nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.show.safety import OBEYED, name_line


@given(st.text(st.characters(categories=["L", "Nd", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs"]), max_size=40))
def test_a_name_is_one_harmless_line(text: str) -> None:
    """Whatever it is made of: no line ends, nothing that a terminal obeys, never empty, and settled at once."""
    line = name_line(text)
    assert line.splitlines() == [line]
    assert not OBEYED.search(line)
    assert "\t" not in line
    assert line == line.strip()
    assert name_line(line) == line


def test_a_name_that_is_one_line_stays_as_it_is() -> None:
    """Signs of any script, and pictures that are put together, are names too."""
    for name in ("bm25:k1=1.2,b=0.6", "память", "记忆 (二)", "família 👨‍👩‍👧"):
        assert name_line(name) == name
    assert name_line("ours\n\tsecond\x1b[31m") == "ours second\N{REPLACEMENT CHARACTER}[31m"
    assert name_line(" \n") == "(without a name)"
