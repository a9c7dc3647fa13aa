"""The charts of drift as a dashboard of Grafana, with the numbers inside it.

Its panels ask the data source ``-- Grafana --``, which every Grafana has and which answers with what the panel
itself holds (``queryType: snapshot``): nothing has to be installed, reached or kept running.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from memgauge.runs.record.files import write_atomically
from memgauge.studies.production.arrays import DAY_NS
from memgauge.studies.production.daily import WEEK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.studies.production.daily import DailyChart
    from memgauge.studies.production.drift import TrafficDrift

SCHEMA_VERSION: Final = 39
"""Of dashboards as Grafana 11 writes them; later ones read it and bring it up to date."""
_SOURCE: Final = {"type": "datasource", "uid": "grafana"}
_UNITS: Final = {"share": "percentunit", "ms": "ms"}
_WIDTH: Final = 12
_HEIGHT: Final = 8
_COLUMNS: Final = 24
_MS: Final = 10**6


def dashboard(drift: TrafficDrift, title: str) -> dict[str, Any]:
    """Make a dashboard of everything that *drift* charts; the same drift is the same dashboard."""
    panels = [_text(drift), *_tables(drift), *(_chart(line.chart, drift.began_ns) for line in drift.lines)]
    end_ns = drift.began_ns + max(drift.weeks, 1) * WEEK * DAY_NS
    return {
        "uid": hashlib.sha256(f"{title}\0{drift.began_ns}".encode("utf-8", "replace")).hexdigest()[:16],
        "title": title,
        "tags": ["memgauge"],
        "schemaVersion": SCHEMA_VERSION,
        "version": 1,
        "editable": True,
        "timezone": "utc",
        "time": {"from": _moment(drift.began_ns), "to": _moment(end_ns)},
        "annotations": {"list": []},
        "templating": {"list": []},
        "panels": [panel | {"id": number} for number, panel in enumerate(_placed(panels), 1)],
    }


def write_dashboard(drift: TrafficDrift, title: str, path: Path) -> None:
    """Write it as a file that Grafana imports.

    Raises:
        OSError: There is no room.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(dashboard(drift, title), indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(path, text + "\n")


def _placed(panels: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Lay panels in two columns, those that are wide over both."""
    x = y = 0
    for panel in panels:
        width = panel.pop("wide", _WIDTH)
        if x + width > _COLUMNS:
            x, y = 0, y + _HEIGHT
        yield panel | {"gridPos": {"x": x, "y": y, "w": width, "h": _HEIGHT}}
        x += width


def _text(drift: TrafficDrift) -> dict[str, Any]:
    alarms = "".join(f"\n- {alarm.name}: {alarm.says}" for alarm in drift.alarms) or "\nNo alarm."
    text = (
        f"Every number is about traced, sampled traffic of {drift.weeks} whole weeks.\n{alarms}\n\n"
        f"Of services that never change, {drift.stated:.1%} at most get an alarm of a chart in 8 weeks."
    )
    options = {"mode": "markdown", "content": text}
    return {"type": "text", "title": "Alarms", "wide": _COLUMNS, "options": options}


def _tables(drift: TrafficDrift) -> Iterator[dict[str, Any]]:
    mixes = [vars(mix) for mix in drift.mixes]
    if mixes:
        yield _panel(
            "table", "What else changed", _frame("mix", {name: _column(mixes, name) for name in mixes[0]})
        )
    came = [vars(version) for version in drift.came]
    if came:
        yield _panel("table", "Who came", _frame("came", {name: _column(came, name) for name in came[0]}))


def _column(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    return [row[name] for row in rows]


def _chart(chart: DailyChart, began_ns: int) -> dict[str, Any]:
    """Draw a measure by day, and behind the baseline its faded average between its limits."""
    days = dict(zip(chart.days, chart.values, strict=True))
    columns: dict[str, list[Any]] = {"time": [(began_ns + day * DAY_NS) // _MS for day in days]}
    columns["by day"] = list(days.values())
    if chart.chart is not None:
        for name in ("values", "low", "high"):
            values_by_day = dict(zip(chart.watched, getattr(chart.chart, name), strict=True))
            columns["faded average" if name == "values" else f"{name} limit"] = [
                values_by_day.get(day) for day in days
            ]
    panel = _panel("timeseries", chart.name, _frame(chart.key, columns))
    panel["fieldConfig"]["defaults"] |= {"unit": _UNITS.get(chart.unit, "short")}
    return panel | ({"description": f"No chart: {chart.reason}."} if chart.reason else {})


def _panel(kind: str, title: str, frame: dict[str, Any]) -> dict[str, Any]:
    target = {"refId": "A", "datasource": _SOURCE, "queryType": "snapshot", "snapshot": [frame]}
    return {
        "type": kind,
        "title": title,
        "datasource": _SOURCE,
        "targets": [target],
        "fieldConfig": {"defaults": {}, "overrides": []},
        "options": {},
    }


def _frame(name: str, columns: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Lay columns as Grafana lays data: the fields, and the values of each; unknown ones are null."""
    fields = [{"name": column, "type": _kind(column, values), "config": {}} for column, values in columns.items()]
    return {"schema": {"name": name, "refId": "A", "fields": fields}, "data": {"values": list(columns.values())}}


def _kind(column: str, values: Sequence[Any]) -> str:
    if column == "time":
        return "time"
    return "string" if any(isinstance(value, str) for value in values) else "number"


def _moment(moment_ns: int) -> str:
    """Spell a moment as Grafana does, in UTC."""
    return datetime.fromtimestamp(moment_ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
