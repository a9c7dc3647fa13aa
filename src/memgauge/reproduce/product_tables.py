"""What stands in the tables of products in the studies: rows, and the frozen files that each is computed from."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _ProductPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProductRow(_ProductPart):
    """One product in one study."""

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    files: tuple[str, ...] = Field(min_length=1)
    """Bundles or cards, below the folder of results; of a stream that is interrupted, after the clean one."""

    def key_of(self, table: ProductTable, column: str) -> str:
        """Name one cell."""
        return f"{table.key}/{self.key}/{column}"


class AbsentProduct(_ProductPart):
    """One that is in no row, and the reason in a sentence."""

    name: str
    why: str


class ProductTable(_ProductPart):
    """One study over products."""

    key: Literal["targets", "quality", "context", "shift", "attribution"]
    title: str
    dataset: str = ""
    """What its bundles were played on; empty where the study asks its own questions."""
    commands: tuple[str, ...]
    """What made the frozen files; ``{system}`` stands for a product with its options."""
    columns: tuple[str, ...]
    rows: tuple[ProductRow, ...]
    absent: tuple[AbsentProduct, ...] = ()


class ProductTables(_ProductPart):
    """All tables, before anything is computed."""

    as_of: date
    """The day on which what is frozen here was played; bundles of the board say their own."""
    sha256: dict[str, str]
    """Of each dataset."""
    tables: tuple[ProductTable, ...]
