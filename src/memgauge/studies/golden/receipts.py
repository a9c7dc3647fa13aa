"""Receipts: what a memory says that a write changed, beside what is stored before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Operation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memgauge.records import Change, Memory, Receipt


def false_change(
    receipt: Receipt,
    before: Iterable[Memory],
    after: Iterable[Memory],
    *,
    by_itself: Collection[str] = (),
    asked: str = "",
) -> str:
    """Say what a receipt names that did not happen, or leaves out that did; empty where it says nothing wrong.

    What came to be *by_itself* need not be named; the memory that was *asked* to say something else must be.
    """
    if receipt.changes is None:
        return ""
    was, now = ({memory.id: memory for memory in stored} for stored in (before, after))
    for change in receipt.changes:
        if not _happened(change, was, now):
            return f"it says {change.op} {change.memory}, which did not happen"
    named = {change.memory for change in receipt.changes}
    new = now.keys() - was.keys() - named - set(by_itself)
    if new:
        return f"it leaves out {min(new)}, which is new"
    unsaid = asked not in named and asked in was.keys() & now.keys() and was[asked].text != now[asked].text
    return f"it leaves out {asked}, which says something else now" if unsaid else ""


def _happened(change: Change, was: dict[str, Memory], now: dict[str, Memory]) -> bool:
    name = change.memory
    match change.op:
        case Operation.ADD:
            return name in now and name not in was
        case Operation.DELETE:
            return name in was and name not in now
        case Operation.NOOP:
            return _content(was.get(name)) == _content(now.get(name))
        case _:
            return was.get(name) != now.get(name)


def _content(memory: Memory | None) -> tuple[object, ...] | None:
    """Return what a memory says, and when it holds; that it was said once more leaves that as it is."""
    return None if memory is None else (memory.text, memory.valid_from, memory.valid_to)
