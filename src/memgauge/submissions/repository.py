"""A registry on the disk: its sheets by name, and its submissions one by one; nothing is computed here."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.records import Contract
from memgauge.scoring.score import Settings
from memgauge.submissions.layout import POINTER, SHEET
from memgauge.submissions.opening import lies, own, own_bundle
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.pointer import PointerSheet
from memgauge.submissions.sheets.registry import (
    BoardSheet,
    ContractSheet,
    DatasetSheet,
    JudgeSheet,
    LaneSheet,
    ProductSheet,
)
from memgauge.submissions.sheets.submission import SubmissionSheet
from memgauge.submissions.sheets.verdicts import ObjectionSheet, VerificationSheet, WithdrawalSheet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.sheets.submission import SubmittedRun

N = TypeVar("N", ProductSheet, LaneSheet, ContractSheet, DatasetSheet, JudgeSheet, BoardSheet)
A = TypeVar("A", VerificationSheet, ObjectionSheet, WithdrawalSheet)

SUBMISSIONS: Final = "submissions"
VERIFICATIONS: Final = "verifications"
WITHDRAWN: Final = "withdrawn"
OBJECTIONS: Final = "objections"
RULES: Final = "rules"


@dataclass(frozen=True)
class SubmissionFolder:
    """One submission as it lies there."""

    root: Path
    """Of the registry."""
    folder: Path

    @cached_property
    def sheet(self) -> SubmissionSheet:
        """The sheet.

        Raises:
            MalformedDataError: It is none; file and field are named.
        """
        return read_sheet(SubmissionSheet, self.folder / SHEET, f"{self.place}/{SHEET}", self.root)

    @property
    def place(self) -> str:
        """Return where it lies, below the root."""
        return self.folder.relative_to(self.root).as_posix()

    @property
    def product(self) -> str:
        """Return what its folders call the product."""
        return self.folder.parts[-3]

    @property
    def id(self) -> str:
        """Return what its folders call it."""
        product, version, name = self.folder.parts[-3:]
        return f"{product}-{version}/{name}"

    def has(self, name: str) -> bool:
        """Whether anything of this name lies in it."""
        return lies(self.folder / name)

    def file(self, name: str) -> Path:
        """Return one of its files, to be read.

        Raises:
            MalformedDataError: It is no file of its own; see :func:`memgauge.submissions.opening.own`.
        """
        return own(self.root, self.folder / name)

    def bundle_of(self, run: SubmittedRun) -> Path:
        """Return where the bundle of a run lies.

        Raises:
            DataNotFoundError: A pointer leads to an address, which is never fetched by itself.
            MalformedDataError: A pointer is none, or the bundle no file of its own.
        """
        path = self.folder / run.bundle
        if not path.name.endswith(POINTER):
            return own_bundle(self.root, path)
        pointer = read_sheet(PointerSheet, path, f"{self.place}/{run.bundle}", self.root)
        if pointer.url:
            raise DataNotFoundError(
                f"{self.place}/{run.bundle} leads to {pointer.url}, which is not fetched.",
                f"Fetch it, and put it to {path.with_name(path.name.removesuffix(POINTER) + '.zip')}.",
            )
        return own_bundle(self.root, self.root / pointer.path)


@dataclass(frozen=True)
class PlacedVerification:
    """One verification as it lies there."""

    path: Path
    sheet: VerificationSheet


@dataclass(frozen=True)
class Repository:
    """Everything that a registry holds; sheets are read when they are asked for."""

    root: Path

    @classmethod
    def at(cls, root: Path) -> Repository:
        """Open the registry at *root*.

        Raises:
            DataNotFoundError: There is none.
        """
        if not (root / "registry").is_dir():
            raise DataNotFoundError(
                f"{root} is no registry of results: it has no folder `registry`.",
                "Name one, such as `results` in a checkout of memgauge.",
            )
        return cls(root)

    @cached_property
    def products(self) -> Mapping[str, ProductSheet]:
        """Products and baselines by name."""
        return self._named(ProductSheet, "registry/products")

    @cached_property
    def lanes(self) -> Mapping[str, LaneSheet]:
        """Lanes by name."""
        return self._named(LaneSheet, "registry/lanes")

    @cached_property
    def contracts(self) -> Mapping[str, ContractSheet]:
        """Contracts by name."""
        return self._named(ContractSheet, "registry/contracts")

    @cached_property
    def datasets(self) -> Mapping[str, DatasetSheet]:
        """Datasets by name."""
        return self._named(DatasetSheet, "registry/datasets")

    @cached_property
    def judges(self) -> Mapping[str, JudgeSheet]:
        """Judges by name."""
        return self._named(JudgeSheet, "registry/judges")

    @cached_property
    def boards(self) -> Mapping[str, BoardSheet]:
        """Boards by name."""
        return self._named(BoardSheet, "boards")

    @property
    def newest_rules(self) -> str:
        """Return the version of the newest rules.

        Raises:
            DataNotFoundError: The registry has none.
        """
        known = [path.stem for path in (self.root / RULES).glob("*.md")]
        if not known:
            raise DataNotFoundError(f"{self.root / RULES} holds no rules.", "Add rules/YEAR.NUMBER.md.")
        return max(known, key=rules_order)

    def dataset_of(self, run: SubmittedRun) -> DatasetSheet | None:
        """Find the dataset that a run names; ``None`` where it is not registered."""
        return next(
            (
                sheet
                for sheet in self.datasets.values()
                if (sheet.ref, sheet.first) == (run.dataset_ref, run.first)
                and sheet.sha256.startswith(run.dataset_digest)
            ),
            None,
        )

    def submissions(self) -> Iterator[SubmissionFolder]:
        """Yield every submission, by name; withdrawn ones too."""
        for path in sorted((self.root / SUBMISSIONS).glob(f"*/*/*/{SHEET}")):
            yield SubmissionFolder(self.root, path.parent)

    @cached_property
    def submitted_bundles(self) -> frozenset[str]:
        """The sha256 of every bundle that was submitted."""
        return frozenset(run.sha256 for each in self.submissions() for run in each.sheet.runs)

    @cached_property
    def verifications(self) -> Mapping[str, tuple[PlacedVerification, ...]]:
        """Verifications by submission, oldest first; whether they hold is judged elsewhere."""
        by_submission: defaultdict[str, list[PlacedVerification]] = defaultdict(list)
        for path, sheet in self._sheets(VerificationSheet, f"{VERIFICATIONS}/*/*/*/*.toml"):
            by_submission[sheet.submission].append(PlacedVerification(path, sheet))
        return {
            submission: tuple(sorted(sheets, key=lambda placed: (placed.sheet.on, placed.path.name)))
            for submission, sheets in by_submission.items()
        }

    @cached_property
    def objections(self) -> Mapping[str, tuple[ObjectionSheet, ...]]:
        """Objections by submission, by number."""
        return self._by_submission(ObjectionSheet, f"{OBJECTIONS}/*.toml")

    @cached_property
    def withdrawn(self) -> Mapping[str, WithdrawalSheet]:
        """Tombstones by submission."""
        every = self._by_submission(WithdrawalSheet, f"{WITHDRAWN}/*/*/*.toml")
        return {submission: sheets[-1] for submission, sheets in every.items()}

    def _named(self, kind: type[N], folder: str) -> dict[str, N]:
        sheets = {}
        for path in sorted((self.root / folder).glob("*.toml")):
            sheet = read_sheet(kind, path, f"{folder}/{path.name}", self.root)
            if sheet.name != path.stem:
                raise MalformedDataError(
                    f"{folder}/{path.name}: name: is {sheet.name!r}, and the file is called {path.stem!r}.",
                    "Give both the same name.",
                )
            sheets[sheet.name] = sheet
        return sheets

    def _by_submission(self, kind: type[A], pattern: str) -> dict[str, tuple[A, ...]]:
        sheets: defaultdict[str, list[A]] = defaultdict(list)
        for _, sheet in self._sheets(kind, pattern):
            sheets[sheet.submission].append(sheet)
        return {submission: tuple(each) for submission, each in sheets.items()}

    def _sheets(self, kind: type[A], pattern: str) -> Iterator[tuple[Path, A]]:
        for path in sorted(self.root.glob(pattern)):
            yield path, read_sheet(kind, path, path.relative_to(self.root).as_posix(), self.root)


def rules_order(version: str) -> list[int]:
    """Return what a version of the rules is sorted by."""
    return [int(part) for part in version.split(".") if part.isdigit()]


def settings_of(contract: ContractSheet) -> Settings:
    """Return how runs are scored under a registered contract."""
    return Settings(Contract.parse(contract.contract), contract.measures, contract.k)
