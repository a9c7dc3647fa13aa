"""What attacks on weaker sandboxes found, each tried again on ours."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import memgauge
from memgauge.studies.track.sandbox.room import sweep
from memgauge.studies.track.tools.router import ToolFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from memgauge.studies.track.sandbox.sandbox import Sandbox

SECRET = "sk-canary-0f1e2d"  # noqa: S105 - what must not be found
BOMB = """
import os, time
started = 0
try:
    while started < 500:
        if not os.fork():
            time.sleep(30)
        started += 1
except OSError:
    print(started)
"""
KNOCK = """
import socket
for family, address in {addresses}:
    try:
        socket.socket(family).connect(address)
        print("reached")
    except OSError:
        print("no")
"""
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to show that its rights are given up")


@pytest.fixture
def answers() -> Iterator[Path]:
    """Write answers that file modes alone would let everybody read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        (Path(folder) / "answers.json").write_text(SECRET)
        yield Path(folder) / "answers.json"


def running(argument: str) -> list[int]:
    """Return the processes of this machine that were started with an argument."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if argument in file.read_bytes().decode("utf-8", "replace").split("\0"):
                found.append(int(file.parent.name))
        except OSError:
            continue
    return found


def gone(argument: str) -> bool:
    """Wait until no process has an argument any more."""
    until = time.monotonic() + 10
    while running(argument) and time.monotonic() < until:
        time.sleep(0.02)
    return not running(argument)


class TestFirst:
    """Secrets of the harness: its environment, and its command line."""

    def test_no_process_inside_has_the_harness_environment(
        self, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Neither `env` nor the first process of the namespace knows a key that we have."""
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        said = sandbox.run("env; cat /proc/*/environ | tr '\\0' '\\n'").output
        assert "PATH=/usr/bin:/bin" in said
        assert SECRET not in said
        assert "OPENAI_API_KEY" not in said

    def test_no_command_line_inside_names_a_path_of_this_machine(self, bubblewrap: Sandbox) -> None:
        """The flags of the sandbox come through a descriptor, which is closed when the agent runs."""
        said = bubblewrap.run("cat /proc/*/cmdline | tr '\\0' ' '; ls -l /proc/*/fd").output
        assert "bwrap --args" in said
        assert str(bubblewrap.room.top) not in said
        assert "ro-bind" not in said


class TestSecond:
    """Rights of root: none is left, and none comes back."""

    def test_there_is_no_capability(self, bubblewrap: Sandbox) -> None:
        """All five sets are empty, and the user is nobody special."""
        said = bubblewrap.run("grep Cap /proc/self/status; id -u").output.split()
        assert said[1::2] == ["0" * 16] * 5 or set(said[1:10:2]) == {"0" * 16}
        assert said[-1] == "1000"

    def test_no_device_can_be_made_and_nothing_mounted(self, sandbox: Sandbox) -> None:
        """The disk of this machine cannot be opened through a node of one's own."""
        done = sandbox.run("mknod disk b 8 0; mount -t tmpfs x /mnt; ls disk")
        assert done.code != 0
        assert "not permitted" in done.output or "denied" in done.output

    def test_no_user_namespace_can_be_made_inside(self, bubblewrap: Sandbox) -> None:
        """The way to new rights that namespaces open is shut."""
        assert bubblewrap.run("unshare --user --map-root-user id").code != 0

    @as_root
    def test_root_runs_it_as_somebody_else(self, sandbox: Sandbox) -> None:
        """Files that the agent makes belong to a user of no rights, and that user cannot read root's files."""
        sandbox.run("touch mine")
        assert (sandbox.room.workspace / "mine").stat().st_uid == sandbox.room.user != 0


class TestThird:
    """Limits: of processes (for root too), memory, file size, output and time."""

    def test_a_fork_bomb_stops(self, opened: Callable[..., Sandbox]) -> None:
        """Forty processes at a time, and no more."""
        sandbox = opened("bubblewrap")
        limits = replace(sandbox.limits, processes=40)
        done = sandbox.run(f"python3 -c '{BOMB}'", limits)
        assert 0 < int(done.output) < 40

    def test_memory_and_files_are_bounded(self, sandbox: Sandbox) -> None:
        """Neither fills the machine."""
        limits = replace(sandbox.limits, memory=512 << 20, file_size=1 << 20)
        assert "MemoryError" in sandbox.run("python3 -c 'bytearray(1 << 30)'", limits).output
        sandbox.run("head -c 3000000 /dev/zero > big", limits)
        assert (sandbox.room.workspace / "big").stat().st_size == 1 << 20

    def test_temporary_files_are_bounded(self, opened: Callable[..., Sandbox]) -> None:
        """They lie in memory, in a file system that is small."""
        sandbox = opened("bubblewrap")
        done = sandbox.run("for place in /tmp /dev/shm; do df --output=size -k $place | tail -1; done")
        assert {int(size) for size in done.output.split()} == {sandbox.limits.scratch // 1024}

    def test_output_is_cut_and_counted(self, sandbox: Sandbox) -> None:
        """What is beyond the limit is dropped, and the command runs to its end."""
        done = sandbox.run("head -c 200000 /dev/zero | tr '\\0' x; exit 7")
        assert (len(done.output), done.dropped, done.code) == (65536, 200000 - 65536, 7)

    def test_time_is_up_for_everything(self, sandbox: Sandbox) -> None:
        """What left its session and ignores signals dies with the rest."""
        argument = f"{os.getpid()}.{time.monotonic_ns()}"
        command = f"trap '' TERM; setsid sleep {argument} & sleep {argument}"
        done = sandbox.run(command, replace(sandbox.limits, wall_s=1))
        assert done.timed_out
        assert gone(argument)

    def test_a_background_process_does_not_outlive_its_call(self, sandbox: Sandbox) -> None:
        """A call that ends well leaves nothing behind either, and does not wait for it."""
        argument = f"{os.getpid()}.{time.monotonic_ns()}"
        done = sandbox.run(f"setsid sleep {argument} & exit 3")
        assert done.code == 3
        assert gone(argument)

    @pytest.mark.parametrize("kind", ["bubblewrap", "landlock"])
    def test_it_dies_with_the_harness(self, opened: Callable[..., Sandbox], kind: str) -> None:
        """When the harness is killed, so is everything that it started; the next one removes its room."""
        opened(kind)
        argument = f"{os.getpid()}.{time.monotonic_ns()}"
        code = (
            "import sys; from memgauge.studies.track.sandbox.choose import open_sandbox\n"
            f"sandbox = open_sandbox({kind!r}); print(sandbox.room.top, flush=True)\n"
            f"sandbox.run('setsid sleep {argument} & sleep {argument}')"
        )
        harness = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert harness.stdout
        top = Path(harness.stdout.readline().strip())
        until = time.monotonic() + 30
        while len(running(argument)) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        harness.send_signal(signal.SIGKILL)
        harness.wait()
        harness.stdout.close()
        assert gone(argument)
        sweep(str(top.parent))  # unless a test beside this one opened a sandbox since, which sweeps as well
        assert not top.exists()


class TestFourth:
    """Links: file tools run inside, so that a link leads nowhere that the agent could not go."""

    def test_a_link_to_the_answers_leads_nowhere(self, sandbox: Sandbox, answers: Path) -> None:
        """Reading, listing and searching through links of the agent show nothing of this machine."""
        sandbox.run(f"ln -s {answers} notes.txt; ln -s {answers.parent} folder")
        with pytest.raises(ToolFailed):
            sandbox.operate("read_file", {"file_path": "notes.txt", "start_line": 1, "max_lines": 5})
        with pytest.raises(ToolFailed):
            sandbox.operate("list_directory", {"path": "folder", "detailed": False})
        search = {"case_sensitive": True, "max_matches": 5, "context_lines": 0}
        said = sandbox.operate("search_file_content", {"pattern": "sk-", "search_path": ".", **search})
        assert said == "No matches."

    def test_writing_through_a_link_changes_nothing(self, sandbox: Sandbox, answers: Path) -> None:
        """A file of this machine cannot be overwritten either."""
        answers.chmod(0o666)
        sandbox.run(f"ln -s {answers} notes.txt")
        with pytest.raises(ToolFailed):
            sandbox.operate("write_file", {"file_path": "notes.txt", "content": "changed"})
        assert answers.read_text() == SECRET


class TestFifth:
    """What is installed: `/usr` can be seen, what holds answers cannot."""

    def test_local_installations_are_masked(self, sandbox: Sandbox) -> None:
        """`/usr/local`, where packages go, is empty or closed."""
        assert sandbox.run("ls -A /usr/local 2>/dev/null | wc -l").output.strip() == "0"

    def test_this_package_is_not_there(self, sandbox: Sandbox) -> None:
        """Neither its files nor the environment that it is installed in can be read."""
        for path in (Path(memgauge.__file__), Path(sys.prefix) / "pyvenv.cfg"):
            assert sandbox.run(f"cat {path}").code != 0
        assert sandbox.run("python3 -c 'import memgauge'").code != 0

    def test_a_package_below_usr_is_masked_too(
        self, opened: Callable[..., Sandbox], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Wherever below `/usr` the package lies, that folder is shown empty or not at all."""
        from memgauge.studies.track.sandbox import bubblewrap, landlock

        for module in (bubblewrap, landlock):
            monkeypatch.setattr(module, "hidden", lambda: (Path("/usr/share/doc"), Path("/usr/local")))
        for kind in ("bubblewrap", "landlock"):
            done = opened(kind).run(
                "ls -A /usr/share/doc 2>/dev/null | wc -l; ls /usr/bin/git; ls /usr/share | wc -l"
            )
            assert done.output.split()[:2] == ["0", "/usr/bin/git"]


class TestSixth:
    """Networks: loopback, abstract sockets and socket files of this machine are out of reach."""

    def test_nothing_of_this_machine_answers(self, sandbox: Sandbox) -> None:
        """A port, an abstract socket and a socket file that are open outside are closed inside."""
        import socket

        with (
            socket.create_server(("127.0.0.1", 0)) as tcp,
            socket.socket(socket.AF_UNIX) as abstract,
            tempfile.TemporaryDirectory() as folder,
            socket.socket(socket.AF_UNIX) as named,
        ):
            Path(folder).chmod(0o755)
            name = f"memgauge-test-{os.getpid()}"
            abstract.bind(f"\0{name}")
            named.bind(f"{folder}/s")
            Path(folder, "s").chmod(0o777)
            for one in (abstract, named):
                one.listen()
            addresses = [(2, tcp.getsockname()), (1, f"\0{name}"), (1, f"{folder}/s")]
            sandbox.operate("write_file", {"file_path": "knock.py", "content": KNOCK.format(addresses=addresses)})
            done = sandbox.run("python3 knock.py")
        assert done.output.split() == ["no", "no", "no"]

    def test_there_is_no_way_out(self, bubblewrap: Sandbox) -> None:
        """Loopback is the only interface, and names are found in one small file."""
        said = bubblewrap.run("cat /proc/net/dev; getent hosts example.org; getent hosts git.local")
        assert "lo:" in said.output
        assert "eth" not in said.output
        assert said.output.splitlines()[-1].split() == ["127.0.0.1", "localhost", "git.local", "sandbox"]


class TestGit:
    """What the sandbox is for: Git at its address, read-only."""

    def test_a_clone_works_as_it_is_written(self, sandbox: Sandbox) -> None:
        """The command of the original prompts works verbatim, and the history is the timeline's."""
        done = sandbox.run(
            "git clone http://git.local:3000/pgym/small.git && cat small/hello.txt && git -C small log"
        )
        assert "hello" in done.output
        assert "Say hello" in done.output

    def test_a_push_is_refused(self, sandbox: Sandbox) -> None:
        """Nothing that the agent commits leaves its folder."""
        done = sandbox.run(
            "git clone -q http://git.local:3000/pgym/small.git && cd small"
            " && git commit -q --allow-empty -m mine && git push; git ls-remote origin; git rev-parse HEAD"
        )
        listed = done.output.split()
        assert listed[-1] not in listed[:-1]

    @pytest.mark.parametrize("count", [4, pytest.param(10, marks=pytest.mark.slow)])
    def test_sandboxes_do_not_meet(self, opened: Callable[..., Sandbox], count: int) -> None:
        """Agents clone from the same address at the same time, each from its own host."""
        from concurrent.futures import ThreadPoolExecutor

        sandboxes = [opened("bubblewrap") for _ in range(count)]
        with ThreadPoolExecutor(count) as pool:
            command = "git clone -q http://git.local:3000/pgym/small.git && ls"
            done = list(pool.map(lambda one: one.run(command), sandboxes))
        assert [one.output for one in done] == ["small\n"] * count
