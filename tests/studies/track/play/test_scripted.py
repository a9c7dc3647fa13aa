"""The agents without a model."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.llm.messages import Message, ToolCall, ToolSpec
from memgauge.studies.track.play.instance import Setup, opened
from memgauge.studies.track.play.loop import AgentLoop, AgentQuestion
from memgauge.studies.track.play.played import PlayedInstance, QuestionEnding
from memgauge.studies.track.play.scripted import OracleAgent, RandomAgent
from memgauge.studies.track.play.searcher import Searcher, answer, rank
from memgauge.studies.track.scoring.card import card
from memgauge.studies.track.timeline.models import Commit, Event, HiddenQuestion, SlackEvent, SlackMessage
from support.track.play import START, timeline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.play.agents import Agent
    from memgauge.studies.track.play.trajectory import Call
    from memgauge.studies.track.timeline.models import Timeline

OFFERED = [ToolSpec(name, "", {"properties": {}}) for name in ("list_tickets", "run_shell_command", "answer")]


def playing(agent: Agent, one: Timeline, setup: Setup | None = None, context: Any = None) -> PlayedInstance:
    """Play one instance."""
    rows: list[Call] = []
    with opened(one, setup or Setup(sandbox="off")) as setting:
        options = {"context": context} if context else {}
        loop = AgentLoop(agent, setting, setting.arm, "Be good.", on_call=rows.append, **options)
        answers = list(loop.play([AgentQuestion(q.id, q.text) for q in one.questions]))
    return PlayedInstance(one.name, 0, tuple(rows), tuple(answers))


def test_the_oracle_sees_the_evidence_and_answers_right() -> None:
    """The ceiling: everything right, everything seen, nothing read twice for one question."""
    values = card(playing(OracleAgent(timeline()), timeline()), timeline()).values()
    assert (values["correctness"], values["evidence_seen_before"], values["redundancy"]) == (1, 1, 0)


def test_the_oracle_finds_evidence_of_every_kind() -> None:
    """Direct messages, replies and commits are looked for where they are."""
    base = timeline()
    more = (
        Event(
            id="d1",
            at=START + timedelta(hours=6),
            payload=SlackEvent(messages=(SlackMessage(sender="kim", text="psst"),), recipients=("lee",)),
        ),
        Event(
            id="r1",
            at=START + timedelta(hours=7),
            payload=SlackEvent(messages=(SlackMessage(sender="lee", text="ok"),), reply_to="e4"),
        ),
        Event(id="c1", at=START + timedelta(hours=8), payload=Commit(message="Retry 7 times")),
    )
    one = base.model_copy(
        update={
            "events": (*base.events, *more),
            "questions": (HiddenQuestion(id="q", text="What?", answer="x", evidence=("d1", "r1", "c1")),),
        }
    )
    played = playing(OracleAgent(one), one)
    assert {"get_direct_messages", "get_channel_messages"} == {call.tool for call in played.calls}
    assert {"d1", "r1"} <= {name for call in played.calls for name in call.events}
    clone = "app: git clone http://git.local:3000/pgym/app.git (branch main)"
    listed = ToolCall("1", "list_remote_git_repositories", "{}")
    talk = [Message("tool", clone, answers=listed), Message("user", "What?")]
    tools = [*OFFERED, ToolSpec("list_remote_git_repositories", "", {})]
    calls = OracleAgent(one).step(talk, tools).calls
    assert any("git clone -q http://git.local:3000/pgym/app.git" in call.arguments for call in calls)


def test_the_oracle_says_nothing_to_a_question_that_it_was_not_told() -> None:
    """Gold is its own; a strange question has none."""
    (given,) = OracleAgent(timeline()).step([Message("user", "And now?")], OFFERED).calls
    assert json.loads(given.arguments) == {"text": ""}


def test_the_searcher_finds_what_words_can_find() -> None:
    """Without any gold: a name, a date, and a number from the lines that fit."""
    played = playing(Searcher(), timeline())
    assert [one.text for one in played.answers] == ["dana", "2025-06-03", "7"]
    assert len(played.calls) <= 7


def test_the_searcher_uses_a_memory_where_it_has_one() -> None:
    """It asks the memory first, and stores what it found."""
    from memgauge.studies.track.play.context import ContextPolicy, ContextWindow

    setup = Setup("bm25", "tools", "off")
    played = playing(Searcher(), timeline(), setup, ContextWindow(ContextPolicy.RESET))
    tools = [call.tool for call in played.calls if call.question == "q1"]
    assert (tools[0], tools[-1]) == ("search_memory", "store_memory")
    passive = playing(Searcher(), timeline(), Setup("bm25", "passive", "off"), ContextWindow(ContextPolicy.RESET))
    without = playing(Searcher(), timeline(), Setup(sandbox="off"), ContextWindow(ContextPolicy.RESET))
    assert any(one.recalled for one in passive.answers)
    assert len(passive.calls) <= len(without.calls)


@pytest.mark.parametrize(
    ("question", "lines", "found"),
    [
        ("When is the release?", ["The release is on 20250610."], "2025-06-10"),
        ("When was it said?", ["[1.0] 2025-05-15 10:00 UTC lee: soon"], "2025-05-15"),
        ("How many tests fail?", ["On 2025-05-15 there were 12 failures"], "12"),
        ("How many?", ["nobody knows"], "nobody knows"),
        ("Who reviews?", ["[1.0] 2025-05-15 10:00 UTC lee: ask @kim"], "kim"),
        ("Who leads it?", ["abc 'Title' (team=ml, lead=dana)"], "dana"),
        ("Who spoke but lee?", ["[1.0] 2025-05-15 10:00 UTC lee: me"], "me"),
        ("Which file?", [], "unknown"),
    ],
)
def test_an_answer_is_what_the_question_asks_for(question: str, lines: list[str], found: str) -> None:
    """Dates, numbers and names are taken out of lines; nothing is found in nothing."""
    assert answer(question, lines) == found


def test_rare_words_weigh_more() -> None:
    """A line that holds the rare word of a question comes first; ties keep their order."""
    lines = ["the cache is full", "the cache is empty", "the loader waits for the cache"]
    assert rank("Is the loader of the cache slow?", lines)[0][1] == lines[2]
    assert [line for _, line in rank("the cache", lines)][:2] == lines[:2]
    assert rank("zebra", lines) == []


def test_the_random_agent_survives_and_repeats() -> None:
    """Unknown tools and broken arguments are rows; the same seed plays the same."""
    many = timeline(questions=[HiddenQuestion(id=f"q{n}", text=f"What {n}?", answer="x") for n in range(30)])
    first, again, other = (playing(RandomAgent(seed), many, Setup("bm25", "tools", "off")) for seed in "aab")
    assert [call.row() for call in first.calls] == [call.row() for call in again.calls]
    assert first.answers == again.answers
    assert first.answers != other.answers
    codes = {call.error.split(":")[0] for call in first.calls}
    assert {"unknown_tool", "invalid_json"} <= codes
    assert all(one.ended is QuestionEnding.ANSWERED for one in first.answers)


def test_random_values_fit_their_kind() -> None:
    """Every kind of argument can be made up."""
    kinds = ("integer", "number", "boolean", "array", "object", "string")
    schema = {"properties": {kind: {"type": [kind, "null"]} for kind in kinds}, "required": list(kinds)}
    agent = RandomAgent("a")
    seen: Sequence[Any] = []
    for _ in range(40):
        seen = [*seen, *agent.step([Message("user", "What now?")], [ToolSpec("do", "", schema)]).calls]
    given = [json.loads(call.arguments) for call in seen if call.name == "do" and call.arguments != "{broken"]
    assert given
    assert all(set(one) == set(kinds) for one in given)
