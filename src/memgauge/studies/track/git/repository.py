"""Code bases cut at a commit: what came later was never copied, so that nobody can find it.

A cut repository is kept in the cache under the hash of its commit, in one pack with a bitmap; unpacked ones serve
clones some twenty times slower.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from memgauge.datasets.files import cache_root
from memgauge.errors import DataError, DataNotFoundError
from memgauge.studies.track.git.command import GitFailed, git

_CUT = "refs/heads/cut"
_CONFIG = """[core]
	repositoryformatversion = 0
	bare = true
[uploadpack]
	allowFilter = true
[http]
	receivepack = false
[pack]
	threads = 1
[gc]
	auto = 0
"""


def empty_repository(at: Path, branch: str) -> Path:
    """Make a bare repository without a commit, that `git http-backend` serves and never takes a push for."""
    for folder in ("objects/pack", "objects/info", "refs/heads", "refs/tags"):
        (at / folder).mkdir(parents=True)
    (at / "config").write_text(_CONFIG, encoding="utf-8")
    (at / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
    return at


def import_cut(source: Path, commit: str = "") -> tuple[Path, str]:
    """Import *source* up to *commit* and return the cached repository and the commit's whole hash.

    *source* is a bundle, a bare repository or a folder with one; *commit* a hash, a short hash, a branch or a tag,
    by default where ``HEAD`` stands.

    Raises:
        DataNotFoundError: There is no such file or folder.
        DataError: It is no repository, has no such commit, or lacks objects that the commit needs.
    """
    if not source.exists():
        raise DataNotFoundError(f"{source}: there is no such bundle or repository.")
    with tempfile.TemporaryDirectory(prefix="memgauge-git-") as scratch:
        origin = _opened(source, Path(scratch))
        sha = _resolve(origin, commit, source)
        mirror = cache_root() / "track" / "git" / f"{sha}.git"
        if not mirror.exists():
            _cut(origin, sha, mirror, source)
    return mirror, sha


def copy_cut(cached: Path, at: Path, sha: str, branch: str) -> Path:
    """Copy a cached repository to *at* with *branch* at *sha*; packs are linked where the file system can."""
    empty_repository(at, branch)
    for pack in (cached / "objects" / "pack").iterdir():
        _link(pack, at / "objects" / "pack" / pack.name)
    shallow = cached / "shallow"
    if shallow.exists():
        shutil.copyfile(shallow, at / "shallow")
    head = at / "refs" / "heads" / branch
    head.parent.mkdir(parents=True, exist_ok=True)
    head.write_text(f"{sha}\n", encoding="ascii")
    return at


def missing_objects(repository: Path, commit: str) -> list[str]:
    """Return the hashes of objects that *commit* needs and *repository* lacks."""
    listing = git("rev-list", "--objects", "--missing=print", commit, at=repository).decode("ascii", "replace")
    return [line[1:] for line in listing.splitlines() if line.startswith("?")]


def _opened(source: Path, scratch: Path) -> Path:
    """Return a git directory that holds what *source* holds."""
    if source.is_dir():
        inner = source / ".git"
        return inner.resolve() if inner.is_dir() else source
    bundle = empty_repository(scratch / "bundle.git", "main")
    try:
        head_lines = git("bundle", "unbundle", str(source.absolute()), at=bundle).decode("utf-8").splitlines()
    except GitFailed as error:
        raise DataError(f"{source}: this is no whole bundle that git can read: {error.what}") from error
    heads = {name: sha for sha, _, name in (line.partition(" ") for line in head_lines)}
    refs = "".join(f"create {name} {sha}\n" for name, sha in heads.items() if name.startswith("refs/"))
    git("update-ref", "--stdin", at=bundle, stdin=refs.encode())
    (bundle / "HEAD").write_text(heads.get("HEAD") or next(iter(heads.values())) + "\n", encoding="ascii")
    return bundle


def _resolve(origin: Path, commit: str, source: Path) -> str:
    revision = f"{commit or 'HEAD'}^{{commit}}"
    try:
        return git("rev-parse", "--verify", "--end-of-options", revision, at=origin).decode("ascii").strip()
    except GitFailed as error:
        name = f"no commit {commit!r}" if commit else "no commit at HEAD; name one"
        raise DataError(f"{source}: this repository has {name}.", f"git says: {error.what}") from error


def _cut(origin: Path, sha: str, mirror: Path, source: Path) -> None:
    hashes = missing_objects(origin, sha)
    if hashes:
        raise DataError(
            f"{source}: {len(hashes)} objects that commit {sha} needs are missing, the first is {hashes[0]}.",
            "A partial or damaged copy cannot be served; make a whole one (`git clone --mirror`).",
        )
    mirror.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="cut-", dir=mirror.parent) as stage:
        staged = empty_repository(Path(stage) / "cut.git", "cut")
        how = ("--quiet", "--no-tags", "--no-write-fetch-head", "--update-shallow")
        git("fetch", *how, str(origin), f"{sha}:{_CUT}", at=staged)
        git("repack", "-a", "-d", "-b", "-q", at=staged)
        try:
            staged.rename(mirror)
        except OSError:
            if not mirror.exists():  # else another process was faster, with the same bytes
                raise


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
