"""The doctor finds what is wrong, and finds nothing wrong where nothing is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.studies.track.sandbox import doctor as doctor_module
from memgauge.studies.track.sandbox import probe
from memgauge.studies.track.sandbox.doctor import examine
from memgauge.studies.track.sandbox.planted import VARIABLE, Planted, planted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOMEBODY = 61_234
"""A user that owns nothing."""
CODE = (
    "from memgauge.frame.output import Printing; from memgauge.studies.track.commands_doctor import doctor; "
    "import sys; sys.exit(doctor(sandbox={kind!r}, shown=Printing(json=True)))"
)


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_sandbox_is_healthy(kind: Any, opened: Callable[..., object]) -> None:
    """Every check holds, under whatever user the tests run."""
    opened(kind)
    found = examine(kind)
    assert [check for check in found.checks if not check.ok] == []
    assert (found.kind, found.healthy, len(found.checks)) == (kind, True, 17)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody else")
@pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
def test_a_sandbox_is_healthy_for_a_normal_user_too(
    kind: str, opened: Callable[..., object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same holds when the harness has no rights itself, with a key in its environment from the start."""
    opened(kind)
    import tempfile

    with tempfile.TemporaryDirectory() as home:
        os.chown(home, SOMEBODY, SOMEBODY)
        paths = [path for path in sys.path if path and not _closed(Path(path))]
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": home,
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OPENAI_API_KEY": "sk-canary",
        }
        python = sys.executable if not _closed(Path(sys.executable).resolve()) else "/usr/bin/python3"
        command = [python, "-c", CODE.format(kind=kind)]
        user = {"user": SOMEBODY, "group": SOMEBODY, "extra_groups": []}
        done = subprocess.run(
            command, env=environment, cwd=home, capture_output=True, text=True, check=False, **user
        )  # type: ignore[call-overload]
    if "ModuleNotFoundError" in done.stderr or "No such file" in done.stderr:
        pytest.skip(f"no interpreter here can be used by another user: {done.stderr.strip().splitlines()[-1]}")
    data = json.loads(done.stdout)
    assert [check for check in data["checks"] if not check["ok"]] == []
    assert (done.returncode, data["user"]) == (0, f"user {SOMEBODY}")


def _closed(path: Path) -> bool:
    return not all(one.stat().st_mode & 0o001 for one in path.parents if one.exists())


def test_without_a_sandbox_the_canary_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The doctor is able to fail: where there are no walls it reaches answers, ports and sockets."""
    monkeypatch.setattr(doctor_module, "_PROBE_S", 60.0)
    code = Path(str(probe.__file__)).read_text("utf-8").replace("_SEARCH_S = 10", "_SEARCH_S = 0.3")
    monkeypatch.setattr(Path, "read_text", _instead_of(probe.__file__, code))
    found = examine("none")
    broken = {check.name.split(":")[0] for check in found.checks if not check.ok}
    assert {"answers in files", "host files", "network", "local sockets", "links"} <= broken
    assert not found.healthy


def _instead_of(path: str | None, text: str) -> Callable[..., str]:
    real = Path.read_text

    def read(self: Path, *arguments: Any, **options: Any) -> str:
        return text if str(self) == path else real(self, *arguments, **options)

    return read


def test_a_probe_that_does_not_run_is_a_failure(
    opened: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No result is no proof."""
    opened("bubblewrap")
    monkeypatch.setattr(Path, "read_text", _instead_of(probe.__file__, "raise SystemExit('no')"))
    found = examine("bubblewrap")
    assert [check.name for check in found.checks if not check.ok] == ["the probe runs"]


@pytest.fixture
def canary() -> Iterator[Planted]:
    """Plant a canary on this machine."""
    with planted() as made:
        yield made


@pytest.fixture
def told(canary: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what the probe is told, for a look around this very machine, which has no walls."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(probe, "_LIKELY", (str(canary.answers.parent),))
    monkeypatch.setattr(probe, "_OLDER", {"/"})
    return {**canary.request(), "beyond": "127.0.0.1", "name": "localhost", "namespaces": False, "processes": 5}


def test_what_is_planted_is_found_without_walls(canary: Planted, told: dict[str, Any]) -> None:
    """Every place where a canary lies is one where the probe looks."""
    assert str(canary.answers) in list(probe.canary_in_files(told))
    assert "an environment variable" in list(probe.canary_in_processes(told))
    assert str(canary.answers) in list(probe.host_paths(told))
    port, name = probe.network(told)
    assert port.startswith("a port of the machine outside")
    assert name == "a name server, for localhost"
    assert canary.arrived()
    assert list(probe.unix_sockets(told)) == [
        "an abstract socket of the machine outside",
        "a socket file of the machine outside",
    ]
    assert any("can be seen" in one for one in probe.processes(told))


def test_a_canary_is_removed_when_it_is_done() -> None:
    """Nothing that was planted stays."""
    with planted() as made:
        assert os.environ[VARIABLE] == made.canary
        assert not made.arrived()
    assert VARIABLE not in os.environ
    assert not made.answers.exists()


def test_a_search_that_never_ends_is_a_find(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Who can see that much is not shut in."""
    monkeypatch.setattr(probe, "_SEARCH_S", -1)
    assert "too much can be seen" in next(probe.canary_in_files(told))


def test_the_request_does_not_hold_the_canary(canary: Planted) -> None:
    """Or the probe would find its own instructions."""
    assert canary.canary not in json.dumps(canary.request())


def _process() -> int:
    """Start a process that is no copy of this one, and return its id."""
    return os.posix_spawn("/bin/sleep", ["sleep", "60"], {})


def test_limits_that_do_not_hold_are_found(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """More processes than allowed, and memory without end, are told."""
    monkeypatch.setattr(os, "fork", _process)
    monkeypatch.setattr(probe, "_FORKS", 3)
    assert list(probe.forks(told)) == ["3 processes could be started"]
    monkeypatch.setattr(probe, "_ALLOCATED", 1024)
    assert list(probe.memory(told)) == ["0 GiB could be allocated"]


def test_a_limit_that_comes_too_late_is_found(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Being stopped at all is not enough; being stopped in time is."""
    started: list[int] = []

    def fork() -> int:
        if len(started) == 7:
            raise BlockingIOError
        started.append(_process())
        return started[-1]

    monkeypatch.setattr(os, "fork", fork)
    assert list(probe.forks(told)) == ["7 processes could be started, and 5 are allowed"]
    started.clear()
    assert list(probe.forks({**told, "processes": 100})) == []


def test_rights_and_writable_folders_are_found(
    told: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs these tests may write to their folder; root may do more, and leaves nothing there."""
    monkeypatch.setattr(probe, "_SYSTEM", (str(tmp_path), "/nowhere"))
    assert list(probe.writable(told)) == [str(tmp_path / "written-by-the-probe")]
    assert ("this is root" in list(probe.privileges(told))) == (os.geteuid() == 0)
    assert list(tmp_path.iterdir()) == []


def test_the_probe_prints_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One list a check, of at most five finds."""
    (tmp_path / "told").write_text("{}")
    monkeypatch.setattr(sys, "argv", ["probe.py", str(tmp_path / "told")])
    monkeypatch.setattr(probe, "CHECKS", {"good": lambda _: iter(()), "bad": lambda _: iter("abcdefg")})
    probe.main()
    assert json.loads(capsys.readouterr().out) == {"good": [], "bad": ["a", "b", "c", "d", "e"]}
