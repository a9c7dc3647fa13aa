"""Contextual bandits: which arm to pull where, learned from the rewards of the arms that were pulled."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]


class Learner(ABC):
    """Counts pulls and rewards of every arm in every context apart."""

    def __init__(self, arms: int, seed: int) -> None:
        self.arms = arms
        self.random = np.random.default_rng(seed)
        self.pulls: defaultdict[Hashable, Floats] = defaultdict(lambda: np.zeros(arms))
        self.rewards: defaultdict[Hashable, Floats] = defaultdict(lambda: np.zeros(arms))

    def choose(self, context: Hashable) -> int:
        """Choose the arm with the best index; arms of equal index in a random order."""
        index = self.index(self.pulls[context], self.rewards[context])
        order = self.random.permutation(self.arms)
        return int(order[np.argmax(index[order])])

    def learn(self, context: Hashable, arm: int, reward: float) -> None:
        """Learn what pulling *arm* brought, from 0 to 1."""
        self.pulls[context][arm] += 1
        self.rewards[context][arm] += reward

    @abstractmethod
    def index(self, pulls: Floats, rewards: Floats) -> Floats:
        """Say how promising each arm is after so many pulls with so much reward."""


class Ucb(Learner):
    """Upper confidence bound: mean + sqrt(2 ln n / n_arm); an arm never pulled comes first.

    Source: UCB1 (Auer, Cesa-Bianchi and Fischer 2002, figure 1), once for every context.
    """

    def index(self, pulls: Floats, rewards: Floats) -> Floats:
        """Return the upper bounds."""
        tried = np.maximum(pulls, 1)
        bounds = rewards / tried + np.sqrt(2 * np.log(max(float(pulls.sum()), 1.0)) / tried)
        return np.where(pulls > 0, bounds, np.inf)


class Thompson(Learner):
    """Thompson sampling: a draw from Beta(1 + hits, 1 + misses) for every arm (Thompson 1933)."""

    def index(self, pulls: Floats, rewards: Floats) -> Floats:
        """Draw a mean for each arm."""
        return self.random.beta(1 + rewards, 1 + pulls - rewards)


LEARNERS: Mapping[str, Callable[[int, int], Learner]] = {"thompson": Thompson, "ucb": Ucb}
