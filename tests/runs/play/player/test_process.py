"""Players as processes: what they say is parsed, whoever dies is known to, and nobody is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, SystemFault
from memgauge.runs.play.player.assignment import Assignment, Chosen
from memgauge.runs.play.player.frames import receive, send, spelt, understood
from memgauge.runs.play.player.process import PlayerDied, PlayerProcess
from memgauge.runs.play.player.troupe import IDLE, Troupe
from memgauge.runs.play.player.walls import Hidden
from memgauge.runs.record.isolation import IN_HARNESS, Isolation
from memgauge.runs.record.manifest import Limits
from memgauge.streams import clean
from memgauge.systems.wire.surroundings import keyless
from support.handmade import two_questions

if TYPE_CHECKING:
    from collections.abc import Callable

(CASE,) = two_questions().cases()


def started() -> PlayerProcess:
    """Start a plain one."""
    return PlayerProcess.start([], keyless(()), ())


def assigned(ref: str) -> Assignment:
    """Let a system be played."""
    return Assignment(Chosen(ref), "c1", 0, 1, clean(CASE), Limits().model_dump())


def test_a_frame_is_read_as_it_was_written() -> None:
    """Header and bytes, whatever the pipe makes of them."""
    source, target = os.pipe()
    send(target, spelt({"a": 1}, b"\x00\xff"))
    assert understood(receive(source)) == ({"a": 1}, b"\x00\xff")
    os.write(target, b"\xff" * 8)
    with pytest.raises(EOFError, match="no possible length"):
        receive(source)
    os.close(target)
    with pytest.raises(EOFError, match="closed"):
        receive(source)
    os.close(source)


@pytest.mark.parametrize("payload", [b"", b"\x00" * 8, b"\x00" * 7 + b"\x02[]", b"\x00" * 7 + b"\x02{x"])
def test_what_no_player_says_is_its_end(payload: bytes) -> None:
    """No header, and no object in it."""
    with pytest.raises(EOFError):
        understood(payload)


def test_a_player_describes_plays_and_ends() -> None:
    """One process does one thing after the other, and is gone when nobody wants more."""
    player = started()
    header, _ = player.ask(Chosen("bm25"))
    assert header["system"]["name"] == "bm25"
    header, lines = player.ask(assigned("support.systems:Notebook"))
    assert header["failed"] == 0
    assert lines.count(b'{"t":"question"') == 2
    player.end()
    assert player.process.poll() == 0


def test_what_is_wrong_is_said_as_it_would_be_here() -> None:
    """A mistake of the user's and a fault of the system keep their kind and their words."""
    player = started()
    with pytest.raises(ConfigError, match="no module named 'nowhere'"):
        player.ask(Chosen("nowhere:System"))
    with pytest.raises(SystemFault, match="raised OSError: no such store"):
        player.ask(Chosen("support.systems:raising"))
    player.end()


def test_a_player_that_dies_or_takes_too_long_is_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its owner is told, whichever it was, and it is dead in either case."""
    monkeypatch.setenv("MEMGAUGE_TEST_GUILTY", "c1")
    deadly, stalling = started(), started()
    with pytest.raises(PlayerDied):
        deadly.ask(assigned("support.systems:Deadly"))
    monkeypatch.setenv("MEMGAUGE_TEST_MARKS", "/nonexistent")
    stalling.until = time.monotonic() + 0.5
    with pytest.raises(PlayerDied):
        stalling.ask(Chosen("support.systems:hanging"))
    for player in (deadly, stalling):
        assert player.process.poll() is not None


LITTERING = """
import tempfile
from pathlib import Path
from memgauge.systems.catalogue import open_system
def system():
    Path(tempfile.mkdtemp(), "store").write_text("what Ada said")
    return open_system("bm25")
"""


@pytest.mark.parametrize("end", [PlayerProcess.end, PlayerProcess.kill])
def test_what_a_memory_leaves_in_temporary_folders_goes_with_its_process(
    end: Callable[[PlayerProcess], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However that ends; another player does not see it."""
    (tmp_path / "littering.py").write_text(LITTERING)
    monkeypatch.syspath_prepend(str(tmp_path))
    player, other = started(), started()
    player.ask(Chosen("littering:system"))
    assert [store.read_text() for store in Path(player.scratch).rglob("store")] == ["what Ada said"]
    assert list(Path(other.scratch).iterdir()) == []
    end(player)
    assert not Path(player.scratch).exists()
    other.end()


def test_a_command_that_does_not_start_is_no_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is missing or ends at once; it leaves no folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for before in (["/nonexistent"], ["false"]):
        with pytest.raises(PlayerDied):
            PlayerProcess.start(before, keyless(()), ())
    assert list(tmp_path.iterdir()) == []


def test_players_that_wait_are_not_without_number() -> None:
    """Of a wide grid the oldest are ended."""

    class Idle(PlayerProcess):
        def end(self) -> None:
            ended.append(self)

    ended: list[PlayerProcess] = []
    troupe = Troupe()
    each = [Idle(None, -1, -1) for _ in range(IDLE + 3)]  # type: ignore[arg-type] # nothing runs
    for key, player in enumerate(each):
        troupe._wait(key, player)
    assert ended == each[:3]
    troupe._idle.clear()


@pytest.mark.parametrize("ref", ["bm25", "nowhere:System"])
def test_a_player_that_is_asked_one_thing_is_gone_afterwards(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be it answered or not: none waits, and none is ended again when all are."""
    gone: list[PlayerProcess] = []
    kill = PlayerProcess.kill

    def counted(player: PlayerProcess) -> None:
        gone.append(player)
        kill(player)

    monkeypatch.setattr(PlayerProcess, "kill", counted)
    troupe = Troupe()
    with pytest.raises(ConfigError) if ref != "bm25" else nullcontext():
        troupe.consult(Chosen(ref))
    (player,) = gone
    assert player.process.poll() is not None
    troupe.close()
    assert gone == [player]


def test_keys_stay_with_their_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names that look like keys are dropped, unless they are needed; others stay."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    monkeypatch.setenv("HF_TOKEN", "hf")
    monkeypatch.setenv("MONKEY", "banana")
    variables = keyless({"HF_TOKEN"})
    assert "OPENAI_API_KEY" not in variables
    assert (variables["HF_TOKEN"], variables["MONKEY"]) == ("hf", "banana")


def test_what_playing_needs_is_not_hidden_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a folder in which one works, only what looks like data is hidden."""
    (tmp_path / "work").mkdir()
    for name in ("gold.jsonl", "mine.py"):
        (tmp_path / name).write_text("x")
    (tmp_path / "apart").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    hidden = Hidden((tmp_path, tmp_path / "absent"), (tmp_path / "apart",))
    assert set(hidden.places) == {tmp_path / "gold.jsonl", tmp_path / "apart"}


def test_two_sittings_claim_what_both_reached() -> None:
    """A run of which a part was played in the harness was; one that does not say is not recorded."""
    whole = Isolation("own", "bubblewrap", files=True, memory=True, keys=True)
    assert whole.whole
    assert whole.weaker(whole) == whole
    assert whole.weaker(IN_HARNESS) == IN_HARNESS.weaker(whole) == Isolation("harness")
    assert not whole.weaker(Isolation()).recorded
    assert "told the evidence" in Isolation("own", evidence="all").sentence
    assert Isolation().sentence == "How the memory was kept from the gold is not recorded."


def test_a_player_of_a_policy_imports_little() -> None:
    """Each run starts one: numpy, which ranks, is the only heavy package that it loads."""
    code = (
        "import sys; from memgauge.runs.play.player import inside; inside._warm('bm25'); "
        "sys.exit(' '.join({'pydantic', 'duckdb', 'scipy', 'jinja2', 'rich'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
