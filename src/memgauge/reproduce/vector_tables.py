"""What stands in tables with real vectors: rows, published values beside them, and the commands of their runs."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

LESS: Final = " - "
UNLIKE: Final = " ≠ "


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class VectorRow(_Described):
    """A row: what was measured, what was published, or both beside each other."""

    key: str
    label: str
    runs: str = ""
    """Folder of the runs, as the table's commands name it; empty where nothing was measured."""
    system: str = ""
    """Reference of what was played, without its store."""
    store: str = ""
    published: tuple[float, ...] = ()
    """By column."""
    of: str = ""
    less: str = ""
    """Keys of two rows of the table, of which this one is the difference."""
    members: tuple[str, ...] = ()
    """Keys of the rows of another table that are ordered."""
    printed: bool = False
    """Whether they are ordered by what was published of them."""
    replayed: bool = False
    """Whether its first conversation is played again where the weights are at hand."""

    def key_of(self, table: VectorTable, column: str) -> str:
        """Name its values."""
        return f"{table.key}/{self.key}/{column}"


class VectorTable(_Described):
    """One table, and the commands that made its runs."""

    key: str
    title: str
    kind: Literal["shift", "targets", "transfer", "quality", "ranks", "claims"]
    """Two follow from another table: ``ranks`` says how far two of its columns order rows alike, ``claims`` how
    many pairs of rows that can be told apart are ordered as published."""
    dataset: str
    commands: tuple[str, ...]
    columns: tuple[str, ...]
    """What a question is worth; ``A - B`` is a difference of two others, ``A ≠ B`` whether they differ."""
    ordering: str = ""
    """Key of that other table."""
    rows: tuple[VectorRow, ...]

    @property
    def own(self) -> tuple[str, ...]:
        """Return the columns that do not follow from others."""
        return tuple(column for column in self.columns if LESS not in column and UNLIKE not in column)

    def row(self, key: str) -> VectorRow:
        """Return one row."""
        return next(row for row in self.rows if row.key == key)


class VectorTables(_Described):
    """All tables, before anything is measured."""

    sha256: dict[str, str]
    """Of each dataset."""
    tables: tuple[VectorTable, ...]
