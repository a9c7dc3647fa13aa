"""PrecisionMemBench: what must come back, and nothing else, of 35 beliefs (Flynt 2026)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.datasets.files import FileSpec
from memgauge.datasets.kind import DatasetKind, Option, read_flag
from memgauge.datasets.places import FieldPath
from memgauge.datasets.precisionmembench.convert import Beliefs, entries_of_cases, entry_of_session
from memgauge.datasets.precisionmembench.schema import BELIEFS, CASES, SESSION_CASES, read_entries
from memgauge.datasets.trees import TreeStream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.datasets.entries import Entry

_BASE = "https://raw.githubusercontent.com/tenurehq/precisionMemBench/main/fixtures"
_NOTE = "Of the hash of the cases only the beginning is known."
FILES = (
    FileSpec(
        "beliefs.seed.json",
        "35659b3b9a581b644fc6746e1b4e902c3e7b56c0973b546bf7b0816a69e3de98",
        f"{_BASE}/beliefs.seed.json",
    ),
    FileSpec("retrieval.cases.json", "09e99f08…", f"{_BASE}/retrieval.cases.json", note=_NOTE),
    FileSpec("session-retrieval.cases.json", "f24a359c…", f"{_BASE}/session-retrieval.cases.json", note=_NOTE),
)
PATTERNS = ("beliefs.seed.json", "retrieval.cases*.json", "session-retrieval.cases*.json")
"""Excerpts of the cases are called after how many they hold."""


class PrecisionMemBench(TreeStream):
    """The opened benchmark; it is small."""

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:
        """Yield a conversation for each set of beliefs that cases see, then one for each session."""
        beliefs = self.beliefs()
        oddities["beliefs"] += len(beliefs.entries)
        oddities["beliefs_superseded"] += sum(b.superseded_by is not None for b in beliefs.entries)
        oddities["beliefs_pinned"] += sum(b.pinned for b in beliefs.entries)
        oddities["believers"] += len({b.user_id for b in beliefs.entries})
        path = self._only(PATTERNS[1])
        cases = read_entries(path, CASES)
        yield from entries_of_cases(path, cases, beliefs, oddities)
        path = self._only(PATTERNS[2])
        sessions = read_entries(path, SESSION_CASES)
        for number, case in enumerate(sessions):
            oddities["session_cases"] += 1
            yield entry_of_session(FieldPath(str(path)).at(number), case, beliefs, oddities)

    def beliefs(self) -> Beliefs:
        """Read what is believed."""
        path = self._only(PATTERNS[0])
        options = self.identity.options
        entries = read_entries(path, BELIEFS)
        return Beliefs(path, tuple(entries), options["scopes"] == "apart", options["aliases"] == "true")

    def _only(self, pattern: str) -> Path:
        """Return the file of *pattern*: the published one where an excerpt lies beside it."""
        return min(self.tree.named(pattern), key=lambda path: len(path.name))


KIND: DatasetKind = DatasetKind(
    name="precisionmembench",
    summary="35 beliefs of a user; 89 queries, each with the set that must come back and nothing else.",
    licence="MIT",
    homepage="https://github.com/tenurehq/precisionMemBench",
    opener=lambda request: PrecisionMemBench.opened(KIND, request, PATTERNS, FILES),
    files=FILES,
    options={
        "scopes": Option.among(
            "scopes of precisionmembench",
            "What a case sees",
            {"apart": "the beliefs of its own scopes, and universal ones", "together": "all beliefs of the user"},
        ),
        "aliases": Option("false", "Whether the other names of a belief are told with it.", read_flag),
    },
    paths=True,
)
