"""Compare the instructions of the hot kernels with those that are committed.

Usage: python -m bench.counts [--write] [--kernel NAME ...]

Exit code 1 where a kernel needs more instructions than before, beyond the tolerance. Without valgrind it says so
and checks nothing. Counts depend on the versions of Python and numpy; with others than the committed ones it
warns.
"""

from __future__ import annotations

import argparse
import sys

from bench.counts.callgrind import available, per_call
from bench.counts.guard import Counts, compare, here
from bench.counts.kernels import KERNELS
from bench.places import COUNTS


def main() -> int:
    """Count and compare, or write."""
    parser = argparse.ArgumentParser(prog="python -m bench.counts", description="Guard the hot kernels.")
    parser.add_argument("--write", action="store_true", help="keep what is counted as the new measure")
    parser.add_argument("--kernel", action="append", choices=list(KERNELS), help="only this one")
    chosen = parser.parse_args()
    if not available():
        print("SKIPPED: valgrind is not here, so no instruction was counted (Debian: apt-get install valgrind).")
        return 0
    known = Counts.read(COUNTS)
    counted = {name: per_call(name) for name in chosen.kernel or KERNELS}
    if chosen.write:
        Counts(here(), known.tolerance, known.instructions | counted).write(COUNTS)
        print(f"Written: {COUNTS.name}")
        return 0
    if known.versions != here():
        print(f"The committed counts are of {known.versions}; here is {here()}, so compare with care.")
    lines = [compare(name, count, known, KERNELS[name].tolerance) for name, count in counted.items()]
    print("\n".join(line.sentence for line in lines))
    return int(any(line.regressed for line in lines))


if __name__ == "__main__":
    sys.exit(main())
