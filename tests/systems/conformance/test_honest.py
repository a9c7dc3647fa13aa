"""No memory that tops a board by a trick conforms, and what is wrong with it is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.records import Verdict
from memgauge.systems.catalogue import open_system
from memgauge.systems.conformance import check
from memgauge.systems.conformance.bench import turns
from memgauge.systems.conformance.honest import HONEST, Spoken
from memgauge.systems.reference.crafted.claiming import RarestWord
from support import crafted
from support.systems import HalfIds, Verbose

if TYPE_CHECKING:
    from memgauge.systems.protocol import MemorySystem


@pytest.mark.parametrize(
    ("name", "check_name", "words"),
    [
        ("Lazy", "rankings are plain values", "hits (SlowTuple)"),
        ("Computing", "rankings are plain values", "Late"),
        ("Okay", "memories bear their sources", "hold nothing of 24 of them"),
        ("FirstTurn", "memories bear their sources", "name 24 turns as their sources"),
        ("Everything", "memories are kept apart", "one memory holds all 4 sessions"),
        ("RarestWord", "memories bear their sources", "hold nothing of 23 of them"),
        ("Echo", "hits are not the question", "a word of the question that nobody said"),
        ("Unsure", "searches answer when unsure", "LookupError"),
    ],
)
def test_a_trick_is_named(name: str, check_name: str, words: str) -> None:
    """The check fails, in words that say what it is."""

    def opened() -> MemorySystem:
        made = RarestWord if name == "RarestWord" else getattr(crafted, name)
        system: MemorySystem = made()
        return system

    report = check(opened)
    assert not report.conforms
    (found,) = [each for each in report.checks if each.name == check_name]
    assert found.verdict is Verdict.FAIL
    assert words in found.detail


def test_what_a_check_says_fits_into_any_file() -> None:
    """Ids that no encoding can hold, and messages with a document in them, are quoted as far as a line can."""
    for memory in (HalfIds, Verbose):
        report = check(memory)
        assert not report.conforms
        for each in report.checks:
            assert len(each.detail.encode()) < 3_000, each.name


@pytest.mark.parametrize("ref", ["bm25", "recency", "chunks", "pipeline", "full", "random"])
def test_a_memory_that_remembers_is_let_through(ref: str) -> None:
    """Of ours none is taken for a trick."""
    report = check(lambda: open_system(ref))
    assert {each.verdict for each in report.checks if each.name in HONEST} == {Verdict.PASS}


def test_a_text_bears_a_turn_by_its_rare_words() -> None:
    """By those of the witness that boards credit by: what every turn says counts for nothing."""
    spoken = Spoken.of(turns())
    assert spoken.borne_by(turns()[0].text, "t0")
    assert spoken.borne_by("A new neighbour, Quillfeather.", "t23")
    assert not spoken.borne_by("in the garden", "t23")
    assert not spoken.borne_by("the beans came up", "t23")
