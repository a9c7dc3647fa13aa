"""The context study: how much of a context is effective, and where in it memory survives."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.report.sheet import Cell, Sheet
from memgauge.show.numbers import number
from memgauge.text.jsons import json_file
from memgauge.web.revive import revive
from memgauge.web.view import Chart, View

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.studies.context.profile import Measured
    from memgauge.web.studies import Study


def page(one: Study) -> View:
    """Show what ``context profile`` or ``context effective`` wrote."""
    from memgauge.studies.context.profile import Measured

    data = json_file(one.path)
    try:
        tasks = [
            revive(
                Measured,
                task
                | {
                    "counts": task["by_length"],
                    "f1": [row["f1"] for row in task["by_length"]],
                    "published": [row["published"] for row in task["by_length"]],
                },
            )
            for task in data["tasks"]
        ]
        sheets = (_effective(data), _lengths(data), _profiles(tasks))
    except (KeyError, TypeError, AttributeError) as error:
        raise MalformedDataError(f"{one.name} is no context study: {error!r}.", "Write it again.") from error
    said = "; ".join(f"{row['task']} {_said(row['own'])}" for row in data["effective"])
    return View(
        title=f"Context of {data['label']}",
        lead=f"Effective context: {said}." if said else "No effective context was asked for.",
        facts=(f"{data['asked']:,} prompts were asked. Lengths are counted by {data['counter']}.",),
        notes=tuple(
            dict.fromkeys(
                [
                    *(f"{row['task']}: {row['reason']}." for row in data["effective"] if row["reason"]),
                    *(
                        f"{each.task} at {each.length:,} tokens: {each.warning}."
                        for task in tasks
                        for each in task.profiles
                        if each.warning
                    ),
                ]
            )
        ),
        sheets=tuple(sheet for sheet in sheets if sheet.rows),
        charts=tuple(_charts(tasks)),
        identity={"model": str(data["model"]), "seed": str(data["seed"]), "generator": str(data["generator"])},
    )


def _said(own: dict[str, str]) -> str:
    return ", ".join(f"{length} ({rule})" for rule, length in own.items()) or "undefined"


def _effective(data: dict[str, Any]) -> Sheet:
    rules = list(dict.fromkeys(rule for row in data["effective"] for rule in (*row["own"], *row["absolute"])))
    return Sheet.of(
        "effective",
        "Effective context, in tokens",
        ("task", "type", "base", *(f"own, {rule}" for rule in rules), *(f"absolute, {rule}" for rule in rules)),
        [
            (
                row["task"],
                row["type"],
                row["base"],
                *(row["own"].get(rule, "") for rule in rules),
                *(row["absolute"].get(rule, "") for rule in rules),
            )
            for row in data["effective"]
        ],
        "≥: the longest length passes; <: not even the shortest does. Go by the lower bound.",
    )


def _lengths(data: dict[str, Any]) -> Sheet:
    return Sheet.of(
        "lengths",
        "Right answers by length",
        ("task", "tokens", "right", "n", "lower bound", "set F1", "string match"),
        [
            (
                task["task"],
                row["length"],
                row["right"],
                row["n"],
                row["lower"],
                *(Cell(number(row[name]), value=row[name]) for name in ("f1", "published")),
            )
            for task in data["tasks"]
            for row in task["by_length"]
        ],
    )


def _profiles(tasks: Sequence[Measured]) -> Sheet:
    return Sheet.of(
        "profiles",
        "Accuracy by depth",
        ("task", "tokens", "depth", "accuracy", "n"),
        [
            (
                task.task,
                profile.length,
                f"{point.depth:.0%}",
                Cell(number(point.score.mean), value=point.score.mean),
                point.score.n,
            )
            for task in tasks
            for profile in task.profiles
            for point in profile.points
        ],
    )


def _charts(tasks: Sequence[Measured]) -> Iterator[Chart]:
    from memgauge.report.context_charts import depth_chart, heat_chart

    for place, task in enumerate(tasks):
        if task.profiles:
            yield Chart(
                f"heat-{place}",
                f"{task.task}: by depth and length",
                "Share of right answers.",
                partial(heat_chart, task, f"h{place}"),
            )
            yield Chart(
                f"depth-{place}",
                f"{task.task}: over depth",
                "One line a length, labelled by its tokens; bands: 95 % over samples.",
                partial(depth_chart, task, f"d{place}"),
            )
