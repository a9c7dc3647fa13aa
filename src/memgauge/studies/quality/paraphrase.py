"""A world reworded by a model, turn by turn: a rewording is taken only if a checker still reads the same in it.

Truth comes first here too: facts, questions and ids stay, only the words of turns that state a fact may change.
Every reply goes through the record, so that a reworded world is made again without any model.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.own.lines import MANIFEST, lines_of
from memgauge.datasets.synthetic.writing import write_folder
from memgauge.llm.asking import Inquiry, ask_many
from memgauge.llm.forms import OneObject
from memgauge.llm.prompts import open_prompt
from memgauge.records import Case, Conversation, Session
from memgauge.scoring.voiced import holds
from memgauge.studies.quality.difficulty import Aggregate, measure_case, together
from memgauge.text.jsons import json_of
from memgauge.text.values import days, identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.datasets.own.lines import FileDigests, Lines
    from memgauge.llm.messages import ChatModel, Request
    from memgauge.llm.prompts import Prompt
    from memgauge.records import Fact, Turn

ACCEPTED = "accepted"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}
FORM = OneObject(SCHEMA, lambda data: str(data["text"]).strip())
_LONGER = 3
"""A rewording may be so many times as long."""
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class RewordingTask:
    """One turn that is to be reworded, and what has to stay."""

    turn: Turn
    spans: tuple[str, ...]
    """Values, and the people that they are true of."""
    foreign: frozenset[str]
    """Every other value and slot of this user, which must not appear."""


@dataclass(frozen=True)
class Paraphraser:
    """Rewords with *model*."""

    model: ChatModel
    prompt: Prompt = field(default_factory=lambda: open_prompt("paraphrase-turn"))
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"temperature": 0, "max_tokens": 200})

    @property
    def made(self) -> dict[str, Any]:
        """Say what made the words, for the manifest."""
        return {
            "model": self.model.name,
            "prompt": self.prompt.label,
            "prompt_sha256": self.prompt.sha256,
            "parameters": dict(self.parameters),
        }

    def inquiry(self, wanted: RewordingTask) -> Inquiry[str]:
        """Ask for other words."""
        messages = self.prompt.render(spans=wanted.spans, turn=wanted.turn.text)
        return Inquiry(messages, FORM, self.parameters)


def wanted_of(turns: Iterable[Turn], facts: Sequence[Fact]) -> Iterator[RewordingTask]:
    """Yield the turns of a user that state a fact whose value stands in them letter by letter.

    A day that is only reckoned (``yesterday``) cannot be looked for, so what tells it stays as it is.
    """
    by_turn: dict[str, list[Fact]] = {}
    for fact in facts:
        for key in fact.turns:
            by_turn.setdefault(key, []).append(fact)
    for turn in turns:
        turn_facts = by_turn.get(turn.id, [])
        if turn.role != "user" or not turn_facts or not all(holds(turn.text, fact.value) for fact in turn_facts):
            continue
        values = [name for fact in turn_facts for name in (fact.value, fact.subject) if holds(turn.text, name)]
        names = {name for fact in facts for name in (fact.value, fact.slot, fact.subject)}
        foreign = frozenset(name for name in names if not holds(turn.text, name) and not name.isdigit())
        yield RewordingTask(turn, tuple(dict.fromkeys(values)), foreign - {"user"})


def check(wanted: RewordingTask, text: str) -> str | None:
    """Say why a rewording is not taken; ``None`` takes it."""
    original = wanted.turn.text
    if not text or "\n" in text or len(text) > _LONGER * len(original):
        return "empty or too long"
    if not all(holds(text, span) for span in wanted.spans):
        return "a value is missing"
    if any(holds(text, name) for name in wanted.foreign):
        return "another value or its slot"
    if _reckoned(text) != _reckoned(original):
        return "another day, number or identifier"
    return "the same words" if text == original else None


def requests(folder: Path, paraphraser: Paraphraser) -> Iterator[Request]:
    """Yield everything that would be asked."""
    for case, _, facts in together(_opened(folder)):
        for task in wanted_of(case.conversation.turns(), facts):
            yield paraphraser.inquiry(task).request(paraphraser.model.name)


def paraphrase(
    folder: Path,
    paraphraser: Paraphraser,
    out: Path,
    *,
    workers: int = 4,
    on_progress: Callable[[int], None] = lambda _done: None,
) -> dict[str, Any]:
    """Write *folder* again in other words and return the manifest, which counts what was taken and why not.

    *folder* holds data with its truth; *on_progress* is told how many turns were asked about so far.

    Raises:
        BudgetError: The next call could exceed what was allowed; the same command goes on from the record.
        ConfigError: There are data in *out*.
        DataError: It cannot be written to.
    """
    dataset = _opened(folder)
    counts: Counter[str] = Counter()
    difficulties = Aggregate()

    def conversations() -> Iterator[Lines]:
        for case, golds, facts in together(dataset):
            texts: dict[str, str] = {}
            tasks = wanted_of(case.conversation.turns(), facts)
            inquiries = ((task, paraphraser.inquiry(task)) for task in tasks)
            for task, answer in ask_many(paraphraser.model, inquiries, workers):
                refusal = "no reply that can be read" if answer.value is None else check(task, answer.value)
                counts[refusal or ACCEPTED] += 1
                if answer.value is not None and refusal is None:
                    texts[task.turn.id] = answer.value
            reworded_case = _reworded(case, texts)
            difficulties.add(measure_case(reworded_case, golds, facts))
            on_progress(counts.total())
            yield lines_of(reworded_case, golds, facts)

    def manifest(written: FileDigests) -> dict[str, Any]:
        original_manifest = json_of((folder / MANIFEST).read_text("utf-8"))
        counts_by_end = {
            "asked": counts.total(),
            ACCEPTED: counts.pop(ACCEPTED, 0),
            "kept": dict(sorted(counts.items())),
        }
        figures = {kind: asdict(of_kind) for kind, of_kind in difficulties.figures().items()}
        of = {"paraphrase": {**paraphraser.made, "of": dataset.identity.sha256, **counts_by_end}}
        return {**original_manifest, "sha256": written.sha256(), "measured": figures, **of}

    return write_folder(out, conversations(), manifest)


def _opened(folder: Path) -> Dataset:
    return open_dataset(f"own:{folder.absolute()}")


def _reworded(case: Case, texts: Mapping[str, str]) -> Case:
    sessions = tuple(
        Session(
            session.id,
            session.at,
            tuple(replace(turn, text=texts.get(turn.id, turn.text)) for turn in session.turns),
        )
        for session in case.conversation.sessions
    )
    return Case(Conversation(case.conversation.id, sessions), case.questions)


def _reckoned(text: str) -> tuple[Counter[Any], Counter[str], Counter[str]]:
    """Collect days, runs of digits, and identifiers: what a rewording has to leave alone."""
    return Counter(day.readings for day in days(text)), Counter(_DIGITS.findall(text)), Counter(identifiers(text))
