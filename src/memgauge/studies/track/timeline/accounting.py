"""Whether an import lost anything: every value of the original is looked for in what was made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.results import result
from memgauge.studies.track.timeline.fields import plain_value
from memgauge.studies.track.timeline.files import plain
from memgauge.studies.track.timeline.memtrack_events import STAMP
from memgauge.studies.track.timeline.models import TimelineModel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.studies.track.timeline.models import Timeline


@result
@dataclass(frozen=True)
class Accounting:
    """What became of the values of an original."""

    values: int
    """Values of the original, wherever they stand."""
    lost: tuple[str, ...]
    """Those that the timeline does not hold, or holds less often."""
    extra: tuple[str, ...]
    """Keys that the schema does not know, kept as they are."""


@result
@dataclass(frozen=True)
class ImportedInstance:
    """One instance of the archive as it was read."""

    name: str
    events: int
    questions: int
    accounting: Accounting


@result
@dataclass(frozen=True)
class ArchiveImport:
    """What was read of an archive."""

    instances: tuple[ImportedInstance, ...]
    out: str
    """Where timelines were written; nothing where the archive was only checked."""

    @property
    def failed(self) -> bool:
        """Whether anything was lost."""
        return any(instance.accounting.lost for instance in self.instances)


def account(originals: list[Any], timeline: Timeline) -> Accounting:
    """Compare the documents that an instance was read from with the instance.

    This does not look at how the importer works: it counts values on both sides.
    """
    values_before = Counter(value for original in originals for value in _values(plain_value(original)))
    values_after = Counter(_values(plain(timeline)))
    values_after.update(event.at.strftime(STAMP) for event in timeline.events)
    values_after.update(str(event.platform) for event in timeline.events)
    values_after.update(_defaults(timeline))
    return Accounting(
        values_before.total(),
        tuple(sorted((values_before - values_after).elements())),
        tuple(sorted(_extras(timeline))),
    )


def _values(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for inner in node.values():
            yield from _values(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _values(inner)
    elif node is not None:
        yield str(node)


def _defaults(timeline: Timeline) -> Iterator[str]:
    """Yield what was given and is not written because it is the default."""
    yield from (timeline.player.name, str(timeline.player.max_turns))
    if timeline.repository:
        yield timeline.repository.branch


def _extras(node: Any) -> set[str]:
    if isinstance(node, tuple):
        return set().union(*map(_extras, node))
    if not isinstance(node, TimelineModel):
        return set()
    inner = (getattr(node, name) for name in type(node).model_fields if name != "extra")
    return {f"{type(node).__name__}.{key}" for key in node.extra}.union(*map(_extras, inner))
