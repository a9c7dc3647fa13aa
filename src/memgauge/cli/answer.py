"""`memgauge models answer`: from what was retrieved to answers, and what they are worth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.frame.choosing import finished
from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent, tell_if_kept
from memgauge.frame.numbers import COUNT, SHARE
from memgauge.frame.options import Flag, MeasureNames
from memgauge.frame.output import SHOWN, Output, present, told
from memgauge.llm.messages import ANSWER_TOKENS, steady

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.answerers import Answerer
    from memgauge.records import Contract
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.store import Run
    from memgauge.scoring.answered import AnswerEntry
    from memgauge.scoring.gold import GoldTable

_MODELS = ModelOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class AnswererOptions:
    """Who answers, and what it is shown."""

    answerer: Annotated[
        str,
        Parameter(
            help="Who answers: extractive, first, none, self (the system itself, asked by `run --ask`), or an "
            "installed one."
        ),
    ] = "extractive"
    model: str | None = None
    """Let a language model answer instead: `provider:name`; keys come from the environment."""
    prompt: str = "answer-neutral"
    """The prompt of the model."""
    budget_tokens: Annotated[int | None, COUNT] = None
    """Tokens of context shown to the model, over whole memories."""
    max_tokens: Annotated[int, COUNT] = ANSWER_TOKENS
    """Tokens that one reply may have, thinking included; what is cut off is no answer."""
    context: Literal["retrieved", "full", "none", "oracle"] = "retrieved"
    """What the answerer is shown."""

    def open(self, models: ModelOptions) -> tuple[Answerer | None, Access | None]:
        """Open who answers, and the model behind it where there is one; nobody where systems answer themselves."""
        from memgauge.llm.answerers import open_answerer
        from memgauge.llm.prompted import Prompted
        from memgauge.llm.prompts import open_prompt

        if self.model is not None:
            access = models.open(self.model)
            prompt, parameters = open_prompt(self.prompt), steady(self.max_tokens)
            return Prompted(access, prompt, self.budget_tokens, parameters), access
        return None if self.answerer == "self" else open_answerer(self.answerer), None


_ANSWERER = AnswererOptions()


def answer(
    *runs: Path,
    who: AnswererOptions = _ANSWERER,
    models: ModelOptions = _MODELS,
    measure: MeasureNames = (),
    contract: str = "",
    stages: Annotated[bool, Flag] = False,
    right: Annotated[float, SHARE] = 0.5,
    output: Output = SHOWN,
) -> int:
    """Answer every question of runs from what they returned, and score the answers.

    Answers are kept beside the run as a sealed layer, and replies of models in a record: a second time nothing is
    asked. Every system's memories are shown with the same prompt.

    Example: memgauge models answer runs --answerer extractive --stages

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    measure
        Scorers of answers: F1, EM, F1(articles), ROUGE-L, Typed (dates, numbers, names, sets by value),
        Abstention, FalseAbstention, LoCoMo (its own rules), LoCoMo_as_published; and, beside the memories that
        were shown, Supported(words), Contradicted(words), Unsupported(words); repeat.
    contract
        How failures count: `failures=zero`; everything else is of retrieval.
    stages
        Also say where wrong answers were lost.
    right
        Token F1 from which an answer counts as right for that.
    """
    from memgauge.records import Contract, Outcome
    from memgauge.report.answers import document
    from memgauge.results import ReadyData
    from memgauge.runs.record.store import load
    from memgauge.scoring.answered import DEFAULT

    terms = Contract.parse(contract)
    answerer, access = who.open(models)
    folders = finished(runs)
    if models.plan:
        return _plan([load(folder) for folder in folders], answerer, access, who.context, models, output=output)
    names = measure or DEFAULT
    made = [_answered(load(f), answerer, access, who.context, models.workers, terms, names) for f in folders]
    tell_if_kept([access] if access else [], "these answers", made[0][1].folder)
    lost = [_lost(run, layer, gold, terms, right) for run, layer, gold, _ in made] if stages else []
    stated = lost or [{}] * len(made)
    data = [_plain(part[3], part[1], counts) for part, counts in zip(made, stated, strict=True)]
    entries = [entry for _, _, _, entry in made]
    shown = document(entries, lost, right=right, data=ReadyData({"answers": data}))
    for run, layer, *_ in made if access else ():
        _tell_of_verdicts(run, layer)
    failed = any(not Outcome(row["outcome"]).valid for _, layer, _, _ in made for row in layer.rows())
    return present(shown, output, name="answers", code=FAILED if failed else OK)


def _answered(
    run: Run,
    answerer: Answerer | None,
    access: Access | None,
    context: str,
    workers: int,
    contract: Contract,
    names: Sequence[str],
) -> tuple[Run, Layer, GoldTable, AnswerEntry]:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.layers.answering import Context, answer_run, own_answers
    from memgauge.scoring.answered import entry
    from memgauge.scoring.gold import GoldTable

    dataset = open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
    gold = GoldTable.read(dataset)
    gold.require(run)
    if answerer is None:
        own = own_answers(run)
        return run, own, gold, entry(run, own, gold, contract, names)
    with working(f"answering {run.label}") as update:
        layer = answer_run(
            run,
            dataset,
            answerer,
            context=Context(context),
            workers=workers,
            environment=lambda: {} if access is None else spent([access]),
            on_progress=lambda done, total: update(f"answering {run.label}: {done} of {total}"),
        )
    return run, layer, gold, entry(run, layer, gold, contract, names)


def _tell_of_verdicts(run: Run, layer: Layer) -> None:
    """Say why answers that failed are not asked for again, where something was made of the others."""
    from memgauge.runs.layers.answering import is_lost
    from memgauge.runs.layers.layer import standing_on

    for folder in standing_on(run, layer)[:1] if any(map(is_lost, layer.rows())) else ():
        aside(
            f"{run.label}: answers that failed stay as they are, since {folder} was made of these answers. "
            "Remove that folder, answer again, then judge again."
        )


def _plan(
    runs: Sequence[Run],
    answerer: Answerer | None,
    access: Access | None,
    context: str,
    models: ModelOptions,
    *,
    output: Output,
) -> int:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.llm.prompted import Prompted
    from memgauge.runs.layers.answering import Context, gather

    if not isinstance(answerer, Prompted) or access is None:
        return present(told({"calls": 0, "usd": 0.0}, "No model is asked, so it costs nothing."), output)
    requests = (
        answerer.request(asked.question.text, asked.context)[0]
        for run in runs
        for asked in gather(run, open_dataset(run.manifest.dataset.ref, allow_unpinned=True), Context(context))
        if not asked.failed
    )
    estimate = models.estimate({access.name: access}, requests)
    return present(estimated(estimate), output)


def _lost(run: Run, layer: Layer, gold: GoldTable, contract: Contract, least: float) -> dict[str, int]:
    from memgauge.scoring.answered import answer_column
    from memgauge.scoring.attribution import attribute, failures

    rows = layer.rows()
    column = answer_column(rows, gold, contract, "F1")
    places = enumerate(gold.questions)
    right = {q.id: bool(column.rows.values[n] >= least) for n, q in places if column.rows.defined[n]}
    attributed = attribute(run, rows, failures(rows) | right, gold)
    return {str(stage): n for stage, n in attributed.counts.items()}


def _plain(entry: AnswerEntry, layer: Layer, lost: dict[str, int]) -> dict[str, object]:
    return asdict(entry) | {"folder": str(layer.folder)} | ({"stages": lost} if lost else {})
