"""Options of `memgauge study shift run`: what differs from the preset, and who plays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path  # noqa: TC003 - the command line reads annotations
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from memgauge.frame.numbers import COUNT, DURATION, HITS, NUMBER, SEED
from memgauge.frame.options import Flag, Repeatable, SystemRefs

if TYPE_CHECKING:
    from memgauge.studies.shift.protocol.spec import ShiftSpec


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ProtocolOptions:
    """What differs from the preset."""

    place: Literal["after_evidence", "session_end", "as_asked"] | None = None
    """Where questions are asked."""
    bursts: Annotated[tuple[int, ...], Repeatable, NUMBER] = ()
    """Turns of an interruption (m); repeat for several. The clean stream is always played."""
    interrupted: Annotated[int | None, COUNT] = None
    """Questions after a boundary that are interrupted (N)."""
    source: Literal["same_conversation", "past_sessions", "other_conversations"] | None = None
    """Where distractors come from."""
    sampling: Literal["fixed_burst", "fresh"] | None = None
    """Whether every burst is drawn with the same seed."""
    memory: Literal["persist", "isolated"] | None = None
    """How long distractors stay."""
    filing: Annotated[
        Literal["exempt", "current", "pseudo_session"] | None, Parameter(name="--distractor-filing")
    ] = None
    """Under which session a policy files distractors."""
    fit: Literal["all", "prefix"] | None = None
    """Whether term statistics know the future."""
    summaries: Literal["dataset", "extractive"] | None = None
    """What a session is summarised by."""
    supplied: Path | None = None
    """A JSON file of summaries instead, as `memgauge study shift summaries` prints them."""
    dedupe: Annotated[bool | None, Flag] = None
    """Let copies of a turn stand for it once."""
    budget: Annotated[int | None, COUNT] = None
    """The newest so many items that a policy may search (C)."""
    categories: Annotated[tuple[str, ...], Repeatable] = ()
    """Only these categories of questions; repeat for several."""
    k: Annotated[int | None, HITS] = None
    """Hits that count."""
    horizon: Annotated[int | None, COUNT] = None
    """Questions after a boundary that Recovery@T pools (T)."""
    seed: Annotated[int | None, SEED] = None
    """Seed of the distractors and of the tree."""

    def over(self, preset: ShiftSpec) -> ShiftSpec:
        """Change what was named."""
        from memgauge.studies.shift.protocol.spec import Summaries

        kinds = {f.name: type(getattr(preset, f.name)) for f in fields(preset)}
        changes = {name: getattr(self, name) for name in kinds if getattr(self, name) not in {None, ()}}
        if self.supplied is not None:
            changes["summaries"] = Summaries.SUPPLIED
        if self.bursts:
            changes["bursts"] = tuple(sorted({0, *self.bursts}))  # everything is compared with the clean stream
        return replace(preset, **{k: kinds[k](v) if isinstance(v, str) else v for k, v in changes.items()})


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class CastOptions:
    """Who plays and who answers."""

    policy: Annotated[tuple[str, ...], Repeatable] = ()
    """Simulated: flat, gated, hsr, raptor, fusion, dense, recency, ucb, thompson or none; default: the paper's."""
    system: SystemRefs = ()
    """Memory systems that live through the stream, as `memgauge run` takes them; repeat."""
    embedder: str | None = None
    """Sentence vectors of simulated policies: an installed model, hashed, or `openai:NAME@ADDRESS`."""
    answerer: str = "extractive"
    """Who answers from what was found, for the answer-level check."""
    timeout: Annotated[float, DURATION] = 60.0
    """Seconds that one call of a system may take."""
