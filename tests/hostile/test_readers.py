"""Whatever a file holds, its reader returns, or says in words of ours which file cannot be read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgauge import errors
from support.fuzz import attempt, spoilt
from support.readers import READERS

if TYPE_CHECKING:
    import random

    from support.fuzz import Reader, Sample

each = pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
CHANCE = st.randoms(use_true_random=False)
LOOSE = settings(suppress_health_check=list(HealthCheck), database=None)


def read(reader: Reader, files: Sample) -> str:
    """Let a reader read files in a folder of their own; what escapes it is raised here."""
    with tempfile.TemporaryDirectory() as folder:
        return attempt(reader, files, Path(folder))


def ended_well(end: str) -> bool:
    """Whether a file was read, or refused by an error of the one tree."""
    return end == "read" or issubclass(getattr(errors, end, Exception), errors.MemgaugeError)


@each
def test_the_sample_is_read(reader: Reader) -> None:
    """What is spoilt below is whole before."""
    assert read(reader, reader.sample()) == "read"


@each
@given(chance=CHANCE)
@settings(LOOSE, max_examples=6)
def test_a_spoilt_file_is_read_or_refused(reader: Reader, chance: random.Random) -> None:
    """A few, drawn anew every time; what once escaped is in ``test_found.py``."""
    assert ended_well(read(reader, spoilt(reader.sample(), chance, reader.spoil)))


@pytest.mark.slow
@each
@given(chance=CHANCE)
@settings(LOOSE, max_examples=150)
def test_many_spoilt_files_are_read_or_refused(reader: Reader, chance: random.Random) -> None:
    """The same, for longer; `make fuzz` has no end of its own."""
    assert ended_well(read(reader, spoilt(reader.sample(), chance, reader.spoil)))


@each
def test_an_empty_file_is_read_or_refused(reader: Reader) -> None:
    """Each of its files in turn, alone and with all others."""
    sample = reader.sample()
    for name in reader.spoil or tuple(sample):
        assert ended_well(read(reader, sample | {name: b""}))
    assert ended_well(read(reader, sample | dict.fromkeys(reader.spoil or sample, b"")))
