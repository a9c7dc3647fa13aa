"""The errors of the witness of words, where it is known which turn a memory was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from memgauge.datasets.base import HasDescendants
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError
from memgauge.scoring.said import ConversationText
from memgauge.scoring.witness import ClaimReading
from memgauge.text.witness import BearingText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.records import Memory, Turn

    Likenesses = list[tuple[float, bool]]

SEED: Final = 20261122
OTHERS: Final = 4
"""Turns of the same session, and as many of others, that each pair of a memory and its turn is set against."""
ACCEPTED: Final = 0.05
"""False accepts at which false rejects are compared."""


class LikenessSample(NamedTuple):
    """Likeness of memories to turns, and whether they are taken to be about them: (2, N) each."""

    own: NDArray[np.float64]
    """That they were made from."""
    same: NDArray[np.float64]
    """Others of the same session."""
    other: NDArray[np.float64]
    """Those of other sessions."""


def witness() -> Mapping[str, float]:
    """Measure the witness on LoCoMo's observations, each an abstract of turns that it names."""
    sample = _observations()
    own_likenesses, accepted_sets = sample.own
    figures = {"pairs": float(len(own_likenesses))}
    for name, (likenesses, accepted) in (("same_session", sample.same), ("other_session", sample.other)):
        limit = float(np.quantile(likenesses, 1 - ACCEPTED))
        figures |= {
            f"auc_{name}": auc(own_likenesses, likenesses),
            f"false_reject_{name}": float((own_likenesses <= limit).mean()),
            f"false_accept_{name}_as_set": float(accepted.mean()),
        }
    return figures | {"false_reject_as_set": float(1 - accepted_sets.mean())} | _made()


def auc(higher: NDArray[np.float64], lower: NDArray[np.float64]) -> float:
    """Return how often a value of *higher* lies above one of *lower*, ties counting half (Mann-Whitney)."""
    sorted_lower = np.sort(lower)
    below, upto = np.searchsorted(sorted_lower, higher, "left"), np.searchsorted(sorted_lower, higher, "right")
    return float(((below + upto) / 2).mean() / len(lower))


def _observations() -> LikenessSample:
    dataset = open_dataset("locomo")
    if not isinstance(dataset, HasDescendants):
        raise ConfigError("LoCoMo has no observations here.", "Restore its file.")
    parts = [
        part
        for case in dataset.cases()
        for part in _likenesses(
            ConversationText.of(case.conversation), dataset.descendants(case.conversation.id)["observation"]
        )
    ]
    return LikenessSample(*(np.array([value for part in parts for value in part[n]]).T for n in range(3)))


def _likenesses(
    conversation: ConversationText, memories: Sequence[Memory]
) -> Iterator[tuple[Likenesses, Likenesses, Likenesses]]:
    """Yield, for every pair of a memory and a turn that it names, its likeness to that and to other turns."""
    rng = np.random.default_rng(SEED)
    names = list(conversation.turns)
    for memory in memories:
        statement = BearingText(memory.text, conversation.lexicon)
        for source in memory.sources:
            session = conversation.turns[source].session
            strangers = [name for name in names if name not in memory.sources]
            same_session = [name for name in strangers if conversation.turns[name].session == session]
            other_session = [name for name in strangers if conversation.turns[name].session != session]
            pools = (
                [source],
                *(
                    [pool[n] for n in rng.integers(len(pool), size=OTHERS)]
                    for pool in (same_session, other_session)
                ),
            )
            own_likenesses, near_likenesses, far_likenesses = (
                [
                    (statement.likeness(conversation.passages[name]), statement.about(conversation.passages[name]))
                    for name in pool_names
                ]
                for pool_names in pools
            )
            yield own_likenesses, near_likenesses, far_likenesses


def _made() -> dict[str, float]:
    """Reword every turn of a synthetic world by rule, and see how much of it each rewording is said to bear."""
    worlds = [ConversationText.of(case.conversation) for case in open_dataset("synthetic:small").cases()]
    rng = np.random.default_rng(SEED)
    rewordings: Mapping[str, Callable[[Turn], str]] = {
        "verbatim": lambda turn: f"Memory of {turn.speaker}: {turn.text.upper()}",
        "extract": _half,
        "reworded": lambda turn: _reworded(turn, rng),
    }
    figures = dict[str, float]()
    for name, reword in rewordings.items():
        shares = [
            ClaimReading(reword(turn), (turn.id,), world).share(turn.id)
            for world in worlds
            for turn in world.turns.values()
        ]
        figures |= {
            f"{name}_rejected": float(np.mean(np.equal(shares, 0))),
            f"{name}_share": float(np.mean(shares)),
        }
    return figures


def _half(turn: Turn) -> str:
    """Keep the second half of what was said, under the name of who said it."""
    words = turn.text.split()
    return f"{turn.speaker}: {' '.join(words[len(words) // 2 :])}"


def _reworded(turn: Turn, rng: np.random.Generator) -> str:
    """Say it of a third person, without one word in four, in another order."""
    words = [_THIRD.get(word.casefold(), word) for word in turn.text.split()]
    words = [word for word in words if rng.random() > 0.25] or words
    turning = int(rng.integers(len(words))) if words else 0
    return f"It was said by {turn.speaker} that {' '.join(words[turning:] + words[:turning])}"


_THIRD: Final = {
    "i": "they",
    "my": "their",
    "me": "them",
    "we": "they",
    "our": "their",
    "am": "is",
    "i'm": "they are",
}
