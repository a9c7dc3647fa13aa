"""A run beside another one of the same system in which one thing was changed, each with its gold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from memgauge.errors import ConfigError, IdentityError
from memgauge.registry import Ref
from memgauge.scoring.factors import differences
from memgauge.scoring.score import DatasetSampling
from memgauge.stats import estimates
from memgauge.streams import open_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.records import Case, Gold
    from memgauge.runs.record.store import Run
    from memgauge.scoring.compliance import ComplianceTest
    from memgauge.scoring.gold import GoldTable
    from memgauge.streams import Stream

_FAILED: Final = frozenset({"error", "timeout"})


@dataclass(frozen=True, eq=False)
class PlayedSide:
    """A run, and the gold of the dataset that it was played on."""

    run: Run
    gold: GoldTable

    @cached_property
    def outcomes(self) -> Mapping[str, str]:
        """How each question of the run ended."""
        columns = self.run.questions
        return dict(zip(columns["question"].tolist(), columns["outcome"].tolist(), strict=True))

    @cached_property
    def failures(self) -> list[str]:
        """Say why each search failed that did."""
        ended = zip(self.run.questions["outcome"].tolist(), self.run.questions["reason"].tolist(), strict=True)
        return [str(reason) for outcome, reason in ended if outcome in _FAILED]

    def ended(self, question: str) -> bool:
        """Whether a question was asked and has a result, be it an empty one."""
        return self.outcomes.get(question, "error") not in _FAILED

    def cases(self) -> Iterator[tuple[Case, Sequence[Gold]]]:
        """Yield the conversations of the dataset with their gold."""
        dataset, start = self.gold.conversations.dataset, 0
        for case in dataset.cases() if dataset is not None else ():
            yield case, self.gold.golds[start : start + len(case.questions)]
            start += len(case.questions)

    def hits(self, questions: Sequence[str], depth: int) -> Mapping[str, list[dict[str, Any]]]:
        """Return the hits of questions, a conversation at a time; none are empty."""
        searched = [name for name in questions if self.outcomes.get(name) == "ok"]
        return self.run.hits_of(searched, depth) if searched else {}


@dataclass(frozen=True, eq=False)
class PlayedPair:
    """An original and what became of it when one thing was changed."""

    original: PlayedSide
    changed: PlayedSide

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """Where each question of the original stands after the change: by id, or by place where ids are others.

        Raises:
            ConfigError: The changed dataset has other questions.
        """
        before, after = self.original.gold, self.changed.gold
        if all(question.id in after.number for question in before.questions):
            return np.array([after.number[question.id] for question in before.questions], dtype=np.intp)
        if len(before.questions) != len(after.questions):
            raise ConfigError("The changed dataset has other questions.", "Play the original again.")
        return np.arange(len(before.questions))

    def name(self, question: str) -> str:
        """Return what a question of the original is called after the change."""
        return self.changed.gold.questions[int(self.place[self.original.gold.number[question]])].id

    def streams(self) -> Iterator[tuple[Case, Sequence[Gold], Stream]]:
        """Yield each conversation as it was, with its gold, and the stream that was played in its place."""
        part = self.changed.run.manifest.stream
        protocol = open_stream(str(Ref(part.protocol, params=part.parameters)))
        played = (case for case, _ in self.changed.cases())
        now = next(played, None)
        for case, golds in self.original.cases():
            if now is None or now.conversation.id != case.conversation.id:
                continue  # nothing was left of it
            yield case, golds, protocol.order(now)
            now = next(played, None)

    def share(self, values: Mapping[str, float]) -> tuple[float | None, float | None, int]:
        """Return the interval of the mean of values in 0 to 1 over conversations, and their number."""
        gold = self.original.gold
        column, defined = np.zeros((len(gold.questions), 1)), np.zeros((len(gold.questions), 1), dtype=np.bool_)
        for name, value in values.items():
            column[gold.number[name]], defined[gold.number[name]] = value, True
        estimate = estimates(column, DatasetSampling.of(gold).clusters, defined, shares=True)[0]
        return estimate.low, estimate.high, estimate.units

    def require(self, test: ComplianceTest) -> None:
        """Make sure that both runs differ in what a test changes and in nothing else.

        Raises:
            IdentityError: They differ in more, or not in that.
        """
        a, b = self.original.run.manifest, self.changed.run.manifest
        if test.change:
            named = b.dataset.options.get("of") == a.dataset.ref and b.dataset.options.get("change") == test.change
            alike = named and a.stream == b.stream and differences(a, b, "stream") == ["dataset"]
        else:
            alike = not differences(a, b, "stream") and b.stream.protocol == test.stream
        if not alike:
            raise IdentityError(
                f"{b.id} is not {a.id} with {test.name} alone.", "Play both with `memgauge results comply`."
            )
