"""The published board: products and baselines in embedding lanes, recomputed from bundles without texts."""

from pathlib import Path
from typing import Final

PLACE: Final = Path("results") / "board"
"""Where the published board lies in a checkout."""
SAMPLES: Final = "samples"
"""The folder there of the samples, each a board of its own."""
