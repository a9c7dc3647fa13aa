"""Runs of the track study for people and programs: tables on a terminal, in Markdown, and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.results import plain
from memgauge.show.numbers import number, plural
from memgauge.show.safety import clean, escape
from memgauge.studies.track.scoring.tables import tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from memgauge.studies.track.scoring.compare import MethodDifference
    from memgauge.studies.track.scoring.method import MethodScores
    from memgauge.studies.track.scoring.scored import ScoredRun
    from memgauge.studies.track.scoring.tables import Cell, ScoreTable

NOTHING = "–"  # noqa: RUF001 - a dash in a cell is no minus
_WHOLE = frozenset({"repeats", "general to specific", "after an interlude", "widening", "of these overdone"})


def tables_of(runs: Sequence[ScoredRun]) -> tuple[ScoreTable, ...]:
    """Return the document's tables over runs, the statistics of their timelines among them."""
    from memgauge.studies.track.timeline.references import ReferenceWords
    from memgauge.studies.track.timeline.statistics import statistics, table
    from memgauge.text.counting import DEFAULT

    counter, scorer = DEFAULT, ReferenceWords()
    timelines = {name: timeline for run in runs for name, timeline in run.timelines.items()}
    columns = table([statistics(timeline, counter, scorer) for timeline in timelines.values()])
    return tables([run.method for run in runs], columns)


def title_of(table: ScoreTable) -> str:
    """Name a table, with the document's number where it has one."""
    return f"Table {table.number}. {table.title}" if table.number else table.title


def cell(value: Cell, head: str = "") -> str:
    """Write one cell; what is undefined is a dash, never 0."""
    if isinstance(value, str):
        return clean(value)
    if value is None:
        return NOTHING
    if head in _WHOLE:
        return f"{value:.0f}"
    return f"{value:,.1f}" if abs(value) >= 100 else number(value)


def headline(run: ScoredRun) -> str:
    """Say in a sentence how a run went, with what its number rests on."""
    one = run.method
    score = one.scores["correctness"]
    around = "" if score.low is None or score.high is None else f" [{score.low:.3f}, {score.high:.3f}]"
    repeats = plural(one.deviation.repeats, "repeat")
    return (
        f"{one.label}: correctness {number(score.mean)}{around} over {plural(one.questions, 'question')} of "
        f"{plural(one.instances, 'instance')} ({_histories(one.histories)}), {repeats}."
    )


def facts(run: ScoredRun) -> Iterator[str]:
    """Say what a reader must know beside the number."""
    one = run.method
    ways = ", ".join(f"{count} {how}" for how, count in sorted(one.ended.items()))
    yield f"How questions ended: {ways}."
    if one.unscored:
        yield f"{plural(one.unscored, 'answer')} unscored: neither rules nor a judge could tell; none counts as 0."
    yield f"Judge: {run.judge}, after rules." if run.judge else "Answers were judged by rules alone."
    if run.missing:
        yield f"{plural(run.missing, 'instance')} of the plan not played yet; the same command goes on."
    if run.identity.get("agent") == "oracle":
        yield "The oracle reads the accepted answers: a ceiling, and no agent."
    if run.identity.get("sandbox") == "none":
        yield "There was no sandbox: the agent could read the answers, and this score proves nothing."
    faults = sum(len(answer.faults) for played in run.played for answer in played.answers)
    if faults:
        yield f"The memory failed {plural(faults, 'time')} when the harness wrote or searched it."


def track_terminal(runs: Sequence[ScoredRun]) -> Iterator[RenderableType]:
    """Yield what is printed about runs."""
    from rich.table import Table as RichTable
    from rich.text import Text

    for run in runs:
        yield Text(headline(run))
        for fact in facts(run):
            yield Text(f"  {fact}")
    for table in tables_of(runs):
        shown = RichTable(
            *table.columns, box=None, title=title_of(table), title_justify="left", title_style="bold"
        )
        for column in shown.columns[1:]:
            column.justify = "right"
        for row in table.rows:
            shown.add_row(*(Text(cell(value, head)) for value, head in zip(row, table.columns, strict=True)))
        yield Text()
        yield shown


def track_markdown(runs: Sequence[ScoredRun]) -> str:
    """Write runs as Markdown."""
    lines = []
    for run in runs:
        lines += [f"{escape(headline(run))}\n", *(f"- {escape(fact)}" for fact in facts(run)), ""]
    for table in tables_of(runs):
        lines += [
            f"### {title_of(table)}\n",
            _row(table.columns),
            _row(["---"] + ["---:"] * (len(table.columns) - 1)),
        ]
        lines += [
            _row([cell(value, head) for value, head in zip(row, table.columns, strict=True)]) for row in table.rows
        ]
        lines += ["", *([f"{escape(table.note)}\n"] if table.note else [])]
    return "\n".join(lines)


def track_json(runs: Sequence[ScoredRun]) -> dict[str, Any]:
    """Return runs as data: methods, instances with every verdict, tables."""
    return {
        "runs": [_run(run) for run in runs],
        "tables": [plain(table) for table in tables_of(runs)],
    }


def _run(run: ScoredRun) -> dict[str, Any]:
    return {
        "folder": run.folder,
        "identity": dict(run.identity),
        "judge": run.judge,
        "missing": run.missing,
        "method": plain(run.method),
        "instances": [{**plain(card), "values": plain(card.values())} for card in run.cards],
    }


def compare_terminal(
    first: MethodScores, second: MethodScores, found: Sequence[MethodDifference]
) -> Iterator[RenderableType]:
    """Yield a paired comparison."""
    from rich.table import Table as RichTable
    from rich.text import Text

    yield Text(f"first:  {clean(first.label)}\nsecond: {clean(second.label)}\n")
    shown = RichTable("measure", "first", "second", "second - first", "95 %", "n", "p", "p, Holm", box=None)
    for one in found:
        shown.add_row(*map(Text, difference_cells(one)))
    yield shown
    yield Text(
        f"\nPaired over instances. Intervals and tests are over {_histories(first.histories)}: "
        "instances that share one are no independent samples."
    )


def difference_cells(one: MethodDifference) -> tuple[str, ...]:
    """Write one difference as cells."""
    around = one.difference
    interval = NOTHING if around.low is None or around.high is None else f"[{around.low:+.3f}, {around.high:+.3f}]"
    return (
        one.measure,
        cell(one.first),
        cell(one.second),
        NOTHING if around.mean is None else f"{around.mean:+.3f}",
        interval,
        str(around.n),
        cell(one.p),
        cell(one.p_adjusted),
    )


def _histories(count: int) -> str:
    return f"{count:,} different {'history' if count == 1 else 'histories'}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(one if set(one) <= set('-:') and one else escape(one) for one in cells)} |"
