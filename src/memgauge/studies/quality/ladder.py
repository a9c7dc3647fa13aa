"""The document's six kinds of systems, as six systems that can be run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.runs.play.plan import Plan, plan
from memgauge.runs.record.manifest import limits
from memgauge.systems.policies.embedding import open_embedder, stand_ins_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LADDER = "ladder"
"""What stands for all rungs where systems are named."""
WINDOW = 100
"""Turns that a context of its own holds: it finds nothing, and shows all that it has."""
_WORDS = "stem=english,stop=lucene"
_PLAIN = "as_heard=false"
"""Texts are the words of a turn, as the figures of the page have it."""


@dataclass(frozen=True)
class Rung:
    """One kind of system and what stands for it."""

    name: str
    """As in the document's table."""
    ref: str
    shows: int | None = None
    """Hits that it gives the model; ``None`` where it finds, and gives as many as are asked for."""


def ladder(embedder: str | None = None) -> tuple[Rung, ...]:
    """Return the rungs, lowest first; vectors are MiniLM's where its weights are at hand, else the stand-in's.

    The same words (English, stemmed, without stop words) are used wherever words are compared. A chunk is one
    exchange, so that five hits of any rung hold about as much text.
    """
    vectors = embedder or best_embedder()
    return (
        Rung("context only", f"recency:{_PLAIN}", WINDOW),
        Rung("vector store", f"dense:embedder={vectors},{_PLAIN}"),
        Rung("chunks + reranking", f"chunks:turns=2,embedder={vectors},speaker=true"),
        Rung("hybrid", f"hybrid:embedder={vectors},{_WORDS},{_PLAIN}"),
        Rung("hybrid + temporal", f"temporal:embedder={vectors},{_WORDS},{_PLAIN}"),
        Rung("full pipeline", "pipeline:embedder=none" if vectors == "hashed" else f"pipeline:embedder={vectors}"),
    )


def best_embedder() -> str:
    """Name MiniLM where it is at hand, installed too, else the stand-in that sees shared words only."""
    return "hashed" if stand_ins_of(open_embedder("best")) else "minilm"


def planned(
    dataset: str,
    rungs: Sequence[Rung],
    *,
    k: int,
    conversations: int | None = None,
    allow_unpinned: bool = False,
) -> Plan:
    """Plan one run of each rung on *dataset*: what finds keeps *k* hits a question, a context all of its turns.

    Raises:
        UserError: As :func:`memgauge.runs.play.plan.plan` does.
    """
    plans = [
        plan(
            [dataset],
            [rung.ref],
            limits=limits(k=rung.shows or k),
            conversations=conversations,
            allow_unpinned=allow_unpinned,
        )
        for rung in rungs
    ]
    return Plan(tuple(cell for rung_plan in plans for cell in rung_plan.cells), plans[0].datasets)


def rungs_of(systems: Sequence[str], embedder: str | None = None) -> tuple[Rung, ...]:
    """Spell out ``ladder`` where it is named among *systems*; others stand for themselves, each once."""
    rungs = [rung for ref in systems for rung in (ladder(embedder) if ref == LADDER else (Rung(ref, ref),))]
    return tuple({rung.ref: rung for rung in rungs}.values())
