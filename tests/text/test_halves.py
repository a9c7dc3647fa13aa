"""Half a surrogate pair."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.halves import encodable


@given(st.text(st.characters(codec=None)))
def test_what_utf_8_holds_stays_and_halves_are_marked(text: str) -> None:
    """A text of the same length, which can be written, and is the same where it could be before."""
    written = encodable(text)
    assert written.encode().decode() == written
    assert written == "".join("?" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
