"""Probes of what a server takes: odd texts, far times, long messages, and many requests at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Verdict
from memgauge.systems.aml.persisting import persist
from memgauge.systems.aml.preflight.bench import (
    LOCKER,
    SETTLE_S,
    Blocked,
    PreflightFinding,
    failed,
    judged,
    passed,
    saying,
)
from memgauge.systems.aml.replies import listed, success_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.aml.client import AmlReply
    from memgauge.systems.aml.contract import RetryRule
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


def texts(bench: PreflightBench) -> PreflightFinding:
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


def times(bench: PreflightBench) -> PreflightFinding:
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


def long(bench: PreflightBench) -> PreflightFinding:
    """Add a message of 2,000 words, and look for its last."""
    user, word = bench.user("long"), bench.word("long")
    filler = " ".join(f"The beans in row {number} came up." for number in range(WORDS // 7))
    bench.added(bench.body(user, saying(f"{filler} My locker number is {word}.")))
    if bench.finds(user, LOCKER, word):
        return passed(words=len(filler.split()) + 5)
    return failed("its last words are not found", words=len(filler.split()) + 5)


@dataclass
class _Asked:
    """What became of one request: every answer, of which the last counts."""

    call: Callable[[], AmlReply]
    rules: RetryRule
    answers: list[AmlReply] = field(default_factory=list)

    def run(self, bench: PreflightBench) -> None:
        """Ask as the platform does, but for shorter waits."""
        persist(self._once, self.rules, bench.cycle, lambda seconds: bench.sleep(min(seconds, LONGEST_WAIT_S)))

    def _once(self) -> AmlReply:
        self.answers.append(self.call())
        return self.answers[-1]


def load(bench: PreflightBench) -> PreflightFinding:
    """Add for many users while others search, and look for what each added."""
    reader = bench.user("reader")
    bench.added(bench.body(reader, saying(*(f"My locker number on day {day} was {day}." for day in range(20)))))
    writers = {bench.user(f"writer{number}"): bench.word(f"w{number}w") for number in range(bench.adds)}
    bodies = [bench.body(user, saying(f"My locker number is {word}.")) for user, word in writers.items()]
    asked = {"query": LOCKER, "user_id": reader, "top_k": 10}
    adds = [_Asked(partial(bench.client.add, body), bench.cycle.add) for body in bodies]
    searches = [_Asked(partial(bench.client.search, asked), bench.cycle.search) for _ in range(bench.searches)]
    began = time.monotonic()
    with ThreadPoolExecutor(bench.adds + bench.searches) as pool:
        list(pool.map(lambda each: each.run(bench), [*adds, *searches]))
    took = time.monotonic() - began
    answers = [bench.noted(answer) for each in (*adds, *searches) for answer in each.answers]
    problems = [*_problems("Add", adds), *_problems("Search", searches)]
    lost = 0 if problems else _lost(bench, writers)
    problems += [f"{lost} of {len(writers)} Adds are not found"] if lost else []
    full = sum(answer.status == 429 for answer in answers)
    waits = sorted(answer.seconds for answer in answers)
    return judged(
        problems,
        f"{full} answers were 429" if full else "",
        adds=len(adds),
        searches=len(searches),
        seconds=took,
        p50_s=waits[len(waits) // 2],
        p99_s=waits[len(waits) * 99 // 100],
        lost=lost,
        full=full,
    )


def _problems(operation: str, asked: list[_Asked]) -> list[str]:
    """Say what came that is neither success nor 429, also where the next attempt was better.

    Raises:
        Blocked: It is the fault of another row.
    """
    for each in asked:
        last = each.answers[-1]
        if last.late:
            raise Blocked("time", f"{operation}: {last.failure}")
        row, problem = (
            ("success", success_problem(last.value)) if operation == "Add" else ("shape", listed(last.value)[1])
        )
        if last.status == 200 and problem:
            raise Blocked(row, f"{operation} was answered with {problem}")
    wrong = [answer for each in asked for answer in each.answers if answer.status not in {200, 429}]
    wrong += [each.answers[-1] for each in asked if each.answers[-1].status == 429]
    return [f"{len(wrong)} answers to {operation} such as {wrong[0].shown}"] if wrong else []


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


def in_time(bench: PreflightBench) -> PreflightFinding:
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
        return PreflightFinding(Verdict.FAIL, f"{bench.late} calls had no answer in time ({limit})", figures)
    return PreflightFinding(Verdict.PASS, f"a call may take {limit}", figures)
