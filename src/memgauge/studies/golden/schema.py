"""The language as JSON Schema, for editors and for whoever writes suites with another tool."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import Any

from memgauge.studies.golden import scenario

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a suite file; keys are described by what stands below them in the code."""
    schema = scenario.Suite.model_json_schema(by_alias=True)
    meanings = _meanings()
    for name, kind in [("Suite", schema), *schema["$defs"].items()]:
        kind.pop("title", None)
        for key, rule in kind["properties"].items():
            rule.pop("title", None)
            said = meanings.get((name, key)) or meanings.get((name, f"{key}_"))
            if said and "$ref" not in rule:
                rule["description"] = said
    return {"$schema": DIALECT, "title": f"memgauge suite, schema {scenario.SCHEMA}", **schema}


def _meanings() -> dict[tuple[str, str], str]:
    """Read the sentence below every attribute of the models."""
    found = {}
    for kind in ast.parse(inspect.getsource(scenario)).body:
        for field, text in pairwise(kind.body if isinstance(kind, ast.ClassDef) else ()):
            match kind, field, text:
                case (
                    ast.ClassDef(name=model),
                    ast.AnnAssign(target=ast.Name(id=key)),
                    ast.Expr(value=ast.Constant(value=str(said))),
                ):
                    found[model, key] = said
    return found
