"""Where the code lies that lets a product be asked: a repository and a commit."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.submissions.sheets.submission import AdapterSource
from memgauge.systems.catalogue import ours
from memgauge.systems.environments.products import product_of

if TYPE_CHECKING:
    from memgauge.runs.record.store import Run

_ADAPTER = re.compile(r"^(?P<repo>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})$")


def adapter_source(text: str, licence: str) -> AdapterSource:
    """Read where an adapter lies, ``owner/repository@commit``.

    Raises:
        ConfigError: It is not written so.
    """
    match = _ADAPTER.match(text)
    if match is None:
        raise ConfigError(
            f"--adapter {text!r} does not say where the code lies.",
            "Write owner/repository@ and all 40 digits of the commit.",
        )
    return AdapterSource(repo=match["repo"], commit=match["commit"], licence=licence)


def own_adapter(run: Run) -> AdapterSource:
    """Name memgauge at the commit that played a run, where adapters of its catalogue lie.

    Raises:
        ConfigError: The system is of another catalogue.
    """
    ref = run.manifest.system.ref
    product = product_of(ref)
    if not ours(ref) and not (product and product.is_shipped):
        raise ConfigError(
            f"Nobody knows where the adapter of {ref!r} lies.", "Say --adapter owner/repository@commit."
        )
    commit = run.manifest.environment.get("source", "") or _checkout()
    return AdapterSource(repo="memgauge/memgauge", commit=commit, licence="Apache-2.0")


def _checkout() -> str:
    """Return the commit of the checkout that memgauge runs from.

    Raises:
        ConfigError: It runs from no checkout.
    """
    git = shutil.which("git")
    here = Path(str(files("memgauge")))
    done = (
        subprocess.run(  # noqa: S603 - git itself, on our own folder
            [git, "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, check=False, timeout=10
        )
        if git
        else None
    )
    if done is None or done.returncode:
        raise ConfigError(
            "The commit of memgauge's adapters is not known here: this is no checkout.",
            "Say --adapter owner/repository@commit.",
        )
    return done.stdout.strip()
