"""What was added is remembered, here and after a restart."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError
from memgauge.systems.aml.journal import RequestJournal, Seen
from memgauge.systems.aml.reading import AddRequest
from support.aml import RECORDED

if TYPE_CHECKING:
    from pathlib import Path

ADD = AddRequest.read(RECORDED["add"])
OTHER = AddRequest.read(RECORDED["add"] | {"session_id": "another"})
NEIGHBOUR = AddRequest.read(RECORDED["add"] | {"user_id": "somebody else"})
ODD = AddRequest.read(RECORDED["add"] | {"request_id": "\ud800\0", "user_id": "\udfff"})


def test_a_request_is_known_by_user_and_id() -> None:
    """The same is a replay, with another body a conflict, and of somebody else new."""
    journal = RequestJournal()
    assert journal.seen(ADD) is Seen.NEW
    journal.note(ADD)
    journal.note(ODD)
    assert [journal.seen(each) for each in (ADD, OTHER, NEIGHBOUR, ODD)] == [
        Seen.REPLAY,
        Seen.CONFLICT,
        Seen.NEW,
        Seen.REPLAY,
    ]
    assert list(journal.stored()) == []
    journal.close()


def test_a_file_outlives_its_process(tmp_path: Path) -> None:
    """Bodies come back in order; what is kept in memory alone keeps none."""
    path = tmp_path / "journal.db"
    journal = RequestJournal(path)
    journal.note(ADD)
    journal.note(ODD)
    journal.close()
    again = RequestJournal(path)
    assert again.seen(OTHER) is Seen.CONFLICT
    assert list(again.stored()) == [ADD, ODD]
    again.close()


def test_what_is_no_journal_is_a_sentence(tmp_path: Path) -> None:
    """A file of something else is not touched; a row that was changed is named."""
    other = tmp_path / "notes.txt"
    other.write_text("My notes. " * 500, "utf-8")
    with pytest.raises(ConfigError, match="cannot be a journal"):
        RequestJournal(other)
    assert other.read_text("utf-8").startswith("My notes.")
    path = tmp_path / "journal.db"
    journal = RequestJournal(path)
    journal.note(ADD)
    journal.close()
    with closing(sqlite3.connect(path)) as rows, rows:
        rows.execute("UPDATE adds SET body = '{}'")
    rows.close()
    spoilt = RequestJournal(path)
    with pytest.raises(ConfigError, match="Row 1 of the journal is none"):
        list(spoilt.stored())
    spoilt.close()
