"""How an instance came to be: who did which step, which events mislead on purpose, and what the checks said."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from memgauge.studies.track.curation.seed import Approach, CurationModel
from memgauge.studies.track.timeline.files import plain, read_model, write_model
from memgauge.studies.track.timeline.lint import LintFinding, LintLevel

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.studies.track.timeline.models import Event, HiddenQuestion, Timeline

RECORD = "curation.json"
"""What the file is called, in the folder of an instance."""
HAND = "by hand"
"""Whoever edits the files themselves."""
RULES = "rules-1"
"""Who drafts where no model is named: fixed rules, whose words are plain."""


class MisleadingEvent(CurationModel):
    """An event that misleads on purpose."""

    kind: Literal["distractor", "counterfactual"]
    superseded_by: str = ""
    """Of a counterfactual: the later event after which it no longer holds."""


class CurationStep(CurationModel):
    """One step of the work."""

    kind: Literal["draft", "distract", "revise", "edit"]
    by: str
    """``rules-1``, ``by hand``, or a model with the prompt that it was given."""
    told: str = ""
    """What a person asked for, in words."""
    added: tuple[str, ...] = ()
    """Ids of events and questions."""
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    seed: int | None = None


class Solved(CurationModel):
    """What one agent made of the instance."""

    agent: str
    score: float
    questions: dict[str, float | None]
    """Correctness by question; ``None`` where rules cannot tell."""


class InstanceChecks(CurationModel):
    """The checks of one state of the instance."""

    digest: str
    findings: tuple[LintFinding, ...]
    solved: tuple[Solved, ...]
    filtered_by: str
    """The agent that it must not be too easy for. Scores of this agent, and of its relatives, are biased by it."""

    @property
    def errors(self) -> tuple[LintFinding, ...]:
        """Return what has to be mended."""
        return self._of(LintLevel.ERROR)

    @property
    def warnings(self) -> tuple[LintFinding, ...]:
        """Return what a person has to accept or mend."""
        return self._of(LintLevel.WARNING)

    def _of(self, level: LintLevel) -> tuple[LintFinding, ...]:
        return tuple(finding for finding in self.findings if finding.level is level)


class Record(CurationModel):
    """The history of one instance."""

    schema_version: Literal[1] = 1
    name: str
    approach: Approach
    steps: tuple[CurationStep, ...] = ()
    roles: dict[str, MisleadingEvent] = Field(default_factory=dict)
    """By event id; never shown to anybody who plays."""
    parts: dict[str, str] = Field(default_factory=dict)
    """Hash of every event and question after the last step, so that edits by hand are seen."""
    checked: InstanceChecks | None = None

    @property
    def pinned(self) -> frozenset[str]:
        """Return what a person wrote or changed; no model may change it again."""
        edited_ids = {name for step in self.steps if step.kind == "edit" for name in (*step.added, *step.changed)}
        return frozenset(edited_ids & set(self.parts))


def parts_of(timeline: Timeline) -> dict[str, str]:
    """Hash every event and question of a timeline."""
    parts: tuple[Event | HiddenQuestion, ...] = (*timeline.events, *timeline.questions)
    return {
        part.id: hashlib.sha256(json.dumps(plain(part), sort_keys=True).encode()).hexdigest()[:12]
        for part in parts
    }


def stepped(
    record: Record, timeline: Timeline, kind: Literal["draft", "distract", "revise"], by: str, **details: object
) -> Record:
    """Note that a step led to *timeline*; earlier checks say nothing of it any more."""
    return _noted(record, timeline, CurationStep.model_validate({"kind": kind, "by": by, **details}))


def absorbed(record: Record, timeline: Timeline) -> Record:
    """Note what a person changed by hand since the last step; without a change, return the record as it is."""
    if parts_of(timeline) == record.parts:
        return record
    return _noted(record, timeline, CurationStep(kind="edit", by=HAND))


def _noted(record: Record, timeline: Timeline, step: CurationStep) -> Record:
    parts_before, parts_after = record.parts, parts_of(timeline)
    full_step = step.model_copy(
        update={
            "added": tuple(name for name in parts_after if name not in parts_before),
            "changed": tuple(
                name for name in parts_after if name in parts_before and parts_after[name] != parts_before[name]
            ),
            "removed": tuple(name for name in parts_before if name not in parts_after),
        }
    )
    roles = {name: role for name, role in record.roles.items() if name in parts_after}
    approach = Approach.HYBRID if full_step.kind == "revise" else record.approach
    update = {
        "approach": approach,
        "steps": (*record.steps, full_step),
        "parts": parts_after,
        "roles": roles,
        "checked": None,
    }
    return record.model_copy(update=update)


def write_record(folder: Path, record: Record) -> None:
    """Write the record of an instance."""
    write_model(folder / RECORD, record)


def read_record(folder: Path) -> Record | None:
    """Read the record of an instance; ``None`` where there is none yet.

    Raises:
        MalformedDataError: It is no record; the message names line and field.
    """
    path = folder / RECORD
    return read_model(path, Record) if path.is_file() else None
