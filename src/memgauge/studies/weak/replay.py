"""Playing lanes again from recorded replies: products are needed where they are played, and the model is not."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any

from memgauge.llm.served.server import MISS
from memgauge.studies.weak.play import ServedModel
from memgauge.studies.weak.relay import RecordingRelay, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.studies.weak.play import WeakPlay
    from memgauge.studies.weak.record import Exchange, RecordedLane
    from memgauge.studies.weak.users import UsersPlay


class RecordedModel:
    """Gives to every request the reply that is recorded for it; to equal requests theirs, in their order."""

    def __init__(self, name: str, exchanges: Iterable[Exchange]) -> None:
        self.missed = 0
        """Requests that are not in the record."""
        self._name = name
        self._replies: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._lock = Lock()
        for exchange in exchanges:
            self._replies[exchange.key].append(exchange)

    def reply(self, key: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:  # noqa: ARG002 - a server needs it
        """Return what is recorded; the last of equal requests stays."""
        with self._lock:
            replies = self._replies.get(key)
            if not replies:
                self.missed += 1
                return MISS, problem(f"The record holds no reply to request {key[:12]}.")
            exchange = replies.pop(0) if len(replies) > 1 else replies[0]
        return (exchange.status, problem(exchange.why)) if exchange.why else (HTTPStatus.OK, _completion(exchange))

    def listed(self) -> tuple[int, dict[str, Any]]:
        """List the one name that there is."""
        return HTTPStatus.OK, {"object": "list", "data": [{"id": self._name, "object": "model"}]}


def _completion(exchange: Exchange) -> dict[str, Any]:
    calls = [
        {"id": f"call_{number}", "type": "function", "function": {"name": tool, "arguments": arguments}}
        for number, (tool, arguments) in enumerate(exchange.uses)
    ]
    message = {"role": "assistant", "content": exchange.text} | ({"tool_calls": calls} if calls else {})
    input_tokens = exchange.input_tokens or 0
    return {
        "id": "chatcmpl-recorded",
        "object": "chat.completion",
        "created": 0,
        "model": "recorded",
        "choices": [{"index": 0, "message": message, "finish_reason": exchange.finish, "logprobs": None}],
        "usage": {
            "prompt_tokens": input_tokens,
            "completion_tokens": exchange.output_tokens,
            "total_tokens": input_tokens + exchange.output_tokens,
        },
    }


@dataclass(frozen=True)
class ReplayedLane:
    """A lane that was played again without the model, beside its record."""

    key: str
    requests: int
    missed: int
    """Requests that were made now and not then."""
    differ: tuple[str, ...] = field(default=())
    """Writes and steps that ended otherwise than in the record."""
    problem: str = ""

    @property
    def same(self) -> bool:
        """Whether all went as it is recorded."""
        return not (self.differ or self.missed or self.problem)


def replay(play: WeakPlay, users: UsersPlay, lanes: Iterable[RecordedLane]) -> Iterator[ReplayedLane]:
    """Play lanes again from their records; of users, *users* says where."""
    products = {each.key: partial(play.lane, each) for each in play.spec.products}
    user_lanes = {each.key: partial(users.lane, each) for each in users.spec.users}
    for lane in lanes:
        source = RecordedModel(play.spec.model, lane.exchanges)
        with RecordingRelay(source, cap=play.spec.cap, today=datetime.now(UTC).date()) as relay:
            lane_again = (products | user_lanes)[lane.key](ServedModel(relay, lane.model))
        became = dict(_ends(lane_again))
        yield ReplayedLane(
            lane.key,
            len(lane_again.exchanges),
            source.missed,
            tuple(name for name, end in _ends(lane) if became.get(name) != end),
            "" if lane_again.problem == lane.problem else lane_again.problem,
        )


def _ends(lane: RecordedLane) -> Iterator[tuple[str, object]]:
    """Say how every write and every step ended."""
    yield from ((write.name, write.outcome) for write in lane.writes)
    yield from ((step.name, (step.code, step.counted)) for step in lane.steps)
