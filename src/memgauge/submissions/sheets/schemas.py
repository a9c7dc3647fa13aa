"""JSON Schemas of all sheets, for editors and for tools that are not ours.

``python -m memgauge.submissions.sheets.schemas ROOT`` writes them again below the root of a registry.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from memgauge.submissions.sheets.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.sheets.base import Sheet

FOLDER: Final = "schemas"
"""Below the root of a registry."""


def schema_of(kind: type[Sheet]) -> dict[str, Any]:
    """Return the JSON Schema of a kind of sheet; its first key is fixed to what the kind is called."""
    schema = kind.model_json_schema(by_alias=True)
    schema["properties"]["schema"] = {"const": kind.SCHEMA, "title": "Schema"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def schema_files() -> Iterator[tuple[str, str]]:
    """Yield name and text of every published schema, ``NAME.N.json``."""
    for kind in KINDS:
        version = kind.model.SCHEMA.rpartition("/")[2]
        text = json.dumps(schema_of(kind.model), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        yield f"{kind.name}.{version}.json", text


def write_schemas(root: Path) -> tuple[Path, ...]:
    """Write every schema below the root of a registry, and take away those of no sheet."""
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    written = []
    for name, text in schema_files():
        (folder / name).write_text(text, "utf-8")
        written.append(folder / name)
    for path in set(folder.glob("*.json")).difference(written):
        path.unlink()
    return tuple(written)


if __name__ == "__main__":
    write_schemas(Path(sys.argv[1]))
