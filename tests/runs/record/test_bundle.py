"""A run as one file."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError, TamperError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.bundle import bundle, compact_bundle, unbundled
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.journal import FILE
from memgauge.runs.record.members import strangers
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import NAMES, Seal
from memgauge.runs.record.store import load
from support.handmade import SAID, planned, two_questions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS = [text.encode() for session in SAID for _, text in session]


def members(path: Path) -> dict[str, bytes]:
    """Read every file of a bundle."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_holds_every_file_and_is_a_run_again(sealed_run: Path, tmp_path: Path) -> None:
    """Scores travel too, and what is unpacked is the same run."""
    (sealed_run / "scores").mkdir()
    (sealed_run / "scores" / "0123456789ab.json").write_text("{}")
    path = bundle(sealed_run, tmp_path / "run.zip")
    assert members(path) == {
        file.relative_to(sealed_run).as_posix(): file.read_bytes()
        for file in sealed_run.rglob("*") if file.is_file()
    }  # fmt: skip
    with unbundled(path) as folder:
        assert load(folder).seal == load(sealed_run).seal


def _beside(folder: Path, names: Sequence[str]) -> None:
    """Write a text into files of these names."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(TEXTS[0])


STRANGERS = (
    "notes.md",
    "layers/notes.md",
    "layers/answers-x-1/notes.md",
    "scores/0123456789ab.json.md",
    "scores/before.json",
    "scores/notes.md",
    "scores/old/0123456789ab.json",
    f"signatures/{'A' * 43}.txt",
    "signatures/notes.txt",
)
"""What somebody lays beside the files of a run, under names that are near to theirs."""


@pytest.mark.parametrize("without_text", [False, True])
def test_what_is_no_file_of_a_run_goes_into_no_bundle(
    sealed_run: Path, tmp_path: Path, without_text: bool
) -> None:
    """In whatever folder it lies: a bundle is a closed list of names, and what was left out can be named."""
    _beside(sealed_run, STRANGERS)
    packed = members(bundle(sealed_run, tmp_path / "run.zip", without_text=without_text))
    assert packed.keys() == {SEAL, *NAMES, *({COST} if (sealed_run / COST).exists() else ())}
    assert strangers(sealed_run) == sorted(STRANGERS)


def test_a_compact_bundle_is_a_closed_list_too(sealed_run: Path, tmp_path: Path) -> None:
    """It is without texts whatever lies in the folder."""
    _beside(sealed_run, STRANGERS)
    packed = members(compact_bundle(sealed_run, tmp_path / "run.zip"))
    assert not [name for name, raw in packed.items() if "notes" in name or TEXTS[0] in raw]


@pytest.mark.parametrize("without_text", [False, True])
def test_equal_runs_make_equal_bundles(sealed_run: Path, tmp_path: Path, without_text: bool) -> None:
    """No time of packing is inside."""
    one = bundle(sealed_run, tmp_path / "one.zip", without_text=without_text)
    for file in sealed_run.iterdir():
        file.touch()
    two = bundle(sealed_run, tmp_path / "two.zip", without_text=without_text)
    assert one.read_bytes() == two.read_bytes()


def test_a_bundle_without_texts_quotes_nothing(sealed_run: Path, tmp_path: Path) -> None:
    """No turn is in any of its files; content, scores and hashes are."""
    (sealed_run / "scores").mkdir()
    (sealed_run / "scores" / "0123456789ab.json").write_text("{}")
    assert any(TEXTS[0] in raw for raw in members(bundle(sealed_run, tmp_path / "with.zip")).values())
    path = bundle(sealed_run, tmp_path / "without.zip", without_text=True)
    found = members(path)
    assert not [text for text in TEXTS if any(text in raw for raw in found.values())]
    assert "scores/0123456789ab.json" in found
    with unbundled(path) as folder:
        run = load(folder)
        assert run.seal.content == Seal.read(sealed_run).content
        assert {text for _, _, text, _ in run.texts()} == {None}
        assert [sha for *_, sha in run.texts()] == [sha for *_, sha in load(sealed_run).texts()]


def test_the_wording_of_failures_is_left_out(tmp_path: Path) -> None:
    """An error message can quote a conversation; its kind cannot."""
    (folder,) = execute(
        planned(two_questions(), "support.systems:Failing"), tmp_path, executor=Inline(), check=False
    )
    path = bundle(folder, tmp_path / "without.zip", without_text=True)
    rows = [json.loads(line) for line in members(path)[FILE].splitlines()]
    assert {row["reason"] for row in rows if row["t"] == "question"} == {"search raised LookupError"}


def test_what_a_system_says_about_its_answers_is_left_out(tmp_path: Path) -> None:
    """Notes and channels are the system's own words; without them the content is still the same."""
    (folder,) = execute(
        planned(two_questions(), "support.systems:Talkative"), tmp_path, executor=Inline(), check=False
    )
    path = bundle(folder, tmp_path / "without.zip", without_text=True)
    assert not any(b"overheard" in raw for raw in members(path).values())
    assert any(b"overheard" in raw for raw in members(bundle(folder, tmp_path / "with.zip")).values())
    with unbundled(path) as unpacked:
        assert load(unpacked).seal.content == load(folder).seal.content


def test_an_unfinished_run_is_not_bundled(sealed_run: Path, tmp_path: Path) -> None:
    """The error says how to finish it."""
    (sealed_run / SEAL).unlink()
    with pytest.raises(RunError, match="unfinished"):
        bundle(sealed_run, tmp_path / "run.zip")
    assert not (tmp_path / "run.zip").exists()


def test_a_run_that_changed_is_not_stripped(sealed_run: Path, tmp_path: Path) -> None:
    """Neither a changed journal nor a seal of other content gets a new seal."""
    raw = (sealed_run / FILE).read_bytes()
    (sealed_run / FILE).write_bytes(raw + b"x")
    with pytest.raises(TamperError, match="changed after it was sealed"):
        bundle(sealed_run, tmp_path / "run.zip", without_text=True)
    (sealed_run / FILE).write_bytes(raw)
    other = Seal(Seal.read(sealed_run).files, "0" * 64)
    (sealed_run / SEAL).write_text(other.text)
    with pytest.raises(TamperError, match="changed after it was sealed"):
        bundle(sealed_run, tmp_path / "run.zip", without_text=True)


def test_a_target_that_cannot_be_written_is_named(sealed_run: Path, tmp_path: Path) -> None:
    """The error says which file; a folder in its place is not touched."""
    (tmp_path / "taken").mkdir()
    with pytest.raises(RunError, match=r"Cannot write .*taken: Is a directory\. Name a file and no folder"):
        bundle(sealed_run, tmp_path / "taken")
    assert (tmp_path / "taken").is_dir()
    with pytest.raises(RunError, match="No such file or directory"):
        bundle(sealed_run, tmp_path / "nowhere" / "run.zip")


def test_a_folder_is_its_own_unpacked_run(sealed_run: Path, tmp_path: Path) -> None:
    """What is no bundle is handed on, for others to judge."""
    with unbundled(sealed_run) as folder:
        assert folder == sealed_run
    with unbundled(tmp_path / "nowhere") as folder:
        assert folder == tmp_path / "nowhere"


def test_a_broken_bundle_is_refused(sealed_run: Path, tmp_path: Path) -> None:
    """A file that is no zip, and a zip whose bytes have suffered, are named."""
    path = tmp_path / "run.zip"
    path.write_text("text")
    with pytest.raises(RunError, match="is not a bundle"), unbundled(path):
        pass
    raw = bytearray(bundle(sealed_run, path).read_bytes())
    raw[300:340] = bytes(40)
    path.write_bytes(raw)
    with pytest.raises(RunError, match="is not a bundle"), unbundled(path):
        pass
