"""Instances by what users type: a file of ours, an original of the archive, a folder of either, a demo's name."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import DataNotFoundError
from memgauge.registry import unknown_name
from memgauge.studies.track.timeline.files import read_document, read_timeline
from memgauge.studies.track.timeline.memtrack import documents_of, find_configs, read_memtrack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.studies.track.timeline.models import Timeline

FILE = "timeline.json"
"""What the file of an own instance is called, in a folder of its name."""
DEMO = "demo"


def demo_folder() -> Path:
    """Return the folder of the instances that come with the package."""
    with as_file(files("memgauge.studies.track") / DEMO) as folder:
        return folder


def find_instances(refs: Sequence[str | Path]) -> tuple[Path, ...]:
    """Return the files that users mean.

    Raises:
        DataNotFoundError: There is nothing of that name, or nothing in that folder.
    """
    return _without_histories(tuple(dict.fromkeys(path for ref in refs for path in _find(ref))))


def _without_histories(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Leave out the histories of configurations that are meant too: a pair of files is one instance."""
    config_paths = [path for path in paths if path.suffix in {".yaml", ".yml"}]
    if len(config_paths) in {0, len(paths)}:
        return paths
    history_paths = {history.resolve() for path in config_paths for history in documents_of(path)[1:]}
    return tuple(path for path in paths if path.resolve() not in history_paths)


def open_instance(path: Path) -> Timeline:
    """Read an instance of either kind.

    Raises:
        DataError: It cannot be read; the message names file, line and field.
    """
    document = read_document(path)
    is_own_format = isinstance(document, dict) and "schema_version" in document
    return read_timeline(path) if is_own_format else read_memtrack(path)


def _find(ref: str | Path) -> tuple[Path, ...]:
    path = Path(ref)
    shipped_paths = {path.parent.name: path for path in sorted(demo_folder().glob(f"*/{FILE}"))}
    if (
        str(ref) == DEMO and shipped_paths
    ):  # also where a folder is called so, as after `memgauge demo`: that is ./demo
        return tuple(shipped_paths.values())
    if str(ref) in shipped_paths:
        return (shipped_paths[str(ref)],)
    if path.is_dir():
        return tuple(sorted(path.rglob(FILE))) or find_configs(path)
    if path.is_file():
        return (path,)
    if path.suffix or len(path.parts) > 1 or not shipped_paths:
        raise DataNotFoundError(f"{path} is not there.", "Name a file or folder of instances, or `demo`.")
    raise unknown_name("instance", str(ref), [DEMO, *shipped_paths])
