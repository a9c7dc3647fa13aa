"""The conformance check of what is going to be run: made in a process of its own, and remembered for the code."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from memgauge.datasets.files import cache_root
from memgauge.datasets.folders import CONFORMANCE, folders_of
from memgauge.errors import ModelError, RunError, SystemFault, TemporaryError, UserError
from memgauge.records import Verdict
from memgauge.runs.play.executors.code import code
from memgauge.runs.play.player.assignment import Chosen, chosen
from memgauge.runs.play.player.describing import describe
from memgauge.runs.play.player.keys import keys_of
from memgauge.runs.play.player.process import PlayerDied
from memgauge.runs.play.player.troupe import Troupe
from memgauge.runs.play.player.walls import Hidden
from memgauge.runs.record.conformance import UNCHECKED, Conformance
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.manifest import SystemPart
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from memgauge.runs.play.plan import PlannedRun
    from memgauge.runs.record.manifest import Manifest
    from memgauge.systems.conformance import ConformanceReport

DEADLINE_S: Final = 10.0
"""Seconds that all checks of a system may take together."""
_NO_MODEL: Final = re.compile(rf"(?:{ModelError.__name__}|{TemporaryError.__name__}): ")
"""How a check says that it failed for want of a model, which is no promise of the memory's."""
_COSTLY: Final = frozenset({"llm", "server", "network"})


def with_conformance(cells: Sequence[PlannedRun], begun: Collection[str] = ()) -> tuple[PlannedRun, ...]:
    """Put what the check finds of each system into the manifests that say nothing of it yet.

    Runs that were *begun*, by id, keep what was found then, and no system is checked for them.
    """
    results: dict[str, Conformance] = {}

    def checked(cell: PlannedRun) -> PlannedRun:
        manifest = cell.manifest
        if manifest.id in begun or manifest.conformance != UNCHECKED:
            return cell
        ref = manifest.system.ref
        if ref not in results:
            results[ref] = _conformance(manifest)
        return replace(cell, manifest=manifest.model_copy(update={"conformance": results[ref]}))

    return tuple(map(checked, cells))


def remember(system: SystemPart, checks: Iterable[Sequence[str]]) -> Conformance:
    """Keep what the check found, for runs of the same code; *checks* are name, verdict and detail of each.

    Where a model did not answer, nothing was found that could be kept.
    """
    checks = tuple(checks)
    if silent := next((detail for *_, detail in checks if _NO_MODEL.match(detail)), ""):
        return Conformance(why=f"a model that it asks did not answer ({silent})")
    bad = {Verdict.FAIL, Verdict.ERROR}
    failed = tuple(f"{name}: {detail}" if detail else name for name, verdict, detail in checks if verdict in bad)
    conformance = Conformance(checked=True, failed=failed)
    path = _place(system)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(conformance), indent=2) + "\n")
    except (OSError, RunError):
        return conformance  # a cache that cannot be written costs a check and nothing else
    return conformance


def remember_report(ref: str, report: ConformanceReport) -> None:
    """Keep a report that was made here, under the system as it presents itself."""
    try:
        system = SystemPart.model_validate(describe(Chosen(ref)))
    except (UserError, SystemFault):
        return  # what cannot be opened again is no system of a run
    remember(system, [(each.name, each.verdict, each.detail) for each in report.checks])


def remembered(system: SystemPart) -> Conformance | None:
    """Return what the check found of the same code; ``None`` where it was not made."""
    try:
        written = json_of(_place(system).read_bytes())
        return Conformance(bool(written["checked"]), tuple(map(str, written["failed"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _conformance(manifest: Manifest) -> Conformance:
    system = manifest.system
    known = remembered(system)
    if known is not None:
        return known
    needs = sorted(_COSTLY.intersection(system.capabilities.get("needs", ())))
    if needs:
        return Conformance(why=f"it needs {', '.join(needs)}; `memgauge systems check` remembers its result")
    troupe = Troupe(Hidden(folders_of(())), system.ref)
    try:
        answer = troupe.consult((chosen(manifest), DEADLINE_S), keys_of(system), within_s=DEADLINE_S)
        return remember(system, answer["conformance"])
    except PlayerDied:
        return Conformance(why=f"it died, or took longer than {DEADLINE_S:g} s")
    except (UserError, SystemFault) as problem:
        return Conformance(why=str(problem))
    finally:
        troupe.close()


def _place(system: SystemPart) -> Path:
    """Say where the result is remembered of this version, this source and this harness, and of no other."""
    named = [system.ref, system.name, system.version, system.source, dict(code())]
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()
    return cache_root() / CONFORMANCE / f"{digest}.json"
