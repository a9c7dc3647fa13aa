"""The chapters of a life: each puts facts of one kind on the workbench and yields what is asked of them."""

from memgauge.datasets.synthetic.chapters.dates import happenings
from memgauge.datasets.synthetic.chapters.lists import lists
from memgauge.datasets.synthetic.chapters.people import roles
from memgauge.datasets.synthetic.chapters.plans import plans
from memgauge.datasets.synthetic.chapters.states import states
from memgauge.datasets.synthetic.chapters.things import things
from memgauge.datasets.synthetic.chapters.transients import transients

CHAPTERS = (states, roles, transients, lists, happenings, things, plans)
"""In the order in which they take their places; a later one fits in where there is room."""

__all__ = ["CHAPTERS"]
