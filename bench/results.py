"""What was measured, as one file: read and written, and joined with what was measured before."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bench.budgets import Budget
from bench.compare import Measured, Spread, Taken
from bench.growth.fit import Fitted
from bench.growth.measure import Grown, Point

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Results:
    """Everything the page is made of."""

    machine: dict[str, Any] = field(default_factory=dict)
    rows: tuple[Measured, ...] = ()
    budgets: tuple[Budget, ...] = ()
    growth: tuple[Grown, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file; where there is none, nothing was measured."""
        if not path.exists():
            return cls()
        data = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            data["machine"],
            tuple(_row(row) for row in data["rows"]),
            tuple(Budget(**each) for each in data["budgets"]),
            tuple(_curve(each) for each in data["growth"]),
        )

    def write(self, path: Path) -> None:
        """Write the file."""
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def joined(self, newer: Results) -> Results:
        """Return these with what is *newer* in the place of what it measured again."""
        return Results(
            newer.machine or self.machine,
            _replaced(self.rows, newer.rows, "key"),
            _replaced(self.budgets, newer.budgets, "title"),
            _replaced(self.growth, newer.growth, "key"),
        )


def machine() -> dict[str, Any]:
    """Describe where and when it was measured, and how busy the machine was."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "system": platform.system(),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:  # noqa: PTH123 - a file of the kernel, not a path of ours
            return next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return platform.processor()


def _replaced(old: Sequence[Any], new: Sequence[Any], key: str) -> tuple[Any, ...]:
    newer = {getattr(each, key): each for each in new}
    kept = [newer.pop(getattr(each, key), each) for each in old]
    return (*kept, *newer.values())


def _row(data: dict[str, Any]) -> Measured:
    row = Measured(**data)
    return replace(row, sides=tuple(_side(side) for side in data["sides"]))


def _side(data: dict[str, Any]) -> Taken:
    spreads = {name: Spread(**data[name]) if data[name] else None for name in ("ms", "ratio")}
    return Taken(**data | spreads)


def _curve(data: dict[str, Any]) -> Grown:
    fitted = Fitted(**data["fitted"]) if data["fitted"] else None
    return Grown(**data | {"points": tuple(Point(**point) for point in data["points"]), "fitted": fitted})
