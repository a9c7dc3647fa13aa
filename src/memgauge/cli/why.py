"""`memgauge runs why`: why one search did, or did not, return what was expected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.errors import ConfigError
from memgauge.frame.numbers import HITS
from memgauge.frame.options import Repeatable, ScoreOptions, SystemRef
from memgauge.frame.output import SHOWN, Output, present

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.why.explaining import ExplainedSearch

_DEFAULT = ScoreOptions()


def why(
    run: Path,
    question: str,
    /,
    *,
    memory: Annotated[tuple[str, ...], Repeatable] = (),
    turn: Annotated[tuple[str, ...], Repeatable] = (),
    system: SystemRef = "",
    depth: Annotated[int, HITS] = 1000,
    embedder: str = "minilm",
    options: ScoreOptions = _DEFAULT,
    output: Output = SHOWN,
) -> int:
    """Say why one search did, or did not, return what was expected.

    What was stored by then, in which version and scope; what outranked it, with which words of the question; where
    the list was cut. All of it is read from the frozen record. With a system, the writes until then are played
    again, and it is asked for more.

    Example: memgauge runs why runs/before u000000_q01

    Parameters
    ----------
    run
        A run folder or a pattern, or a folder of traffic that `memgauge runs import` made.
    question
        The id of the question; of traffic that of a search: its trace and its span (`TRACE/SPAN`).
    memory
        The memory that should have come back; repeat for several. Otherwise the evidence that the data names.
    turn
        The turn that should have come back; repeat for several.
    system
        What is asked again: a name with parameters (`bm25:k1=1.2`), `module:factory`, or a TOML file.
    depth
        How many memories it is asked for.
    embedder
        What compares vectors, where it is at hand: `minilm`, `hashed` (a stand-in that sees words alone), or
        another; `none` compares none.
    """
    from memgauge.scoring.why.telling import document

    if memory and turn:
        raise ConfigError("Both --memory and --turn are named.", "Name what was expected in one of the two ways.")
    explained = _explained(run, question, memory, turn, options)
    if system:
        explained = _asked_again(explained, system, depth)
    compared = explained.compared("" if embedder == "none" else embedder)
    return present(document(compared), replace(output, tables=True), name="why")


def _explained(
    path: Path, question: str, memories: Sequence[str], turns: Sequence[str], options: ScoreOptions
) -> ExplainedSearch:
    """Explain a search of the run or of the traffic at *path*, as the record shows it."""
    from memgauge.frame.choosing import finished
    from memgauge.frame.searches import run_with, search_of_run, search_of_traffic, traffic_at, traffic_of
    from memgauge.runs.record.store import load

    settings = options.settings()
    named = settings.parsed[0] if options.measure else None
    if (traffic := traffic_at(path)) is not None:
        return search_of_traffic(traffic, question, memories, turns, named)
    run = run_with([load(folder) for folder in finished((path,))], question)
    if (traffic := traffic_of(run)) is not None:
        return search_of_traffic(traffic, question, memories, turns, named)
    return search_of_run(run, settings, question, memories, turns)


def _asked_again(explained: ExplainedSearch, system: str, depth: int) -> ExplainedSearch:
    """Ask a system for more, after the writes of the run, or what was live in the traffic."""
    from memgauge.frame.searches import data_of, traffic_at
    from memgauge.runs.record.store import load
    from memgauge.scoring.why.deeper import asked_of_run, asked_of_traffic

    moment, place = explained.moment, Path(explained.moment.recorded)
    if traffic_at(place) is not None:
        return replace(explained, deep=asked_of_traffic(moment, system, depth))
    run = load(place)
    case = next(case for case in data_of(run).cases() if case.conversation.id == moment.scope)
    return replace(explained, deep=asked_of_run(run.manifest, case, moment, system, depth))
