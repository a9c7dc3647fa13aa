"""`memgauge runs list` and `sign`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.frame.choosing import finished
from memgauge.frame.options import RUNS
from memgauge.frame.output import PLAIN, SHOWN, Output, Printing, present, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.manifest import Manifest
    from memgauge.show import Document


def list_(*runs: Path, output: Output = SHOWN) -> int:
    """List runs, finished or not.

    Example: memgauge runs list --json

    Parameters
    ----------
    runs
        Where to look, folders below included, or patterns (`'runs/*bm25*'`); `runs` when nothing is named.
    """
    from memgauge.runs.record.manifest import Manifest
    from memgauge.runs.record.seal import sealed
    from memgauge.runs.record.store import find_runs

    listed = [(path, Manifest.read(path), sealed(path)) for path in find_runs(runs or (RUNS,))]
    return present(document(listed), output, name="runs")


def document(listed: Sequence[tuple[Path, Manifest, bool]]) -> Document:
    """List runs, each by its folder and manifest, and whether it is sealed."""
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    columns = (
        Column("run", Kind.PROSE),
        Column("dataset", Kind.PROSE),
        Column("system", Kind.PROSE),
        Column("k", Kind.COUNT),
        Column("seed", Kind.TEXT),
        Column("state", Kind.TEXT),
    )
    rows = [
        (
            str(path),
            manifest.dataset.ref,
            manifest.system.label,
            manifest.limits.k,
            str(manifest.seed),
            _state(path) if done else "unfinished",
        )
        for path, manifest, done in listed
    ]
    return Document(
        title="Runs",
        blocks=(Table.of("runs", "", columns, rows),),
        origin="manifests and seals",
        data=ReadyData(
            [{"folder": str(path), "sealed": done, **made.model_dump(mode="json")} for path, made, done in listed]
        ),
    )


def _state(folder: Path) -> str:
    """Say whether a run is still as it was sealed, as far as numbers are read from it."""
    from memgauge.errors import RunError
    from memgauge.runs.record.store import load

    try:
        altered = load(folder, altered=True).altered
    except RunError:
        return "not as sealed"
    return "not as sealed" if altered else "sealed"


def sign(*runs: Path, key: Path, shown: Printing = PLAIN) -> int:
    """Sign sealed runs with an SSH key, so that others can know that they are yours and as you sealed them.

    The signature lies beside the run and goes with its bundles. Who has your public key checks it with
    `memgauge runs verify --signers ALLOWED_SIGNERS`.

    Example: memgauge runs sign --key ~/.ssh/id_ed25519

    Parameters
    ----------
    runs
        Run folders, folders of them, or patterns (`'runs/*bm25*'`); `runs` when none is named.
    key
        A private SSH key, or the public file of one that your agent holds: `~/.ssh/id_ed25519`.
    """
    from memgauge.runs.layers.signing import sign as sign_run
    from memgauge.runs.record.store import load

    made = {str(folder): str(sign_run(load(folder), key.expanduser())) for folder in finished(runs)}
    data = [{"run": folder, "signature": signature} for folder, signature in made.items()]
    return present(told(data, *(f"Signed: {signature}" for signature in made.values())), shown)
