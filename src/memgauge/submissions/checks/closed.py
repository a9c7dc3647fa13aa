"""What Closed fixes: contract, k, dataset, lane, and eight settings a round, none of them chosen on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.streams import CLEAN
from memgauge.submissions.checks.rulings import ask, refuse
from memgauge.submissions.layout import SHEET

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

SETTINGS: Final = 8
"""Of a product that may enter Closed in a round."""


def as_the_board(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse what a board fixes and these runs have otherwise, and what belongs in Open."""
    sheet, repository = subject.sheet, subject.repository
    contract = repository.contracts.get(sheet.contract)
    for number, (bundle, run) in enumerate(subject.runs):
        manifest, registered = run.manifest, subject.registered(bundle.named)
        if contract is not None and manifest.limits.k != contract.k:
            yield refuse(
                bundle.file,
                f"k is {manifest.limits.k}, and {contract.name} needs {contract.k}.",
                f"Run with --k {contract.k}, or submit to Open.",
            )
        if manifest.stream.protocol != CLEAN.name:
            yield refuse(
                bundle.file,
                f"was played by the protocol {manifest.stream.protocol!r}.",
                "Closed takes conversations as they are.",
            )
        if registered is None:
            continue
        boards = [
            board
            for board in repository.boards.values()
            if (board.division, board.lane, board.dataset, board.contract)
            == ("closed", sheet.lane, registered.name, sheet.contract)
        ]
        if not boards:
            yield refuse(
                SHEET,
                f"no closed board has {registered.name}, {sheet.contract} and {sheet.lane}.",
                "Submit to Open, or propose a board.",
                f"runs.{number}",
            )
    beside = _closed_of_the_product(subject)
    if beside >= SETTINGS:
        yield ask(
            SHEET,
            f"is number {beside + 1} of {sheet.product} in Closed in half a year.",
            f"At most {SETTINGS} settings of a product enter Closed in a round: which one leaves?",
            "division",
        )
    looked_at = sorted(set(sheet.tuned_on) & _names_of_datasets(subject))
    if looked_at:
        yield refuse(
            SHEET,
            f"names {looked_at[0]}, on which the board stands.",
            "Settings that were chosen on the questions of a board belong in Open (`--division open`).",
            "tuned_on",
        )
    refs = {run.manifest.system.ref for _, run in subject.runs}
    if len(refs) > 1:
        yield refuse(
            SHEET, f"has runs under {len(refs)} settings.", "Closed takes one setting for all datasets.", "runs"
        )


def _closed_of_the_product(subject: Subject) -> int:
    """Count what else of the product stands in Closed since the half-year began; there are two rounds a year."""
    sheet = subject.sheet
    others = [folder.sheet for folder in subject.others if folder.id not in subject.repository.withdrawn]
    corrected = {each.supersedes for each in (*others, sheet)}
    return sum(
        each.product == sheet.product
        and each.division == "closed"
        and _half_year(each.day) == _half_year(sheet.day)
        and each.id not in corrected
        for each in others
    )


def _half_year(day: str) -> tuple[str, bool]:
    return day[:4], day[5:7] > "06"


def _names_of_datasets(subject: Subject) -> set[str]:
    """Return what the datasets of the runs are called, in runs and in the registry; a split is none of these."""
    registered = (subject.registered(named) for named in subject.sheet.runs)
    names = {sheet.name for sheet in registered if sheet is not None}
    return (
        names
        | {named.dataset_ref for named in subject.sheet.runs}
        | {named.dataset for named in subject.sheet.runs}
    )
