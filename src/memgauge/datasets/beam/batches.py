"""The batches of a chat, in each of the shapes in which they are published.

* A batch is an object with ``turns``, lists of messages (the files of the repository), or a bare list of messages
  (the rows on the Hugging Face hub).
* A chat is a list of batches or, of ten million tokens, a list of plans: ``{"plan-1": [batch, …]}``, in rows with
  every other plan of the object null. Ids may start anew with each plan. Sources name ids of the combined chat, so
  such a plan is moved behind the last id before it, as upstream combines plans.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from pydantic import TypeAdapter

from memgauge.datasets.beam.schema import BatchEntry, BeamMessage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.beam.schema import ProbeEntry
    from memgauge.datasets.places import FieldPath

_BATCH = TypeAdapter(BatchEntry)
_TURNS = TypeAdapter(list[list[BeamMessage]])
_MESSAGES = TypeAdapter(list[BeamMessage])


class Batch(NamedTuple):
    """What is said in one sitting."""

    messages: tuple[BeamMessage, ...]
    anchor: str | None
    """The first date on a message."""
    dated: FieldPath
    """Where that date is written, else where the batch is."""


class CheckedChat(NamedTuple):
    """One chat, checked and not yet understood."""

    name: str
    """Upstream, a number."""
    batches: Sequence[Batch]
    probes: Sequence[tuple[str, ProbeEntry]]
    """Every question with its ability."""
    truncated: bool = False
    """Whether the shortened chat is the one that counts."""


class ChatSource(Protocol):
    """Where chats are written."""

    def chats(self) -> Iterator[CheckedChat]:
        """Read every chat anew; no more than one is held.

        Raises:
            MalformedDataError: One is broken; the message names the file, the row and the field.
        """
        ...


def batches_of(place: FieldPath, value: object) -> list[Batch]:
    """Check the batches of a chat, those of all plans in one row.

    Raises:
        MalformedDataError: A field is not what it must be, or there is no batch; the message names the place.
    """
    batches: list[Batch] = []
    for plan in _plans(place, value):
        batches += _behind(batches, plan)
    if not batches:
        raise place.wrong("there is no batch of messages in it")
    return batches


def _plans(place: FieldPath, value: object) -> Iterator[list[Batch]]:
    """Yield the batches of each plan; what is in no plan makes one of its own."""
    loose: list[Batch] = []
    for where, item in place.items(value):
        if not (isinstance(item, dict) and item and all(str(key).startswith("plan") for key in item)):
            loose.append(_batch(where, item))
            continue
        if loose:
            yield loose
            loose = []
        for name, plan in item.items():
            if plan is not None:
                yield [_batch(*entry) for entry in where.at(name).items(plan)]
    yield loose


def _behind(before: list[Batch], plan: list[Batch]) -> list[Batch]:
    first = next((message.id for batch in plan for message in batch.messages), None)
    last = next((batch.messages[-1].id for batch in reversed(before) if batch.messages), None)
    if first is None or last is None or first > last:
        return plan
    return [batch._replace(messages=tuple(_moved(m, last + 1) for m in batch.messages)) for batch in plan]


def _moved(message: BeamMessage, by: int) -> BeamMessage:
    return message.model_copy(update={"id": message.id + by})


def _batch(place: FieldPath, value: object) -> Batch:
    messages = list(_messages(place, value))
    anchors = ((m.time_anchor, where.at("time_anchor")) for where, m in messages if m.time_anchor)
    return Batch(tuple(message for _, message in messages), *next(anchors, (None, place)))


def _messages(place: FieldPath, value: object) -> Iterator[tuple[FieldPath, BeamMessage]]:
    if isinstance(value, list) and not any(isinstance(item, list) for item in value):
        messages = place.checked(_MESSAGES, value)
        yield from ((place.at(m), message) for m, message in enumerate(messages))
        return
    listed = isinstance(value, list)
    turns = place.checked(_TURNS, value) if listed else place.checked(_BATCH, value).turns
    inside = place if listed else place.at("turns")
    for t, turn in enumerate(turns):
        yield from ((inside.at(t, m), message) for m, message in enumerate(turn))
