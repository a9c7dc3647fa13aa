"""Studies whose results are published in the checkout: how they are described, where they lie, and their page."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.misfits import first_misfit

if TYPE_CHECKING:
    from memgauge.show import Document

Spec = TypeVar("Spec", bound=BaseModel)
_ROOT = Path(__file__).parents[3]


def published_at(place: Path, file: str, what: str) -> Path:
    """Return the folder *place* that holds *file*: here, or in the checkout that this package is run from.

    Raises:
        DataNotFoundError: There is none, or nothing was played yet.
    """
    for root in (Path.cwd(), _ROOT):
        if (root / place / file).is_file():
            return root / place
    raise DataNotFoundError(
        f"{what} are not here: {place / file} is missing.", "They lie in the checkout; run this at its root."
    )


def read_spec(kind: type[Spec], path: Path, what: str) -> Spec:
    """Read the TOML file that describes a study.

    Raises:
        DataNotFoundError: It is not there.
        ConfigError: What it says does not fit.
    """
    if not path.is_file():
        raise DataNotFoundError(
            f"No {what} at {path.parent}: {path.name} is missing.", "Run this at the root of a checkout."
        )
    try:
        return kind.model_validate(tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is no TOML: {error}.", "Mend it.") from error
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_misfit(error, 'the file')}.", "Mend it.") from error


def publish_page(document: Document, data: object, *, results: Path | None, page: Path | None) -> None:
    """Write the *data* of a study as *results* and its document as a *page* of the documentation, where wanted."""
    from memgauge.results import plain
    from memgauge.runs.record.files import write_atomically
    from memgauge.show.exports import data_text
    from memgauge.show.markdown import markdown

    if results is not None:
        write_atomically(results, data_text(plain(data)))
    if page is not None:
        write_atomically(page, markdown(document, level=1))
