"""Failures that servers tell in words, and what only looks like one."""

from __future__ import annotations

import pytest

from memgauge.systems.mcp.refusing import failure_in

FAILURES = (
    "Error: backend unavailable",
    "ERROR : locked",
    "sqlite3.OperationalError: database is locked",
    "Database error: gone",
    "Failed to add memory",
    "Traceback (most recent call last):\n  File",
    {"error": "backend unavailable"},
    {"rows": [], "error": {"code": 5}},
    {"errors": ["a"]},
    {"success": False},
    {"ok": False, "message": "try later"},
    {"status": "error", "message": "locked"},
    {"result": "Error: locked"},
)
NONE: tuple[object, ...] = (
    "",
    "Stored.",
    "We talked of an error: none was found",
    "Errors are human",
    {},
    {"rows": []},
    {"rows": None},
    {"rows": [{"text": "Error: I was wrong"}]},
    {"error": None, "rows": []},
    {"errors": [], "success": True, "status": "ok"},
    {"memory": "Error: disk full, said Ada"},
    [],
    ["Error: x"],
    None,
    7,
)
EMPTY = (
    {"error": "No memories found"},
    {"success": False, "message": "nothing matches"},
    {"status": "error", "message": "the store is empty"},
    "Error: not found",
)


@pytest.mark.parametrize("reply", FAILURES)
def test_a_failure_is_one_whoever_asked(reply: object) -> None:
    """A write is none, and neither is an empty list."""
    assert failure_in(reply, looking=False)
    assert failure_in(reply, looking=True)


@pytest.mark.parametrize("reply", NONE)
def test_what_a_memory_says_is_no_failure(reply: object) -> None:
    """Memories speak of errors, and servers of none."""
    assert failure_in(reply, looking=False) == failure_in(reply, looking=True) == ""


@pytest.mark.parametrize("reply", EMPTY)
def test_nothing_found_is_no_failure_of_a_search(reply: object) -> None:
    """Of a write it is one."""
    assert failure_in(reply, looking=True) == ""
    assert failure_in(reply, looking=False)
