"""RHELM: ten invented people, a year of chats, mails and documents; one person is held at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option
from memgauge.datasets.rhelm.convert import (
    ALL,
    DIALOGUE,
    MESSAGES,
    NONE,
    OFFICIAL,
    PAIRS,
    RhelmPerson,
    RhelmReading,
    person_of,
)
from memgauge.datasets.rhelm.report import report
from memgauge.datasets.rhelm.source import HOMEPAGE, locate_rhelm, people_in, sha256_of_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.datasets.rhelm.source import RhelmSource
    from memgauge.records import Case, Gold

LICENCE = "MIT"


@dataclass(frozen=True)
class Rhelm:
    """The opened benchmark; every iteration reads the files anew and holds one person."""

    identity: DatasetIdentity
    source: RhelmSource
    people: Mapping[str, list[str]]
    reading: RhelmReading

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a person, by name, with its questions in the order of their file."""
        # Unlike the variable of a loop, map keeps nothing of the person before.
        return map(attrgetter("case"), self._persons())

    def gold(self) -> Iterator[Gold]:
        """Yield the gold of every question; evidence that is not ingested points nowhere."""
        return chain.from_iterable(map(attrgetter("golds"), self._persons()))

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading."""
        return report(self._persons(), self.identity)

    def _persons(self) -> Iterator[RhelmPerson]:
        return map(self._person, self.people)

    def _person(self, person: str) -> RhelmPerson:
        return person_of(self.source.path, person, self.source.read(self.people[person]), self.reading)


def open_rhelm(request: DatasetRequest) -> Rhelm:
    """Find and hash the files.

    Raises:
        DataError: They are missing, or an archive is broken.
    """
    source = locate_rhelm(request.variant, request.root)
    people = people_in(source)
    identity = DatasetIdentity(
        ref=request.ref,
        name="rhelm",
        sha256=sha256_of_files(source, people),
        options=request.options,
        pinned=False,  # no hash of the files has been published
        licence=LICENCE,
        source=HOMEPAGE,
    )
    return Rhelm(identity, source, people, RhelmReading(**request.options))


KIND = DatasetKind(
    name="rhelm",
    summary="10 invented people over a year of chats, mails and documents; 1,305 questions, evidence by pair.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_rhelm,
    options={
        "sources": Option.among(
            "sources of rhelm",
            "What is told",
            {
                DIALOGUE: "the conversations; evidence in mails and files points nowhere",
                ALL: "mails and files too, as sessions of their own",
            },
        ),
        "cutoff": Option.among(
            "cutoff of rhelm",
            "When a question is asked",
            {
                OFFICIAL: "after the last session before its date, as the official code does",
                NONE: "at the end of the year, as the official text recommends",
            },
        ),
        "turns": Option.among(
            "turn of rhelm",
            "What a turn is",
            {
                PAIRS: "a message and its reply, which evidence names",
                MESSAGES: "a message, so that an entry of evidence is two turns and both are wanted",
            },
        ),
    },
    paths=True,
)
"""What the catalogue knows of RHELM."""
