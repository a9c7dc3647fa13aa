"""`memgauge study`: every study, those of installed packages too."""

from __future__ import annotations

from cyclopts import App

from memgauge.frame.console import aside
from memgauge.studies.slices import slices, unusable

app = App("study", help="Studies: each takes one claim about memory and measures whether it holds.")
for _study in slices():
    app.command(_study.commands, name=_study.name, help=_study.summary)
for _problem in unusable():
    aside(f"memgauge: {_problem}")
