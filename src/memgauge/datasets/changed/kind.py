"""Any benchmark with one thing changed: ``changed:renamed-values,of=locomo,seed=3``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Final

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.changed.clock import ShiftedClock
from memgauge.datasets.changed.entry import CaseWithGold
from memgauge.datasets.changed.evidence import RemovedBystanders, RemovedEvidence
from memgauge.datasets.changed.identifiers import RenamedIds
from memgauge.datasets.changed.repeated import QuestionsTwice
from memgauge.datasets.changed.values import RenamedValues
from memgauge.datasets.entries import EntryStream
from memgauge.datasets.kind import DatasetKind, DatasetRequest, Option, read_whole_number
from memgauge.errors import ConfigError
from memgauge.registry import Ref, parse_ref

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.datasets.entries import Entry

VERSION: Final = 1
"""Of what the changes do: another version is other data."""
_SOURCE: Final = "of."
"""What the options of the source begin with."""
Change = Callable[[CaseWithGold], CaseWithGold | None]
"""Changes one conversation; ``None`` where nothing is left of it."""


@dataclass(frozen=True)
class ChangeKind:
    """One way to change a benchmark."""

    summary: str
    make: Callable[[int, int], Change]
    """From a seed and a number of years."""
    takes: str = ""
    """The option that it reads: ``seed``, ``years`` or none."""


CHANGES: Final[Mapping[str, ChangeKind]] = {
    "renamed-values": ChangeKind(
        "other names, places and figures, everywhere alike", lambda seed, _: RenamedValues(seed).entry, "seed"
    ),
    "renamed-ids": ChangeKind(
        "other ids of turns, sessions, conversations and questions", lambda seed, _: RenamedIds(seed).entry, "seed"
    ),
    "shifted-clock": ChangeKind("all times and years moved", lambda _, years: ShiftedClock(years).entry, "years"),
    "removed-evidence": ChangeKind("without the turns that are evidence", lambda *_: RemovedEvidence().entry),
    "removed-bystanders": ChangeKind(
        "without some turns that nothing is asked about", lambda seed, _: RemovedBystanders(seed).entry, "seed"
    ),
    "questions-twice": ChangeKind(
        "every question also early, and once more at the end", lambda *_: QuestionsTwice().entry
    ),
}
"""Every change by name; a new one is its module and one line here."""


@dataclass(frozen=True)
class Changed(EntryStream):
    """A benchmark with one thing changed, one conversation at a time."""

    identity: DatasetIdentity
    source: Dataset
    change: Change

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:  # noqa: ARG002 - nothing is odd
        """Yield each conversation with its questions and what is right, as changed."""
        golds = iter(self.source.gold())
        for case in self.source.cases():
            changed = self.change(CaseWithGold(case, tuple(islice(golds, len(case.questions)))))
            del case  # a conversation may be large
            if changed is not None:
                yield changed.case, changed.golds

    def describe(self) -> Mapping[str, object]:
        """Count what is there."""
        return self._counts

    @cached_property
    def _counts(self) -> Mapping[str, object]:
        return super().describe()


@dataclass(frozen=True)
class ChangedKind(DatasetKind):
    """Takes the options of its source too, as ``of.NAME``."""

    def open(self, ref: Ref, *, root: Path | None = None, allow_unpinned: bool = False) -> Dataset:
        """Open the source, and change it.

        Raises:
            UnknownNameError: A change, a benchmark or an option that does not exist.
            ConfigError: No source is named, or the change does not take an option.
            DataError: The source cannot be read.
        """
        from memgauge.datasets.catalogue import open_dataset  # which knows this kind

        if not ref.variant or not ref.params.get("of"):
            raise ConfigError(
                f"{ref} does not say what is changed, and how.",
                "Write it as changed:renamed-ids,of=synthetic:small.",
            )
        own = {name: value for name, value in ref.params.items() if not name.startswith(_SOURCE)}
        request = self.request(Ref(ref.name, ref.variant, own), root=root, allow_unpinned=allow_unpinned)
        kind = CHANGES[request.variant]
        for name in own:
            if name not in {"of", kind.takes}:
                raise ConfigError(f"{request.variant} takes no {name}.", "Leave it out.")
        source = open_dataset(_source(ref), root=root, allow_unpinned=allow_unpinned)
        options = request.options
        return Changed(
            _identity(request, source.identity, kind),
            source,
            kind.make(int(options["seed"]), int(options["years"])),
        )


def _source(ref: Ref) -> str:
    """Put the text of the source together again."""
    named = parse_ref(ref.params["of"])
    theirs = {name.removeprefix(_SOURCE): v for name, v in ref.params.items() if name.startswith(_SOURCE)}
    return str(Ref(named.name, named.variant, {**named.params, **theirs}))


def changed_ref(change: str, source: str, **options: int) -> str:
    """Write what opens *source* with one thing changed."""
    named = parse_ref(source)
    theirs = {f"{_SOURCE}{name}": value for name, value in named.params.items()}
    own = {name: str(value) for name, value in options.items()}
    return str(Ref("changed", change, {"of": str(Ref(named.name, named.variant)), **theirs, **own}))


def _identity(request: DatasetRequest, source: DatasetIdentity, kind: ChangeKind) -> DatasetIdentity:
    options = {kind.takes: request.options[kind.takes]} if kind.takes else {}
    own = {name: int(value) for name, value in options.items() if value != KIND.options[name].default}
    spelled = "\n".join((f"memgauge changed {VERSION}", request.variant, *map(str, sorted(options.items()))))
    whole = f"{spelled}\n{source.sha256}\n{sorted(source.options.items())}"
    return DatasetIdentity(
        ref=changed_ref(request.variant, source.ref, **own),
        name="changed",
        sha256=sha256(whole.encode("utf-8", "surrogatepass")).hexdigest(),
        options={"change": request.variant, "of": source.ref, **options},
        pinned=source.pinned,
        licence=source.licence,
        source=source.source,
    )


def _without_source(request: DatasetRequest) -> Dataset:
    """Say that a change needs something to change; :meth:`ChangedKind.open` opens the source itself."""
    raise ConfigError(f"{request.ref} names no benchmark to change.", "Say of=NAME.")


KIND = ChangedKind(
    name="changed",
    summary="Any other benchmark with one thing changed, by which a memory is tested for how it answers.",
    licence="as the source",
    homepage="",
    opener=_without_source,
    options={
        "of": Option("", "Which benchmark is changed; its own options follow as of.NAME."),
        "seed": Option("0", "Of what is drawn; any whole number.", read_whole_number),
        "years": Option("1", "How far the clock is moved; 28 keeps weekdays and leap days.", read_whole_number),
    },
    variants={name: kind.summary for name, kind in CHANGES.items()},
)
