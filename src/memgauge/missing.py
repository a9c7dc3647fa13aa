"""What a command lacks, found in one go: every dataset, weight and product, with what adds each."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import DataNotFoundError, MissingExtraError, MissingPartsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from memgauge.errors import UserError

K = TypeVar("K")
T = TypeVar("T")


class MissingParts:
    """Remembers what could not be opened because it is not here."""

    def __init__(self) -> None:
        self._errors: dict[str, UserError] = {}

    def opened(self, keys: Iterable[K], open_: Callable[[K], T]) -> dict[K, T]:
        """Open what is here, and remember what is not; any other mistake is raised at once."""
        values: dict[K, T] = {}
        for key in keys:
            try:
                values[key] = open_(key)
            except (DataNotFoundError, MissingExtraError) as error:
                self._errors.setdefault(str(error), error)
        return values

    def require(self) -> None:
        """Go on only where nothing is missing.

        Raises:
            UserError: Something is; of several things one error names each.
        """
        if len(self._errors) == 1:
            raise next(iter(self._errors.values()))
        if self._errors:
            lines = "".join(f"\n  - {error}" for error in self._errors)
            raise MissingPartsError(
                f"{len(self._errors)} things are missing:{lines}\n`memgauge doctor` lists everything that is here."
            )
