"""What an answer is worth: the right set of values, and nothing for a dump."""

from __future__ import annotations

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.studies.context.sample import AnswerForm, place
from memgauge.studies.context.scorer import score, string_match_all
from memgauge.studies.context.tasks import NAMES, sample, samples

COMPUTED = {"count", "sum"}
numbers = st.integers(0, 5_000)


def echo(task: str, number: int, length: int = 1_000) -> str:
    """Answer with everything that was shown."""
    one = sample(task, number)
    return f"{place(one, length).text}\n{one.question}"


def test_an_echo_scores_nothing_under_the_guard_and_everything_as_published() -> None:
    """Side by side: who repeats the whole text has 0 under the guarded set-F1, and 1 under RULER's matcher."""
    pairs = [
        score(echo(one.task, number), one)
        for task in NAMES
        if task not in COMPUTED
        for number, one in enumerate(samples(task, 20))
    ]
    assert mean(found.f1 for found in pairs) == 0.0
    assert mean(found.published for found in pairs) == 1.0
    assert all(found.dumped and not found.right for found in pairs)


@given(st.sampled_from(NAMES), numbers, st.integers(400, 3_000))
def test_no_echo_of_any_length_is_worth_anything(task: str, number: int, length: int) -> None:
    """However short the text, an echo is a dump."""
    one = sample(task, number)
    found = score(f"{place(one, max(length, 600)).text}", one)
    assert (found.f1, found.right, found.dumped) == (0.0, False, True)


@given(st.sampled_from(NAMES), numbers)
def test_the_pieces_alone_are_a_dump(task: str, number: int) -> None:
    """Repeating every piece, without any filler, is no answer either."""
    one = sample(task, number)
    assert score(" ".join(piece.text for piece in one.pieces), one).f1 == 0.0


@given(st.sampled_from(NAMES), numbers)
def test_what_is_right_is_right(task: str, number: int) -> None:
    """The right values score 1, in any order, in a sentence, and in capitals."""
    one = sample(task, number)
    for said in (
        ", ".join(one.gold),
        " and ".join(reversed(one.gold)),
        f"{', '.join(one.gold)}.",
        ", ".join(one.gold).upper(),
    ):
        found = score(said, one)
        assert (found.f1, found.right, found.dumped, found.published) == (1.0, True, False, 1.0), said


@given(st.sampled_from([name for name in NAMES if sample(name, 0).wrong]), numbers, st.data())
def test_a_wrong_value_is_wrong(task: str, number: int, data: st.DataObject) -> None:
    """A wrong value alone scores 0; beside the right ones it takes part of the score, never nothing."""
    one = sample(task, number)
    wrong = data.draw(st.sampled_from(one.wrong))
    assert score(wrong, one).f1 == 0.0
    both = score(", ".join((*one.gold, wrong)), one)
    assert not both.right
    assert both.f1 < 1.0


@given(st.sampled_from(NAMES), numbers)
def test_abstaining_is_worth_nothing_and_is_no_dump(task: str, number: int) -> None:
    """Whoever does not know has 0 under both scorers."""
    found = score("I don't know", sample(task, number))
    assert (found.f1, found.right, found.dumped, found.published) == (0.0, False, False, 0.0)


@given(st.sampled_from(NAMES), numbers, st.text(max_size=300))
def test_a_score_is_a_score(task: str, number: int, said: str) -> None:
    """Whatever is said, scores are shares, right means 1, and a dump is 0."""
    found = score(said, sample(task, number))
    assert 0 <= found.f1 <= 1
    assert 0 <= found.published <= 1
    assert found.right == (found.f1 == 1.0)
    assert not (found.dumped and found.f1)


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("variables", "VAR {0}, VAR {1}, VAR {2} and VAR {3}"),
        ("update", "Since 30 March 2024 it is {0}."),
        ("update", "It is {0} (2024-03-30)."),
        ("sum", "In all, you paid {0}.00 euros."),
        ("sum", "€{0}"),
        ("count", "{0} times"),
        ("needle-dialogue", "The answer is {0}"),
        ("frequent", "- {0}\n- {1}\n- {2}\n- {3}"),
        ("set", "1. {0}, 2. {1}, 3. {2}, 4. {3}, 5. {4}"),
    ],
)
def test_words_around_a_value_are_no_values(task: str, said: str) -> None:
    """Dates, units, marks and words that stand in the text do not count as further values."""
    one = next(one for one in samples(task, 50) if len(one.gold) == said.count("{"))
    assert score(said.format(*one.gold), one).right, said.format(*one.gold)


def test_a_number_may_be_written_out() -> None:
    """Where no digits stand, number words are read."""
    one = next(one for one in samples("count", 50) if one.gold == ("7",))
    assert score("seven times", one).right
    assert not score("eight times", one).right


@pytest.mark.parametrize(
    ("task", "stranger"),
    [("set", "Zzyzzo"), ("needle-noise", "1234509"), ("frequent", "zzyzzo"), ("count", "999")],
)
def test_a_value_that_was_made_up_counts(task: str, stranger: str) -> None:
    """What looks like a value and stands nowhere makes an answer wrong."""
    one = sample(task, 0)
    found = score(f"{', '.join(one.gold)}, {stranger}", one)
    assert not found.right
    assert 0 < found.f1 < 1


def test_naming_more_than_half_of_all_candidates_is_a_dump() -> None:
    """Short as it is, a list of nearly everything is nobody's answer; as published it is right."""
    one = sample("update", 0)
    found = score(", ".join(one.candidates[:4]), one)
    assert (found.f1, found.dumped, found.published) == (0.0, True, 1.0)
    assert not score(", ".join(one.candidates[:2]), one).dumped


def test_as_published_is_recall_in_any_case() -> None:
    """RULER's matcher asks only whether each value is a part of the answer."""
    assert string_match_all("ABC and more", ("abc", "d")) == 1.0
    assert string_match_all("abc", ("abc", "xyz")) == 0.5


def test_forms_are_those_of_the_values() -> None:
    """Every form is used by some task, so that each way to read an answer is tried above."""
    assert {sample(name, 0).form for name in NAMES} == set(AnswerForm)
