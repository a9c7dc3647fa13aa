"""Install and remove what lives in an environment of its own, and say so: products and local models alike."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgauge.frame.output import Printing, present, told
from memgauge.systems.environments.install import install, remove

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.systems.environments.places import Environment
    from memgauge.systems.environments.products import Product


def install_package(package: Product, *, python: str, again: bool, shown: Printing) -> Environment:
    """Make the environment of a package, telling of every step unless a program reads the result."""
    report = partial(report_of, shown, package.name)
    for note in package.notes:
        report(f"note: {note}")
    done = install(package, python=python, again=again, say=report)
    size = f"{done.megabytes:.0f} MB, {done.seconds:.0f} s"
    report_of(shown, f"{package.name} {done.version}", f"Python {done.python}, {size}")
    return done


def remove_packages(packages: Iterable[Product], shown: Printing) -> int:
    """Remove the environments of packages, and say which were there."""
    removed = {package.name: remove(package) for package in packages}
    lines = (f"{name}: {'removed' if there else 'was not installed'}" for name, there in removed.items())
    return present(told({"removed": removed}, *lines), shown)


def report_of(shown: Printing, name: str, what: str) -> None:
    """Print a step of a package beside what is shown in the end."""
    shown.tell(f"{name}: {what}")
