"""The smallest value that fits a JSON schema: what a scripted model says where no rule knows better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEEPEST = 24
_EMPTY: Mapping[str, Any] = {"boolean": False, "null": None, "array": [], "object": {}, "string": ""}


def fill(schema: Mapping[str, Any], root: Mapping[str, Any] | None = None, depth: int = 0) -> Any:
    """Return the smallest value that fits *schema*: required keys only, first choices, empty texts.

    >>> fill({"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]})
    {'n': 3}
    """
    root = schema if root is None else root
    if depth > _DEEPEST:
        return None
    if "$ref" in schema:
        return fill(_resolve(str(schema["$ref"]), root), root, depth + 1)
    chosen = [schema[key] for key in ("const", "default") if key in schema] + list(schema.get("enum") or ())
    if chosen:
        return chosen[0]
    if schema.get("allOf"):
        return fill(_merged(schema, root), root, depth + 1)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        nothing = [choice for choice in choices if choice.get("type") == "null"]
        return fill((nothing or choices)[0], root, depth + 1)
    return _typed(schema, root, depth)


def _typed(schema: Mapping[str, Any], root: Mapping[str, Any], depth: int) -> Any:
    kind = schema.get("type") or ("object" if "properties" in schema else "string")
    kind = ("null" if "null" in kind else kind[0]) if isinstance(kind, list) else kind
    if kind == "object":
        wanted = schema.get("required") or ()
        known = schema.get("properties") or {}
        return {key: fill(known.get(key) or {}, root, depth + 1) for key in wanted}
    if kind == "array":
        return [fill(schema.get("items") or {}, root, depth + 1) for _ in range(schema.get("minItems") or 0)]
    if kind in {"integer", "number"}:
        return schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
    if kind == "string":
        return "-" * int(schema.get("minLength") or 0)
    return _EMPTY.get(kind)


def _resolve(ref: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    place: Any = root
    for part in ref.removeprefix("#/").split("/"):
        place = place.get(part, {}) if isinstance(place, dict) else {}
    return place if isinstance(place, dict) else {}


def _merged(schema: Mapping[str, Any], root: Mapping[str, Any]) -> dict[str, Any]:
    """Put all parts of an ``allOf`` together."""
    merged: dict[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        whole = _resolve(str(part["$ref"]), root) if "$ref" in part else part
        properties = {**merged.get("properties", {}), **whole.get("properties", {})}
        required = [*merged.get("required", ()), *whole.get("required", ())]
        merged = {**merged, **whole, "properties": properties, "required": required}
    return merged
