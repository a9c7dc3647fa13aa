"""`memgauge runs list` and `sign`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.frame.choosing import finished
from memgauge.frame.options import RUNS
from memgauge.frame.output import PLAIN, SHOWN_UNCHECKED, Printing, UncheckedOutput, present, told
from memgauge.registry import Ref

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.runs.record.manifest import Manifest
    from memgauge.show import Document, Value


def list_(*runs: Path, output: UncheckedOutput = SHOWN_UNCHECKED) -> int:
    """List runs, finished or not.

    Example: memgauge runs list --json

    Parameters
    ----------
    runs
        Where to look, folders below included, or patterns (`'runs/*bm25*'`); `runs` when nothing is named.
    """
    from memgauge.runs.record.store import find_runs

    return present(document([ListedRun.read(path) for path in find_runs(runs or (RUNS,))]), output, name="runs")


@dataclass(frozen=True)
class ListedRun:
    """One run as it is listed."""

    folder: Path
    manifest: Manifest | None
    """``None`` where it cannot be read."""
    state: str
    sealed: bool
    problem: str = ""
    """Why the manifest cannot be read."""

    @classmethod
    def read(cls, folder: Path) -> ListedRun:
        """Look at a run; one that is spoilt is listed with the others."""
        from memgauge.errors import RunError
        from memgauge.runs.record.manifest import Manifest
        from memgauge.runs.record.seal import sealed

        done = sealed(folder)
        try:
            manifest = Manifest.read(folder)
        except RunError as error:
            return cls(folder, None, "unreadable", done, str(error))
        return cls(folder, manifest, _state(folder) if done else "unfinished", done)

    @property
    def row(self) -> tuple[Value, ...]:
        """Return its row of the table."""
        made = self.manifest
        if made is None:
            return (str(self.folder), self.problem, "", None, "", "", self.state)
        label, k, seed = made.system.label, made.limits.k, str(made.seed)
        return (str(self.folder), made.dataset.ref, label, k, seed, ", ".join(_unusual(made)), self.state)

    @property
    def data(self) -> dict[str, Any]:
        """Return it for programs."""
        known = {"folder": str(self.folder), "sealed": self.sealed, "state": self.state}
        if self.manifest is None:
            return {**known, "problem": self.problem}
        return {**known, **self.manifest.model_dump(mode="json")}


def document(listed: Sequence[ListedRun]) -> Document:
    """List runs, each by its folder and manifest, and whether it is as it was sealed."""
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    columns = (
        *Column.each(Kind.PROSE, "run", "dataset", "system"),
        Column("k", Kind.COUNT),
        *Column.each(Kind.TEXT, "seed", "settings", "state"),
    )
    return Document(
        title="Runs",
        blocks=(Table.of("runs", "", columns, [each.row for each in listed]),),
        origin="manifests and seals",
        data=ReadyData([each.data for each in listed]),
    )


def _unusual(manifest: Manifest) -> Iterator[str]:
    """Yield what was set otherwise than a run without options has it, so that unlike runs look unlike."""
    from memgauge.runs.record.manifest import Limits, StreamPart

    usual = Limits()
    if manifest.stream != StreamPart():
        yield str(Ref(manifest.stream.protocol, params=manifest.stream.parameters))
    if manifest.conversations is not None:
        yield f"the first {manifest.conversations}"
    for name, value in manifest.limits:
        if name != "k" and value != getattr(usual, name):
            yield name.removesuffix("_s").replace("_", " ") + ("" if value is True else f" {value:g}")


def _state(folder: Path) -> str:
    """Say whether every file of a run is still as it was sealed."""
    from memgauge.errors import RunError
    from memgauge.runs.record.seal import Seal

    try:
        altered = Seal.read(folder).altered(folder)
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
