"""Distractors and counterfactuals by rules."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.studies.track.curation.assemble import in_order
from memgauge.studies.track.curation.distract import distract
from memgauge.studies.track.curation.review import review
from memgauge.studies.track.curation.says import says
from memgauge.studies.track.timeline.models import HiddenQuestion, SlackEvent, Timeline
from support.track.curation import shipped


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    """Return a finished instance."""
    return Timeline.model_validate(json.loads(shipped()))


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 30))
def test_what_misleads_never_tells(timeline: Timeline, seed: int, count: int) -> None:
    """No new event says an answer, all lie within the time, and later events correct what is wrong."""
    events, roles = distract(timeline, count, seed)
    assert (events, roles) == distract(timeline, count, seed)
    assert {event.id for event in events} == set(roles)
    first, last = timeline.events[0].at, timeline.events[-1].at
    for event in events:
        assert first <= event.at <= last
        assert not any(says(event, question.answer) for question in timeline.questions)
    whole = Timeline.model_validate(dict(timeline) | {"events": in_order((*timeline.events, *events))})
    assert {one.code for one in review(whole, roles)} <= {"no-distractor", "no-counterfactual"}


def test_there_are_as_many_distractors_as_wanted_and_no_more_than_the_list_has(timeline: Timeline) -> None:
    """Everyday talk does not repeat itself."""
    kinds = [role.kind for role in distract(timeline, 8, 0)[1].values()]
    assert kinds.count("distractor") == 8
    many = distract(timeline, 100, 0)[1].values()
    assert 15 <= sum(role.kind == "distractor" for role in many) <= 21


@pytest.mark.parametrize(
    ("answer", "shape"),
    [
        ("2025-03-28", r"2025-03-\d\d"),
        ("212", r"\b2\d\d\b"),
        ("wen", "mira|oskar|jonas|adele|tariq"),
        ("till/pool.py", r"till/\w+\.py|README\.md"),
        ("free words", None),
    ],
)
def test_a_wrong_value_is_of_the_kind_of_the_right_one(timeline: Timeline, answer: str, shape: str | None) -> None:
    """Dates for dates, numbers for numbers, people for people, files for files; else none."""
    asked = HiddenQuestion(id="q1", text="What?", answer=answer, evidence=("e09", "e16", "e26"))
    events, roles = distract(timeline.model_copy(update={"questions": (asked,)}), 1, 3)
    wrong = [event for event in events if roles[event.id].kind == "counterfactual"]
    if shape is None:
        assert wrong == []
        return
    (event,) = wrong
    assert roles[event.id].superseded_by == "e26"
    assert isinstance(event.payload, SlackEvent)
    assert event.payload.reply_to == "e09"
    assert timeline.event("e09").at < event.at < timeline.event("e26").at
    assert re.search(shape, event.payload.messages[0].text)


def test_without_talk_or_a_past_there_is_little_to_be_wrong_about(timeline: Timeline) -> None:
    """A wrong value is said in the open where nobody talked, and not at all before everything."""
    ticket = HiddenQuestion(id="q1", text="What?", answer="212", evidence=("e10",))
    events, roles = distract(timeline.model_copy(update={"questions": (ticket,)}), 1, 0)
    (wrong,) = (event for event in events if roles[event.id].kind == "counterfactual")
    assert isinstance(wrong.payload, SlackEvent)
    assert wrong.payload.channel == "general"
    for asked in (("e01",), ()):
        question = HiddenQuestion(id="q1", text="What?", answer="212", evidence=asked)
        _, roles = distract(timeline.model_copy(update={"questions": (question,)}), 1, 0)
        assert [role.kind for role in roles.values()] == ["distractor"]


def test_a_file_without_neighbours_gets_one(timeline: Timeline) -> None:
    """Where no other file is known, one beside it is made up."""
    talk = tuple(event for event in timeline.events if event.kind == "message")[:4]
    asked = HiddenQuestion(id="q1", text="What?", answer="till/pool.py", evidence=(talk[0].id, talk[3].id))
    later = talk[3].model_copy(update={"at": talk[3].at + timedelta(days=1)})
    one = timeline.model_copy(update={"events": (*talk[:3], later), "questions": (asked,)})
    events, _ = distract(one, 1, 0)
    assert any("till/pool_helpers.py" in event.model_dump_json() for event in events)
