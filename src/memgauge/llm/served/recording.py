"""Record and replay of served models: a request is known again without the day and the ids that it held.

A reply may name them (an id of a memory that it changes), so that it is kept with the same marks and gets today's
day and ids back when it is replayed.
"""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memgauge.errors import ModelError, RequestRefusedError, TemporaryError
from memgauge.llm.cassette import Cassette, Mode
from memgauge.llm.messages import Counted, Finish, Message, Reply, Request, Usage
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import date
    from pathlib import Path

    from memgauge.llm.served.asked import ChatRequest

    Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
    """Takes the body of a request and returns the choice of the reply: ``message``, and ``finish_reason``."""

_UUID = r"(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-f]{32})(?![0-9a-zA-Z])"
_WRONG = {400, 404, 413, 422}
"""Statuses that say that the request is wrong; any other refusal is about who asks."""
_CUT = {"length", "content_filter"}
"""Ends of a reply that a message alone does not show."""
_WORDS, _READ = 400, 65_536
_CLOCK = r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?"


@dataclass
class Marks:
    """Puts marks in the place of ids and of *today*, and takes them away again."""

    today: date
    stood: dict[str, str] = field(default_factory=dict)
    """What stood in the place of each mark."""

    def mask(self, text: str) -> str:
        """Replace ids, and moments of today; what lies in the past stays, since replies depend on it."""
        return re.sub(f"{_UUID}|{self.today.isoformat()}{_CLOCK}", self._mark, text)

    def unmask(self, text: str) -> str:
        """Put back what stood there."""
        for mark, stood in self.stood.items():
            text = text.replace(mark, stood)
        return text

    def _mark(self, match: re.Match[str]) -> str:
        kind = "today" if match[0].startswith(self.today.isoformat()) else "id"
        known = [mark for mark, stood in self.stood.items() if stood == match[0]]
        mark = known[0] if known else f"<{kind} {len(self.stood) + 1}>"
        self.stood[mark] = match[0]
        return mark


def request_of(asked: ChatRequest, marks: Marks) -> Request:
    """Return the request under which a reply is kept."""
    messages = tuple(Message(message.role, marks.mask(message.text)) for message in asked.messages)
    shape: dict[str, Any] = {"tools": dict(asked.tools), "must_use": asked.must_use, "json": asked.json_only}
    return Request(asked.model, messages, {**asked.parameters, **shape}, asked.schema)


@dataclass(frozen=True)
class Upstream:
    """A real OpenAI-compatible address that requests are passed on to."""

    base_url: str
    key: str = ""
    timeout_s: float = 120

    def __call__(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask, and return the choice of the reply.

        Raises:
            TemporaryError: It could not be reached, or said that it was overloaded.
            RequestRefusedError: It takes the request for wrong.
            ModelError: It refused who asks, or its reply cannot be read.
        """
        sent = json.dumps({**body, "stream": False}).encode()
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.key}"} if self.key else {}
        )
        request = urllib.request.Request(f"{self.base_url.rstrip('/')}/chat/completions", sent, headers)  # noqa: S310 - the user's address
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as response:  # noqa: S310 - as above
                choice: Mapping[str, Any] = json_of(response.read())["choices"][0]
                return {"message": choice["message"], "finish_reason": choice.get("finish_reason")}
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from None
        except OSError as error:
            raise TemporaryError(f"{self.base_url} cannot be reached: {error}.") from None
        except (ValueError, LookupError, TypeError):
            raise ModelError(f"{self.base_url} replied what is no chat completion.") from None

    def _refusal(self, error: urllib.error.HTTPError) -> ModelError:
        """Say what a status means; of a wrong request the server's own words too, which no key stands in."""
        status = f"{self.base_url} replied {error.code}"
        if error.code in _WRONG:
            return RequestRefusedError(f"{status}: {_words(error)}.", error.code)
        kind = TemporaryError if error.code == 429 or error.code >= 500 else ModelError
        return kind(f"{status}.")


def _words(error: urllib.error.HTTPError) -> str:
    """Return what a refusal says, as OpenAI spells it or as it stands there."""
    try:
        content = error.read(_READ).decode("utf-8", "replace")
        words = json_of(content)["error"]["message"]
    except OSError:
        return "no reason came"
    except (ValueError, LookupError, TypeError):
        words = content
    return " ".join(str(words).split())[:_WORDS].rstrip(".") or "without a reason"


def recorded(answer: Answer, path: Path, mode: Mode | str, today: date) -> RecordedAnswers:
    """Keep what *answer* says in a cassette at *path*, or replay it from there."""
    return RecordedAnswers(answer, path, Mode(mode), today)


@dataclass(frozen=True)
class RecordedReply:
    """What a model said, now or when it was recorded."""

    message: Mapping[str, Any]
    finish: str
    """How it ended, as the model's server said it; empty where it had said everything."""
    key: str
    """Of the request."""
    replayed: bool


class RecordedAnswers:
    """An answer with a record: a miss raises :class:`memgauge.errors.ReplayMiss`."""

    def __init__(self, answer: Answer, path: Path, mode: Mode, today: date) -> None:
        self._answer = answer
        self._path = path
        self._mode = mode
        self._today = today

    def ask(self, asked: ChatRequest, body: Mapping[str, Any]) -> RecordedReply:
        """Return what is recorded, or ask and record it.

        Raises:
            ReplayMiss: The record does not hold it, and nothing may be asked.
            ModelError: Nothing came.
        """
        marks = Marks(self._today)
        request = request_of(asked, marks)
        cassette = Cassette(_MarkedModel(asked.model, self._answer, body, marks), self._path, self._mode)
        reply = cassette.complete(request)
        message, finish = _read(marks.unmask(reply.text))
        return RecordedReply(message, finish, request.key, reply.replayed)


@dataclass(frozen=True)
class _MarkedModel:
    """A model for one request, which goes out as it came and comes back with marks."""

    name: str
    answer: Answer
    body: Mapping[str, Any]
    marks: Marks

    def complete(self, request: Request) -> Reply:  # noqa: ARG002 - the body holds what the record must not
        text = self.marks.mask(_spelled(self.answer(self.body)))
        return Reply(text, Finish.STOP, Usage(0, 0, Counted.ESTIMATE))


def _spelled(choice: Mapping[str, Any]) -> str:
    """Spell a whole reply as its message, and one that was cut or withheld with how it ended."""
    whole = choice.get("finish_reason") not in _CUT
    return json.dumps(choice["message"] if whole else dict(choice), ensure_ascii=False, sort_keys=True)


def _read(text: str) -> tuple[Mapping[str, Any], str]:
    content: dict[str, Any] = json_of(text)
    return (content["message"], content["finish_reason"]) if "finish_reason" in content else (content, "")
