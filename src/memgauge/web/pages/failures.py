"""What a board, or one run of it, failed: by cause and category, each question a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.failures import ADVICE, causes_table, retried_notes
from memgauge.scoring.causes import FailureCause
from memgauge.show import Cell, Column, Document, Kind, Note, Table
from memgauge.show.numbers import number, percent
from memgauge.web.address import Address
from memgauge.web.contracts import asked_of
from memgauge.web.groups import group, group_of
from memgauge.web.missed import failed_by
from memgauge.web.view import Choice, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.scoring.failures import FailureList, RetrievalFailure
    from memgauge.web.library import Item, Library

EACH = 100
"""Questions on one page."""
ORDERS = {
    "": "the most telling first",
    "lowest": "the lowest score first",
    "highest": "the highest score first",
    "category": "by category",
    "cause": "by cause",
}


def page(library: Library, address: Address) -> View:
    """List what the runs of a board failed, or what one run did."""
    key = address.parts[0]
    own_item = next((item for item in library.finished() if item.key == key), None)
    board = group(library, key) if own_item is None else group_of(library, own_item)
    items = board.items if board else (own_item,) if own_item else ()
    failure_list = failed_by(library, items, items if own_item is None else [own_item], address)
    fitting = ordered([failure for failure in failure_list.shown if _fits(failure, address)], address.get("order"))
    at = address.whole("page", 1)
    page_failures = fitting[(at - 1) * EACH : at * EACH]
    contract = asked_of(address)
    keys = {item.label: item.key for item in items}
    return View(
        document=Document(
            title=f"What {own_item.label if own_item else 'the systems'} failed",
            lead=_lead(failure_list),
            blocks=(
                causes_table(
                    failure_list, "causes", lambda system, cause: _only(keys[system], contract, cause=cause)
                ),
                *retried_notes(failure_list),
                _questions(failure_list, page_failures, len(fitting), keys, contract, of_all=own_item is None),
                _categories(failure_list, keys, contract),
            ),
            notes=tuple(Note(ADVICE[cause], str(cause)) for cause in _causes_of(failure_list)),
            noted="What to do about it",
        ),
        form=_form(failure_list, address),
        trail=_trail(library, own_item, key, contract),
        more=(
            *([("Failures before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further failures", address.but(page=at + 1))] if at * EACH < len(fitting) else []),
        ),
    )


def ordered(failures: Sequence[RetrievalFailure], order: str) -> list[RetrievalFailure]:
    """Put failures in an order of :data:`ORDERS`; equal ones stay the most telling first."""
    if order in {"lowest", "highest"}:
        sign = 1 if order == "lowest" else -1
        return sorted(failures, key=lambda failure: sign * failure.reached)
    if order == "category":
        return sorted(failures, key=lambda failure: failure.category)
    places = {cause: place for place, cause in enumerate(FailureCause)}
    return sorted(failures, key=lambda failure: places[failure.cause]) if order == "cause" else list(failures)


def _fits(failure: RetrievalFailure, address: Address) -> bool:
    return all(
        address.get(name) in {"", value}
        for name, value in (
            ("cause", failure.cause),
            ("category", failure.category),
            ("system", failure.system),
        )
    )


def _lead(failure_list: FailureList) -> str:
    return " ".join(
        f"{system} misses {sum(counts.values()):,} of {failure_list.scored[system]:,} questions"
        + (f", most often: {next(iter(counts))}." if counts else ".")
        for system, counts in failure_list.causes.items()
    )


def _causes_of(failure_list: FailureList) -> list[FailureCause]:
    return [cause for cause in FailureCause if any(cause in counts for counts in failure_list.causes.values())]


def _questions(
    failure_list: FailureList,
    failures: Sequence[RetrievalFailure],
    fitting: int,
    keys: Mapping[str, str],
    contract: Mapping[str, str],
    *,
    of_all: bool,
) -> Table:
    columns: list[Column | str] = [
        "question",
        Column("cause", Kind.PROSE),
        Column("text", Kind.PROSE),
        *(("system",) if of_all else ()),
        "category",
        Column("score", Kind.NUMBER),
        Column("best other", Kind.NUMBER),
    ]
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(
                failure.question,
                leads=Address.of("question", keys[failure.system], id=failure.question, **contract),
            ),
            Cell(str(failure.cause), failure.detail),
            Cell(failure.text, " | ".join(failure.answers), mark="text"),
            *((failure.system,) if of_all else ()),
            failure.category,
            Cell(number(failure.reached), value=failure.reached),
            Cell(number(failure.value), failure.best, value=failure.value),
        )
        for failure in failures
    ]
    title = f"Failures: {len(failures):,} of {fitting:,}"
    return Table.of("failures", title, columns, rows, f"Score: {failure_list.measure}.")


def _only(key: str, contract: Mapping[str, str], **asked: str) -> Address:
    return Address.of("failures", key, **contract, **asked)


def _categories(failure_list: FailureList, keys: Mapping[str, str], contract: Mapping[str, str]) -> Table:
    """Say how often each cause is in each category; each leads to its questions."""
    causes = _causes_of(failure_list)
    shares = [Column(str(cause), Kind.SHARE) for cause in causes]
    columns: list[Column | str] = ["system", "category", "scored", "misses", *shares]
    rows: list[tuple[Cell | str | int, ...]] = [
        (
            system,
            Cell(category, leads=_only(keys[system], contract, category=category)),
            failure_list.scored_categories[system].get(category, 0),
            sum(counts.values()),
            *(
                Cell(percent(share) if (share := failure_list.share(system, cause, category)) else "", value=share)
                for cause in causes
            ),
        )
        for system, categories in failure_list.categories.items()
        for category, counts in categories.items()
    ]
    return Table.of("categories", "Causes by category", columns, rows, "Shares of the misses in a category.")


def _form(failure_list: FailureList, address: Address) -> tuple[Choice, ...]:
    categories = sorted({name for counts in failure_list.categories.values() for name in counts})
    options = (
        ("cause", "every cause", [str(cause) for cause in _causes_of(failure_list)]),
        ("category", "every category", categories),
        *([("system", "every system", list(failure_list.causes))] if len(failure_list.causes) > 1 else []),
    )
    return (
        *(
            Choice(
                name, name.capitalize(), address.get(name), (("", every), *((value, value) for value in values))
            )
            for name, every, values in options
        ),
        Choice("order", "Order", address.get("order"), tuple(ORDERS.items())),
        Choice(
            "partly",
            "Failed is",
            address.get("partly"),
            (("", "what scores 0"), ("yes", "what another answers better, too")),
        ),
    )


def _trail(
    library: Library, own_item: Item | None, key: str, contract: Mapping[str, str]
) -> tuple[tuple[str, Address], ...]:
    if own_item is not None:
        return ("Runs", Address.of("runs")), (own_item.label, Address.of("run", own_item.key))
    return ("Runs", Address.of("runs")), (group(library, key).title, Address.of("board", key, **contract))
