"""What was made is kept by its key: in memory, on disk, within bounds, and never where it was altered."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.web import keeping
from memgauge.web.keeping import ContentStore, key_of, viewer_cache

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ab" + "0" * 62


def test_another_process_reads_what_one_wrote(tmp_path: Path) -> None:
    """A store with the same folder has the same bytes; one without has none."""
    ContentStore(tmp_path).put(KEY, b"page")
    assert ContentStore(tmp_path).get(KEY) == b"page"
    assert ContentStore().get(KEY) is None
    assert pickle.loads(pickle.dumps(ContentStore(tmp_path))).get(KEY) == b"page"  # noqa: S301 - our own


@pytest.mark.parametrize(
    "spoil", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b"", lambda b: b[:70] + b"?" + b[71:]]
)
def test_a_file_that_was_cut_or_altered_is_none(tmp_path: Path, spoil: object) -> None:
    """Nobody is shown what is not as it was written, nor what another key was written for."""
    ContentStore(tmp_path).put(KEY, b"a page with some words")
    (path,) = [each for each in tmp_path.glob("*/*") if each.is_file()]
    whole = path.read_bytes()
    assert callable(spoil)
    path.write_bytes(spoil(whole))
    assert ContentStore(tmp_path).get(KEY) is None
    path.with_name("ab" + "1" * 62).write_bytes(whole)
    assert ContentStore(tmp_path).get("ab" + "1" * 62) is None


def test_memory_has_a_bound(tmp_path: Path) -> None:
    """What was asked for longest ago is no longer held, and still on the disk."""
    memory, both = ContentStore(memory=250), ContentStore(tmp_path, memory=250)
    for store in (memory, both):
        for n in range(4):
            store.put(f"{n}" * 64, bytes(100))
    assert [memory.get(f"{n}" * 64) is not None for n in range(4)] == [False, False, True, True]
    assert all(both.get(f"{n}" * 64) is not None for n in range(4))


def test_the_disk_has_a_bound(tmp_path: Path) -> None:
    """The oldest files go when there is too much."""
    store = ContentStore(tmp_path, memory=0, disk=8_000)
    for n in range(20):
        store.put(f"{n:02d}" * 32, bytes(1_000))
        for path in tmp_path.glob(f"{n:02d}/*"):
            os.utime(path, (n, n))
    there = [n for n in range(20) if store.get(f"{n:02d}" * 32) is not None]
    assert there == list(range(20 - len(there), 20))
    assert 0 < len(there) <= 9


def test_a_disk_that_is_not_ours_is_no_reason_to_show_nothing(tmp_path: Path) -> None:
    """What cannot be written is held in memory alone."""
    (tmp_path / "file").write_text("")
    store = ContentStore(tmp_path / "file" / "below")
    store.put(KEY, b"page")
    with store.alone(KEY):
        assert store.get(KEY) == b"page"


def test_what_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made each time."""
    monkeypatch.setattr(keeping, "LARGEST", 10)
    store = ContentStore(tmp_path)
    store.put(KEY, bytes(11))
    assert store.get(KEY) is None


def _hold(folder: Path, log: Path) -> None:
    with ContentStore(folder).alone(KEY):
        with log.open("a") as file:
            file.write("in ")
        time.sleep(0.2)
        with log.open("a") as file:
            file.write("out ")


def test_one_process_of_all_makes_something(tmp_path: Path) -> None:
    """The others wait until it is done."""
    context = multiprocessing.get_context("spawn")
    crew = [context.Process(target=_hold, args=(tmp_path / "kept", tmp_path / "log")) for _ in range(3)]
    for each in crew:
        each.start()
    for each in crew:
        each.join(60)
    assert (tmp_path / "log").read_text() == "in out " * 3


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_keys_tell_parts_apart(one: list[str], other: list[str]) -> None:
    """Equal parts have one key, others another, unless a part holds what stands between parts."""
    if not any("\0" in part for part in (*one, *other)) and one and other:
        assert (key_of(*one) == key_of(*other)) == (one == other)


def test_other_code_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier version made is not shown."""
    before = key_of("page")
    monkeypatch.setattr(keeping, "made_by", lambda: "another version")
    assert key_of("page") != before


def test_the_folder_is_in_the_users_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`MEMGAUGE_CACHE` moves it; nothing lies beside the runs."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path))
    assert viewer_cache() == tmp_path / "viewer"
