"""The figures of this study, computed again: statistics of two histories of the original archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.files import search_roots
from memgauge.errors import DataNotFoundError
from memgauge.studies.track.timeline.accounting import account
from memgauge.studies.track.timeline.files import read_document
from memgauge.studies.track.timeline.memtrack import documents_of, read_memtrack
from memgauge.studies.track.timeline.references import ReferenceWords
from memgauge.studies.track.timeline.statistics import statistics
from memgauge.text.counting import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ARCHIVE = "memtrack"
"""The archive's folder, in any folder of data."""
INSTANCES = {"event_history_2": "config_2.yaml", "event_history_pw_1": "config_pw_1.yaml"}


def track() -> Mapping[str, float]:
    """Import two instances and count.

    Raises:
        DataNotFoundError: The archive is not at hand; it has no licence and never comes with memgauge.
    """
    return dict(figure for name, config in INSTANCES.items() for figure in _figures(name, _config(config)))


def _figures(name: str, path: Path) -> Iterator[tuple[str, float]]:
    timeline = read_memtrack(path)
    figures = statistics(timeline, DEFAULT, ReferenceWords())
    yield f"{name}_events", float(figures.events)
    for platform, count in figures.platforms.items():
        yield f"{name}_{platform}_events", float(count)
    yield f"{name}_entropy_bits", figures.entropy_bits
    yield f"{name}_heterophily", figures.heterophily.value
    yield f"{name}_span_hours", figures.span_hours
    originals = [read_document(document) for document in documents_of(path)]
    yield f"{name}_values_lost", float(len(account(originals, timeline).lost))


def _config(name: str) -> Path:
    places = [root / ARCHIVE / "test_configs" / name for root in search_roots()]
    for place in places:
        if place.is_file():
            return place
    raise DataNotFoundError(
        f"No file {name} of the MEMTRACK archive. Looked at: {', '.join(map(str, places))}.",
        f"Set MEMGAUGE_DATA to the folder that holds {ARCHIVE}/test_configs and {ARCHIVE}/test_event_histories.",
    )
