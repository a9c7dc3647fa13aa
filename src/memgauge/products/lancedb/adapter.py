"""LanceDB, raw lane: one row a turn in one table, scopes kept apart by a filter before the search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Scope, ScoreKind
from memgauge.systems.adapters.product_store import EVERYTHING, OnDisk, hashed, product
from memgauge.systems.adapters.rows import RowStore, StoredTurn

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLE = "memories"
COLUMNS = ("id", "text", "source", "at", "role")


class LanceDB(OnDisk, RowStore):
    """Keeps turns in LanceDB, searched in full without an index; scores are cosine distances, less is better."""

    name = "lancedb"
    pin = "lancedb==0.40.0"
    promises = replace(RowStore.promises, score_kind=ScoreKind.DISTANCE)
    interventions = (
        "one table, scopes by a filter before the search",
        "compacts fragments at each flush",
    )
    _table: Any

    def _open(self) -> None:
        connection = product("lancedb").connect(str(self._home.root))
        arrow = product("pyarrow")
        fields = [arrow.field(name, arrow.string()) for name in ("scope", *COLUMNS)]
        vector = arrow.field("vector", arrow.list_(arrow.float32(), self._vectors.dim))
        self._table = (
            connection.open_table(TABLE)
            if TABLE in connection.table_names()
            else connection.create_table(TABLE, schema=arrow.schema([*fields, vector]))
        )
        if "role" not in self._table.schema.names:  # it was written before roles were kept
            self._table.add_columns({"role": "''"})

    def _shut(self) -> None:
        del self._table  # LanceDB writes before it returns

    def flush(self, scope: Scope, timeout_s: float) -> None:  # noqa: ARG002 - the protocol's
        """Compact: every write is a fragment and a version of its own, and each makes reads slower."""
        self._table.optimize()

    def _put(self, rows: Sequence[StoredTurn], scope: Scope) -> None:
        vectors = self._vectors.embed([row.text for row in rows])
        values = [
            {"scope": hashed(scope), "id": row.id, "text": row.text, **row.metadata, "vector": vector}
            for row, vector in zip(rows, vectors, strict=True)
        ]
        merge = self._table.merge_insert(["scope", "id"]).when_matched_update_all().when_not_matched_insert_all()
        merge.execute(values)

    def _nearest(self, query: str, scope: Scope, k: int) -> list[tuple[StoredTurn, float | None]]:
        search = self._table.search(self._vectors.embed([query])[0]).distance_type("cosine")
        near = search.where(_where(scope), prefilter=True).limit(k).to_list()
        return [(_row(columns), columns["_distance"]) for columns in near]

    def _rows(self, scope: Scope, ids: Sequence[str] | None = None) -> list[StoredTurn]:
        if ids == []:
            return []
        return list(map(_row, self._table.search().where(_where(scope, ids)).limit(EVERYTHING).to_list()))

    def _drop(self, ids: Sequence[str], scope: Scope) -> None:
        self._table.delete(_where(scope, ids))

    def _erase(self, scope: Scope) -> None:
        """Delete the rows of a scope; LanceDB keeps the version that held them."""
        self._table.delete(_where(scope))


def _where(scope: Scope, ids: Sequence[str] | None = None) -> str:
    own = f"scope = '{hashed(scope)}'"
    if ids is None:
        return own
    quoted = ", ".join("'" + name.replace("'", "''") + "'" for name in ids)
    return f"{own} AND id IN ({quoted})"


def _row(columns: dict[str, Any]) -> StoredTurn:
    return StoredTurn(*(str(columns[name]) for name in COLUMNS))
