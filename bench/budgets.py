"""Whole runs with a limit of time and of memory: no peer does the same work, so they stand alone."""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from bench.made import words
from bench.places import MEMGAUGE
from bench.row import CannotRunError
from bench.whole import spend

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.whole import Spent

LEXICAL = ("random", "recency", "full", "bm25", "tfidf")
QUESTIONS, TURNS = 470, 490


@dataclass(frozen=True)
class Budget:
    """What a run took, and what it may take."""

    title: str
    limit_s: float
    limit_mb: float
    seconds: float | None = None
    cpu_s: float | None = None
    peak_mb: float | None = None
    floor: str = ""
    floor_s: float | None = None
    """What the floor took."""
    lacks: str = ""
    above: str = ""
    """Why it stays above its floor."""

    @property
    def kept(self) -> bool | None:
        """Whether it stayed within its limits; not known without figures."""
        if self.seconds is None or self.peak_mb is None:
            return None
        return self.seconds <= self.limit_s and self.peak_mb <= self.limit_mb


def locomo(folder: Path) -> Budget:
    """Run five lexical systems on LoCoMo, two conversations at a time, score them, and write the report."""
    budget = Budget("five lexical systems on LoCoMo, load to report, two workers", 25.0, 1000.0)
    systems = [part for name in LEXICAL for part in ("--system", name)]
    runs = folder / "locomo"
    try:
        from memgauge.datasets.catalogue import open_dataset
        from memgauge.errors import DataError

        open_dataset("locomo")
        spent = [
            spend([*MEMGAUGE, "run", "--dataset", "locomo", *systems, "--workers", "2", "--out", str(runs)]),
            spend([*MEMGAUGE, "results", "report", str(runs), "--out", str(folder / "report.html")]),
        ]
    except (CannotRunError, DataError) as error:
        return replace(budget, lacks=str(error).partition(" Looked at")[0])
    return _summed(budget, spent)


def haystacks(folder: Path) -> Budget:
    """Run BM25 on a file of the shape of LongMemEval-S: 470 questions, each with 490 turns of its own."""
    above = (
        "The words of every haystack are cut, indexed, kept for the record, hashed and packed, each of them once."
    )
    title = f"LongMemEval-S shape: {QUESTIONS} x {TURNS} turns, BM25, one core"
    budget = Budget(title, 60.0, 400.0, above=above)
    path = folder / "longmemeval.json"
    write_haystacks(path)
    command = [*MEMGAUGE, "run", "-d", f"longmemeval:{path}", "-s", "bm25", "--allow-unpinned"]
    try:
        spent = spend([*command, "--out", str(folder / "haystacks")], one_core=True)
    except CannotRunError as error:
        return replace(budget, lacks=str(error))
    start = time.perf_counter()
    with path.open("rb") as file:
        json.load(file)
    parsed = time.perf_counter() - start
    path.unlink()
    return replace(
        budget,
        seconds=spent.seconds,
        cpu_s=spent.cpu_s,
        peak_mb=spent.peak_mb,
        floor="one parse of the file, by json",
        floor_s=parsed,
    )


def write_haystacks(path: Path, questions: int = QUESTIONS, turns: int = TURNS) -> None:
    """Write such a file: short turns of a user, long ones of an assistant, some 270 MB at full size."""
    rng, known = random.Random(1), words()  # noqa: S311 - a workload, no secret
    chances = list(accumulate(1 / (rank + 1) for rank in range(len(known))))

    def said(length: int) -> str:
        return " ".join(rng.choices(known, cum_weights=chances, k=length))

    with path.open("w", encoding="utf-8") as file:
        for number in range(questions):
            sizes = [min(10, turns - at) for at in range(0, turns, 10)]
            sessions = [
                [
                    {"role": "assistant" if t % 2 else "user", "content": said(300 if t % 2 else 28)}
                    for t in range(size)
                ]
                for size in sizes
            ]
            sessions[0][0]["has_answer"] = True  # type: ignore[assignment]
            names = [f"s{number}_{place}" for place in range(1, len(sessions))]
            case = {
                "question_id": f"q{number}",
                "question_type": "multi-session",
                "question": said(12),
                "answer": "x",
                "question_date": "2023/06/01 (Thu) 00:58",
                "haystack_session_ids": [f"answer_{number}", *names],
                "haystack_dates": [
                    f"2023/05/{1 + p % 28:02d} (Sat) {p % 24:02d}:21" for p in range(len(sessions))
                ],
                "haystack_sessions": sessions,
                "answer_session_ids": [f"answer_{number}"],
            }
            file.write(("," if number else "[") + json.dumps(case))
        file.write("]")


def _summed(budget: Budget, spent: list[Spent]) -> Budget:
    return replace(
        budget,
        seconds=sum(s.seconds for s in spent),
        cpu_s=sum(s.cpu_s for s in spent),
        peak_mb=max(s.peak_mb for s in spent),
    )


BUDGETS: dict[str, Callable[[Path], Budget]] = {"locomo": locomo, "haystacks": haystacks}
