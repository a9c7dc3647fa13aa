"""What every memory system must do, one probe each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import ContractBreach
from memgauge.records import Operation, Verdict
from memgauge.systems.conformance.bench import (
    CANARY,
    HERE,
    OTHERS,
    PASSED,
    SECOND,
    K,
    ask,
    failed,
    holds,
    ids,
    judged,
    turn,
    turns,
    vacuous,
    whose,
)
from memgauge.systems.plain import plain_ranking, wrong_score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memgauge.records import Receipt
    from memgauge.systems.conformance.bench import Bench, Finding, Probe

NOTHING = "no search returned anything"
WORDS = (CANARY, SECOND, "beans", "rain", "gate", "paint", "robin", "fence", "night", "neighbour", "note", "Ada")
"""A dozen words, for what a memory does in one search of ten."""
STRANGE = (
    "",
    " ",
    "\u0000",
    "naïve café 東京",
    "שלום עולם",
    "👩‍👩‍👧 🎉",
    "'\"; DROP TABLE x; --",
    "word " * 20_000,
)


def finds(bench: Bench) -> Finding:
    """Find a turn by the one word that it alone holds."""
    bench.fill()
    if bench.finds():
        return PASSED
    if bench.excused:
        return vacuous(f"a {bench.caps.role} does not promise to find anything")
    if not bench.search():
        return failed(f"nothing was returned; {CANARY!r} stands in the last of {len(turns())} turns")
    return failed(f"the turn that names {CANARY!r} is not among the hits")


def respects_k(bench: Bench) -> Finding:
    """Return at most k hits, and at most the declared cap."""
    bench.fill()
    counts = {k: len(bench.search(k=k)) for k in (1, 3, 10)}
    if not any(counts.values()):
        return vacuous(NOTHING)
    cap = bench.caps.k_cap
    broken = [f"{n} hits for k={k}" for k, n in counts.items() if n > (k if cap is None else min(k, cap))]
    return judged(not broken, ", ".join(broken))


def no_duplicates(bench: Bench) -> Finding:
    """Return each memory once."""
    bench.fill()
    returned = ids(bench.search())
    if len(returned) < 2:
        return vacuous("fewer than two hits")
    twice = sorted({name for name in returned if returned.count(name) > 1})
    return judged(not twice, f"returned more than once: {', '.join(twice[:5])}")


def repeatable(bench: Bench) -> Finding:
    """Give the same order when asked twice."""
    bench.fill()
    first, again = ids(bench.search()), ids(bench.search())
    if not first:
        return vacuous(NOTHING)
    return judged(first == again, "the same search gave two different orders")


def nested(bench: Bench) -> Finding:
    """Give a top 10 that begins the top 60."""
    bench.fill()
    short, long = ids(bench.search(k=10)), ids(bench.search(k=60))
    if len(long) < 2:
        return vacuous("fewer than two hits")
    return judged(
        short == long[: len(short)] and len(short) == min(10, len(long)), "the top 10 is not the top of 60"
    )


def finite_scores(bench: Bench) -> Finding:
    """Give no score or a finite one."""
    bench.fill()
    came = bench.system.search_itself(ask(CANARY), HERE, K)
    if isinstance(copied := plain_ranking(came), ContractBreach):
        raise copied
    if not copied.hits:
        return vacuous(NOTHING)
    wrong = wrong_score(came)
    return judged(not wrong, wrong)


def dumps(bench: Bench) -> Finding:
    """List what was stored."""
    bench.fill()
    if not (stored := bench.dump()):
        return failed("the dump is empty after a write")
    return judged(any(holds(m, CANARY) for m in stored), f"no dumped memory names {CANARY!r}")


def hits_are_stored(bench: Bench) -> Finding:
    """Return only memories that the dump lists, by their ids."""
    bench.fill()
    returned, stored = ids(bench.search()), {memory.id for memory in bench.dump()}
    if not returned:
        return vacuous(NOTHING)
    foreign = [name for name in returned if name not in stored]
    return judged(not foreign, f"hits that the dump does not list: {', '.join(foreign[:5])}")


def isolates(bench: Bench) -> Finding:
    """Keep users and tenants apart, also by a word that only the other said; each finds its own."""
    bench.fill()
    for number, other in enumerate(OTHERS):
        bench.fill(SECOND, other, prefix=f"o{number}-")
        if not (bench.finds() and bench.finds(SECOND, other)):
            return vacuous("a scope does not find its own turn, so a leak could not show")
        if bench.meets(SECOND) or bench.meets(CANARY, other):
            return failed(f"a search under {whose(HERE)} or {whose(other)} returns the other's turn")
        if any(holds(memory, CANARY) for memory in bench.dump(other)):
            return failed(f"the dump of {whose(other)} lists a turn of {whose(HERE)}")
    return PASSED


def searches_unknown_scope(bench: Bench) -> Finding:
    """Find nothing where nothing was written."""
    bench.fill()
    return judged(not bench.search(scope=OTHERS[0]), f"hits under {whose(OTHERS[0])}, where nothing was written")


def only_reads(bench: Bench) -> Finding:
    """Leave the store as it is when searching a dozen times."""
    bench.fill()
    if not bench.caps.read_only_search:
        return Verdict.UNSUPPORTED, "declares that a search may write"
    if not (before := bench.dump()):
        return vacuous("the dump is empty")
    for word in WORDS:
        bench.search(word)
    return judged(before == bench.dump(), f"{len(WORDS)} searches changed what the dump lists")


def resets(bench: Bench) -> Finding:
    """Forget everything of everybody on reset."""
    bench.fill()
    bench.fill(SECOND, OTHERS[0], prefix="o")
    asked = {HERE: CANARY, OTHERS[0]: SECOND}
    if not any(bench.dump(scope) or bench.search(word, scope) for scope, word in asked.items()):
        return vacuous("there was nothing to forget")
    bench.system.reset()
    left = [whose(scope) for scope, word in asked.items() if bench.dump(scope) or bench.search(word, scope)]
    return judged(not left, f"memories of {' and of '.join(left)} are left after a reset")


def takes_any_text(bench: Bench) -> Finding:
    """Take empty, foreign, hostile and very long texts, and search for them, without an error."""
    for number, text in enumerate(STRANGE):
        bench.system.ingest([turn(number, text)], HERE)
    bench.flush()
    for text in STRANGE:
        bench.system.search(text, HERE, 10)
    return PASSED


def reports_changes(bench: Bench) -> Finding:
    """Name in receipts what the dump then lists, and list what they name as added and not as gone."""
    receipts = bench.fill()
    if bench.system.unreceived:
        return failed(bench.system.unreceived)
    if not bench.caps.reports_changes:
        return Verdict.UNSUPPORTED, "receipts do not name memories"
    named = {change.memory for receipt in receipts for change in receipt.changes or ()}
    stored = {memory.id for memory in bench.dump()}
    missing = sorted(stored - named)
    if not named or missing:
        return failed(f"stored but named in no receipt: {', '.join(missing[:5]) or 'all'}")
    lost = sorted(_added(receipts) - stored)
    return judged(not lost, f"named as added and not listed: {', '.join(lost[:5])}")


def _added(receipts: Iterable[Receipt]) -> set[str]:
    """Return the memories that receipts name as added and not as gone afterwards."""
    last = {change.memory: change.op for receipt in receipts for change in receipt.changes or ()}
    return {name for name, op in last.items() if op is Operation.ADD}


UNDECLARED = (
    "memories name sources, and capabilities do not declare it (declares_sources=True), so none was checked"
)


def declares_sources(bench: Bench) -> Finding:
    """Name as sources only turns that were written."""
    bench.fill()
    stored = bench.dump()
    if not bench.caps.declares_sources:
        return Verdict.UNSUPPORTED, UNDECLARED if any(m.sources for m in stored) else "memories name no sources"
    known = {each.id for each in turns()}
    bad = [m.id for m in stored if not m.sources or not set(m.sources) <= known]
    return judged(not bad, f"without sources, or with unknown ones: {', '.join(bad[:5])}")


def answers_the_same_after_unrelated_writes(bench: Bench) -> Finding:
    """Find the same turn after another scope was written."""
    bench.fill()
    if not bench.finds():
        return vacuous("the turn was not found before")
    bench.fill(SECOND, OTHERS[0], prefix="o")
    return judged(bench.finds(), f"{ask(CANARY)!r} no longer finds its turn after a write elsewhere")


REQUIRED: Mapping[str, Probe] = {
    "finds a stored turn": finds,
    "dump lists what was stored": dumps,
    "reset empties": resets,
    "respects k": respects_k,
    "no duplicate hits": no_duplicates,
    "same order twice": repeatable,
    "top 10 begins top 60": nested,
    "finite scores": finite_scores,
    "hits are in the dump": hits_are_stored,
    "scopes are isolated": isolates,
    "other scopes change nothing": answers_the_same_after_unrelated_writes,
    "unknown scope is empty": searches_unknown_scope,
    "search only reads": only_reads,
    "any text is accepted": takes_any_text,
    "receipts name changes": reports_changes,
    "memories name sources": declares_sources,
}
"""Probes of the required methods, by the name under which a report lists them; what is essential comes first."""
