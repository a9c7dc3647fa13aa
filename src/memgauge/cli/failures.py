"""`memgauge failures`: which questions a memory failed, and where their evidence was lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from memgauge.frame.numbers import COUNT
from memgauge.frame.options import Flag, Repeatable, ScoreOptions
from memgauge.frame.output import SHOWN_UNCHECKED, UncheckedOutput, present
from memgauge.frame.threads import load_numpy_without_threads
from memgauge.registry import require_known, unknown_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.scoring.failures import FailureFilter, FailureList
    from memgauge.scoring.judged_runs import JudgedRuns

_DEFAULT = ScoreOptions()


def failures(
    *runs: Path,
    of: Annotated[tuple[str, ...], Repeatable] = (),
    cause: Annotated[tuple[str, ...], Repeatable] = (),
    category: Annotated[tuple[str, ...], Repeatable] = (),
    partly: Annotated[bool, Flag] = False,
    limit: Annotated[int, COUNT] = 10,
    options: ScoreOptions = _DEFAULT,
    output: UncheckedOutput = SHOWN_UNCHECKED,
) -> int:
    """Print the most telling questions that memories failed, and where their evidence was lost.

    Failed is a question for which nothing came back that counts. First come those that another system answers.
    Why is read from the frozen runs; nothing is asked again.

    Example: memgauge failures --of bm25 --limit 20

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    of
        Only failures of the system with this label, or as it was named to `run -s`; repeat for several.
    cause
        Only failures of this cause (`"never stored"`), or of one whose name holds it; repeat for several.
    category
        Only failures of this category of questions; repeat for several.
    partly
        Count as failed, too, what another system answers better.
    limit
        How many are told of each dataset.
    """
    load_numpy_without_threads()
    from memgauge.frame.choosing import finished
    from memgauge.frame.console import working
    from memgauge.report.failures import document
    from memgauge.scoring.judged_runs import judged_runs

    with working("looking for failures"):
        judged = judged_runs(finished(runs), options.settings(), allow_unpinned=True)
        listed = failed(judged, of, limit, chosen_of(judged, cause, category, partly=partly))
    return present(document(listed), replace(output, tables=True), name="failures")


def chosen_of(
    runs: Sequence[JudgedRuns], causes: Sequence[str], categories: Sequence[str], *, partly: bool = False
) -> FailureFilter:
    """Read which failures are listed.

    Raises:
        UnknownNameError: A cause, or a category that no board asks.
    """
    from memgauge.scoring.causes import FailureCause
    from memgauge.scoring.failures import FailureFilter

    named = set[str]()
    for text in causes:
        fitting = {str(each) for each in FailureCause if text.casefold() in each}
        if not fitting:
            raise unknown_name("cause", text, list(FailureCause))
        named |= {text.casefold()} if text.casefold() in fitting else fitting
    known = {question.category for each in runs for question in each.gold.questions}
    require_known("category", categories, known)
    return FailureFilter(frozenset(named), frozenset(categories), partly)


def failed(
    runs: Sequence[JudgedRuns], systems: Sequence[str], limit: int, chosen: FailureFilter | None = None
) -> list[FailureList]:
    """List failures of runs, of *systems* where some are named, by label or reference.

    Raises:
        UnknownNameError: No board has a system of that label, or one that was named so.
    """
    from memgauge.scoring.failures import FailureFilter
    from memgauge.scoring.failures import failures as failures_of

    played = [judged.run for each in runs for judged in each.judged]
    labels = {run.label for run in played}
    require_known("system", systems, labels | {run.manifest.system.ref for run in played})
    named = labels.intersection(systems) | {run.label for run in played if run.manifest.system.ref in systems}
    return [
        failures_of(
            each.judged,
            each.gold,
            each.settings.parsed[0],
            limit=limit,
            systems=sorted(named),
            chosen=chosen or FailureFilter(),
        )
        for each in runs
    ]
