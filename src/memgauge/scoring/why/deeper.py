"""A search asked again and deeper: the writes until then are played anew, and more memories are asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import UnknownNameError, UserError
from memgauge.records import Outcome, Question, Turn
from memgauge.runs.play.engine import run_case
from memgauge.runs.play.opening import Opening
from memgauge.runs.record.manifest import Limits, SystemPart
from memgauge.runs.record.searches import RankedMemory
from memgauge.streams import Ask, SessionEnd, Write, open_stream
from memgauge.systems.catalogue import ours
from memgauge.text.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.records import Case
    from memgauge.runs.record.manifest import Manifest
    from memgauge.runs.record.searches import SearchMoment
    from memgauge.streams import Stream

_SESSION: Final = "stored"
"""The session in which memories of traffic are written again."""


@dataclass(frozen=True)
class DeepRanking:
    """What a system returned that was asked again."""

    system: str
    depth: int
    """How many memories were asked for."""
    played: str
    """What was written before it was asked."""
    hits: tuple[RankedMemory, ...] = ()
    same: int = 0
    """Leading ranks whose texts are those of the record."""
    compared: int = 0
    """Ranks of the record that could be compared."""
    problem: str = ""
    """Why nothing came of it; empty where something did."""

    def bearing(self, turns: Sequence[str], memories: Sequence[str], texts: Sequence[str]) -> list[RankedMemory]:
        """Return the memories that descend from *turns*, have a name of *memories*, or one of *texts*."""
        return [
            hit
            for hit in self.hits
            if set(turns).intersection(hit.sources) or hit.memory in memories or hit.text in texts
        ]


def asked_of_run(manifest: Manifest, case: Case, moment: SearchMoment, ref: str, depth: int) -> DeepRanking:
    """Play the stream of a run until it asks, and ask *ref* for *depth* memories.

    Raises:
        UnknownNameError: There is no such system.
    """
    refused = DeepRanking(ref, depth, "")
    if manifest.system.capabilities.get("role") == "ceiling":
        return replace(refused, problem="a ceiling is told the evidence, and not asked again")
    options = ",".join(f"{name}={value}" for name, value in manifest.stream.parameters.items())
    try:
        protocol = open_stream(manifest.stream.protocol + (f":{options}" if options else ""))
    except UserError as error:
        return replace(refused, problem=str(error).rstrip("."))
    changing = not manifest.system.capabilities.get("read_only_search", True)
    stream = _until(protocol.order(case), moment.name, searches=changing)
    turns = sum(len(event.turns) for event in stream if isinstance(event, Write))
    played = f"{turns:,} turns were written again as the run wrote them"
    return _asked(ref, manifest.seed, depth, moment, stream, played)


def asked_of_traffic(moment: SearchMoment, ref: str, depth: int) -> DeepRanking:
    """Write what was live in the scope of a search anew, and ask *ref* for *depth* memories.

    Raises:
        UnknownNameError: There is no such system.
    """
    live = [stored for stored in moment.stored if stored.live and not moment.apart(stored)]
    refused = DeepRanking(ref, depth, "")
    if moment.query is None or any(stored.text is None for stored in live):
        return replace(refused, problem="content was not captured, so that nothing can be written or asked again")
    turns = [Turn(stored.memory, "", stored.text or "", _SESSION, None, "memory") for stored in live]
    question = Question(moment.name, moment.scope or "unknown", moment.query, "search")
    stream: Stream = (*(Write((turn,)) for turn in turns), SessionEnd(_SESSION), Ask(question))
    played = f"the {len(live):,} memories that were live were written as they stood, not change by change"
    return _asked(ref, 0, depth, moment, stream, played)


def _until(stream: Stream, question: str, *, searches: bool) -> Stream:
    """Cut a stream behind one question; other *searches* are left out where they change nothing."""
    asked = next(place for place, event in enumerate(stream) if _asks(event, question))
    return tuple(
        event for event in stream[: asked + 1] if searches or not isinstance(event, Ask) or _asks(event, question)
    )


def _asks(event: object, question: str) -> bool:
    return isinstance(event, Ask) and event.question.id == question


def _asked(ref: str, seed: int, depth: int, moment: SearchMoment, stream: Stream, played: str) -> DeepRanking:
    opening = Opening(SystemPart(ref=ref, label=ref, name="", version="", capabilities={}), seed)
    limits = Limits(k=depth, retries=0)
    rows = run_case(moment.scope or "unknown", stream, opening, limits, transparent=ours(ref))
    if isinstance(opening.problem, UnknownNameError):
        raise opening.problem
    if opening.problem is not None:
        return DeepRanking(ref, depth, played, problem=f"it is not at hand: {str(opening.problem).rstrip('.')}")
    asked = next(row for row in rows if row["t"] == "question" and row["question"] == moment.name)
    if not Outcome(asked["outcome"]).valid:
        return DeepRanking(ref, depth, played, problem=asked["reason"] or asked["outcome"])
    hits = tuple(_hits(rows, asked))
    known = [hit.text for hit in moment.hits if hit.text is not None]
    pairs = zip(known, hits, strict=False)
    differ = (place for place, (text, hit) in enumerate(pairs) if text != hit.text)
    return DeepRanking(ref, depth, played, hits, next(differ, min(len(known), len(hits))), len(known))


def _hits(rows: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]) -> list[RankedMemory]:
    memories = {row["row"]: row for row in rows if row["t"] == "memory"}
    return [
        RankedMemory(
            rank,
            memories[row]["memory"],
            memories[row]["version"],
            score,
            memories[row]["text"],
            count_tokens(memories[row]["text"]),
            memories[row]["channel"] or "",
            sources=tuple(memories[row]["sources"]),
        )
        for rank, (row, score) in enumerate(zip(asked["memories"], asked["scores"], strict=True), 1)
    ]
