"""A person's word for an instance, bound to its bytes and to what the checks said of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.runs.record.files import write_atomically
from memgauge.studies.track.curation.seed import Approach  # noqa: TC001 - pydantic reads it while running
from memgauge.studies.track.play.plan import digest
from memgauge.studies.track.timeline.files import plain, read_document
from memgauge.studies.track.timeline.lines import line_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.studies.track.curation.record import Record
    from memgauge.studies.track.timeline.models import Timeline

SIGNOFF = "signoff.json"
"""What the file is called, in the folder of an instance."""


class Signoff(BaseModel):
    """Who stands for an instance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    name: str
    digest: str
    """Of the whole instance, questions and answers among it."""
    by: str
    on: str
    """Day as YYYY-MM-DD."""
    note: str = ""
    approach: Approach
    made_by: tuple[str, ...]
    """Everybody and everything that drafted or changed it, in order."""
    filtered_by: str
    """The agent that it was made not too easy for: scores of this agent are biased by it."""
    scores: dict[str, float]
    """Correctness of the agents of the solve-check."""
    accepted: tuple[str, ...] = ()
    """Warnings that the person has seen and accepts, by code."""


def sign(
    timeline: Timeline, record: Record, *, by: str, on: str, note: str = "", accept: Sequence[str] = ()
) -> Signoff:
    """Make the sign-off of an instance whose checks were run and passed.

    Raises:
        ConfigError: It was not checked as it is now, has errors, or warnings that nobody has accepted.
    """
    found = record.checked
    if not by.strip():
        raise ConfigError("Nobody signs.", "Write --by and your name.")
    if found is None or found.digest != digest(timeline):
        raise ConfigError(
            f"{timeline.name} was not checked as it is now.", "Run `memgauge study track curate check`."
        )
    if found.errors:
        codes = ", ".join(sorted({one.code for one in found.errors}))
        raise ConfigError(
            f"{timeline.name} has errors: {codes}.", "Mend the instance; an error cannot be accepted."
        )
    open_codes = sorted({one.code for one in found.warnings} - set(accept))
    if open_codes:
        raise ConfigError(
            f"{timeline.name} has warnings: {', '.join(open_codes)}.", "Mend them, or --accept each."
        )
    return Signoff(
        name=timeline.name,
        digest=found.digest,
        by=by.strip(),
        on=on,
        note=note,
        approach=record.approach,
        made_by=tuple(dict.fromkeys(step.by for step in record.steps)),
        filtered_by=found.filtered_by,
        scores={one.agent: one.score for one in found.solved},
        accepted=tuple(sorted({one.code for one in found.warnings})),
    )


def write_signoff(folder: Path, signoff: Signoff) -> None:
    """Write a sign-off beside its instance."""
    write_atomically(folder / SIGNOFF, json.dumps(plain(signoff), ensure_ascii=False, indent=2) + "\n")


def read_signoff(folder: Path) -> Signoff | None:
    """Read the sign-off of an instance; ``None`` where nobody has signed.

    Raises:
        MalformedDataError: It is none; the message names line and field.
    """
    path = folder / SIGNOFF
    if not path.is_file():
        return None
    try:
        return Signoff.model_validate(read_document(path))
    except ValidationError as error:
        first = error.errors()[0]
        raise MalformedDataError(f"{line_of(path, first['loc'])}: {first['msg']}.") from error


def holds(signoff: Signoff | None, timeline: Timeline) -> bool:
    """Whether a sign-off is for *timeline* as it is now."""
    return signoff is not None and signoff.digest == digest(timeline)
