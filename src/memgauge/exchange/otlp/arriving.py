"""Files of spans arrive: as traffic under a name that says what it is made of, as a dataset, and as a run."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from memgauge.datasets.files import sha256_of
from memgauge.errors import DataNotFoundError
from memgauge.exchange.otlp.importing import import_otlp
from memgauge.exchange.traffic.freezing import FrozenTraffic, freeze_traffic
from memgauge.exchange.traffic.reading import Traffic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from memgauge.exchange.otlp.sighting import OtlpOptions


def arrive(
    files: Sequence[Path], options: OtlpOptions, folder: Path, out: Path, label: str
) -> tuple[Traffic, FrozenTraffic]:
    """Import *files* as traffic below *folder* and a run below *out*; the same files are the same traffic.

    Raises:
        DataError: A file is absent or cannot be read, or none of them holds a span.
    """
    slug = re.sub(r"[^a-z0-9]+", "-", label.lower()).strip("-")[:40] or "otlp"
    place = folder / f"{slug}-{_identity(files, options)[:8]}"
    traffic = Traffic.read(place) if place.is_dir() else import_otlp(files, place, options)
    return traffic, freeze_traffic(traffic, out, label)


def _identity(files: Sequence[Path], options: OtlpOptions) -> str:
    """Hash what decides about traffic: the files, and how they are read."""
    for path in files:
        if path.is_dir():
            raise DataNotFoundError(f"{path} is a folder.", f"Name the files in it: {path}/*.")
        if not path.is_file():
            raise DataNotFoundError(f"There is no file at {path}.", "Check the path.")
    probe = options.pseudonyms.name("identity", "identity")  # tells keys apart, and tells nobody a key
    parts = (*sorted(map(sha256_of, files)), probe, str(options.texts), *options.scope_from, *options.dialects)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
