"""Whether an answer is what the contract says; who reads it as strictly says what is wrong in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ECHOED: Final = ("request_id", "user_id", "session_id")


def success_problem(value: object) -> str:
    """Say what is wrong with what an Add says of itself; empty where nothing is."""
    if not isinstance(value, dict):
        return f"no JSON object but {_short(value)}"
    if value.get("success") is not True:
        return f"success {_short(value.get('success'))}, not the boolean true"
    return ""


def echo_problem(value: object, sent: Mapping[str, Any]) -> str:
    """Say what is wrong with the answer to an Add, its echo included; empty where nothing is."""
    if problem := success_problem(value):
        return problem
    if not isinstance(value, dict):
        return "no JSON object"
    for name in ECHOED:
        if value.get(name) != sent[name]:
            return f"{name} {_short(value.get(name))}, not {_short(sent[name])} as it was sent"
    return ""


def listed(value: object) -> tuple[list[dict[str, Any]], str]:
    """Return the hits of an answer to a Search, and what is wrong with it."""
    if not isinstance(value, dict):
        return [], f"{'a bare array' if isinstance(value, list) else _short(value)}, no object with data"
    rows = value.get("data")
    if not isinstance(rows, list):
        return [], f"data {_short(rows)}, which is no list"
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            return [], f"data[{place}] {_short(row)}, which is no object"
        for name in ("id", "content"):
            if not isinstance(row.get(name), str):
                return [], f"data[{place}].{name} {_short(row.get(name))}, which is no text"
    return rows, ""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
