"""Probes of what a server takes: odd texts, far times, long messages, and many requests at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Verdict
from memgauge.systems.aml.persisting import persist
from memgauge.systems.aml.preflight.bench import LOCKER, SETTLE_S, Blocked, Finding, failed, judged, passed, saying
from memgauge.systems.aml.replies import listed, success_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.systems.aml.client import AmlReply
    from memgauge.systems.aml.preflight.bench import PreflightBench

ODD: Final[Mapping[str, str]] = {
    "emoji": "👩\u200d👩\u200d👧 🎉 ",
    "other scripts": "東京 שלום नमस्ते ",
    "NUL": "before\0after ",
    "half a surrogate pair": "\ud83d ",
    "invisible characters": "\u200b\u2060\ufeff\u202e ",
    "markup": "<script>alert(1)</script> '; DROP TABLE x; -- ",
}
FAR: Final[Mapping[str, Any]] = {
    "no time": None,
    "the epoch": 0,
    "before 1970": -86_400_000,
    "the year 2150": 5_680_281_600_000,
    "the year 9999": 253_402_300_799_999,
    "beyond any calendar": 10**20,
    "seconds instead of milliseconds": 1_704_067_200,
}
WORDS: Final = 1_990
LONGEST_WAIT_S: Final = 5.0
"""What a retry waits here at most, where the platform waits up to a minute."""


def texts(bench: PreflightBench) -> Finding:
    """Add texts that stores and encodings stumble over."""
    problems = []
    for number, (what, odd) in enumerate(ODD.items()):
        user, word = bench.user(f"odd{number}"), bench.word(f"o{number}")
        if problem := _taken(bench, bench.body(user, saying(f"{odd}My locker number is {word}.")), word):
            problems.append(f"{what}: {problem}")
    blank = bench.add(bench.body(bench.user("blank"), saying(" \n\t")))
    if not 200 <= blank.status < 500:
        problems.append(f"white space: {blank.shown}")
    odd_query = bench.search({"query": f"{''.join(ODD.values())}?", "user_id": bench.user("odd0"), "top_k": 10})
    if odd_query.status != 200:
        problems.append(f"all of it as a question: {odd_query.shown}")
    return judged(problems, texts=len(ODD) + 2)


def times(bench: PreflightBench) -> Finding:
    """Add messages with far times, and with none."""
    problems = []
    for number, (what, at) in enumerate(FAR.items()):
        user, word = bench.user(f"time{number}"), bench.word(f"t{number}")
        messages = saying(f"My locker number is {word}.")
        if at is not None:
            messages[0]["timestamp"] = at
        if problem := _taken(bench, bench.body(user, messages), word):
            problems.append(f"{what}: {problem}")
    return judged(problems, times=len(FAR))


def _taken(bench: PreflightBench, body: dict[str, Any], word: str) -> str:
    """Say what is wrong with how a message was taken; empty where it is found."""
    reply = bench.add(body)
    if not bench.taken(reply):
        return reply.shown
    return "" if bench.finds(body["user_id"], LOCKER, word) else "it is not found"


def long(bench: PreflightBench) -> Finding:
    """Add a message of 2,000 words, and look for its last."""
    user, word = bench.user("long"), bench.word("long")
    filler = " ".join(f"The beans in row {number} came up." for number in range(WORDS // 7))
    bench.added(bench.body(user, saying(f"{filler} My locker number is {word}.")))
    if bench.finds(user, LOCKER, word):
        return passed(words=len(filler.split()) + 5)
    return failed("its last words are not found", words=len(filler.split()) + 5)


def load(bench: PreflightBench) -> Finding:
    """Add for many users while others search, and look for what each added."""
    reader = bench.user("reader")
    bench.added(bench.body(reader, saying(*(f"My locker number on day {day} was {day}." for day in range(20)))))
    writers = {bench.user(f"writer{number}"): bench.word(f"w{number}w") for number in range(bench.adds)}
    asked = {"query": LOCKER, "user_id": reader, "top_k": 10}
    began = time.monotonic()
    with ThreadPoolExecutor(max(bench.adds + bench.searches, 1)) as pool:
        adding = [
            pool.submit(
                _kept_at,
                bench,
                partial(bench.client.add, bench.body(user, saying(f"My locker number is {word}."))),
            )
            for user, word in writers.items()
        ]
        searching = [
            pool.submit(_kept_at, bench, partial(bench.client.search, asked), search=True)
            for _ in range(bench.searches)
        ]
        added, searched = [each.result() for each in adding], [each.result() for each in searching]
    took = time.monotonic() - began
    problems = _problems(bench, added, searched)
    lost = 0 if problems else _lost(bench, writers)
    if lost:
        problems.append(f"{lost} of {len(writers)} Adds are not found")
    again = sum(tries - 1 for _, tries in (*added, *searched))
    return judged(
        problems,
        f"{again} were asked again" if again else "",
        **_figures(added, searched, took),
        lost=lost,
        again=again,
    )


def _lost(bench: PreflightBench, writers: Mapping[str, str]) -> int:
    """Count the writers whose word is not found.

    Raises:
        Blocked: All are found after a moment.
    """
    missing = {user: word for user, word in writers.items() if not bench.count(user, LOCKER, word)}
    if not missing:
        return 0
    bench.sleep(SETTLE_S)
    lost = sum(not bench.count(user, LOCKER, word) for user, word in missing.items())
    if not lost:
        raise Blocked("visible", "what was added was found only after a moment")
    return lost


def _kept_at(bench: PreflightBench, call: partial[AmlReply], *, search: bool = False) -> tuple[AmlReply, int]:
    """Ask as the platform does, but for shorter waits."""
    rules = bench.cycle.search if search else bench.cycle.add
    return persist(call, rules, bench.cycle, lambda seconds: bench.sleep(min(seconds, LONGEST_WAIT_S)))


def _problems(
    bench: PreflightBench, added: list[tuple[AmlReply, int]], searched: list[tuple[AmlReply, int]]
) -> list[str]:
    late = [reply for reply, _ in (*added, *searched) if bench.noted(reply).late]
    if late:
        raise Blocked("time", late[0].failure)
    wrong = [f"Add: {reply.shown}" for reply, _ in added if reply.status != 200 or success_problem(reply.value)]
    if not wrong and (
        problem := next((listed(reply.value)[1] for reply, _ in searched if reply.status == 200), "")
    ):
        raise Blocked("shape", f"Search was answered with {problem}")
    return wrong + [f"Search: {reply.shown}" for reply, _ in searched if reply.status != 200]


def _figures(
    added: list[tuple[AmlReply, int]], searched: list[tuple[AmlReply, int]], took: float
) -> dict[str, float]:
    waits = sorted(reply.seconds for reply, _ in (*added, *searched)) or [0.0]
    return {
        "adds": len(added),
        "searches": len(searched),
        "seconds": took,
        "p50_s": waits[len(waits) // 2],
        "p99_s": waits[len(waits) * 99 // 100],
    }


def in_time(bench: PreflightBench) -> Finding:
    """Say how long calls took."""
    waits = sorted(bench.seconds) or [0.0]
    figures = {
        "calls": float(len(bench.seconds)),
        "p50_s": waits[len(waits) // 2],
        "most_s": waits[-1],
        "late": float(bench.late),
    }
    limit = f"{bench.client.timeout_s:g} s here, {bench.cycle.timeout_s:,.0f} s there"
    if bench.late:
        return Finding(Verdict.FAIL, f"{bench.late} calls had no answer in time ({limit})", figures)
    return Finding(Verdict.PASS, f"a call may take {limit}", figures)
