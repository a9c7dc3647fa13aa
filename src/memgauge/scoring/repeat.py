"""Playing a deterministic system of ours again: what it returns now must be what its record says.

A record can be forged so well that it contradicts nothing. A system that anybody can run again is the witness.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import UserError
from memgauge.records import Verdict
from memgauge.registry import Ref, parse_ref
from memgauge.runs.play.call import let_go
from memgauge.runs.play.disclosure import Disclosed
from memgauge.runs.play.engine import run_case
from memgauge.runs.record import journal, tables
from memgauge.runs.record.database import connect
from memgauge.runs.record.files import opened
from memgauge.runs.record.manifest import environment, system_part
from memgauge.runs.record.rows import failures
from memgauge.runs.record.seal import content_hash
from memgauge.runs.record.spelling import encode
from memgauge.scoring.verification import Finding, Reach
from memgauge.streams import open_stream
from memgauge.systems.catalogue import open_system
from memgauge.systems.protocol import Role
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from memgauge.datasets.base import Dataset
    from memgauge.records import Case
    from memgauge.runs.record.manifest import Manifest, StreamPart
    from memgauge.runs.record.store import Run
    from memgauge.streams import StreamProtocol

OURS: Final = frozenset(
    {
        "bm25", "chunks", "dense", "flat", "full", "fusion", "gated", "haystack", "hsr", "hybrid", "ideal", "none",
        "oracle", "pipeline", "random", "raptor", "recency", "temporal", "tfidf", "thompson", "ucb",
    }
)  # fmt: skip
"""Systems of ours that give the same for the same input and seed. Nothing else that a record names is opened."""
PATIENCE_MS: Final = 30_000.0
"""What a run took when it was made, by its own clock, up to which it is played again without being asked."""
VECTORS: Final = frozenset({"chunks", "dense", "haystack", "hybrid", "pipeline", "temporal"})
"""Those whose vectors may be others where other weights, or another processor, are at hand."""
_FILES = frozenset({"path", "folder", "summaries"})
"""Parameters that name files."""
_HARMLESS = re.compile(r"[a-z0-9]+(:[\w.+-]+(=[\w.+-]+)?(,[\w.+-]+=[\w.+-]+)*)?")
"""References that name no path, no address and no model."""
_DECISIVE = ("memgauge", "numpy", "scipy", "platform")
"""Versions that may change what one of our systems returns."""
SUBJECT = "played again"


@dataclass(frozen=True)
class Repeat:
    """How much is played again."""

    everything: bool = False
    """Every conversation, however long it takes; otherwise as many as fit into :data:`PATIENCE_MS`."""
    seed: int = 0
    """Decides which conversations, where not all are; nobody who forges should know it."""


def is_ours(ref: str) -> bool:
    """Whether *ref* names a deterministic system of ours and nothing else: what a stranger wrote is not opened."""
    if not _HARMLESS.fullmatch(ref):
        return False
    parsed = parse_ref(ref)
    return parsed.name in OURS and not _FILES & parsed.params.keys()


def why_not(manifest: Manifest) -> str:
    """Say why the system of a manifest cannot be played again here; empty where it can."""
    part, stream = manifest.system, manifest.stream
    if not is_ours(part.ref):
        return f"{part.ref} is not a deterministic system of ours"
    try:
        _protocol(stream)
    except UserError:
        return f"the stream protocol {stream.protocol} needs more than a conversation"
    try:
        system = open_system(part.ref, seed=manifest.seed)
    except UserError as error:
        return f"{part.ref} cannot be opened here: {error}"
    try:
        here = system_part(part.ref, part.ref, system)
    finally:
        let_go(system)
    if set(here.capabilities["needs"]) - {"embedder"}:
        return f"{part.ref} needs {', '.join(here.capabilities['needs'])}"
    if here.version != part.version:
        return f"{part.ref} is version {here.version} here, the run was made with {part.version}"
    return ""


def _protocol(stream: StreamPart) -> StreamProtocol:
    return open_stream(str(Ref(stream.protocol, params=stream.parameters)))


def repeat(run: Run, dataset: Dataset, how: Repeat) -> Finding:
    """Play conversations of *run* again, and hold what comes of them against its record."""
    if problem := why_not(run.manifest):
        verdict = Verdict.UNSUPPORTED if how.everything else Verdict.VACUOUS
        return Finding(SUBJECT, verdict, f"no: {problem}", Reach.REPEATED)
    if not how.everything and "embedder" in run.manifest.system.capabilities.get("needs", ()):
        return Finding(SUBJECT, Verdict.VACUOUS, "vectors take their time; --repeat plays all", Reach.REPEATED)
    cost = _cost(run)
    chosen = list(cost) if how.everything else _affordable(cost, how.seed)
    if not chosen:
        return Finding(SUBJECT, Verdict.VACUOUS, "there is no conversation in it", Reach.REPEATED)
    now = dict(_play(run.manifest, dataset, set(chosen)))
    content = _content(line for name in chosen for line in now.get(name, ()))
    whole = len(chosen) == len(cost)
    if whole and content == run.seal.content:
        detail = f"all {len(chosen)} conversations came back with the same content, but for clock readings"
        return Finding(SUBJECT, Verdict.PASS, detail, Reach.REPEATED)
    recorded = _recorded(run, set(chosen))
    if not whole and content == _content(line for name in chosen for line in recorded[name]):
        detail = f"{len(chosen)} of {len(cost)} conversations came back the same; --repeat plays all"
        return Finding(SUBJECT, Verdict.VACUOUS, detail, Reach.REPEATED)
    differing = [name for name in chosen if _content(recorded[name]) != _content(now.get(name, ()))]
    return _differs(run.manifest, differing, len(chosen), _changed(recorded, now, differing))


def _differs(manifest: Manifest, differing: Collection[str], of: int, changed: str) -> Finding:
    """Say that a system returns something else now; other versions of what decides may be the cause."""
    here = environment()
    other = [
        f"{name} {manifest.environment.get(name, 'unknown')}, here {here[name]}"
        for name in _DECISIVE
        if manifest.environment.get(name) != here[name]
    ]
    if parse_ref(manifest.system.ref).name in VECTORS:
        other.append("whichever weights were there")
    what = f"{manifest.system.label} gives something else for {len(differing)} of {of} conversations{changed}"
    if other:
        return Finding(
            SUBJECT, Verdict.UNSUPPORTED, f"{what}; it was made with {'; '.join(other)}", Reach.REPEATED
        )
    return Finding(SUBJECT, Verdict.FAIL, f"{what}: this record is not what the system returned", Reach.REPEATED)


def _changed(
    recorded: Mapping[str, Iterable[bytes]], now: Mapping[str, Iterable[bytes]], names: Iterable[str]
) -> str:
    """Count the questions whose hits are others."""
    before, after = (
        {key: hits for name in names for key, hits in _hits(lines.get(name, ())).items()}
        for lines in (recorded, now)
    )
    other = sum(before.get(key) != after.get(key) for key in before.keys() | after.keys())
    return f", other hits for {other} of {len(before.keys() | after.keys())} questions" if other else ""


def _hits(lines: Iterable[bytes]) -> dict[tuple[int, str], list[Any]]:
    rows = [json_of(line) for line in lines]
    names = {(row["attempt"], row["row"]): row["memory"] for row in rows if row["t"] == "memory"}
    return {
        (row["attempt"], row["question"]): [names.get((row["attempt"], hit)) for hit in row["memories"]]
        for row in rows
        if row["t"] == "question"
    }


def _cost(run: Run) -> dict[str, float]:
    """Return the milliseconds that each conversation took when the run was made, in the order of its journal."""
    cost: dict[str, float] = {}
    for row in _rows(run):
        cost[row["conversation"]] = cost.get(row["conversation"], 0.0) + float(row.get("ms") or 0.0)
    return cost


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    with opened(run.folder / journal.FILE) as file:
        yield from map(json_of, file)


def _affordable(cost: Mapping[str, float], seed: int) -> list[str]:
    """Choose conversations at random while they fit into our patience; at least one."""
    if sum(cost.values()) <= PATIENCE_MS:
        return list(cost)
    shuffled = sorted(cost)
    random.Random(seed).shuffle(shuffled)  # noqa: S311 - no secret, a choice
    chosen, spent = shuffled[:1], cost[shuffled[0]]
    for name in shuffled[1:]:
        if spent + cost[name] <= PATIENCE_MS:
            chosen.append(name)
            spent += cost[name]
    return chosen


def _recorded(run: Run, chosen: Collection[str]) -> dict[str, list[bytes]]:
    lines: dict[str, list[bytes]] = {name: [] for name in chosen}
    with opened(run.folder / journal.FILE) as file:
        for line in file:
            row = json_of(line)
            if row["conversation"] in lines and row["t"] != "sum":
                lines[row["conversation"]].append(line)
    return lines


def _play(manifest: Manifest, dataset: Dataset, chosen: Collection[str]) -> Iterator[tuple[str, list[bytes]]]:
    """Play the chosen conversations as a run would, attempts included; yield the lines of each."""
    privileged = manifest.system.capabilities.get("role") == Role.CEILING or "learning" in manifest.system.supports
    evidence = {gold.question: gold.anchors() for gold in dataset.gold()} if privileged else {}
    for number, case in enumerate(dataset.cases()):
        if case.conversation.id in chosen:
            yield case.conversation.id, _lines(manifest, case, number, evidence)


def _lines(manifest: Manifest, case: Case, number: int, evidence: Mapping[str, tuple[str, ...]]) -> list[bytes]:
    stream = _protocol(manifest.stream).order(case)
    lines: list[bytes] = []
    for attempt in range(1, manifest.limits.attempts + 1):
        rows = run_case(
            case.conversation.id,
            stream,
            lambda: open_system(manifest.system.ref, seed=manifest.seed),
            manifest.limits,
            number=number,
            attempt=attempt,
            evidence=Disclosed({q.id: evidence.get(q.id, ()) for q in case.questions} if evidence else {}),
        )
        lines += [encode([row]) for row in rows]
        if not failures(rows):
            break
    return lines


def _content(lines: Iterable[bytes]) -> str:
    """Hash the tables that *lines* make, as a seal does."""
    with TemporaryDirectory() as scratch, connect() as db:
        path = Path(scratch) / journal.FILE
        path.write_bytes(b"".join(lines))
        tables.build(db, path)
        return content_hash(db)
