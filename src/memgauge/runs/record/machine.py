"""The machine that something was played on, and the day: they stand beside figures that depend on them."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class Machine:
    """Where something was played."""

    processor: str
    cores: int
    gigabytes: float
    system: str

    def __str__(self) -> str:
        cores = "1 core" if self.cores == 1 else f"{self.cores} cores"
        return f"{self.processor}, {cores}, {self.gigabytes:g} GB, {self.system}"


def this_machine() -> Machine:
    """Describe the machine at hand."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return Machine(
        processor=next(names, platform.processor() or "unknown"),
        cores=os.cpu_count() or 1,
        gigabytes=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        system=f"{platform.system()} {platform.machine()}",
    )


def day_of(moment: datetime) -> str:
    """Write the day of a moment."""
    return moment.date().isoformat()
