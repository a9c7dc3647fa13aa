"""``DATASHEET.md``: what a reader of scores must know about the data, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from memgauge.datasets.building.origin import ExportOrigin
    from memgauge.datasets.building.split import Split
    from memgauge.datasets.building.worksheet import Worksheet, WorksheetQuestion
    from memgauge.records import Conversation, Fact

_FEW = 10
"""Questions of a category below which its scores say little."""


@dataclass(frozen=True)
class DatasheetContent:
    """Everything that a datasheet tells of."""

    conversations: Sequence[Conversation]
    questions: Sequence[WorksheetQuestion]
    facts: Sequence[Fact]
    worksheet: Worksheet
    origin: ExportOrigin | None
    split: Split
    generator: str
    licence: str


def datasheet(sheet: DatasheetContent) -> str:
    """Write the sheet as Markdown."""
    sections = {
        "What is in it": _contents(sheet),
        "Where it comes from": _source(sheet.origin),
        "What was replaced": _replaced(sheet.origin),
        "How it was labelled and reviewed": _labelled(sheet),
        "Split": _split(sheet.split),
        "Known gaps": (f"* {gap}" for gap in _gaps(sheet)),
        "Licence": [sheet.licence or "None was stated: ask before you use or pass on anything of it."],
    }
    head = ["# Datasheet", "", f"Made from chats by {sheet.generator}."]
    body = [line for title, lines in sections.items() for line in ("", f"## {title}", "", *lines)]
    return "\n".join([*head, *body]) + "\n"


def _contents(sheet: DatasheetContent) -> Iterator[str]:
    turns = [turn for whole in sheet.conversations for turn in whole.turns()]
    times = sorted(turn.at for turn in turns if turn.at is not None)
    rows = {
        "conversations": len(sheet.conversations),
        "sessions": sum(len(whole.sessions) for whole in sheet.conversations),
        "turns": f"{len(turns)} ({_tally(turn.role for turn in turns)})",
        "time": f"{times[0].date()} to {times[-1].date()}, UTC" if times else "not known",
        "questions": f"{len(sheet.questions)} ({_tally(question.category for question in sheet.questions)})",
        "with evidence": sum(bool(question.evidence) for question in sheet.questions),
        "with stale turns": sum(bool(question.stale) for question in sheet.questions),
        "to abstain from": sum(question.abstain for question in sheet.questions),
        "facts": f"{len(sheet.facts)} ({sum(fact.functional for fact in sheet.facts)} with one value at a time)",
    }
    yield from _table("what", "how many", rows)


def _source(origin: ExportOrigin | None) -> Iterator[str]:
    if origin is None:
        yield "Nothing is known of it: there was no scrub.json."
        return
    yield f"An export read as {origin.format}. Where it knows no sessions, they end with a silence of more than"
    yield f"{origin.gap_hours:g} hours. Ids were made anew; titles and ids of the export are gone; times are UTC."
    if origin.left_out:
        yield ""
        yield from _table("messages left out", "how many", origin.left_out)


def _replaced(origin: ExportOrigin | None) -> Iterator[str]:
    if origin is None:
        yield "Nothing is known of it: there was no scrub.json."
        return
    counts = {kind: f"{n['distinct']} | {n['occurrences']}" for kind, n in origin.counts.items()}
    yield from _table("kind", "values | occurrences", counts, columns=3)
    yield ""
    yield f"Names are those of {origin.speakers} speakers and a list of {origin.names_given}. Equal values have"
    yield "equal stand-ins. What has no form and was not listed (nicknames, places, employers, what somebody did)"
    yield "was not looked for and is still there."


def _labelled(sheet: DatasheetContent) -> Iterator[str]:
    lines = [line for _, line in sheet.worksheet.lines]
    yield from _table("lines of the worksheet", "how many", sheet.worksheet.statuses)
    yield ""
    yield f"{len(lines)} of them count. Labelled by: {_tally(line.labelled_by or 'not said' for line in lines)}."
    yield f"Reviewed by: {_tally(line.reviewed_by or 'not said' for line in lines)}."


def _split(split: Split) -> Iterator[str]:
    yield f"By {split.by}, from a hash under the seed {split.seed!r}: {len(split.dev)} questions for tuning (dev)"
    yield f"and {len(split.test)} for reporting (test). {split.dev_share:.0%} were meant for dev."


def _gaps(sheet: DatasheetContent) -> Iterator[str]:
    drafts = sum(line.status == "draft" for _, line in sheet.worksheet.lines)
    if drafts:
        yield f"{drafts} lines that count were never reviewed."
    if len(sheet.conversations) == 1:
        yield "One conversation: nothing can be said about other people."
    few = [name for name, n in Counter(question.category for question in sheet.questions).items() if n < _FEW]
    if few:
        yield f"Fewer than {_FEW} questions: {', '.join(sorted(few))}."
    blind = sum(not (question.abstain or question.evidence) for question in sheet.questions)
    if blind:
        yield f"{blind} questions have no evidence, so that nothing can be found for them."
    untimed = sum(turn.at is None for whole in sheet.conversations for turn in whole.turns())
    if untimed:
        yield f"{untimed} turns have no time."
    if not (sheet.split.dev and sheet.split.test):
        yield "One part of the split is empty."
    if sheet.worksheet.warnings:
        yield f"{len(sheet.worksheet.warnings)} labels were doubted by the checks and kept as they are."
    yield "Nobody measured how far two labellers agree."


def _tally(names: Iterable[str]) -> str:
    counted = sorted(Counter(names).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {n}" for name, n in counted).replace("|", r"\|")  # it stands in a cell


def _table(name: str, value: str, rows: Mapping[str, object], columns: int = 2) -> Iterator[str]:
    yield f"| {name} | {value} |"
    yield "|" + "---|" * columns
    yield from (f"| {key} | {cell} |" for key, cell in rows.items())
