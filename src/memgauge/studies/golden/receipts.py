"""Receipts: what a memory says that a write changed, beside what is stored before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Operation

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from memgauge.records import Change, Memory, Receipt


def false_change(
    receipt: Receipt, before: Iterable[Memory], after: Iterable[Memory], by_itself: Collection[str] = ()
) -> str:
    """Say what a receipt names that did not happen, or leaves out that did; empty where it says nothing wrong.

    What came to be *by_itself* need not be named.
    """
    if receipt.changes is None:
        return ""
    was, now = ({memory.id: memory for memory in stored} for stored in (before, after))
    for change in receipt.changes:
        if not _happened(change, was, now):
            return f"it says {change.op} {change.memory}, which did not happen"
    new = now.keys() - was.keys() - {change.memory for change in receipt.changes} - set(by_itself)
    return f"it leaves out {min(new)}, which is new" if new else ""


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
