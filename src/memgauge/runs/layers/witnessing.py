"""Let a model say of what was returned whether it bears the turns that it is said to descend from.

Only pairs that can earn anything are asked about: a memory among the first hits of a question, and a turn that is
evidence of that question and among the memory's claimed sources. A text that is the turn itself needs no model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import RunError
from memgauge.llm.judges.items import bears
from memgauge.llm.judges.panel import prompts_of
from memgauge.llm.judges.rubrics import BEARS, OPEN, Grade
from memgauge.records import EvidencePolicy
from memgauge.runs.layers.judging import is_unvoted, voted
from memgauge.runs.layers.layer import LayerManifest, layers, made_side_by_side, write_layer
from memgauge.runs.record.lineage import spelled
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.llm.judges.items import JudgeItem
    from memgauge.llm.judges.panel import Panel
    from memgauge.records import Conversation
    from memgauge.runs.layers.layer import Layer
    from memgauge.runs.record.rows import Row
    from memgauge.runs.record.store import Run

KIND: Final = "witness"
BEFORE: Final = 2
"""Turns before the one in question that a model is shown."""


@dataclass(frozen=True)
class WitnessPair:
    """One memory and one turn that it is said to descend from."""

    memory: int
    """Its row in the run's table of memories."""
    turn: str
    question: str
    """The first question whose evidence the turn is."""
    item: JudgeItem | None
    """What a model is asked; nothing where *rule* decides."""
    rule: str = ""
    """How it was decided without a model."""
    grade: str = ""
    """What was decided so."""

    @property
    def key(self) -> str:
        """Name the pair."""
        return f"{self.memory}/{self.turn}"


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One turn as a model is shown it."""

    text: str
    line: str
    """The same behind its speaker."""
    forms: frozenset[str]
    """All that memories of ours write of it."""
    before: tuple[str, ...]
    """The lines before it."""


def witness_layer(
    run: Run,
    dataset: Dataset,
    panel: Panel,
    *,
    workers: int = 1,
    environment: Callable[[], Mapping[str, Any]] = dict,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Layer:
    """Let a panel judge every pair of *run* that can earn anything, and keep every vote as a layer.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from there.
    """
    pairs = {pair.key: pair for pair in witness_pairs(run, dataset)}
    manifest = LayerManifest(
        kind=KIND,
        base=run.seal.content,
        label=panel.name,
        maker={"panel": dict(panel.details), "prompts": prompts_of([BEARS]), "before": BEFORE},
    )
    make = made_side_by_side(pairs, lambda pair: _row(pair, panel), workers=workers, on_progress=on_progress)
    return write_layer(run, manifest, list(pairs), make, environment, is_unvoted)


def witness_pairs(run: Run, dataset: Dataset) -> Iterator[WitnessPair]:
    """Yield every pair that can earn anything, once, in the order of questions and ranks."""
    evidence = {gold.question: frozenset(gold.anchors(EvidencePolicy.REPAIR)) for gold in dataset.gold()}
    asked = set(run.questions["question"].tolist())
    seen: set[tuple[int, str]] = set()
    for case in dataset.cases():
        questions = [question.id for question in case.questions if question.id in asked]
        spoken = _spoken(case.conversation)
        hits = run.hits_of(questions, run.manifest.limits.k) if questions else {}
        for question in questions:
            for hit in hits[question]:
                for turn in hit["sources"]:
                    pair = hit["memory_row"], turn
                    if turn in evidence[question] and turn in spoken and pair not in seen:
                        seen.add(pair)
                        yield _pair(hit["memory_row"], turn, question, hit["text"], spoken[turn])


def _spoken(conversation: Conversation) -> dict[str, SpokenTurn]:
    """Return every turn as it was said, by id."""
    turns = {}
    for session in conversation.sessions:
        lines = [f"{turn.speaker}: {turn.text}" for turn in session.turns]
        for place, turn in enumerate(session.turns):
            forms = frozenset(form.strip() for form in spelled([turn]))
            before = tuple(lines[max(0, place - BEFORE) : place])
            turns[turn.id] = SpokenTurn(turn.text, lines[place], forms, before)
    return turns


def _pair(memory: int, turn: str, question: str, text: str | None, spoken: SpokenTurn) -> WitnessPair:
    if text is None:
        return WitnessPair(memory, turn, question, None, "the text was left out", Grade.UNDECIDED)
    if text.strip() in spoken.forms:
        return WitnessPair(memory, turn, question, None, "word for word", BEARS.grades[0])
    return WitnessPair(memory, turn, question, bears(spoken.line, spoken.before, text))


def _row(pair: WitnessPair, panel: Panel) -> Row:
    row: Row = {"key": pair.key, "memory": pair.memory, "turn": pair.turn, "question": pair.question}
    row["rubric"] = BEARS.name
    if pair.item is None:
        return row | _graded(pair.grade) | {"votes": [], "injections": [], "rule": pair.rule}
    judged = voted(panel, pair.item)
    return row | _graded(judged["grade"]) | judged | {"rule": ""}


def _graded(grade: str) -> Row:
    """Say whether a turn is borne; what nobody decided is not credited, and its grade says so."""
    return {"grade": str(grade), "borne": float(grade == BEARS.grades[0])}


def model_witness(run: Run) -> Mapping[tuple[int, str], bool | None]:
    """Read what a model said of (row of a memory, turn): borne or not, ``None`` where nothing was decided.

    Of several layers the first by name counts.

    Raises:
        RunError: No model was asked.
    """
    for layer in layers(run, KIND):
        return {
            (int(row["memory"]), str(row["turn"])): None if row["grade"] in OPEN else bool(row["borne"])
            for row in layer.rows()
        }
    raise RunError(
        f"{run.folder} holds no model's word on what its memories descend from.",
        f"Ask one with `memgauge models witness {typed(run.folder)} --panel provider:name`, or score with "
        "--contract witness=words.",
    )
