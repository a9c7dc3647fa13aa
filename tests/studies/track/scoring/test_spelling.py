"""One spelling for what is said in many."""

from __future__ import annotations

import pytest

from memgauge.studies.track.scoring.spelling import answer_of, dated, holds, timed, words


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("[FINAL ANSWER] 142", "142"),
        ("Looked twice.\n**Final answer:** `prepare.py`", "prepare.py"),
        ("<final answer>done</final answer>", "done"),
        ("[FINAL ANSWER] 1 and later [FINAL ANSWER] 2", "2"),
        ("The answer is dana.", "dana."),
        ("142\n[FINAL ANSWER]", "142\n[FINAL ANSWER]"),
        ("dummy_factory.py", "dummy_factory.py"),
    ],
)
def test_marks_around_an_answer_are_taken_off(text: str, answer: str) -> None:
    """What follows the last marker counts, without fences and emphasis; a marker at the end marks nothing."""
    assert answer_of(text) == answer


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("20250515", "2025-05-15"),
        ("20250515T0900", "2025-05-15"),
        ("on 2025-05-15T09:00:00Z", "on 2025-05-15"),
        ("120250515", "120250515"),
        ("20251315", "20251315"),
    ],
)
def test_compact_dates_become_dates(text: str, written: str) -> None:
    """Only what can be a date is one."""
    assert dated(text) == written


def test_words_keep_versions_and_paths_whole() -> None:
    """Underscores and marks of mention separate; words for one status are one."""
    assert words("@sarah_chen: v1.4.2 in src/a.py, COMPLETED!") == (
        "sarah",
        "chen",
        "v1.4.2",
        "in",
        "src/a.py",
        "done",
    )


def test_a_phrase_is_a_run_of_words() -> None:
    """Nothing holds an empty phrase, and order counts."""
    assert holds(("a", "b", "c"), ("b", "c"))
    assert not holds(("a", "b", "c"), ("c", "b"))
    assert not holds(("a",), ())


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("30 s", "30 seconds"),
        ("within 5min.", "within 5 minutes."),
        ("1.5 h", "1.5 hours"),
        ("the 1990s", "the 1990s"),
        ("v1.4 s", "v1.4 s"),
        ("30 ms", "30 ms"),
    ],
)
def test_brief_units_of_time_are_written_in_full(text: str, written: str) -> None:
    """Behind a number, and nowhere else."""
    assert timed(text) == written
