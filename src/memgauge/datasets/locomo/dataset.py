"""LoCoMo: ten long two-person conversations (Maharana et al. 2024), with its published doubts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.errata import load_errata
from memgauge.datasets.files import FileSpec, locate, verify
from memgauge.datasets.kind import CAPTIONS, DatasetKind, DatasetRequest, Option
from memgauge.datasets.locomo.convert import CATEGORIES, case_of, gold_of, observations, summaries
from memgauge.datasets.locomo.report import report
from memgauge.datasets.locomo.schema import read_samples
from memgauge.records import Case
from memgauge.registry import named, require_known

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.locomo.schema import SampleEntry
    from memgauge.records import Conversation, Gold, Memory

FILE = FileSpec(
    name="locomo10.json",
    sha256="79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    url="https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
)
LICENCE = "CC BY-NC 4.0"
ALL = "all"


@dataclass(frozen=True)
class Locomo:
    """The opened benchmark; it is small enough to be held whole."""

    identity: DatasetIdentity
    path: Path
    captions: bool
    categories: frozenset[str]

    def cases(self) -> Iterator[Case]:
        """Yield the conversations that something is asked about, in the order of the file."""
        return (case for case, _ in self._entries)

    def gold(self) -> Iterator[Gold]:
        """Yield gold with the evidence as written and as repaired, and with its published doubts."""
        return (gold for _, golds in self._entries for gold in golds)

    def describe(self) -> Mapping[str, object]:
        """Count everything, and name every malformed evidence entry and repeated question."""
        return report(self._entries, self.identity, self._samples)

    def descendants(self, conversation: str) -> Mapping[str, tuple[Memory, ...]]:
        """Return LoCoMo's own ``observation`` and ``summary`` memories of one conversation.

        Raises:
            UnknownNameError: No such conversation.
        """
        samples = {sample.sample_id: sample for sample in self._samples}
        derived = named("conversation of locomo", conversation, samples), self._conversations[conversation]
        return {"observation": observations(*derived), "summary": summaries(*derived)}

    @cached_property
    def _samples(self) -> list[SampleEntry]:
        return read_samples(self.path)

    @cached_property
    def _all_cases(self) -> list[Case]:
        return [case_of(self.path, sample, captions=self.captions) for sample in self._samples]

    @cached_property
    def _conversations(self) -> dict[str, Conversation]:
        return {case.conversation.id: case.conversation for case in self._all_cases}

    @cached_property
    def _entries(self) -> tuple[tuple[Case, tuple[Gold, ...]], ...]:
        errata = load_errata("locomo")
        chosen = []
        for case, sample in zip(self._all_cases, self._samples, strict=True):
            turns = frozenset(turn.id for turn in case.conversation.turns())
            asked = [
                (q, e) for q, e in zip(case.questions, sample.qa, strict=True) if q.category in self.categories
            ]
            if asked:
                golds = tuple(gold_of(entry, q.id, turns, errata.get(q.id)) for q, entry in asked)
                chosen.append((Case(case.conversation, tuple(q for q, _ in asked)), golds))
        return tuple(chosen)


def open_locomo(request: DatasetRequest) -> Locomo:
    """Find, verify and open the file.

    Raises:
        DataError: The file is missing, or is not the published one.
    """
    options = request.options
    file = verify("locomo", FILE, locate("locomo", FILE, request.root), allow_unpinned=request.allow_unpinned)
    identity = DatasetIdentity(
        ref=request.ref,
        name="locomo",
        sha256=file.sha256,
        options=options,
        pinned=file.pinned,
        licence=LICENCE,
        source=FILE.url,
    )
    chosen = CATEGORIES.values() if options["categories"] == ALL else options["categories"].split("+")
    return Locomo(identity, file.path, options["captions"] == "true", frozenset(chosen))


def read_categories(text: str) -> str:
    """Read ``all``, or numbers and names joined by ``+``, as names in the order of their numbers."""
    known = {str(number): name for number, name in CATEGORIES.items()} | {n: n for n in CATEGORIES.values()}
    wanted = [part.strip() for part in text.split("+")]
    if wanted == [ALL]:
        return ALL
    require_known("category of locomo", wanted, known)
    chosen = {known[part] for part in wanted}
    return ALL if len(chosen) == len(CATEGORIES) else "+".join(n for n in CATEGORIES.values() if n in chosen)


KIND = DatasetKind(
    name="locomo",
    summary="10 long conversations of two friends, 1,986 questions in five categories, evidence by turn.",
    licence=LICENCE,
    homepage="https://github.com/snap-research/locomo",
    opener=open_locomo,
    files=(FILE,),
    options={
        "captions": CAPTIONS,
        "categories": Option(
            ALL, "Which categories are asked: numbers or names joined by +, e.g. 1+2+4.", read_categories
        ),
    },
)
