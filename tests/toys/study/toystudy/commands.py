"""Its commands."""

from __future__ import annotations

from cyclopts import App

from memgauge.frame.output import SHOWN, Output, present
from toystudy.lengths import measure as lengths_of
from toystudy.show import document

app = App("lengths", help="How long questions are.")


@app.command
def measure(dataset: str = "synthetic:tiny", *, output: Output = SHOWN) -> int:
    """Measure a dataset.

    Parameters
    ----------
    dataset
        Whose questions.
    """
    return present(document(lengths_of(dataset)), output, name="lengths")
