"""Find what a sheet names in its registry, or say what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import MalformedDataError

if TYPE_CHECKING:
    from collections.abc import Mapping

S = TypeVar("S")


def registered(sheets: Mapping[str, S], name: str, kind: str, by: str) -> S:
    """Return the sheet of this name.

    Args:
        sheets: By name.
        name: Which one.
        kind: Folder of such sheets, below ``registry``.
        by: File that names it.

    Raises:
        MalformedDataError: There is none.
    """
    if name not in sheets:
        raise MalformedDataError(
            f"{by} names {name!r}, which is not in registry/{kind}.", f"Add registry/{kind}/{name}.toml."
        )
    return sheets[name]
