"""The list of measures."""

from __future__ import annotations

from memgauge.measures import MEASURES
from memgauge.report.measures import document, written
from memgauge.results import ReadyData
from memgauge.show import Table
from memgauge.show.markdown import markdown


def test_every_measure_is_listed_once() -> None:
    """The tables name each entry of the registry, below what it is read from, and so does the data."""
    listed = document()
    rows = [row for block in listed.blocks if isinstance(block, Table) for row in block.rows]
    grammars = [written(name, MEASURES.get(name)) for name in MEASURES.names()]
    assert sorted(row[0].text for row in rows) == sorted(grammars)
    assert isinstance(listed.data, ReadyData)
    assert [entry["name"] for entry in listed.data.data["measures"]] == list(MEASURES.names())


def test_the_list_says_how_to_write_one_and_who_gives_it() -> None:
    """Grammar, direction and command stand in the page."""
    page = markdown(document())
    assert r"Precision\[(conv=k" in page
    assert "Temporal(strict)@k" in page
    assert "memgauge models answer RUN" in page
    assert "lower" in page
