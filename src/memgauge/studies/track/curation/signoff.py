"""A person's word for an instance, bound to its bytes and to what the checks said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memgauge.errors import ConfigError
from memgauge.studies.track.curation.seed import Approach, CurationModel
from memgauge.studies.track.play.plan import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.curation.record import Record
    from memgauge.studies.track.timeline.models import Timeline

SIGNOFF = "signoff.json"
"""What the file is called, in the folder of an instance."""


class Signoff(CurationModel):
    """Who stands for an instance."""

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
    checks = record.checked
    if not by.strip():
        raise ConfigError("Nobody signs.", "Write --by and your name.")
    if checks is None or checks.digest != digest(timeline):
        raise ConfigError(
            f"{timeline.name} was not checked as it is now.", "Run `memgauge study track curate check`."
        )
    if checks.errors:
        codes = ", ".join(sorted({finding.code for finding in checks.errors}))
        raise ConfigError(
            f"{timeline.name} has errors: {codes}.", "Mend the instance; an error cannot be accepted."
        )
    open_codes = sorted({finding.code for finding in checks.warnings} - set(accept))
    if open_codes:
        raise ConfigError(
            f"{timeline.name} has warnings: {', '.join(open_codes)}.", "Mend them, or --accept each."
        )
    return Signoff(
        name=timeline.name,
        digest=checks.digest,
        by=by.strip(),
        on=on,
        note=note,
        approach=record.approach,
        made_by=tuple(dict.fromkeys(step.by for step in record.steps)),
        filtered_by=checks.filtered_by,
        scores={solution.agent: solution.score for solution in checks.solved},
        accepted=tuple(sorted({finding.code for finding in checks.warnings})),
    )
