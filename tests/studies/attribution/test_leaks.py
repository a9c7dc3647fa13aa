"""Values that crossed from one user to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.studies.attribution.cells import ABSENT
from memgauge.studies.attribution.labels import FollowedSource
from memgauge.studies.attribution.leaks import GivenValues, given_by_slot
from memgauge.studies.attribution.question import make_questions
from memgauge.studies.attribution.readers import ReaderReply
from memgauge.studies.attribution.run import observe
from memgauge.studies.attribution.study import attribute
from memgauge.studies.attribution.words import notes
from memgauge.systems.reference.wired import UNKNOWN
from support.attribution import DATED

if TYPE_CHECKING:
    from memgauge.studies.attribution.question import Shown
    from studies.attribution.conftest import Saying


@pytest.mark.parametrize(
    ("text", "leaked"),
    [
        ("It is 7 March 2050.", "7 March 2050"),
        ("2050-03-07\nSources: 1", "7 March 2050"),
        ("I don't know; perhaps March 7th, 2050", "7 March 2050"),
        ("7 March", ""),
        ("7 March 2051", ""),
        ("3 May 2055", ""),
        ("3 May 2040", ""),
    ],
)
def test_a_day_of_somebody_else_is_one_with_its_year(text: str, leaked: str) -> None:
    """A day alone is hit by chance, and one that the question has too may be its own."""
    assert GivenValues.of({"7 March 2050", "3 May 2055", *DATED.values}).leaked(DATED, text) == leaked


def test_what_anybody_would_guess_is_nobodys() -> None:
    """It is said by whoever guesses; everything else that users were given of a slot is looked for."""
    questions = make_questions(48)
    given = given_by_slot(questions)
    for question in questions:
        held = set(given[question.slot].by_text.values())
        assert {*question.values} - held == {question.lure}
        assert all(item.value in given[item.slot].by_text.values() for item in question.beside)


def test_a_memory_that_keeps_the_last_value_over_scopes_leaks(saying: type[Saying]) -> None:
    """What it says of another user is a leak, and neither invented nor a guess, unless anybody would guess it."""
    kept: dict[str, str] = {}
    leaks = 0

    def answer(ask: Shown) -> ReaderReply:
        nonlocal leaks
        held = next((item.value for item in ask.memory if item.slot == ask.question.slot), "")
        if held:
            kept[ask.question.slot] = held
        value = held or kept.get(ask.question.slot, "")
        leaks += not held and value not in {"", ask.question.lure, ask.document, ask.state}
        return ReaderReply(value or UNKNOWN)

    card = attribute(saying(answer), make_questions(48))
    counted = sum(row.followed.get("elsewhere", 0) for row in card.matrix)
    assert counted == leaks > 100
    assert card.broken == (f"LEAK: {leaks} answers with a value that no source held",)
    assert card.rates.invention.hits == 0
    assert any("It leaks: what counts as a guess may be of other users too" in note for note in notes(card))
    assert card.rates.leak.hits == next(row for row in card.matrix if row.cell == "absent").followed["elsewhere"]


def test_values_of_two_users_at_once_are_one_leak(saying: type[Saying]) -> None:
    """And what states more than that of this user leaks all the same."""
    questions = make_questions(24)
    texts = {question.id: f"{questions[12].shared} or {questions[12].own[0]}" for question in questions}
    seen = observe(saying(lambda ask: ReaderReply(texts[ask.question.id])), questions, (ABSENT,)).seen
    assert seen[questions[0].id, "absent"].follows is FollowedSource.ELSEWHERE
    assert seen[questions[0].id, "absent"].value.endswith("\x00")
    assert seen[questions[12].id, "absent"].follows is FollowedSource.SEVERAL
    assert seen[questions[1].id, "absent"].follows is FollowedSource.OTHER
