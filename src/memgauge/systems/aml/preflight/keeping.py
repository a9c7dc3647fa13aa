"""Probes of what a server keeps: once, of whom, in all sessions, and through a restart."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from memgauge.records import Verdict
from memgauge.systems.aml.preflight.bench import LOCKER, Blocked, PreflightFinding, failed, judged, passed, saying

if TYPE_CHECKING:
    from memgauge.systems.aml.preflight.bench import PreflightBench

IMMEDIATE: Final = 10
USERS: Final = 40
ALIKE: Final = ("Ada", "ada", "ada ", " ada", "\u00e9", "e\u0301", "1", "10")
"""Names of which each is another's in another case, form or length."""
STORED: Final = 120
BEGAN: Final = 1_704_067_200_000
"""The first of January 2024, in milliseconds."""
RESTART_S: Final = 60.0
_THINGS: Final = ("kiln", "bicycle", "umbrella")


def visible(bench: PreflightBench) -> PreflightFinding:
    """Search at once after each Add."""
    users = {bench.user(f"visible{number}"): bench.word(f"v{number}") for number in range(IMMEDIATE)}
    hits = 0
    for user, word in users.items():
        bench.added(bench.body(user, saying(f"My locker number is {word}.")))
        hits += bench.count(user, LOCKER, word) > 0
    return judged(
        [f"{hits} of {IMMEDIATE} were found at once"] if hits < IMMEDIATE else [], adds=IMMEDIATE, at_once=hits
    )


def empty(bench: PreflightBench) -> PreflightFinding:
    """Search for somebody of whom nothing is known."""
    reply = bench.search({"query": LOCKER, "user_id": bench.user("nobody"), "top_k": 10})
    if reply.late:
        raise Blocked("time", f"Search: {reply.failure}")
    if reply.status != 200:
        return failed(reply.shown, status=reply.status)
    rows = bench.hits(bench.user("nobody"), LOCKER)
    return failed(f"{len(rows)} hits of somebody else", hits=len(rows)) if rows else passed()


def top_k(bench: PreflightBench) -> PreflightFinding:
    """Add 120 messages and ask for 1, 10 and 100 of them."""
    user = bench.user("many")
    for chunk in range(0, STORED, 20):
        texts = (f"On day {number} my locker number was {number}." for number in range(chunk, chunk + 20))
        bench.added(bench.body(user, saying(*texts), request=f"r{chunk}"))
    counts = {k: len(bench.hits(user, LOCKER, k)) for k in (1, 10, 100)}
    over = [f"{count} hits for top_k {k}" for k, count in counts.items() if count > k]
    figures = {f"hits_at_{k}": float(count) for k, count in counts.items()}
    if over and not bench.cycle.overflow_fails:
        return passed(f"{'; '.join(over)}: the rest is not read in cycle {bench.cycle.number}", **figures)
    return judged(over, "nothing is found" if not any(counts.values()) else "", **figures)


def replay(bench: PreflightBench) -> PreflightFinding:
    """Send the same Adds again, and count hits."""
    problems, before, after = [], 0, 0
    for number in range(3):
        user, word = bench.user(f"replay{number}"), bench.word(f"r{number}")
        body = bench.body(user, saying(f"My locker number is {word}."))
        bench.added(body)
        if not bench.finds(user, LOCKER, word):
            problems.append("what was added is not found")
        before += bench.count(user, LOCKER, word)
        reply = bench.add(body)
        if reply.status != 200:
            problems.append(f"the replay: {reply.shown}")
        after += bench.count(user, LOCKER, word)
    if after > before:
        problems.append(f"{after} hits after the replay, {before} before")
    return judged(problems, replays=3, hits_before=before, hits_after=after)


def conflict(bench: PreflightBench) -> PreflightFinding:
    """Send another body under an id that was used."""
    user, first, second = bench.user("conflict"), bench.word("first"), bench.word("second")
    bench.added(bench.body(user, saying(f"My locker number is {first}.")))
    reply = bench.add(bench.body(user, saying(f"My locker number is {second}.")))
    if not 400 <= reply.status < 500:
        return failed(f"it was not refused: {reply.shown}", status=reply.status)
    problems = [] if bench.finds(user, LOCKER, first) else ["what was added first is gone"]
    if bench.count(user, LOCKER, second):
        problems.append("what was refused is found")
    again = bench.cycle.add.again(reply.status)
    remark = f"Add is asked again after {reply.status}, {bench.cycle.add.attempts} times; 422 ends it at once"
    return judged(problems, remark if again else "", status=reply.status)


def isolation(bench: PreflightBench) -> PreflightFinding:
    """Let 40 users add the same sentence with a word of their own, some under names that are almost one."""
    plain = [f"user{number}" for number in range(USERS - len(ALIKE))]
    words = {bench.user(f"apart:{name}"): bench.word(f"i{place}i") for place, name in enumerate([*plain, *ALIKE])}
    for user, word in words.items():
        bench.added(bench.body(user, saying(f"My locker number is {word}.")))
    leaks, missing = [], 0
    for user, word in words.items():
        contents = [row["content"] for row in bench.hits(user, LOCKER)]
        missing += not any(word in content for content in contents)
        others = [
            other
            for other, foreign in words.items()
            if other != user and any(foreign in each for each in contents)
        ]
        leaks += [f"{user[len(bench.prefix) :]!r} sees {other[len(bench.prefix) :]!r}" for other in others]
    remark = f"{missing} do not find their own" if missing else ""
    return judged(leaks, remark, users=len(words), leaks=len(leaks), missing=missing)


def sessions(bench: PreflightBench) -> PreflightFinding:
    """Add two sessions and search for what was said in each."""
    user = bench.user("sessions")
    words = {thing: bench.word(thing) for thing in _THINGS}
    for thing, word in words.items():
        text = f"The number of my {thing} is {word}."
        bench.added(bench.body(user, saying(text), request=f"r-{thing}", session=f"s-{thing}"))
    missing = [
        thing for thing, word in words.items() if not bench.finds(user, f"What is the number of my {thing}?", word)
    ]
    return judged([f"the session about the {thing} is not found" for thing in missing], sessions=len(words))


def chunks(bench: PreflightBench) -> PreflightFinding:
    """Add one session in three Adds, find what each said, and compare times where they are told."""
    user, created = bench.user("chunks"), list[str]()
    words = {thing: bench.word(f"c{thing}") for thing in _THINGS}
    for place, (thing, word) in enumerate(words.items()):
        messages = saying(f"The number of my {thing} is {word}.", at=BEGAN + 86_400_000 * place)
        bench.added(bench.body(user, messages, request=f"chunk-{place}"))
    problems = []
    for thing, word in words.items():
        query = f"What is the number of my {thing}?"
        if not bench.finds(user, query, word):
            problems.append(f"the chunk about the {thing} is gone")
        times = [row.get("created_at") for row in bench.hits(user, query) if word in row["content"]]
        created += [when for when in times[:1] if isinstance(when, str)]
    if created != sorted(created):
        problems.append(f"created_at runs backwards: {', '.join(created)}")
    return judged(problems, chunks=len(words), dated=len(created))


def repeat(bench: PreflightBench) -> PreflightFinding:
    """Ask the same questions five times."""
    user = bench.user("repeat")
    bench.added(
        bench.body(user, saying(*(f"My locker number on day {number} was {number}." for number in range(20))))
    )
    changed = 0
    for query in (LOCKER, "What was my locker number on day 7?"):
        orders = [tuple(row["id"] for row in bench.hits(user, query, 10)) for _ in range(5)]
        changed += len(set(orders)) - 1
    return judged(
        [f"{changed} of 8 repetitions came in another order"] if changed else [], repetitions=8, changed=changed
    )


def durable(bench: PreflightBench) -> PreflightFinding:
    """Add, restart the server, search, and send the Add again."""
    if bench.restart is None:
        return PreflightFinding(Verdict.VACUOUS, "not tried: --restart COMMAND names how the server is restarted")
    user, word = bench.user("durable"), bench.word("durable")
    body = bench.body(user, saying(f"My locker number is {word}."))
    bench.added(body)
    if not bench.finds(user, LOCKER, word):
        raise Blocked("visible", "what was added is not found before the restart")
    before = bench.count(user, LOCKER, word)
    if not bench.taken(bench.add(body)) or bench.count(user, LOCKER, word) > before:
        raise Blocked("replay", "a replay is refused, or stores again, without a restart too")
    bench.client.close()
    bench.restart()
    waited = _back(bench, user)
    if waited is None:
        return failed(f"the server was not back within {RESTART_S:g} s")
    after = bench.count(user, LOCKER, word)
    if not after:
        return failed("what was added is gone after a restart", seconds=waited)
    reply = bench.add(body)
    problems = [] if reply.status == 200 else [f"the replay after the restart: {reply.shown}"]
    if bench.count(user, LOCKER, word) > after:
        problems.append("the replay after the restart stored again")
    return judged(problems, seconds=waited)


def _back(bench: PreflightBench, user: str) -> float | None:
    """Wait until the server answers again, and say how long that took."""
    asked = {"query": LOCKER, "user_id": user, "top_k": 1}
    began = time.monotonic()
    while time.monotonic() - began < RESTART_S:
        if bench.client.search(asked).status not in {0, 502, 503}:
            return time.monotonic() - began
        bench.sleep(0.1)
    return None


def deletion(bench: PreflightBench) -> PreflightFinding:
    """Say what stays."""
    what = f"the contract has no Delete: what was added stays, under users that begin with {bench.prefix!r}"
    return PreflightFinding(Verdict.UNSUPPORTED, what)
