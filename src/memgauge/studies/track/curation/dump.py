"""Issues and pull requests from a JSON dump, as GitHub's REST interface and its command line write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from memgauge.errors import MalformedDataError
from memgauge.studies.track.curation.seed import ClosedIssue, Remark
from memgauge.studies.track.timeline.files import line_of, read_document
from memgauge.studies.track.timeline.models import Moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?#(\d+)", re.IGNORECASE)
_MOMENT: TypeAdapter[datetime] = TypeAdapter(Moment)


@dataclass(frozen=True)
class Pull:
    """A merged pull request as the dump has it."""

    number: int
    title: str
    body: str
    author: str
    opened: datetime
    merged: datetime
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
            what = (
                f"the entry lacks {error}" if isinstance(error, KeyError) else "this is no issue or pull request"
            )
            raise MalformedDataError(f"{line_of(path, place)}: {what}.") from error
    return Dump(
        tuple(sorted(issues, key=lambda one: one.number)), tuple(sorted(pulls, key=lambda one: one.number))
    )


def _is_pull(row: Mapping[str, Any]) -> bool:
    return any(
        row.get(name) for name in ("pull_request", "merge_commit_sha", "mergeCommit", "merged_at", "mergedAt")
    )


def _issue(row: Mapping[str, Any]) -> Iterator[ClosedIssue]:
    closed = _first(row, "closed_at", "closedAt")
    if closed:
        yield ClosedIssue(
            number=row["number"],
            title=row["title"],
            body=row.get("body") or "",
            author=_who(row),
            opened=_needed(row, "created_at", "createdAt"),
            closed=closed,
            remarks=_remarks(row),
        )


def _pull(row: Mapping[str, Any]) -> Iterator[Pull]:
    inner = row.get("pull_request")
    merged = _first(row, "merged_at", "mergedAt") or (inner.get("merged_at") if isinstance(inner, dict) else None)
    commit = _first(row, "merge_commit_sha", "mergeCommit")
    commit = commit.get("oid") if isinstance(commit, dict) else commit
    if not merged or not commit:
        return
    named = row.get("closingIssuesReferences") or ()
    closes = {int(number) for number in _CLOSES.findall(f"{row['title']}\n{row.get('body') or ''}")}
    yield Pull(
        number=row["number"],
        title=row["title"],
        body=row.get("body") or "",
        author=_who(row),
        opened=_MOMENT.validate_python(_needed(row, "created_at", "createdAt")),
        merged=_MOMENT.validate_python(merged),
        commit=str(commit),
        closes=frozenset(closes | {one["number"] for one in named}),
        remarks=_remarks(row),
    )


def _remarks(row: Mapping[str, Any]) -> tuple[Remark, ...]:
    """Read comments; where only their number is told, there are none."""
    listed = row.get("comments")
    found = [
        Remark(author=_who(one), at=_needed(one, "created_at", "createdAt"), text=one.get("body") or "")
        for one in (listed if isinstance(listed, list) else ())
    ]
    return tuple(sorted((one for one in found if one.text.strip()), key=lambda one: one.at))


def _who(row: Mapping[str, Any]) -> str:
    given = _first(row, "user", "author")
    return str(given["login"] if isinstance(given, dict) else given or "somebody")


def _first(row: Mapping[str, Any], *names: str) -> Any:
    return next((row[name] for name in names if row.get(name)), None)


def _needed(row: Mapping[str, Any], *names: str) -> Any:
    found = _first(row, *names)
    if found is None:
        raise KeyError(names[0])
    return found
