"""`memgauge judge`: verdicts of models on answers, and what such verdicts are worth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App

from memgauge.cli.certify import Models, certify, open_panel, stamp_of
from memgauge.cli.console import emit, say, working
from memgauge.cli.exits import OK
from memgauge.cli.models import ModelOptions, say_estimate, spent
from memgauge.cli.options import RUNS, AsData, Flag
from memgauge.cli.writes import writes
from memgauge.errors import ConfigError, IdentityError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers import Layer
    from memgauge.runs.store import Run
    from memgauge.scoring.judged import JudgedEntry
    from memgauge.stats import Interval

app = App("judge", help="Let models judge answers, and certify judges with answers that are known.")
app.command(certify)
app.command(writes)

_MODELS = ModelOptions()
RIGHT = 0.5
"""What a verdict, and the likeness of an answer to the accepted one, must be worth to count as right."""


@app.default
def judge(
    *runs: Path,
    panel: Models = (),
    repeats: int = 1,
    quorum: int = 1,
    answers: str = "",
    rules: Literal["official", "neutral", "consistency"] = "official",
    factor: Literal["system", "answerer"] = "system",
    certificate: Path | None = None,
    models: ModelOptions = _MODELS,
    seed: int = 0,
    categories: Annotated[bool, Flag] = False,
    stages: Annotated[bool, Flag] = False,
    json: AsData = False,
) -> int:
    """Judge the answers of runs, blind and in a shuffled order, and keep every vote as a sealed layer.

    A reply that is not exactly a verdict is invalid: neither right nor wrong.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    panel
        Judge models as `provider:name`; repeat for several. There is no default: a paid judge is a choice.
    repeats
        How often each of them judges everything anew.
    quorum
        Judges that must have said something.
    answers
        Only layers of answers whose name holds this.
    rules
        By what: the benchmark's own way (LongMemEval's tolerances, HaluMem's outcomes, BEAM's points and orders),
        one way for all, or claim by claim against the memories that were shown.
    factor
        What may differ in one table: systems under one answerer and prompt, or answerers too.
    certificate
        A certificate of this panel, as `memgauge judge certify --out` writes it.
    seed
        Of the order.
    categories
        Also print a table by category of question.
    stages
        Also say where wrong answers were lost, the judge included.
    json
        Print data instead of tables.
    """
    from memgauge.runs.layers import layers
    from memgauge.runs.store import find_runs, load

    judges, accesses = open_panel(panel, repeats, quorum, models)
    loaded = [load(folder) for folder in find_runs(runs or (RUNS,))]
    chosen = [
        (run, layer) for run in loaded for layer in layers(run, "answers") if answers in layer.manifest.label
    ]
    if not chosen:
        raise ConfigError("There are no answers to judge.", "Make some with `memgauge answer`.")
    if factor == "system":
        _alike([layer for _, layer in chosen])
    if models.plan:
        estimate = _plan(chosen, judges, accesses, models, rules)
        emit(estimate) if json else say_estimate(estimate)
        return OK
    made = [_judged(*one, judges, accesses, models, rules, seed) for one in chosen]
    prompts = {name: sha256 for verdicts, _ in made for name, sha256 in verdicts.manifest.maker["prompts"].items()}
    stamp = stamp_of(certificate, judges, prompts)
    entries = [entry for _, entry in made]
    lost = [_lost(*one, verdicts) for one, (verdicts, _) in zip(chosen, made, strict=True)] if stages else []
    if json:
        emit(_data(entries, stamp) | ({"stages": lost} if stages else {}))
        return OK
    _print(entries, stamp)
    if categories:
        _print_categories(entries)
    if stages:
        _print_lost(entries, lost)
    return OK


def _lost(run: Run, layer: Layer, verdicts: Layer) -> dict[str, int]:
    """Count the questions that ended at each stage; an answer that holds the accepted one was used."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.records import Contract
    from memgauge.scoring.answered import answer_column
    from memgauge.scoring.attribution import attribute
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.verdicts import verdict_columns

    gold = GoldTable.read(open_dataset(run.manifest.dataset.ref, allow_unpinned=True))
    rows = layer.rows()
    judged = verdict_columns(rows, verdicts.rows(), gold)[0].rows
    matches = [answer_column(rows, gold, Contract(), name).rows for name in ("F1", "Typed")]
    places = {question.id: n for n, question in enumerate(gold.questions) if judged.defined[n]}
    right = {question: bool(judged.values[n] >= RIGHT) for question, n in places.items()}
    used = {
        question: any(m.defined[n] and m.values[n] >= RIGHT for m in matches) for question, n in places.items()
    }
    return {str(stage): n for stage, n in attribute(run, rows, right, gold, used=used).counts.items()}


def _print_lost(entries: Sequence[JudgedEntry], lost: Sequence[dict[str, int]]) -> None:
    from rich.table import Table

    table = Table("stage", *(entry.system for entry in entries), box=None, title="Where answers were lost")
    for stage in lost[0]:
        table.add_row(stage, *(str(one[stage]) for one in lost))
    say(table)


def _judged(
    run: Run,
    layer: Layer,
    judges: Panel,
    accesses: Mapping[str, Access],
    models: ModelOptions,
    rules: str,
    seed: int,
) -> tuple[Layer, JudgedEntry]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.judging import judge_layer
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged import judged_entry

    dataset = open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
    gold = GoldTable.read(dataset)
    gold.require(run)
    with working(f"judging {run.label}") as update:
        verdicts = judge_layer(
            run,
            layer,
            dataset,
            judges,
            rules=rules,
            workers=models.workers,
            seed=seed,
            environment=lambda: spent(accesses.values()),
            on_progress=lambda done, total: update(f"judging {run.label}: {done} of {total}"),
        )
    return verdicts, judged_entry(run, layer, verdicts, gold)


def _plan(
    chosen: Sequence[tuple[Run, Layer]],
    judges: Panel,
    accesses: dict[str, Access],
    models: ModelOptions,
    rules: str,
) -> dict[str, Any]:
    """Say what judging would take; an empty answer takes nothing."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.judging import items_of

    return models.estimate(
        accesses,
        (
            one.request(asked.item)
            for run, layer in chosen
            for asked in items_of(run, layer, open_dataset(run.manifest.dataset.ref, allow_unpinned=True), rules)
            if not asked.silent
            for one in judges.judges
        ),
    )


def _data(entries: Sequence[JudgedEntry], stamp: str) -> dict[str, Any]:
    from memgauge.scoring.noise import judge_noise, over_runs

    noise = {"judges": list(map(asdict, judge_noise(entries))), "runs": list(map(asdict, over_runs(entries)))}
    return {"stamp": stamp, "judged": [asdict(entry) for entry in entries], "noise": noise}


def _alike(answers: Sequence[Layer]) -> None:
    """Refuse to put answers side by side that differ in more than the system.

    Raises:
        IdentityError: They come from several answerers, prompts or contexts.
    """
    labels = {layer.manifest.label: layer.manifest.maker for layer in answers}
    makers = {str(sorted(maker.items(), key=str)) for maker in labels.values()}
    if len(makers) > 1:
        raise IdentityError(
            f"These answers differ in more than the system: {', '.join(sorted(labels))}.",
            "Choose some with --answers, or declare --factor answerer.",
        )


def _print(entries: Sequence[JudgedEntry], stamp: str) -> None:
    from rich.table import Table

    from memgauge.report.words import interval, number
    from memgauge.scoring.noise import judge_noise, over_runs

    names = list(dict.fromkeys(score.measure for entry in entries for score in entry.scores))
    table = Table("system", "answers", *names, "scored", "injections", box=None)
    for entry in entries:
        scores = {score.measure: score for score in entry.scores}
        cells = [
            f"{number(scores[name].value)} {interval(scores[name])}".rstrip() if name in scores else ""
            for name in names
        ]
        counts = "; ".join(dict.fromkeys(str(score.denominator) for score in entry.scores))
        table.add_row(entry.system, entry.answers, *cells, counts, str(entry.injections))
    say(table)
    for entry in entries:
        for judge, grades in entry.by_judge.items():
            say(f"{entry.system}, {judge}: {', '.join(f'{n} {grade}' for grade, n in sorted(grades.items()))}.")
        for flip in entry.flips:
            alike = f"{flip.agreed} of {flip.both} alike, kappa {_kappa(flip.kappa)}"
            alone = f"{flip.only_a} better to the first, {flip.only_b} to the second"
            say(f"{entry.system}, {flip.a} and {flip.b}: {alike}; {alone}.")
    for noise in judge_noise(entries):
        if noise.within is not None:
            between = "" if noise.between is None else f"; between systems {noise.between:.3f}"
            say(f"{noise.judge}, judging {noise.repeats} times: standard deviation {noise.within:.3f}{between}.")
    for runs in over_runs(entries):
        if runs.sd is not None:
            say(f"{runs.system}: mean of {runs.runs} runs {runs.mean:.3f}, standard deviation {runs.sd:.3f}.")
    say(f"Judge: {entries[0].panel}; {stamp}.")


def _print_categories(entries: Sequence[JudgedEntry]) -> None:
    """Print the first score by category, and the mean over categories, each counting once."""
    from statistics import mean

    from rich.table import Table

    from memgauge.report.words import number

    table = Table("category", *(entry.system for entry in entries), box=None, title=entries[0].score.measure)
    for name in sorted({name for entry in entries for name in entry.by_category}):
        scores = [entry.by_category.get(name) for entry in entries]
        table.add_row(
            name, *("" if one is None else f"{number(one.value)} of {one.denominator}" for one in scores)
        )
    means = [[score.value for score in entry.by_category.values() if score.value is not None] for entry in entries]
    table.add_row("mean of categories", *(number(mean(values)) if values else "" for values in means))
    say(table)


def _kappa(value: Interval) -> str:
    if value.mean is None:
        return f"undefined ({value.reason})"
    around = "" if value.low is None or value.high is None else f" [{value.low:.2f}, {value.high:.2f}]"
    return f"{value.mean:.2f}{around}"
