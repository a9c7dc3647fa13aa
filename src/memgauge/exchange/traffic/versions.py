"""Versions of every memory, by the end of the writes that succeeded, as SQL over operations and records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import duckdb

# What writes and removes, one row a record; a time is enough to order them, and rows where times are equal.
_CHANGES: Final = """
CREATE TEMP TABLE changes AS
SELECT n.store, h.memory, n.scope, n.ended_ns, n.row AS operation, h.rank, h.hash,
    n.operation = 'delete' AS removed
FROM held h JOIN numbered n USING (seq)
WHERE n.operation IN ('add', 'update', 'upsert', 'delete') AND n.outcome IN ('ok', 'empty')
"""
_WIPES: Final = """
CREATE TEMP TABLE wipes AS
SELECT store, scope, operation = 'drop_store' AS every, ended_ns
FROM numbered WHERE operation IN ('wipe', 'drop_store') AND outcome IN ('ok', 'empty')
"""
# A write is a new version unless the same text is there already: stored before, neither deleted nor wiped since.
_WRITTEN: Final = """
CREATE TEMP TABLE written AS
SELECT * EXCLUDE (new),
    sum(new::INTEGER) OVER (PARTITION BY store, memory ORDER BY ended_ns, operation, rank)::INTEGER AS version
FROM (
    SELECT c.*, NOT c.removed AND (
        c.hash IS NULL OR c.before IS NULL OR c.gone OR c.hash <> c.before
        OR greatest(coalesce(w.ended_ns, -1), coalesce(d.ended_ns, -1)) >= c.before_ns
    ) AS new
    FROM (
        SELECT *, lag(hash) OVER w AS before, coalesce(lag(removed) OVER w, FALSE) AS gone,
            lag(ended_ns) OVER w AS before_ns
        FROM changes WINDOW w AS (PARTITION BY store, memory ORDER BY ended_ns, operation, rank)
    ) c
    ASOF LEFT JOIN (FROM wipes WHERE NOT every) w
        ON c.store = w.store AND c.scope = w.scope AND c.ended_ns > w.ended_ns
    ASOF LEFT JOIN (FROM wipes WHERE every) d ON c.store = d.store AND c.ended_ns > d.ended_ns
)
"""
# What a search returned is the latest version of that text by then; clocks of two hosts may say that none was yet.
_RETURNED: Final = """
CREATE TEMP TABLE versions AS
SELECT operation, rank, version FROM written
UNION ALL
SELECT r.operation, r.rank, coalesce(w.version, first.version)
FROM (
    SELECT n.store, h.memory, h.hash, n.ended_ns, n.row AS operation, h.rank
    FROM held h JOIN numbered n USING (seq) WHERE n.operation = 'search' AND h.hash IS NOT NULL
) r
JOIN (
    SELECT store, memory, hash, min(version) AS version FROM written
    WHERE NOT removed AND hash IS NOT NULL GROUP BY ALL
) first USING (store, memory, hash)
ASOF LEFT JOIN (
    SELECT store, memory, hash, ended_ns, max(version) AS version FROM written
    WHERE NOT removed AND hash IS NOT NULL GROUP BY ALL
) w ON r.store = w.store AND r.memory = w.memory AND r.hash = w.hash AND r.ended_ns >= w.ended_ns
"""


def number_versions(db: duckdb.DuckDBPyConnection) -> None:
    """Make a table ``versions`` (operation, rank, version) of ``numbered`` operations and ``held`` records."""
    for statement in (_CHANGES, _WIPES, _WRITTEN, _RETURNED):
        db.execute(statement)
