"""Statements asked within this process, where a test trusts them to end: a process of its own takes a moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.runs.record.sql import LIMITS, QueryResult, _refused, _request, _result
from memgauge.runs.record.sql_child import QueryRefused, answered

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def query_here(folders: Sequence[Path], statement: str) -> QueryResult:
    """Answer a statement as ``query`` does."""
    try:
        return _result(answered(_request(folders, statement, LIMITS)))
    except QueryRefused as error:
        raise _refused(str(error)) from error
