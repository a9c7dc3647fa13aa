"""No acknowledged row is lost: not to a killed process, a fork, a full disk, threads or a file that went away."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zlib
from itertools import count
from typing import TYPE_CHECKING

import pytest

from memgauge.watch.rowlog import RotatingLog, checked
from support.disk import full_disk
from support.watched import host, rows_of

if TYPE_CHECKING:
    from pathlib import Path

BODY = '{"operation":"search"}'


def _log(folder: Path, rotate_bytes: int = 1 << 20) -> RotatingLog:
    return RotatingLog(str(folder), "mark", rotate_bytes)


def _small_disk(folder: Path) -> list[str]:
    """Return a command line for a program that sees a disk of 16 KiB at *folder*; skip where there is none."""
    folder.mkdir()
    mount = f"mount -t tmpfs -o size=16k none '{folder}'"
    begin = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*begin, mount], check=False, capture_output=True).returncode:
        pytest.skip("unshare cannot mount a small disk here.")
    return [*begin, f'{mount} && exec "$@"', "sh"]


def test_a_killed_process_has_written_every_row_whose_call_returned(tmp_path: Path) -> None:
    """What a host said after a call is in the file when it is killed at once by a signal that nobody catches."""
    with host("for n in range(10**9): memory.search(f'q{n}'); print(n, flush=True)", tmp_path) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(200)][-1] + 1
        process.kill()
    assert process.returncode == -9
    for log in tmp_path.glob("*.jsonl"):
        written = log.read_bytes()
        log.write_bytes(written[: written.rfind(b"\n") + 1])  # the row of a call that had not returned may be torn
    numbers = [row["seq"] for row in rows_of(tmp_path)]
    assert len(numbers) >= acknowledged
    assert numbers == list(range(len(numbers)))


def test_a_fork_writes_a_file_of_its_own(tmp_path: Path) -> None:
    """Children of a host whose threads write at that moment neither wait for a lock nor write into its file."""
    program = """
running = True
def work():
    while running: memory.search("q")
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for thread in threads: thread.start()
for _ in range(5):
    child = os.fork()
    if not child:
        signal.alarm(20)
        for _ in range(20): memory.search("q")
        print("child", counted(memory)["written"], flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
running = False
for thread in threads: thread.join()
print("parent", counted(memory)["written"])
"""
    with host(program, tmp_path) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    written = dict(line.split() for line in out.splitlines())
    assert written["child"] == "20"
    files = sorted(tmp_path.iterdir())
    assert len(files) == 6
    sizes = []
    for path in files:
        rows = [json.loads(line) for line in path.read_text("ascii").splitlines()][1:]
        assert [row["seq"] for row in rows] == list(range(len(rows)))
        sizes.append(len(rows))
    assert sorted(sizes) == sorted([20] * 5 + [int(written["parent"])])


def test_a_full_disk_costs_rows_and_no_acknowledged_one(tmp_path: Path) -> None:
    """Calls go on, rows that do not fit are counted, and the next one that fits stands on a line of its own."""
    program = """
import json
from pathlib import Path
folder = Path(sys.argv[1])
filler = folder / "filler"
filler.write_bytes(bytes(8192))
results = [memory.search(f"q{n}") for n in range(200)]
assert results == [{"results": []}] * 200
full = counted(memory)
filler.write_bytes(b"")
memory.search("there is room again")
(path,) = folder.glob("*.jsonl")
print(json.dumps([full, counted(memory)["written"], path.read_text()]))
"""
    disk = tmp_path / "disk"
    with host(program, disk, within=_small_disk(disk)) as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    full, written, text = json.loads(out)
    whole = [json.loads(line) for line in text.splitlines() if line.endswith('"}')][1:]
    assert full["written"] + full["lost"] == 200
    assert full["lost"] > 0
    assert len(whole) == written == full["written"] + 1
    assert [row["seq"] for row in whole] == [*range(full["written"]), 200]
    assert err.count("rows cannot be written") == 1


def test_a_limit_on_files_is_kept_by_the_next_file(tmp_path: Path) -> None:
    """Where no file may be larger than a kilobyte, rows go on in others, and what was torn is the only loss."""
    log = _log(tmp_path)
    with full_disk(1000):
        acknowledged = [log.append(BODY) for _ in range(60)]
    lines = [line for path in tmp_path.iterdir() for line in path.read_text("ascii").splitlines()]
    rows = [json.loads(line) for line in lines if line.endswith('"}')]
    assert sum("seq" in row for row in rows) == sum(acknowledged) == log.written
    assert log.troubles.counts["lost"] == acknowledged.count(False) < 10


def test_files_go_on_in_another_one_when_they_are_full(tmp_path: Path) -> None:
    """No file is larger than it may be, numbers run on, and every file says which row is its first."""
    log = _log(tmp_path, rotate_bytes=1000)
    assert all(log.append(BODY) for _ in range(50))
    files = sorted(tmp_path.iterdir())
    assert len(files) > 2
    assert all(path.stat().st_size <= 1000 for path in files)
    assert [row["seq"] for row in rows_of(tmp_path)] == list(range(50))
    heads = [json.loads(path.read_text("ascii").partition("\n")[0]) for path in files]
    assert [head["part"] for head in heads] == list(range(len(files)))
    firsts = [json.loads(path.read_text("ascii").splitlines()[1])["seq"] for path in files]
    assert [head["first"] for head in heads] == firsts


def test_a_file_that_was_closed_or_removed_is_replaced(tmp_path: Path) -> None:
    """A row never goes to a file that has the number of ours by now, nor to one that nobody can find any more."""
    log = _log(tmp_path / "log")
    assert log.append(BODY)
    os.close(log._file)
    stranger = os.open(tmp_path / "stranger", os.O_CREAT | os.O_WRONLY)
    assert stranger == log._file
    assert log.append(BODY)
    assert (tmp_path / "stranger").read_bytes() == b""
    os.close(log._file)
    assert log.append(BODY)
    assert len(rows_of(tmp_path / "log")) == 3
    shutil.rmtree(tmp_path / "log")
    assert log.append(BODY)
    assert [row["seq"] for row in rows_of(tmp_path / "log")] == [3]
    os.fstat(stranger)
    os.close(stranger)


def test_a_folder_that_cannot_be_made_is_tried_again_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a file lies in its place rows are lost and counted, a try a second; then they are written."""
    seconds = count()
    monkeypatch.setattr("memgauge.watch.rowlog.monotonic", lambda: float(next(seconds)))
    folder = tmp_path / "folder"
    folder.write_text("in the way")
    log = _log(folder)
    assert not log.append(BODY)
    assert not log.append(BODY)
    folder.unlink()
    assert log.append(BODY)
    assert log.troubles.counts == {"lost": 2}
    assert [row["seq"] for row in rows_of(folder)] == [2]


def test_a_line_bears_its_checksum() -> None:
    """Every line is JSON whose last value is the CRC-32 of what it would be without it."""
    line = checked('{"seq":1}')
    assert line == b'{"seq":1,"crc":"%08x"}\n' % zlib.crc32(b'{"seq":1}')
    assert json.loads(line)["seq"] == 1
