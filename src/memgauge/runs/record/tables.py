"""The tables of a sealed run, as SQL over its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.text.parquet import bounded

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from memgauge.runs.record.ordered import PartedLines

# Texts are read apart, so that no table holds them beside another: they are most of a journal.
_JOURNAL = """
CREATE TEMP TABLE journal AS
SELECT row_number() OVER () AS line, *
FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?, columns = {
    t: 'VARCHAR', conversation: 'VARCHAR', attempt: 'INTEGER', number: 'INTEGER', turns: 'JSON',
    session: 'VARCHAR', outcome: 'VARCHAR', reason: 'VARCHAR', ms: 'DOUBLE', changed: 'VARCHAR[]',
    question: 'VARCHAR', category: 'VARCHAR', position: 'INTEGER', asked_at: 'VARCHAR', k: 'INTEGER',
    capped: 'INTEGER', tries: 'INTEGER', tokens: 'INTEGER', coverage: 'DOUBLE', notes: 'VARCHAR[]',
    memories: 'INTEGER[]', scores: 'DOUBLE[]'
})
WHERE t <> 'memory'
"""

_KEPT = """
SELECT * FROM read_json(?, format = 'newline_delimited', maximum_object_size = ?, columns = {
    t: 'VARCHAR', conversation: 'VARCHAR', attempt: 'INTEGER',
    "row": 'INTEGER', memory: 'VARCHAR', version: 'INTEGER', text: 'VARCHAR', sha256: 'VARCHAR', form: 'VARCHAR',
    sources: 'VARCHAR[]', lineage: 'VARCHAR', event_at: 'VARCHAR', valid_from: 'VARCHAR', valid_to: 'VARCHAR',
    stored_at: 'VARCHAR', channel: 'VARCHAR'
})
WHERE t = 'memory'
"""

_CONVERSATIONS = """
CREATE TEMP TABLE conversations AS
SELECT conversation, min(number) AS number FROM journal WHERE t = 'case' GROUP BY conversation
"""

# Rows are numbered over the whole run, in the order of the dataset whatever the order of completion, so that hits
# can point to questions and memories by number and load without a single string.
_MEMORIES = f"""
CREATE TEMP TABLE memories AS
SELECT (row_number() OVER (ORDER BY c.number, j.attempt, j.row) - 1)::INTEGER AS row,
       j.conversation, j.attempt, j.row AS local_row, j.memory, j.version, j.sha256, j.form, j.sources,
       j.lineage, j.event_at, j.valid_from, j.valid_to, j.stored_at, j.channel
FROM ({_KEPT}) j JOIN conversations c USING (conversation)
"""  # noqa: S608 - put together from our own text

# With their texts memories are only ever read in their order, one after the other.
_WHOLE = f"""
SELECT (row_number() OVER () - 1)::INTEGER AS row,
       j.conversation, j.attempt, j.row AS local_row, j.memory, j.version, j.text, j.sha256, j.form, j.sources,
       j.lineage, j.event_at, j.valid_from, j.valid_to, j.stored_at, j.channel
FROM ({_KEPT}) j
"""  # noqa: S608 - the same
_GROUP = 40_960
"""Memories that lie in one group of a file, and are held at once while it is written."""
_GIVE_BACK = "allocator_bulk_deallocation_flush_threshold"
_AT_ONCE = "1MB"
"""What is freed of texts goes back to the system at once: waiting to be used again, it would double the memory."""

# The first valid attempt counts; where none is valid, the last one says why.
_QUESTIONS = """
CREATE TEMP TABLE questions AS
SELECT (row_number() OVER (ORDER BY c.number, j.position, j.question, j.attempt) - 1)::INTEGER AS row,
       j.question, j.conversation, j.category, j.position, j.asked_at, j.attempt, j.outcome, j.reason, j.k,
       j.capped, j.ms, j.tries, j.tokens, j.coverage, j.notes, len(j.memories)::INTEGER AS returned,
       lag((j.conversation, j.question)) OVER (
           ORDER BY j.conversation, j.question, j.outcome NOT IN ('ok', 'empty'),
                    CASE WHEN j.outcome IN ('ok', 'empty') THEN j.attempt ELSE -j.attempt END
       ) IS DISTINCT FROM (j.conversation, j.question) AS counts
FROM journal j JOIN conversations c USING (conversation)
WHERE j.t = 'question'
"""

_HITS = """
CREATE TEMP TABLE hits AS
SELECT q.row AS question, h.rank::INTEGER AS rank, m.row AS memory, h.score::DOUBLE AS score
FROM (
    SELECT conversation, question, attempt, unnest(range(1, len(memories) + 1)) AS rank,
           unnest(memories) AS local_row, unnest(scores) AS score
    FROM journal WHERE t = 'question'
) h
JOIN questions q ON (q.conversation, q.question, q.attempt) = (h.conversation, h.question, h.attempt)
JOIN memories m ON (m.conversation, m.attempt, m.local_row) = (h.conversation, h.attempt, h.local_row)
"""

# An event's number is its place in its attempt: its place among all events by attempts, less that of the first.
_COUNTED = (
    "row_number() OVER (ORDER BY conversation, attempt, line) - rank() OVER (ORDER BY conversation, attempt)"
)
_WRITES = """
CREATE TEMP TABLE writes AS
SELECT c.number AS conversation_number, j.conversation, j.attempt, j.event,
       j.t AS kind, j.session, from_json(j.turns, '["VARCHAR"]') AS turns, j.outcome, j.reason, j.ms, j.changed
FROM ({events}) j
JOIN conversations c USING (conversation)
"""
_EVENTS = f"SELECT *, {_COUNTED} AS event FROM journal WHERE t IN ('write', 'flush')"  # noqa: S608 - our own text

# That holds all events. In the journals that this program writes those of an attempt lie together, and as they
# come the first place of each attempt is enough.
_FIRST_EVENTS = """
CREATE TEMP TABLE first_events AS
SELECT conversation, attempt, min(place) AS place, max(place) - min(place) + 1 = count(*) AS together
FROM (SELECT conversation, attempt, row_number() OVER () AS place FROM journal WHERE t IN ('write', 'flush'))
GROUP BY conversation, attempt
"""
_APART = "SELECT 1 FROM first_events WHERE NOT together LIMIT 1"
_EVENTS_TOGETHER = """
SELECT e.*, e.place - f.place AS event
FROM (SELECT row_number() OVER () AS place, * FROM journal WHERE t IN ('write', 'flush')) e
JOIN first_events f USING (conversation, attempt)
"""

_OUT_OF_ORDER = """
SELECT 1 FROM (SELECT row({order}) AS here, lag(row({order})) OVER () AS before FROM {table})
WHERE before > here LIMIT 1
"""

ORDERS = {
    "questions": "row",
    "memories": "row",
    "hits": "question, rank",
    "writes": "conversation_number, attempt, event",
}
"""The tables of a run and the order of their rows."""
_WITHOUT_TEXTS = {table: order for table, order in ORDERS.items() if table != "memories"}

CONTENT = {
    "questions": "* EXCLUDE (ms, reason, notes)",
    "memories": "* EXCLUDE (channel)",
    "hits": "*",
    "writes": "* EXCLUDE (ms, reason)",
}
"""What of each table is the same on every machine and in every copy: no clock readings, no wording of the system's
own (errors, notes, channels), and hashes for texts."""


def build(db: duckdb.DuckDBPyConnection, journal: Path) -> None:
    """Create the temporary tables of a run from its journal."""
    # A reader holds several of the longest lines that it is told to expect, so it is told the truth.
    source = [str(journal), _room(_longest_line(journal))]
    db.execute(_JOURNAL, source)
    db.execute(_CONVERSATIONS)
    db.execute(_MEMORIES, source)
    _finish(db, _EVENTS)


def make(db: duckdb.DuckDBPyConnection, lines: PartedLines, folder: Path) -> None:
    """Write the tables of a journal into *folder*, with texts; :func:`build` names what shows them.

    Raises:
        OSError: There is no room.
        duckdb.IOException: The same, said by the database.
        duckdb.Error: The journal is none.
    """
    _write_memories(db, lines, folder)
    _finish(db, _EVENTS)
    for table, order in _WITHOUT_TEXTS.items():
        _copy(db, f"FROM {table} ORDER BY {order}", folder / f"{table}.parquet")


def make_in_little_room(db: duckdb.DuckDBPyConnection, lines: PartedLines, folder: Path) -> None:
    """Write the same files without holding what is written, which then lies in its order for who reads it.

    Raises:
        OSError: There is no room.
        duckdb.IOException: The same, said by the database.
        duckdb.Error: The journal is none.
    """
    db.execute(f"SET {_GIVE_BACK} = '{_AT_ONCE}'")
    _write_memories(db, lines, folder)
    db.execute(f"RESET {_GIVE_BACK}")
    _finish(db, _events_as_they_come(db))
    db.execute("DROP TABLE first_events")
    for table, order in _WITHOUT_TEXTS.items():
        # What lies in its order already, as one long conversation does, is not sorted: that would hold it.
        apart = db.execute(_OUT_OF_ORDER.format(order=order, table=table)).fetchone()
        _copy(db, f"FROM {table} ORDER BY {order}" if apart else f"FROM {table}", folder / f"{table}.parquet")
        db.execute(f"DROP TABLE {table}")
        _show(db, table, folder / f"{table}.parquet")


def _write_memories(db: duckdb.DuckDBPyConnection, lines: PartedLines, folder: Path) -> None:
    """Read the lines of a journal; those of memories go into their file, and their texts are parsed once."""
    db.execute(_JOURNAL, [str(lines.others), _room(lines.longest_other)])
    db.execute(_CONVERSATIONS)
    rows = _WHOLE.replace("?", f"'{_quoted(lines.memories)}'", 1).replace("?", str(_room(lines.longest_memory)), 1)
    _copy(db, rows, folder / "memories.parquet", f", ROW_GROUP_SIZE {_GROUP}")
    _show(db, "memories", folder / "memories.parquet")


def _finish(db: duckdb.DuckDBPyConnection, events: str) -> None:
    """Create what follows from the lines of a journal and its memories."""
    for statement in (_QUESTIONS, _HITS, _WRITES.format(events=events)):
        db.execute(statement)
    db.execute("DROP TABLE journal")


def _events_as_they_come(db: duckdb.DuckDBPyConnection) -> str:
    """Write the SQL that numbers events without holding them, where those of an attempt lie together."""
    db.execute(_FIRST_EVENTS)
    return _EVENTS if db.execute(_APART).fetchone() else _EVENTS_TOGETHER


def _copy(db: duckdb.DuckDBPyConnection, rows: str, target: Path, more: str = "") -> None:
    db.execute(f"COPY ({rows}) TO '{_quoted(target)}' (FORMAT parquet, COMPRESSION zstd{more})")


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def view(db: duckdb.DuckDBPyConnection, table: str, path: Path) -> None:
    """Show the file of a table under its name, as :func:`build` makes it.

    Raises:
        TooMuchError: It unpacks to more than it may.
    """
    bounded(path)
    _show(db, table, path)


def _show(db: duckdb.DuckDBPyConnection, table: str, path: Path) -> None:
    texts = " EXCLUDE (text)" if table == "memories" else ""
    db.execute(f"CREATE TEMP VIEW {table} AS SELECT *{texts} FROM read_parquet('{_quoted(path)}')")  # noqa: S608 - our own names


def _longest_line(path: Path) -> int:
    with path.open("rb") as file:
        return max((len(line) for line in file), default=0)


def _room(longest: int) -> int:
    """Return the room that a line needs, at least a MB: whole conversations may lie in one."""
    return (longest | 1 << 20) + 1


def content_query(table: str, *, clocks: bool = False, ordered: bool = False) -> str:
    """Write the SQL that says the content of one table, a line a row, with or without clock readings.

    What was just written in its order need not be sorted, which would hold every line.
    """
    rows = f"SELECT {'*' if clocks else CONTENT[table]} FROM {table}"  # noqa: S608 - both names are our own
    sorted_by = "" if ordered else f" ORDER BY {ORDERS[table]}"
    return f"SELECT CAST(r AS VARCHAR) FROM ({rows}) r{sorted_by}"  # noqa: S608 - the same
