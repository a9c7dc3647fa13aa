"""The first page: every run, what it is, and how far those are that are not finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.sheet import Cell, Sheet
from memgauge.show.numbers import plural
from memgauge.web.address import Address
from memgauge.web.groups import groups
from memgauge.web.live import Tails
from memgauge.web.studies import found
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.web.library import Item, Library

HEADS = ("run", "dataset", "system", "role", "k", "seed", "order", "state")


def page(library: Library, address: Address) -> View:
    """List the runs that the reader asked for."""
    items = library.items()
    shown = [one for one in items if _fits(one, address)]
    unfinished = [one for one in items if not one.sealed]
    progress = {one.run: one for one in Tails(library).progress()} if unfinished else {}
    boards, studies = groups(library), found(library)
    done = sum(one.finished for one in items)
    return View(
        title="Runs",
        template="runs.html.j2",
        lead=f"{plural(done, 'finished run')}, {len(unfinished):,} unfinished, {plural(len(boards), 'board')}, "
        f"{plural(len(studies), 'study result')}.",
        form=_form(items, address),
        sheets=(
            Sheet.of(
                "runs",
                "Runs" if len(shown) == len(items) else f"Runs: {len(shown):,} of {len(items):,}",
                HEADS,
                [_row(one, library.altered(one)) for one in shown],
                "A run never changes once it is sealed. Its name ends with the hash of its identity.",
            ),
        ),
        more=tuple((one.title, Address.of("board", one.key)) for one in boards),
        values={
            "unfinished": [(one, progress.get(one.key)) for one in unfinished],
            "empty": not items,
            "studies": studies,
        },
    )


def _row(item: Item, altered: Sequence[str]) -> list[Cell | str | int | None]:
    leads = Address.of("run", item.key)
    if item.manifest is None:
        return [
            Cell(item.key, item.folder.name, leads=leads),
            *[""] * 6,
            Cell("unreadable", item.problem, mark="warn"),
        ]
    one = item.manifest
    return [
        Cell(item.key, item.folder.name if item.folder.name != item.key else "", leads=leads),
        Cell(one.dataset.ref, "" if one.dataset.pinned else "not known to be the published file"),
        Cell(one.system.label, f"{one.system.name} {one.system.version}"),
        str(one.system.capabilities.get("role", "system")),
        one.limits.k,
        one.seed,
        one.stream.protocol,
        _state(item, altered),
    ]


def _state(item: Item, altered: Sequence[str]) -> Cell:
    """Say whether a run is sealed, and still as it was sealed."""
    if not item.sealed:
        return Cell("unfinished", mark="warn")
    return Cell("not as sealed", f"{', '.join(altered)} changed", mark="warn") if altered else Cell("sealed")


def _fits(item: Item, address: Address) -> bool:
    one, words = item.manifest, address.get("words").casefold().split()
    if (state := address.get("state")) and state != ("sealed" if item.sealed else "unfinished"):
        return False
    if one is None:
        return not words and not address.get("dataset")
    text = f"{item.key} {one.dataset.ref} {one.system.label} {one.stream.protocol}".casefold()
    return address.get("dataset") in {"", one.dataset.ref} and all(word in text for word in words)


def _form(items: tuple[Item, ...], address: Address) -> tuple[Choice, ...]:
    refs = sorted({one.manifest.dataset.ref for one in items if one.manifest})
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
