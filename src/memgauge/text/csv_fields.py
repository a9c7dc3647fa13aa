"""How long a field of CSV may be: the library stops at 131,072 letters, which texts of memories have."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST: Final = 1 << 24
"""Characters of one field of a table."""


@contextmanager
def large_fields() -> Iterator[None]:
    """Let fields be as long as :data:`LARGEST` while a table is read."""
    before = csv.field_size_limit(LARGEST)
    try:
        yield
    finally:
        csv.field_size_limit(before)
