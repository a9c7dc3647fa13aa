"""What a build server counts of a document: its checks, and whether the command that made it failed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.frame.exits import FAILED, OK
from memgauge.show.document import CheckOutcome, CountedCheck
from memgauge.show.terminal import printed

if TYPE_CHECKING:
    from memgauge.show import Document

_RED: Final = frozenset({CheckOutcome.FAIL, CheckOutcome.ERROR})


def countable(document: Document, name: str, code: int | None) -> Document:
    """Return a document with checks of which one is red where its command failed, whatever it failed of.

    *code* is that with which it ends; ``None`` where it judges nothing.

    Raises:
        ConfigError: There is nothing to count.
    """
    red = any(check.outcome in _RED for check in document.checks)
    if document.checks and (red or not code):
        return document
    if code is None:
        raise ConfigError(
            "This command checks nothing that a build server could count.",
            "Take --format json, or name a file that ends in .json.",
        )
    return replace(document, checks=(*document.checks, _ended(document, name, code)))


def _ended(document: Document, name: str, code: int) -> CountedCheck:
    """Count the command itself, with all that it says."""
    if code == OK:
        return CountedCheck(name, name, name)
    outcome = CheckOutcome.FAIL if code == FAILED else CheckOutcome.ERROR
    message = document.lead or f"ended with exit code {code}"
    return CountedCheck(name, name, name, outcome, message, kind=f"exit {code}", detail=printed(document).strip())
