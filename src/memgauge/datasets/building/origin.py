"""``scrub.json``: where the turns come from and what was replaced in them, without what it was."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter

from memgauge.datasets.building.messages import read_file, read_json
from memgauge.datasets.building.scrub import Replaced  # noqa: TC001 - pydantic needs it at run time
from memgauge.datasets.places import FieldPath

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.building.chats import Chats
    from memgauge.datasets.building.scrub import Scrubbed

ORIGIN = "scrub.json"


class ExportOrigin(BaseModel):
    """What became of an export before anybody labelled it."""

    model_config = ConfigDict(frozen=True)

    format: str
    gap_hours: float
    left_out: dict[str, int]
    """Messages that are no turns, by reason."""
    names_given: int
    speakers: int
    """Names of speakers that were replaced."""
    counts: dict[str, dict[str, int]]
    """Distinct values and occurrences, by kind."""
    replaced: tuple[Replaced, ...]


_ORIGIN = TypeAdapter(ExportOrigin)


def origin_of(chats: Chats, scrubbed: Scrubbed, *, names_given: int) -> ExportOrigin:
    """Say where *scrubbed* comes from."""
    return ExportOrigin(
        format=chats.format,
        gap_hours=chats.gap.total_seconds() / 3600,
        left_out=dict(chats.left_out),
        names_given=names_given,
        speakers=scrubbed.speakers,
        counts={kind: dict(counts) for kind, counts in scrubbed.counts().items()},
        replaced=scrubbed.replaced,
    )


def write_origin(origin: ExportOrigin) -> str:
    """Return the content of ``scrub.json``."""
    return json.dumps(origin.model_dump(mode="json"), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def read_origin(path: Path) -> ExportOrigin | None:
    """Read it back; ``None`` where there is none, so that nothing is known.

    Raises:
        MalformedDataError: It is there and has another form.
    """
    if not path.exists():
        return None
    remedy = "Start again from the export, or remove the file."
    return FieldPath(str(path)).checked(_ORIGIN, read_json(path, read_file(path)), remedy)
