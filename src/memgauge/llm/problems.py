"""What is wrong with a request of a model, spelled as OpenAI-compatible servers do."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any


def spell_problem(message: str, kind: str) -> dict[str, Any]:
    """Spell a problem of a kind that clients know, or may show."""
    return {"error": {"message": message, "type": kind, "code": kind, "param": None}}


def problem_of(status: int, why: str) -> dict[str, Any]:
    """Spell what a status means: the request is wrong, or it failed."""
    return spell_problem(why, "invalid_request_error" if status < HTTPStatus.INTERNAL_SERVER_ERROR else "failed")
