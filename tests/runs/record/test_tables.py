"""The tables of a run, as anybody reads them with DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from memgauge.runs.record.database import connect
from memgauge.runs.record.journal import FILE
from memgauge.runs.record.seal import ContentHashes, content_hash, content_hashes
from memgauge.runs.record.spelling import encode
from memgauge.runs.record.tables import ORDERS, _longest_line, build

if TYPE_CHECKING:
    from pathlib import Path


def attempt(
    conversation: str, number: int, attempt: int, outcomes: dict[str, str], text: str = "a"
) -> list[dict[str, Any]]:
    """Make the rows of one attempt; every question gets the one memory."""
    at: dict[str, Any] = {"conversation": conversation, "attempt": attempt}
    rows: list[dict[str, Any]] = [{"t": "case", **at, "number": number}]
    rows.append({"t": "write", **at, "turns": ["t1"], "outcome": "ok", "reason": "", "ms": 1.5, "changed": ["m"]})
    rows += [
        {
            "t": "question", **at, "question": name, "category": "c", "position": place, "asked_at": None,
            "outcome": outcome, "reason": "", "k": 9, "capped": 0, "ms": 2.0, "tries": 1, "tokens": 1,
            "coverage": 0.5, "notes": [], "memories": [0] if outcome == "ok" else [],
            "scores": [0.25] if outcome == "ok" else [],
        }
        for place, (name, outcome) in enumerate(outcomes.items())
    ]  # fmt: skip
    rows.append({
        "t": "memory", **at, "row": 0, "memory": "m", "version": 1, "text": text, "sha256": text * 4,
        "form": "raw", "sources": ["t1"], "lineage": "exact", "event_at": None, "valid_from": None,
        "valid_to": None, "stored_at": None, "channel": "",
    })  # fmt: skip
    rows.append({"t": "end", **at, "failed": 0})
    return rows


def ask(folder: Path, rows: list[dict[str, Any]], query: str) -> list[Any]:
    """Write a journal and query its tables."""
    (folder / FILE).write_bytes(encode(rows))
    with connect() as db:
        build(db, folder / FILE)
        return db.execute(query).fetchall()


def test_rows_are_numbered_in_the_order_of_the_dataset(tmp_path: Path) -> None:
    """Which conversation was finished first does not show."""
    rows = attempt("b", 1, 1, {"q2": "ok"}) + attempt("a", 0, 1, {"q1": "ok", "q0": "empty"})
    assert ask(tmp_path, rows, "SELECT row, question FROM questions ORDER BY row") == [
        (0, "q1"), (1, "q0"), (2, "q2"),
    ]  # fmt: skip
    assert ask(tmp_path, rows, "SELECT row, conversation FROM memories ORDER BY row") == [(0, "a"), (1, "b")]


def test_hits_point_to_questions_and_memories_of_their_own_attempt(tmp_path: Path) -> None:
    """Equal ids in other conversations and attempts are not mixed up."""
    rows = (
        attempt("a", 0, 1, {"q1": "error"}) + attempt("b", 1, 1, {"q2": "ok"}) + attempt("a", 0, 2, {"q1": "ok"})
    )
    query = (
        "SELECT q.question, q.attempt, m.conversation, m.attempt, h.rank, h.score FROM hits h "
        "JOIN questions q ON h.question = q.row JOIN memories m ON h.memory = m.row ORDER BY ALL"
    )
    assert ask(tmp_path, rows, query) == [("q1", 2, "a", 2, 1, 0.25), ("q2", 1, "b", 1, 1, 0.25)]


@pytest.mark.parametrize(
    ("outcomes", "counting"),
    [
        (["ok", "ok"], 1),
        (["error", "ok"], 2),
        (["timeout", "empty", "ok"], 2),
        (["error", "timeout"], 2),
    ],
)
def test_the_first_valid_attempt_counts(tmp_path: Path, outcomes: list[str], counting: int) -> None:
    """Without a valid one, the last says why; exactly one counts."""
    rows = [row for n, outcome in enumerate(outcomes) for row in attempt("a", 0, n + 1, {"q": outcome})]
    assert ask(tmp_path, rows, "SELECT attempt FROM questions WHERE counts") == [(counting,)]
    assert ask(tmp_path, rows, "SELECT count(*) FROM questions") == [(len(outcomes),)]


def test_the_longest_of_all_lines_has_room(tmp_path: Path) -> None:
    """A whole conversation may lie in one memory, wherever it stands; an empty journal needs none."""
    journal = tmp_path / FILE
    for lines in ([b"long " * 900 + b"\n", b"short\n"], [b"\n", b"long " * 900 + b"\n", b"short\n"], []):
        journal.write_bytes(b"".join(lines))
        assert _longest_line(journal) == max(map(len, lines), default=0)


def test_writes_keep_their_order(tmp_path: Path) -> None:
    """Events are numbered within their attempt."""
    rows = attempt("a", 0, 1, {})
    assert ask(tmp_path, rows * 1, "SELECT event, kind, turns, changed, ms FROM writes") == [
        (0, "write", ["t1"], ["m"], 1.5),
    ]  # fmt: skip


def test_content_ignores_clocks_words_and_texts_but_not_hashes(tmp_path: Path) -> None:
    """Two machines agree on the content; another text does not."""

    def content(rows: list[dict[str, Any]]) -> str:
        (tmp_path / FILE).write_bytes(encode(rows))
        with connect() as db:
            build(db, tmp_path / FILE)
            return content_hash(db)

    rows = attempt("a", 0, 1, {"q": "ok"})
    other_clock = [row | {"ms": 99.0, "reason": "x"} if "ms" in row else row for row in rows]
    no_text = [{key: value for key, value in row.items() if key != "text"} for row in rows]
    assert content(rows) == content(other_clock) == content(no_text)
    assert content(rows) != content(attempt("a", 0, 1, {"q": "ok"}, text="b"))
    assert content(rows) != content(attempt("a", 0, 1, {"q": "empty"}))


def test_every_table_has_an_order() -> None:
    """What is written and hashed is sorted by it."""
    assert list(ORDERS) == ["questions", "memories", "hits", "writes"]


def test_clocks_and_words_are_hashed_apart_from_content(tmp_path: Path) -> None:
    """Another clock is another hash of clocks alone; another ranking changes both."""

    def hashes(rows: list[dict[str, Any]]) -> ContentHashes:
        (tmp_path / FILE).write_bytes(encode(rows))
        with connect() as db:
            build(db, tmp_path / FILE)
            assert content_hashes(db).content == content_hash(db)
            return content_hashes(db)

    rows = attempt("a", 0, 1, {"q": "ok"})
    first, later = hashes(rows), hashes([row | {"ms": 99.0} if "ms" in row else row for row in rows])
    assert (first.content == later.content, first.clocked == later.clocked) == (True, False)
    other = hashes(attempt("a", 0, 1, {"q": "empty"}))
    assert other.content != first.content
    assert other.clocked != first.clocked
