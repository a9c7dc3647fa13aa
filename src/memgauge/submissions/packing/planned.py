"""The plan that runs were announced in, found beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, RunNotFoundError
from memgauge.runs.record.announced import FOLDER, SHORT, AnnouncedPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.store import Run


def plan_of(runs: Sequence[Run]) -> AnnouncedPlan | None:
    """Read the plan of runs; ``None`` where none was announced, as for runs of an earlier version.

    Raises:
        ConfigError: They are of several plans, or the plan that they name is not beside them.
    """
    digests = {run.manifest.plan for run in runs}
    if len(digests) > 1:
        raise ConfigError(
            f"These runs are of {len(digests)} plans: a submission is one plan, all of it.",
            "Make them with one command, with all seeds and datasets, or pack each plan by itself.",
        )
    (digest,) = digests
    if not digest:
        return None
    name = f"{digest[:SHORT]}.json"
    places = dict.fromkeys(run.folder.parent / FOLDER / name for run in runs)
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise ConfigError(
            f"The plan of these runs is not beside them: {next(iter(places))} is missing.",
            "Keep the folder `plans` with the runs that were made in it.",
        )
    plan = AnnouncedPlan.read(path)
    if plan.digest != digest:
        raise RunNotFoundError(
            f"{path} is another plan than the one that the runs name.", "Restore it from a copy."
        )
    return plan
