"""Timelines as files: JSON or YAML, with nothing written that is only a default."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import BaseModel, ValidationError

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.runs.record.files import write_atomically
from memgauge.studies.track.timeline.lines import line_of
from memgauge.studies.track.timeline.models import SCHEMA, Timeline
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import yaml_of

if TYPE_CHECKING:
    from pathlib import Path

_ALWAYS = {"kind", "schema_version"}


def plain(part: Any) -> Any:
    """Return a part of a timeline as JSON values, defaults left out."""
    if isinstance(part, BaseModel):
        fields = type(part).model_fields
        given = {name: getattr(part, name) for name in sorted(fields, key=lambda name: name == "extra")}
        kept = {
            name: value
            for name, value in given.items()
            if name in _ALWAYS
            or fields[name].is_required()
            or value != fields[name].get_default(call_default_factory=True)
        }
        return {name: plain(value) for name, value in kept.items()}
    if isinstance(part, list | tuple):
        return [plain(item) for item in part]
    if isinstance(part, dict):
        return {name: plain(value) for name, value in part.items()}
    return part.isoformat().replace("+00:00", "Z") if hasattr(part, "isoformat") else part


def fingerprint(timeline: Timeline) -> str:
    """Hash the history alone: instances that share it are no independent sample."""
    history = [plain(event) for event in timeline.events]
    return hashlib.sha256(json.dumps(history, sort_keys=True).encode()).hexdigest()[:16]


def write_timeline(path: Path, timeline: Timeline) -> None:
    """Write a timeline as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(plain(timeline), ensure_ascii=False, indent=2) + "\n")


def read_document(path: Path) -> Any:
    """Read a JSON or YAML file.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is neither.
    """
    try:
        content = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", "Name an instance file.") from error
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path} is no UTF-8 text ({error.reason}).") from error
    try:
        return json_of(content) if path.suffix == ".json" else yaml_of(content)[1]
    except json.JSONDecodeError as error:
        raise MalformedDataError(f"{path}, line {error.lineno}: this is no JSON ({error.msg}).") from error
    except yaml.YAMLError as error:
        raise MalformedDataError(f"{path}: this is no YAML ({' '.join(str(error).split())}).") from error


def read_timeline(path: Path) -> Timeline:
    """Read a timeline.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is no timeline; the message names line and field.
    """
    document = read_document(path)
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version != SCHEMA:
        raise MalformedDataError(
            f"{path}: schema_version is {version!r}, and this version reads {SCHEMA}.",
            "An original MEMTRACK instance is read by `memgauge study track import`.",
        )
    try:
        return Timeline.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = [
            part
            for part in first["loc"]
            if part not in {"message", "ticket", "commit"} or part == first["loc"][-1]
        ]
        raise MalformedDataError(f"{line_of(path, where)}: {first['msg']}.") from error
