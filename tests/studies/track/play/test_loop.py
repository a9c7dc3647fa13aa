"""The loop: what is asked when, what is a row, and what ends a question."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.errors import ConfigError, ModelError, ReplayMiss, TemporaryError
from memgauge.llm.messages import Finish, Message, Reply, Request, ToolCall, ToolSpec
from memgauge.llm.scripted import scripted_reply
from memgauge.studies.track.play.arms import Recall, SilentArm
from memgauge.studies.track.play.context import ContextPolicy, ContextWindow
from memgauge.studies.track.play.limits import Allowance, PlayLimits
from memgauge.studies.track.play.loop import AgentLoop, AgentQuestion
from memgauge.studies.track.play.played import Answer, QuestionEnding
from memgauge.studies.track.timeline.models import Platform
from memgauge.studies.track.tools.router import Tool, ToolFailed, ToolResult, ToolRouter
from memgauge.studies.track.tools.schema import arguments, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.track.play.trajectory import Call

ASK = [AgentQuestion("q1", "Who?"), AgentQuestion("q2", "When?")]


def _get(given: Any) -> ToolResult:
    if given["ticket_id"] == "none":
        raise ToolFailed("ticket_not_found", "there is no ticket 'none'")
    if given["ticket_id"] == "broken":
        raise OSError("disk on fire")
    return ToolResult(f"ticket {given['ticket_id']}", ("e0",), ("ticket:1:title:e0",))


TOOLS = [Tool("get_ticket", Platform.LINEAR, "read", "Read.", arguments({"ticket_id": text()}), _get)]


@dataclass
class Stage:
    """A world with one tool, whose time goes on between questions."""

    router: ToolRouter = field(default_factory=lambda: ToolRouter(TOOLS))
    notice: str = ""

    def now(self) -> str:
        """Return a time."""
        return "2025-05-15T09:00:00+00:00"

    def next_question(self) -> str:
        """Say what happened."""
        return self.notice


class Script:
    """An agent that says what it is told, and keeps what it was shown."""

    def __init__(self, *said: Any) -> None:
        self.said = list(said)
        self.shown: list[Sequence[Message]] = []
        self.offered: list[str] = []

    def step(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Say the next thing: a text, calls, a reply, or a fault."""
        self.shown.append(list(messages))
        self.offered = [tool.name for tool in tools]
        said = self.said.pop(0) if len(self.said) > 1 else self.said[0]
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        request = Request("script", tuple(messages))
        return scripted_reply(request, said) if isinstance(said, str) else scripted_reply(request, calls=said)


def get(ticket: str = "1", number: int = 0) -> ToolCall:
    """Ask for a ticket."""
    return ToolCall(f"c{number}", "get_ticket", json.dumps({"ticket_id": ticket}))


def say(answer: Any) -> ToolCall:
    """Answer through the tool."""
    return ToolCall("a", "answer", json.dumps({"text": answer}))


def play(agent: Script, asked: Sequence[AgentQuestion] = ASK, **options: Any) -> tuple[list[Answer], list[Call]]:
    """Play questions and return answers and rows."""
    rows: list[Call] = []
    stage = options.pop("stage", Stage())
    loop = AgentLoop(agent, stage, options.pop("arm", SilentArm()), "Be good.", on_call=rows.append, **options)
    return list(loop.play(asked)), rows


def test_a_question_is_answered_by_the_tool_or_by_a_reply_without_calls() -> None:
    """Both ways end the work on a question; the answer tool is offered, and is no row."""
    agent = Script([get()], [say(" dana ")], "in June")
    answers, rows = play(agent)
    assert [(one.text, one.ended, one.turns, one.after) for one in answers] == [
        ("dana", QuestionEnding.ANSWERED, 2, 1),
        ("in June", QuestionEnding.ANSWERED, 1, 1),
    ]
    (row,) = rows
    assert (row.seq, row.question, row.turn, row.ok, row.events) == (0, "q1", 0, True, ("e0",))
    assert (row.platform, row.effect, row.touched) == (Platform.LINEAR, "read", ("ticket:1:title:e0",))
    assert row.ms is not None
    assert agent.offered == ["get_ticket", "answer"]
    assert (answers[0].input_tokens > 0, answers[0].usd) == (True, 0.0)


def test_the_next_question_is_not_taken_before_the_last_is_done_with() -> None:
    """Nobody who plays can know how many questions there are, or what they ask."""
    agent = Script("yes")
    taken: list[str] = []

    def questions() -> Iterator[AgentQuestion]:
        for one in ASK:
            taken.append(one.id)
            yield one

    loop = AgentLoop(agent, Stage(), SilentArm(), "Be good.")
    running = loop.play(questions())
    next(running)
    assert taken == ["q1"]
    assert all("When?" not in message.text for message in agent.shown[0])
    next(running)
    assert taken == ["q1", "q2"]


def test_calls_of_one_reply_are_made_in_order_within_one_turn() -> None:
    """What follows an answer in the same reply is not called, and is told so."""
    agent = Script([get("1", 0), get("2", 1), say("dana"), get("3", 2)], "done")
    answers, rows = play(agent)
    assert [(row.seq, row.turn, row.arguments["ticket_id"]) for row in rows] == [(0, 0, "1"), (1, 0, "2")]
    assert answers[0].text == "dana"
    told = {m.answers.id: m.text for m in agent.shown[-1] if m.answers is not None}
    assert told["c2"] == "not called: the question is answered"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (ToolCall("1", "fly", "{}"), "unknown_tool"),
        (ToolCall("1", "get_ticket", "{broken"), "invalid_json"),
        (ToolCall("1", "get_ticket", "[1]"), "invalid_json"),
        (ToolCall("1", "get_ticket", "{}"), "invalid_arguments"),
        (ToolCall("1", "get_ticket", '{"ticket_id": 5}'), "invalid_arguments"),
        (ToolCall("1", "get_ticket", '{"ticket_id": "a", "loudly": true}'), "invalid_arguments"),
        (get("none"), "ticket_not_found"),
        (get("broken"), "internal_error"),
    ],
)
def test_every_failure_is_a_row_with_a_reason_that_the_agent_sees(call: ToolCall, error: str) -> None:
    """Nothing that an agent writes ends the run."""
    agent = Script([call], "dana")
    answers, rows = play(agent, ASK[:1])
    assert [(row.ok, row.error.split(":")[0]) for row in rows] == [(False, error)]
    assert rows[0].text == rows[0].error == agent.shown[1][-1].text
    assert answers[0].text == "dana"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"answer": "dana"}', "unknown argument 'answer'; known: text"),
        ("{}", "missing argument 'text'"),
        ('{"text": ["dana"]}', "'text' has to be string, not ['dana']"),
        ("{broken", "the arguments are no object"),
    ],
)
def test_an_answer_that_is_not_written_as_one_is_told_why(arguments: str, problem: str) -> None:
    """It is no call to the environment, and the work goes on."""
    agent = Script([ToolCall("1", "answer", arguments)], [say("dana")])
    answers, rows = play(agent, ASK[:1], limits=PlayLimits(question=Allowance(calls=1)))
    assert rows == []
    assert agent.shown[1][-1].text == f"invalid_arguments: answer: {problem}"
    assert (answers[0].text, answers[0].turns) == ("dana", 2)


@pytest.mark.parametrize("lost", [TemporaryError("503"), ReplayMiss("not in the record")])
def test_a_reply_that_does_not_come_is_no_answer_of_the_agents(lost: ModelError) -> None:
    """Whoever plays is told, and no question is ended by it."""
    with pytest.raises(type(lost)):
        play(Script([get()], lost))


def test_a_model_that_refuses_everything_gives_no_wrong_answers() -> None:
    """A parameter that it does not take is refused at once; a conversation that is too long only after a while."""
    with pytest.raises(ModelError, match="no such parameter"):
        play(Script(ModelError("no such parameter")))
    answers, _ = play(Script([get()], ModelError("this conversation is too long"), "dana"))
    assert [(answer.ended, answer.reason) for answer in answers] == [
        (QuestionEnding.FAULT, "this conversation is too long"),
        (QuestionEnding.ANSWERED, ""),
    ]


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ("  ", QuestionEnding.SILENT),
        ([say("")], QuestionEnding.SILENT),
        (scripted_reply(Request("x", ()), "half of", finish=Finish.LENGTH), QuestionEnding.CUT_OFF),
        (scripted_reply(Request("x", ()), "I will not", finish=Finish.REFUSAL), QuestionEnding.REFUSED),
    ],
)
def test_what_gives_no_answer_is_told_and_the_next_question_is_asked(said: Any, ended: QuestionEnding) -> None:
    """A fault or silence ends one question."""
    answers, _ = play(Script(said, "dana"))
    assert [one.ended for one in answers] == [ended, QuestionEnding.ANSWERED]
    assert answers[0].text == ""


@pytest.mark.parametrize(
    ("limits", "ended", "rows"),
    [
        (PlayLimits(turns=3), QuestionEnding.TURNS, 3),
        (PlayLimits(question=Allowance(calls=2)), QuestionEnding.CALLS, 2),
        (PlayLimits(question=Allowance(tokens=40)), QuestionEnding.TOKENS, 3),
        (PlayLimits(question=Allowance(seconds=7)), QuestionEnding.TIME, 1),
    ],
)
def test_a_limit_of_a_question_ends_it(limits: PlayLimits, ended: QuestionEnding, rows: int) -> None:
    """Each question begins anew with its own allowance."""
    ticks = iter(range(0, 1000, 2))
    answers, made = play(Script([get()]), limits=limits, clock=lambda: next(ticks))
    assert [one.ended for one in answers] == [ended, ended]
    assert sum(row.question == "q1" for row in made) == rows
    assert answers[0].reason


def test_a_limit_within_one_reply_stops_its_further_calls() -> None:
    """Calls that are not allowed any more are not made, and are told so."""
    agent = Script([get("1", 0), get("2", 1)], "late")
    answers, rows = play(agent, ASK[:1], limits=PlayLimits(question=Allowance(calls=1)))
    assert len(rows) == 1
    assert answers[0].ended is QuestionEnding.CALLS


def test_a_limit_of_the_instance_skips_what_is_left() -> None:
    """Further questions are not asked, and are answers that say so."""
    answers, rows = play(Script([get()]), limits=PlayLimits(instance=Allowance(calls=3)))
    assert [one.ended for one in answers] == [QuestionEnding.CALLS, QuestionEnding.SKIPPED]
    assert len(rows) == 3
    assert "of the instance" in answers[1].reason


def test_limits_are_at_least_one() -> None:
    """A limit of nothing is a mistake."""
    with pytest.raises(ConfigError, match="question calls=0"):
        PlayLimits(question=Allowance(calls=0))
    with pytest.raises(ConfigError, match="turns=0"):
        PlayLimits(turns=0)


def test_notices_and_recalled_memories_stand_before_the_question() -> None:
    """What arrived between questions is told with the next one; what was recalled is kept with the answer."""

    class Recalling(SilentArm):
        def recall(self, question: str) -> Recall:
            return Recall(f"remembered for {question}", ("m1",), ("e0",))

        def faults(self) -> tuple[str, ...]:
            return ("search did not return within 1 s",)

    agent = Script("yes")
    answers, _ = play(agent, arm=Recalling(), stage=Stage(notice="[notification] 1 new Slack message in #ml."))
    asked = [message.text for message in agent.shown[-1] if message.role == "user"]
    assert asked[0] == "remembered for Who?\n\nWho?"
    assert asked[1].split("\n\n")[1:] == ["[notification] 1 new Slack message in #ml.", "When?"]
    assert (answers[0].recalled, answers[0].events) == (("m1",), ("e0",))
    assert answers[0].faults == ("search did not return within 1 s",)


def test_a_conversation_is_kept_or_begun_anew() -> None:
    """Reset leaves the system prompt alone; keep leaves everything."""
    for policy, roles in (
        (ContextPolicy.KEEP, ["system", "user", "assistant", "tool", "assistant", "user"]),
        (ContextPolicy.RESET, ["system", "user"]),
    ):
        agent = Script([get()], "dana", "in June")
        play(agent, context=ContextWindow(policy))
        assert [message.role for message in agent.shown[-1]] == roles
        assert agent.shown[0][0].text == "Be good."


def test_a_compact_conversation_leaves_out_the_oldest_results() -> None:
    """The last results always stay, and what is left out is named."""
    agent = Script(*[[get("x" * 400, n)] for n in range(7)], "dana")
    play(agent, ASK[:1], context=ContextWindow(ContextPolicy.COMPACT, 500))
    results = [message.text for message in agent.shown[-1] if message.answers is not None]
    assert [text.startswith("(The result of get_ticket is left out") for text in results] == [True] * 3 + [
        False
    ] * 4
    free = Script([get("1")], "dana")
    play(free, ASK[:1], context=ContextWindow(ContextPolicy.COMPACT))
    assert free.shown[-1][-1].text == "ticket 1"


@pytest.mark.parametrize(
    ("text_", "spelled"),
    [
        ("keep", "keep"),
        ("reset", "reset_between_questions"),
        ("compact", "compact:60000"),
        ("compact:9", "compact:9"),
    ],
)
def test_a_policy_is_read_and_spelled(text_: str, spelled: str) -> None:
    """What is spelled can be read again."""
    assert str(ContextWindow.parse(text_)) == spelled
    assert ContextWindow.parse(spelled) == ContextWindow.parse(text_)


@pytest.mark.parametrize("wrong", ["forget", "keep:5", "compact:many", "compact:0"])
def test_an_unknown_policy_is_told(wrong: str) -> None:
    """Neither names nor numbers that do not fit pass."""
    with pytest.raises(ConfigError):
        ContextWindow.parse(wrong)
