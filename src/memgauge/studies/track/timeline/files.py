"""Timelines as files: JSON or YAML, with nothing written that is only a default."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from memgauge.datasets.places import json_path
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.runs.record.files import write_atomically
from memgauge.studies.track.timeline.models import SCHEMA, Timeline
from memgauge.text.jsons import json_of
from memgauge.text.untrusted import yaml_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

M = TypeVar("M", bound=BaseModel)

_PLACED = 1 << 19
"""Characters of a file whose mistakes are named with their line, which takes a second."""
_ALWAYS = {"kind", "schema_version"}


def plain(part: Any) -> Any:
    """Return a part of a timeline as JSON values, defaults left out."""
    if isinstance(part, BaseModel):
        fields = type(part).model_fields
        values = {name: getattr(part, name) for name in sorted(fields, key=lambda name: name == "extra")}
        return {
            name: plain(value)
            for name, value in values.items()
            if name in _ALWAYS
            or fields[name].is_required()
            or value != fields[name].get_default(call_default_factory=True)
        }
    if is_dataclass(part) and not isinstance(part, type):
        return asdict(part)
    if isinstance(part, list | tuple):
        return [plain(item) for item in part]
    if isinstance(part, dict):
        return {name: plain(value) for name, value in part.items()}
    return part.isoformat().replace("+00:00", "Z") if hasattr(part, "isoformat") else part


def fingerprint(timeline: Timeline) -> str:
    """Hash the history alone: instances that share it are no independent sample."""
    history = [plain(event) for event in timeline.events]
    return hashlib.sha256(json.dumps(history, sort_keys=True).encode()).hexdigest()[:16]


def write_model(path: Path, model: BaseModel) -> None:
    """Write a timeline, or a file beside it, as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(plain(model), ensure_ascii=False, indent=2) + "\n")


def read_model(path: Path, kind: type[M]) -> M:
    """Read what :func:`write_model` wrote, or somebody by hand.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is no such thing; the message names line and field.
    """
    return _validated(path, read_document(path), kind)


def write_timeline(path: Path, timeline: Timeline) -> None:
    """Write a timeline as JSON."""
    write_model(path, timeline)


def read_text(path: Path, remedy: str) -> str:
    """Read a file of text.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataNotFoundError(f"Cannot read {path}: {error.strerror}.", remedy) from error
    except UnicodeDecodeError as error:
        raise MalformedDataError(f"{path} is no UTF-8 text ({error.reason}).") from error


def read_document(path: Path) -> Any:
    """Read a JSON or YAML file.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is neither.
    """
    content = read_text(path, "Name an instance file.")
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
    return _validated(path, document, Timeline)


def _validated(path: Path, document: Any, kind: type[M]) -> M:
    try:
        return kind.model_validate(document)
    except ValidationError as error:
        detail = error.errors()[0]
        where = [
            part
            for part in detail["loc"]
            if part not in {"message", "ticket", "commit"} or part == detail["loc"][-1]
        ]
        raise MalformedDataError(f"{line_of(path, where)}: {detail['msg']}.") from error


def line_of(path: Path, place: Sequence[str | int]) -> str:
    """Write ``FILE, line N: $.place``; the line is that of the nearest part that exists.

    JSON is read as YAML, which knows where its parts stand.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").replace("\t", " ")
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        node: Any = yaml.compose(text, Loader=loader) if len(text) < _PLACED else None
    except (OSError, yaml.YAMLError):
        return f"{path}: {json_path(place)}"
    line = node.start_mark.line + 1 if node is not None else 1
    for part in place:
        node, line = _inside(node, part, line)
    return f"{path}, line {line}: {json_path(place)}"


def _inside(node: Any, part: str | int, line: int) -> tuple[Any, int]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return value, key.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        inner = node.value[part]
        return inner, inner.start_mark.line + 1
    return None, line
