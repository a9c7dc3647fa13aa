"""The language as JSON Schema, for editors and for whoever writes suites with another tool."""

from __future__ import annotations

from typing import Any

from memgauge.studies.golden.scenario import SCHEMA, Suite

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a suite file; keys are described by what stands below them in the code."""
    schema = Suite.model_json_schema(by_alias=True)
    for kind in (schema, *schema["$defs"].values()):
        for described in (kind, *kind["properties"].values()):
            described.pop("title", None)
    return {"$schema": DIALECT, "title": f"memgauge suite, schema {SCHEMA}", **schema}
