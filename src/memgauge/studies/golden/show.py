"""What a run of the golden suite says: its document."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from memgauge.records import Verdict
from memgauge.show import Code, Document, Figure, Fold, Note, Notes, Prose, Section, Step, Steps, Tone
from memgauge.show.numbers import plural
from memgauge.show.safety import name_line, visible
from memgauge.studies.golden.charts import layers_chart, series_chart, verdicts_chart
from memgauge.studies.golden.checks import checks, suite_facts
from memgauge.studies.golden.kinds import GOLDEN
from memgauge.studies.golden.tables import family_table, past_table
from memgauge.studies.golden.words import (
    drift_lines,
    ended,
    facts,
    headline,
    suites,
    unsupported,
    where,
    witnesses,
)
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.show import Block
    from memgauge.studies.golden.drift import Drift
    from memgauge.studies.golden.outcome import GoldenOutcome
    from memgauge.studies.golden.past import PastRun
    from memgauge.studies.golden.summary import GoldenReport, PlayedScenario

_STEP = re.compile(r"step (\d+)")
_SERIES = "Dots: runs. Line: EWMA since the baseline. Dashed: its lower limit."


def document(outcome: GoldenOutcome) -> Document:
    """Say everything that a run holds."""
    report = outcome.report
    return Document(
        title=f"Golden suite: {name_line(report.system.name)}",
        lead=headline(report),
        facts=(*facts(report), suites(report)),
        blocks=(
            family_table(report),
            *_failures(report),
            *_unsupported(report),
            *_programs(report),
            *_over_time(outcome),
            _passed(report),
        ),
        origin="one run of the suite",
        identity=_identity(outcome),
        data=GOLDEN.of(outcome),
        checks=tuple(checks(report)),
        suites=suite_facts(report),
    )


def _identity(outcome: GoldenOutcome) -> dict[str, str]:
    report = outcome.report
    memory = f"{report.system.name} {report.system.version}, {report.system.ref}"
    history = (
        {"history": plural(len(outcome.past), "run"), "build": outcome.past[-1].build} if outcome.past else {}
    )
    return {
        "memory": visible(memory),
        "fingerprint": report.system.fingerprint,
        **{visible(str(suite)): suite.sha256 for suite in report.suites},
        "seed": visible(report.seed),
        **{name: visible(text) for name, text in history.items() if text},
        "memgauge": __version__,
    }


def _failures(report: GoldenReport) -> Iterator[Section]:
    wrong = [played for played in report.played if played.unexpected and not _is_unsupported(played)]
    blocks: list[Block] = []
    if report.broken:
        problems = tuple(Note(visible(problem), "not readable", Tone.WARN) for problem in report.broken)
        blocks += [Prose("These could not be read, and count as failures:"), Notes(problems)]
    blocks += [_story(played, f"case-{place}", Fold.FOLDED) for place, played in enumerate(wrong)]
    if blocks:
        yield Section("failures", "What did not pass", tuple(blocks))


def _unsupported(report: GoldenReport) -> Iterator[Section]:
    idle = [played for played in report.played if _is_unsupported(played)]
    if idle:
        lines = tuple(Note(f"{why}: {', '.join(names)}.") for why, names in unsupported(report))
        stories = (_story(played, f"idle-{place}", Fold.CLOSED) for place, played in enumerate(idle))
        yield Section("unsupported", "What the memory does not support", (Notes(lines), *stories))


def _is_unsupported(played: PlayedScenario) -> bool:
    return played.result.verdict == Verdict.UNSUPPORTED


def _story(played: PlayedScenario, key: str, fold: Fold) -> Section:
    """Tell one scenario: what was wrong, and its steps, of which those stand out that a witness names."""
    words = witnesses(played)
    named = {int(step) for text in words for step in _STEP.findall(text)}
    named |= {finding.step for finding in played.result.findings}
    steps = tuple(
        Step(visible(text), str(place), ("witness",) if place in named else (), stands_out=place in named)
        for place, text in enumerate(played.story, 1)
    )
    return Section(
        key,
        visible(played.result.scenario),
        (*map(Prose, words), *((Steps(steps),) if steps else ()), Prose(where(played), Tone.SOFT)),
        fold,
        (Note(ended(played), tone=Tone.WARN),),
        visible(played.title),
    )


def _programs(report: GoldenReport) -> Iterator[Section]:
    programs = tuple(
        Section(
            f"program-{place}",
            f"{made.anomaly} in {plural(made.steps, 'step')}, of {visible(made.scenario)}",
            (Code(visible(made.text).rstrip(), brief=True),),
            Fold.FOLDED,
        )
        for place, made in enumerate(report.verdict.programs)
    )
    if programs:
        yield Section("programs", "The smallest program for each anomaly", programs)


def _over_time(outcome: GoldenOutcome) -> Iterator[Section]:
    if outcome.drift is not None:
        lines = tuple(Note(visible(line)) for line in drift_lines(outcome.drift))
        figures = past_figures(outcome.past, outcome.drift, "golden")
        table = past_table({outcome.report.system.ref: outcome.past}, brief=False)
        yield Section("history", "Over time", (Notes(lines), *figures, table))


def past_figures(runs: Sequence[PastRun], drift: Drift, key: str, name: str = "") -> Iterator[Figure]:
    """Yield a figure of *runs* of one memory, oldest first, for every metric that has at least two.

    Their keys begin with *key*; *name* is that of the memory, where a page shows several.
    """
    if len(runs) < 2:
        return
    before = f"{name}: " if name else ""
    caption = "Cases by how they ended, run by run."
    yield Figure(f"{key}-verdicts", f"{before}how cases end", caption, partial(verdicts_chart, runs))
    caption = "Share of cases that pass at each layer."
    yield Figure(f"{key}-layers", f"{before}share that passes, by layer", caption, partial(layers_chart, runs))
    for place, series in enumerate(drift.series):
        if len(series.points) > 1:
            title = f"{before}share that passes, {visible(series.family) or 'all families'}"
            yield Figure(f"{key}-series-{place}", title, _SERIES, partial(series_chart, series))


def _passed(report: GoldenReport) -> Section:
    names = [_named(played) for played in report.played if not played.unexpected]
    return Section("passed", "What passed", (Prose(", ".join(names) or "nothing"),))


def _named(played: PlayedScenario) -> str:
    known = "" if played.result.verdict == Verdict.PASS else f" ({played.result.verdict})"
    return f"{visible(played.result.scenario)}{known}"
