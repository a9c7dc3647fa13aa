"""The shapes of PrefEval's files: one list of records a topic, in four forms that are joined by position.

Texts of the forms differ in most topics, and a file without an ending is a stale copy: neither is joined by text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import Field, TypeAdapter

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.errors import DataNotFoundError
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

REMEDY: Final = "Take the file as it is published."
EXPLICIT: Final = "explicit"
CHOICE: Final = "choice"
PERSONA: Final = "persona"
_FOLDERS: Final = {
    EXPLICIT: "explicit_preference",
    CHOICE: "implicit_preference/choice-based",
    PERSONA: "implicit_preference/persona-driven",
}
_OPTIONS: Final = "mcq_options"
_EXCERPT: Final = {EXPLICIT: "explicit", CHOICE: "implicit_choice", PERSONA: "implicit_persona", _OPTIONS: "mcq"}
"""How one file that holds all forms of a topic names them."""


class StatedPreference(StrictEntry):
    """A preference, said outright, and a question that does not name it."""

    preference: str
    question: str
    explanation: str | None = None
    """What a good reply would heed."""


class OfferedChoice(StrictEntry):
    """Four messages in which somebody takes one of several offers."""

    query: str
    assistant_options: str
    user_selection: str
    assistant_acknowledgment: str


class ChosenPreference(StatedPreference):
    """A preference that shows in a choice."""

    conversation: OfferedChoice


class ToldExchange(StrictEntry):
    """A message and its reply."""

    user: str
    assistant: str


class ToldPreference(StatedPreference):
    """A preference that is dropped in one of several exchanges; which one, is not said."""

    persona: str
    conversation: dict[str, ToldExchange]


class OfferedReplies(StrictEntry):
    """Four replies to the question, the right one first."""

    preference: str
    question: str
    classification_task_options: Annotated[list[str], Field(min_length=4, max_length=4)]


class FillerMessage(StrictEntry):
    """A message of a conversation about something else."""

    role: Literal["user", "assistant"]
    content: str


_FORMS: Final[Mapping[str, TypeAdapter[Any]]] = {
    EXPLICIT: TypeAdapter(list[StatedPreference]),
    CHOICE: TypeAdapter(list[ChosenPreference]),
    PERSONA: TypeAdapter(list[ToldPreference]),
}
_REPLIES: Final = TypeAdapter(list[OfferedReplies])
_FILLER: Final = TypeAdapter(list[list[FillerMessage]])


@dataclass(frozen=True)
class PreferenceTopic:
    """The records of one topic, in one form and with their options, place by place."""

    name: str
    records: tuple[StatedPreference, ...]
    replies: tuple[OfferedReplies, ...]
    """Empty where there are no options."""

    @property
    def differing(self) -> int:
        """Count the records whose preference is worded otherwise beside the options."""
        pairs = zip(self.records, self.replies, strict=bool(self.replies))
        return sum(record.preference != reply.preference for record, reply in pairs)


def topics_in(path: Path, form: str) -> Iterator[PreferenceTopic]:
    """Read the topics of a folder by name, or of one file that holds all forms of a topic.

    Raises:
        DataError: There are none, or a record is not what it must be; file, record and field are named.
    """
    if path.is_file():
        whole = json_file(path, REMEDY)
        place = FieldPath(str(path))
        if not isinstance(whole, dict) or _EXCERPT[form] not in whole:
            raise place.at(_EXCERPT[form]).wrong("it is missing", REMEDY)
        yield _topic(
            _topic_name(path),
            form,
            place.at(_EXCERPT[form]),
            whole[_EXCERPT[form]],
            place.at("mcq"),
            whole.get("mcq"),
        )
        return
    files = sorted((path / _FOLDERS[form]).glob("*.json"))
    if not files:
        raise DataNotFoundError(
            f"No topic in {path / _FOLDERS[form]}.", "Name the folder benchmark_dataset of PrefEval."
        )
    for file in files:
        options = path / _OPTIONS / file.name
        replies = json_file(options, REMEDY) if options.is_file() else None
        yield _topic(
            file.stem, form, FieldPath(str(file)), json_file(file, REMEDY), FieldPath(str(options)), replies
        )


def _topic(
    name: str, form: str, place: FieldPath, written: object, options: FieldPath, offered: object
) -> PreferenceTopic:
    records: list[StatedPreference] = place.checked(_FORMS[form], written, REMEDY)
    replies = [] if offered is None else options.checked(_REPLIES, offered, REMEDY)
    if replies and len(replies) != len(records):
        raise options.wrong(f"{len(replies)} records beside {len(records)} of the form {form}", REMEDY)
    return PreferenceTopic(name, tuple(records), tuple(replies))


def _topic_name(path: Path) -> str:
    """Return the topic of a file like ``prefeval.travel_restaurant.2-records.json``."""
    parts = path.name.removesuffix(".json").split(".")
    return parts[1] if len(parts) > 1 else parts[0]


def filler_in(path: Path) -> list[list[FillerMessage]]:
    """Read conversations about something else: lists of messages, or objects that hold one.

    Raises:
        DataError: There is no such file, or it is not what it must be.
    """
    if not path.is_file():
        raise DataNotFoundError(
            f"No filler at {path}.", "Take filtered_inter_turns.json of PrefEval, or filler=ours."
        )
    written = json_file(path, REMEDY)
    if isinstance(written, list):
        written = [each.get("conversation") if isinstance(each, dict) else each for each in written]
    return FieldPath(str(path)).checked(_FILLER, written, REMEDY)
