"""Which files may lie in a submission."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from chaos.submissions import checked
from chaos.submissions.world import submission_in
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.store import load
from memgauge.submissions.layout import BUNDLES

if TYPE_CHECKING:
    from pathlib import Path


def test_hashes_of_its_memories_may_lie_beside_its_bundles(good: Path, tmp_path: Path) -> None:
    """Packed compactly, bundles share one file of them."""
    submission = submission_in(shutil.copytree(good, tmp_path / "registry", symlinks=True))
    with unbundled(submission.bundle_of(submission.sheet.runs[0])) as folder:
        (digest,) = load(folder).hashes_of([0]).values()
    (submission.folder / BUNDLES / "hashes.bin").write_bytes(bytes.fromhex(digest))
    assert "S3" not in checked(submission.root).refused
