"""What a memory system must do if it claims to: one probe for each optional protocol."""

from __future__ import annotations

from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING

from memgauge.records import Operation, Verdict
from memgauge.systems.conformance.bench import (
    CANARY,
    HERE,
    OTHERS,
    SECOND,
    START,
    K,
    ask,
    failed,
    ids,
    judged,
    turn,
    vacuous,
    whose,
)
from memgauge.systems.protocol import (
    Answering,
    Assembling,
    Auditable,
    Durable,
    Erasable,
    Expiring,
    Learning,
    Mutable,
    implements,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.conformance.bench import Bench, Finding, Probe

ABSENT: Finding = (Verdict.UNSUPPORTED, "not implemented")
LOST = "of {of} memories {same} are as before after it was opened again, which lists {now}"
REMEDY = (
    "a memory that does not outlive its process offers no reopen and no storage_paths, and the description of an "
    "MCP server says `durable = false`"
)
AMONG = 5
"""A memory that is found by its text is among so many of two dozen, asked with the one word that it alone has."""
NOT_FOUND = "the turn was not found before, so its absence shows nothing"


def updates(bench: Bench) -> Finding:
    """Find the new text after an update, and the old one no longer."""
    bench.fill()
    memory = bench.canary()
    if memory is None:
        return vacuous("the dump does not list the turn")
    bench.system.update(memory.id, f"In the garden the new neighbour is called {SECOND}.", HERE)
    bench.flush()
    texts = " ".join(m.text.casefold() for m in bench.dump())
    if CANARY in texts or SECOND not in texts:
        return failed("the dump still lists the old text, or not the new one")
    if bench.finds(CANARY):
        return failed("a search still returns the old text")
    if not (bench.finds(SECOND) or bench.excused):
        return failed("a search does not return the new text")
    by_old, by_new = (ids(bench.system.search(word, HERE, K, None).hits) for word in (CANARY, SECOND))
    is_stale = by_old[:1] == [memory.id] and memory.id not in by_new[:AMONG]
    return judged(not is_stale, f"it is found first by {CANARY!r}, which it no longer says, and not by {SECOND!r}")


def deletes(bench: Bench) -> Finding:
    """Lose a deleted memory and no other, and count it."""
    bench.fill()
    memory, before = bench.canary(), len(bench.dump())
    if memory is None:
        return vacuous("the dump does not list the turn")
    counted = bench.system.delete([memory.id, "no-such-memory"], HERE)
    bench.flush()
    if counted != 1:
        return failed(f"delete counted {counted} of 1")
    gone = bench.canary() is None and not bench.finds() and len(bench.dump()) == before - 1
    return judged(gone, "the deleted memory is still found, or others went with it")


def erases(bench: Bench) -> Finding:
    """Erase one scope and leave the others, also the same user in another tenant."""
    bench.fill()
    for number, other in enumerate(OTHERS):
        bench.fill(SECOND, other, prefix=f"o{number}-")
    if not all(map(bench.dump, (HERE, *OTHERS))):
        return vacuous("there was nothing to erase")
    bench.system.erase(HERE)
    bench.flush()
    if bench.dump() or bench.search():
        return failed("memories of the erased scope are left")
    gone = [whose(other) for other in OTHERS if not bench.dump(other)]
    return judged(not gone, f"{' and '.join(gone)} was erased too")


def expires(bench: Bench) -> Finding:
    """Return an expiring memory before its end and not after it."""
    end = START + timedelta(days=1)
    bench.fill(SECOND)
    bench.system.ingest_expiring(turn(99, f"In the garden the plumber is called {CANARY}."), HERE, end)
    bench.flush()
    if not bench.finds(as_of=end - timedelta(hours=1)):
        return vacuous(NOT_FOUND)
    if bench.finds(as_of=end + timedelta(hours=1)):
        return failed("it is still returned an hour after its end")
    bench.system.sweep(end + timedelta(hours=1))
    bench.flush()
    return judged(not bench.finds(as_of=end + timedelta(hours=1)), "it came back after a sweep")


def keeps_history(bench: Bench) -> Finding:
    """Tell how a memory came to be."""
    bench.fill()
    memory = bench.canary()
    if memory is None:
        return vacuous("the dump does not list the turn")
    entries = bench.system.history(memory.id, HERE)
    return judged(bool(entries) and entries[0].op is Operation.ADD, "the history does not begin with its addition")


def endures(bench: Bench) -> Finding:
    """Hold the same memories after it was opened again."""
    bench.fill()
    before = {memory.id: memory.text for memory in bench.dump()}
    if not before:
        return vacuous("the dump is empty")
    absent = [str(path) for path in bench.system.storage_paths() if not path.exists()]
    if absent:
        return failed(f"names storage that does not exist: {', '.join(absent)}")
    bench.system.reopen()
    after = {memory.id: memory.text for memory in bench.dump()}
    same = sum(after.get(name) == text for name, text in before.items())
    return judged(before == after, f"{LOST.format(same=same, of=len(before), now=len(after))}; {REMEDY}")


def assembles(bench: Bench) -> Finding:
    """Build a context within its budget."""
    bench.fill()
    lengths = {budget: len(bench.system.context(ask(CANARY), HERE, budget)) for budget in (50, 2000)}
    if not any(lengths.values()):
        return vacuous("every context is empty")
    over = [f"{n} characters for a budget of {budget}" for budget, n in lengths.items() if n > budget]
    return judged(not over, ", ".join(over))


def answers(bench: Bench) -> Finding:
    """Answer with a text."""
    bench.fill()
    reply: object = bench.system.ask(ask(CANARY), HERE)
    return judged(isinstance(reply, str) and bool(reply), "the answer is empty or no text")


def learns(bench: Bench) -> Finding:
    """Be told of its answers, right and wrong, and keep what it stores."""
    bench.fill()
    before = {(memory.id, memory.text) for memory in bench.dump()}
    if not before:
        return vacuous("the dump is empty")
    for value in (1.0, 0.0):
        bench.search()
        bench.system.reward(value)
    after = {(memory.id, memory.text) for memory in bench.dump()}
    return judged(before == after, "what is stored changed with what it was told")


def _where_offered(protocol: Callable[..., object], probe: Probe) -> Probe:
    """Put *probe* to memories that implement *protocol*, and to no others."""
    return wraps(probe)(lambda bench: probe(bench) if implements(bench.system, protocol) else ABSENT)


OPTIONAL: Mapping[str, Probe] = {
    "update (mutable)": _where_offered(Mutable, updates),
    "delete (mutable)": _where_offered(Mutable, deletes),
    "erase (erasable)": _where_offered(Erasable, erases),
    "expiry (expiring)": _where_offered(Expiring, expires),
    "history (auditable)": _where_offered(Auditable, keeps_history),
    "reopen (durable)": _where_offered(Durable, endures),
    "context (assembling)": _where_offered(Assembling, assembles),
    "ask (answering)": _where_offered(Answering, answers),
    "reward (learning)": _where_offered(Learning, learns),
}
"""Probes of the optional protocols, by the name under which a report lists them."""
