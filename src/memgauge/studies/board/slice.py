"""The published board, as others mount it."""

from memgauge.studies.slices import Slice

SLICE = Slice(
    name="board",
    summary="The published board: products and baselines in embedding lanes, recomputed from bundles.",
    commands="memgauge.studies.board.commands:app",
)
