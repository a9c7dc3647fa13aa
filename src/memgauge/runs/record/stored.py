"""What a run stored, as tuples with names: there are so many versions that a dictionary for each is dear."""

from __future__ import annotations

from typing import NamedTuple


class StoredVersion(NamedTuple):
    """One version of a memory, without its words."""

    row: int
    conversation: str
    memory: str
    version: int
    form: str
    sources: list[str]
    lineage: str
    valid_to: str | None
    sha256: str
    returned: bool
    """Whether a search that counts ever returned it."""


STORED_COLUMNS = StoredVersion._fields[:-1]
"""The columns of the table of memories among them, in their order."""
