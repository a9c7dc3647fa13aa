"""S13, S15 and S16: the statement is made, the rules are those in force, and the rows may be given away."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from memgauge.submissions.checks.rulings import ask, refuse
from memgauge.submissions.layout import SHEET, STATEMENT
from memgauge.submissions.opening import own
from memgauge.submissions.packing.statement import HEADINGS, unsaid
from memgauge.submissions.repository import RULES
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_IN_FORCE: Final = re.compile(r"^In force from (\d{4}-\d{2}-\d{2})\.$", re.MULTILINE)
_ZONES: Final = timedelta(days=1)
"""Where a submitter lives, it may be tomorrow."""


def statement_made(subject: Subject) -> Iterator[CheckFinding]:
    """S13: every heading of the statement has its words, and relations are declared."""
    sheet = subject.sheet
    for heading in unsaid(text_file(subject.submission.file(STATEMENT))):
        yield refuse(STATEMENT, "is missing, or says nothing.", f"Say {HEADINGS[heading]}.", heading)
    product = subject.product
    if product is None:
        return
    owner = product.home.partition("/")[0].casefold()
    if owner == sheet.submitter.github.casefold() and sheet.submitter.relation == "none":
        yield ask(
            SHEET,
            f"{product.title} is developed at {product.home}.",
            "Is the submitter its vendor?",
            "submitter.relation",
        )
    if product.own and sheet.submitter.relation != "memgauge-author":
        yield ask(
            SHEET,
            f"{product.title} is memgauge's own.",
            "Is the submitter one of its authors?",
            "submitter.relation",
        )
    if product.own or sheet.submitter.relation == "memgauge-author":
        yield ask(
            SHEET,
            "this is submitted by memgauge's authors.",
            "A reviewer without an interest is needed besides.",
            "submitter.relation",
        )


def rules_in_force(subject: Subject) -> Iterator[CheckFinding]:
    """S15: a submission is made under the rules of its day."""
    sheet = subject.sheet
    dates = rules_by_day(subject.repository.root / RULES)
    if sheet.rules not in dates.values():
        yield refuse(
            SHEET,
            f"there are no rules {sheet.rules}.",
            f"Known are {', '.join(dates.values()) or 'none'}.",
            "rules",
        )
        return
    current = [version for day, version in sorted(dates.items()) if day <= sheet.day]
    if not current or current[-1] != sheet.rules:
        current_rules = (
            f"those of {sheet.day} are {current[-1]}" if current else f"none are in force on {sheet.day}"
        )
        yield refuse(
            SHEET, f"says {sheet.rules}, and {current_rules}.", "Submit under the rules of the day.", "rules"
        )
    if subject.today is not None and date.fromisoformat(sheet.day) > subject.today + _ZONES:
        yield ask(
            SHEET,
            f"is of {sheet.day}, which is yet to come.",
            "Is that its day? Ages of rows are counted from the newest.",
            "id",
        )


def rules_by_day(folder: Path) -> Mapping[str, str]:
    """Return the versions of the rules by the day from which they are in force."""
    dates = {}
    for path in sorted(folder.glob("*.md")):
        match = _IN_FORCE.search(text_file(own(folder.parent, path)))
        if match is not None:
            dates[match[1]] = path.stem
    return dates


def rows_given_away(subject: Subject) -> Iterator[CheckFinding]:
    """S16: the submitter says that they may give the rows away, and nobody says it for them."""
    sheet = subject.sheet
    if sheet.sign_off != sheet.submitter.github:
        yield refuse(
            SHEET,
            f"is {sheet.sign_off}, and the submitter is {sheet.submitter.github}.",
            "Who submits signs off.",
            "sign_off",
        )
