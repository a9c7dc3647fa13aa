"""The answerer without a model: which sentence, and which part of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.llm.extractive import Extractive
from memgauge.text.tokens import tokenize

WORDS = [
    "Nora",
    "boat",
    "painted",
    "red",
    "the",
    "May",
    "7",
    "yesterday",
    "Oslo",
    "in",
    "who",
    "when",
    "?",
    ".",
    "\n",
]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def read(question: str, *context: str, sentences: int = 1) -> str:
    """Answer *question* from *context*."""
    return Extractive(sentences).answer(question, context)


@pytest.mark.parametrize(
    ("question", "memory", "answer"),
    [
        ("When did Nora sail?", "Nora sailed on 7 May 2023, in the rain.", "7 May 2023"),
        ("When did Nora sail?", "In her new boat Nora sailed last Tuesday.", "last Tuesday"),
        ("When did Nora sail?", "Nora sailed two weeks ago!", "two weeks ago"),
        ("In which year did Nora sail?", "Nora sailed to Oslo in 2019.", "2019"),
        ("When may Nora march?", "Nora may march with a drum.", "drum"),
        ("How long did Nora sail?", "Nora sailed with 4 friends for three weeks.", "three weeks"),
        ("How many boats has Nora?", "Nora has twelve boats in her garden.", "twelve"),
        ("How old is Nora?", "Nora is 41, I think.", "41"),
        ("Who sailed with Nora?", "Nora sailed with Aunt Vera of Bergen and a dog.", "Aunt Vera of Bergen"),
        ("Where did Nora sail?", "Nora sailed from Bergen to Oslo on a boat.", "Oslo"),
        ("What did Nora paint?", "Nora painted an old wooden boat for me.", "old wooden boat"),
    ],
)
def test_the_question_word_decides_what_is_cut_out(question: str, memory: str, answer: str) -> None:
    """Times, durations, numbers, names and places; else the sentence without what is already known."""
    assert read(question, memory) == answer


def test_what_is_asked_for_but_absent_falls_back_to_the_sentence() -> None:
    """Without a time in it, the sentence that shares most words is trimmed."""
    assert read("When did Nora sail?", "Nora sailed at high tide.") == "high tide"


def test_the_sentence_with_most_words_of_the_question_is_read() -> None:
    """Words are compared by their stems, and function words do not count."""
    memories = ["What did he do to the cat? He fed it.", "I slept. Nora was painting her boats green."]
    assert read("What did Nora do to the boat she paints?", *memories) == "green"


def test_ties_go_to_what_is_asked_for_then_to_statements_then_to_the_better_memory() -> None:
    """The order of the memories decides last."""
    assert read("When did Nora sail?", "Nora sailed far.", "Nora sailed on Monday.") == "Monday"
    assert read("What did Nora buy?", "Did Nora buy eggs?", "Nora bought milk. Nora bought rope.") == "eggs"
    assert read("What did Nora paint?", "Did Nora paint eggs?", "Nora painted walls.") == "walls"
    assert read("What did Nora paint?", "Nora painted doors.", "Nora painted walls.") == "doors"


def test_several_sentences_contribute_in_order_of_merit() -> None:
    """A sentence that only repeats the question does not take a place."""
    memories = ["Nora painted!", "Some rope was there.", "Nora painted walls."]
    assert read("What did Nora paint?", *memories, sentences=2) == "walls rope"


def test_it_abstains_where_nothing_new_is_said() -> None:
    """No memory, no words, or only words of the question give the empty answer."""
    assert not read("Who is Nora?")
    assert not read("Who is Nora?", "", " ... ", "?!")
    assert not read("Who is Nora?", "Nora is. Who is Nora?")


@given(TEXTS, st.lists(TEXTS, max_size=4), st.integers(1, 3))
def test_an_answer_is_made_of_what_was_retrieved(question: str, context: list[str], sentences: int) -> None:
    """Its words come from the context, it says something new or nothing, and asking twice changes nothing."""
    answer = read(question, *context, sentences=sentences)
    assert set(tokenize(answer)) <= set(tokenize(" ".join(context)))
    assert answer == read(question, *context, sentences=sentences)
    assert not answer or set(tokenize(answer)) - set(tokenize(question))


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_one_sentence_answers_are_spans(question: str, context: list[str]) -> None:
    """With one sentence the answer stands in a memory as written."""
    answer = read(question, *context)
    assert not answer or any(answer in text for text in context)
