"""Spoil the files of every reader for as long as asked, and say what escaped; `make fuzz` calls it.

The seed is printed, and repeats a pass. What escapes is kept as the files that did it, and ends the pass with 1.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.fuzz import Escaped, Reader, Sample, attempt, spoilt
from support.readers import READERS

FOUND = Path(".hypothesis/fuzz")
SLOW_S = 5.0
"""Seconds of this process that one small file may cost."""


def fuzz(reader: Reader, seconds: float, seed: int) -> tuple[int, Counter[str], dict[str, str]]:
    """Let *reader* read spoilt files until the time is over; return how many, how they ended, and what escaped."""
    sample, ended, escaped, count = reader.sample(), Counter[str](), dict[str, str](), 0
    chance = random.Random(f"{reader.name} {seed}")  # noqa: S311 - no secret
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        count += 1
        files = spoilt(sample, chance, reader.spoil)
        with tempfile.TemporaryDirectory() as scratch:
            end, what = _once(reader, files, Path(scratch))
            ended[end] += 1
            if what and what not in escaped:
                escaped[what] = _keep(reader, files, len(escaped))
    return count, ended, escaped


def _once(reader: Reader, files: Sample, folder: Path) -> tuple[str, str]:
    """Return how one reading ended, and what escaped."""
    began = time.process_time()
    try:
        end = attempt(reader, files, folder)
    except Escaped as found:
        return "ESCAPED", str(found).replace(str(folder), "…")[:160]
    took = time.process_time() - began
    return ("ESCAPED", f"{reader.name}: it took more than {SLOW_S:g} s") if took > SLOW_S else (end, "")


def _keep(reader: Reader, files: Sample, number: int) -> str:
    home = FOUND / f"{reader.name}-{number}"
    shutil.rmtree(home, ignore_errors=True)
    for name, content in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    return str(home)


def main() -> int:
    """Run the fuzzers that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    told = parser.parse_args()
    print(f"seed {told.seed}, {told.seconds:g} s each", flush=True)
    bad = False
    for reader in READERS:
        if told.readers and reader.name not in told.readers:
            continue
        count, ended, escaped = fuzz(reader, told.seconds, told.seed)
        print(f"{reader.name:20} {count:8,} files: {dict(ended.most_common())}", flush=True)
        for what, where in escaped.items():
            print(f"    {what}\n      {where}", flush=True)
        bad = bad or bool(escaped)
    return bad


if __name__ == "__main__":
    sys.exit(main())
