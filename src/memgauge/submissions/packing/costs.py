"""What a submission cost: the records of its runs, side by side."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from memgauge.runs.record.cost import CostRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.store import Run
    from memgauge.submissions.sheets.submission import SubmittedRun

SCHEMA: Final = "memgauge.costs/1"


def cost_text(runs: Sequence[Run], packed: Sequence[SubmittedRun]) -> str:
    """Write the cost of every run by its bundle; ``null`` where an earlier version made the run.

    No price stands here: prices are computed from counts and a dated list by whoever shows them.
    """
    records: list[dict[str, Any]] = [
        {"bundle": named.bundle, "cost": None if record is None else record.model_dump(mode="json", by_alias=True)}
        for run, named in zip(runs, packed, strict=True)
        for record in (CostRecord.read(run.folder),)
    ]
    return json.dumps({"schema": SCHEMA, "runs": records}, indent=1, ensure_ascii=False) + "\n"
