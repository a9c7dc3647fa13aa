"""S14: the boards still build, and no row of anybody else vanishes or moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import UserError
from memgauge.submissions.checks.rulings import cannot, refuse
from memgauge.submissions.site.build import unexplained, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject


def no_other_row_moves(subject: Subject) -> Iterator[CheckFinding]:
    """S14: build all boards with this submission, and hold them against an earlier build without it."""
    place, against = subject.submission.place, subject.against
    if against is None:
        yield cannot(
            place, "no earlier build was named, so other rows were not looked at.", "Name one with --against."
        )
        return
    if not subject.submission.folder.is_relative_to(subject.repository.root):
        yield cannot(place, "it does not lie in the registry yet.", "Move it there, and check again.")
        return
    try:
        view = view_of(subject.repository, against.with_name(f".{against.name}.rows"))
        moved = unexplained(view, against, subject.sheet.product)
    except UserError as error:
        yield refuse(place, f"the boards do not build: {error.what}", error.remedy or "Mend what is named.")
        return
    for row in moved:
        yield refuse(
            f"boards/{row.board}.toml",
            f"{row}.",
            "Change nothing but this submission, or say in the request what moves it.",
        )
