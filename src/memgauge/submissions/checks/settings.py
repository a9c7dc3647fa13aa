"""S9: options are written out as they were run, and what a division fixes is as it is fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.submissions.checks.closed import as_the_board
from memgauge.submissions.checks.labels import label_of_its_runs
from memgauge.submissions.checks.rulings import ask, refuse
from memgauge.submissions.layout import CONFIG, ENVIRONMENT, SHEET
from memgauge.submissions.packing.reading import lane_of, options_of
from memgauge.text.jsons import json_file
from memgauge.text.untrusted import text_file, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject


_KEYS: Final = frozenset({"system", "label", "options", "defaults", "limits"})


def settings_as_run(subject: Subject) -> Iterator[CheckFinding]:
    """S9: the configuration is that of the runs, the lane is theirs, and Closed is as the board says."""
    config = toml_of(text_file(subject.submission.file(CONFIG)))
    for key in sorted(config.keys() - _KEYS):
        yield refuse(CONFIG, "is a key that nobody knows.", f"Known are {', '.join(sorted(_KEYS))}.", key)
    for bundle, run in subject.runs:
        manifest = run.manifest
        ref, limits = manifest.system.ref, {k: v for k, v in manifest.limits.model_dump().items() if v is not None}
        for field, says, holds in (
            ("system", config.get("system"), ref),
            ("options", config.get("options", {}), options_of(ref)["options"]),
            ("limits", config.get("limits", {}), limits),
            ("label", config.get("label"), run.label),
        ):
            if says != holds:
                yield refuse(
                    CONFIG,
                    f"says {says!r}, and {bundle.file} was run with {holds!r}.",
                    "Write what was run.",
                    field,
                )
    yield from label_of_its_runs(subject)
    yield from _defaults(subject, config)
    yield from _environments(subject)
    yield from _lane(subject)
    if subject.sheet.division == "closed":
        yield from as_the_board(subject)


def _defaults(subject: Subject, config: dict[str, Any]) -> Iterator[CheckFinding]:
    """Ask about defaults that are not those of the adapter at hand, which may be of another version."""
    for ref in sorted({run.manifest.system.ref for _, run in subject.runs}):
        known, says = options_of(ref)["defaults"], config.get("defaults", {})
        if known and says != known:
            yield ask(
                CONFIG, f"says {says!r}, and here they are {known!r}.", "Of which version are they?", "defaults"
            )


def _environments(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse an environment that is not that of the runs, one by one."""
    data: Any = json_file(subject.submission.file(ENVIRONMENT))
    stated = {str(each.get("identity")): each for each in data.get("runs", ())}
    for number, (bundle, run) in enumerate(subject.runs):
        each = stated.get(run.manifest.identity, {})
        for field, holds in (("content", run.seal.content), ("environment", dict(run.manifest.environment))):
            if each.get(field) != holds:
                yield refuse(
                    ENVIRONMENT,
                    f"is not that of {bundle.file}.",
                    "Pack again; nobody edits it.",
                    f"runs.{number}.{field}",
                )


def _lane(subject: Subject) -> Iterator[CheckFinding]:
    """Refuse rows that were played in another lane than the sheet says: a stand-in is no model."""
    lane = subject.repository.lanes.get(subject.sheet.lane)
    if lane is None:
        return
    for bundle, run in subject.runs:
        try:
            played = lane_of(run, subject.repository)
        except ConfigError as error:
            if lane.kind in {"paid", "local"}:
                yield ask(SHEET, f"says {lane.name}; {error.what}", "Which models answered?", "lane")
            else:
                yield refuse(SHEET, f"says {lane.name}; {error.what}", "Name the lane that was played.", "lane")
            continue
        if played.name != lane.name:
            yield refuse(
                SHEET,
                f"says {lane.name}, and {bundle.file} was played in {played.name}.",
                "Name the lane that was played.",
                "lane",
            )
