"""What stands in the tables of products in the studies: rows, and the frozen bundle that each is computed from."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _ProductPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ProductRow(_ProductPart):
    """One product in one study."""

    key: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    file: str
    """Its bundle below the folder of results, or of attribution what the study wrote."""
    interrupted: str = ""
    """Its bundle on the interrupted stream, where the study plays one."""

    def key_of(self, table: ProductTable, column: str) -> str:
        """Name one cell."""
        return f"{table.key}/{self.key}/{column}"


class ProductTable(_ProductPart):
    """One study over products."""

    key: Literal["targets", "quality", "temporal", "context", "shift", "attribution"]
    title: str
    dataset: str = ""
    """What its bundles were played on; attribution makes its own questions."""
    command: str
    """What played the bundles."""
    columns: tuple[str, ...]
    rows: tuple[ProductRow, ...]


class ProductTables(_ProductPart):
    """All tables, before anything is computed."""

    as_of: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")
    """The day on which the tables were computed; what was played says its own."""
    sha256: dict[str, str]
    """Of each dataset."""
    tables: tuple[ProductTable, ...]
