"""The defects that were frozen before the preflight was written, each with the row that has to be red."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FROZEN: Final[Mapping[str, str]] = {
    "health asks for the key": "health",
    "open to whoever comes": "key",
    "echoes ids trimmed and normalised": "echo",
    "success is a text": "success",
    "202, and the writing later": "success",
    "a replay stores again": "replay",
    "the same id overwrites": "conflict",
    "found only after a moment": "visible",
    "users compared without case": "isolation",
    "an unknown user is 404": "empty",
    "ignores top_k": "top_k",
    "a bare array": "shape",
    "only the last session": "sessions",
    "refuses unknown fields": "unknown",
    "crashes on wrong types": "types",
    "crashes on NUL": "texts",
    "refuses dates after 2100": "times",
    "cuts long messages": "long",
    "the next chunk replaces the last": "chunks",
    "orders by chance": "repeat",
    "loses what is written at once": "load",
    "forgets at a restart": "durable",
    "errors are pages of HTML": "errors",
    "answers when nobody waits any more": "time",
}
