"""`memgauge score`, `compare` and `report`."""

from __future__ import annotations

from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.console import aside, emit, output, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.options import RUNS, AsData, Flag, Repeatable, ScoreOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.board import Board
    from memgauge.scoring.compare import Comparison
    from memgauge.scoring.score import Settings

_DEFAULT = ScoreOptions()


def score(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    gate: Annotated[tuple[str, ...], Repeatable] = (),
    markdown: Annotated[bool, Flag] = False,
    junit: Path | None = None,
    json: AsData = False,
) -> int:
    """Score runs under a contract: a board with intervals, ranks, floors and ceilings.

    The scores are also written beside each run, where `memgauge verify` recomputes them.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    gate
        Fail unless a score reaches a value: `label/measure=0.35`; repeat for several.
    markdown
        Print a Markdown table, for a pull request.
    junit
        Also write a JUnit file, for a build server.
    json
        Print data instead of a table.
    """
    from memgauge.scoring.leaderboard import leaderboards

    gates = dict(_gate(text) for text in gate)
    with working("scoring"):
        built = leaderboards(finished(runs), options.settings(), allow_unpinned=True)
        for each in built:
            each.write_scores()
    boards = [each.board for each in built]
    missed = _missed(boards, gates)
    if junit is not None:
        from memgauge.report.junit import render_junit

        junit.write_text(render_junit(boards, gates=gates), encoding="utf-8")
    _print_boards(boards, markdown=markdown, json=json)
    for line in missed:
        if not json:
            say(line)
    return FAILED if missed else OK


def compare(
    baseline: Path,
    *others: Path,
    options: ScoreOptions = _DEFAULT,
    factor: str = "system",
    equivalent: float | None = None,
    wild: Annotated[bool, Flag] = False,
    json: AsData = False,
) -> int:
    """Say whether runs differ from a baseline, paired by question, with conversations as what was sampled.

    A verdict is the test over conversations after Holm's correction for the measures compared. "Not told apart" is
    not "equal": that is a claim of its own, within a margin that you name.

    Parameters
    ----------
    baseline
        The run that the others are compared with, or a folder of runs whose first one is.
    others
        Runs, or folders of them.
    factor
        What may differ: system, stream, limits or seed. Anything else that differs is refused.
    equivalent
        Also test whether the runs are equal within this margin, as in 0.02.
    wild
        Rest verdicts and intervals on the wild cluster bootstrap-t, which assumes less and takes seconds.
    json
        Print data instead of tables.
    """
    from memgauge.runs.store import find_runs, load
    from memgauge.scoring.compare import compare as compare_runs
    from memgauge.scoring.leaderboard import read_gold

    loaded = [load(folder) for folder in find_runs((baseline, *others))]
    if len(loaded) < 2:
        raise ConfigError("A comparison needs two runs.", "Name another run folder.")
    gold = read_gold(loaded, allow_unpinned=True)
    first, rest = loaded[0], loaded[1:]
    settings = options.settings()
    _require_margin(equivalent)
    made = [
        compare_runs(
            first,
            other,
            gold[other.manifest.dataset.ref],
            settings,
            factor,
            method="wild" if wild else "cr2",
            margin=equivalent,
        )
        for other in rest
    ]
    if json:
        emit([asdict(each) for each in made])
        return OK
    for each in made:
        _print_comparison(each)
    return OK


def _require_margin(margin: float | None) -> None:
    if margin is not None and not 0 < margin < inf:
        raise ConfigError(f"A margin of {margin} leaves nothing to be equal within.", "Name one above 0: 0.02.")


def report(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    out: Path = Path("report.html"),
    stories: int = 200,
    title: str = "memgauge report",
    json: AsData = False,
) -> int:
    """Write one self-contained HTML file about runs.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    out
        The file to write.
    stories
        Questions to show in full, the most telling ones first.
    title
        Of the page.
    json
        Print where the report is as data.
    """
    with working("writing the report"):
        boards = write_report(finished(runs), options.settings(), out, stories=stories, title=title)
    size = out.stat().st_size
    if json:
        emit({"report": str(out), "bytes": size, "boards": [board.dataset.ref for board in boards]})
    else:
        say(f"{out} ({size / 1e6:.1f} MB)")
    return OK


def finished(paths: Sequence[Path]) -> list[Path]:
    """Find the finished runs at or below *paths*, and say which others were left out."""
    from memgauge.runs.store import finished_runs

    found, left = finished_runs(paths or (RUNS,))
    for path in left:
        aside(f"{path} is unfinished and left out; the command that began it goes on with it.")
    if not found:
        raise ConfigError("None of these runs is finished.", "The command that began one goes on with it.")
    return found


def write_report(
    folders: Sequence[Path], settings: Settings, out: Path, *, stories: int, title: str
) -> list[Board]:
    """Score *folders*, write the scores beside them and the HTML report to *out*; return its boards."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.report.html import render_html
    from memgauge.scoring.leaderboard import leaderboards
    from memgauge.scoring.stories import stories as tell
    from memgauge.scoring.stories import telling
    from memgauge.version import __version__

    built = leaderboards(folders, settings, allow_unpinned=True)
    told = {}
    for each in built:
        each.write_scores()
        chosen = telling(each.judged, each.gold, each.settings.parsed[0], stories)
        dataset = open_dataset(each.board.dataset.ref, allow_unpinned=True)
        told[each.board.dataset.ref] = tell(each.judged, dataset, each.gold, each.settings.parsed[0], chosen)
    boards = [each.board for each in built]
    identity = {"memgauge": __version__, "contract": str(settings.contract), "k": str(settings.k)}
    identity |= {judged.run.manifest.id: judged.run.seal.content[:16] for each in built for judged in each.judged}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(render_html(boards, told, title=title, identity=identity), encoding="utf-8")
    return boards


def _gate(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        return name, float(value) if equals else float("nan")
    except ValueError:
        raise ConfigError(f"Gate {text!r} is not label/measure=value.", "Write bm25/nDCG@10=0.35.") from None


def _missed(boards: Sequence[Board], gates: dict[str, float]) -> list[str]:
    """Name every gate that is not reached."""
    if not gates:
        return []
    from memgauge.report.junit import render_junit
    from memgauge.show.numbers import number

    render_junit(boards, gates=gates)  # refuses gates on scores that no board has
    reached = (
        (board.dataset.ref, f"{entry.label}/{measure}", found.value)
        for board in boards
        for entry in board.entries
        for measure, found in entry.scores.items()
    )
    return [
        f"Gate missed on {dataset}: {name} is {number(value)}, not {gates[name]}."
        for dataset, name, value in reached
        if name in gates and (value is None or value < gates[name])
    ]


def _print_boards(boards: Sequence[Board], *, markdown: bool, json: bool) -> None:
    if json:
        from memgauge.report.data import board_json

        emit([board_json(board) for board in boards])
    elif markdown:
        from memgauge.report.markdown import render_markdown

        output().print(render_markdown(boards), markup=False, soft_wrap=True, end="")
    else:
        from memgauge.report.terminal import board_table

        for board in boards:
            say(board_table(board))


def _print_comparison(made: Comparison) -> None:
    from rich.table import Table

    from memgauge.report.compared import around, notes, p_value

    say(f"{made.b} beside {made.a} ({made.contract})")
    wild = any(d.p_wild is not None for d in made.differences)
    heads = ["measure", made.a, made.b, "difference", "95 % interval"]
    table = Table(*heads, *(["p (CR2)", "p (wild)"] if wild else []), "p (Holm)", "verdict", box=None)
    for d in made.differences:
        checked = [p_value(d.p), p_value(d.p_wild)] if wild else []
        means = (f"{d.a:.3f}", f"{d.b:.3f}", f"{d.difference:+.3f}")
        ends = around(d.low, d.high) or "undefined"
        table.add_row(d.measure, *means, ends, *checked, p_value(d.p_adjusted), d.verdict)
    say(table)
    say(f"{made.differences[0].n} shared questions ({made.unpaired} scored on one side only).")
    for note in notes(made):
        say(note)
    say("")
