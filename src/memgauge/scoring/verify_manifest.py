"""Is a manifest the one that its run was sealed under, and does it call its system what the harness would?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.errors import UserError
from memgauge.records import Verdict
from memgauge.runs.play.call import let_go
from memgauge.runs.record.manifest import environment, system_part
from memgauge.scoring.repeat import is_ours
from memgauge.scoring.verification import Finding
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.runs.record.manifest import Manifest, SystemPart
    from memgauge.runs.record.store import Run

_NAMED = re.compile(r".+-[0-9a-f]{8}")


def manifest_findings(run: Run) -> Iterator[Finding]:
    """Check the identity of a run, its folder's name, and what its manifest says of its system."""
    yield _identity(run)
    yield from filter(None, (_folder(run), _label(run.manifest), _promises(run.manifest)))


def _identity(run: Run) -> Finding:
    subject, own = "manifest identity", run.manifest.identity
    if not run.seal.identity:
        detail = "not bound: an earlier version sealed this run, and its seal does not name its manifest"
        return Finding(subject, Verdict.UNSUPPORTED, detail)
    if run.seal.identity != own:
        detail = f"the seal is of {run.seal.identity[:8]}, the manifest is {own[:8]}"
        return Finding(
            subject, Verdict.FAIL, f"{detail}: label, system, data or limits were changed after sealing"
        )
    return Finding(subject, Verdict.PASS, f"the seal names it: {own[:8]}")


def _folder(run: Run) -> Finding | None:
    """Notice a folder that is called after another run of the same data; whoever renames one says nothing."""
    name, own = run.folder.resolve().name, run.manifest.id
    plain = run.manifest.model_copy(update={"system": run.manifest.system.model_copy(update={"label": "x"})})
    dataset = plain.id.rsplit("-", 2)[0]
    same = name.endswith(f"-{run.manifest.identity[:8]}")  # earlier versions spelt otherwise what stands before it
    if same or not name.startswith(f"{dataset}-") or _NAMED.fullmatch(name) is None:
        return None
    return Finding("folder name", Verdict.FAIL, f"it is called {name}, and the manifest is that of {own}")


def _label(manifest: Manifest) -> Finding | None:
    """Notice a system that is called what the harness never calls it."""
    part = manifest.system.as_written()
    kind, _, rest = part.ref.partition(":")
    expected = {part.ref, part.ref if is_ours(part.ref) else rest}  # a module may be left out before its factory
    if kind in {"imported", "simulated"} or part.ref.strip().endswith(".toml"):
        expected = {part.name, f"{part.name} (simulated)"}
    if part.label in expected:
        return None
    known = " or ".join(sorted(map(repr, expected)))
    detail = f"the manifest calls it {part.label!r}; what {part.ref} opens is called {known}"
    return Finding("label", Verdict.FAIL, detail)


def _promises(manifest: Manifest) -> Finding | None:
    """Hold what is claimed of a system of ours against what that system says of itself."""
    if not is_ours(manifest.system.ref):
        return None
    try:
        system = open_system(manifest.system.ref, seed=manifest.seed)
    except UserError:
        return None
    try:
        here = system_part(manifest.system.ref, manifest.system.ref, system)
    finally:
        let_go(system)
    differing = list(_differing(manifest.system, here))
    if not differing:
        return None
    made, now = manifest.environment.get("memgauge", "unknown"), environment()["memgauge"]
    if made != now:
        detail = f"{', '.join(differing)}; it was made with memgauge {made}, this is {now}"
        return Finding("system", Verdict.UNSUPPORTED, detail)
    return Finding("system", Verdict.FAIL, f"{', '.join(differing)}")


def _differing(claimed: SystemPart, here: SystemPart) -> Iterator[str]:
    for name in ("name", "version", "supports"):
        if getattr(claimed, name) != getattr(here, name):
            yield f"{name} is {getattr(claimed, name)}, of {here.ref} it is {getattr(here, name)}"
    present = here.model_dump(mode="json")["capabilities"]
    for name, value in claimed.model_dump(mode="json")["capabilities"].items():
        if name in present and present[name] != value:
            yield f"{name} is {value}, of {here.ref} it is {present[name]}"
