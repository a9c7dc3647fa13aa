"""A searcher without a model: reads place after place until lines fit the question, and answers from the best.

It acts on what it sees in the conversation alone, so that a context that is reset makes it read again, and a
memory that brings lines back spares it that: the plain behaviour that the arms can be tried with.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log
from typing import TYPE_CHECKING

from memgauge.studies.track.play.scripted import question_in, reply, since_question
from memgauge.studies.track.scoring.spelling import dated
from memgauge.text.jsons import object_of
from memgauge.text.tokens import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.llm.messages import Message, Reply, ToolSpec
    from memgauge.studies.track.play.scripted import Wanted

ENOUGH = 0.6
"""Share of a question's weight that one line must hold for reading to stop."""
KEPT = 3
"""Lines that are stored in a memory, and that an answer is taken from."""
LONGEST = 25
"""Words of an answer."""

_CHANNEL = re.compile(r"^#(\S+) \(", re.MULTILINE)
_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_NUMBER = re.compile(r"(?<![\w.#:-])\d+(?:\.\d+)?(?![\w:-])")
_SAID = re.compile(r"^\[\S+\] (?P<date>\S+) \S+ UTC (?P<who>\S+)(?: to [^:]*)?(?: \([^)]*\))*: (?P<text>.*)")
_STOPPED = """
a an and any are as at be been by did do does for from had has have how i in is it its many much of on or that the
their them there they this to was were what when where which who whom whose why will with
"""
_STOP = frozenset(_STOPPED.split())


class Searcher:
    """Reads tickets, then channels, then ticket by ticket; stores what it found where there is a memory."""

    def step(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        """Read the next place, or answer."""
        tool_names = {tool.name for tool in tools}
        question = _asked(question_in(messages))
        if "search_memory" in tool_names and not _made(since_question(messages), "search_memory"):
            return reply("search", messages, [("search_memory", {"query": question, "limit": 10})])
        lines = list(dict.fromkeys(_lines(messages)))
        ranking = rank(question, lines)
        if not ranking or ranking[0][0] < ENOUGH:
            place = next(self._places(messages, tool_names), None)
            if place is not None:
                return reply("search", messages, [place])
        best = [line for _, line in ranking[:KEPT]]
        return self._answered(messages, tool_names, question, best)

    @staticmethod
    def _answered(messages: Sequence[Message], tool_names: set[str], question: str, best: Sequence[str]) -> Reply:
        keep = "store_memory" in tool_names and not _made(since_question(messages), "store_memory")
        steps: list[Wanted] = [("store_memory", {"content": "\n".join(best)})] if keep and best else []
        return reply("search", messages, [*steps, ("answer", {"text": answer(question, best)})])

    @staticmethod
    def _places(messages: Sequence[Message], tool_names: set[str]) -> Iterator[Wanted]:
        """Yield what was not read yet in the conversation as far as it can be seen."""
        for tool in ("list_tickets", "list_channels"):
            if tool in tool_names and not _made(messages, tool):
                yield tool, {}
        for name in _CHANNEL.findall(_results(messages, "list_channels")):
            if not _made(messages, "get_channel_messages", "channel", name):
                yield "get_channel_messages", {"channel": name, "limit": 200}
        for line in _results(messages, "list_tickets").splitlines():
            ticket = line.split(" ", 1)[0]
            if "=" in line and not _made(messages, "get_ticket", "ticket_id", ticket):
                yield "get_ticket", {"ticket_id": ticket}


def _results(messages: Sequence[Message], tool: str) -> str:
    """Return everything that one tool returned."""
    return "\n".join(m.text for m in messages if m.answers is not None and m.answers.name == tool)


def rank(question: str, lines: Sequence[str]) -> list[tuple[float, str]]:
    """Order lines by the share of the question's weight that they hold; rare words weigh more, ties keep order."""
    bags = [set(tokenize(line, stem="english")) for line in lines]
    line_counts = Counter(word for bag in bags for word in bag)
    question_words = {word for word in tokenize(question, stem="english") if word not in _STOP}
    weights = {word: log(1 + len(lines) / (1 + line_counts[word])) for word in question_words}
    total = sum(weights.values()) or 1.0
    shares = [sum(weights[word] for word in sorted(question_words & bag)) / total for bag in bags]
    pairs = zip(shares, lines, strict=True)
    return sorted((pair for pair in pairs if pair[0] > 0), key=lambda pair: -pair[0])


def answer(question: str, lines: Sequence[str]) -> str:
    """Take from the best lines what the question asks for: a date, a number, a name, or the line itself."""
    question_text = question.casefold()
    texts = [_text(line) for line in lines]
    if re.search(r"\b(when|what date|which date|which day|what day|due date)\b", question_text):
        return next((match[0] for text in texts if (match := _DATE.search(dated(text)))), _date_of(lines))
    if re.search(
        r"\b(how many|how much|what number|which number|what is the (?:total|sum|limit|value))\b", question_text
    ):
        numbers = (match[0] for text in texts if (match := _NUMBER.search(_DATE.sub("", text))))
        return next(numbers, _brief(texts))
    if re.search(r"\bwho\b", question_text):
        return next((name for line in lines if (name := _name(line, question_text))), _brief(texts))
    return _brief(texts)


def _name(line: str, question: str) -> str:
    """Return who leads, is mentioned, or speaks; never somebody whom the question names."""
    spoken = _SAID.match(line)
    lead = re.search(r"\blead(?:=|: )(\w[\w.-]*)", line)
    mention = re.search(r"@(\w[\w.-]*\w)", line)
    names = [lead[1] if lead else "", mention[1] if mention else "", spoken["who"] if spoken else ""]
    return next((name for name in names if name and name.casefold() not in question), "")


def _date_of(lines: Sequence[str]) -> str:
    return next((match["date"] for line in lines if (match := _SAID.match(line))), _brief(lines))


def _text(line: str) -> str:
    spoken = _SAID.match(line)
    return spoken["text"] if spoken else line


def _brief(texts: Sequence[str]) -> str:
    return " ".join(texts[0].split()[:LONGEST]) if texts else "unknown"


def _asked(text: str) -> str:
    """Return the question itself, which is what a user message ends with."""
    return text.rsplit("\n\n", 1)[-1]


def _lines(messages: Sequence[Message]) -> Iterator[str]:
    """Yield every line that a tool returned, and those that came with a question from a memory."""
    for message in messages:
        if message.answers is not None and message.answers.name not in {"list_channels", "store_memory", "answer"}:
            for line in message.text.splitlines():
                if len(line.split()) > 1:
                    yield re.sub(r"^\[m\d+\] ", "", line)
        elif message.role == "user":
            recall, _, _ = message.text.rpartition("\n\n")
            yield from (line for line in recall.splitlines()[1:] if len(line.split()) > 1)


def _made(messages: Sequence[Message], tool: str, argument: str = "", value: str = "") -> bool:
    """Whether a call was made, with this argument where one is named."""
    calls = [call for message in messages for call in message.calls if call.name == tool]
    return any(not argument or (object_of(call.arguments) or {}).get(argument) == value for call in calls)
