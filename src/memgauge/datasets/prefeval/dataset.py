"""PrefEval: a preference said once, filler, and a question that does not name it; replies by letter."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.choosing import SEARCH, choice_counts
from memgauge.datasets.files import search_roots, sha256_of
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option, read_whole_number
from memgauge.datasets.prefeval.convert import (
    SINGLE,
    TOPIC,
    PreferenceEntry,
    PrefEvalReading,
    entries_of,
)
from memgauge.datasets.prefeval.filler import exchanges_of, invented_exchanges
from memgauge.datasets.prefeval.schema import CHOICE, EXPLICIT, PERSONA, filler_in, topics_in
from memgauge.datasets.tally import tally
from memgauge.errors import ConfigError, DataNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memgauge.records import Case, Choices, Gold

LICENCE = "CC BY-NC 4.0"
HOMEPAGE = "https://github.com/amazon-science/PrefEval"
FILLER = "filtered_inter_turns.json"
_FOLDER = "benchmark_dataset"


@dataclass(frozen=True)
class PrefEval:
    """The opened benchmark; every iteration reads the files anew and holds one topic."""

    identity: DatasetIdentity
    path: Path
    form: str
    reading: PrefEvalReading

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a record, or one a topic where records are pooled."""
        return map(attrgetter("case"), self._entries())

    def gold(self) -> Iterator[Gold]:
        """Yield where each preference is said, and what a good reply heeds: a rubric and no answer."""
        return chain.from_iterable(map(attrgetter("golds"), self._entries()))

    def choices(self) -> Iterator[Choices]:
        """Yield the four replies to every question; as written, the right one comes first."""
        return chain.from_iterable(map(attrgetter("choices"), self._entries()))

    def describe(self) -> Mapping[str, object]:
        """Count everything: doubled preferences, wordings that differ, and what the options give away."""
        total: Counter[str] = Counter()
        preferences: Counter[str] = Counter()
        seen: list[Choices] = []

        def counted() -> Iterator[tuple[Case, tuple[Gold, ...]]]:
            for topic in topics_in(self.path, self.form):
                total["topics"] += 1
                total["records"] += len(topic.records)
                total["without_explanation"] += sum(record.explanation is None for record in topic.records)
                total["worded_otherwise"] += topic.differing
                preferences.update(record.preference for record in topic.records)
                for entry in entries_of(topic, self.reading):
                    seen.extend(entry.choices)
                    yield entry.case, entry.golds

        counts = tally(counted(), self.identity)
        return {
            **counts,
            **{name: total[name] for name in ("topics", "records", "without_explanation", "worded_otherwise")},
            "repeated_preferences": sum(n - 1 for n in preferences.values()),
            **choice_counts(seen),
        }

    def _entries(self) -> Iterator[PreferenceEntry]:
        read_topic = partial(entries_of, reading=self.reading)
        return chain.from_iterable(map(read_topic, topics_in(self.path, self.form)))


def open_prefeval(request: DatasetRequest) -> PrefEval:
    """Find and hash the records and the filler.

    Raises:
        DataError: Something is missing or broken.
    """
    path, options = _located(request.variant, request.root), request.options
    read = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    exchanges = invented_exchanges()
    if options["filler"] == "published":
        filler = path / FILLER if path.is_dir() else path.with_name(FILLER)
        exchanges = exchanges_of(filler_in(filler))
        read = sorted({*read, filler})
    base = path if path.is_dir() else path.parent
    listing = "".join(f"{sha256_of(file)}  {file.relative_to(base).as_posix()}\n" for file in read)
    reading = PrefEvalReading(
        exchanges, int(options["distance"]), int(options["seed"]), options["pool"], options["search"]
    )
    identity = DatasetIdentity(
        ref=request.ref,
        name="prefeval",
        sha256=hashlib.sha256(listing.encode()).hexdigest(),
        options=options,
        pinned=False,  # no hash of the files has been published
        licence=LICENCE,
        source=HOMEPAGE,
    )
    return PrefEval(identity, path, options["form"], reading)


def _located(variant: str, root: Path | None) -> Path:
    roots = search_roots() if root is None else (root,)
    if variant:
        places = [
            Path(variant),
            *(place for each in roots for place in (each / variant, each / "prefeval" / variant)),
        ]
    else:
        places = [
            each / part for each in roots for part in (f"prefeval/{_FOLDER}", _FOLDER, f"PrefEval/{_FOLDER}")
        ]
    for place in places:
        if (place / _FOLDER).is_dir():
            return place / _FOLDER
        if place.is_dir() or (variant and place.is_file()):
            return place
    looked = ", ".join(map(str, places))
    raise DataNotFoundError(
        f"No records of PrefEval. Looked at: {looked}.", f"Clone {HOMEPAGE} and name its {_FOLDER}: prefeval:PATH."
    )


def read_distance(text: str) -> str:
    """Read how many exchanges lie between a preference and its question.

    Raises:
        ConfigError: It is no number, or fewer than none.
    """
    distance = read_whole_number(text)
    if int(distance) < 0:
        raise ConfigError(f"A distance of {distance} exchanges cannot be told.", "Name 0 or more.")
    return distance


KIND = DatasetKind(
    name="prefeval",
    summary="1,000 preferences in 20 topics, said or shown once, and questions that do not name them.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_prefeval,
    options={
        "form": Option.among(
            "form of prefeval",
            "How the preference is said",
            {
                EXPLICIT: "outright, in one message",
                CHOICE: "by taking one of several offers",
                PERSONA: "in passing, in one of several exchanges; which one, is not labelled",
            },
        ),
        "distance": Option("0", "Exchanges of filler before the question.", read_distance),
        "seed": Option("0", "Of what filler is drawn; any whole number.", read_whole_number),
        "filler": Option.among(
            "filler of prefeval",
            "What is told in between",
            {"ours": "invented exchanges about things", "published": f"the conversations of {FILLER}"},
        ),
        "pool": Option.among(
            "pool of prefeval",
            "What shares a conversation",
            {
                SINGLE: "nothing: one preference each, as published",
                TOPIC: "all preferences of a topic: harder, and made by memgauge, not published",
            },
        ),
        "search": SEARCH,
    },
    paths=True,
)
"""What the catalogue knows of PrefEval."""
