"""Pseudonyms keep equality and nothing else."""

from __future__ import annotations

import hashlib
from hashlib import blake2b

from hypothesis import given
from hypothesis import strategies as st

from memgauge.text.pseudonyms import Pseudonyms, normal_text

KEYED, OTHER, PLAIN = Pseudonyms(b"a key"), Pseudonyms(b"another"), Pseudonyms()


@given(st.binary(min_size=1), st.text(min_size=1))
def test_a_pseudonym_is_the_keyed_hash_of_the_library(key: bytes, value: str) -> None:
    """BLAKE2b under a key of any length: what is known of a name today is known tomorrow."""
    names, fitted = Pseudonyms(key), hashlib.sha512(key).digest()
    data = value.encode("utf-8", "replace")
    assert names.name("user", value) == blake2b(b"user\0" + data, key=fitted, digest_size=16).hexdigest()
    text = b"text\0" + normal_text(value).encode("utf-8", "replace")
    assert names.text_hash(value) == blake2b(text, key=fitted, digest_size=32).hexdigest()


@given(st.text(min_size=1), st.text(min_size=1))
def test_equal_names_stay_equal_and_others_differ(a: str, b: str) -> None:
    """Also under half a surrogate pair, which counts as a question mark."""
    equal = a.encode("utf-8", "replace") == b.encode("utf-8", "replace")
    assert (KEYED.name("user", a) == KEYED.name("user", b)) is equal
    assert KEYED.name("user", a) != KEYED.name("store", a)
    assert KEYED.name("user", a) != OTHER.name("user", a)
    assert PLAIN.name("user", a) == a


def test_what_is_unknown_stays_so() -> None:
    """An empty name says that nothing is known; a memory without an id is named after its text."""
    assert KEYED.name("user", "") == ""
    assert KEYED.memory("", "abc") == "h:abc"
    assert KEYED.memory("", "") == ""
    assert KEYED.memory("m7", "abc") == KEYED.name("memory", "m7")


def test_a_text_is_hashed_without_its_spelling() -> None:
    """White space and the composition of letters change on the way; the hash does not, and needs the key."""
    assert normal_text("  a\u0308 b\n\tc ") == "ä b c"
    assert PLAIN.text_hash("a\u0308  b") == PLAIN.text_hash("ä b")
    assert len({each.text_hash("ä b") for each in (PLAIN, KEYED, OTHER)}) == 3


def test_a_key_is_never_spelled() -> None:
    """Neither in messages nor in logs."""
    assert "a key" not in repr(KEYED)
