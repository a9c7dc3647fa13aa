"""Haystacks of a shape, written into a memory turn by turn in a process of their own, which says what it took."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from support.peaks import HERE, peak_kib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from memgauge.records import Turn

NEEDLE = "zyzzyva"
"""A word that one turn holds and no other."""


@dataclass(frozen=True)
class Took:
    """What a haystack took."""

    turns: int
    tokens: int
    writing_s: float
    """Seconds of writing and indexing, without those of making the turns."""
    search_ms: float
    """Of one question, the median."""
    peak_mib: float
    """Of the process, with everything."""
    disk_mib: float
    found: bool
    """Whether the needle came first."""


def took(shape: str, turns: int, folder: Path, system: str = "haystack") -> Took:
    """Write a haystack in a process of its own."""
    given = [sys.executable, "-m", "support.shapes", shape, str(turns), str(folder), system]
    done = subprocess.run(given, capture_output=True, text=True, check=True, cwd=HERE)
    return Took(**json.loads(done.stdout))


def world(turns: int) -> Iterator[Turn]:
    """Let users of the synthetic world speak, one after the other, as if they were one."""
    from memgauge.datasets.synthetic.sizes import SIZES
    from memgauge.datasets.synthetic.world import Recipe

    recipe = Recipe(SIZES["small"], 0)
    said = 0
    for user in range(turns):
        for turn in recipe.user(user).case.conversation.turns():
            if said == turns:
                return
            said += 1
            yield replace(turn, id=f"{user}:{turn.id}")


def beam(turns: int) -> Iterator[Turn]:
    """Say as much as a turn of BEAM's largest conversations: about 500 words of a vocabulary like English's."""
    from memgauge.records import Turn

    chance = random.Random(0)  # noqa: S311 - no secret
    words = [f"w{n:x}" for n in range(60_000)]
    shares = list(_summed(1 / (n + 2.7) for n in range(len(words))))
    for number in range(turns):
        text = " ".join(chance.choices(words, cum_weights=shares, k=500))
        yield Turn(f"t{number}", "user", text, f"s{number // 40}")


def _summed(shares: Iterator[float]) -> Iterator[float]:
    total = 0.0
    for share in shares:
        total += share
        yield total


SHAPES: dict[str, Callable[[int], Iterator[Turn]]] = {"beam": beam, "world": world}


def measure(shape: str, turns: int, folder: Path, ref: str) -> Took:
    """Write a haystack, and search it."""
    from memgauge.records import Scope
    from memgauge.systems.catalogue import open_system

    given = {"folder": str(folder)} if ref.startswith("haystack") else {}
    options = ",".join(f"{key}={value}" for key, value in given.items())
    system = open_system(f"{ref}{',' if ':' in ref else ':'}{options}" if options else ref)
    scope, source, asked = Scope("one"), SHAPES[shape](turns), list[str]()
    writing, tokens, count = 0.0, 0, 0
    while piece := list(islice(source, 14)):
        if count <= turns // 3 < count + len(piece):
            piece[0] = replace(piece[0], text=f"{piece[0].text} {NEEDLE}")
        count += len(piece)
        tokens += sum(turn.text.count(" ") + 1 for turn in piece)
        if len(asked) < 21:
            asked.append(" ".join(piece[0].text.split()[:9]))
        writing += _timed(partial(system.ingest, piece, scope))
        if count % 140_000 < 14:
            writing += _timed(partial(system.flush, scope, 600))
    writing += _timed(partial(system.flush, scope, 600))
    hits = system.search(NEEDLE, scope, 5).hits
    each = sorted(_timed(partial(system.search, query, scope, 10)) for query in asked)
    return Took(
        turns=count,
        tokens=tokens,
        writing_s=round(writing, 1),
        search_ms=round(1000 * each[len(each) // 2], 1),
        peak_mib=round(peak_kib() / 1024),
        disk_mib=round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20),
        found=bool(hits) and NEEDLE in hits[0].memory.text,
    )


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


if __name__ == "__main__":
    from dataclasses import asdict
    from pathlib import Path

    name, number, place, memory = sys.argv[1:]
    sys.stdout.write(json.dumps(asdict(measure(name, int(number), Path(place), memory))))
