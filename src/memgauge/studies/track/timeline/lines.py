"""Where in a JSON or YAML file something stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from memgauge.datasets.places import json_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def line_of(path: Path, place: Sequence[str | int]) -> str:
    """Write ``FILE, line N: $.place``; the line is that of the nearest part that exists.

    JSON is read as YAML, which knows where its parts stand.
    """
    try:
        node: Any = yaml.compose(path.read_text(encoding="utf-8-sig").replace("\t", " "), Loader=yaml.SafeLoader)
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
