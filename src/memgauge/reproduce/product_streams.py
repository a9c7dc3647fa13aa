"""One product in the shift study, from its bundles: what it finds after a boundary, with and without a burst."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memgauge.errors import IdentityError
from memgauge.measures.recovery import pooled
from memgauge.stats import cluster_interval
from memgauge.studies.shift.play.online import outcomes
from memgauge.studies.shift.protocol.spec import PRESETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.stats import Interval
    from memgauge.studies.shift.protocol.scene import ShiftScene

BURST: Final = 10
"""Turns of other people before each of the first questions after a boundary."""
PROTOCOL: Final = replace(PRESETS["clean"], bursts=(0, BURST))


def shifted(
    runs: Sequence[Run], laid: Sequence[ShiftScene], gold: GoldTable, columns: Sequence[str]
) -> tuple[Mapping[str, Interval], list[str]]:
    """Say what a product finds on both streams, over conversations, and what it no longer finds after a burst.

    Raises:
        IdentityError: The runs are not one of the clean stream and one of the interrupted.
    """
    bursts = [run.manifest.stream.parameters.get("m") for run in runs]
    if bursts != [str(m) for m in PROTOCOL.bursts]:
        raise IdentityError(f"{runs[0].folder}: bursts of {bursts} turns.", f"Play bursts of {PROTOCOL.bursts}.")
    lived = outcomes([runs[0].label], [run.folder for run in runs], laid, PROTOCOL, gold)
    clean_hits, interrupted_hits = lived.hits[0]
    is_post_shift = pooled(lived.post_shift, lived.order, PROTOCOL.horizon)

    def around(values: NDArray[np.bool_], *, inside: NDArray[np.bool_] | None = None) -> Interval:
        chosen = slice(None) if inside is None else inside
        return cluster_interval(values[chosen].astype(float), lived.conversation[chosen], shares=True)

    lost_hits = clean_hits & ~interrupted_hits & is_post_shift
    shares = (
        around(clean_hits),
        around(clean_hits, inside=is_post_shift),
        around(interrupted_hits, inside=is_post_shift),
        around(lost_hits, inside=is_post_shift),
    )
    unable = []
    if lost_hits.any():
        n_answered = int((clean_hits & is_post_shift).sum())
        unable.append(
            f"A burst takes {int(lost_hits.sum())} of the {n_answered} questions that it answers without one."
        )
    return dict(zip(columns, shares, strict=True)), unable
