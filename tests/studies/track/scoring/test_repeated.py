"""What an answer repeats of its question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.track.scoring.correctness import correctness
from memgauge.studies.track.scoring.repeated import PLACEHOLDER, without_values
from memgauge.studies.track.scoring.verdicts import by_rules
from memgauge.studies.track.timeline.models import HiddenQuestion
from memgauge.studies.track.timeline.opening import DEMO, find_instances, open_instance
from memgauge.studies.track.timeline.people import everybody
from support.track.play import answered, played, timeline

PEOPLE = ("ines", "kato", "mira")


@pytest.mark.parametrize(
    ("answer", "gold", "question"),
    [
        ("The code of door 0 in house 0 is 1000.", "1000", "What is the code of door 0 in house 0?"),
        ("Kato replaced Ines as lead", "kato", "Who replaced Ines as lead?"),
        ("It moved from 2025-06-20 to 2025-06-27", "20250627", "Where was it moved from June 20, 2025?"),
        (
            "At the meeting on 2025-06-20 it became 2025-06-27",
            "2025-06-27",
            "What of the meeting on 20 June 2025?",
        ),
        ("PR #15 raised it to 30 seconds", "30 s", "To what did PR #15 raise the timeout?"),
        ("In week 2 the count was 212", "212", "What was the count in week two?"),
        ("v1.4.2, after v1.4.1", "v1.4.2", "What came after v1.4.1?"),
        ("RETRY_LIMIT replaced POOL_LIMIT", "RETRY_LIMIT", "What replaced POOL_LIMIT?"),
        ("For PR 15: mira, kato", "mira, kato", "Who looked at PR 15, after Ines?"),
    ],
)
def test_what_the_question_says_contradicts_no_answer(answer: str, gold: str, question: str) -> None:
    """Told again as there, a number, a date, a person or a name of the question is no rival."""
    verdict = by_rules(answer, gold, PEOPLE, question)
    assert (verdict.score, verdict.correct) == (1.0, True)


@pytest.mark.parametrize(
    ("answer", "gold", "question"),
    [
        ("Ines replaced Kato as lead", "kato", "Who replaced Ines as lead?"),
        ("Kato, Ines", "kato", "Who replaced Ines as lead?"),
        ("Kato took over from Ines", "kato", "Who leads since Ines left?"),
        ("It moved from 2025-06-27 to 2025-06-20", "2025-06-27", "Where was it moved from 2025-06-20?"),
        ("not mira", "mira", "Who is not at work?"),
        ("The person is not Ines", "Ines", "Which person is not on call?"),
        ("The port is not 8080", "8080", "Which port is not open?"),
        ("on call except Ines", "Ines", "Who was on call except Kato?"),
        ("The door that is not open is 5", "5", "Which door is not open?"),
        ("POOL_LIMIT instead of RETRY_LIMIT", "POOL_LIMIT", "What is used instead of RETRY_LIMIT?"),
    ],
)
def test_what_is_said_otherwise_than_in_the_question_is_left_to_a_judge(
    answer: str, gold: str, question: str
) -> None:
    """Rules cannot tell who replaced whom, nor what is denied: that is neither right nor 0."""
    verdict = by_rules(answer, gold, PEOPLE, question)
    assert (verdict.score, verdict.correct, verdict.settled) == (None, None, False)
    assert "what the question names" in verdict.reason


@pytest.mark.parametrize(
    ("answer", "gold", "question"),
    [
        ("door 0 in house 0", "1000", "What is the code of door 0 in house 0?"),
        ("15", "30 s", "To what did PR #15 raise the timeout?"),
        ("30 minutes", "30 s", "To what did PR #15 raise the timeout?"),
        ("Ines", "kato", "Who replaced Ines as lead?"),
        ("In week 2 it was 212, in week 3 217", "212", "What was the count in week 2?"),
        ("Kato or Ines", "kato", "Who leads, Kato or Ines?"),
        ("Kato, Ines", "kato", "Who leads, Kato or Ines?"),
        ("from 10 to 30", "30", "It went from 10 to 30, or back: which was first?"),
        ("2025-06-20, 2025-06-27", "2025-06-27", "Was it 20 June 2025 or 27 June 2025?"),
    ],
)
def test_who_repeats_the_question_has_said_nothing(answer: str, gold: str, question: str) -> None:
    """Without the accepted value there is nothing right, nor where the question asks which of its own it is."""
    assert by_rules(answer, gold, PEOPLE, question).score == 0.0


def test_the_questions_themselves_are_no_answers() -> None:
    """Of all shipped instances: what holds no accepted answer becomes none by being its own question."""
    for path in find_instances([DEMO]):
        instance = open_instance(path)
        people = everybody(instance)
        for asked in instance.questions:
            without = by_rules(asked.text, asked.answer, people)
            assert by_rules(asked.text, asked.answer, people, asked.text) == without


WORDS = st.lists(st.sampled_from(["door", "0", "12", "to", "not", "kato", "Ines", "2025-06-20", "two", "the"]))


@given(WORDS.map(" ".join), st.sampled_from(["12", "kato", "2025-06-20", "2", "the door", "12, kato", "yes"]))
def test_no_question_answers_itself(question: str, gold: str) -> None:
    """What is left out of an answer makes it right only if something else of it is."""
    assert by_rules(question, gold, PEOPLE, question).correct is not True or (
        by_rules(question, gold, PEOPLE).correct is True
    )


def test_values_are_taken_out_by_what_they_mean() -> None:
    """A date in another spelling and a number in words are those of the question; a version is no number."""
    repeated = without_values("On 20 June 2025 door 2 got 1.4", "Which door two on 2025-06-20?", "1.4", ())
    assert repeated is not None
    assert repeated.answer == f"On {PLACEHOLDER} door {PLACEHOLDER} got 1.4"
    assert without_values("1.4.2", "Is it 1.4?", "9", ()) is None
    assert without_values("nothing of it", "Which door 2?", "9", ()) is None


def test_questions_are_scored_beside_their_own_words() -> None:
    """The score of an instance knows what each question says."""
    asked = [HiddenQuestion(id="q1", text="What is the code of door 0?", answer="1000")]
    instance = timeline("tiny", asked)
    answers = [answered("q1", "The code of door 0 is 1000.")]
    assert correctness(played((), answers), instance).score == 1.0
