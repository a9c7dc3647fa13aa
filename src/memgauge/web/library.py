"""The runs of some folders: found again when they change, opened when asked for, forgotten when not looked at."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import MemgaugeError, RunNotFoundError
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.files import DEPTH
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.manifest import FILE as MANIFEST
from memgauge.runs.record.manifest import Manifest
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, file_hash, sealed
from memgauge.runs.record.store import READ, Run, is_run, load
from memgauge.web.derived import PutOff, ScoredTogether
from memgauge.web.keeping import ContentStore
from memgauge.web.recent import RecentCache
from memgauge.web.rereading import RereadRun
from memgauge.web.states import other_state, run_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.scoring.gold import GoldTable
    from memgauge.web.derived import Derivation, DerivedWork

    Clock = Callable[[], float]

T = TypeVar("T")
FRESH_S = 2.0
"""Seconds for which a folder is not looked through again."""
_OWN = ("layers", "scores", "signatures", "played", "timelines", "partial")
"""Folders within a run, where no other run lies."""


@dataclass(frozen=True)
class Item:
    """One run folder as it was found."""

    key: str
    """Its name in addresses."""
    folder: Path
    manifest: Manifest | None
    """``None`` where it cannot be read; *problem* says why."""
    sealed: bool
    problem: str = ""
    stamp: str = ""
    """Changes with every file of the run; of one that is being written with its manifest alone."""

    @property
    def label(self) -> str:
        """Return the name of its system, or of its folder where nobody knows."""
        return self.manifest.system.label if self.manifest else self.folder.name

    @property
    def finished(self) -> bool:
        """Whether it can be scored."""
        return self.sealed and self.manifest is not None


@dataclass(eq=False)
class Library:
    """What pages ask, and nothing else: runs, datasets, gold, and whatever was made of them."""

    roots: tuple[Path, ...]
    clock: Clock = time.monotonic
    store: ContentStore = field(default_factory=ContentStore)
    """Where what is scored over whole boards is kept."""
    puts_off: bool = False
    """Whether a page that needs what takes seconds says so, and is made again when that is there."""
    _looked: tuple[float, tuple[Item, ...], str] | None = None
    _manifests: RecentCache = field(default_factory=lambda: RecentCache(4096))
    _runs: RecentCache = field(default_factory=lambda: RecentCache(6))
    _rows: RecentCache = field(default_factory=lambda: RecentCache(64))
    _data: RecentCache = field(default_factory=lambda: RecentCache(3))
    _cases: RecentCache = field(default_factory=lambda: RecentCache(8))
    _made: RecentCache = field(default_factory=lambda: RecentCache(64))
    _derived: RecentCache = field(default_factory=lambda: RecentCache(8))
    _altered: RecentCache = field(default_factory=lambda: RecentCache(4096))
    _opened: dict[str, Item] = field(default_factory=dict)
    """Runs that were looked into since somebody began to watch."""
    _momentary: bool = False

    def items(self) -> tuple[Item, ...]:
        """Return every run, those of one name by their folders' order."""
        return self._look()[1]

    @property
    def seen(self) -> str:
        """Spell the state of everything that is viewed, as it was at the last look."""
        return self._looked[2] if self._looked else self._look()[2]

    @property
    def stale(self) -> bool:
        """Whether whoever asks next has to look."""
        return self._looked is None or self.clock() - self._looked[0] > FRESH_S

    def _look(self) -> tuple[float, tuple[Item, ...], str]:
        look, now = self._looked, self.clock()
        if look is None or now - look[0] > FRESH_S:
            items = tuple(_named(self._find()))
            about = (f"{item.key}\0{item.folder}\0{item.stamp}\n" for item in items)
            state = hashlib.sha256("".join((other_state(self.roots), *about)).encode("utf-8", "surrogatepass"))
            self._looked = look = (now, items, state.hexdigest())
        return look

    def item(self, key: str) -> Item:
        """Return one run as it was found.

        Raises:
            RunNotFoundError: There is none of this name.
        """
        for item in self.items():
            if item.key == key:
                return item
        raise RunNotFoundError(f"There is no run {key!r} here.", "Choose one of the list of runs.")

    def finished(self) -> list[Item]:
        """Return the runs that can be scored."""
        return [item for item in self.items() if item.finished]

    def run(self, item: Item) -> Run:
        """Open a sealed run, also one that is not as it was sealed: whoever shows it has to say so.

        Raises:
            RunError: It is unfinished.
        """
        self._opened[item.key] = item
        rows = self._rows

        def opened() -> Run:
            run = load(item.folder, altered=True)
            return RereadRun(run.folder, run.manifest, run.seal, run.disclosed, stamp=item.stamp, recent=rows)

        return self._runs.get((item.folder, item.stamp), opened)

    def altered(self, item: Item, *, read: bool = False) -> tuple[str, ...]:
        """Name the files of a finished run that are not as they were sealed; looked at again when they change.

        *read*: its numbers are shown, of which some stand in its journal, that takes longer to look at.
        """
        if not item.finished:
            return ()
        names = (*READ, COST, JOURNAL) if read else (*READ, COST)
        return self._altered.get((item.folder, item.stamp, names), lambda: _altered(item.folder, names))

    def seal_digest(self, item: Item) -> str:
        """Hash the seal of a finished run, which says what is in its files; empty where one is not as sealed."""
        if self.altered(item, read=True):
            return ""
        return self._altered.get((item.folder, item.stamp), lambda: file_hash(item.folder / SEAL))

    def watch(self) -> Callable[[], list[Item]]:
        """Begin to note which runs are looked into, and return what lists them."""
        self._opened, self._momentary = {}, False
        return lambda: list(self._opened.values())

    @property
    def momentary(self) -> bool:
        """Whether a page since then shows what is true of this moment alone, so that nobody may keep it."""
        return self._momentary

    def note_momentary(self) -> None:
        """Say so."""
        self._momentary = True

    def dataset(self, ref: str) -> Dataset:
        """Open the data of a run.

        Raises:
            MemgaugeError: It is not here.
        """
        from memgauge.datasets.catalogue import open_dataset

        try:
            data: Dataset = self._data.get(("dataset", ref), lambda: open_dataset(ref, allow_unpinned=True))
        except MemgaugeError:
            self.note_momentary()  # it may come
            raise
        digests = {
            item.manifest.dataset.sha256
            for item in self.items()
            if item.manifest and item.manifest.dataset.ref == ref
        }
        if digests - {data.identity.sha256}:
            self.note_momentary()  # the state of runs does not tell which data this is
        return data

    def gold(self, ref: str) -> GoldTable:
        """Read the questions and gold of the data of a run."""
        from memgauge.scoring.gold import GoldTable

        return self._data.get(("gold", ref), lambda: GoldTable.read(self.dataset(ref)))

    def case(self, ref: str, conversation: str) -> Case | None:
        """Read one conversation of the data; ``None`` where there is no such one."""

        def find() -> Case | None:
            return next((c for c in self.dataset(ref).cases() if c.conversation.id == conversation), None)

        return self._cases.get((ref, conversation), find)

    def made(self, key: object, items: Sequence[Item], make: Callable[[], T]) -> T:
        """Make something of runs once, and again when one of them has changed."""
        self._opened |= {item.key: item for item in items}
        stamps = tuple((item.folder, item.stamp) for item in items)
        return self._made.get((key, stamps), make)

    def derived(self, derivation: Derivation[T], items: Sequence[Item], *parameters: object) -> T:
        """Return what is scored over many runs: held, kept, or made.

        Raises:
            PutOff: It takes seconds, and whoever asks shall have it made elsewhere meanwhile.
        """
        self._opened |= {item.key: item for item in items}
        work = derivation.work(items, tuple(map(self.seal_digest, items)), parameters, self.store)

        def opened() -> ScoredTogether:
            return ScoredTogether(
                [self.run(item) for item in items], self.gold(work.dataset), self.dataset(work.dataset)
            )

        def make() -> T:
            if not work.large:
                return work.make(opened)
            made = work.kept()
            if made is None and self.puts_off:
                raise PutOff(work)
            return work.apart() if made is None else made

        value: T = self._derived.get(work.memory_key, make)
        return value

    def hold(self, work: DerivedWork[T], value: T) -> None:
        """Hold what was made elsewhere."""
        self._derived.get(work.memory_key, lambda: value)

    def kept(self, path: Path, make: Callable[[Path], T]) -> T:
        """Make something of a file once, and again when it has changed."""
        state = path.stat()
        return self._made.get((path, state.st_mtime_ns, state.st_size, make), lambda: make(path))

    @cached_property
    def everything(self) -> RLock:
        """Held while a page is made: scoring is not written for threads."""
        return RLock()

    def _find(self) -> Iterator[Item]:
        places = set()
        for folder in (folder for root in self.roots for folder in folders(root)):
            place = folder.resolve()
            if place in places:
                continue
            places.add(place)
            manifest = folder / MANIFEST
            try:
                written_ns = manifest.stat().st_mtime_ns
            except OSError:
                continue  # it went away while we looked
            is_sealed = sealed(folder)
            manifest_read, stamp = self._manifest(folder, written_ns), run_state(folder, finished=is_sealed)
            if isinstance(manifest_read, str):
                yield Item("", folder, None, is_sealed, manifest_read, stamp)
            else:
                yield Item("", folder, manifest_read, is_sealed, "", stamp)

    def _manifest(self, folder: Path, written_ns: int) -> Manifest | str:
        def read() -> Manifest | str:
            try:
                return Manifest.read(folder)
            except (MemgaugeError, OSError) as error:
                return str(error)

        return self._manifests.get((folder, written_ns), read)


def _altered(folder: Path, names: Sequence[str]) -> tuple[str, ...]:
    try:
        seal = Seal.read(folder)
        return seal.altered(folder, (*READ, *seal.covered(name for name in names if name not in READ)))
    except MemgaugeError:
        return (SEAL,)


def folders(root: Path, depth: int = 0) -> Iterator[Path]:
    """Yield every run folder at or below *root*, in alphabetical order; nothing within a run is looked at."""
    if is_run(root):
        yield root
        return
    try:
        places = root.iterdir() if depth <= DEPTH else ()
        subfolders = sorted(path for path in places if path.is_dir() and not path.is_symlink())
    except OSError:
        return
    for path in subfolders:
        if not path.name.startswith(".") and path.name not in _OWN:
            yield from folders(path, depth + 1)


def _named(items: Iterator[Item]) -> Iterator[Item]:
    """Give every run a name for addresses: its identity, or its folder's where that cannot be read."""
    from dataclasses import replace

    counts: dict[str, int] = {}
    for item in items:
        name = item.manifest.id if item.manifest else f"unreadable-{item.folder.name}"
        counts[name] = counts.get(name, 0) + 1
        yield replace(item, key=name if counts[name] == 1 else f"{name}~{counts[name]}")
