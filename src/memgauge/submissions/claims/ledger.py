"""The ledger of claims: every sheet below a registry, with what can be said of its numbers, and their counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.submissions.claims.comparing import beside_run
from memgauge.submissions.claims.ours import own_runs
from memgauge.submissions.claims.verdicts import ClaimVerdict, from_rows
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.claim import ClaimSheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from memgauge.submissions.claims.ours import OwnRun
    from memgauge.submissions.claims.verdicts import ClaimFinding
    from memgauge.submissions.sheets.claim import ClaimedNumber

CLAIMS: Final = "claims"
"""Below the root of a registry: ``claims/<product>/<source>.toml``."""
SETTLED: Final = frozenset({ClaimVerdict.AGREES, ClaimVerdict.DIFFERS})


@dataclass(frozen=True)
class ClaimFile:
    """A sheet and where it lies below the root."""

    place: str
    sheet: ClaimSheet


@dataclass(frozen=True)
class JudgedClaim:
    """A published number and what can be said of it."""

    place: str
    sheet: ClaimSheet
    number: ClaimedNumber
    rows: ClaimFinding
    runs: tuple[ClaimFinding, ...]
    """Beside every run of ours of the product on the same dataset."""

    @property
    def finding(self) -> ClaimFinding:
        """Return what says most: its own rows, else a run that may be compared, else why there is neither."""
        if self.rows.verdict is not ClaimVerdict.NOT_RECOMPUTABLE:
            return self.rows
        return next((run for run in self.runs if run.verdict in SETTLED), next(iter(self.runs), self.rows))

    @property
    def recomputed(self) -> bool:
        """Whether its own rows gave a number."""
        return self.rows.verdict in SETTLED


def read_claims(root: Path) -> Iterator[ClaimFile]:
    """Yield every sheet of the ledger below *root*, by name.

    Raises:
        DataNotFoundError: There is no ledger.
        MalformedDataError: A sheet is none, or lies in the folder of another product; file and field are named.
    """
    if not (root / CLAIMS).is_dir():
        raise DataNotFoundError(
            f"{root} holds no ledger of claims: it has no folder `{CLAIMS}`.",
            "Name a registry, such as `results` in a checkout of memgauge.",
        )
    for path in sorted((root / CLAIMS).glob("*/*.toml")):
        place = path.relative_to(root).as_posix()
        sheet = read_sheet(ClaimSheet, path, place, root)
        if sheet.product != path.parent.name:
            raise MalformedDataError(
                f"{place}: product: is {sheet.product!r}, and the folder is called {path.parent.name!r}.",
                "Give both the same name.",
            )
        yield ClaimFile(place, sheet)


def judged(files: Iterable[ClaimFile], runs: Iterable[OwnRun]) -> tuple[JudgedClaim, ...]:
    """Set every number beside its own rows, and beside the runs of its product on its dataset."""
    ours = tuple(runs)
    return tuple(
        JudgedClaim(
            file.place,
            file.sheet,
            number,
            from_rows(number, file.sheet.setting_of(number).questions),
            tuple(beside_run(file.sheet, number, run) for run in ours if _alike(file.sheet, number, run)),
        )
        for file in files
        for number in file.sheet.numbers
    )


def _alike(sheet: ClaimSheet, number: ClaimedNumber, run: OwnRun) -> bool:
    return (run.product, run.dataset) == (sheet.product, sheet.setting_of(number).dataset)


def judged_ledger(root: Path) -> tuple[JudgedClaim, ...]:
    """Read the ledger below *root* and say of every number what can be said."""
    return judged(read_claims(root), own_runs(root))


def claims_figures(root: Path) -> dict[str, int]:
    """Count the ledger below *root*: what is claimed of whom, what was computed again, and what came of it."""
    return figures_of(judged_ledger(root))


def figures_of(claims: Sequence[JudgedClaim]) -> dict[str, int]:
    """Count claims, products, sources, what was computed again, and verdicts."""
    verdicts = Counter(claim.finding.verdict for claim in claims)
    return {
        "claims": len(claims),
        "products": len({claim.sheet.product for claim in claims}),
        "sources": len({claim.place for claim in claims}),
        "claims_recomputed": sum(claim.recomputed for claim in claims),
        **{verdict.name.lower(): verdicts[verdict] for verdict in ClaimVerdict},
    }
