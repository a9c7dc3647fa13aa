"""The shape of a file of MemBench: trajectories by type and scenario, one or many sessions each, streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Discriminator, Tag, TypeAdapter, field_validator

from memgauge.datasets.memdaily.schema import OptionedQuestion
from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import Streamed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK: Final = 1 << 16


class SeenStep(StrictEntry):
    """A message that the agent watches (ThirdAgent)."""

    message: str
    time: str = ""
    place: str = ""
    mid: int | None = None


class PairStep(StrictEntry):
    """A message to the agent and its reply (FirstAgent): a step names both."""

    user: str
    agent: str
    time: str = ""
    place: str = ""
    mid: int | None = None


def _is_pair(value: Any) -> str:
    return "<turns>" if isinstance(value, dict) and "user" in value else "<text>"


def _is_nested(value: Any) -> str:
    return "<turns>" if isinstance(value, list) and value and isinstance(value[0], list) else "<text>"


Step = SeenStep | PairStep
_Step = Annotated[
    Annotated[SeenStep, Tag("<text>")] | Annotated[PairStep, Tag("<turns>")], Discriminator(_is_pair)
]
_Messages = Annotated[
    Annotated[list[_Step], Tag("<text>")] | Annotated[list[list[_Step]], Tag("<turns>")],
    Discriminator(_is_nested),
]
"""Tags are cut from the places of messages: they are not in the file."""


class StepChoice(OptionedQuestion):
    """A question whose steps are numbers, or lists that begin with one."""

    @field_validator("target_step_id", mode="before")
    @classmethod
    def _steps(cls, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return [step[0] if isinstance(step, list) and step else step for step in value]


class BenchTrajectory(StrictEntry):
    """One life, and what is asked about it; the question is checked apart, for it may be an error message."""

    tid: int | str
    message_list: _Messages
    QA: Any

    def sessions(self) -> list[list[Step]]:
        """Return the messages by session."""
        nested = [part for part in self.message_list if isinstance(part, list)]
        return nested or [[part for part in self.message_list if not isinstance(part, list)]]

    def steps(self) -> list[Step]:
        """Return the messages of all sessions."""
        return [step for session in self.sessions() for step in session]


TRAJECTORY = TypeAdapter(BenchTrajectory)
QUESTION = TypeAdapter(StepChoice)


def stream_trajectories(path: Path) -> Iterator[tuple[FieldPath, str, str, BenchTrajectory]]:
    """Yield each trajectory of a file with its place, type and scenario; no more than one is held.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    import ijson
    from ijson.common import ObjectBuilder

    with path.open("rb") as handle:
        try:
            events = ijson.parse(Streamed(handle), use_float=True, buf_size=_CHUNK)
            yield from _gathered(FieldPath(str(path)), events, ObjectBuilder)
        except (ijson.JSONError, ValueError) as error:
            why = " ".join(str(error).split())
            raise MalformedDataError(
                f"{path} is not JSON of types and scenarios: {why}.", "Fetch it again."
            ) from error


def _gathered(
    place: FieldPath, events: Iterator[tuple[str, str, Any]], builder_of: Any
) -> Iterator[tuple[FieldPath, str, str, BenchTrajectory]]:
    depth, keys, number, builder = 0, ["", ""], 0, None
    for _, event, value in events:
        if builder is not None:
            builder.event(event, value)
        elif event == "map_key":
            keys[depth - 1] = value
        elif event == "start_array":
            number = 0
        opening, closing = event in {"start_map", "start_array"}, event in {"end_map", "end_array"}
        if opening and builder is None and event != _OPENED[depth]:
            raise place.at(*keys[: max(depth - 1, 0)]).wrong(_WANTED)
        if opening and depth == _INSIDE and builder is None:
            builder = builder_of()
            builder.event(event, value)
        depth += opening - closing
        if closing and depth == _INSIDE and builder is not None:
            field = place.at(*keys, number)
            yield field, keys[0], keys[1], field.checked(TRAJECTORY, builder.value)
            builder, number = None, number + 1
        elif not (opening or closing) and event != "map_key" and builder is None:
            raise place.at(*keys[:depth]).wrong(_WANTED)


_OPENED: Final = ("start_map", "start_map", "start_array", "start_map")
"""What types, scenarios, lists and trajectories begin with."""
_INSIDE: Final = len(_OPENED) - 1
"""How deep trajectories lie."""
_WANTED: Final = "Input should be lists of trajectories, by type and scenario"
