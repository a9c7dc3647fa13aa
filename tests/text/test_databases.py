"""Databases in memory."""

from __future__ import annotations

from memgauge.text.databases import in_memory


def test_what_takes_long_draws_nothing() -> None:
    """No bar of progress stands in what a command prints, of a cursor neither."""
    with in_memory({"threads": 1}) as database, database.cursor() as cursor:
        for db in (database, cursor):
            assert db.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(False,)]
