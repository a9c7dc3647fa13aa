"""Who may stand on boards: every submission with its rows, the level it reached, and what took it away."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from memgauge.submissions.boards.registered import registered
from memgauge.submissions.layout import CARD
from memgauge.submissions.levels import reached_level
from memgauge.submissions.rows.submitted import submitted_rows
from memgauge.systems.conformance.matrix import read_cards

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.submissions.levels import ReachedLevel
    from memgauge.submissions.repository import Repository, SubmissionFolder
    from memgauge.submissions.rows.ledger import Ledger
    from memgauge.submissions.rows.repeated import JudgedVerification
    from memgauge.submissions.rows.submitted import SubmittedRow
    from memgauge.submissions.sheets.registry import LaneSheet, ProductSheet
    from memgauge.submissions.sheets.submission import SubmissionSheet
    from memgauge.submissions.sheets.verdicts import ObjectionSheet, WithdrawalSheet
    from memgauge.systems.conformance.card import SystemCard

AGES: Final = timedelta(days=365)
"""From which age on a row of a provider's model is grey."""


@dataclass(frozen=True, eq=False)
class Entrant:
    """One submission, and all that is known of it."""

    folder: SubmissionFolder = field(repr=False)
    sheet: SubmissionSheet
    product: ProductSheet
    lane: LaneSheet
    level: ReachedLevel
    rows: Mapping[str, SubmittedRow] = field(repr=False)
    """By dataset."""
    problems: tuple[str, ...]
    """Why it lacks rows."""
    card: SystemCard | None = field(repr=False)
    verifications: tuple[JudgedVerification, ...]
    objections: tuple[ObjectionSheet, ...]
    withdrawn: WithdrawalSheet | None
    superseded_by: str
    grey: bool
    """Whether its lane asks a provider's model, and it is older than a year."""

    @property
    def id(self) -> str:
        """Return what it is called."""
        return self.sheet.id

    @property
    def division(self) -> str:
        """Return where it stands: an objection can have moved it."""
        moved = any(each.decision == "move-to-open" for each in self.objections)
        return "open" if moved else self.sheet.division

    @property
    def gone(self) -> str:
        """Say why it stands on no board; empty where it does."""
        if self.withdrawn is not None:
            return f"withdrawn on {self.withdrawn.on} by {self.withdrawn.by}: {self.withdrawn.reason}"
        removed = next((each for each in self.objections if each.decision == "removed"), None)
        if removed is not None:
            return f"removed on {removed.decided_on} by objection {removed.number}: {removed.rule}"
        return f"superseded by {self.superseded_by}" if self.superseded_by else ""

    @property
    def baseline(self) -> bool:
        """Whether it stands beside products."""
        return self.product.role == "baseline"

    @property
    def footnotes(self) -> tuple[str, ...]:
        """What objections leave to be read beside its rows."""
        return tuple(
            f"Objection {each.number} ({each.rule}): {each.footnote or each.decision or 'open'}"
            for each in self.objections
            if each.decision != "none"
        )


def newest_day(repository: Repository, folders: Sequence[SubmissionFolder]) -> str:
    """Return the last day on which anything in a registry happened: the clock of a build, which has no other."""
    days = [folder.sheet.day for folder in folders]
    days += [each.sheet.on for placed in repository.verifications.values() for each in placed]
    days += [each.on for each in repository.withdrawn.values()]
    days += [
        day
        for sheets in repository.objections.values()
        for each in sheets
        for day in (each.raised_on, each.decided_on)
    ]
    return max(filter(None, days), default="")


def entrants(
    repository: Repository, folders: Sequence[SubmissionFolder], ledger: Ledger, day: str
) -> tuple[Entrant, ...]:
    """Give every submission its rows and its level.

    Args:
        repository: The registry.
        folders: Its submissions.
        ledger: Their rows.
        day: From which ages are counted, as ``YYYY-MM-DD``.

    Raises:
        MalformedDataError: A submission names a product or a lane that is not registered.
    """
    later = {folder.sheet.supersedes: folder.id for folder in folders if folder.sheet.supersedes}
    return tuple(_entrant(repository, folder, ledger, day, later.get(folder.id, "")) for folder in folders)


def _entrant(
    repository: Repository, folder: SubmissionFolder, ledger: Ledger, day: str, superseded_by: str
) -> Entrant:
    sheet = folder.sheet
    rows, problems = submitted_rows(ledger, folder.id)
    product = registered(repository.products, sheet.product, "products", folder.place)
    lane = registered(repository.lanes, sheet.lane, "lanes", folder.place)
    verifications = ledger.verifications.get(folder.id, ())
    objections = repository.objections.get(folder.id, ())
    recomputed = not problems and all(
        row.holds and ledger.datasets[row.dataset].status != "retired" for row in rows
    )
    return Entrant(
        folder=folder,
        sheet=sheet,
        product=product,
        lane=lane,
        level=reached_level(
            sheet,
            product,
            recomputed=recomputed,
            verifications=[each.sheet for each in verifications if each.counts],
            uncounted=[each.mark for each in verifications if not each.counts],
            objections=objections,
        ),
        rows={row.dataset: row for row in rows},
        problems=problems,
        card=next(_cards(folder), None),
        verifications=verifications,
        objections=objections,
        withdrawn=repository.withdrawn.get(folder.id),
        superseded_by=superseded_by,
        grey=lane.kind == "paid" and date.fromisoformat(day) - date.fromisoformat(sheet.day) > AGES,
    )


def _cards(folder: SubmissionFolder) -> Iterator[SystemCard]:
    if folder.has(CARD):
        yield from read_cards(folder.file(CARD))
