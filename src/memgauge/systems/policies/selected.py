"""The shift study's policies as memories: flat, gated, by session, by tree, and fused with recency.

All of them keep every turn and see the same view of what was heard so far; they differ in what they choose from it
(:mod:`memgauge.retrieval.selection`). Terms are ``[a-z']+``, weighed over what was heard.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pydantic import TypeAdapter, ValidationError

from memgauge.errors import ConfigError
from memgauge.misfits import first_misfit
from memgauge.records import ScoreKind
from memgauge.retrieval.selection import flat, fusion, gated, hsr, raptor
from memgauge.systems.policies.indexed import IndexedPolicy
from memgauge.systems.policies.viewing import Needs, ViewIndex
from memgauge.systems.policies.writing import TURNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge import ranges
    from memgauge.records import Memory, Scope, Turn
    from memgauge.retrieval.selection import Selection

    Summaries = Mapping[str, Mapping[str, str]]
    """By user and session."""


@dataclass(kw_only=True, eq=False)
class SelectedPolicy(IndexedPolicy):
    """Selects from one view of everything heard; each turn is filed under the session in which it was said."""

    score_kind = ScoreKind.SIMILARITY
    sees: ClassVar[Needs] = Needs.NOTHING
    as_heard: bool = False
    """The study's policies read the words alone."""
    seed: int = field(default=0, init=False)
    store: str = field(default=TURNS, init=False)

    def __post_init__(self) -> None:
        """Know no summaries."""
        super().__post_init__()
        self._summaries: Summaries = {}

    @abstractmethod
    def _selection(self) -> Selection:
        """Say how turns are selected."""

    def _new_index(self, scope: Scope) -> ViewIndex:
        summaries = self._summaries.get(scope.user, {})
        return ViewIndex(self._selection(), self.sees, seed=self.seed, summaries=summaries)

    def _memory(self, turn: Turn) -> Memory:
        return replace(super()._memory(turn), channel=turn.session)


class Flat(SelectedPolicy):
    """Ranks turns by TF-IDF cosine as the shift study does. Tie rule: the later turn first."""

    name = "flat"

    def _selection(self) -> Selection:
        return flat


@dataclass(kw_only=True, eq=False)
class Gated(SelectedPolicy):
    """Ranks like flat, and returns nothing where even the best is less similar than the gate. Tie rule: flat's."""

    name = "gated"

    gate: ranges.Share = 0.2

    def _selection(self) -> Selection:
        return partial(gated, gate=self.gate)


@dataclass(kw_only=True, eq=False)
class Hsr(SelectedPolicy):
    """Ranks the turns of the sessions whose summaries fit best; what belongs to no session is never found.

    A session is summarised by its first eight turns so far, or by what *summaries* gives: a JSON file
    ``{user: {session: text}}``. Tie rule: the later turn first.
    """

    name = "hsr"
    sees = Needs.SUMMARIES

    top: ranges.Count = 2
    summaries: str | None = None

    def __post_init__(self) -> None:
        """Read the summaries that are given."""
        super().__post_init__()
        if self.summaries is not None:
            self._summaries = read_summaries(Path(self.summaries))

    def _selection(self) -> Selection:
        return partial(hsr, summaries=self.top)


@dataclass(kw_only=True, eq=False)
class Raptor(SelectedPolicy):
    """Ranks the best branches of a tree of clusters, and the latest turns. Tie rule: the later turn first.

    The tree is grown anew when a session begins; what came after is always a candidate.
    """

    name = "raptor"
    sees = Needs.TREE

    buffer: ranges.Number = 20
    seed: ranges.Seed = 0

    def _selection(self) -> Selection:
        return partial(raptor, buffer=self.buffer)


@dataclass(kw_only=True, eq=False)
class Fusion(SelectedPolicy):
    """Ranks what the tree leads to and the latest turns by similarity that fades with age. Tie rule: as raptor."""

    name = "fusion"
    sees = Needs.TREE
    score_kind = ScoreKind.FUSED

    alpha: ranges.Share = 0.5
    tau: ranges.Span = 50.0
    recent: ranges.Number = 50
    seed: ranges.Seed = 0

    def _selection(self) -> Selection:
        return partial(fusion, alpha=self.alpha, tau=self.tau, recent=self.recent)


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
        raise ConfigError(f"{path}: {first_misfit(error, 'the file itself')}.", remedy) from error
