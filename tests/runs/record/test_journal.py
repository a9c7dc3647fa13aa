"""The append-only record: whole up to its last end, one writer, and honest about a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunBusyError, RunError
from memgauge.runs.record.journal import FILE, Journal, survey
from memgauge.runs.record.spelling import encode
from support.disk import full_disk

if TYPE_CHECKING:
    from pathlib import Path


def lines(conversation: str, failed: int = 0) -> bytes:
    """Make the lines of one attempt."""
    return encode([
        {"t": "case", "conversation": conversation, "attempt": 1, "number": 0},
        {"t": "end", "conversation": conversation, "attempt": 1, "failed": failed},
    ])  # fmt: skip


def test_what_was_appended_is_found_again(tmp_path: Path) -> None:
    """Attempts are counted by conversation, and the failures of the last one are known."""
    with Journal(tmp_path) as journal:
        journal.append("a", lines("a", 2), 2)
        journal.append("b", lines("b"))
        journal.append("a", lines("a", 1), 1)
        assert (journal.finished, journal.failed) == ({"a": 2, "b": 1}, {"a": 1, "b": 0})
    with Journal(tmp_path) as again:
        assert (again.finished, again.failed) == ({"a": 2, "b": 1}, {"a": 1, "b": 0})


def test_what_waits_for_the_disk_once_is_the_same(tmp_path: Path) -> None:
    """Written later, and settled: the bytes and the counts are those of attempts that were settled each."""
    for folder, later in ((tmp_path / "each", False), (tmp_path / "once", True)):
        folder.mkdir()
        with Journal(folder) as journal:
            journal.append("a", lines("a", 2), 2, later=later)
            journal.append("b", lines("b"), later=later)
            journal.settle()
            assert (journal.finished, journal.failed) == ({"a": 1, "b": 1}, {"a": 2, "b": 0})
    assert (tmp_path / "once" / FILE).read_bytes() == (tmp_path / "each" / FILE).read_bytes()


def test_an_attempt_is_on_disk_when_it_was_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of power takes nothing of it; what may come later waits until it is settled."""
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.fstat(fd).st_size))
    with Journal(tmp_path) as journal:
        journal.append("a", lines("a"))
        assert synced == [(tmp_path / FILE).stat().st_size]
        journal.append("b", lines("b"), later=True)
        assert len(synced) == 1
        journal.settle()
        assert synced[1:] == [(tmp_path / FILE).stat().st_size]


def test_the_first_damage_is_the_one_that_is_told(tmp_path: Path) -> None:
    """Whatever lies behind it, nothing of that counts."""
    with Journal(tmp_path) as journal:
        for conversation in "abc":
            journal.append(conversation, lines(conversation))
    written = (tmp_path / FILE).read_bytes()
    for whole, name in enumerate("abc"):
        spoilt = written
        for later in "abc"["abc".index(name) :]:
            spoilt = spoilt.replace(
                f'"t":"case","conversation":"{later}"'.encode(), b'"t":"case","conversation":"x"'
            )
        (tmp_path / FILE).write_bytes(spoilt)
        state = survey(tmp_path / FILE)
        assert state.damage == f"line {3 * whole + 3}: what was written up to here has changed"
        assert (state.sums, sorted(state.finished)) == (whole, list("abc"[: whole + 1]))


def test_a_torn_tail_is_cut_at_every_byte(tmp_path: Path) -> None:
    """Wherever writing stopped, what is whole stays and the rest goes."""
    one, two = lines("a"), lines("b")
    for cut in range(len(two)):
        (tmp_path / FILE).write_bytes(one + two[:cut])
        with Journal(tmp_path) as journal:
            assert journal.finished == {"a": 1}
        assert (tmp_path / FILE).read_bytes() == one


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """One process writes; the other is told so, and may come back later."""
    with Journal(tmp_path), pytest.raises(RunBusyError, match="being written by another process"):
        Journal(tmp_path)
    with Journal(tmp_path) as later:
        assert later.finished == {}


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    """The lock holds between processes too."""
    script = f"""
        from pathlib import Path
        from memgauge.errors import RunBusyError
        from memgauge.runs.record.journal import Journal
        try:
            Journal(Path({str(tmp_path)!r}))
        except RunBusyError:
            print("busy")
    """
    with Journal(tmp_path):
        said = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, check=True)
    assert said.stdout == b"busy\n"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The error says which file and what to do."""
    (tmp_path / FILE).mkdir()
    with pytest.raises(
        RunError, match=r"Cannot open .*journal\.jsonl: Is a directory\. Name a file and no folder"
    ):
        Journal(tmp_path)


def test_a_full_disk_keeps_what_was_whole(tmp_path: Path) -> None:
    """A write that fails half-way is cut back, the error says how to go on, and going on works."""
    with Journal(tmp_path) as journal:
        journal.append("a", lines("a"))
        whole = (tmp_path / FILE).read_bytes()
        with (
            full_disk(len(whole) + 50),
            pytest.raises(RunError, match=r"too large\. 1 finished conversations"),
        ):
            journal.append("b", lines("b"))
        assert journal.finished == {"a": 1}
        assert (tmp_path / FILE).read_bytes() == whole
        journal.append("b", lines("b"))
    assert (tmp_path / FILE).read_bytes().startswith(whole + lines("b") + b'{"t":"sum"')


def test_numbers_that_are_no_numbers_are_refused() -> None:
    """NaN has no place in the record; whoever writes one has made a mistake here."""
    with pytest.raises(ValueError, match="Out of range float values"):
        encode([{"ms": float("nan")}])


def test_lines_are_utf8_json() -> None:
    """Text stays readable; separators of lines inside a text do not split a line."""
    assert encode([{"text": "é\n\u2028"}]) == '{"text":"é\\n\u2028"}\n'.encode()


def test_a_change_between_two_sittings_is_found_at_every_byte(tmp_path: Path) -> None:
    """Whatever bit is flipped, the journal is refused, or nothing that it keeps is changed."""
    with Journal(tmp_path) as journal:
        journal.append("a", lines("a", 2), 2)
        journal.append("b", lines("b"))
    raw = (tmp_path / FILE).read_bytes()
    for bit in range(0, 8 * len(raw), 3):
        changed = bytearray(raw)
        changed[bit // 8] ^= 1 << bit % 8
        (tmp_path / FILE).write_bytes(changed)
        kept = survey(tmp_path / FILE)
        if not kept.damage:  # the last sum itself, which is then cut away
            assert bytes(changed[: kept.whole]) == raw[: kept.whole]
            assert kept.finished == {"a": 1, "b": 1}
            continue
        with pytest.raises(RunError, match=r"journal\.jsonl: line \d+: (what was written|this is no end)"):
            Journal(tmp_path)
        assert (tmp_path / FILE).read_bytes() == changed


def test_an_attempt_without_a_sum_is_kept(tmp_path: Path) -> None:
    """Older journals have none, and a kill may come between the two."""
    (tmp_path / FILE).write_bytes(lines("a") + lines("b"))
    with Journal(tmp_path) as journal:
        journal.append("c", lines("c"))
    with Journal(tmp_path) as again:
        assert again.finished == {"a": 1, "b": 1, "c": 1}


def test_a_refused_journal_can_be_opened_after_it_was_mended(tmp_path: Path) -> None:
    """Whoever is refused holds no lock."""
    (tmp_path / FILE).write_bytes(b'{"t":"end"}\n')
    for _ in range(2):
        with pytest.raises(RunError, match="line 1: this is no end of an attempt"):
            Journal(tmp_path)
    (tmp_path / FILE).write_bytes(lines("a"))
    with Journal(tmp_path) as mended:
        assert mended.finished == {"a": 1}
