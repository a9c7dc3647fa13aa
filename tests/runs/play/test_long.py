"""Conversations that are longer than memory leave the record that they would leave in it."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

from memgauge import long_values
from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.synthetic.writing import WorldOrder, write_world
from memgauge.long_values import LongSequence
from memgauge.runs.play.engine import run_case
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline, Processes
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import load
from memgauge.streams import clean
from memgauge.systems import disk_index
from memgauge.systems.catalogue import open_system
from support.own import pin
from support.peaks import measured
from support.systems import Backwards, Digest, Minutes, Notebook, Silent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

CASE = next(open_dataset("synthetic:tiny").cases())
CLOCKS = {"ms", "wall_ms", "cpu_ms"}


def timeless(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take clock readings from rows."""
    return [{name: value for name, value in row.items() if name not in CLOCKS} for row in rows]


@pytest.mark.parametrize("opened", [lambda: open_system("bm25"), Notebook, Digest, Minutes, Silent, Backwards])
def test_a_stream_in_a_file_gives_the_same_rows(opened: Callable[[], Any]) -> None:
    """Whatever a memory says of its writes: exact sources, inferred ones, digests, nothing at all."""
    stream, limits = clean(CASE), Limits()
    rows = run_case(CASE.conversation.id, stream, opened, limits)
    assert timeless(run_case(CASE.conversation.id, LongSequence(stream), opened, limits)) == timeless(rows)


@pytest.mark.parametrize("executor", [Inline(), Processes(1)])
def test_a_long_conversation_is_the_same_run(
    executor: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its name, its content and its rankings are; its manifest says what played it."""
    ref = f"own:{tmp_path / 'world'}"
    write_world(tmp_path / "world", WorldOrder("tiny"))
    (before,) = execute(plan([ref], ["bm25:k1=1.2"]), tmp_path / "before", executor=executor, check=False)
    monkeypatch.setattr(long_values, "SHORT", 5)
    monkeypatch.setattr(disk_index, "LARGE", 5)
    planned = plan([ref], ["bm25:k1=1.2"])
    (after,) = execute(planned, tmp_path / "after", executor=executor, check=False)
    assert after.name == before.name
    assert load(after).seal.content == load(before).seal.content
    assert load(after).manifest.played_by == "haystack:by=bm25,k1=1.2"
    assert "played_by" not in json.loads((before / "manifest.json").read_text("utf-8"))


@pytest.mark.parametrize("ref", ["bm25", "bm25:stem=english", "bm25:b=0.5,as_heard=false"])
def test_what_ranks_alike_takes_the_place_of_a_memory(ref: str) -> None:
    """Only of a long conversation, and it can be opened."""
    assert disk_index.on_disk(ref, disk_index.LARGE) == ""
    assert open_system(disk_index.on_disk(ref, disk_index.LARGE + 1)).name == "haystack"


@pytest.mark.parametrize("ref", ["dense", "bm25:unspaced=pairs", "bm25:store=facts", "mymemory:BM25"])
def test_what_ranks_otherwise_does_not(ref: str) -> None:
    """Another memory, or a parameter that the index on disk does not have, stays in memory."""
    assert disk_index.on_disk(ref, 1 << 40) == ""


@pytest.mark.slow
@pytest.mark.timeout(7200)  # minutes of a processor, which a busy machine gives in hours
def test_three_times_as_many_turns_take_hardly_more_memory(tmp_path: Path) -> None:
    """Neither in the process that owns the run nor in the one that plays it."""
    small, large = (peaks(tmp_path / str(turns), turns) for turns in (150_000, 450_000))
    assert large[0] - small[0] < 150 * 1024
    assert large[1] - small[1] < 150 * 1024


def peaks(folder: Path, turns: int) -> tuple[int, int]:
    """Run one conversation of so many turns; return the peaks of owner and player in KiB."""
    folder.mkdir()
    words = ("apple", "bee", "cat", "dog", "elm", "fig", "gull")
    with (folder / "turns.jsonl").open("w", encoding="utf-8") as file:
        for n in range(turns):
            text = " ".join(words[n // 7**place % 7] for place in range(8))
            row = {
                "conversation": "c",
                "session": f"s{n // 10_000}",
                "id": f"t{n}",
                "speaker": "Ada",
                "text": text,
            }
            file.write(json.dumps(row) + "\n")
    asked = {"id": "q", "conversation": "c", "text": "apple gull", "evidence": ["t6"]}
    (folder / "questions.jsonl").write_text(json.dumps(asked) + "\n", "utf-8")
    pin(folder)
    script = """
        import resource, sys
        from pathlib import Path
        from memgauge.runs.play.execute import execute
        from memgauge.runs.play.plan import plan
        from memgauge.runs.record.store import load
        (run,) = execute(plan([f"own:{sys.argv[1]}"], ["bm25"]), Path(sys.argv[1], "runs"), check=False)
        assert load(run).questions["outcome"].tolist() == ["ok"]
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    """
    (player,), owner = measured(dedent(script), str(folder))
    return owner, player
