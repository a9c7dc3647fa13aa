"""The one way to ask a model: what it is told, how its reply has to look, and what became of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from memgauge.errors import ModelError
from memgauge.llm.access import complete_many, outcome_of
from memgauge.llm.fences import nonce
from memgauge.llm.forms import MarkedObject, ReplyForm, repeats
from memgauge.llm.judges.injection import attempts
from memgauge.llm.messages import ChatModel, Finish, Message, Reply, Request, Usage

S = TypeVar("S")
T = TypeVar("T")


class ReplyEnding(StrEnum):
    """What became of a reply; only the first has a value."""

    READ = "read"
    UNREADABLE = "unreadable"
    """It is not what was asked for, so that nothing in it counts."""
    REPEATED = "repeated"
    """It only repeats what was to be judged."""
    CUT = "cut off"
    DECLINED = "declined"
    """The model refused, or asked for tools that nobody offered."""
    FAILED = "failed"
    """There is none."""


@dataclass(frozen=True, slots=True)
class ReadReply(Generic[T]):
    """A reply and what was read in it."""

    ending: ReplyEnding
    value: T | None = None
    """What was asked for; ``None`` where it was not said."""
    reason: str = ""
    """Why there is no value; empty where there is one."""
    key: str = ""
    """Of the request."""
    reply: Reply | None = None
    """As it came."""
    fault: ModelError | None = None
    """Why there is no reply."""

    @property
    def text(self) -> str:
        """Return what the model said, word for word."""
        return self.reply.text if self.reply is not None else ""

    @property
    def usage(self) -> Usage | None:
        """Return what the reply took."""
        return self.reply.usage if self.reply is not None else None


@dataclass(frozen=True)
class Inquiry(Generic[T]):
    """One thing to ask, and the only way in which a reply to it is read."""

    messages: tuple[Message, ...]
    form: ReplyForm[T]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 0
    judged: str = ""
    """What is to be judged, where something is: foreign text, whose repetition is no verdict."""

    def request(self, model: str) -> Request:
        """Return what *model* is sent."""
        return Request(model, self.messages, dict(self.parameters), self.form.schema, self.sample)

    def read(self, outcome: Reply | ModelError, key: str = "") -> ReadReply[T]:
        """Read what came back; *key* is that of the request."""
        if isinstance(outcome, ModelError):
            return ReadReply(ReplyEnding.FAILED, None, str(outcome), key, fault=outcome)
        if outcome.finish is not Finish.STOP:
            ending = ReplyEnding.CUT if outcome.finish is Finish.LENGTH else ReplyEnding.DECLINED
            return ReadReply(ending, None, f"ended as {outcome.finish}", key, outcome)
        if repeats(outcome.text, self.judged):
            reason = "the reply only repeats what was to be judged"
            return ReadReply(ReplyEnding.REPEATED, None, reason, key, outcome)
        try:
            value = self.form.read(outcome.text)
        except ValueError as error:
            return ReadReply(ReplyEnding.UNREADABLE, None, str(error), key, outcome)
        return ReadReply(ReplyEnding.READ, value, "", key, outcome)


Again = Callable[[Inquiry[T], ReadReply[T]], Inquiry[T] | None]
"""What is asked after a reply without a value; ``None`` leaves it at that."""


def ask(model: ChatModel, inquiry: Inquiry[T]) -> ReadReply[T]:
    """Ask *model* once; what the call takes counts in the ledger of its :class:`memgauge.llm.access.Access`.

    Raises:
        BudgetError: The call could exceed what was allowed.
        UserError: The model cannot be asked before the user has mended something.
    """
    request = inquiry.request(model.name)
    return inquiry.read(outcome_of(model, request), request.key)


def ask_many(
    model: ChatModel, inquiries: Iterable[tuple[S, Inquiry[T]]], workers: int = 8
) -> Iterator[tuple[S, ReadReply[T]]]:
    """Ask *workers* inquiries at a time, each beside its subject, and yield what came of them in the order asked.

    They are taken as they are needed. Whoever stops listening stops the asking.

    Raises:
        BudgetError: At the place of the first call that was refused.
        UserError: At the place of the first request that met what only the user can mend.
    """
    waiting: deque[tuple[S, Inquiry[T], str]] = deque()

    def requests() -> Iterator[Request]:
        for subject, inquiry in inquiries:
            request = inquiry.request(model.name)
            waiting.append((subject, inquiry, request.key))
            yield request

    for outcome in complete_many(model, requests(), workers):
        subject, inquiry, key = waiting.popleft()
        yield subject, inquiry.read(outcome, key)


def ask_again(model: ChatModel, inquiry: Inquiry[T], again: Again[T], tries: int = 3) -> ReadReply[T]:
    """Ask until a reply has a value, *tries* times at most; return the last one."""
    answer = ask(model, inquiry)
    for _ in range(tries - 1):
        further = again(inquiry, answer) if answer.value is None else None
        if further is None:
            break
        inquiry = further
        answer = ask(model, inquiry)
    return answer


def resampled(inquiry: Inquiry[T], answer: ReadReply[T]) -> Inquiry[T] | None:
    """Ask the same anew, as another sample; a call that failed is not repeated, for that was tried below."""
    return None if answer.ending is ReplyEnding.FAILED else replace(inquiry, sample=inquiry.sample + 1)


def marked(inquiry: Inquiry[T], answer: ReadReply[T]) -> Inquiry[T] | None:
    """Ask once more, for a verdict with a mark, where what was to be judged has come between: it cannot hold it.

    So an answer full of verdict lines does not leave a judge without a say.
    """
    silenced = answer.ending is ReplyEnding.UNREADABLE and attempts(inquiry.judged)
    if isinstance(inquiry.form, MarkedObject) or not (silenced or answer.ending is ReplyEnding.REPEATED):
        return None
    mark = nonce(*(message.text for message in inquiry.messages))
    again = (
        "What is to be judged looks like a verdict itself. Reply with one JSON object and nothing else, of "
        f'"mark", "reason" and what is asked for: {_fields(inquiry)}. Its mark is "{mark}", told to you alone.'
    )
    *before, last = inquiry.messages
    messages = (*before, replace(last, text=f"{last.text}\n\n{again}"))
    return replace(inquiry, messages=messages, form=MarkedObject(inquiry.form, mark))


def _fields(inquiry: Inquiry[Any]) -> str:
    wanted = (inquiry.form.schema or {}).get("properties", {})
    named = [(name, each.get("enum")) for name, each in wanted.items() if name != "reason"]
    return "; ".join(f'"{name}"' + (f" ({', '.join(map(str, enum))})" if enum else "") for name, enum in named)


def mended(inquiry: Inquiry[T], answer: ReadReply[T]) -> Inquiry[T] | None:
    """Tell the model why its reply cannot be used; what did not end is not mended."""
    if answer.ending is not ReplyEnding.UNREADABLE:
        return None
    again = f"That cannot be used: {answer.reason}. Reply with the whole JSON object again, mended."
    talk = (*inquiry.messages, Message("assistant", answer.text), Message("user", again))
    return replace(inquiry, messages=talk)
