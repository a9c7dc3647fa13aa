"""What git answered is answered again as long as no ref has moved, and no longer."""

from __future__ import annotations

import io
from email.message import Message
from typing import TYPE_CHECKING

import pytest

from memgauge.studies.track.git import answered, backend, host
from memgauge.studies.track.git.answered import HeldAnswer, HeldAnswers, refs_state, request_key
from memgauge.studies.track.git.backend import GitRequest
from memgauge.studies.track.git.command import git
from memgauge.studies.track.git.described import branch_of
from memgauge.studies.track.git.host import GitHost
from memgauge.studies.track.git.repository import copy_cut, import_cut
from studies.track.git.test_host import Client

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.track.git import Origin

REFS = "/pgym/demo.git/info/refs?service=git-upload-pack"


@pytest.fixture
def folder(origin: Origin, tmp_path: Path) -> Path:
    """Make a folder with one repository."""
    cached, sha = import_cut(origin.path, origin.commits[1])
    (tmp_path / "served").mkdir()
    copy_cut(cached, tmp_path / "served" / "demo.git", sha, "main")
    return tmp_path / "served"


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what git is asked."""
    asked, real = list[str](), backend.answer

    def noting(folder: Path, request: GitRequest, body: io.BufferedReader, length: int) -> object:
        asked.append(request.path)
        return real(folder, request, body, length)

    monkeypatch.setattr(host, "answer", noting)
    return asked


def move(repository: Path, ref: str) -> None:
    """Put a branch one commit back."""
    git("update-ref", ref, git("rev-parse", f"{ref}~1", at=repository).decode().strip(), at=repository)


def test_git_is_asked_once_for_where_the_refs_stand(
    folder: Path, short: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same request has the same bytes without git; after a ref moved it has other bytes from git."""
    asked = counted(monkeypatch)
    with GitHost(folder, short("s")) as served:
        first, again = (Client(served.socket).ask("GET", REFS) for _ in range(2))
        assert first == again
        assert len(asked) == 1
        move(folder / "demo.git", "refs/heads/main")
        moved = Client(served.socket).ask("GET", REFS)
    assert moved[0] == 200
    assert moved[1] != first[1]
    assert len(asked) == 2


def test_an_answer_that_broke_off_is_not_held(
    folder: Path, short: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where git did not end well, it is asked again."""
    asked, kind = counted(monkeypatch), "application/x-git-upload-pack-request"
    with GitHost(folder, short("s")) as served:
        for _ in range(2):
            Client(served.socket).ask("POST", "/pgym/demo.git/git-upload-pack", b"nonsense", Content_Type=kind)
    assert len(asked) == 2


def test_an_answer_too_large_to_be_held_is_passed_on(
    folder: Path, short: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bytes are those of one that is held."""
    with GitHost(folder, short("a")) as served:
        whole = Client(served.socket).ask("GET", REFS)
    monkeypatch.setattr(host, "LARGEST", 10)
    asked = counted(monkeypatch)
    with GitHost(folder, short("b")) as served:
        assert [Client(served.socket).ask("GET", REFS) for _ in range(2)] == [whole, whole]
    assert len(asked) == 2


def test_a_branch_is_described_as_it_stands(folder: Path) -> None:
    """The description follows the branch, also where refs are packed."""
    repository = folder / "demo.git"
    before = branch_of(repository, "main")
    git("pack-refs", "--all", at=repository)
    assert branch_of(repository, "main") == before
    move(repository, "refs/heads/main")
    after = branch_of(repository, "main")
    assert before is not None
    assert after is not None
    assert (before["commit"]["message"], after["commit"]["message"]) == ("The present", "The past")
    assert branch_of(repository, "none") is None


def test_the_key_holds_all_that_decides_an_answer(folder: Path) -> None:
    """Method, path, query, body, heads that git reads and refs; not a head that it does not."""
    repository = folder / "demo.git"

    def key(method: str = "GET", path: str = "/a", query: str = "", body: bytes = b"", **heads: str) -> str:
        message = Message()
        for name, value in heads.items():
            message[name.replace("_", "-")] = value
        return request_key(repository, GitRequest(method, path, query, message), io.BytesIO(body))

    keys = [
        key(),
        key(method="POST"),
        key(path="/b"),
        key(query="c"),
        key(body=b"d"),
        key(Git_Protocol="version=2"),
        key(Content_Encoding="gzip"),
    ]
    assert len(set(keys)) == len(keys)
    assert key(User_Agent="x") == key()
    state = refs_state(repository)
    git("update-ref", "refs/heads/other", "refs/heads/main", at=repository)
    assert refs_state(repository) != state
    assert key() not in keys


def test_what_is_held_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked for longest ago goes first; what is too large never comes in."""
    monkeypatch.setattr(answered, "TOGETHER", 100)
    monkeypatch.setattr(answered, "LARGEST", 60)
    held = HeldAnswers()
    for name in "ab":
        held.put(name, HeldAnswer(200, (), b"x" * 40))
    assert held.get("a") is not None
    held.put("c", HeldAnswer(200, (), b"x" * 40))
    held.put("d", HeldAnswer(200, (), b"x" * 61))
    assert [held.get(name) is not None for name in "abcd"] == [True, False, True, False]
