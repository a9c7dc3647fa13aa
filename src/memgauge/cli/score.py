"""`memgauge score`, `compare` and `report`."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.choosing import finished
from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import FACTOR, NUMBER
from memgauge.frame.options import Flag, Repeatable, ScoreOptions
from memgauge.frame.output import (
    PLAIN,
    SHOWN,
    SHOWN_UNCHECKED,
    Output,
    Printing,
    UncheckedOutput,
    present,
    told,
)
from memgauge.refusals import naming
from memgauge.show.numbers import in_bytes, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.errors import RunError
    from memgauge.runs.record.store import Run
    from memgauge.scoring.accepted import AcceptedRun
    from memgauge.scoring.leaderboard import Built
    from memgauge.scoring.score import Settings

_DEFAULT = ScoreOptions()
_MISSED = 10
"""Failures that a report tells of each dataset, with their causes."""


def score(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    gate: Annotated[tuple[str, ...], Repeatable] = (),
    output: Output = SHOWN,
) -> int:
    """Score runs under a contract: a board with intervals, ranks, floors and ceilings.

    The scores are also written beside each run, where `memgauge runs verify` recomputes them. `--format md` is for
    a pull request, `--out FILE.xml` for a build server.

    Example: memgauge score -m Recall@2000tok --out board.html

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    gate
        Fail unless a score reaches a value: `label/measure=0.35`; repeat for several.
    """
    from memgauge.report.board import documents
    from memgauge.report.checks import missed, require_gates
    from memgauge.scoring.leaderboard import leaderboards

    gates = dict(_gate(text) for text in gate)
    with working("scoring"):
        built = leaderboards(finished(runs), options.settings(), allow_unpinned=True)
        refused = [error for each in built for error in each.write_scores()]
    note_unwritten(refused)
    boards = [each.board for each in built]
    require_gates(boards, gates)
    failed = any(any(missed(board, gates)) for board in boards)
    return present(documents(boards, gates=gates), output, name="score", code=FAILED if failed else OK)


def compare(
    baseline: Path,
    *others: Path,
    options: ScoreOptions = _DEFAULT,
    factor: str = "system",
    equivalent: Annotated[float | None, FACTOR] = None,
    wild: Annotated[bool, Flag] = False,
    output: UncheckedOutput = SHOWN_UNCHECKED,
) -> int:
    """Say whether runs differ from a baseline, paired by question, with conversations as what was sampled.

    A verdict is the test over conversations after Holm's correction for all measures of all runs compared. "Cannot
    be told apart" is not "equal": that is a claim of its own, within a margin that you name.

    Example: memgauge compare runs/before runs/after

    Parameters
    ----------
    baseline
        The run that the others are compared with, a folder or pattern of runs of which the first of each dataset
        is, or a file of `memgauge runs accept`.
    others
        Runs, folders of them, or patterns: `'runs/*bm25*'`.
    factor
        What may differ: system, stream, limits or seed. Anything else that differs is refused.
    equivalent
        Also test whether the runs are equal within this margin, as in 0.02.
    wild
        Rest verdicts and intervals on the wild cluster bootstrap-t, which assumes less and takes seconds.
    """
    from memgauge.report.compared import documents
    from memgauge.scoring.accepted import read_accepted
    from memgauge.scoring.compare import ComparedPair, baseline_for, compare_all
    from memgauge.scoring.judged_runs import read_gold

    accepted = read_accepted(baseline) if baseline.is_file() else None
    bases, rest = _compared(baseline, others, replaced=accepted is not None)
    gold = read_gold([*bases, *rest], allow_unpinned=True)
    if equivalent is not None and not 0 < equivalent < inf:
        raise ConfigError(
            f"A margin of {equivalent} leaves nothing to be equal within.", "Name one above 0: 0.02."
        )
    beside = [baseline_for(accepted, other, factor) if accepted else _base_of(other, bases) for other in rest]
    pairs = [
        ComparedPair(base, other, gold[other.manifest.dataset.ref], _settings_beside(options, base))
        for base, other in zip(beside, rest, strict=True)
    ]
    made = compare_all(pairs, factor, method="wild" if wild else "cr2", margin=equivalent)
    return present(documents(made), output, name="comparison")


def _compared(baseline: Path, others: Sequence[Path], *, replaced: bool) -> tuple[list[Run], list[Run]]:
    """Open what is compared: of the baseline the first run of each dataset, and all others.

    Where a file has *replaced* the baseline there is no first run.

    Raises:
        ConfigError: That is too few.
    """
    from memgauge.runs.record.store import load

    named = () if replaced else finished((baseline,))  # where it is unfinished, no other run takes its place
    further = finished(others) if others or replaced else ()
    loaded = {folder: load(folder) for folder in dict.fromkeys((*named, *further))}
    firsts = {loaded[folder].manifest.dataset.ref: folder for folder in reversed(named)}
    rest = [run for folder, run in loaded.items() if folder not in firsts.values()]
    if not rest:
        raise ConfigError("A comparison needs two finished runs.", "Name another run folder.")
    return [loaded[folder] for folder in named if folder in firsts.values()], rest


def _base_of(other: Run, bases: Sequence[Run]) -> Run:
    """Return the baseline of the same dataset, or one that *other* is then refused beside."""
    alike = (base for base in bases if base.manifest.dataset.ref == other.manifest.dataset.ref)
    return next(alike, bases[0])


def _settings_beside(options: ScoreOptions, baseline: Run | AcceptedRun) -> Settings:
    """Return what was asked for; where nothing was, what an accepted baseline has."""
    from memgauge.scoring.accepted import AcceptedRun

    if isinstance(baseline, AcceptedRun):
        options = replace(
            options,
            measure=options.measure or baseline.scored.measures,
            contract=options.contract or baseline.scored.contract,
        )
    return options.settings()


def report(
    *runs: Path,
    options: ScoreOptions = _DEFAULT,
    out: Path = Path("report.html"),
    stories: Annotated[int, NUMBER] = 36,
    title: str = "memgauge report",
    shown: Printing = PLAIN,
) -> int:
    """Write one self-contained HTML file about runs.

    Example: memgauge results report --out report.html

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    out
        The file to write.
    stories
        Questions to show in full, the most telling ones first.
    title
        Of the page.
    """
    with working("writing the report"):
        built = write_report(finished(runs), options.settings(), out, stories=stories, title=title)
    size = out.stat().st_size
    data = {"report": str(out), "bytes": size, "boards": [each.board.dataset.ref for each in built]}
    return present(told(data, f"{out} ({in_bytes(size)})"), shown)


def write_report(
    folders: Sequence[Path], settings: Settings, out: Path, *, stories: int, title: str, tried: str = ""
) -> list[Built]:
    """Score *folders*, write the scores beside them and the HTML report to *out*; return what it shows."""
    from memgauge.cli.failures import failed
    from memgauge.report.aside import drawing_beside
    from memgauge.report.board import documents
    from memgauge.report.html import render_html
    from memgauge.scoring.leaderboard import leaderboards
    from memgauge.scoring.stories import stories as tell
    from memgauge.scoring.stories import telling
    from memgauge.version import __version__

    with drawing_beside(folders) as drawing:
        built = leaderboards(folders, settings, allow_unpinned=True)
        whole = documents([each.board for each in built], title=title, tried=tried)
        if drawing is not None:
            drawing.begin(whole.figures)
        stories_of = {}
        refused = []
        for each in built:
            refused += each.write_scores()
            measure = each.settings.parsed[0]
            chosen = telling(each.judged, each.gold, measure, stories)
            stories_of[each.board.dataset.ref] = tell(each.judged, each.gold, measure, chosen)
        missed = failed(built, (), _MISSED)
        if drawing is not None:
            drawing.finish()
    note_unwritten(refused)
    identity = {"memgauge": __version__, "contract": str(settings.contract), "k": str(settings.k)}
    identity |= {judged.run.manifest.id: judged.run.seal.content[:16] for each in built for judged in each.judged}
    out.parent.mkdir(parents=True, exist_ok=True)
    page = render_html(whole, stories_of, identity=identity, failures=missed)
    with naming(out):
        out.write_text(page, encoding="utf-8")
    return built


def note_unwritten(refused: Sequence[RunError]) -> None:
    """Say once of runs that can only be read that their scores were not written beside them."""
    if refused:
        runs = plural(len(refused), "run")
        aside(f"The scores were not written beside {runs}; they are shown all the same. {refused[0].what}")


def _gate(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        least = float(value)
    except ValueError:
        least = None
    if least is None or not equals or not name:
        raise ConfigError(f"Gate {text!r} is not label/measure=value.", "Write bm25/nDCG@10=0.35.")
    return name, least
