"""What suites hold and what they are worth: the scenarios, and the proof that they can fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import plain
from memgauge.show import Column, Document, Kind, Note, Table, Tone
from memgauge.show.numbers import percent, plural
from memgauge.show.safety import visible
from memgauge.studies.golden.contents import content_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.golden.breeding.generated import Generated
    from memgauge.studies.golden.loading import Loaded
    from memgauge.studies.golden.scenario import Scenario
    from memgauge.studies.golden.selftest import CalibrationRow, MutantRow, Selftest


def scenarios(suites: Sequence[Loaded], families: Sequence[str] = ()) -> Document:
    """List scenarios, those of *families* only where any is named."""
    chosen = [
        (suite, scenario)
        for suite in suites
        for scenario in suite.suite.scenarios
        if not families or scenario.family in families
    ]
    heads = ("family", "scenario", "gate", "severity", "from", "title")
    return Document(
        title="Golden scenarios",
        lead=f"{len(chosen)} scenarios in {len(suites)} suites",
        blocks=(Table.of("scenarios", "", heads, [_listed(scenario) for _, scenario in chosen]),),
        notes=tuple(
            Note(visible(problem), "not readable", Tone.WARN) for suite in suites for problem in suite.broken
        ),
        noted="What cannot be read",
        origin="suite files",
        data=[
            {
                **scenario.model_dump(mode="json", exclude={"steps"}),
                "file": str(suite.path),
                "line": suite.lines.get(scenario.id, 1),
                "content": content_of(scenario),
            }
            for suite, scenario in chosen
        ],
    )


def _listed(scenario: Scenario) -> tuple[str, ...]:
    origin = f"{scenario.provenance.kind} {scenario.provenance.ref}".strip()
    row = (scenario.family, scenario.id, scenario.gate, scenario.severity, origin, scenario.title)
    return tuple(map(visible, row))


def proof(proven: Selftest) -> Document:
    """Say whether suites pass what is right and fail what is wrong."""
    killed = sum(bool(row.killed_by) for row in proven.mutants)
    counted = f"{killed} of {plural(len(proven.mutants), 'mutant')} killed ({percent(proven.score)})"
    errors, unnoticed = proven.errors(), len(proven.survivors)
    return Document(
        title="Self-test of golden suites",
        lead=f"{plural(proven.scenarios, 'scenario')}; {counted}.",
        facts=(f"{len(proven.grader)} expectations changed by one step; {unnoticed} changes went unnoticed.",),
        blocks=(_mutants(proven.mutants), _calibration(proven.calibration), *_generated(proven.generated)),
        notes=tuple(Note(visible(error), tone=Tone.WARN) for error in errors),
        noted="Why these suites are not to be trusted",
        origin="reference memories and their mutants",
        identity={"memgauge": __version__},
        data={**plain(proven), "ok": proven.ok, "errors": list(errors)},
    )


def _mutants(mutants: Sequence[MutantRow]) -> Table:
    return Table.of(
        "mutants",
        "Mutants",
        (
            "family",
            Column("mutant", Kind.TEXT),
            *Column.each(Kind.COUNT, "killed by", "hard"),
            Column("seen as", Kind.PROSE),
        ),
        [
            (visible(row.family), visible(row.name), len(row.killed_by), row.hard_kills, " ".join(row.anomalies))
            for row in mutants
        ],
        "Killed by: scenarios that see the fault. Hard: how many of them gate.",
    )


def _generated(generated: Generated | None) -> tuple[Table, ...]:
    """Say what became of bred mutants, by operator and by reference, and of unusual memories."""
    if generated is None:
        return ()
    counts = Column.each(Kind.COUNT, "mutants", "killed hard", "killed")
    return (
        *(
            Table.of(
                f"bred-by-{by}",
                f"Bred mutants by {by}, seed {generated.seed}",
                (Column(by, Kind.TEXT), *counts),
                [(name, *row) for name, row in generated.shares(by).items()],
            )
            for by in ("reference", "group", "operator")
        ),
        Table.of(
            "survivors",
            "Bred mutants that no hard gate notices",
            (Column("mutant", Kind.TEXT), *Column.each(Kind.PROSE, "what is wrong", "why it counts")),
            [(visible(row.name), visible(row.says), visible(row.reason)) for row in generated.survivors],
            "Why it counts: the first call by which it differs from the memory that it was bred from.",
        ),
        Table.of(
            "unusual",
            "Memories that are right and unusual",
            ("memory", *Column.each(Kind.COUNT, "pass", "unsupported", "false alarms")),
            [(row.memory, row.passed, row.unsupported, len(row.alarms)) for row in generated.unusual],
        ),
    )


def _calibration(memories: Sequence[CalibrationRow]) -> Table:
    counts = ("n", "pass", "fail", "vacuous", "unsupported", "error")
    return Table.of(
        "calibration",
        "Reference memories",
        ("memory", *(Column(head, Kind.COUNT) for head in counts)),
        [(row.memory, row.n, row.passed, row.failed, row.vacuous, row.unsupported, row.error) for row in memories],
    )
