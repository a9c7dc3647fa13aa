"""Agents without a model: random, which breaks things on purpose, and the oracle, which is told what is right."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

from memgauge.llm.messages import Request, ToolCall
from memgauge.llm.scripted import scripted_reply
from memgauge.studies.track.timeline.models import Commit, SlackEvent, Ticket

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.llm.messages import Message, Reply, ToolSpec
    from memgauge.studies.track.timeline.models import Event, Timeline

Wanted = tuple[str, "Mapping[str, Any] | str"]
"""A tool and its arguments, or what a broken model writes in their place."""

_WORD = re.compile(r"[\w.-]{2,}")
_CLONE = re.compile(r"git clone (\S+)")
_WHOLE = 1_000


def reply(name: str, messages: Sequence[Message], steps: Sequence[Wanted]) -> Reply:
    """Make a reply that asks for tools; its ids tell which call of the conversation each is."""
    call_count = sum(len(message.calls) for message in messages)
    calls = [
        ToolCall(
            f"call-{call_count + number}", tool, arguments if isinstance(arguments, str) else json.dumps(arguments)
        )
        for number, (tool, arguments) in enumerate(steps)
    ]
    return scripted_reply(Request(name, tuple(messages)), calls=calls)


def question_in(messages: Sequence[Message]) -> str:
    """Return the last thing that was asked, with whatever stands before the question."""
    return next((message.text for message in reversed(messages) if message.role == "user"), "")


def since_question(messages: Sequence[Message]) -> Sequence[Message]:
    """Return what came after the last question."""
    question_at = max((place for place, message in enumerate(messages) if message.role == "user"), default=-1)
    return messages[question_at + 1 :]


class OracleAgent:
    """Looks at the evidence and answers with gold: the ceiling, and no agent.

    Gold comes through the constructor; the loop has none to give.
    """

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._done: set[str] = set()
        self._shown: dict[str, set[str]] = {"list_tickets": set(), "list_remote_git_repositories": set()}

    def step(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Read the evidence that was not read yet, then answer."""
        for message in messages:
            if message.answers is not None and message.answers.name in self._shown:
                self._shown[message.answers.name].update(message.text.splitlines())
        question_text = question_in(messages)
        fitting = [question for question in self._timeline.questions if question_text.endswith(question.text)]
        question = max(fitting, key=lambda fitting: len(fitting.text), default=None)
        if question is None:
            return reply("oracle", messages, [("answer", {"text": ""})])
        tool_names = {tool.name for tool in tools}
        evidence = [self._timeline.event(name) for name in question.evidence]
        steps = {json.dumps(step): step for event in evidence for step in self._steps(event)}
        open_steps = {key: step for key, step in steps.items() if key not in self._done and step[0] in tool_names}
        self._done |= set(open_steps)
        if open_steps:
            return reply("oracle", messages, list(open_steps.values()))
        return reply("oracle", messages, [("answer", {"text": question.answer})])

    def _steps(self, event: Event) -> Iterator[Wanted]:
        """Yield the calls that reveal *event*; the next ones, where one needs the result of another."""
        match event.payload:
            case SlackEvent(channel="", reply_to=""):
                yield "get_direct_messages", {"with_user": event.payload.messages[0].sender, "limit": _WHOLE}
            case SlackEvent():
                yield "get_channel_messages", {"channel": self._channel(event), "limit": _WHOLE}
            case Ticket():
                yield "list_tickets", {"limit": _WHOLE}
                for line in sorted(self._shown["list_tickets"]):
                    if repr(event.payload.title) in line:
                        yield "get_ticket", {"ticket_id": line.split()[0]}
            case Commit():
                yield "list_remote_git_repositories", {}
                matches = map(_CLONE.search, sorted(self._shown["list_remote_git_repositories"]))
                for address in [match[1] for match in matches if match]:
                    folder = address.rsplit("/", 1)[-1].removesuffix(".git")
                    yield "run_shell_command", {"command": f"git clone -q {address} && git -C {folder} log"}

    def _channel(self, event: Event) -> str:
        """Return where *event* was said: replies stand where what they answer does."""
        payload = event.payload
        while isinstance(payload, SlackEvent) and not payload.channel and payload.reply_to:
            payload = self._timeline.event(payload.reply_to).payload
        return payload.channel if isinstance(payload, SlackEvent) else ""


class RandomAgent:
    """Calls tools at random, some unknown and some with arguments that do not fit; answers a random word.

    The floor, and a test of everything that has to survive a bad agent.
    """

    def __init__(self, seed: str) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - a floor needs no secrecy

    def step(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Make a few calls, or answer."""
        turns = sum(message.role == "assistant" for message in since_question(messages))
        if turns >= self._dice.randint(1, 4):
            return reply("random", messages, [("answer", {"text": self._word(messages)})])
        steps = [self._call(messages, tools) for _ in range(self._dice.randint(1, 3))]
        return reply("random", messages, steps)

    def _call(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Wanted:
        fate = self._dice.random()
        if fate < 0.05:
            return "ask_colleague", {}
        tool = self._dice.choice([tool for tool in tools if tool.name not in {"answer", "run_shell_command"}])
        if fate < 0.1:
            return tool.name, "{broken"
        properties: Mapping[str, Any] = tool.schema.get("properties", {})
        required_names = set(tool.schema.get("required", ()))
        arguments = {
            name: self._value(schema, messages)
            for name, schema in properties.items()
            if name in required_names or self._dice.random() < 0.2
        }
        return tool.name, arguments

    def _value(self, schema: Mapping[str, Any], messages: Sequence[Message]) -> Any:
        kinds = schema.get("type", "string")
        kind = kinds if isinstance(kinds, str) else kinds[0]
        match kind:
            case "integer":
                return self._dice.randint(1, 20)
            case "number":
                return round(self._dice.random(), 2)
            case "boolean":
                return self._dice.random() < 0.5
            case "array":
                return [self._word(messages)]
            case "object":
                return {}
            case _:
                return self._word(messages)

    def _word(self, messages: Sequence[Message]) -> str:
        """Return a word that was seen anywhere."""
        words = [word for message in messages if message.role != "system" for word in _WORD.findall(message.text)]
        return self._dice.choice(words) if words else "nothing"
