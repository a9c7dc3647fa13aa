"""One good submission in a registry in git, made once for all that spoil it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from chaos.submissions.world import good_registry
from memgauge.records import Verdict
from memgauge.scoring.verify import verify
from memgauge.submissions.checks import rows
from support.sharing import made_once

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.scoring.verification import Verification
    from memgauge.scoring.verify import VerificationRequest

_VERIFIED: dict[tuple[str, VerificationRequest], Verification] = {}
"""What holds of runs, by their bytes and by what was asked."""


def _bytes_of(folder: Path) -> str:
    """Return the digest of what a folder holds, with the names of its files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@pytest.fixture(autouse=True)
def the_same_bytes_verified_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember which runs hold: a submission that is spoilt in one place has the other bundles of the good one."""

    def once(folder: Path, wanted: VerificationRequest) -> Verification:
        key = _bytes_of(folder), wanted
        known = _VERIFIED.get(key)
        if known is None:
            known = verify(folder, wanted)
            if all(finding.verdict is not Verdict.FAIL for finding in known):
                _VERIFIED[key] = known
        return known

    monkeypatch.setattr(rows, "verify", once)


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of the registry; to be copied, never to be changed."""
    return (
        made_once(tmp_path_factory, "good-results", lambda folder: good_registry(folder / "registry")) / "registry"
    )
