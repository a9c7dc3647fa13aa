"""Which of the turns that the memories of a run claim their texts bear."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from memgauge.records import Form, Witness
from memgauge.scoring.lengths import characters
from memgauge.text.tokens import cut_to_tokens
from memgauge.text.witness import BearingText, holds, plain, room

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.said import ConversationText


@dataclass(frozen=True, eq=False)
class Claims:
    """Pairs of a memory and a turn that it is said to descend from, in the order of memories."""

    memory: NDArray[np.int64]
    """(P,) row of the memory table."""
    conversation: Sequence[str]
    turn: Sequence[str]


class Bearing(Protocol):
    """A witness: says of claims how far they are borne out."""

    def shares(self, claims: Claims) -> tuple[NDArray[np.float64], int]:
        """(P,) how much of its turn each memory bears, 0 to 1; and how many claims nobody could check."""
        ...

    def shares_of_cut(self, claims: Claims, tokens: Sequence[int]) -> NDArray[np.float64]:
        """(P,) how much each memory bears when only its first *tokens* are read."""
        ...


def witness_of(kind: Witness, run: Run, gold: GoldTable) -> Bearing | None:
    """Return the witness that a contract asks for; ``None`` where claims are believed.

    Raises:
        RunError: A model was asked for, and the run has no layer of its verdicts.
    """
    if kind is Witness.WORDS:
        return WordWitness(run, gold)
    return ModelWitness(run, verdicts_of(run)) if kind is Witness.MODEL else None


@dataclass(frozen=True, eq=False)
class WordWitness:
    """The witness of words; what was read of memories is kept as long as it lives."""

    run: Run
    gold: GoldTable
    _borne: dict[tuple[int, int | None, str], float] = field(default_factory=dict)

    def shares(self, claims: Claims) -> tuple[NDArray[np.float64], int]:
        """Believe what the harness saw to be a copy of one turn; read every other text.

        A text that repeats a turn needs no more than the turn. Only for the others is the conversation read: what
        its words weigh, and all that a memory claims, is said nowhere else.
        """
        shares = np.ones(len(claims.memory))
        unread = ~self.copies[claims.memory]
        wanted = np.flatnonzero(unread)
        texts = self._texts(claims.memory[wanted])
        rest, unchecked = list[int](), 0
        for place in wanted.tolist():
            text = texts.get(int(claims.memory[place]))
            turn = self.gold.conversations.evidence_words((claims.conversation[place], claims.turn[place]))
            if text is None:
                unchecked += 1
            elif turn is None or not holds(text, turn):
                rest.append(place)
        shares[rest] = self._looked_up(claims, rest, None)
        return shares, unchecked

    def shares_of_cut(self, claims: Claims, tokens: Sequence[int]) -> NDArray[np.float64]:
        """Read what is left of every text; of a copy that is as much as its length."""
        lengths = characters(self.run, self.gold)[claims.memory]
        shares, copied = np.zeros(len(claims.memory)), self.copies[claims.memory]
        rest = []
        for place, (copy, left, whole) in enumerate(zip(copied.tolist(), tokens, lengths, strict=True)):
            if copy:
                shares[place] = room(4 * left, whole)
            else:
                rest.append(place)
        shares[rest] = self._looked_up(claims, rest, tokens)
        return shares

    @cached_property
    def copies(self) -> NDArray[np.bool_]:
        """(M,) mark the memories that the harness saw to be one turn, word for word, and nothing else."""
        claimed = np.bincount(self.run.sources["memory"], minlength=self.run.stored)
        return np.asarray((self.run.forms == str(Form.RAW)) & (claimed == 1), dtype=np.bool_)

    def _texts(self, memories: NDArray[np.int64]) -> dict[int, str | None]:
        """Read the words of *memories* as they stand."""
        texts = self.run.texts_of(np.unique(memories).tolist()) if len(memories) else {}
        return {row: None if text is None else plain(text) for row, text in texts.items()}

    @cached_property
    def _claimed(self) -> Mapping[int, Sequence[str]]:
        """All that each memory claims, evidence or not."""
        claimed = defaultdict[int, list[str]](list)
        for row, turn in zip(self.run.sources["memory"].tolist(), self.run.sources["turn"].tolist(), strict=True):
            claimed[row].append(turn)
        return claimed

    def _looked_up(self, claims: Claims, places: Sequence[int], tokens: Sequence[int] | None) -> list[float]:
        """Return the share of the claims at *places*, each memory and cut read once."""
        keys = [
            (int(claims.memory[place]), None if tokens is None else int(tokens[place]), claims.turn[place])
            for place in places
        ]
        wanted = defaultdict[str, defaultdict[tuple[int, int | None], list[str]]](lambda: defaultdict(list))
        for place, key in zip(places, keys, strict=True):
            if key not in self._borne:
                wanted[claims.conversation[place]][key[:2]].append(key[2])
        texts = self.run.texts_of(list({row for cuts in wanted.values() for row, _ in cuts})) if wanted else {}
        for name, spoken in self.gold.conversations.said(wanted):
            for (row, left), turns in wanted[name].items():
                text = texts[row] or ""
                reading = ClaimReading(
                    text if left is None else cut_to_tokens(text, left), self._claimed[row], spoken
                )
                self._borne.update({(row, left, turn): reading.share(turn) for turn in turns})
        return [self._borne.get(key, 0.0) for key in keys]


class ClaimReading:
    """A text, or its beginning, beside all the turns that it claims.

    Turns that it repeats it bears wholly. The rest of its length it shares out among those that it is about: who
    claims more turns than there is room for bears less of each.
    """

    def __init__(self, text: str, claimed: Iterable[str], spoken: ConversationText) -> None:
        """Lay *text* beside turns of the conversation *spoken*."""
        self._text, self._said = text, spoken
        self._claimed = [turn for turn in claimed if turn in spoken.turns]

    def share(self, turn: str) -> float:
        """Say how much of one claimed turn the text bears, 0 to 1; of no other turn anything."""
        if turn not in self._claimed:
            return 0.0
        if self._repeats(turn):
            return 1.0
        return self._room if self._about(turn) else 0.0

    def _repeats(self, turn: str) -> bool:
        return holds(self._folded, self._said.plain[turn])

    def _about(self, turn: str) -> bool:
        return self._statement.about(self._said.passages[turn])

    @cached_property
    def _folded(self) -> str:
        return plain(self._text)

    @cached_property
    def _statement(self) -> BearingText:
        return BearingText(self._text, self._said.lexicon)

    @cached_property
    def _room(self) -> float:
        repeated = {turn for turn in self._claimed if self._repeats(turn)}
        about = [turn for turn in self._claimed if turn not in repeated and self._about(turn)]
        left = len(self._text) - self._length(repeated)
        return room(max(left, 0), self._length(about))

    def _length(self, turns: Iterable[str]) -> int:
        return sum(len(self._said.turns[turn].text) for turn in turns)


@dataclass(frozen=True, eq=False)
class ModelWitness:
    """What a model said of every claim; what it was not asked about is not borne."""

    run: Run
    borne: Mapping[tuple[int, str], float]

    def shares(self, claims: Claims) -> tuple[NDArray[np.float64], int]:
        """Look the claims up."""
        pairs = zip(claims.memory.tolist(), claims.turn, strict=True)
        return np.array([self.borne.get(pair, 0.0) for pair in pairs], dtype=np.float64), 0

    def shares_of_cut(self, claims: Claims, tokens: Sequence[int]) -> NDArray[np.float64]:  # noqa: ARG002 - the seam
        """Credit nothing that does not fit: the model read whole texts."""
        return np.zeros(len(claims.memory))


def verdicts_of(run: Run) -> Mapping[tuple[int, str], float]:
    """Read what a model said of the claims of *run*; what it decided nothing on is not borne.

    Raises:
        RunError: No model was asked.
    """
    from memgauge.runs.layers.witnessing import model_witness

    return {pair: float(bool(verdict)) for pair, verdict in model_witness(run).items()}
