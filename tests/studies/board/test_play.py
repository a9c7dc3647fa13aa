"""Playing a board: a bundle and a note for every lane, and nothing twice."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING

from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.record.bundle import unbundled
from memgauge.studies.board.notes import WARMED, read_note
from memgauge.studies.board.play import BoardPlay
from memgauge.studies.board.spec import BoardSpec
from memgauge.text.heard import as_heard
from support.board import sequences

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_lane_has_a_bundle_and_a_note(board: Path) -> None:
    """The note has the command as a user types it, the machine, the day and the seconds; what failed says why."""
    assert {path.stem for path in board.glob("*.zip")} == {"bm25", "bm25.repeat", "dense-hashed", "tfidf"}
    note = read_note(board, "dense-hashed")
    assert note is not None
    assert note.command == "memgauge run -d synthetic:tiny -s dense:embedder=hashed --k 20"
    assert note.machine.cores >= 1
    failed = read_note(board, "gone-hashed")
    assert failed is not None
    assert failed.problem == "there is no system gone"


def test_what_has_a_bundle_is_not_played_again(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the lane that failed is tried again, with the seconds of both sittings."""
    monkeypatch.setenv("MEMGAUGE_CACHE", "elsewhere")
    asked: list[str] = []

    def refuse(arguments: list[str], _limit: float | None) -> str:
        asked.append(arguments[-3] if arguments[0] == "run" else "")
        return "there is no system gone"

    (note,) = BoardPlay(board, board.parent / "runs", BoardSpec.read(board), call=refuse).play()
    assert note.key == "gone-hashed"
    assert len(asked) == 2  # a check and a run


def test_bundles_quote_no_eight_words_of_the_dataset(board: Path) -> None:
    """Not in any member, and not in what a bundle becomes where it is opened."""
    quoted = sequences(open_dataset("synthetic:tiny"))
    assert quoted
    for path in board.glob("*.zip"):
        with zipfile.ZipFile(path) as archive, unbundled(path) as folder:
            texts = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
            texts += [file.read_text("utf-8", "replace") for file in folder.rglob("*") if file.is_file()]
        assert not [text for text in texts if quoted & sequences(text)]
    assert not quoted & sequences((board / "results.json").read_text("utf-8"))


def test_a_note_says_when_it_is_none(board: Path) -> None:
    """What lies beside bundles is read as it was written."""
    assert json.loads((board / "bm25.json").read_text("utf-8"))["key"] == "bm25"
    assert read_note(board, "nobody") is None


def test_every_text_is_embedded_before_lanes_and_what_took_time_stays_counted(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the lanes are handed it, and questions too; a second time adds nothing."""
    monkeypatch.setenv("MEMGAUGE_CACHE", str(tmp_path / "cache"))
    text = (board / "board.toml").read_text("utf-8").replace("warmed = false", "warmed = true")
    (tmp_path / "board.toml").write_text(text, "utf-8")
    spec = BoardSpec.read(tmp_path)
    for _ in range(2):
        list(BoardPlay(tmp_path, tmp_path / "runs", spec, call=lambda *_: "no").play(("dense-hashed",)))
    made = json.loads((tmp_path / WARMED).read_text("utf-8"))["hashed"]
    dataset = list(open_dataset("synthetic:tiny").cases())
    turns = {as_heard(turn.text, turn.speaker, turn.at) for case in dataset for turn in case.conversation.turns()}
    questions = {question.text for case in dataset for question in case.questions}
    assert made["texts"] == len(turns) + len(questions)
    assert made["seconds"] > 0
