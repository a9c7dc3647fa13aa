"""A tiny board of the invented world, played once for all tests here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.results import plain
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.manifest import Limits
from memgauge.show.exports import data_text
from memgauge.studies.board.play import BoardPlay
from memgauge.studies.board.published import FILE, data_of, publish
from memgauge.studies.board.samples import place_of
from memgauge.studies.board.spec import BoardSpec

if TYPE_CHECKING:
    from memgauge.studies.board.published import PublishedBoard

SPEC = """
title = "A tiny board"
dataset = "synthetic:tiny"
k = 20
embedders = ["hashed"]
warmed = false
repeated = ["bm25"]
sampled = ["tfidf", "bm25"]

[[sample]]
name = "elsewhere"
dataset = "synthetic:tiny,seed=7"
about = "A piece of another world."

[[contender]]
name = "bm25"
kind = "baseline"
system = "bm25"

[[contender]]
name = "dense"
kind = "baseline"
system = "dense:embedder={embedder}"

[[contender]]
name = "tfidf"
kind = "product"
system = "tfidf"

[[contender]]
name = "gone"
kind = "product"
system = "gone:embedder={embedder}"
embedders = ["hashed"]

[[absent]]
name = "cloud"
why = "It needs a key."
"""


def called(arguments: list[str], _limit_s: float | None) -> str:
    """Do what `memgauge run` does; fail where there is no such system."""
    if arguments[0] != "run" or "gone" in arguments[4]:
        return "there is no system gone"
    said = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    planned = plan([said["-d"]], [said["-s"]], limits=Limits(k=int(said["--k"])))
    execute(planned, Path(said["--out"]), check=False)
    return ""


@pytest.fixture(scope="package")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play the tiny board; its run folders lie in ``runs`` beside it."""
    root = tmp_path_factory.mktemp("board")
    folder = root / "board"
    folder.mkdir()
    (folder / "board.toml").write_text(SPEC, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMGAUGE_CACHE", str(root / "cache"))  # set while a board is played
        list(BoardPlay(folder, root / "runs", BoardSpec.read(folder), call=called).play())
        spec = BoardSpec.read(folder)
        for sample in spec.samples:
            place = place_of(folder, sample)
            list(BoardPlay(place, root / "runs", spec.on(sample), below=sample.name, call=called).play())
            (place / FILE).write_text(data_text(plain(data_of(publish(place, spec.on(sample))))), encoding="utf-8")
    (folder / FILE).write_text(data_text(plain(data_of(publish(folder)))), encoding="utf-8")
    return folder


@pytest.fixture(scope="package")
def published(board: Path) -> PublishedBoard:
    """Compute the tiny board, its bundles verified."""
    return publish(board, check=True)
