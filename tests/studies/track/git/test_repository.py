"""Code bases are cut at a commit, whole, packed and cached."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import DataError, DataNotFoundError, MissingExtraError
from memgauge.studies.track.git.command import GitFailed, git
from memgauge.studies.track.git.repository import copy_cut, import_cut, missing_objects

if TYPE_CHECKING:
    from pathlib import Path

    from support.track.git import Origin


def everything_in(repository: Path) -> str:
    """Print every object that a repository has, reachable or not."""
    listed = git("cat-file", "--batch-all-objects", "--batch-check", at=repository).decode()
    return "\n".join(
        git("cat-file", "-p", line.split()[0], at=repository).decode() for line in listed.splitlines()
    )


@pytest.mark.parametrize("kind", ["folder", "bare", "bundle"])
def test_what_came_after_the_cut_is_not_there(origin: Origin, tmp_path: Path, kind: str) -> None:
    """The cached repository holds the past and the present and no object of the future, whatever it came from."""
    source = {"folder": origin.path, "bare": origin.path / ".git", "bundle": tmp_path / "one.bundle"}[kind]
    origin.bundle(tmp_path / "one.bundle")
    kept, sha = import_cut(source, origin.commits[1])
    assert sha == origin.commits[1]
    found = everything_in(kept)
    assert "present" in found
    assert "past" in found
    assert "future" not in found
    assert origin.commits[2] not in found
    assert git("for-each-ref", at=kept).decode().split()[::3] == [sha]


def test_a_cut_is_one_pack_with_a_bitmap(origin: Origin) -> None:
    """Nothing lies loose, and the pack is ready to be served."""
    kept, _ = import_cut(origin.path)
    suffixes = sorted(path.suffix for path in (kept / "objects" / "pack").iterdir())
    assert suffixes == [".bitmap", ".idx", ".pack"]
    assert b"count: 0" in git("count-objects", "-v", at=kept)


@pytest.mark.parametrize("name", ["short", "main", "v3", ""])
def test_a_commit_can_be_named_in_any_way(origin: Origin, name: str) -> None:
    """Short hashes, branches, tags and the head lead to the whole hash."""
    wanted = origin.commits[2][:8] if name == "short" else name
    assert import_cut(origin.path, wanted)[1] == origin.commits[2]


def test_a_bundle_without_head_is_read(origin: Origin, tmp_path: Path) -> None:
    """A bundle of one branch is enough; its branch stands for the head."""
    bundle = origin.bundle(tmp_path / "b", "main")
    assert import_cut(bundle)[1] == origin.commits[2]


def test_a_cut_is_made_once(origin: Origin) -> None:
    """The second import of a commit finds the first one's folder, whatever it is called."""
    kept, sha = import_cut(origin.path, "main")
    marked = kept / "marked"
    marked.touch()
    assert import_cut(origin.path, sha[:10]) == (kept, sha)
    assert marked.exists()


def test_missing_objects_are_found_before_a_clone_dies_of_them(origin: Origin, tmp_path: Path) -> None:
    """A damaged copy is refused by name of what is missing."""
    blob = origin.git("rev-parse", "HEAD~1:word.txt")
    (origin.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert missing_objects(origin.path / ".git", origin.commits[2]) == [blob]
    with pytest.raises(DataError, match=f"1 objects .* the first is {blob}.*git clone --mirror"):
        import_cut(origin.path)


def test_a_shallow_copy_is_served_as_far_as_it_goes(origin: Origin, tmp_path: Path) -> None:
    """A clone of depth 1 is whole in its own way, and says so."""
    shallow = tmp_path / "shallow"
    origin.git("clone", "-q", "--depth", "1", f"file://{origin.path}", str(shallow))
    kept, sha = import_cut(shallow)
    copied = copy_cut(kept, tmp_path / "copy.git", sha, "main")
    assert git("rev-list", "--count", "main", at=copied) == b"1\n"


def test_what_cannot_be_used_is_named(origin: Origin, tmp_path: Path) -> None:
    """No file, no bundle, no repository and no such commit are four sentences."""
    with pytest.raises(DataNotFoundError, match=r"nowhere: there is no such bundle"):
        import_cut(tmp_path / "nowhere")
    (tmp_path / "text").write_text("no bundle")
    with pytest.raises(DataError, match="no whole bundle"):
        import_cut(tmp_path / "text")
    with pytest.raises(DataError, match="has no commit 'unborn'"):
        import_cut(origin.path, "unborn")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="has no commit at HEAD; name one"):
        import_cut(tmp_path / "empty")


def test_a_commit_is_never_taken_for_an_option(origin: Origin) -> None:
    """What begins with a dash is a name that does not exist."""
    with pytest.raises(DataError, match="has no commit '--all'"):
        import_cut(origin.path, "--all")


def test_a_copy_stands_on_its_own_branch_and_links_its_packs(origin: Origin, tmp_path: Path) -> None:
    """Copies cost no disk where files can be linked, and writing to one leaves the cache as it is."""
    kept, sha = import_cut(origin.path, origin.commits[0])
    copy = copy_cut(kept, tmp_path / "copy.git", sha, "team/trunk")
    assert git("symbolic-ref", "HEAD", at=copy) == b"refs/heads/team/trunk\n"
    assert git("log", "--format=%s", at=copy) == b"The past\n"
    packs = list((copy / "objects" / "pack").iterdir())
    assert all(path.stat().st_nlink == 2 for path in packs)


def test_a_copy_across_file_systems_is_a_real_one(
    origin: Origin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be linked, packs are copied."""

    def refuse(*_: object) -> None:
        raise OSError

    kept, sha = import_cut(origin.path)
    monkeypatch.setattr(os, "link", refuse)
    copy = copy_cut(kept, tmp_path / "copy.git", sha, "main")
    assert git("fsck", "--no-progress", at=copy) == b""


def test_git_does_not_see_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither settings nor variables of whoever runs it change what git does."""
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Somebody\n")
    with pytest.raises(GitFailed, match="git config failed"):
        git("config", "user.name", at=tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtraError, match="Install git"):
        git("version", at=tmp_path)
