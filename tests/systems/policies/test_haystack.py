"""The policies from files: the same rankings as in memory, whatever happens, and nothing left behind."""

from __future__ import annotations

import gc
import json
from datetime import datetime, timedelta
from itertools import starmap
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgauge.errors import DataError, UnknownNameError
from memgauge.records import Scope, Turn
from memgauge.retrieval.haystack import HaystackIndex
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.seal import Seal
from memgauge.runs.record.store import load
from memgauge.systems.catalogue import open_system
from memgauge.systems.policies import haystack
from memgauge.systems.policies.archive import Archive
from memgauge.systems.policies.haystack import Haystack
from support.disk import full_disk
from support.haystack import Watching
from support.shapes import took

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

WORDS = ["apple", "bee", "cat", "dog", "été", "\ud800"]
DAY = datetime(2024, 1, 1)  # noqa: DTZ001 - conversations have no time zone
SAID = st.tuples(st.integers(0, 9), st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), st.integers(0, 1))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ingest"), st.lists(SAID, min_size=1, max_size=4)),
        st.tuples(st.just("expiring"), SAID),
        st.tuples(st.just("update"), SAID),
        st.tuples(st.just("delete"), SAID),
        st.tuples(st.just("erase"), SAID),
        st.tuples(st.just("sweep"), SAID),
        st.tuples(st.just("flush"), SAID),
        st.tuples(st.just("search"), SAID),
    ),
    max_size=15,
)
PAIRS = [
    ("bm25", "haystack"),
    ("bm25:k1=0.5,b=0.1,speaker=true,stem=english", "haystack:k1=0.5,b=0.1,speaker=true,stem=english"),
    ("dense:embedder=hashed", "haystack:by=dense,embedder=hashed"),
    ("hybrid:embedder=hashed,c=3", "haystack:by=hybrid,embedder=hashed,c=3"),
]


def turn(number: int, text: str, scope: int = 0) -> Turn:
    """Say something."""
    return Turn(f"t{number}", f"S{scope}", text, "s", DAY + timedelta(days=number))


class Player:
    """Plays steps on one system, and notes all that it returns."""

    def __init__(self, ref: str) -> None:
        self.system: Any = open_system(ref)
        self.seen: list[object] = []

    def play(self, step: str, given: Any) -> None:
        """Make one call."""
        said = given if step == "ingest" else [given]
        number, text, which = said[0]
        scope = Scope(f"u{which}")
        if step == "ingest":
            self.seen.append(self.system.ingest(list(starmap(turn, said)), scope))
        elif step == "expiring":
            ends = DAY + timedelta(days=5)
            self.seen.append(self.system.ingest_expiring(turn(number, text), scope, ends))
        elif step == "update":
            self.seen.append(self.system.update(f"t{number}", text, scope))
        elif step == "delete":
            self.seen.append(self.system.delete([f"t{number}", "unknown"], scope))
        elif step == "erase":
            self.system.erase(scope)
        elif step == "sweep":
            self.system.sweep(DAY + timedelta(days=number))
        elif step == "flush":
            self.system.flush(scope, 5)
        else:
            self.seen.append(self.system.search(text, scope, number, DAY + timedelta(days=number)))
        self.seen.append([self.system.search("apple été", Scope(f"u{n}"), 4) for n in (0, 1)])
        self.seen.append([list(self.system.dump(Scope(f"u{n}"))) for n in (0, 1)])


@pytest.mark.parametrize(("ref", "from_files"), PAIRS, ids=[one for _, one in PAIRS])
def test_everything_is_as_in_memory(ref: str, from_files: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rankings with scores, receipts and dumps, after any writes, changes, deletions, ends and erasures."""
    monkeypatch.setattr(
        haystack, "HaystackIndex", lambda *args, **options: HaystackIndex(*args, part_tokens=5, **options)
    )

    @settings(max_examples=15)
    @given(steps=STEPS)
    def check(steps: Sequence[tuple[str, Any]]) -> None:
        one, other = Player(ref), Player(from_files)
        assert one.system.capabilities() == other.system.capabilities()
        for step, given_ in steps:
            one.play(step, given_)
            other.play(step, given_)
            assert one.seen == other.seen
        other.system.reset()
        assert not other.system.search("apple", Scope("u0"), 3).hits
        other.system.close()

    check()


def test_files_live_as_long_as_the_memory(tmp_path: Path) -> None:
    """They lie where they were asked for, a folder a scope, and go with the scope, the memory, or its closing."""
    made = Haystack(folder=str(tmp_path / "here"))
    for user in ("a", "b"):
        made.ingest([turn(1, "an apple")], Scope(user))
        made.flush(Scope(user), 5)
    (home,) = (tmp_path / "here").iterdir()
    assert sorted(path.name for path in home.iterdir()) == ["1", "2"]
    made.erase(Scope("a"))
    assert [path.name for path in home.iterdir()] == ["2"]
    made.close()
    assert list((tmp_path / "here").iterdir()) == []
    forgotten = Haystack(folder=str(tmp_path / "here"))
    forgotten.ingest([turn(1, "an apple")], Scope("a"))
    del forgotten
    gc.collect()
    assert list((tmp_path / "here").iterdir()) == []


def test_what_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """A ranking that there is not, a folder that is a file, a disk that is full."""
    with pytest.raises(UnknownNameError, match="ranking of a haystack"):
        Haystack(by="luck")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="Cannot keep memories"):
        Haystack(folder=str(tmp_path / "file"))
    with pytest.raises(DataError, match="Cannot keep memories"):
        Archive(tmp_path / "file" / "x.sqlite")
    made = Haystack(folder=str(tmp_path))
    much = [turn(number, "x" * 5_000) for number in range(9_000)]
    with full_disk(200_000), pytest.raises(DataError, match=r"Cannot keep memories in .*Make room"):
        made.ingest(much, Scope("a"))
    made.close()


def questions(number: int, turns: int) -> list[dict[str, Any]]:
    """Write questions as LongMemEval does, each with a haystack of its own."""
    return [
        {
            "question_id": f"q{n}",
            "question_type": "single-session-user",
            "question": f"What was said of needle {n}?",
            "answer": "much",
            "question_date": "2023/06/01 (Thu) 00:58",
            "haystack_dates": ["2023/05/20 (Sat) 08:00"],
            "haystack_session_ids": [f"answer_{n}"],
            "haystack_sessions": [
                [
                    {"role": "user", "content": f"needle-{n}-{t} word{t}", "has_answer": t == 0}
                    for t in range(turns)
                ]
            ],
            "answer_session_ids": [f"answer_{n}"],
        }
        for n in range(number)
    ]


def test_two_haystacks_are_never_held_at_once(tmp_path: Path) -> None:
    """Each question has its own, read, written, searched and let go before the next is read; files too."""
    path = tmp_path / "haystacks.json"
    path.write_text(json.dumps(questions(3, 5)), "utf-8")
    home = tmp_path / "files"
    watched = plan(
        [f"longmemeval:{path}"], ["support.haystack:Watching"], allow_unpinned=True, probes=0
    )  # no renamed copies
    gc.collect()
    (folder,) = execute(
        watched, tmp_path / "runs", executor=Inline(), check=False
    )  # it counts what is held in this process
    assert load(folder).questions["outcome"].tolist() == ["ok"] * 3
    assert Watching.most == {"archives": 1, "turns": 5}
    (same,) = execute(
        plan([f"longmemeval:{path}"], [f"haystack:folder={home}"], allow_unpinned=True),
        tmp_path / "runs",
        executor=Inline(),
        check=False,
    )
    (memory,) = execute(
        plan([f"longmemeval:{path}"], ["bm25"], allow_unpinned=True),
        tmp_path / "runs",
        executor=Inline(),
        check=False,
    )
    assert Seal.read(same).content == Seal.read(memory).content
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("shape", [pytest.param("world", marks=pytest.mark.slow), "beam"])
def test_memory_does_not_grow_with_the_haystack(shape: str, tmp_path: Path) -> None:
    """Four times as many turns take a few MB more."""
    few = {"world": 1_500, "beam": 60}[shape]
    found = {n: took(shape, n * few, tmp_path / str(n)) for n in (1, 4)}
    assert all(one.found for one in found.values())
    assert found[4].peak_mib - found[1].peak_mib < 40


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("shape", "turns"), [("beam", 20_000), ("world", 10_000_000)])
def test_ten_million_fit_into_a_laptop(shape: str, turns: int, tmp_path: Path) -> None:
    """Ten million tokens as BEAM has them, ten million turns of the synthetic world: below 2 GB, and found."""
    found = took(shape, turns, tmp_path)
    assert found.found
    assert found.turns == turns
    assert found.tokens >= 9_900_000
    assert found.peak_mib < 1_900
