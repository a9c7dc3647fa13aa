"""Progress of runs that are being written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.web.library import Library
from memgauge.web.live import Tails

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.web.library import Item

END = b'{"t":"end","conversation":"%s","attempt":1,"failed":%d}\n'


class Clock:
    """A clock that goes on when told."""

    now = 0.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def begun(folder: Path, source: Item) -> Path:
    """Begin a run: the manifest of another, and an empty journal."""
    made = folder / "begun"
    made.mkdir()
    (made / "manifest.json").write_bytes((source.folder / "manifest.json").read_bytes())
    journal = made / "journal.jsonl"
    journal.touch()
    return journal


def test_whole_lines_count_and_a_torn_one_waits(tmp_path: Path, bm25: Item) -> None:
    """A journal is read on from where it was; half a line is nothing yet."""
    journal = begun(tmp_path, bm25)
    tails = Tails(Library((tmp_path,)))
    (before,) = tails.progress()
    assert (before.conversations, before.questions, before.total) == (0, 0, None)
    with journal.open("ab") as file:
        file.write(b'{"t":"question"}\n' * 3 + END % (b"a", 1) + b'{"t":"en')
    (after,) = tails.progress()
    assert (after.conversations, after.questions, after.failed) == (1, 3, 1)
    with journal.open("ab") as file:
        file.write(b'd","conversation":"b","failed":0}\n')
    assert tails.progress()[0].conversations == 2
    assert tails.progress(totals=True)[0].text == "2 of 2 conversations, 3 questions, 1 without a result"


def test_a_later_attempt_replaces_what_failed(tmp_path: Path, bm25: Item) -> None:
    """Failures are those of the last attempt at each conversation."""
    journal = begun(tmp_path, bm25)
    journal.write_bytes(END % (b"a", 4) + END % (b"a", 0))
    (one,) = Tails(Library((tmp_path,))).progress()
    assert (one.conversations, one.failed) == (1, 0)


def test_a_journal_that_is_cut_back_is_read_again(tmp_path: Path, bm25: Item) -> None:
    """After a kill the torn tail goes; what is counted is what is there."""
    journal = begun(tmp_path, bm25)
    tails = Tails(Library((tmp_path,)))
    journal.write_bytes(END % (b"a", 0) + END % (b"b", 0))
    assert tails.progress()[0].conversations == 2
    journal.write_bytes(END % (b"a", 0))
    assert tails.progress()[0].conversations == 1


def test_nonsense_in_a_journal_is_no_progress(tmp_path: Path, bm25: Item) -> None:
    """A line that only looks like an end is passed over, and so is a journal that is not there."""
    journal = begun(tmp_path, bm25)
    journal.write_bytes(b'{"t":"end","no":1}\n{"t":"end" broken\n')
    tails = Tails(Library((tmp_path,)))
    assert tails.progress()[0].conversations == 0
    journal.unlink()
    assert tails.progress()[0].questions == 0


def test_a_new_run_is_found_when_the_folder_is_looked_at_again(tmp_path: Path, bm25: Item) -> None:
    """The folder is looked through at most every two seconds."""
    clock = Clock()
    library = Library((tmp_path,), clock=clock)
    assert library.items() == ()
    begun(tmp_path, bm25)
    assert library.items() == ()
    clock.now = 3.0
    assert [one.sealed for one in library.items()] == [False]


def test_a_manifest_that_cannot_be_read_is_listed_with_the_reason(tmp_path: Path) -> None:
    """A broken run is shown as one and hides no other."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text('{"system": {}}', "utf-8")
    (one,) = Library((tmp_path,)).items()
    assert one.manifest is None
    assert "Field required" in one.problem
    assert not one.finished
    assert Tails(Library((tmp_path,))).progress(totals=True)[0].total is None
