"""What a reply has to be, and whether it is that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.llm.schemas import misfit
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.llm.served.asked import ChatRequest
    from memgauge.studies.weak.record import Exchange

TEXT, JSON, SCHEMA, TOOL = "text", "json", "schema", "tool"
_TYPES: Final = frozenset({"object", "array", "string", "boolean", "integer", "number", "null"})
_DEEP: Final = 8


def shape_of(request: ChatRequest) -> str:
    """Name what a request wants its reply to be."""
    if request.schema is not None:
        return SCHEMA
    if request.must_use:
        return TOOL
    return JSON if request.json_only else TEXT


def asked_for(exchange: Exchange) -> str:
    """Name what a reply has to be for a reader: where tools are offered, a text will do too."""
    return f"{TEXT} or {TOOL}" if exchange.shape == TEXT and exchange.schemas else exchange.shape


def slim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Keep of a schema what a reply is checked by: no description, no title, and no reference left open."""
    return _slim(schema, schema.get("$defs") or {}, 0)


def _slim(schema: Mapping[str, Any], definitions: Mapping[str, Any], depth: int) -> dict[str, Any]:
    resolved = definitions.get(str(schema.get("$ref", "")).rpartition("/")[2], schema)
    if depth > _DEEP or not isinstance(resolved, dict):
        return {}
    kinds = resolved.get("type")
    if kinds is None and (choices := resolved.get("anyOf")):
        slimmed = [_slim(choice, definitions, depth + 1) for choice in choices]
        plain_types = [each for each in slimmed if set(each) <= {"type"} and each]
        kinds = [each["type"] for each in plain_types] if len(plain_types) == len(choices) else None
    slimmer: dict[str, Any] = {"type": kinds} if _understood(kinds) else {}
    slimmer |= {key: resolved[key] for key in ("required", "enum") if key in resolved}
    if "properties" in resolved:
        slimmer["properties"] = {
            name: _slim(each, definitions, depth + 1) for name, each in resolved["properties"].items()
        }
    if isinstance(resolved.get("items"), dict):
        slimmer["items"] = _slim(resolved["items"], definitions, depth + 1)
    return slimmer


def _understood(kinds: object) -> bool:
    return all(kind in _TYPES for kind in (kinds if isinstance(kinds, list) else [kinds]))


def unfit(exchange: Exchange) -> str:
    """Say why a reply is not what was asked for; as was seen at the time, where it quotes and is no more whole."""
    return exchange.fault if exchange.quoted else misshapen(exchange)


def misshapen(exchange: Exchange) -> str:
    """Say why a whole reply is not what was asked for; empty where it is, or where any text will do."""
    if exchange.shape == TOOL and not exchange.uses:
        return "no tool was used"
    if exchange.uses:
        return next(filter(None, (_unfit_use(*use, exchange.schemas) for use in exchange.uses)), "")
    if exchange.shape not in {JSON, SCHEMA}:
        return ""
    try:
        value = json_of(exchange.text)
    except ValueError:
        return "no JSON"
    schema = next(iter(exchange.schemas.values()), {}) if exchange.shape == SCHEMA else {"type": "object"}
    return misfit(value, schema)


def _unfit_use(tool: str, arguments: str, schemas: Mapping[str, Any]) -> str:
    if tool not in schemas:
        return f"there is no tool {tool[:60]}"
    try:
        return misfit(json_of(arguments), schemas[tool])
    except ValueError:
        return f"arguments of {tool} are no JSON"
