"""Grams rule out most of what is searched for, and nothing that stands there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.golden import grams, residue
from memgauge.studies.golden.grams import Grams
from memgauge.studies.golden.residue import residues
from memgauge.studies.golden.tokens import KINDS, token

if TYPE_CHECKING:
    from pathlib import Path

FEW = st.binary(max_size=40).map(lambda data: bytes(byte % 3 for byte in data))
"""Bytes of three kinds, of which much stands in much."""


@given(FEW, FEW, st.integers(1, 9))
def test_what_is_there_is_there(data: bytes, wanted: bytes, at_once: int) -> None:
    """As one text says of another, wherever the bytes are parted while they are gone through."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grams, "_AT_ONCE", at_once)
        assert (wanted in Grams(data)) == (wanted in data)


def test_many_values_are_found_as_few_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In every form, at whatever size of a file the way changes."""
    values = [token("grams", f"n{number}", kind) for number in range(4) for kind in KINDS]
    forms = [form for value in values[::2] for form in sorted(residue.spellings(value))]
    (tmp_path / "store").write_bytes(b"\n".join(forms))
    found = []
    for much in (0, 1 << 40):
        monkeypatch.setattr(residue, "_MUCH", much)
        found.append(residues([tmp_path / "store"], values))
    assert found[0] == found[1]
    assert found[0].keys() >= set(values[::2])
