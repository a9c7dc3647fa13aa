"""`memgauge attribution`: was an answer right for the right reason."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import App, Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.models import ModelOptions, say_estimate, spent
from memgauge.frame.options import AsData, Flag, Repeatable

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

    system: Annotated[tuple[str, ...], Parameter(name=["--system", "-s"], negative=(), show_default=False)] = ()
    """A memory by name with parameters, `module:factory`, or a TOML file; repeat."""
    wiring: Annotated[tuple[str, ...], Repeatable] = ()
    """A reader whose dependence is known, by name (`memgauge attribution wirings`); repeat; `all` is all eight."""
    model: str | None = None
    """A language model that is shown all three sources: `provider:name`; keys come from the environment."""
    prompt: str = "attribute-sources"
    """The prompt of the model."""
    layer: Literal["answer", "context", "recall"] | None = None
    """What of a memory is read: its own answer, its context or its recall; default: the first that it has."""
    k: int = 10
    """Hits that are recalled."""
    call_timeout: float = 30
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
        from memgauge.systems.catalogue import open_system
        from memgauge.systems.reference.wired import WIRINGS

        found: list[Reader] = []
        for name in WIRINGS if "all" in self.wiring else self.wiring:
            if name not in WIRINGS:
                raise unknown_name("wiring", name, WIRINGS)
            found.append(WiredReader(name))
        for ref in self.system:
            memory = Remembering.of(open_system(ref), self.layer, k=self.k, timeout_s=self.call_timeout, ref=ref)
            opened.callback(memory.close)
            found.append(memory)
        if access is not None:
            found.append(Modelled(access, open_prompt(self.prompt), workers=models.workers))
        if not found:
            raise ConfigError("There is nothing to measure.", "Name a --system, a --wiring or a --model.")
        return found


_READERS = ReaderOptions()


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class DesignOptions:
    """What is asked, and how often."""

    questions: int = 48
    """How many; the truth of every other one is what anybody would guess."""
    repeats: int = 1
    """Equal asks; the most frequent answer counts."""
    seed: int = 0
    """Of values and orders."""
    declared_order: str | None = None
    """The order in which sources should win, e.g. `memory,document,state`; three cells more are asked."""
    memories: Annotated[
        int,
        Parameter(
            help="Also store so many memories of each question (3 to 24) and leave them out: one, a group, or "
            "random halves."
        ),
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
    html: Path | None = None,
    history: Path | None = None,
    build: str | None = None,
    json: AsData = False,
) -> int:
    """Change, remove and set against each other what sources hold, and say whom the answers follow.

    Exits with 1 where something moves an answer that no log shows, where a
    declared order is not kept, where a value comes from nowhere, or where asks fail.

    Parameters
    ----------
    html
        Write one self-contained page.
    history
        JSON lines that each card is appended to; tables and page then show the trend; keep the file in git.
    build
        What the history calls this state of things: a commit, a model, a prompt.
    json
        Print data instead of tables.
    """
    from memgauge.report.attribution import card_json
    from memgauge.results import plain

    declared, asked = design.declared(), design.made()
    access = None if whose.model is None else models.open(whose.model)
    with ExitStack() as opened:
        readers = whose.open(access, models, opened)
        if models.plan:
            return _plan(readers, access, models, asked, design.repeats, declared, design.memories, json=json)
        cards = [_measured(reader, asked, design, declared) for reader in readers]
    histories = _kept(history, cards, build or "", design.seed) if history is not None else [()] * len(cards)
    if html is not None:
        _write(html, cards, histories, design)
    if json:
        data: dict[str, Any] = {"cards": [card_json(card) for card in cards]}
        data |= {"history": plain(histories)} if history is not None else {}
        emit(data | ({"spent": spent([access])} if access is not None else {}))
    else:
        _say_cards(cards, histories)
        for path in filter(None, (html, history)):
            say(f"Written: {path}")
    return FAILED if any(card.broken or card.failures for card in cards) else OK


@app.command
def designs(*, made_up: Annotated[bool, Flag] = False, json: AsData = False) -> int:
    """Say how many of eight readers with known wiring each design of interventions tells apart.

    Parameters
    ----------
    made_up
        Let the truth be made up too, instead of what anybody would guess.
    json
        Print data instead of a table.
    """
    from memgauge.report.attribution import design_table, rich_table, separation_json
    from memgauge.studies.attribution.cells import DESIGNS
    from memgauge.studies.attribution.wirings import separation

    found = [separation(name, guessable=not made_up) for name in DESIGNS]
    if json:
        emit([separation_json(one) for one in found])
        return OK
    say(rich_table(*design_table(found)))
    truth = "made up" if made_up else "what anybody would guess"
    say(f"Asks are per question; the truth is {truth}.")
    return OK


@app.command
def wirings(*, json: AsData = False) -> int:
    """List the eight readers whose dependence is known; each is a memory too: `wired:NAME,cites=…,logs=…`.

    Parameters
    ----------
    json
        Print data instead of a table.
    """
    from memgauge.report.attribution import rich_table
    from memgauge.systems.reference.wired import WIRINGS

    told = {name: (rule.__doc__ or "").partition("\n")[0] for name, rule in WIRINGS.items()}
    if json:
        emit(told)
        return OK
    say(rich_table("Readers with known wiring", ("name", "what it does"), list(told.items())))
    return OK


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
    repeats: int,
    declared: Sequence[AnswerSource],
    memories: int,
    *,
    json: bool,
) -> int:
    """Say how often each reader would be asked, and what a model would take."""
    from memgauge.studies.attribution.leaving import plan_leaving
    from memgauge.studies.attribution.models import Modelled
    from memgauge.studies.attribution.run import plan
    from memgauge.studies.attribution.study import cells_for

    left = [ask for _, _, ask in plan_leaving(questions, memories)] if memories else []
    asks = {
        reader.name: [*plan(reader, questions, cells_for(declared), repeats=repeats).asks, *left]
        for reader in readers
    }
    estimate = None
    for reader in readers:
        if isinstance(reader, Modelled) and access is not None:
            estimate = models.estimate({access.name: access}, map(reader.request, asks[reader.name]))
    counts = {name: len(planned) for name, planned in asks.items()}
    if json:
        emit({"asks": counts, "model": estimate})
        return OK
    for name, n in counts.items():
        say(f"{name}: {n:,} asks.")
    if estimate is not None:
        say_estimate(estimate)
    return OK


def _kept(path: Path, cards: Sequence[Attribution], build: str, seed: int) -> list[tuple[CardRecord, ...]]:
    """Append every card to a history; return what it then holds of each reader under this design."""
    from datetime import UTC, datetime

    from memgauge.studies.attribution.trend import append, entry, of, read

    now = datetime.now(UTC).isoformat(timespec="seconds")
    read(path)  # a file that is no history is refused before anything is written to it
    entries = [entry(card, now, build, seed) for card in cards]
    append(path, entries)
    return [of(read(path), one) for one in entries]


def _say_cards(cards: Sequence[Attribution], histories: Sequence[Sequence[CardRecord]]) -> None:
    from memgauge.report.attribution import terminal

    for place, (card, entries) in enumerate(zip(cards, histories, strict=True)):
        for part in ("", *terminal(card, entries)) if place else terminal(card, entries):
            say(part)


def _write(
    path: Path,
    cards: Sequence[Attribution],
    histories: Sequence[Sequence[CardRecord]],
    design: DesignOptions,
) -> None:
    from memgauge.report.attribution_page import render_attribution
    from memgauge.runs.files import write_atomically
    from memgauge.version import __version__

    identity = {"questions": str(design.questions), "seed": str(design.seed), "memgauge": __version__}
    if design.declared_order:
        identity["declared order"] = design.declared_order
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render_attribution(cards, identity=identity, histories=histories))
