"""The gold of a dataset as columns, read once for all runs that are scored on it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import IdentityError
from memgauge.measures import Anchors
from memgauge.records import EvidencePolicy, Gold, Items, Question, Unlabelled
from memgauge.scoring.said import Conversations, ConversationSize, size_of
from memgauge.scoring.voiced import Truth

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset, DatasetIdentity
    from memgauge.records import Contract
    from memgauge.runs.record.store import Run


NOT_RUN = "not part of this run"


@dataclass(frozen=True, eq=False)
class GoldTable:
    """Every question with its gold, in the order of the dataset; no conversation is kept."""

    identity: DatasetIdentity
    questions: tuple[Question, ...]
    golds: tuple[Gold, ...]
    conversations: Conversations = field(default_factory=Conversations)
    """How long they are; what was said in them is read when a witness asks."""

    @classmethod
    def read(cls, dataset: Dataset) -> GoldTable:
        """Read the questions and gold of *dataset*, and the texts of its evidence."""
        golds = tuple(dataset.gold())
        questions, sizes, evidence = list[Question](), dict[str, ConversationSize](), dict[tuple[str, str], str]()
        for case in dataset.cases():
            own = golds[len(questions) : len(questions) + len(case.questions)]
            questions += case.questions
            sizes[case.conversation.id] = size_of(case.conversation)
            wanted = {turn for gold in own for turn in gold.anchors(EvidencePolicy.REPAIR)}
            evidence |= {
                (case.conversation.id, turn.id): turn.text
                for turn in case.conversation.turns()
                if turn.id in wanted
            }
        return cls(dataset.identity, tuple(questions), golds, Conversations(sizes, evidence, dataset))

    @cached_property
    def truth(self) -> Truth:
        """What the dataset knows to be true; read when a measure asks for it."""
        return Truth.of(self.conversations.dataset)

    @cached_property
    def number(self) -> dict[str, int]:
        """The place of each question."""
        return {question.id: place for place, question in enumerate(self.questions)}

    @cached_property
    def turn_number(self) -> dict[tuple[str, str], int]:
        """A number for every (conversation, turn) that is evidence of anything; other turns earn nothing."""
        pairs = (
            (question.conversation, turn)
            for question, gold in zip(self.questions, self.golds, strict=True)
            for turn in gold.anchors(EvidencePolicy.REPAIR)
        )
        return {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}

    def anchors(self, policy: EvidencePolicy) -> Anchors:
        """Return the evidence of all questions under *policy*; many runs ask for the same."""
        if policy not in self._anchors:
            self._anchors[policy] = self._gathered(policy)
        return self._anchors[policy]

    @cached_property
    def _anchors(self) -> dict[EvidencePolicy, Anchors]:
        return {}

    def _gathered(self, policy: EvidencePolicy) -> Anchors:
        pairs = [
            (place, self.turn_number[question.conversation, turn])
            for place, (question, gold) in enumerate(zip(self.questions, self.golds, strict=True))
            for turn in gold.anchors(policy)
        ]
        columns = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        return Anchors(np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1]))

    def exclusions(self, contract: Contract) -> list[str]:
        """Say for every question why *contract* leaves it out, or give an empty text; asked once for all runs."""
        key = contract.evidence, contract.items, contract.unlabelled
        if key not in self._exclusions:
            self._exclusions[key] = tuple(self._reasons(contract))
        return list(self._exclusions[key])

    def shared(self, reasons: Iterable[str]) -> tuple[str, ...]:
        """Return why each question is left out of a run: runs that ended alike hold one tuple."""
        ended = tuple(reasons)
        return self._shared.setdefault(ended, ended)

    @cached_property
    def _shared(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        return {}

    def without_evidence(self, policy: EvidencePolicy) -> NDArray[np.bool_]:
        """(Q,) mark the questions that name no evidence, as *policy* reads it."""
        named = np.bincount(self.anchors(policy).query, minlength=len(self.questions))
        return np.asarray(named == 0, dtype=np.bool_)

    @cached_property
    def _exclusions(self) -> dict[tuple[EvidencePolicy, Items, Unlabelled], tuple[str, ...]]:
        return {}

    def _reasons(self, contract: Contract) -> Iterator[str]:
        for gold in self.golds:
            reason = gold.why_no_anchors(contract.evidence) or ""
            if contract.unlabelled is Unlabelled.MISS:
                reason = ""
            if not reason and contract.items is Items.CLEAN and gold.erratum and gold.erratum.counts:
                reason = f"label in doubt: {gold.erratum.kind}"
            yield reason

    def require(self, run: Run) -> None:
        """Make sure that *run* was made on this data.

        Raises:
            IdentityError: It was not.
        """
        wanted = run.manifest.dataset
        if wanted.sha256 != self.identity.sha256 or wanted.options != dict(self.identity.options):
            raise IdentityError(
                f"{run.folder} was made on {wanted.ref} (sha256 {wanted.sha256[:12]}), "
                f"but {self.identity.ref} here is {self.identity.sha256[:12]}.",
                "Score it with the data that it names.",
            )
