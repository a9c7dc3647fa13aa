"""The shape of PrecisionMemBench's three files, as far as they are read."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - pydantic needs it at run time
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter

from memgauge.datasets.places import FieldPath
from memgauge.datasets.strict import StrictEntry
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")


class BeliefEntry(StrictEntry):
    """One belief."""

    id: str = Field(alias="_id")
    user_id: str
    type: Literal["preference", "entity", "open_question", "decision", "relation"]
    canonical_name: str
    aliases: list[str] = Field(default_factory=list)
    content: str
    scope: list[str]
    epistemic_status: Literal["active", "superseded", "exploratory", "inferred"]
    pinned: bool = False
    superseded_by: str | None = None
    created_at: Annotated[datetime, Field(strict=False)]


class BeliefSet(StrictEntry):
    """Which beliefs a tier may hold."""

    should_only_include: list[str] | None = Field(None, alias="shouldOnlyInclude")


class Expectation(StrictEntry):
    """What must come back; the tiers belong to another product's data model and are only counted."""

    relevant: BeliefSet = Field(BeliefSet(shouldOnlyInclude=None), alias="relevantBeliefs")
    pinned: object = Field(None, alias="pinnedFacts")
    open_questions: object = Field(None, alias="openQuestions")
    prelude: object = Field(None, alias="personaPrelude")

    @property
    def has_tiers(self) -> bool:
        """Whether it says anything of another tier."""
        return any(tier is not None for tier in (self.pinned, self.open_questions, self.prelude))


class CaseEntry(StrictEntry):
    """One query with what must come back."""

    case_id: str = Field(alias="caseId")
    category: str
    scope: list[str]
    query: str
    expect: Expectation
    user_id: str | None = Field(None, alias="userId")


class SessionTurn(StrictEntry):
    """One message of a session, which is a query too; behind it beliefs may appear or change."""

    index: int = Field(alias="turnIndex")
    label: str
    scope: list[str]
    message: str = Field(alias="userMessage")
    expect: Expectation
    creates: BeliefEntry | None = Field(None, alias="createBeliefAtTurn")
    updates: object = Field(None, alias="updateBeliefAtTurn")


class SessionCase(StrictEntry):
    """Messages that follow each other."""

    case_id: str = Field(alias="caseId")
    turns: list[SessionTurn]


BELIEFS = TypeAdapter(list[BeliefEntry])
CASES = TypeAdapter(list[CaseEntry])
SESSION_CASES = TypeAdapter(list[SessionCase])


def read_entries(path: Path, wanted: TypeAdapter[T]) -> T:
    """Read and check one of the files.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    return FieldPath(str(path)).checked(wanted, json_file(path, "Bring the file again."))
