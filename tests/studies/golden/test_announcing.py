"""Announcing: texts that say of a value that it is yet to hold, and texts that do not."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from memgauge.studies.golden.announcing import announced
from studies.golden.test_stance import X, Y, labelled
from support import golden_texts

TEXTS = Path(golden_texts.__file__).parent / "announcements.txt"
"""Written on 1 March of a change on 12 March, by somebody who had not read the rule."""
MARCH = datetime(2026, 3, 1, 9)  # noqa: DTZ001 - scenarios live in naive local time


@pytest.mark.parametrize(
    "text",
    [
        f"From 12 March 2026 on, my employer is {X}.",
        f"Employer: {X} (valid from 2026-03-12)",
        f"The user moves to {X} on 12 March 2026.",
        f"As of March 12, 2026 her employer is {X}; it is {Y} now.",
        f"Her next employer is {X}.",
        f"The user will be working for {X}.",
        f"employer -> {X} [2026-03-12 \u2013 ]",
        f"{Y} until 11 March 2026, then {X} from 12 March 2026",
        f"Ab dem 12. März 2026 ist es {X}.",
    ],
)
def test_a_later_day_or_a_word_announces(text: str) -> None:
    """What begins on a later day, or is said to come, is announced."""
    assert announced(text, X, {Y}, MARCH)


@pytest.mark.parametrize(
    "text",
    [
        f"My employer is {X}.",
        f"My employer is {X} until 12 March 2026.",
        f"From 12 February 2026 on, my employer is {X}.",
        f"From 12 March 2026 on, my employer is {Y}. It is {X}.",
        f"Her next employer is {X}. The user works for {X}.",
        f"My deadline ends on 12 March 2026, {Y}.",
    ],
)
def test_what_holds_is_not_announced(text: str) -> None:
    """A later end, an earlier beginning and another sentence announce nothing; nor does silence."""
    assert not announced(text, X, {Y}, MARCH)


def test_the_day_that_is_the_value_announces_nothing() -> None:
    """A deadline is a day to come, and holds already."""
    assert not announced("My deadline is 12 March 2026.", "12 March 2026", (), MARCH)
    assert announced("From 5 March 2026 on my deadline is 12 March 2026.", "12 March 2026", (), MARCH)


@pytest.mark.parametrize(("label", "text"), labelled(TEXTS, frozenset({"announced", "holding"})))
def test_texts_that_were_written_without_the_rule(label: str, text: str) -> None:
    """Records, edges, lists and sentences, in four languages: what is announced is told from what holds."""
    assert announced(text, X, {Y}, MARCH) == (label == "announced")
