"""A question of which the values are days, for whoever looks for them in answers."""

from __future__ import annotations

from memgauge.studies.attribution.question import SlotQuestion

DATED = SlotQuestion(
    "q3",
    "start date",
    False,  # noqa: FBT003 - positional record
    "3 May 2040",
    ("9 June 2041", "11 July 2042", "21 August 2043"),
    "5 April 2044",
    (),
)
