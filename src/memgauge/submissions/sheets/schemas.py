"""JSON Schemas of all sheets, for editors and for tools that are not ours."""

from __future__ import annotations

import json
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
