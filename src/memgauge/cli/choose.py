"""`memgauge models choose`: let a reader choose among options from what was retrieved."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.frame.choosing import finished
from memgauge.frame.console import working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent, tell_if_kept
from memgauge.frame.numbers import COUNT, NUMBER, SEED
from memgauge.frame.options import MeasureNames
from memgauge.frame.output import SHOWN, Output, present, told
from memgauge.llm.messages import ANSWER_TOKENS, steady

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.llm.access import Access
    from memgauge.llm.choosers import Chooser
    from memgauge.llm.messages import Request
    from memgauge.llm.prompted import Prompted
    from memgauge.records import Contract
    from memgauge.runs.layers.choosing import Showings
    from memgauge.runs.record.store import Run
    from memgauge.scoring.chosen import ChoiceEntry

_MODELS = ModelOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ChooserOptions:
    """Who chooses, what it is shown, and in which orders."""

    chooser: str = "overlap"
    """Who chooses without a model: overlap, or an installed one."""
    model: str | None = None
    """Let a language model choose instead: `provider:name`; keys come from the environment."""
    prompt: str = "choose-neutral"
    """The prompt of the model."""
    budget_tokens: Annotated[int | None, COUNT] = None
    """Tokens of context shown to the model, over whole memories."""
    max_tokens: Annotated[int, COUNT] = ANSWER_TOKENS
    """Tokens that one reply may have, thinking included; what is cut off is no choice."""
    context: Literal["retrieved", "full", "oracle"] = "retrieved"
    """What the reader is shown beside the options; it is always asked with nothing as well."""
    orders: Annotated[int, NUMBER] = 2
    """In how many orders the options of each question are shown."""
    seed: Annotated[int, SEED] = 0
    """Of these orders."""

    @property
    def showings(self) -> Showings:
        """Return how options are shown."""
        from memgauge.runs.layers.choosing import Showings

        return Showings(self.seed, self.orders)


@dataclass(frozen=True)
class OpenedChooser:
    """Who chooses, and the model behind it where there is one."""

    chooser: Chooser
    reader: Prompted | None = None
    access: Access | None = None


_CHOOSER = ChooserOptions()


def choose(
    *runs: Path,
    who: ChooserOptions = _CHOOSER,
    models: ModelOptions = _MODELS,
    measure: MeasureNames = (),
    contract: str = "",
    output: Output = SHOWN,
) -> int:
    """Choose among the options of every question from what runs returned, and score the choices.

    Options come after retrieval, in orders drawn by a seed, at least two of each question. Beside the accuracy
    stands what the options give away without a memory: to chance, to whoever takes the longest, the first or the
    most frequent letter, and to the same reader when it is shown nothing.

    Example: memgauge models choose runs --orders 4

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    measure
        Choice, Choice(corrected) (guessing is worth 0), NoChoice, SameChoice (the same in every order); repeat.
    contract
        How failures count: `failures=zero`; everything else is of retrieval.
    """
    from memgauge.records import Contract
    from memgauge.report.choices import document
    from memgauge.results import ReadyData
    from memgauge.runs.layers.answering import Context
    from memgauge.runs.layers.layer import FOLDER
    from memgauge.runs.record.store import load
    from memgauge.scoring.chosen import DEFAULT, ChoiceEnding

    terms = Contract.parse(contract)
    opened, showings = _opened(who, models), who.showings
    loaded = [load(folder) for folder in finished(runs)]
    contexts = (Context(who.context), Context.NONE)
    if models.plan:
        return _plan(loaded, opened, contexts, showings, models, output=output)
    names = measure or DEFAULT
    entries = [
        [_entry(run, opened, context, showings, models.workers, terms, names) for run in loaded]
        for context in contexts
    ]
    tell_if_kept([opened.access] if opened.access else [], "these choices", loaded[0].folder / FOLDER)
    shown = f"Every question was shown in {showings.times} orders of its options, drawn by seed {showings.seed}."
    data = ReadyData(
        {"choices": [asdict(entry) for entry in entries[0]], "alone": [asdict(entry) for entry in entries[1]]}
    )
    failed = any(entry.endings.get(ChoiceEnding.FAILED, 0) for entry in entries[0])
    code = FAILED if failed else OK
    return present(document(entries[0], entries[1], shown, data=data), output, name="choices", code=code)


def _opened(who: ChooserOptions, models: ModelOptions) -> OpenedChooser:
    from memgauge.llm.choosers import LetterReader, open_chooser
    from memgauge.llm.prompted import Prompted
    from memgauge.llm.prompts import open_prompt

    if who.model is None:
        return OpenedChooser(open_chooser(who.chooser))
    access = models.open(who.model)
    reader = Prompted(access, open_prompt(who.prompt), who.budget_tokens, steady(who.max_tokens))
    return OpenedChooser(LetterReader(reader, reader.details), reader, access)


def _entry(
    run: Run,
    opened: OpenedChooser,
    context: str,
    showings: Showings,
    workers: int,
    contract: Contract,
    names: Sequence[str],
) -> ChoiceEntry:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.runs.layers.answering import Context
    from memgauge.runs.layers.choosing import choices_of, choose_run
    from memgauge.scoring.chosen import choice_entry
    from memgauge.scoring.gold import GoldTable

    dataset = open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
    gold = GoldTable.read(dataset)
    gold.require(run)
    with working(f"choosing for {run.label}") as update:
        layer = choose_run(
            run,
            dataset,
            opened.chooser,
            context=Context(context),
            showings=showings,
            workers=workers,
            environment=lambda: {} if opened.access is None else spent([opened.access]),
            on_progress=lambda done, total: update(f"choosing for {run.label}: {done} of {total}"),
        )
    return choice_entry(run, layer, choices_of(dataset), gold, contract, names)


def _plan(
    runs: Sequence[Run],
    opened: OpenedChooser,
    contexts: Sequence[str],
    showings: Showings,
    models: ModelOptions,
    *,
    output: Output,
) -> int:
    from memgauge.datasets.catalogue import open_dataset
    from memgauge.llm.choosing import lettered
    from memgauge.runs.layers.answering import Context
    from memgauge.runs.layers.choosing import showings_of

    reader, access = opened.reader, opened.access
    if reader is None or access is None:
        return present(told({"calls": 0, "usd": 0.0}, "No model is asked, so it costs nothing."), output)

    def requests() -> Iterator[Request]:
        for run in runs:
            dataset = open_dataset(run.manifest.dataset.ref, allow_unpinned=True)
            for context in contexts:
                for each in showings_of(run, dataset, Context(context), showings):
                    if not each.attempt.failed:
                        text = lettered(each.choices.text, each.shown)
                        yield reader.request(text, each.attempt.context)[0]

    return present(estimated(models.estimate({access.name: access}, requests())), output)
