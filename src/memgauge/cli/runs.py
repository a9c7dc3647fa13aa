"""`memgauge runs`: list runs, and sign them."""

from __future__ import annotations

from pathlib import Path

from cyclopts import App

from memgauge.frame.console import emit, say
from memgauge.frame.exits import OK
from memgauge.frame.options import RUNS, AsData

app = App("runs", help="List the runs in a folder, or sign them.")


@app.default
def list_(folder: Path = RUNS, *, json: AsData = False) -> int:
    """List the runs in a folder.

    Parameters
    ----------
    folder
        Where to look, folders below included.
    json
        Print data instead of a table.
    """
    from rich.table import Table

    from memgauge.runs.manifest import Manifest
    from memgauge.runs.seal import sealed
    from memgauge.runs.store import find_runs

    listed = [(path, Manifest.read(path), sealed(path)) for path in find_runs((folder,))]
    if json:
        emit([{"folder": str(p), "sealed": done, **m.model_dump(mode="json")} for p, m, done in listed])
        return OK
    table = Table("run", "dataset", "system", "k", "seed", "state", box=None)
    for path, manifest, done in listed:
        limits, state = manifest.limits, _state(path) if done else "unfinished"
        table.add_row(
            str(path), manifest.dataset.ref, manifest.system.label, str(limits.k), str(manifest.seed), state
        )
    say(table)
    return OK


def _state(folder: Path) -> str:
    """Say whether a run is still as it was sealed, as far as numbers are read from it."""
    from memgauge.errors import RunError
    from memgauge.runs.store import load

    try:
        altered = load(folder, altered=True).altered
    except RunError:
        return "not as sealed"
    return "not as sealed" if altered else "sealed"


@app.command
def sign(*runs: Path, key: Path, json: AsData = False) -> int:
    """Sign sealed runs with an SSH key, so that others can know that they are yours and as you sealed them.

    The signature lies beside the run and goes with its bundles. Who has your public key checks it with
    `memgauge verify --signers ALLOWED_SIGNERS`.

    Parameters
    ----------
    runs
        Run folders, or folders of them; `runs` when none is named.
    key
        A private SSH key, or the public file of one that your agent holds: `~/.ssh/id_ed25519`.
    json
        Print the signatures as data.
    """
    from memgauge.cli.score import finished
    from memgauge.runs.signing import sign as sign_run
    from memgauge.runs.store import load

    made = {str(folder): str(sign_run(load(folder), key.expanduser())) for folder in finished(runs)}
    if json:
        emit([{"run": folder, "signature": signature} for folder, signature in made.items()])
        return OK
    for signature in made.values():
        say(f"Signed: {signature}")
    return OK
