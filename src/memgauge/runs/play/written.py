"""A run of which everything is written, as its owner wrote it: what is sealed is that and nothing else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from memgauge.errors import RunError
from memgauge.runs.record.appending import Appender
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.seal import seal


@dataclass(frozen=True)
class WrittenRecord:
    """Where it lies, and the hashes of what was written."""

    folder: str
    journal: str
    manifest: str

    @property
    def size(self) -> int:
        """Return the bytes of the journal; 0 where there is none any more."""
        try:
            return (Path(self.folder) / JOURNAL).stat().st_size
        except OSError:
            return 0

    def compare(self) -> None:
        """Hold the files against what was written; what is played may have found them.

        Raises:
            RunError: Somebody else changed one.
        """
        for name, written in ((JOURNAL, self.journal), (MANIFEST, self.manifest)):
            path = Path(self.folder) / name
            try:
                with path.open("rb") as file:
                    same = hashlib.file_digest(file, "sha256").hexdigest() == written
            except OSError:
                same = False
            if not same:
                raise RunError(
                    f"{path} was changed while this run was played: by what is played, or by another command.",
                    "Move its folder away and run again, one command at a time; no number of it can be believed.",
                )

    def seal(self) -> None:
        """Seal what was written, and let nobody write meanwhile.

        Raises:
            RunError: Somebody else changed it, or writes it, or the disk is full.
        """
        with Appender(Path(self.folder) / JOURNAL):
            self.compare()
            seal(Path(self.folder), known={JOURNAL: self.journal})
