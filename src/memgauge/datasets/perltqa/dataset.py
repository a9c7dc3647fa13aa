"""PerLTQA (Du et al. 2024): long-term memories of invented people; evidence names memories, which are sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.datasets.kind import DatasetKind, Option
from memgauge.datasets.perltqa.convert import MEMORY, SENTENCE, entry_of
from memgauge.datasets.perltqa.schema import read_questions, stream_people
from memgauge.datasets.trees import TreeStream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from memgauge.datasets.entries import Entry

MEMORIES: Final = "perltmem*.json"
QUESTIONS: Final = "perltqa*.json"


class PerLtqa(TreeStream):
    """The opened pair of files; memories are read one person at a time."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a person who is asked about."""
        asked = read_questions(self.tree.named(QUESTIONS)[0])
        seen = set[str]()
        for place, name, person in stream_people(self.tree.named(MEMORIES)[0]):
            seen.add(name)
            if not asked.get(name):
                oddities["people_without_questions"] += 1
                continue
            yield entry_of(place, name, person, asked[name], oddities, self.identity.options["turns"])
        oddities["people_without_memories"] += len(asked.keys() - seen)


KIND: DatasetKind = DatasetKind(
    name="perltqa",
    summary="Invented people with profiles, relationships, events and dialogues, evidence by session.",
    licence="CC BY-NC 4.0",
    homepage="https://github.com/Elvin-Yiming-Du/PerLTQA",
    opener=lambda request: PerLtqa.opened(KIND, request, (MEMORIES, QUESTIONS)),
    options={
        "turns": Option.among(
            "turns of perltqa",
            "What a turn is",
            {
                SENTENCE: "a sentence, so that evidence names sessions and no turn",
                MEMORY: "a memory whole, so that evidence names turns",
            },
        )
    },
    paths=True,
)
