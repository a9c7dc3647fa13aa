"""The shift study's policies as memories: flat, gated, by session, by tree, and fused with recency.

All of them keep every turn and see the same view of what was heard so far; they differ in what they choose from it
(:mod:`memgauge.retrieval.selection`). Terms are ``[a-z']+``, weighed over what was heard.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import TypeAdapter, ValidationError

from memgauge.errors import ConfigError
from memgauge.records import ScoreKind
from memgauge.retrieval.selection import flat, fusion, gated, hsr, raptor
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.systems.policies.viewing import Needs, ViewIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.records import Memory, Scope, Turn
    from memgauge.retrieval.selection import Selection

    Summaries = Mapping[str, Mapping[str, str]]
    """By user and session."""


class SelectedPolicy(IndexedPolicy):
    """Selects from one view of everything heard; each turn is filed under the session in which it was said."""

    score_kind = ScoreKind.SIMILARITY
    select: Selection
    sees: ClassVar[Needs] = Needs.NOTHING

    def __init__(self, *, seed: int = 0, speaker: bool = False, capacity: int | None = None) -> None:
        super().__init__(speaker=speaker, capacity=capacity)
        self._seed = seed
        self._summaries: Summaries = {}

    def new_index(self, scope: Scope) -> ViewIndex:
        """Make an empty view."""
        return ViewIndex(self.select, self.sees, seed=self._seed, summaries=self._summaries.get(scope.user, {}))

    def _memory(self, turn: Turn) -> Memory:
        return replace(super()._memory(turn), channel=turn.session)


class Flat(SelectedPolicy):
    """Ranks turns by TF-IDF cosine as the shift study does. Tie rule: the later turn first."""

    name = "flat"

    def __init__(self, *, speaker: bool = False, capacity: int | None = None) -> None:
        super().__init__(speaker=speaker, capacity=capacity)
        self.select = flat


class Gated(SelectedPolicy):
    """Ranks like flat, and returns nothing where even the best is less similar than the gate. Tie rule: flat's."""

    name = "gated"

    def __init__(self, *, gate: float = 0.2, speaker: bool = False, capacity: int | None = None) -> None:
        super().__init__(speaker=speaker, capacity=capacity)
        self.select = partial(gated, gate=gate)


class Hsr(SelectedPolicy):
    """Ranks the turns of the sessions whose summaries fit best; what belongs to no session is never found.

    A session is summarised by its first eight turns so far, or by what *summaries* gives: a JSON file
    ``{user: {session: text}}``. Tie rule: the later turn first.
    """

    name = "hsr"
    sees = Needs.SUMMARIES

    def __init__(
        self,
        *,
        top: int = 2,
        summaries: str | None = None,
        speaker: bool = False,
        capacity: int | None = None,
    ) -> None:
        super().__init__(speaker=speaker, capacity=capacity)
        self.select = partial(hsr, summaries=top)
        self._summaries = {} if summaries is None else read_summaries(Path(summaries))


class Raptor(SelectedPolicy):
    """Ranks the best branches of a tree of clusters, and the latest turns. Tie rule: the later turn first.

    The tree is grown anew when a session begins; what came after is always a candidate.
    """

    name = "raptor"
    sees = Needs.TREE

    def __init__(
        self, *, buffer: int = 20, seed: int = 0, speaker: bool = False, capacity: int | None = None
    ) -> None:
        super().__init__(seed=seed, speaker=speaker, capacity=capacity)
        self.select = partial(raptor, buffer=buffer)


class Fusion(SelectedPolicy):
    """Ranks what the tree leads to and the latest turns by similarity that fades with age. Tie rule: as raptor."""

    name = "fusion"
    sees = Needs.TREE
    score_kind = ScoreKind.FUSED

    def __init__(
        self,
        *,
        alpha: float = 0.5,
        tau: float = 50.0,
        recent: int = 50,
        seed: int = 0,
        speaker: bool = False,
        capacity: int | None = None,
    ) -> None:
        super().__init__(seed=seed, speaker=speaker, capacity=capacity)
        self.select = partial(fusion, alpha=alpha, tau=tau, recent=recent)


def read_summaries(path: Path) -> Summaries:
    """Read what sessions are summarised by.

    Raises:
        ConfigError: It cannot be read as ``{user: {session: text}}``.
    """
    remedy = "Write {user: {session: text}} as JSON; `memgauge study shift summaries` makes one from a dataset."
    try:
        return TypeAdapter(dict[str, dict[str, str]]).validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"Cannot read summaries from {path}: {error.strerror}.", remedy) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file itself"
        raise ConfigError(f"{path}: {where}: {first['msg']}.", remedy) from error
