"""`memgauge study attribution`: was an answer right for the right reason."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import aside, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, estimated, spent
from memgauge.frame.numbers import COUNT, DURATION, HITS, NUMBER, SEED
from memgauge.frame.options import Flag, Repeatable, SystemRefs
from memgauge.frame.output import SHOWN, Output, present, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.llm.access import Access
    from memgauge.studies.attribution.cells import AnswerSource
    from memgauge.studies.attribution.question import SlotQuestion
    from memgauge.studies.attribution.readers import Reader
    from memgauge.studies.attribution.study import Attribution
    from memgauge.studies.attribution.trend import CardRecord

app = App("attribution", help="Interventions on memory, document and state: which of them an answer depends on.")
_MODELS = ModelOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ReaderOptions:
    """Whose dependence is measured."""

    system: SystemRefs = ()
    """A memory by name with parameters, `module:factory`, or a TOML file; repeat."""
    wiring: Annotated[tuple[str, ...], Repeatable] = ()
    """A reader whose dependence is known, by name (`memgauge study attribution wirings`), or `all`; repeat."""
    model: str | None = None
    """A language model that is shown all three sources: `provider:name`; keys come from the environment."""
    prompt: str = "attribute-sources"
    """The prompt of the model."""
    layer: Literal["answer", "context", "recall"] | None = None
    """What of a memory is read: its own answer, its context or its recall; default: the first that it has."""
    k: Annotated[int, HITS] = 10
    """Hits that are recalled."""
    call_timeout: Annotated[float, DURATION] = 30
    """Seconds that one call of a memory may take."""

    def open(self, access: Access | None, models: ModelOptions, opened: ExitStack) -> list[Reader]:
        """Open every reader; memories are closed with *opened*.

        Raises:
            UserError: One cannot be opened, or none was named.
        """
        from memgauge.llm.prompts import open_prompt
        from memgauge.registry import unknown_name
        from memgauge.studies.attribution.memories import Remembering
        from memgauge.studies.attribution.models import Modelled
        from memgauge.studies.attribution.readers import WiredReader
        from memgauge.systems.reference.wired import WIRINGS

        readers: list[Reader] = []
        for name in WIRINGS if "all" in self.wiring else self.wiring:
            if name not in WIRINGS:
                raise unknown_name("wiring", name, WIRINGS)
            readers.append(WiredReader(name))
        for ref in self.system:
            memory = Remembering.opening(ref, self.layer, k=self.k, timeout_s=self.call_timeout)
            opened.callback(memory.close)
            readers.append(memory)
        if access is not None:
            readers.append(Modelled(access, open_prompt(self.prompt), workers=models.workers))
        if not readers:
            raise ConfigError("There is nothing to measure.", "Name a --system, a --wiring or a --model.")
        return readers


_READERS = ReaderOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """What is asked, and how often."""

    questions: Annotated[int, COUNT] = 48
    """How many, on 12 slots in turn; the truth of every other one is what anybody would guess."""
    repeats: Annotated[int, COUNT] = 1
    """Equal asks; the most frequent answer counts."""
    seed: Annotated[int, SEED] = 0
    """Of values and orders."""
    declared_order: str | None = None
    """The order in which sources should win, e.g. `memory,document,state`; three cells more are asked."""
    memories: Annotated[
        int,
        Parameter(
            help="Also store so many memories of each question (3 to 24) and leave them out: one, a group, or "
            "random halves."
        ),
        NUMBER,
    ] = 0

    def declared(self) -> Sequence[AnswerSource]:
        """Return the declared order of the sources; nothing where none was."""
        from memgauge.studies.attribution.precedence import parse_order

        return parse_order(self.declared_order) if self.declared_order else ()

    def made(self) -> Sequence[SlotQuestion]:
        """Make the questions.

        Raises:
            ConfigError: They would not be asked once.
        """
        from memgauge.studies.attribution.question import make_questions

        questions = make_questions(self.questions, self.seed)
        if self.repeats < 1:
            raise ConfigError(f"{self.repeats} repeats ask nothing.", "Take at least 1.")
        return questions


_DESIGN = DesignOptions()


@app.command
def run(
    *,
    whose: ReaderOptions = _READERS,
    design: DesignOptions = _DESIGN,
    models: ModelOptions = _MODELS,
    history: Path | None = None,
    build: str | None = None,
    output: Output = SHOWN,
) -> int:
    """Change, remove and set against each other what sources hold, and say whom the answers follow.

    Exits with 1 where something moves an answer that no log shows, where a
    declared order is not kept, where a value comes from nowhere, or where asks fail.

    Example: memgauge study attribution run -s bm25 --memories 14

    Parameters
    ----------
    history
        JSON lines that each card is appended to; what is shown then has the trend; keep the file in git.
    build
        What the history calls this state of things: a commit, a model, a prompt.
    """
    from memgauge.studies.attribution.cards import CardSet
    from memgauge.studies.attribution.show import document

    declared, asked = design.declared(), design.made()
    access = None if whose.model is None else models.open(whose.model)
    with ExitStack() as opened:
        readers = whose.open(access, models, opened)
        if models.plan:
            return _plan(readers, access, models, asked, design, declared, output=output)
        cards = tuple(_measured(reader, asked, design, declared) for reader in readers)
    measured = CardSet(
        cards,
        design.questions,
        design.seed,
        tuple(map(str, declared)),
        _remembered(history, cards, build or "", design.seed) if history is not None else (),
        spent([access]) if access is not None else {},
    )
    code = FAILED if any(card.broken or card.failures for card in cards) else OK
    present(document(measured), output, name="attribution", code=code)
    if history is not None:
        aside(f"Written: {history}")
    return code


@app.command
def designs(*, made_up: Annotated[bool, Flag] = False, output: Output = SHOWN) -> int:
    """Say how many of eight readers with known wiring each design of interventions tells apart.

    Example: memgauge study attribution designs

    Parameters
    ----------
    made_up
        Let the truth be made up too, instead of what anybody would guess.
    """
    from memgauge.studies.attribution.show import designs as document
    from memgauge.studies.attribution.wirings import power

    return present(document(power(guessable=not made_up)), output, name="designs")


@app.command
def wirings(*, output: Output = SHOWN) -> int:
    """List the eight readers whose dependence is known; each is a memory too: `wired:NAME,cites=…,logs=…`.

    Example: memgauge study attribution wirings
    """
    from memgauge.show import Column, Document, Kind, Table
    from memgauge.systems.reference.wired import WIRINGS

    rules = {name: (rule.__doc__ or "").partition("\n")[0] for name, rule in WIRINGS.items()}
    columns = (Column("name", Kind.TEXT), Column("what it does", Kind.PROSE))
    table = Table.of("wirings", "", columns, list(rules.items()))
    shown = Document("Readers with known wiring", blocks=(table,), origin="what is installed", data=rules)
    return present(shown, output, name="wirings")


def _measured(
    reader: Reader,
    questions: Sequence[SlotQuestion],
    design: DesignOptions,
    declared: Sequence[AnswerSource],
) -> Attribution:
    from memgauge.studies.attribution.study import attribute

    with working(f"asking {reader.name}") as update:
        return attribute(
            reader,
            questions,
            repeats=design.repeats,
            seed=design.seed,
            declared=declared,
            memories=design.memories,
            on_progress=lambda done, total: update(f"asking {reader.name}: {done} of {total}"),
        )


def _plan(
    readers: Sequence[Reader],
    access: Access | None,
    models: ModelOptions,
    questions: Sequence[SlotQuestion],
    design: DesignOptions,
    declared: Sequence[AnswerSource],
    *,
    output: Output,
) -> int:
    """Say how often each reader would be asked, and what a model would take."""
    from memgauge.studies.attribution.leaving import plan_leaving
    from memgauge.studies.attribution.models import Modelled
    from memgauge.studies.attribution.run import plan
    from memgauge.studies.attribution.study import cells_for

    left = [ask for _, _, ask in plan_leaving(questions, design.memories)] if design.memories else []
    asks = {
        reader.name: [*plan(reader, questions, cells_for(declared), repeats=design.repeats).asks, *left]
        for reader in readers
    }
    estimate = None
    for reader in readers:
        if isinstance(reader, Modelled) and access is not None:
            estimate = models.estimate({access.name: access}, map(reader.request, asks[reader.name]))
    counts = {name: len(planned) for name, planned in asks.items()}
    asked = told({"asks": counts, "model": estimate}, *(f"{name}: {n:,} asks." for name, n in counts.items()))
    cost = () if estimate is None else estimated(estimate).blocks
    return present(replace(asked, blocks=(*asked.blocks, *cost)), output)


def _remembered(
    path: Path, cards: Sequence[Attribution], build: str, seed: int
) -> tuple[tuple[CardRecord, ...], ...]:
    """Append every card to a history; return what it then holds of each reader under this design."""
    from datetime import UTC, datetime

    from memgauge.studies.attribution.trend import HISTORY, entry, of

    now = datetime.now(UTC).isoformat(timespec="seconds")
    entries = [entry(card, now, build, seed) for card in cards]
    HISTORY.append(path, entries)
    return tuple(of(HISTORY.read(path), card) for card in entries)
