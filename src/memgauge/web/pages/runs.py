"""Every run, what it is, and how far those are that are not finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.show import Cell, Column, Document, Kind, Table
from memgauge.show.numbers import plural
from memgauge.web.address import Address
from memgauge.web.groups import groups
from memgauge.web.live import Tails
from memgauge.web.studies import found
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.web.library import Item, Library

COLUMNS = (
    *map(Column, ("run", "state", "dataset", "system", "role")),
    *(Column(head, Kind.COUNT) for head in ("k", "seed")),
    Column("order", Kind.TEXT),
)


def page(library: Library, address: Address) -> View:
    """List the runs that the reader asked for."""
    items = library.items()
    fitting = [item for item in items if _fits(item, address)]
    unfinished = [item for item in items if not item.sealed]
    progress = {run_progress.run: run_progress for run_progress in Tails(library).progress()} if unfinished else {}
    boards, studies = groups(library), found(library)
    n_finished = sum(item.finished for item in items)
    return View(
        document=Document(
            title="Runs",
            lead=f"{plural(n_finished, 'finished run')}, {len(unfinished):,} unfinished, "
            f"{plural(len(boards), 'board')}, {plural(len(studies), 'study result')}.",
            blocks=(
                Table.of(
                    "runs",
                    "Runs" if len(fitting) == len(items) else f"Runs: {len(fitting):,} of {len(items):,}",
                    COLUMNS,
                    [_row(item, library.altered(item)) for item in fitting],
                    "A run never changes once it is sealed. Its name ends with the hash of its identity.",
                ),
            ),
        ),
        template="runs.html.j2",
        form=_form(items, address),
        more=tuple((board.title, Address.of("board", board.key)) for board in boards),
        values={
            "unfinished": [(item, progress.get(item.key)) for item in unfinished],
            "empty": not items,
        },
    )


def _row(item: Item, altered: Sequence[str]) -> list[Cell | str | int | None]:
    leads = Address.of("run", item.key)
    if item.manifest is None:
        return [
            Cell(item.key, item.folder.name, leads=leads),
            Cell("unreadable", item.problem, mark="warn"),
            *[Cell("")] * 6,
        ]
    manifest = item.manifest
    return [
        Cell(item.key, item.folder.name if item.folder.name != item.key else "", leads=leads),
        _state(item, altered),
        Cell(manifest.dataset.ref, "" if manifest.dataset.pinned else "not known to be the published file"),
        Cell(manifest.system.label, f"{manifest.system.name} {manifest.system.version}"),
        str(manifest.system.capabilities.get("role", "system")),
        manifest.limits.k,
        manifest.seed,
        manifest.stream.protocol,
    ]


def _state(item: Item, altered: Sequence[str]) -> Cell:
    """Say whether a run is sealed, and still as it was sealed."""
    if not item.sealed:
        return Cell("unfinished", mark="warn")
    return Cell("not as sealed", f"{', '.join(altered)} changed", mark="warn") if altered else Cell("sealed")


def _fits(item: Item, address: Address) -> bool:
    manifest, words = item.manifest, address.get("words").casefold().split()
    if (state := address.get("state")) and state != ("sealed" if item.sealed else "unfinished"):
        return False
    if manifest is None:
        return not words and not address.get("dataset")
    text = f"{item.key} {manifest.dataset.ref} {manifest.system.label} {manifest.stream.protocol}".casefold()
    return address.get("dataset") in {"", manifest.dataset.ref} and all(word in text for word in words)


def _form(items: tuple[Item, ...], address: Address) -> tuple[Choice, ...]:
    refs = sorted({item.manifest.dataset.ref for item in items if item.manifest})
    return (
        Choice("words", "Words in name, data or system", address.get("words")),
        Choice(
            "dataset", "Dataset", address.get("dataset"), (("", "every dataset"), *((ref, ref) for ref in refs))
        ),
        Choice(
            "state",
            "State",
            address.get("state"),
            (("", "every state"), ("sealed", "sealed"), ("unfinished", "unfinished")),
        ),
    )
