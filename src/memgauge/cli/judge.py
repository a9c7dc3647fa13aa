"""`memgauge models judge`: verdicts of models on answers, and what such verdicts are worth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from memgauge.cli.certify import open_certificate, untested_prompts
from memgauge.errors import ConfigError, IdentityError
from memgauge.frame.choosing import finished
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent, tell_if_kept
from memgauge.frame.numbers import SEED
from memgauge.frame.options import Flag
from memgauge.frame.output import SHOWN, Output, present
from memgauge.frame.panels import PANEL, PanelOptions
from memgauge.show.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.judges.certify import Certificate
    from memgauge.llm.judges.panel import Panel
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run
    from memgauge.scoring.judged_board import JudgedAnswers

_MODELS = ModelOptions()
RIGHT = 0.5
"""What a verdict, and the likeness of an answer to the accepted one, must be worth to count as right."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    """Which answers are judged, by what, and what is known of the judge."""

    answers: str = ""
    """Only layers of answers whose name holds this."""
    rules: Literal["official", "neutral", "consistency"] = "official"
    """By what: the benchmark's own way (LongMemEval's tolerances, HaluMem's outcomes, BEAM's points and orders),
    one way for all, or claim by claim against the memories that were shown."""
    factor: Literal["system", "answerer"] = "system"
    """What may differ in one table: systems under one answerer and prompt, or answerers too."""
    certificate: Path | None = None
    """A certificate of this panel, as `memgauge models certify --out` writes it."""
    uncertified: Annotated[bool, Flag] = False
    """Show the values of a judge that its certificate calls unfit, marked and without ranks."""
    labels: Path | None = None
    """What people say of some answers, drawn by chance: JSON lines with system, question, right. Where a system
    has 20 of them, they correct its share (PPI++) instead of the certificate."""
    seed: Annotated[int, SEED] = 0
    """Of the order."""


_JUDGING = JudgeOptions()


def judge(
    *runs: Path,
    panel: PanelOptions = PANEL,
    judging: JudgeOptions = _JUDGING,
    models: ModelOptions = _MODELS,
    categories: Annotated[bool, Flag] = False,
    stages: Annotated[bool, Flag] = False,
    output: Output = SHOWN,
) -> int:
    """Judge the answers of runs, blind and in a shuffled order, and keep every vote as a sealed layer.

    A reply that is not exactly a verdict is invalid, and one that was cut off is counted apart: neither right nor
    wrong. Only a judge with a certificate ranks; one that its certificate calls unfit gives no board.

    Example: memgauge models judge runs -p openai:gpt-4.1-mini --certificate certificate.json

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    categories
        Also print a table by category of question.
    stages
        Also say where wrong answers were lost, the judge included.
    """
    from memgauge.report.judges import document
    from memgauge.runs.layers.judging import any_unvoted
    from memgauge.runs.record.store import load
    from memgauge.scoring.judged_board import judged_board
    from memgauge.scoring.labels import idle_labels, read_answer_labels

    judges, accesses = panel.open(models)
    known = _fit(open_certificate(judging.certificate, judges), uncertified=judging.uncertified)
    people = {} if judging.labels is None else read_answer_labels(judging.labels)
    loaded = [load(folder) for folder in finished(runs)]
    chosen = _chosen(loaded, judging.answers, judging.factor)
    if models.plan:
        estimate = _plan(chosen, judges, accesses, models, judging.rules)
        return present(estimated(estimate), output)
    made = [_judged(*pair, judges, accesses, models, judging.rules, judging.seed, people) for pair in chosen]
    tell_if_kept(accesses.values(), "these verdicts", made[0].verdicts.folder)
    prompts = {name: sha256 for part in made for name, sha256 in part.verdicts.manifest.maker["prompts"].items()}
    untested = untested_prompts(known, prompts)
    board = judged_board(made, known, untested, tuple(idle_labels(people, made)))
    stamp = _stamp(known, untested)
    lost = [(part.run.label, _lost(part.run, part.answers, part.verdicts)) for part in made] if stages else []
    shown = document(board, stamp, categories=categories, lost=lost)
    code = FAILED if board.left_open or any_unvoted(part.verdicts for part in made) else OK
    return present(shown, output, name="judged", code=code)


def _chosen(runs: Sequence[Run], label: str, factor: str) -> list[tuple[Run, Layer]]:
    """Choose the answers of runs whose name holds *label*.

    Raises:
        ConfigError: There are none.
        IdentityError: They differ in more than *factor* allows.
    """
    from memgauge.runs.layers.layer import layers

    every = [(run, layer) for run in runs for layer in layers(run, "answers")]
    chosen = [(run, layer) for run, layer in every if label in layer.manifest.label]
    if every and not chosen:
        names = listed(sorted({layer.manifest.label for _, layer in every}))
        raise ConfigError(f"No answers here are called {label!r}.", f"Name a part of one of these: {names}.")
    if not chosen:
        raise ConfigError("There are no answers to judge.", "Make some with `memgauge models answer`.")
    if factor == "system":
        _alike([layer for _, layer in chosen])
    return chosen


def _fit(certificate: Certificate | None, *, uncertified: bool) -> Certificate | None:
    """Let nothing be spent on a judge that cannot judge.

    Raises:
        ConfigError: Its certificate says so, and nobody asked to see its values all the same.
    """
    from memgauge.llm.judges.fitness import Fitness
    from memgauge.scoring.judged_board import unfit_sentence

    if certificate is not None and certificate.verdict is Fitness.UNFIT and not uncertified:
        raise ConfigError(
            unfit_sentence(certificate),
            "Take another judge, or pass --uncertified to see its values, marked and without ranks.",
        )
    return certificate


def _stamp(certificate: Certificate | None, untested: Sequence[str]) -> str:
    from memgauge.scoring.judged_board import UNCERTIFIED

    if certificate is None:
        return UNCERTIFIED
    return f"{certificate.stamp}; {UNCERTIFIED} for {', '.join(untested)}" if untested else certificate.stamp


def _lost(run: Run, layer: Layer, verdicts: Layer) -> dict[str, int]:
    """Count the questions that ended at each stage; an answer that holds the accepted one was used."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.records import Contract
    from memgauge.scoring.answered import answer_column
    from memgauge.scoring.attribution import attribute, failures
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged import columns_of

    gold = GoldTable.read(open_dataset(run.manifest.dataset.ref, allow_unpinned=True))
    rows = layer.rows()
    judged = columns_of(layer, verdicts, gold)[0].rows
    matches = [answer_column(rows, gold, Contract(), name).rows for name in ("F1", "Typed")]
    places = {question.id: n for n, question in enumerate(gold.questions) if judged.defined[n]}
    right = {question: bool(judged.values[n] >= RIGHT) for question, n in places.items()}
    used = {
        question: any(m.defined[n] and m.values[n] >= RIGHT for m in matches) for question, n in places.items()
    }
    attributed = attribute(run, rows, failures(rows) | right, gold, used=used)
    return {str(stage): n for stage, n in attributed.counts.items()}


def _judged(
    run: Run,
    layer: Layer,
    judges: Panel,
    accesses: Mapping[str, Access],
    models: ModelOptions,
    rules: str,
    seed: int,
    people: Mapping[str, Mapping[str, bool]],
) -> JudgedAnswers:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.layers.judging import judge_layer
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.judged_board import JudgedAnswers

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
    return JudgedAnswers(run, layer, verdicts, gold, people.get(run.label, {}))


def _plan(
    chosen: Sequence[tuple[Run, Layer]],
    judges: Panel,
    accesses: dict[str, Access],
    models: ModelOptions,
    rules: str,
) -> dict[str, Any]:
    """Say what judging would take; an empty answer takes nothing."""
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.layers.judging import items_of

    return models.estimate(
        accesses,
        (
            judge.request(asked.item)
            for run, layer in chosen
            for asked in items_of(run, layer, open_dataset(run.manifest.dataset.ref, allow_unpinned=True), rules)
            if not asked.silent
            for judge in judges.judges
        ),
    )


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
