"""How hard questions are, measured."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import MANIFEST
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Case, Conversation, Evidence, Fact, Gold, Question, Session, Turn
from memgauge.studies.quality.difficulty import ALL, aggregate, content, measure, measure_case, together
from memgauge.studies.quality.requirements import Measuring, Requirement

if TYPE_CHECKING:
    from pathlib import Path


def at(day: int, hour: int = 9) -> datetime:
    """Name an hour of a day in May 2024."""
    return datetime(2024, 5, day, hour)  # noqa: DTZ001 - conversations live in naive local time


def turn(key: str, session: str, day: int, text: str) -> Turn:
    """Say something."""
    return Turn(key, "Ann", text, session, at(day))


ONE = Session("s1", at(1), (turn("a", "s1", 1, "My home city is Rome."), turn("b", "s1", 1, "The tram was late.")))
TWO = Session(
    "s2",
    at(11),
    (turn("c", "s2", 11, "I have been living in Oslo."), turn("d", "s2", 11, "Imagine my home is Bern.")),
)
CASE = Case(
    Conversation("u", (ONE, TWO)),
    (
        Question("q1", "u", "What is my home city?", "current", at(12)),
        Question("q2", "u", "What was my home city on 2 May 2024?", "as-of", at(12)),
        Question("q3", "u", "Who is my dentist?", "never-said", at(12)),
    ),
)


def cite(*keys: str) -> tuple[Evidence, ...]:
    """Cite turns."""
    return tuple(Evidence(key, exact=True, turns=(key,)) for key in keys)


GOLDS = (
    Gold("q1", cite("c"), ("Oslo",), stale=("a",), decoys=("d",)),
    Gold("q2", cite("a"), ("Rome",), stale=("c",), decoys=("d",)),
    Gold("q3", abstain=True, stale=()),
)
FACTS = (
    Fact("f1", "u", "user", "home city", "Rome", ("a",), valid_from=at(1), valid_to=at(11)),
    Fact("f2", "u", "user", "home city", "Oslo", ("c",), valid_from=at(11)),
)


def test_a_question_is_measured_as_by_hand() -> None:
    """Words in common, rank, near misses, spread and distances of three questions that can be checked by eye."""
    now, then, never = measure_case(CASE, GOLDS, FACTS)
    assert (now.overlap, now.jaccard, now.rank, now.misled) == (0, 0, None, True)
    assert (now.near_misses, now.sessions, now.turns, now.days, now.hops) == (2, 1, 2, 1, 1)
    assert content(CASE.questions[1].text) == ["home", "citi", "2", "may", "2024"]
    assert (then.overlap, then.jaccard, then.rank, then.misled) == (2 / 5, 2 / 6, 1, False)
    assert (then.turns, then.days) == (4, 11)
    assert (never.overlap, never.rank, never.turns, never.hops, never.near_misses) == (None, None, None, None, 0)


def test_figures_are_means_over_what_is_defined() -> None:
    """Every share has its own denominator, and the row of all kinds counts each question once."""
    figures = aggregate(measure_case(CASE, GOLDS, FACTS))
    assert list(figures) == [ALL, "current", "as-of", "never-said"]
    assert (figures[ALL].questions, figures[ALL].evidence) == (3, 2)
    assert (figures[ALL].overlap, figures[ALL].first, figures[ALL].misled) == (0.2, 0.5, 0.5)
    assert figures[ALL].near_misses == round(4 / 3, 4)
    assert (figures["never-said"].overlap, figures["never-said"].top) == (None, None)


def test_the_distance_of_wording_is_what_its_name_says() -> None:
    """Near statements share words with their questions and are found; paraphrased and latent ones are not."""
    figures = {
        level: aggregate(measure(open_dataset(f"synthetic:small,level={level}")))
        for level in ("lex", "para", "latent")
    }
    near, *far = (figures[level]["current"] for level in ("lex", "para", "latent"))
    assert near.overlap is not None
    assert near.overlap > 0.75
    assert near.top == 1
    for one in far:
        assert one.overlap is not None
        assert one.overlap < 0.05
        assert one.top is not None
        assert one.top < 0.1


def test_hops_follow_from_the_facts() -> None:
    """A reference that has to be resolved takes two, a choice under three wishes three, a value one."""
    figures = aggregate(measure(open_dataset("synthetic:small")))
    hops = {kind: figures[kind].hops for kind in ("current", "multi-hop", "duration", "constraints")}
    assert hops == {"current": 1, "multi-hop": 2, "duration": 2, "constraints": 3}


def test_conversations_come_with_their_own_facts() -> None:
    """Facts and gold are joined to the case that they are about."""
    for case, golds, facts in together(open_dataset("synthetic:tiny")):
        assert [gold.question for gold in golds] == [question.id for question in case.questions]
        assert {fact.conversation for fact in facts} == {case.conversation.id}


def test_what_is_measured_while_writing_is_what_is_measured_after(tmp_path: Path) -> None:
    """The manifest holds the figures of the folder, from any number of workers."""
    made = write_world(tmp_path / "one", WorldOrder("tiny", users=range(40)), watch=Measuring())
    again = write_world(tmp_path / "two", WorldOrder("tiny", users=range(40)), workers=2, watch=Measuring())
    assert made == again == json.loads((tmp_path / "one" / MANIFEST).read_text())
    read = aggregate(measure(open_dataset(f"own:{tmp_path / 'one'}")))
    assert made["measured"] == {kind: asdict(one) for kind, one in read.items()}


def test_questions_that_miss_a_requirement_are_dropped_and_counted(tmp_path: Path) -> None:
    """What is left measures as required; turns and truth stay; what has no value is not asked for one."""
    whole = write_world(tmp_path / "whole", WorldOrder("tiny"))
    watch = Measuring((Requirement.parse("overlap<=0.3"), Requirement.parse("date: overlap<0.1")), measured=False)
    made = write_world(tmp_path / "hard", WorldOrder("tiny"), watch=watch)
    assert made["required"]["bounds"] == ["overlap<=0.3", "date:overlap<0.1"]
    dropped = sum(made["required"]["dropped"].values())
    assert dropped > 0
    assert made["counts"]["questions"] == whole["counts"]["questions"] - dropped
    assert made["sha256"]["turns.jsonl"] == whole["sha256"]["turns.jsonl"]
    assert "measured" not in made
    for one in measure(open_dataset(f"own:{tmp_path / 'hard'}")):
        assert one.overlap is None or one.overlap <= (0.1 if one.kind == "date" else 0.3)


@pytest.mark.parametrize("text", ["overlap", "overlap~3", "<=0.3", "current: overlap <= x"])
def test_a_requirement_of_another_form_is_refused(text: str) -> None:
    """The message shows the form."""
    with pytest.raises(ConfigError, match="Write one as"):
        Requirement.parse(text)


def test_a_requirement_on_nothing_measured_is_refused() -> None:
    """The message lists what is measured."""
    with pytest.raises(UnknownNameError, match="Did you mean overlap"):
        Requirement.parse("overlp<1")
