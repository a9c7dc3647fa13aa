"""What a board, or one run of it, failed: by cause and category, each question a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.report.failures import ADVICE, causes_table
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
    own = next((item for item in library.finished() if item.key == key), None)
    board = group(library, key) if own is None else group_of(library, own)
    items = board.items if board else (own,) if own else ()
    listed = failed_by(library, items, items if own is None else [own], address)
    fitting = ordered([each for each in listed.shown if _fits(each, address)], address.get("order"))
    at = address.whole("page", 1)
    shown = fitting[(at - 1) * EACH : at * EACH]
    contract = asked_of(address)
    keys = {item.label: item.key for item in items}
    return View(
        document=Document(
            title=f"What {own.label if own else 'the systems'} failed",
            lead=_lead(listed),
            blocks=(
                causes_table(listed, "causes", lambda system, cause: _only(keys[system], contract, cause=cause)),
                _questions(listed, shown, len(fitting), keys, contract, whole=own is None),
                _categories(listed, keys, contract),
            ),
            notes=tuple(Note(ADVICE[cause], str(cause)) for cause in _causes_of(listed)),
            noted="What to do about it",
        ),
        form=_form(listed, address),
        trail=_trail(library, own, key, contract),
        more=(
            *([("Failures before", address.but(page=at - 1))] if at > 1 else []),
            *([("Further failures", address.but(page=at + 1))] if at * EACH < len(fitting) else []),
        ),
    )


def ordered(listed: Sequence[RetrievalFailure], order: str) -> list[RetrievalFailure]:
    """Put failures in an order of :data:`ORDERS`; equal ones stay the most telling first."""
    if order in {"lowest", "highest"}:
        sign = 1 if order == "lowest" else -1
        return sorted(listed, key=lambda each: sign * each.reached)
    if order == "category":
        return sorted(listed, key=lambda each: each.category)
    places = {cause: place for place, cause in enumerate(FailureCause)}
    return sorted(listed, key=lambda each: places[each.cause]) if order == "cause" else list(listed)


def _fits(failure: RetrievalFailure, address: Address) -> bool:
    return all(
        address.get(name) in {"", value}
        for name, value in (
            ("cause", failure.cause),
            ("category", failure.category),
            ("system", failure.system),
        )
    )


def _lead(listed: FailureList) -> str:
    return " ".join(
        f"{system} misses {sum(counts.values()):,} of {listed.scored[system]:,} questions"
        + (f", most often: {next(iter(counts))}." if counts else ".")
        for system, counts in listed.causes.items()
    )


def _causes_of(listed: FailureList) -> list[FailureCause]:
    return [cause for cause in FailureCause if any(cause in counts for counts in listed.causes.values())]


def _questions(
    listed: FailureList,
    shown: Sequence[RetrievalFailure],
    fitting: int,
    keys: Mapping[str, str],
    contract: Mapping[str, str],
    *,
    whole: bool,
) -> Table:
    columns: list[Column | str] = [
        "question",
        *Column.each(Kind.PROSE, "cause", "text"),
        *(("system",) if whole else ()),
        "category",
        *Column.each(Kind.NUMBER, "score", "best other"),
    ]
    rows: list[tuple[Cell | str, ...]] = [
        (
            Cell(each.question, leads=Address.of("question", keys[each.system], id=each.question, **contract)),
            Cell(str(each.cause), each.detail),
            Cell(each.text, " | ".join(each.answers), mark="text"),
            *((each.system,) if whole else ()),
            each.category,
            Cell(number(each.reached), value=each.reached),
            Cell(number(each.value), each.best, value=each.value),
        )
        for each in shown
    ]
    title = f"Failures: {len(shown):,} of {fitting:,}"
    return Table.of("failures", title, columns, rows, f"Score: {listed.measure}.")


def _only(key: str, contract: Mapping[str, str], **asked: str) -> Address:
    return Address.of("failures", key, **contract, **asked)


def _categories(listed: FailureList, keys: Mapping[str, str], contract: Mapping[str, str]) -> Table:
    """Say how often each cause is in each category; each leads to its questions."""
    causes = _causes_of(listed)
    shares = [Column(str(cause), Kind.SHARE) for cause in causes]
    columns: list[Column | str] = ["system", "category", "scored", "misses", *shares]
    rows: list[tuple[Cell | str | int, ...]] = [
        (
            system,
            Cell(category, leads=_only(keys[system], contract, category=category)),
            listed.scored_categories[system].get(category, 0),
            sum(counts.values()),
            *(
                Cell(percent(share) if (share := listed.share(system, cause, category)) else "", value=share)
                for cause in causes
            ),
        )
        for system, categories in listed.categories.items()
        for category, counts in categories.items()
    ]
    return Table.of("categories", "Causes by category", columns, rows, "Shares of the misses in a category.")


def _form(listed: FailureList, address: Address) -> tuple[Choice, ...]:
    categories = sorted({name for counts in listed.categories.values() for name in counts})
    named = (
        ("cause", "every cause", [str(cause) for cause in _causes_of(listed)]),
        ("category", "every category", categories),
        *([("system", "every system", list(listed.causes))] if len(listed.causes) > 1 else []),
    )
    return (
        *(
            Choice(name, name.capitalize(), address.get(name), (("", every), *((each, each) for each in values)))
            for name, every, values in named
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
    library: Library, own: Item | None, key: str, contract: Mapping[str, str]
) -> tuple[tuple[str, Address], ...]:
    if own is not None:
        return ("Runs", Address.of("runs")), (own.label, Address.of("run", own.key))
    return ("Runs", Address.of("runs")), (group(library, key).title, Address.of("board", key, **contract))
