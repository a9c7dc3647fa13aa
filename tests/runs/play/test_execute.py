"""Making runs: resumed after any interruption, tried again where asked, sealed when complete."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import IdentityError, RunBusyError, RunError
from memgauge.runs.play.execute import PlanProgress, execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record import journal, manifest
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.journal import Journal
from memgauge.runs.record.manifest import Limits, Manifest
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, sealed
from memgauge.runs.record.store import load
from support import ROOT
from support.handmade import five_questions, many_questions, planned, two_questions
from support.systems import GUILTY, MARKS, Notebook

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.play.plan import Plan


def start(script: str, **environment: str) -> subprocess.Popen[str]:
    """Start Python on *script* with this test suite's modules at hand."""
    paths = os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=os.environ | environment | {"PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_every_cell_gets_a_folder_in_order(tmp_path: Path) -> None:
    """Two systems and two seeds are four sealed runs; progress counts conversations and ends at the total."""
    seen: list[PlanProgress] = []
    made = execute(plan(["synthetic:tiny"], ["none", "random"], seeds=[1, 2]), tmp_path, on_progress=seen.append)
    assert [load(folder).label for folder in made] == ["none", "none", "random", "random"]
    assert [load(folder).manifest.seed for folder in made] == [1, 2, 1, 2]
    assert [progress.done for progress in seen] == list(range(9))
    assert {(progress.total, progress.failed) for progress in seen} == {(8, 0)}
    assert seen[-1].label.startswith("random · ")


def test_a_finished_run_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is run again and no byte changes."""
    work = plan(["synthetic:tiny"], ["none"])
    (folder,) = execute(work, tmp_path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    seen: list[PlanProgress] = []
    assert execute(work, tmp_path, on_progress=seen.append) == [folder]
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert [(progress.done, progress.total) for progress in seen] == [(2, 2)]


def test_a_killed_run_goes_on_without_redoing_what_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After SIGKILL the finished conversations stay byte by byte, and the end is that of an unbroken run."""
    work = planned(many_questions(), "support.systems:Stalling")
    process = start(
        f"""
        from pathlib import Path
        from support.handmade import many_questions, planned
        from memgauge.runs.play.execute import execute
        execute(planned(many_questions(), "support.systems:Stalling"), Path({str(tmp_path / "killed")!r}))
        """,
        **{GUILTY: "c2", MARKS: str(tmp_path)},
    )
    while not (tmp_path / "stalled").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    folder = tmp_path / "killed" / work.cells[0].manifest.id
    finished = (folder / journal.FILE).read_bytes()
    announced = Manifest.read(folder).plan
    assert AnnouncedPlan.read(tmp_path / "killed" / "plans" / f"{announced[:12]}.json").digest == announced
    assert not sealed(folder)
    assert finished.count(b'{"t":"end"') == 2
    assert execute(work, tmp_path / "killed") == [folder]
    assert (folder / journal.FILE).read_bytes().startswith(finished)
    assert (folder / journal.FILE).read_bytes().count(b'{"t":"end"') == 4
    (whole,) = execute(work, tmp_path / "whole")
    assert Seal.read(folder).content == Seal.read(whole).content
    assert Manifest.read(folder).plan == announced == Manifest.read(whole).plan
    broken, unbroken = load(folder).cost, load(whole).cost
    assert broken is not None
    assert unbroken is not None
    assert (broken.sittings, broken.whole) == (2, False)
    assert (unbroken.sittings, unbroken.whole) == (1, True)
    assert (broken.attempts, broken.unseen) == (unbroken.attempts, unbroken.unseen) == (4, 0)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a system that needs two attempts, without interruption."""
    out = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARKS, str(tmp_path_factory.mktemp("marks")))
        (folder,) = execute(twice(), out)
    return folder


def twice() -> Plan:
    """Plan two attempts at a system that only works the second time."""
    return planned(many_questions(3, 2), "support.systems:SecondTime", limits=Limits(attempts=2, retries=0))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_wherever_a_run_stops_it_ends_the_same(
    whole: Path, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at any byte, even between two attempts at one conversation, a run resumes to equal content."""
    folder = shutil.copytree(whole, tmp_path / "out" / whole.name)
    (folder / SEAL).unlink()
    raw = (folder / journal.FILE).read_bytes()
    (folder / journal.FILE).write_bytes(raw[: int(len(raw) * share)])
    kept: dict[str, int] = {}
    with Journal(folder) as opened:
        kept = dict(opened.finished)
    for conversation in kept:
        (tmp_path / f"{conversation}.met").touch()
    monkeypatch.setenv(MARKS, str(tmp_path))
    execute(twice(), tmp_path / "out")
    assert Seal.read(folder).content == Seal.read(whole).content


def test_only_the_attempt_that_counts_has_lineage(whole: Path) -> None:
    """What the failed attempt stored is in the record and descends from nothing, for whoever reads it."""
    memories = load(whole).memories
    assert sorted(set(zip(memories["attempt"].tolist(), memories["counts"].tolist(), strict=True))) == [
        (1, False),
        (2, True),
    ]
    assert all(
        bool(len(sources)) == counts
        for sources, counts in zip(memories["sources"], memories["counts"], strict=True)
    )


def test_attempts_are_all_recorded_and_the_first_valid_one_counts(whole: Path) -> None:
    """The failed attempt stays in the record; each question is there once for each attempt and counts once."""
    run = load(whole)
    assert run.questions["outcome"].tolist() == ["ok"] * 6
    for question in run.questions["question"]:
        found = run.attempts_of(question)
        assert [(row["attempt"], row["outcome"], row["counts"]) for row in found] == [
            (1, "error", False), (2, "ok", True),
        ]  # fmt: skip


def test_attempts_end_at_the_limit(tmp_path: Path) -> None:
    """A system that never works is tried as often as allowed; progress does not run past the total."""
    seen: list[PlanProgress] = []
    work = planned(two_questions(), "support.systems:Failing", limits=Limits(attempts=3, retries=0))
    (folder,) = execute(work, tmp_path, on_progress=seen.append)
    assert [row["attempt"] for row in load(folder).attempts_of("c1-q1")] == [1, 2, 3]
    assert [(progress.done, progress.failed) for progress in seen] == [(0, 0), (1, 2), (1, 2), (1, 2)]


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    """Two processes do not write one run."""
    work = planned(two_questions(), "support.systems:Notebook")
    folder = tmp_path / work.cells[0].manifest.id
    folder.mkdir()
    work.cells[0].manifest.write(folder)
    before = (folder / manifest.FILE).read_bytes()
    with Journal(folder), pytest.raises(RunBusyError):
        execute(work, tmp_path)
    assert (folder / manifest.FILE).read_bytes() == before  # or whoever plays it takes it for changed
    assert sealed(execute(work, tmp_path)[0])


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    """A folder whose manifest names something else is not touched."""
    work = planned(two_questions(), "support.systems:Notebook")
    folder = tmp_path / work.cells[0].manifest.id
    folder.mkdir()
    planned(two_questions(), "support.systems:Backwards").cells[0].manifest.write(folder)
    with pytest.raises(IdentityError, match="holds another run"):
        execute(work, tmp_path)
    assert [path.name for path in folder.iterdir()] == [manifest.FILE]


def test_a_place_that_cannot_hold_runs_is_named(tmp_path: Path) -> None:
    """The error says which folder cannot be made."""
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"Cannot make .*/file/.*: Not a directory\. Choose another --out"):
        execute(planned(two_questions(), "support.systems:Notebook"), tmp_path / "file")


def test_a_place_without_a_legible_name_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    """Nothing is made there."""
    place = tmp_path / "o\udcfe"
    with pytest.raises(RunError, match=r"o\\udcfe' is no name in UTF-8\. Choose another --out"):
        execute(planned(two_questions(), "support.systems:Notebook"), place)
    assert not place.exists()


def test_a_full_disk_leaves_a_run_that_can_be_finished(tmp_path: Path) -> None:
    """The run stops with a remedy; with room again it ends like any other."""
    process = start(
        f"""
        import resource, signal
        from pathlib import Path
        from support.handmade import many_questions, planned
        from memgauge.errors import RunError
        from memgauge.runs.play.execute import execute
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        def full(progress):
            if progress.done == 2:
                room = next(Path({str(tmp_path)!r}).rglob("journal.jsonl")).stat().st_size + 100
                resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            execute(
                planned(many_questions(), "support.systems:Notebook"), Path({str(tmp_path)!r}), on_progress=full
            )
        except RunError as error:
            print(error)
        """
    )
    said, complaints = process.communicate()
    assert "finished conversations are kept. Allow files of this size" in said, complaints
    (folder,) = execute(planned(many_questions(), "support.systems:Notebook"), tmp_path)
    (other,) = execute(planned(many_questions(), "support.systems:Notebook"), tmp_path / "other")
    assert Seal.read(folder).content == Seal.read(other).content


def test_a_ceiling_is_told_the_evidence_and_nobody_else_is(tmp_path: Path) -> None:
    """The oracle finds everything that there is, because it was told."""
    oracle, notebook = execute(planned(five_questions(), "oracle", "support.systems:Notebook"), tmp_path)
    hits = load(oracle).hits_of(["c1-q1", "c1-q3"], 5)
    assert [hit["memory"] for hit in hits["c1-q1"]] == ["t1", "t3"]
    assert hits["c1-q3"] == []
    assert load(notebook).manifest.system.capabilities["role"] == "system"


def test_only_the_first_conversations_are_run_where_asked(tmp_path: Path) -> None:
    """A limit on conversations is kept, and part of the identity."""
    (folder,) = execute(plan(["synthetic:tiny"], ["none"], conversations=1), tmp_path)
    assert len(set(load(folder).questions["conversation"].tolist())) == 1


def test_the_seed_of_hashes_changes_no_byte(tmp_path: Path) -> None:
    """Score files and content are the same under any PYTHONHASHSEED, locale and time zone."""
    script = f"""
        import hashlib
        from pathlib import Path
        from memgauge.records import Contract
        from memgauge.runs.play.execute import execute
        from memgauge.runs.play.plan import plan
        from memgauge.runs.record.store import load
        from memgauge.scoring.judged_runs import read_gold
        from memgauge.scoring.score import Settings, write_scores
        import os
        out = Path({str(tmp_path)!r}) / os.environ.get("PLACE", "here")
        for folder in execute(plan(["synthetic:tiny"], ["bm25"]), out):
            run = load(folder)
            (gold,) = read_gold([run]).values()
            path = write_scores(run, gold, Settings(Contract()))
            print(run.seal.content, path.name, hashlib.sha256(path.read_bytes()).hexdigest())
    """
    there, wrong = start(script, PLACE="there", PYTHONHASHSEED="1", TZ="Asia/Tokyo", LC_ALL="C").communicate()
    with contextlib.redirect_stdout(io.StringIO()) as here:
        exec(textwrap.dedent(script), {})  # noqa: S102 - the test's own
    assert there == here.getvalue(), wrong
    assert len(there.split()) == 3, wrong


def test_journals_name_the_attempt_of_every_row(whole: Path) -> None:
    """Nothing in a journal is without its conversation and attempt."""
    rows = [json.loads(line) for line in (whole / journal.FILE).read_text().splitlines()]
    assert {(row["conversation"], row["attempt"]) for row in rows} == {
        (f"c{c}", attempt) for c in range(3) for attempt in (1, 2)
    }


def test_support_systems_are_what_their_names_say() -> None:
    """The notebook, on which these tests lean, forgets when told to."""
    notebook = Notebook()
    notebook.reset()
    assert notebook.dump(None) == ()  # type: ignore[arg-type] # one scope is all it has
