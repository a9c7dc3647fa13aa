"""What stands in a text, however it is spelt."""

from __future__ import annotations

import pytest

from memgauge.studies.golden.spellings import written


def exact(text: str) -> set[str]:
    """Name what a text says whole."""
    return {place.key for place in written(text).places if place.exact}


@pytest.mark.parametrize("text", ["in Lis\u00adbon", "in Lis-\nbon"])
def test_a_word_that_was_divided_is_one_word(text: str) -> None:
    """By a soft hyphen, or at the end of a line."""
    assert exact(text) == {"in", "lisbon"}


@pytest.mark.parametrize(("number", "whole"), [("12.00", "#12"), ("1.000", "#1"), ("12.50", None), ("0.50", None)])
def test_a_number_with_nothing_behind_its_point_is_the_whole_one(number: str, whole: str | None) -> None:
    """It may be read as that one, and is written as another."""
    read = {place.key for place in written(number).places if not place.exact}
    assert read == ({whole} if whole else set())


def test_a_code_may_be_read_without_its_last_groups() -> None:
    """Whole it is exactly itself."""
    places = {(place.key, place.exact) for place in written("AB 12-34-56").places if place.key[0] == "a"}
    assert {("ab123456", True), ("ab1234", False), ("ab12", False)} <= places
