"""Compact bundles: what goes in comes out, to the byte of the journal, and what was spoilt is refused."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError, TamperError
from memgauge.runs.record.bundle import bundle, compact_bundle, unbundled
from memgauge.runs.record.compact import SHARED
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.store import load
from support.handmade import SAID

if TYPE_CHECKING:
    from pathlib import Path


def test_a_compact_bundle_is_the_run_without_texts(sealed_run: Path, tmp_path: Path) -> None:
    """The same journal as in a bundle without texts, the same content, and nothing that was said."""
    plain = bundle(sealed_run, tmp_path / "plain.zip", without_text=True)
    compact = compact_bundle(sealed_run, tmp_path / "compact.zip")
    with unbundled(plain) as before, unbundled(compact) as after:
        assert (after / JOURNAL).read_bytes() == (before / JOURNAL).read_bytes()
        assert load(after).seal.content == load(sealed_run).seal.content
        content = b"".join(path.read_bytes() for path in after.iterdir())
    assert not [text for session in SAID for _, text in session if text.encode() in content]


def test_equal_runs_make_equal_compact_bundles_that_share_hashes(sealed_run: Path, tmp_path: Path) -> None:
    """A second one adds nothing to the shared file."""
    first = compact_bundle(sealed_run, tmp_path / "first.zip").read_bytes()
    shared = (tmp_path / SHARED).read_bytes()
    assert len(shared) == 32 * len({text for *_, text in load(sealed_run).texts()})
    assert compact_bundle(sealed_run, tmp_path / "second.zip").read_bytes() == first
    assert (tmp_path / SHARED).read_bytes() == shared


def test_without_the_shared_hashes_it_says_so(sealed_run: Path, tmp_path: Path) -> None:
    """The file is named."""
    path = compact_bundle(sealed_run, tmp_path / "run.zip")
    (tmp_path / SHARED).unlink()
    with pytest.raises(RunError, match=SHARED), unbundled(path):
        pass


@pytest.mark.parametrize("member", ["rows.xz", "scores.xz", "places.xz", "hashes.xz", "compact.json"])
def test_a_spoilt_member_is_refused(sealed_run: Path, tmp_path: Path, member: str) -> None:
    """Cut, or of another run: nothing is read from it."""
    path = compact_bundle(sealed_run, tmp_path / "run.zip")
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, raw in content.items():
            archive.writestr(name, raw[: len(raw) // 2] if name == member else raw)
    with pytest.raises(RunError, match="is not a bundle"), unbundled(path):
        pass


def test_other_hashes_are_not_those_that_were_sealed(sealed_run: Path, tmp_path: Path) -> None:
    """Somebody else's shared file is found out."""
    path = compact_bundle(sealed_run, tmp_path / "run.zip")
    (tmp_path / SHARED).write_bytes(bytes(len((tmp_path / SHARED).read_bytes())))
    with pytest.raises(RunError, match="not the one that was packed"), unbundled(path):
        pass


def test_a_run_that_changed_is_not_packed(sealed_run: Path, tmp_path: Path) -> None:
    """The seal is asked first."""
    with (sealed_run / JOURNAL).open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(TamperError, match=JOURNAL):
        compact_bundle(sealed_run, tmp_path / "run.zip")
    assert not (tmp_path / "run.zip").exists()
