"""What a folder of data says about itself, held against what lies there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter

from memgauge.datasets.own.lines import FILES, FORMAT
from memgauge.datasets.places import FieldPath
from memgauge.errors import MalformedDataError
from memgauge.show.safety import name_line, plain_line
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_MEND: Final = "Build the folder again, or mend that field."
_AS_IT_IS: Final = "Build the folder again, or pass --allow-unpinned to use it as it is."


class OwnManifest(BaseModel):
    """The content of ``manifest.json``; a generator may say more."""

    model_config = ConfigDict(frozen=True, extra="allow")

    format: int
    name: Annotated[str, AfterValidator(name_line)] = "own"
    licence: Annotated[str, AfterValidator(plain_line)] = ""
    sha256: dict[str, str] = {}
    counts: dict[str, int] = {}


_MANIFEST: Final = TypeAdapter(OwnManifest)


def read_manifest(path: Path) -> OwnManifest:
    """Read ``manifest.json``.

    Raises:
        MalformedDataError: It is none, is of another form, or names files that are none of the folder's.
    """
    place, content = FieldPath(str(path)), json_file(path, _MEND)
    if not isinstance(content, dict):
        raise MalformedDataError(f"{path} is no manifest: it holds no object.", _MEND)
    manifest = place.checked(_MANIFEST, content, _MEND)
    if manifest.format != FORMAT:
        raise place.at("format").wrong(f"{manifest.format} is not {FORMAT}", _MEND)
    for name in manifest.sha256:
        if name not in FILES:
            raise place.at("sha256").wrong(f"{name!r} is none of {', '.join(FILES)}", _MEND)
    return manifest


def unpinned(path: Path, manifest: OwnManifest, hashes: Mapping[str, str]) -> MalformedDataError | None:
    """Say which file beside *path* is not the one that its manifest names, or is named by none."""
    for name in FILES:
        stated, digest = manifest.sha256.get(name), hashes.get(name)
        if stated is None and digest is not None:
            return MalformedDataError(f"{path}: sha256 names no {name}, so that nothing pins it.", _AS_IT_IS)
        if stated != digest:
            return MalformedDataError(f"{path.with_name(name)} is not the file that {path.name} names.", _AS_IT_IS)
    return None


def require_counts(path: Path, stated: Mapping[str, int], counted: Mapping[str, int]) -> None:
    """Make sure that as much lies beside *path* as its manifest states; what it does not count may be any number.

    Raises:
        MalformedDataError: A number is another one.
    """
    for name, number in counted.items():
        if stated.get(name, number) != number:
            what = f"{path}, counts: {stated[name]:,} {name} are stated, and there are {number:,}."
            raise MalformedDataError(what, _AS_IT_IS)
