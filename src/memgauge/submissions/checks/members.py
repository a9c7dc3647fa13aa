"""What lies in an archive, byte by byte: what a run is made of, and nothing between, before or behind it."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING, Final

from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.members import belongs
from memgauge.submissions.checks.rulings import refuse
from memgauge.submissions.layout import BUNDLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_COMPACT: Final = re.compile(r"compact\.json|(rows|scores|places|hashes)\.xz")
"""What a compact bundle holds in place of a journal. Layers are another check's: they quote."""
_WIDTH: Final = 32
_LOCAL, _CENTRAL, _END = 30, 46, 22
"""Bytes of the headers of a member, before its name, and of the end of an archive."""


def strangers_in(path: Path, name: str) -> Iterator[CheckFinding]:
    """Refuse what lies in an archive and is no part of a run, and bytes that are of no member."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        stranger = next(
            (
                each.filename
                for each in members
                if not (belongs(each.filename) or _COMPACT.fullmatch(each.filename))
            ),
            None,
        )
        known = sum(_length(each) for each in members)
    hidden = path.stat().st_size != known + _END or any(each.extra or each.comment for each in members)
    if stranger is not None:
        yield refuse(name, f"holds {stranger[:80]!r}, which is no part of a run.", "Pack the run as it was made.")
    if hidden:
        yield refuse(name, "holds bytes beside its files.", "Pack the run as it was made.")


def _length(member: zipfile.ZipInfo) -> int:
    """Return the bytes of a member with its two headers, as packing writes them: without a note of any kind."""
    return member.compress_size + _LOCAL + _CENTRAL + 2 * len(member.filename.encode())


def shared_hashes(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse a file of hashes that holds anything but the hashes of memories of these bundles."""
    if not subject.submission.has(f"{BUNDLES}/{SHARED}"):
        return
    raw = subject.submission.file(f"{BUNDLES}/{SHARED}").read_bytes()
    known = {
        bytes.fromhex(digest) for _, run in subject.runs for digest in run.hashes_of(range(run.stored)).values()
    }
    rows = {raw[start : start + _WIDTH] for start in range(0, len(raw), _WIDTH)}
    if not raw or rows - known:
        yield refuse(
            f"{BUNDLES}/{SHARED}",
            "holds what is no hash of a memory in these bundles.",
            "Pack again, into a new folder.",
        )
