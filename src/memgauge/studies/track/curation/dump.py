"""Issues and pull requests from a JSON dump, as GitHub's REST interface and its command line write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memgauge.errors import MalformedDataError
from memgauge.studies.track.curation.seed import ClosedIssue, CurationModel, Remark
from memgauge.studies.track.timeline.files import line_of, read_document
from memgauge.studies.track.timeline.models import Moment  # noqa: TC001 - pydantic reads it while running

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?#(\d+)", re.IGNORECASE)


class Pull(CurationModel):
    """A merged pull request as the dump has it."""

    number: int
    title: str
    body: str
    author: str
    opened: Moment
    merged: Moment
    commit: str
    closes: frozenset[int]
    remarks: tuple[Remark, ...]


@dataclass(frozen=True)
class Dump:
    """What a dump holds of use: closed issues and merged pull requests, by number."""

    issues: tuple[ClosedIssue, ...]
    pulls: tuple[Pull, ...]


def read_dump(path: Path) -> Dump:
    """Read a dump: a list of both kinds, or an object with ``issues`` and ``pulls``.

    A pull request is what has a merge commit or says that it is one. What is open or was not merged is left out.

    Raises:
        DataNotFoundError: It is not there.
        MalformedDataError: It is neither, or an entry lacks what it needs; the message names the line.
    """
    document = read_document(path)
    rows: list[tuple[tuple[str | int, ...], Any]]
    if isinstance(document, dict):
        lists = {name: document.get(name) or [] for name in ("issues", "pulls")}
        rows = [((name, n), row) for name, entries in lists.items() for n, row in enumerate(entries)]
    elif isinstance(document, list):
        rows = [((n,), row) for n, row in enumerate(document)]
    else:
        raise MalformedDataError(
            f"{path} holds no issues.", "Give a JSON list, or an object of two: issues, pulls."
        )
    issues: list[ClosedIssue] = []
    pulls: list[Pull] = []
    for place, row in rows:
        try:
            if place[0] == "pulls" or _is_pull(row):
                pulls += _pull(row)
            else:
                issues += _issue(row)
        except (KeyError, TypeError, AttributeError, ValidationError) as error:
            reason = (
                f"the entry lacks {error}" if isinstance(error, KeyError) else "this is no issue or pull request"
            )
            raise MalformedDataError(f"{line_of(path, place)}: {reason}.") from error
    by_number = attrgetter("number")
    return Dump(tuple(sorted(issues, key=by_number)), tuple(sorted(pulls, key=by_number)))


def _is_pull(row: Mapping[str, Any]) -> bool:
    return any(
        row.get(name) for name in ("pull_request", "merge_commit_sha", "mergeCommit", "merged_at", "mergedAt")
    )


def _issue(row: Mapping[str, Any]) -> Iterator[ClosedIssue]:
    closed_at = _first(row, "closed_at", "closedAt")
    if closed_at:
        yield ClosedIssue(**_written(row), closed=closed_at)


def _pull(row: Mapping[str, Any]) -> Iterator[Pull]:
    inner = row.get("pull_request")
    merged_at = _first(row, "merged_at", "mergedAt") or (
        inner.get("merged_at") if isinstance(inner, dict) else None
    )
    commit = _first(row, "merge_commit_sha", "mergeCommit")
    commit = commit.get("oid") if isinstance(commit, dict) else commit
    if not merged_at or not commit:
        return
    references = row.get("closingIssuesReferences") or ()
    closes = {int(number) for number in _CLOSES.findall(f"{row['title']}\n{row.get('body') or ''}")}
    closes |= {reference["number"] for reference in references}
    yield Pull(**_written(row), merged=merged_at, commit=str(commit), closes=frozenset(closes))


def _written(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what both kinds have: who wrote what when, and what was said about it."""
    return {
        "number": row["number"],
        "title": row["title"],
        "body": row.get("body") or "",
        "author": _who(row),
        "opened": _opened(row),
        "remarks": _remarks(row),
    }


def _remarks(row: Mapping[str, Any]) -> tuple[Remark, ...]:
    """Read comments; where only their number is told, there are none."""
    field = row.get("comments")
    comments = field if isinstance(field, list) else ()
    remarks = [
        Remark(author=_who(comment), at=_opened(comment), text=comment.get("body") or "") for comment in comments
    ]
    return tuple(sorted((remark for remark in remarks if remark.text.strip()), key=attrgetter("at")))


def _who(row: Mapping[str, Any]) -> str:
    account = _first(row, "user", "author")
    return str(account["login"] if isinstance(account, dict) else account or "somebody")


def _opened(row: Mapping[str, Any]) -> Any:
    moment = _first(row, "created_at", "createdAt")
    if moment is None:
        raise KeyError("created_at")
    return moment


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name)), None)
