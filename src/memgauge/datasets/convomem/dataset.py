"""ConvoMem (Pakhomov et al. 2025): what up to 300 chats say of a user, by text of messages, streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.datasets.convomem.convert import LAST, entry_of, kind_of
from memgauge.datasets.convomem.schema import stream_cases
from memgauge.datasets.kind import DatasetKind, Option
from memgauge.datasets.trees import TreeStream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from memgauge.datasets.entries import Entry

PATTERNS: Final = ("**/*.json",)
_UNFINISHED: Final = "checkpoint"
"""What stands in the names of files that the benchmark's makers left behind."""


class ConvoMem(TreeStream):
    """The opened folder; every iteration reads its files anew and holds one test case."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield one conversation a test case."""
        for path in self.tree.files:
            if _UNFINISHED in path.name.casefold():
                oddities["files_of_checkpoints"] += 1
                continue
            place = self.tree.place(path).removesuffix(".json")
            folders = [self.tree.folder.name, *place.split("/")[:-1]]
            for number, (_, case) in enumerate(stream_cases(path)):
                oddities["test_cases"] += 1
                if not case.items or not any(chat.messages for chat in case.chats()):
                    oddities["test_cases_without_chats"] += 1
                    continue
                name = f"{place}:{number}"
                yield entry_of(name, kind_of(folders), case, self.identity.options["versions"], oddities)


KIND: DatasetKind = DatasetKind(
    name="convomem",
    summary="Test cases of 2 to 300 chats with a user, six types of questions, evidence by text.",
    licence="CC BY-NC 4.0 (MTEB) or Apache-2.0 (code): read the card",
    homepage="https://github.com/SalesforceAIResearch/ConvoMem",
    opener=lambda request: ConvoMem.opened(KIND, request, PATTERNS),
    options={
        "versions": Option.among(
            "reading of what changed",
            "Which versions of what changed are evidence",
            {LAST: "the last one; earlier ones are stale, as their order suggests", "all": "all of them"},
        )
    },
    paths=True,
)
