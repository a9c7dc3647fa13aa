"""Make the environment of a product: all of it, or nothing."""

from __future__ import annotations

import fcntl
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NoReturn

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.systems.environments import places
from memgauge.systems.environments.checking import check_pins, check_tree
from memgauge.systems.environments.places import Environment, environment_of, folder_of, pins_sha256
from memgauge.systems.environments.programs import require_programs
from memgauge.systems.environments.pythons import find_python, fits, version_of
from memgauge.systems.environments.wheels import pip_steps
from memgauge.systems.wire.confining import confined
from memgauge.systems.wire.surroundings import OwnFolder, environment, keyless
from memgauge.systems.wire.usage import bytes_of
from memgauge.text.jsons import json_file, json_of
from memgauge.text.scrubbing import keys_of, scrubbed_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memgauge.systems.environments.products import Product

_TOOLS = {"pip", "setuptools", "wheel"}
"""What an environment brings of itself; it is no part of what a product is."""
_LISTING = (
    "import json, importlib.metadata as m; "
    "print(json.dumps({d.metadata['Name']: d.version for d in m.distributions()}))"
)


def install(
    product: Product, *, python: str = "", again: bool = False, say: Callable[[str], None] = lambda _: None
) -> Environment:
    """Install *product* into its own environment; a complete one is left as it is.

    The folder is made where it stays, because programs in it know their place; it counts as an environment from
    the moment that its last file is written, and what an interrupted attempt left is removed. *python* is a path;
    *again* makes it anew all the same.

    Raises:
        MissingExtraError: A program or a Python that it needs is absent.
        ConfigError: It cannot be installed, or cannot be imported afterwards; nothing is left behind.
    """
    folder = folder_of(product)
    require_programs(product)
    chosen, version = _python(product, python)
    with _alone(folder):
        if not again and (complete := _complete(product)):
            return complete
        shutil.rmtree(folder, ignore_errors=True)
        start = time.monotonic()
        with ExitStack() as undo:
            undo.callback(shutil.rmtree, folder, ignore_errors=True)  # also when the user interrupts it
            _make(product, chosen, folder, say)
            packages = _checked(product, folder, say)
            made = Environment(
                product.name,
                product.version,
                version,
                pins_sha256(product),
                packages,
                datetime.now(UTC).isoformat(timespec="seconds"),
                round(time.monotonic() - start, 1),
                round(bytes_of([folder]) / 1e6, 1),
                str(folder),
            )
            places.write(made, folder)
            undo.pop_all()
    return made


def remove(product: Product) -> bool:
    """Remove the environment of *product*; return whether there was one."""
    folder = folder_of(product)
    if not folder.exists():
        return False
    with _alone(folder):
        (folder / places.FILE).unlink(missing_ok=True)  # first of all it is no environment any more
        shutil.rmtree(folder)
    return True


def _complete(product: Product) -> Environment | None:
    try:
        return environment_of(product)
    except ConfigError:
        return None  # there is one that cannot be used: that is why it is installed


def _python(product: Product, named: str) -> tuple[str, str]:
    if not product.packages:
        return sys.executable, platform.python_version()  # its adapter is served by this one
    if not named:
        return find_python(product.python, product.name)
    version = version_of(named)
    if not version:
        raise ConfigError(f"{named} does not run.", "Name a Python by its path.")
    if not fits(tuple(map(int, version.split("."))), product.python):
        raise MissingExtraError(
            f"{product.name} needs Python {product.python}; {named} is {version}.", "Name another with --python."
        )
    return named, version


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let nobody else install into *folder* meanwhile."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = (folder.parent / f".{folder.name}.lock").open("w")
    except OSError as error:
        raise ConfigError(
            f"Cannot write {folder.parent}: {error.strerror}.", "Set MEMGAUGE_HOME to a folder of yours."
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ConfigError(
                f"{folder.name} is being installed by another process.", "Wait for it, and try again."
            ) from None
        yield


def _make(product: Product, python: str, folder: Path, say: Callable[[str], None]) -> None:
    _lock(product)  # before the environment, which takes seconds
    if product.packages:
        say("making an environment")
        _run(product, [python, "-m", "venv", str(folder)], "its environment cannot be made")
        say(f"installing {', '.join(product.packages)}")
        for options in _steps(product, folder):
            _run(product, [*_pip(folder), *options], "pip cannot install it")
    folder.mkdir(exist_ok=True)
    if product.node:
        say(f"installing {', '.join(product.node)}")
        _run(product, _npm(product, folder), "npm cannot install it")


def _pip(folder: Path) -> list[str]:
    options = ("--no-input", "--disable-pip-version-check", "--no-warn-script-location", "--quiet")
    return [str(folder / "bin" / "python"), "-m", "pip", "install", *options]


def _steps(product: Product, folder: Path) -> list[list[str]]:
    """Name what pip is to install, step by step: the lock with its hashes, or the pins where there is none."""
    lock = _lock(product)
    if lock is None or lock.suffix == ".json":
        return [list(product.packages)]
    check_pins(lock)
    return pip_steps(lock, product.wheels, folder)


def _lock(product: Product) -> Path | None:
    lock = product.lock_path
    if lock is not None and not lock.is_file():
        raise ConfigError(f"{product.name}: its lock {lock} is absent.", "Install memgauge again.")
    return lock


def _npm(product: Product, folder: Path) -> list[str]:
    """Name what npm is to do: install the lock as it stands, or the pins where there is none."""
    options = ("--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts")
    lock = _lock(product)
    if lock is None or lock.suffix != ".json":
        return ["npm", "install", *options, "--no-save", *product.node]
    content = json_file(lock, "Write it with npm install.")
    packages = content.get("packages") if isinstance(content, dict) else None
    check_tree(lock, packages)
    (folder / "package-lock.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "package.json").write_text(json.dumps(content["packages"][""]), encoding="utf-8")
    return ["npm", "ci", *options]


def _checked(product: Product, folder: Path, say: Callable[[str], None]) -> dict[str, str]:
    """Import the product as it will be imported, and list what is installed."""
    if not product.packages:
        packages = _from_npm(folder)
        _keep(folder, packages)
        return packages
    say("importing it")
    python = str(folder / "bin" / "python")
    own = OwnFolder(product.name)
    try:
        surroundings = environment(own.emptied(), switches=product.switches, home=str(folder))
        if product.module:
            _run(product, [python, "-c", f"import {product.module}"], "it cannot be imported", surroundings)
        listed = _run(product, [python, "-c", _LISTING], "its packages cannot be listed", surroundings)
    finally:
        own.remove()
    packages = {**json_of(listed), **_from_npm(folder)}
    _keep(folder, packages)
    return packages


def _from_npm(folder: Path) -> dict[str, str]:
    """List what npm installed, as npm itself wrote it down."""
    listed = folder / "node_modules" / ".package-lock.json"
    if not listed.is_file():
        return {}
    packages = json_file(listed, "Install it again.")["packages"]
    return {path.removeprefix("node_modules/"): str(about.get("version", "")) for path, about in packages.items()}


def _keep(folder: Path, packages: dict[str, str]) -> None:
    """Write down what is in an environment: part of the identity of every run of it."""
    lines = [f"{name}=={version}" for name, version in sorted(packages.items()) if name not in _TOOLS]
    (folder / places.LOCK).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _run(product: Product, command: Sequence[str], wrong: str, surroundings: dict[str, str] | None = None) -> str:
    """Run a step to its end and return what it printed."""
    variables = keyless() if surroundings is None else surroundings
    done = confined(
        lambda: subprocess.run(list(command), capture_output=True, text=True, check=False, env=variables)  # noqa: S603 - what the product's file names
    )
    if done.returncode:
        _refuse(product, wrong, done.stderr or done.stdout)
    return done.stdout


def _refuse(product: Product, wrong: str, output: str) -> NoReturn:
    """Say what the last step printed, and keep all of it."""
    log = folder_of(product).parent / f"{product.name}.log"
    output = scrubbed_error(output, keys_of(os.environ))
    log.write_text(output, encoding="utf-8")
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = next(
        (line for line in reversed(lines) if "ERROR" in line or "Error" in line), lines[-1] if lines else ""
    )
    raise ConfigError(
        f"{product.name}: {wrong}: {last[:300]}.", f"All that was printed is in {log}; nothing was left installed."
    )
