"""Datasets, history by date with its tombstones, and the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Block, Cell, Column, Document, Fold, Kind, Note, Notes, Prose, Section, Table
from memgauge.show.numbers import plural
from memgauge.submissions.opening import own
from memgauge.submissions.repository import RULES, rules_order
from memgauge.submissions.site.home import boards_table
from memgauge.submissions.site.places import dataset_place
from memgauge.submissions.site.words import lives
from memgauge.text.untrusted import text_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.sheets.registry import DatasetSheet
    from memgauge.submissions.site.registry_view import RegistryView


def datasets_document(view: RegistryView) -> Document:
    """List all datasets."""
    rows = [
        (Cell(name, leads=dataset_place(name)), sheet.status, sheet.licence, sheet.questions, sheet.conversations)
        for name, sheet in sorted(view.repository.datasets.items())
    ]
    columns = (
        *map(Column, ("dataset", "status", "licence")),
        *Column.each(Kind.COUNT, "questions", "conversations"),
    )
    return Document(
        "Datasets", blocks=(Table.of("datasets", "Datasets", columns, rows),), origin="submitted sheets"
    )


def dataset_document(view: RegistryView, sheet: DatasetSheet) -> Document:
    """Say what a dataset is, and which boards stand on it."""
    boards = [board for board in view.boards if board.dataset == sheet.name]
    here = [board for board in boards if lives(board)]
    facts = [
        f"{sheet.ref}, sha256 {sheet.sha256}.",
        f"Licence {sheet.licence}; {'its texts may' if sheet.texts_public else 'no text may'} stand in bundles.",
        f"Source: {sheet.source}.",
    ]
    if sheet.superseded_by:
        facts.append(f"A newer version is {sheet.superseded_by}; rows of this one stay with it.")
    return Document(
        title=sheet.name,
        beside=f"{plural(sheet.questions, 'question')} in {plural(sheet.conversations, 'conversation')}",
        lead={
            "open": f"{plural(len(here), 'board')} with rows {'stands' if len(here) == 1 else 'stand'} on it.",
            "retired": "It is retired: an error was found in it, and its rows have lost their level.",
            "private": "It is private: only its holders can run it.",
        }[sheet.status],
        facts=tuple(facts),
        blocks=(boards_table("boards", boards),) if boards else (),
        origin="submitted bundles and sheets",
    )


def history_document(view: RegistryView) -> Document:
    """Say what happened when, newest first; tombstones stay."""
    rows = sorted(_events(view), key=lambda row: (row[0], str(row[1])), reverse=True)
    cells = [
        (day, what, Cell(submission, leads=view.place_of(submission)), reason)
        for day, what, submission, reason in rows
    ]
    columns = (*Column.each(Kind.TEXT, "day", "what"), *Column.each(Kind.PROSE, "submission", "said"))
    return Document(
        title="History",
        lead=f"{len(cells):,} events, newest first. Nothing is removed: what left the boards stays here.",
        blocks=(Table.of("history", "What happened when", columns, cells),),
        origin="submitted sheets",
    )


def _events(view: RegistryView) -> Iterator[tuple[str, str, str, str]]:
    for each in view.entrants:
        what = "correction" if each.sheet.supersedes else "submission"
        yield (
            each.sheet.day,
            what,
            each.id,
            f"corrects {each.sheet.supersedes}" if each.sheet.supersedes else each.sheet.label,
        )
        for judged in each.verifications:
            check, why = judged.sheet, f"; it does not count: {judged.why}" if judged.why else ""
            what = f"level {check.level}, {check.outcome}, by {check.by.github}{why}"
            yield check.on, "verification", each.id, what
        for objection in each.objections:
            yield (
                objection.raised_on,
                "objection",
                each.id,
                f"{objection.number}: {objection.rule}, by {objection.by}",
            )
            if objection.decided_on:
                yield (
                    objection.decided_on,
                    "decision",
                    each.id,
                    f"{objection.number}: {objection.decision} {objection.footnote}".strip(),
                )
        if each.withdrawn is not None:
            yield each.withdrawn.on, "withdrawal", each.id, f"{each.withdrawn.reason}, by {each.withdrawn.by}"


def rules_document(view: RegistryView) -> Document:
    """Show the rules in force, and older ones behind their titles."""
    root = view.repository.root
    written = [own(root, path) for path in (root / RULES).glob("*.md")]
    paths = sorted(written, key=lambda path: rules_order(path.stem), reverse=True)
    if not paths:
        return Document("Rules", lead="No rules are written down yet.", origin="the rules of the registry")
    newest, *older = paths
    old = tuple(
        Section(
            f"old-{at}",
            f"Rules {path.stem}",
            tuple(_sections(text_file(path), f"old-{at}")),
            Fold.CLOSED,
        )
        for at, path in enumerate(older, 1)
    )
    return Document(
        f"Rules {newest.stem}",
        blocks=(*_sections(text_file(newest), "rule"), *old),
        origin="the rules of the registry",
    )


def _sections(text: str, key: str) -> Iterator[Block]:
    """Read headings, paragraphs and lists of Markdown, which is all that rules use."""
    title, blocks, number = "", list[Block](), 0
    for paragraph in text.split("\n\n"):
        for part in _parts(paragraph.strip()):
            if not part.startswith("#"):
                blocks.append(_block(part))
                continue
            if title and blocks:
                yield Section(f"{key}-{number}", title, tuple(blocks))
            elif blocks:
                yield from blocks
            title, blocks, number = ("" if part.startswith("# ") else part.lstrip("# ")), [], number + 1
    if blocks:
        yield Section(f"{key}-{number}", title, tuple(blocks)) if title else blocks[0]


def _parts(paragraph: str) -> Iterator[str]:
    """Cut headings off what follows them without an empty line."""
    lines = paragraph.splitlines()
    while lines and lines[0].startswith("#"):
        yield lines.pop(0)
    if lines:
        yield "\n".join(lines)


def _block(part: str) -> Block:
    lines = [line.strip() for line in part.splitlines()]
    if all(line.startswith(("* ", "- ")) for line in lines):
        return Notes(tuple(Note(_bare(line[2:])) for line in lines))
    return Prose(_bare(" ".join(lines)))


def _bare(text: str) -> str:
    """Drop the signs of emphasis and code."""
    return text.replace("**", "").replace("*", "").replace("`", "")
