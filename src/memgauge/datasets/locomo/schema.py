"""The shape of LoCoMo's file, as far as it is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Discriminator, Field, Tag, TypeAdapter, ValidationError

from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path


class LocomoTurn(BaseModel):
    """One utterance."""

    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class LocomoQuestion(BaseModel):
    """One question with its labels."""

    question: str
    category: Annotated[int, Field(ge=1, le=5)]
    evidence: list[str]
    answer: str | int | float | None = None
    adversarial_answer: str | None = None


def _tag(value: object) -> str:
    return "<turns>" if isinstance(value, list) else "<text>"


Part = Annotated[Annotated[list[LocomoTurn], Tag("<turns>")] | Annotated[str, Tag("<text>")], Discriminator(_tag)]
Sources = str | list[str]


class SampleEntry(BaseModel):
    """One conversation with everything about it."""

    sample_id: str
    conversation: dict[str, Part]
    """``session_<n>`` holds turns, ``session_<n>_date_time`` and the speakers are text."""
    qa: list[LocomoQuestion]
    observation: dict[str, dict[str, list[tuple[str, Sources]]]] = {}
    session_summary: dict[str, str] = {}


_FILE: TypeAdapter[list[SampleEntry]] = TypeAdapter(list[SampleEntry])


def read_samples(path: Path) -> list[SampleEntry]:
    """Read and check the file.

    Raises:
        MalformedDataError: It is not JSON, or a field is not what it must be; the message names the place.
    """
    data = path.read_bytes()
    try:
        return _FILE.validate_json(data)
    except ValidationError as error:
        raise explain(path, data, error) from error


def explain(path: Path, data: bytes, error: ValidationError) -> MalformedDataError:
    """Say where *data*, the content of *path*, breaks its format."""
    try:
        json_of(data)
    except json.JSONDecodeError as broken:
        where = f"line {broken.lineno}, column {broken.colno}"
        return MalformedDataError(f"{path} is not JSON: {broken.msg} at {where}.", "Fetch the file again.")
    except UnicodeDecodeError as broken:
        return MalformedDataError(f"{path} is not UTF-8: byte {broken.start}.", "Fetch the file again.")
    return FieldPath(str(path)).invalid(error)
