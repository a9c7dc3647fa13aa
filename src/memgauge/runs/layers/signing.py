"""Detached signatures of sealed runs, with ordinary SSH keys: all cryptography is ``ssh-keygen -Y``.

What is signed is one small text, the statement: which run, which content, which files. It lies with its signature
in the folder ``signatures`` of the run, under the fingerprint of the key. A bundle without texts holds another
journal and other tables; the statement names that journal too, so that the same signature holds for it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memgauge.errors import RunError
from memgauge.runs.layers.layer import FOLDER as LAYERS
from memgauge.runs.layers.layer import load_layer, sealed
from memgauge.runs.layers.ssh import fingerprint, principal, require_signers, sign_file, signer_key
from memgauge.runs.record import journal, manifest
from memgauge.runs.record.bundle import without_text
from memgauge.runs.record.files import opened, small, write_atomically
from memgauge.runs.record.seal import file_hash

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run

FOLDER: Final = "signatures"
_FIRST: Final = "memgauge statement 1"
_BARE: Final = f"{journal.FILE} without texts"
_LARGEST: Final = 64 << 10
"""Bytes that a statement or a signature may have."""


@dataclass(frozen=True)
class Signature:
    """One signature beside a run, and what became of checking it."""

    name: str
    """Of its file."""
    key: str
    """The fingerprint of the key that made it; empty where it is no signature of its statement."""
    principal: str = ""
    """Who the reader's file of allowed signers says that this key is; empty where it says nothing."""
    problem: str = ""
    """Why it does not hold for the run as it is; empty where it does."""
    layers: frozenset[str] = frozenset()
    """Folders of the layers that were signed with the run."""


def statement(run: Run) -> str:
    """Spell what is signed: the run, its content, its files, and its journal as a bundle without texts has it."""
    lines = {
        "run": run.manifest.id,
        "identity": run.manifest.identity,
        "content": run.seal.content,
        **dict(sorted(run.seal.files.items())),
        _BARE: _bare(run),
        **_layers(run),
    }
    return "".join(f"{line}\n" for line in (_FIRST, *(f"{name}: {value}" for name, value in lines.items())))


def _layers(run: Run) -> dict[str, str]:
    """Return the hash of every sealed layer by its folder."""
    folders = sorted((run.folder / LAYERS).iterdir()) if (run.folder / LAYERS).is_dir() else []
    return {f"{LAYERS}/{folder.name}": load_layer(folder).hash for folder in folders if sealed(folder)}


def sign(run: Run, key: Path) -> Path:
    """Sign *run* with an SSH key and return the signature's file; the run itself does not change.

    A key that lies with an agent is named by its public file; ``ssh-keygen`` asks for a passphrase where needed.

    Raises:
        MissingExtraError: There is no ``ssh-keygen``.
        ConfigError: There is no such key, or it cannot sign.
    """
    named = fingerprint(key)
    folder = run.folder / FOLDER
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(f"Cannot make {folder}: {error.strerror}.", "Make the run's folder writable.") from error
    text = folder / f"{named}.txt"
    write_atomically(text, statement(run))
    return sign_file(text, key)


def signatures(run: Run, allowed: Path | None = None) -> list[Signature]:
    """Check every signature beside *run*, and name those whom the file of *allowed* signers knows.

    Raises:
        MissingExtraError: There are signatures, or signers to be trusted, and no ``ssh-keygen``.
        ConfigError: There is no such file of allowed signers.
    """
    require_signers(allowed)
    files = sorted(path for path in (run.folder / FOLDER).glob("*.sig") if path.is_file())
    return [_checked(run, path, allowed) for path in files]


def _checked(run: Run, path: Path, allowed: Path | None) -> Signature:
    text = path.with_suffix("")
    if not text.is_file() or max(text.stat().st_size, path.stat().st_size) > _LARGEST:
        return Signature(path.name, "", problem="its statement is missing, or larger than any")
    signed = small(text)
    key, problem = signer_key(path, signed)
    if problem:
        return Signature(path.name, "", problem=problem)
    claims = _read(signed)
    problem = _contradicted(run, claims)
    layers = frozenset(name for name in claims if name.startswith(f"{LAYERS}/"))
    return Signature(path.name, key, principal(path, signed, allowed), problem, layers)


def _contradicted(run: Run, claims: Mapping[str, str]) -> str:
    """Say where a statement is not about the run as it is; empty where it is."""
    if not claims:
        return "its statement cannot be read"
    expected = {
        "run": run.manifest.id,
        "identity": run.manifest.identity,
        "content": run.seal.content,
        manifest.FILE: run.seal.files[manifest.FILE],
    }
    for name, value in expected.items():
        if claims.get(name) != value:
            return f"it was made for another run: {name} differs"
    try:
        layers = _layers(run)
    except RunError as error:
        return error.what
    for name, value in claims.items():
        if layers.get(name, value) != value:
            return f"it was made for other layers: {name} differs"
    if file_hash(run.folder / journal.FILE) == claims.get(_BARE):
        return ""  # the bundle without texts of what was signed: its tables follow from its journal
    differing = [name for name, value in run.seal.files.items() if claims.get(name) != value]
    return f"it was made for other files: {differing[0]} differs" if differing else ""


def _read(signed: bytes) -> dict[str, str]:
    first, _, rest = signed.decode("utf-8", "replace").partition("\n")
    pairs = [line.partition(": ") for line in rest.splitlines()]
    return {name: value for name, _, value in pairs} if first == _FIRST else {}


def _bare(run: Run) -> str:
    """Hash the journal as a bundle without texts has it."""
    whole = hashlib.sha256()
    try:
        with opened(run.folder / journal.FILE) as written:
            for line in without_text(written):
                whole.update(line)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "unreadable"
    return whole.hexdigest()
