"""A dashboard has the shape that Grafana imports, and the numbers of the drift that it was made of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.drift import drift
from memgauge.studies.production.grafana import dashboard
from memgauge.studies.production.service import SimulatedService
from memgauge.studies.production.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.studies.production.drift import TrafficDrift
    from support.cli import Said


class Strict(BaseModel):
    """What Grafana does not know is an error here."""

    model_config = ConfigDict(extra="forbid", alias_generator=to_camel)


class FrameField(Strict):
    """A column of a frame."""

    name: str
    type: Literal["time", "number", "string"]
    config: dict[str, Any]


class FrameSchema(Strict):
    """The columns of a frame."""

    name: str
    ref_id: Literal["A"]
    fields: Annotated[list[FrameField], Field(min_length=1)]


class FrameData(Strict):
    """Values, column by column."""

    values: list[list[float | int | str | None]]


class Frame(Strict):
    """Data as a panel holds it."""

    layout: FrameSchema = Field(alias="schema")
    data: FrameData

    @model_validator(mode="after")
    def rectangular(self) -> Frame:
        """Every column has as many values as the others, of its type."""
        assert len(self.data.values) == len(self.layout.fields)
        assert len({len(column) for column in self.data.values}) == 1
        for field, column in zip(self.layout.fields, self.data.values, strict=True):
            kinds = {"time": int, "number": float | int, "string": str}[field.type]
            assert all(value is None or isinstance(value, kinds) for value in column), field.name
        return self


class Source(Strict):
    """The data source that every Grafana has."""

    type: Literal["datasource"]
    uid: Literal["grafana"]


class Target(Strict):
    """A question that holds its answer."""

    ref_id: Literal["A"]
    datasource: Source
    query_type: Literal["snapshot"]
    snapshot: Annotated[list[Frame], Field(min_length=1)]


class Grid(Strict):
    """Where a panel lies, of 24 columns."""

    x: Annotated[int, Field(ge=0)]
    y: Annotated[int, Field(ge=0)]
    w: Annotated[int, Field(ge=1, le=24)]
    h: Annotated[int, Field(ge=1)]


class Panel(BaseModel):
    """One panel."""

    model_config = ConfigDict(alias_generator=to_camel)

    id: int
    type: Literal["text", "table", "timeseries"]
    title: str
    grid_pos: Grid
    options: dict[str, Any]
    datasource: Source | None = None
    targets: list[Target] = []


class Dashboard(BaseModel):
    """A whole one."""

    model_config = ConfigDict(alias_generator=to_camel)

    uid: Annotated[str, Field(pattern="^[0-9a-zA-Z_-]{1,40}$")]
    title: Annotated[str, Field(min_length=1)]
    schema_version: Annotated[int, Field(ge=39)]
    version: int
    time: dict[Literal["from", "to"], str]
    timezone: Literal["utc"]
    panels: list[Panel]
    templating: dict[Literal["list"], list[Any]]
    annotations: dict[Literal["list"], list[Any]]


@pytest.fixture(scope="module")
def followed(small: Traffic) -> TrafficDrift:
    """Follow four weeks of a small service."""
    return drift(TrafficArrays.of(small))


def test_a_dashboard_has_a_panel_for_every_measure_and_nothing_outside_it(followed: TrafficDrift) -> None:
    """Ids are different, panels do not lie over each other, and each chart holds a value for each day."""
    made = Dashboard.model_validate(dashboard(followed, "Drift of traffic"))
    assert len({panel.id for panel in made.panels}) == len(made.panels)
    cells = [
        (x, y)
        for panel in made.panels
        for x in range(panel.grid_pos.x, panel.grid_pos.x + panel.grid_pos.w)
        for y in range(panel.grid_pos.y, panel.grid_pos.y + panel.grid_pos.h)
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    charts = {panel.title: panel for panel in made.panels if panel.type == "timeseries"}
    for line in followed.lines:
        times, values = charts[line.chart.name].targets[0].snapshot[0].data.values[:2]
        assert values == list(line.chart.values)
        assert times[:1] == [followed.began_ns // 10**6 + 86_400_000 * day for day in line.chart.days[:1]]


def test_a_watched_measure_has_its_limits(followed: TrafficDrift) -> None:
    """Behind the baseline the faded average and both limits stand beside each day; before it nothing does."""
    traffic = simulate(SimulatedService(users=400, days=28), 1)
    made = Dashboard.model_validate(dashboard(drift(traffic), "Drift"))
    frame = next(panel for panel in made.panels if panel.title == "tokens of context").targets[0].snapshot[0]
    assert [field.name for field in frame.layout.fields] == [
        "time", "by day", "faded average", "low limit", "high limit",
    ]  # fmt: skip
    assert [value is None for value in frame.data.values[3]] == [True] * 21 + [False] * 7
    assert made.uid != Dashboard.model_validate(dashboard(followed, "Drift")).uid


def test_the_command_writes_what_grafana_imports(
    memgauge: Callable[..., Said], small_folder: Path, tmp_path: Path
) -> None:
    """A file beside the usual result; where nothing can be written, one sentence says so."""
    target = tmp_path / "boards" / "drift.grafana.json"
    memgauge("study", "production", "drift", small_folder, "--grafana", target)
    assert Dashboard.model_validate(json.loads(target.read_text("utf-8"))).title == "Drift of traffic"
    (tmp_path / "file").touch()
    refused = memgauge("study", "production", "drift", small_folder, "--grafana", tmp_path / "file" / "x.json")
    assert "Cannot write" in refused.err
