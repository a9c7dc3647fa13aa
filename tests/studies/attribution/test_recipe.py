"""The figures of the study, computed again."""

from __future__ import annotations

from memgauge.reproduce import Status, reproduce


def test_every_figure_comes_out_as_claimed() -> None:
    """The designs, the wirings and the memories; the fifteen cells tell all eight apart."""
    rows = {row.name: row for row in reproduce(["attribution"])}
    assert {name: row.measured for name, row in rows.items() if row.status is not Status.OK} == {}
    assert rows["separated_15_cells"].measured == 8
