"""What lies in an archive, byte by byte: what a run is made of, and nothing between, before or behind it."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Final

from memgauge.runs.record.compact import SHARED
from memgauge.submissions.checks.rulings import refuse
from memgauge.submissions.layout import BUNDLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_RUN: Final = re.compile(
    r"^(SEAL|manifest\.json|journal\.jsonl|cost\.json|(hits|memories|questions|writes)\.parquet"
    r"|scores/[\w.-]+\.json|signatures/[\w./-]+|layers/[\w./-]+"
    r"|compact\.json|(rows|scores|places|hashes)\.xz)$"
)
"""Layers are another check's: they quote."""
_WIDTH: Final = 32
_HEADERS: Final = 512
"""Bytes that a member may need beside its own."""


def strangers_in(path: Path, name: str) -> Iterator[CheckFinding]:
    """Refuse what lies in an archive and is no part of a run, and bytes that are of no member."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        stranger = next((each.filename for each in members if not _RUN.match(each.filename)), None)
        known = sum(each.compress_size + _HEADERS for each in members)
        hidden = bool(archive.comment) or path.stat().st_size > known + _HEADERS
        hidden = hidden or any(each.comment for each in members) or min(each.header_offset for each in members) > 0
    if stranger is not None:
        yield refuse(name, f"holds {stranger[:80]!r}, which is no part of a run.", "Pack the run as it was made.")
    if hidden:
        yield refuse(name, "holds bytes beside its files.", "Pack the run as it was made.")


def shared_hashes(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse a file of hashes that holds anything but the hashes of memories of these bundles."""
    path = subject.submission.folder / BUNDLES / SHARED
    if not path.is_file():
        return
    raw = path.read_bytes()
    known = {
        bytes.fromhex(digest)
        for _, run in subject.runs
        for digest in run.hashes_of(range(len(run.memories["form"]))).values()
    }
    rows = {raw[start : start + _WIDTH] for start in range(0, len(raw), _WIDTH)}
    if not raw or rows - known:
        yield refuse(
            f"{BUNDLES}/{SHARED}",
            "holds what is no hash of a memory in these bundles.",
            "Pack again, into a new folder.",
        )
