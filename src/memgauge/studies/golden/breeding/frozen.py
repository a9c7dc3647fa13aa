"""When the scenarios were last frozen, and the seed that was drawn after that: what makes a kill rate honest.

Mutants that were bred while scenarios were still being written may have been looked at. Those that follow from a
seed which did not exist yet cannot have been. ``python -m memgauge.studies.golden.breeding.frozen`` freezes what
is shipped now, and draws a new seed.
"""

from __future__ import annotations

import secrets
import tomllib
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memgauge.suites import paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE: Final = Path(__file__).with_name("frozen.toml")


@dataclass(frozen=True)
class Freeze:
    """What was frozen when, and the seed that was drawn then."""

    date: str
    seed: int
    suites: Mapping[str, str]
    """The sha256 of every suite file, by its name."""

    def as_toml(self) -> str:
        """Write it out."""
        head = f'date = "{self.date}"\nseed = {self.seed}\n\n[suites]\n'
        return head + "".join(f'"{name}" = "{digest}"\n' for name, digest in self.suites.items())


def frozen(file: Path = FILE) -> Freeze:
    """Read the last freeze."""
    read = tomllib.loads(file.read_text("utf-8"))
    return Freeze(read["date"], read["seed"], read["suites"])


def hashes(suites: Iterable[Path]) -> Mapping[str, str]:
    """Hash suite files, by their names."""
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(suites)}


def freeze(date: str, seed: int) -> Freeze:
    """Freeze what is shipped, with a seed that nobody has looked at."""
    return Freeze(date, seed, hashes(paths()))


def main() -> None:
    """Freeze the suites that are shipped, today, and draw the seed."""
    FILE.write_text(freeze(f"{datetime.now(UTC):%Y-%m-%d}", secrets.randbelow(2**32)).as_toml(), "utf-8")


if __name__ == "__main__":
    main()
