"""MemoryAgentBench: four splits of long texts with questions, one row held at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

from memgauge.datasets.files import NO_HASH, FileSpec, find_published
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option, read_whole_number
from memgauge.datasets.memoryagentbench.convert import AgentBenchCase, agent_case
from memgauge.datasets.memoryagentbench.schema import stream_agent_rows
from memgauge.datasets.tally import tally
from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.records import Case, Fact, Gold

LICENCE = "MIT"
HOMEPAGE = "https://huggingface.co/datasets/ai-hyz/MemoryAgentBench"
VARIANTS: dict[str, str] = {
    "conflict": "8 rows of FactConsolidation: facts that later facts replace",
    "retrieval": "22 rows: RULER, EventQA, merged histories",
    "learning": "6 rows: labels learned from examples, recommendations",
    "long": "110 rows: summaries, detective stories",
}
_SPLITS = {
    "conflict": "Conflict_Resolution",
    "retrieval": "Accurate_Retrieval",
    "learning": "Test_Time_Learning",
    "long": "Long_Range_Understanding",
}
FILES: dict[str, FileSpec] = {
    variant: FileSpec(
        f"{split}-00000-of-00001.parquet",
        None,
        f"{HOMEPAGE}/resolve/main/data/{split}-00000-of-00001.parquet",
        variant,
        NO_HASH,
    )
    for variant, split in _SPLITS.items()
}


@dataclass(frozen=True)
class MemoryAgentBench:
    """One opened split; every iteration reads the file anew and holds one row."""

    identity: DatasetIdentity
    path: Path
    chunk_tokens: int

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a row, in the order of the file."""
        # Unlike the variable of a loop, map keeps nothing of the row before.
        return map(attrgetter("case"), self._rows())

    def gold(self) -> Iterator[Gold]:
        """Yield what is accepted; evidence of single-hop questions is inferred, and its raw text says so."""
        return chain.from_iterable(map(attrgetter("golds"), self._rows()))

    def truth(self) -> Iterator[Fact]:
        """Yield what the facts of FactConsolidation state; they have an order and no dates."""
        return chain.from_iterable(map(attrgetter("truth"), self._rows()))

    def describe(self) -> Mapping[str, object]:
        """Count everything in one reading: how many questions are about a conflict at all, among the rest."""
        total: Counter[str] = Counter()

        def counted() -> Iterator[tuple[Case, tuple[Gold, ...]]]:
            for row in self._rows():
                total["facts"] += row.facts
                total["facts_unread"] += row.unread
                total["evidence_inferred"] += sum(bool(gold.evidence) for gold in row.golds)
                total["with_rival"] += sum(bool(gold.stale) or bool(gold.erratum) for gold in row.golds)
                total["gold_is_older"] += sum(bool(gold.erratum) for gold in row.golds)
                yield row.case, row.golds

        counts = tally(counted(), self.identity)
        names = ("facts", "facts_unread", "evidence_inferred", "with_rival", "gold_is_older")
        return {
            **counts,
            **{name: total[name] for name in names},
            "without_rival": total["evidence_inferred"] - total["with_rival"],
        }

    def _rows(self) -> Iterator[AgentBenchCase]:
        return map(partial(agent_case, chunk_tokens=self.chunk_tokens), stream_agent_rows(self.path))


def open_memoryagentbench(request: DatasetRequest) -> MemoryAgentBench:
    """Find and hash the file of a split, or the file at a path.

    Raises:
        DataError: The file is missing.
    """
    published = find_published("memoryagentbench", FILES, LICENCE, request)
    return MemoryAgentBench(*published, int(request.options["chunk_tokens"]))


def read_chunk_tokens(text: str) -> str:
    """Read how many tokens a chunk may have.

    Raises:
        ConfigError: It is no number, or too small for a sentence.
    """
    tokens = read_whole_number(text)
    if int(tokens) < 16:
        raise ConfigError(f"A chunk of {tokens} tokens holds no sentence.", "Name at least 16.")
    return tokens


KIND = DatasetKind(
    name="memoryagentbench",
    summary="Long texts told in pieces; FactConsolidation: 800 questions on facts that newer facts replace.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_memoryagentbench,
    files=tuple(FILES.values()),
    options={
        "chunk_tokens": Option(
            "4096", "Tokens of a session of facts, or of a chunk of other texts.", read_chunk_tokens
        )
    },
    variants=VARIANTS,
    paths=True,
)
"""What the catalogue knows of MemoryAgentBench."""
