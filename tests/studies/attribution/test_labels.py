"""Whose value an answer states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import ABSENT, AGREE, ALL, ALONE, CONFLICT, JOINT, AnswerSource, Held
from memgauge.studies.attribution.labels import FollowedSource, mentioned, named_sources, stated, whose
from memgauge.studies.attribution.question import SlotQuestion
from support.attribution import DATED

if TYPE_CHECKING:
    from memgauge.studies.attribution.cells import Intervention

CITY = SlotQuestion("q1", "home city", False, "Xu Bode", ("Vi Masa", "Ja Pire", "Qo Lunu"), "Zu Teko", ())  # noqa: FBT003 - positional record
CODE = SlotQuestion("q2", "door code", False, "1957", ("8231", "4477", "6612"), "9345", ())  # noqa: FBT003 - positional record


@pytest.mark.parametrize(
    ("cell", "text", "said"),
    [
        (CONFLICT, "Vi Masa", FollowedSource.MEMORY),
        (CONFLICT, "You live in ja pire.", FollowedSource.DOCUMENT),
        (CONFLICT, "Qo  Lunu\nSources: 1", FollowedSource.STATE),
        (AGREE, "Xu Bode", FollowedSource.AGREED),
        (JOINT[0], "Zu Teko", FollowedSource.SHARED),
        (ABSENT, "New York", FollowedSource.GUESS),
        (ABSENT, "I don't know", FollowedSource.ABSTAINED),
        (ABSENT, "I don\u2019t have any information about that.", FollowedSource.ABSTAINED),
        (ABSENT, "There is no record of your home city.", FollowedSource.ABSTAINED),
        (ABSENT, "", FollowedSource.ABSTAINED),
        (ABSENT, "Sources: none", FollowedSource.ABSTAINED),
        (ABSENT, "Berlin", FollowedSource.OTHER),
        (CONFLICT, "Vi Masa, or Ja Pire", FollowedSource.SEVERAL),
        (AGREE, "Vi Masa", FollowedSource.ELSEWHERE),
        (ABSENT, "Xu Bode", FollowedSource.ELSEWHERE),
        (ALONE[0], "I don't know. Perhaps New York.", FollowedSource.GUESS),
    ],
)
def test_every_answer_follows_exactly_one(cell: Intervention, text: str, said: FollowedSource) -> None:
    """By the value that stands in it, whatever the words around."""
    assert whose(CITY, cell, text)[0] is said


@pytest.mark.parametrize("cell", ALL, ids=lambda cell: cell.name)
def test_the_value_of_a_source_is_always_laid_at_its_door(cell: Intervention) -> None:
    """In each cell and for each source, by what the cell says that it holds."""
    kinds = {Held.BASE: FollowedSource.AGREED, Held.SHARED: FollowedSource.SHARED}
    for source in AnswerSource:
        held = CITY.held(source, cell)
        if held:
            expected = kinds.get(cell.of(source), FollowedSource(source.value))
            assert whose(CITY, cell, f"It is {held}.") == (expected, held)


@pytest.mark.parametrize("text", ["3 May 2040", "May 3rd, 2040", "2040-05-03", "the 3rd of May", "on 3 May."])
def test_a_date_is_read_in_any_spelling(text: str) -> None:
    """The year may go unsaid."""
    assert stated(DATED, text) == "3 May 2040"


@pytest.mark.parametrize(("text", "value"), [("1,957", "1957"), ("code 1957.", "1957"), ("19571", None)])
def test_a_number_is_a_number_and_no_year(text: str, value: str | None) -> None:
    """Also where it looks like a year, and not within a longer one."""
    assert stated(CODE, text) == value


def test_words_are_whole_words() -> None:
    """``blue`` does not stand in ``bluebell``."""
    assert mentioned("A bluebell.", ["blue"]) == set()
    assert mentioned("A BLUE bell.", ["blue"]) == {"blue"}


def test_two_unlike_answers_that_hold_no_value_can_be_told_apart() -> None:
    """So that a change from one to the other counts as a change."""
    first, second = (whose(CITY, ABSENT, text)[1] for text in ("Berlin", "Paris"))
    assert first != second
    assert whose(CITY, ABSENT, "berlin.")[1] == first


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Vi Masa", None),
        ("Vi Masa\nSources: 1, 3", ("1", "3")),
        ("Vi Masa\nSource: [2]", ("2",)),
        ("Vi Masa\n**Sources:** 1 and 4.", ("1", "4")),
        ("Vi Masa\nSources: none", ()),
        ("Vi Masa\nSources:", ()),
        ("Vi Masa\nsources: a1-0, document", ("a1-0", "document")),
    ],
)
def test_sources_are_read_from_their_line(text: str, names: tuple[str, ...] | None) -> None:
    """No line is not the same as an empty one."""
    assert named_sources(text) == names
