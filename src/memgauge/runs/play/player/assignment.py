"""What a player is handed: turns and question texts, under numbers that mean nothing to it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from memgauge.long_values import sequence_of
from memgauge.records import Question
from memgauge.runs.play.player.packing import packed, unpacked
from memgauge.streams import Ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.runs.play.probing import Probing
    from memgauge.runs.record.manifest import Limits, Manifest
    from memgauge.streams import Event, Stream


@dataclass(frozen=True)
class Chosen:
    """Which system is played."""

    ref: str
    label: str = ""
    source: str = ""
    seed: int = 0
    timeout_s: float = 60.0
    """For opening it."""


@dataclass(frozen=True)
class Examination:
    """The conformance check of a system, whose findings come one by one."""

    system: Chosen
    probe_s: float
    """Seconds that one probe may take."""

    @property
    def ref(self) -> str:
        """Name the system."""
        return self.system.ref


@dataclass(frozen=True)
class Assignment:
    """One conversation to be played, once."""

    system: Chosen
    conversation: str
    number: int
    attempt: int
    stream: Stream
    limits: Mapping[str, Any]
    truth: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Evidence by question, for a ceiling, which is told; empty for everybody else."""
    probing: Probing | None = None
    learns: bool = False
    """Whether the owner says after each answer if it held evidence."""
    more: bool = False
    """Whether the stream is long, so that the owner hands it over in portions when it is asked."""

    def __getstate__(self) -> dict[str, Any]:
        """Travel with the stream as plain tuples."""
        return vars(self) | {"stream": packed(self.stream)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrive with the stream as it was."""
        vars(self).update(state, stream=unpacked(state["stream"]))

    @property
    def bounds(self) -> Limits:
        """Return the limits; not as a model, which would have to be imported to be read."""
        return cast("Limits", SimpleNamespace(**self.limits))


@dataclass(frozen=True)
class Masked:
    """A stream whose questions are numbers, and the questions that they stand for."""

    stream: Stream
    questions: tuple[Question, ...]


def masked(stream: Stream) -> Masked:
    """Take from every question what its text does not say: id, category, and where it was meant to be asked."""
    questions: list[Question] = []
    hidden = sequence_of(_masked(stream, questions))
    return Masked(hidden, tuple(questions))


def _masked(stream: Stream, questions: list[Question]) -> Iterator[Event]:
    for event in stream:
        if isinstance(event, Ask):
            asked = event.question
            hidden = Question(str(len(questions)), asked.conversation, asked.text, "", asked.asked_at)
            questions.append(asked)
            yield replace(event, question=hidden)
        else:
            yield event


def chosen(manifest: Manifest) -> Chosen:
    """Say which system is played for a manifest: the one that it names, or what takes its place."""
    system = manifest.system
    return Chosen(
        manifest.played_by or system.ref, system.label, system.source, manifest.seed, manifest.limits.timeout_s
    )
