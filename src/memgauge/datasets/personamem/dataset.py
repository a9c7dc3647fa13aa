"""PersonaMem, both versions: choices among four replies to somebody whom an assistant should know by now."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from memgauge.datasets.choosing import SEARCH, choice_counts, searched
from memgauge.datasets.files import NO_HASH, FileSpec, find_published, sha256_of
from memgauge.datasets.kind import DatasetKind, DatasetRequest
from memgauge.datasets.personamem.first import OfficialFirst
from memgauge.datasets.personamem.reshaped import ReshapedFirst
from memgauge.datasets.personamem.schema import column_of
from memgauge.datasets.personamem.second import HISTORY, OfficialSecond
from memgauge.datasets.tally import tally
from memgauge.records import Case

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.datasets.personamem.entry import PersonaEntry
    from memgauge.records import Choices, Gold

LICENCE = "MIT (v1), CC BY 4.0 (v2)"
HOMEPAGE = "https://github.com/bowen-upenn/PersonaMem"
_FIRST = "https://huggingface.co/datasets/bowen-upenn/PersonaMem-v1/resolve/main"
_SECOND = "https://huggingface.co/datasets/bowen-upenn/PersonaMem-v2/resolve/main"
VARIANTS: dict[str, str] = {
    "32k": "v1, histories of 32 thousand tokens, 589 questions",
    "128k": "v1, histories of 128 thousand tokens",
    "1M": "v1, histories of a million tokens",
    "v2": "200 personas, 5,000 questions, evidence by text",
}
FILES: dict[str, FileSpec] = {
    **{
        size: FileSpec(f"questions_{size}.csv", None, f"{_FIRST}/questions_{size}.csv", size, NO_HASH)
        for size in ("32k", "128k", "1M")
    },
    "v2": FileSpec("benchmark.csv", None, f"{_SECOND}/benchmark/text/benchmark.csv", "v2", NO_HASH),
}
_HISTORIES = tuple(
    FileSpec(f"shared_contexts_{size}.jsonl", None, f"{_FIRST}/shared_contexts_{size}.jsonl", size, NO_HASH)
    for size in ("32k", "128k", "1M")
)


class PersonaSource(Protocol):
    """One of the forms in which the data lies."""

    @property
    def files(self) -> tuple[Path, ...]:
        """List what is read."""
        ...

    def entries(self) -> Iterator[PersonaEntry]:
        """Read history by history."""
        ...


@dataclass(frozen=True)
class PersonaMem:
    """The opened benchmark; every iteration reads the files anew and holds one history."""

    identity: DatasetIdentity
    source: PersonaSource
    search: str
    beside: tuple[Path, ...] = ()
    """What is read beside the file that is named, and so kept from memories: histories say who a persona is."""

    def cases(self) -> Iterator[Case]:
        """Yield one conversation a history; its questions hold no options unless the run says so."""
        return map(self._case, self.source.entries())

    def gold(self) -> Iterator[Gold]:
        """Yield the text of the right option; the letter belongs to a showing."""
        return chain.from_iterable(map(attrgetter("golds"), self.source.entries()))

    def choices(self) -> Iterator[Choices]:
        """Yield the options of every question."""
        return chain.from_iterable(map(attrgetter("choices"), self.source.entries()))

    def describe(self) -> Mapping[str, object]:
        """Count everything: what was left out, and what the options give away."""
        total: Counter[str] = Counter()
        seen: list[Choices] = []
        asked: Counter[tuple[str, str]] = Counter()

        def counted() -> Iterator[tuple[Case, tuple[Gold, ...]]]:
            for entry in self.source.entries():
                roles = Counter(turn.role for turn in entry.case.conversation.turns())
                total.update({f"{role}_turns": n for role, n in roles.items()})
                total["system_turns_left_out"] += entry.system_turns
                total["with_stale"] += sum(bool(gold.stale) for gold in entry.golds)
                total["with_decoys"] += sum(bool(gold.decoys) for gold in entry.golds)
                asked.update((entry.case.conversation.id, each.text) for each in entry.choices)
                seen.extend(entry.choices)
                yield self._case(entry), entry.golds

        counts = tally(counted(), self.identity)
        return {
            **counts,
            **dict(sorted(total.items())),
            "repeated_questions": sum(n - 1 for n in asked.values()),
            **choice_counts(seen),
        }

    def _case(self, entry: PersonaEntry) -> Case:
        questions = (
            replace(question, text=searched(choices.text, choices.options, self.search))
            for question, choices in zip(entry.case.questions, entry.choices, strict=True)
        )
        return Case(entry.case.conversation, tuple(questions))


def open_personamem(request: DatasetRequest) -> PersonaMem:
    """Find and hash the files of a variant, or those at a path; a table says by its columns which version it is.

    Raises:
        DataError: A file is missing, or a table is neither version's.
    """
    identity, path = find_published("personamem", FILES, LICENCE, request)
    source: PersonaSource
    if path.suffix == ".json":
        source = ReshapedFirst(path)
    elif column_of(path, HISTORY):
        source = OfficialSecond(path)
    else:
        source = OfficialFirst(path)
    version = "v2" if isinstance(source, OfficialSecond) else "v1"
    identity = replace(identity, options={**identity.options, "version": version})
    existing = tuple(file for file in source.files if file.is_file())
    if len(existing) > 1:
        listing = "".join(f"{sha256_of(file)}  {file.name}\n" for file in existing)
        identity = replace(identity, sha256=hashlib.sha256(listing.encode()).hexdigest())
    return PersonaMem(identity, source, request.options["search"], _beside(path, existing[1:]))


def _beside(path: Path, files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return folders that hold nothing but histories, and single files where the table lies among them."""
    table = path.resolve()
    folders = (file if table.is_relative_to(file.resolve().parent) else file.parent for file in files)
    return tuple(dict.fromkeys(folders))


KIND = DatasetKind(
    name="personamem",
    summary="Chats with 20 personas (v2: 200); which of four replies fits whoever is asking; options by letter.",
    licence=LICENCE,
    homepage=HOMEPAGE,
    opener=open_personamem,
    files=(*FILES.values(), *_HISTORIES),
    options={"search": SEARCH},
    variants=VARIANTS,
    paths=True,
)
"""What the catalogue knows of PersonaMem."""
