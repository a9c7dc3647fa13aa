"""A value is spelt as bytes in every form that files use, each under its name."""

from __future__ import annotations

import base64
import json

from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.encodings import FOLDED, PLAIN, encodings

WORDS = st.text(st.characters(codec="utf-8"), min_size=14, max_size=30)


@given(value=WORDS, before=st.binary(max_size=5), behind=st.binary(max_size=5))
def test_base64_is_found_at_every_alignment(value: str, before: bytes, behind: bytes) -> None:
    """Whatever stands before and behind it in what was encoded."""
    coded = base64.b64encode(before + value.encode() + behind)
    assert any(code in coded for code in encodings(value)["base64"])


@given(value=WORDS)
def test_json_and_wide_forms_are_those_that_python_writes(value: str) -> None:
    """Escaped in JSON, and in UTF-16 and UTF-32 of either order."""
    codes = encodings(value)
    assert all(code in json.dumps(value).encode() for code in codes["escapes"])
    assert codes["UTF-16-LE"] == {value.encode("utf-16-le")}
    assert codes["UTF-32-BE"] == {value.encode("utf-32-be")}
    assert codes[PLAIN] == {value.encode()}


def test_a_coding_that_has_not_all_letters_has_no_form() -> None:
    """A part of a value would be met by chance."""
    assert encodings("\u0414\u043e\u043c\u0438\u043a number 7")["CP500"] == frozenset()
    assert encodings("Short")[FOLDED] == frozenset()
