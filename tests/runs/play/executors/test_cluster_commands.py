"""The commands of docs/cluster.md on a real Ray: a head with a token and without, and the script for Slurm."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest

import memgauge
from memgauge.runs.record.seal import Seal
from support.slurm import HEAD, script, submit

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("ray", reason="needs Ray: run `make test-cluster`")

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

RAY = str(Path(sys.executable).with_name("ray"))
GRID = ("run", "-d", "synthetic:tiny", "-s", "bm25", "-s", "random")
TOKEN = "0123456789abcdef" * 4


@pytest.fixture
def home() -> Iterator[Path]:
    """Make a home; sockets lie in it, and their paths have to be short."""
    folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package, so that nobody changes it while nodes compare their code."""
    folder = tmp_path_factory.mktemp("package")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(memgauge.__file__).parent, folder / "memgauge", ignore=ignored)
    return folder


class Head:
    """A head from `ray start`, in a home of its own, with a token or without."""

    def __init__(self, home: Path, package: Path, *, token: bool) -> None:
        self.port = free_port()
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
        self.plain = kept | {
            "HOME": str(home),
            "RAY_TMPDIR": str(home),
            "RAY_USAGE_STATS_ENABLED": "0",
            "PYTHONPATH": str(package),
        }
        self._mode = {"RAY_AUTH_MODE": "token" if token else "disabled"}
        if token:
            (home / ".ray").mkdir()
            (home / ".ray" / "auth_token").write_text(TOKEN, "utf-8")

    def __enter__(self) -> Self:
        words = ["start", "--head", f"--port={self.port}", "--num-cpus=2", "--include-dashboard=false", "--block"]
        self._process = subprocess.Popen([RAY, *words], env=self.plain | self._mode, stdout=subprocess.DEVNULL)
        for _ in range(60):
            if subprocess.run(
                [RAY, "status", f"--address={HEAD}:{self.port}"],
                env=self.plain | self._mode,
                capture_output=True,
                check=False,
            ).returncode:
                continue
            return self
        raise RuntimeError("no head")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)

    def run(self, out: Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the grid as a user does who has set nothing."""
        words = [*GRID, "--out", str(out), "--executor", "ray", "--address", f"{HEAD}:{self.port}"]
        return subprocess.run(
            [sys.executable, "-m", "memgauge", *words],
            env=self.plain | environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


def free_port() -> int:
    """Find a port."""
    with socket.socket() as one:
        one.bind((HEAD, 0))
        return int(one.getsockname()[1])


def contents(out: Path) -> list[str]:
    """Return the hashes of what runs hold."""
    return [Seal.read(folder).content for folder in sorted(out.iterdir()) if (folder / "SEAL").is_file()]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Run the grid in a process of this machine."""
    out = tmp_path_factory.mktemp("here")
    subprocess.run([sys.executable, "-m", "memgauge", *GRID, "--out", str(out)], check=True, capture_output=True)
    return contents(out)


@pytest.mark.parametrize("token", [True, False], ids=["token", "no token"])
def test_a_head_from_ray_start_works(
    home: Path, package: Path, wanted: list[str], tmp_path: Path, token: bool
) -> None:
    """The command finds the token that the head asks for, and a head that asks for none lets it in."""
    with Head(home, package, token=token) as head:
        done = head.run(tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == wanted


def test_a_head_that_is_not_shown_its_token_is_named(home: Path, package: Path, tmp_path: Path) -> None:
    """One sentence says where, and that a token may be what is missing."""
    with Head(home, package, token=True) as head:
        done = head.run(tmp_path / "out", RAY_AUTH_MODE="disabled")
    assert done.returncode == 2
    said = " ".join(done.stderr.splitlines()[-1].split())
    assert f"No Ray cluster could be reached at {HEAD}:{head.port}" in said
    assert "bring the token that it asks for" in said


def test_the_batch_script_works_on_a_real_ray(
    home: Path, package: Path, wanted: list[str], tmp_path: Path
) -> None:
    """A head and two nodes, started by stand-ins for srun on this machine, finish the grid and end with it."""
    activate = Path(sys.executable).with_name("activate")
    command = f"memgauge {' '.join(GRID)} --out {tmp_path / 'out'}"
    text = script(activate, tmp_path, command, free_port())
    done = submit(text, tmp_path / "bin", 3, HOME=str(home), RAY_TMPDIR=str(home), PYTHONPATH=str(package))
    assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "out") == wanted
    assert not (home / ".ray").exists()  # the token is the job's
