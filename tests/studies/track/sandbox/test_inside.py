"""The file operations, and the script that does them, in this process and in one of its children."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.sandbox import inside
from memgauge.studies.track.sandbox.running import SandboxLimits

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a few files."""
    monkeypatch.chdir(tmp_path)
    code = tmp_path / "code"
    (code / ".git").mkdir(parents=True)
    (code / ".git" / "config").write_text("LIMIT = 0\n")
    (code / "app.py").write_text("import os\nLIMIT = 32\n\n\ndef use(limit):\n    return limit\n")
    (code / "data.bin").write_bytes(b"LIMIT\0")
    (code / "zwei.txt").write_text("Ein Limit\r\n")
    (code / "link").symlink_to("app.py")
    return tmp_path


def test_a_folder_is_listed_folders_first() -> None:
    """Names come in one order, kinds are marked."""
    assert inside.list_directory("code", detailed=False) == ".git/\napp.py\ndata.bin\nlink@\nzwei.txt"
    Path("empty").mkdir()
    assert inside.list_directory("empty", detailed=False) == "(empty)"


def test_details_repeat_from_run_to_run() -> None:
    """Modes and sizes are shown, times and sizes of folders are not."""
    lines = inside.list_directory("code", detailed=True).splitlines()
    assert lines[0].split()[1:] == ["-", ".git/"]
    assert lines[1].split()[1:] == ["56", "app.py"]


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (lambda: inside.list_directory("nowhere", detailed=False), "not_found"),
        (lambda: inside.list_directory("code/app.py", detailed=False), "not_a_directory"),
        (lambda: inside.read_file("nowhere", 1, 10), "not_found"),
        (lambda: inside.read_file("code", 1, 10), "is_a_directory"),
        (lambda: inside.read_file("code/data.bin", 1, 10), "binary_file"),
        (lambda: inside.read_file("pipe", 1, 10), "not_a_file"),
        (lambda: inside.read_file("code/app.py", 7, 10), "no_such_line"),
        (lambda: inside.write_file("pipe", "x"), "not_a_file"),
        (lambda: search("x", "nowhere"), "not_found"),
    ],
)
def test_what_cannot_be_done_has_a_code(operation: Callable[[], str], code: str) -> None:
    """A model is told by one word what was wrong, and a pipe is never waited for."""
    os.mkfifo("pipe")
    with pytest.raises(inside.FileRefused) as refused:
        operation()
    assert refused.value.code == code


def test_lines_are_read_and_counted() -> None:
    """A whole file is shown as it is; a part says which part of what."""
    assert inside.read_file("code/zwei.txt", 1, 100) == "Ein Limit"
    assert inside.read_file("code/app.py", 2, 1) == "LIMIT = 32\n[lines 2-2 of 6]"
    Path("nothing").touch()
    assert inside.read_file("nothing", 1, 10) == "(empty)"


def test_a_file_is_written_with_its_folders() -> None:
    """Text arrives as it is, and bytes are counted."""
    assert inside.write_file("new/deep/é.txt", "é\n") == "Wrote 3 bytes to new/deep/é.txt."
    assert Path("new/deep/é.txt").read_text(encoding="utf-8") == "é\n"


def search(pattern: str, path: str = ".", case: bool = False, most: int = 100, context: int = 0) -> str:
    """Search as the tool does."""
    return inside.search_file_content(pattern, path, case, most, context)


def test_matches_come_with_path_and_line() -> None:
    """Text files are searched in order; binaries, links and Git's own folder are not."""
    assert search("limit =") == "code/app.py:2:LIMIT = 32"
    assert search("limit").splitlines()[-1] == "code/zwei.txt:1:Ein Limit"
    assert search("limit", case=True) == "code/app.py:5:def use(limit):\ncode/app.py:6:    return limit"
    assert search("limit =", "code/app.py") == "code/app.py:2:LIMIT = 32"
    assert search("nothing of that kind") == "No matches."


def test_lines_around_a_match_come_once() -> None:
    """Context does not repeat lines, and gaps are marked."""
    assert search("import|return", "code/app.py", context=1).splitlines() == [
        "code/app.py:1:import os",
        "code/app.py-2-LIMIT = 32",
        "--",
        "code/app.py-5-def use(limit):",
        "code/app.py:6:    return limit",
    ]


def test_too_many_matches_are_cut_and_said_so() -> None:
    """The model learns that there is more."""
    Path("many.txt").write_text("x\n" * 50)
    assert search("", "many.txt", most=3).splitlines() == [
        "many.txt:1:x",
        "many.txt:2:x",
        "many.txt:3:x",
        "[more than 3 matches; the rest is not shown]",
    ]


def test_what_is_no_pattern_is_searched_as_it_is() -> None:
    """Code with a lone bracket is found, with a remark."""
    remark, found = search("use(limit").splitlines()
    assert "no regular expression" in remark
    assert found == "code/app.py:5:def use(limit):"


def test_large_and_unreadable_files_are_passed_over(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search neither stops at them nor is slowed by them."""
    monkeypatch.setattr(inside, "LARGEST_SEARCHED", 10)
    assert search("Ein") == "No matches."

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(inside.FileRefused, match="Permission denied"):
        inside.read_file("code/app.py", 1, 1)


def asked(request: dict[str, Any], said: Path) -> None:
    """Do what a request asks for, as the script does, and write down what it says."""
    sys.stdin = io.TextIOWrapper(io.BytesIO(json.dumps(request).encode()))
    with said.open("w", encoding="utf-8") as sys.stdout:
        inside.main()


def in_child(request: dict[str, Any], tmp_path: Path) -> Any:
    """Let a child of this process do it, whose limits are its own."""
    told = {"limits": SandboxLimits(memory=1 << 40, processes=1 << 20).inside(), **request}
    child = multiprocessing.get_context("fork").Process(target=asked, args=(told, tmp_path / "said"))
    child.start()
    child.join()
    return json.loads((tmp_path / "said").read_text(encoding="utf-8") or "null")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_script_answers_in_json(tmp_path: Path) -> None:
    """A result, a refusal and a failure of the system each have their form."""
    reading = {"do": "read_file", "arguments": {"file_path": "code/zwei.txt", "start_line": 1, "max_lines": 1}}
    assert in_child(reading, tmp_path) == {"text": "Ein Limit"}
    reading["arguments"] = {"file_path": "nowhere", "start_line": 1, "max_lines": 1}
    assert in_child(reading, tmp_path) == {"code": "not_found", "message": "there is no nowhere"}
    writing = {"do": "write_file", "arguments": {"file_path": "code/app.py/x", "content": ""}}
    assert in_child(writing, tmp_path)["code"] == "cannot"
    searching = {"pattern": "(" * 9999 + ")" * 9999, "search_path": ".", "case_sensitive": True}
    searching |= {"max_matches": 1, "context_lines": 0}
    assert in_child({"do": "search_file_content", "arguments": searching}, tmp_path)["code"] == "too_deep"


def test_limits_are_set_before_anything_else() -> None:
    """A file that is too large is not written to its end."""
    limits = SandboxLimits(memory=1 << 40, processes=1 << 20, file_size=100).inside()
    writing = {"do": "write_file", "arguments": {"file_path": "big", "content": "x" * 1000}, "limits": limits}
    command = [sys.executable, "-I", str(inside.__file__)]
    done = subprocess.run(command, input=json.dumps(writing), capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["code"] == "cannot"
    assert Path("big").stat().st_size <= 100


def test_both_sides_are_passed_on_to_the_end() -> None:
    """A pump says everything that either side says, and ends when both have."""
    import threading

    client, near = socket.socketpair()
    far, server = socket.socketpair()
    with client, near, far, server:
        pump = threading.Thread(target=inside.pump, args=(near, far))
        pump.start()
        client.sendall(b"question")
        client.shutdown(socket.SHUT_WR)
        assert server.recv(100) == b"question"
        assert server.recv(100) == b""
        server.sendall(b"answer")
        server.shutdown(socket.SHUT_WR)
        assert client.recv(100) == b"answer"
        pump.join(10)
        assert not pump.is_alive()
