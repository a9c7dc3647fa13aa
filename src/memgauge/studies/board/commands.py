"""`memgauge study board`: play the published board, and write its page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App

from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import DURATION
from memgauge.frame.options import RUNS, Flag, Repeatable
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told
from memgauge.studies.board import PLACE

app = App("board", help="The published board: play its lanes, and write its page from the bundles alone.")


@app.command
def play(
    folder: Path = PLACE,
    *,
    lane: Annotated[tuple[str, ...], Repeatable] = (),
    sample: Annotated[tuple[str, ...], Repeatable] = (),
    runs: Path = RUNS / "board",
    limit: Annotated[float | None, DURATION] = None,
    shown: Printing = PLAIN,
) -> int:
    """Play every lane that has no bundle yet, one after the other, and pack each without texts.

    What was begun goes on where it was. Every text is embedded once before any clock runs.

    Example: memgauge study board play --lane bm25 --lane mem0-minilm

    Parameters
    ----------
    folder
        With `board.toml`; bundles, and notes of how they were made, go there.
    lane
        Key of a lane; all when none is named. A lane that is sampled is played on the samples too.
    sample
        Play this sample alone; the board and all of its samples when none is named.
    runs
        Folder of the run folders, with texts: it stays here.
    limit
        Seconds that one lane may take at a sitting.
    """
    from memgauge.studies.board.play import BoardPlay
    from memgauge.studies.board.samples import place_of
    from memgauge.studies.board.spec import BoardSpec

    spec = BoardSpec.read(folder)
    checked = set[str]()
    boards = [] if sample else [BoardPlay(folder, runs, spec, aside, checked=checked)]
    boards += [
        BoardPlay(
            place_of(folder, board_sample),
            runs,
            spec.on(board_sample),
            aside,
            below=board_sample.name,
            checked=checked,
        )
        for board_sample in spec.samples
        if not sample or board_sample.name in sample
    ]
    played = [note for board in boards for note in board.play(lane, limit_s=limit)]
    failures = [note for note in played if note.problem]
    lines = [f"{note.key}: {note.problem or f'{note.seconds:,.0f} s'}" for note in played]
    data = [note.model_dump() for note in played]
    body = told(data, *lines, "Next: memgauge study board page")
    return present(body, shown, name="board", code=FAILED if failures else OK)


@app.command
def page(
    folder: Path = PLACE,
    *,
    write: Annotated[bool, Flag] = False,
    as_page: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Say what the board says, from its bundles and the dataset at hand alone.

    Example: memgauge study board page --out board.html

    Parameters
    ----------
    folder
        With `board.toml` and bundles.
    write
        Also write `results.json` there, which `memgauge reproduce board` compares with.
    as_page
        Markdown file of the documentation to write.
    """
    from memgauge.studies.board.published import FILE, data_of, publish
    from memgauge.studies.board.show import document
    from memgauge.studies.checkout import publish_page

    with working("reading the bundles"):
        published_board = publish(folder)
    body = document(published_board)
    publish_page(body, data_of(published_board), results=folder / FILE if write else None, page=as_page)
    return present(body, output, name="board")


@app.command
def samples(
    folder: Path = PLACE,
    *,
    write: Annotated[bool, Flag] = False,
    as_page: Path | None = None,
    output: Output = SHOWN,
) -> int:
    """Say what lanes found in samples of other benchmarks, from their bundles and the data at hand alone.

    Example: memgauge study board samples --out samples.html

    Parameters
    ----------
    folder
        Of the board; bundles of samples lie below it.
    write
        Also write `results.json` beside the bundles of each, which `memgauge reproduce samples` compares with.
    as_page
        Markdown file of the documentation to write.
    """
    from memgauge.studies.board.published import FILE, data_of
    from memgauge.studies.board.samples import place_of, publish_samples
    from memgauge.studies.board.show_samples import document
    from memgauge.studies.board.spec import BoardSpec
    from memgauge.studies.checkout import publish_page

    with working("reading the bundles"):
        all_samples = publish_samples(folder, BoardSpec.read(folder))
    for published_sample in all_samples:
        results = place_of(folder, published_sample.spec) / FILE if write else None
        publish_page(document([published_sample]), data_of(published_sample.published), results=results, page=None)
    body = document(all_samples)
    publish_page(body, None, results=None, page=as_page)
    return present(body, output, name="samples")
