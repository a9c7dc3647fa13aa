"""A sample is content, a prompt is a place: the same pieces at any depth of a filler of any length."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.studies.context.filler import FILLERS
from memgauge.text.counting import DEFAULT
from memgauge.text.tokens import tokenize
from memgauge.text.words import FUNCTION_WORDS

if TYPE_CHECKING:
    from memgauge.studies.context.filler import Line
    from memgauge.text.counting import TokenCounter

VERSION = 1
"""Of everything that decides the text of a prompt; a change of any generator raises it."""
WINDOW = 0.1
"""Share of the prompt over which several pieces of evidence spread when they stand at one depth."""


class Type(StrEnum):
    """What a task takes."""

    RECALL = "recall"
    MULTI_HOP = "multi-hop"
    AGGREGATION = "aggregation"
    CONSTRAINT = "constraint"
    UPDATE = "update"


class AnswerForm(StrEnum):
    """What the values of an answer look like."""

    NAME = "name"
    """A made-up name with a capital."""
    WORD = "word"
    """A made-up word without one."""
    CODE = "code"
    """Letters and digits, or digits that count nothing."""
    NUMBER = "number"
    """How many, or how much."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that is put into the filler."""

    text: str
    at: float
    """Its own place, as a share of the filler before it."""
    evidence: bool = True
    """Whether it is put to a depth that is asked for; what is not stays at its own place."""


@dataclass(frozen=True)
class Sample:
    """What a prompt is about, wherever its pieces stand."""

    task: str
    type: Type
    key: str
    """Names it among all samples; the filler depends on it."""
    question: str
    gold: tuple[str, ...]
    """Every value that a right answer names."""
    form: AnswerForm
    pieces: tuple[Piece, ...]
    """Evidence in the order in which it has to be read."""
    filler: str
    wrong: tuple[str, ...] = ()
    """Other values of the same kind that the pieces or the question hold."""
    join: str = "\n"
    line: Line | None = field(default=None, compare=False)
    """Makes a line of a filler of the sample's own kind, where the filler is one."""

    @property
    def candidates(self) -> tuple[str, ...]:
        """Return all values of the kind that are asked for."""
        return (*self.gold, *self.wrong)

    @property
    def evidence(self) -> tuple[Piece, ...]:
        """Return the pieces that the answer follows from."""
        return tuple(piece for piece in self.pieces if piece.evidence)

    @property
    def overlap(self) -> float:
        """Return the share of the question's content words that stand in the evidence."""
        question_words = _content(self.question)
        evidence_words = set[str]().union(*(_content(piece.text) for piece in self.evidence))
        return len(question_words & evidence_words) / len(question_words) if question_words else 0.0


@dataclass(frozen=True)
class Placed:
    """A sample as a prompt's context."""

    sample: Sample
    length: int
    """Tokens that were asked for."""
    depth: float | None
    """Depth that was asked for; ``None`` leaves every piece at its own place."""
    text: str
    tokens: int
    offsets: tuple[float, ...]
    """Share of the text before each piece of evidence."""


def place(sample: Sample, length: int, depth: float | None = None, counter: TokenCounter = DEFAULT) -> Placed:
    """Put the pieces of *sample* into filler, *length* tokens in all: never more, and less by one line at most.

    The filler of a shorter prompt is the beginning of that of a longer one.

    Raises:
        ConfigError: The pieces alone are longer.
    """
    weigh, join = counter.weigh, sample.join
    room = length - sum(weigh(piece.text + join) for piece in sample.pieces)
    if room < 0:
        raise ConfigError(
            f"The pieces of a sample of {sample.task} take {length - room:.0f} tokens, so {length} are too few.",
            "Ask for longer prompts.",
        )
    lines: list[str] = []
    weights: list[float] = []
    for line in FILLERS[sample.filler](sample.key, sample.line):
        weight = weigh(line + join)
        if weight > room:
            break
        room -= weight
        lines.append(line)
        weights.append(weight)
    weight_ends = list(accumulate(weights))
    total = weight_ends[-1] if weight_ends else 0.0
    alone = sum(piece.evidence for piece in sample.pieces) == 1
    placed = sorted(
        (bisect_left(weight_ends, _position(piece, depth, alone=alone) * total - 1e-9), number)
        for number, piece in enumerate(sample.pieces)
    )
    return _merge(sample, length, depth, lines, placed, counter)


def _position(piece: Piece, depth: float | None, *, alone: bool) -> float:
    if depth is None or not piece.evidence:
        return piece.at
    return depth if alone else depth * (1 - WINDOW) + WINDOW * piece.at


def _merge(
    sample: Sample,
    length: int,
    depth: float | None,
    lines: list[str],
    placed: list[tuple[int, int]],
    counter: TokenCounter,
) -> Placed:
    parts: list[str] = []
    starts: list[int] = []
    next_line = size = 0
    for index, number in placed:
        parts += lines[next_line:index]
        size += sum(len(line) + len(sample.join) for line in lines[next_line:index])
        next_line = index
        if sample.pieces[number].evidence:
            starts.append(size)
        parts.append(sample.pieces[number].text)
        size += len(parts[-1]) + len(sample.join)
    text = sample.join.join(parts + lines[next_line:])
    offsets = tuple(start / len(text) for start in starts)
    return Placed(sample, length, depth, text, counter.count(text), offsets)


def _content(text: str) -> set[str]:
    return {word for word in tokenize(text, stem="english") if word not in FUNCTION_WORDS}
