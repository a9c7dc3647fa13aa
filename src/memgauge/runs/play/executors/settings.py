"""How a cluster is used: where it is, what each system needs there, what happens to what is lost."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memgauge.errors import ConfigError
from memgauge.misfits import first_misfit
from memgauge.text.untrusted import toml_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.manifest import Manifest


class Demand(BaseModel):
    """What one task holds of the node that it runs on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cpus: float = Field(default=1.0, ge=0)
    gpus: float = Field(default=0.0, ge=0)
    memory_gb: float = Field(default=0.0, ge=0)
    resources: dict[str, float] = Field(default_factory=dict)
    """Anything else that nodes were given a number of."""

    @property
    def wanted(self) -> dict[str, float]:
        """Return it under the names that nodes use for what they have."""
        named = {"CPU": self.cpus, "GPU": self.gpus, "memory": self.memory_gb * 2**30, **self.resources}
        return {name: amount for name, amount in named.items() if amount}

    def __str__(self) -> str:
        named = {"CPU": self.cpus, "GPU": self.gpus, "GB": self.memory_gb, **self.resources}
        return ", ".join(f"{amount:g} {name}" for name, amount in named.items() if amount)

    def fits(self, node: Mapping[str, float]) -> bool:
        """Whether a node that has nothing else to do could take the task."""
        return all(node.get(name, 0.0) >= amount for name, amount in self.wanted.items())


class ClusterSettings(BaseModel):
    """What a cluster file says; every key may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: str = ""
    """Of the head node; empty starts a cluster of this one machine."""
    workers: int | None = Field(default=None, ge=1)
    """Tasks at a time; ``None`` keeps every node busy."""
    tries: int = Field(default=3, ge=1, le=100)
    """How often a task is given out whose worker or node is lost."""
    patience_s: float = Field(default=300.0, ge=0, allow_inf_nan=False)
    """Seconds to wait for a node that could take a task, where none can."""
    folder: str = ""
    """A folder that is sent to every node and worked in there: modules and files of home-made systems."""
    forward: tuple[str, ...] = ()
    """Environment variables that workers get from here."""
    default: Demand = Demand()
    systems: dict[str, Demand] = Field(default_factory=dict)
    """What systems need, by a pattern of their reference or label; the first that fits counts."""

    def demand(self, manifest: Manifest) -> Demand:
        """Say what a task of this run holds."""
        names = (manifest.system.ref, manifest.system.label)
        demands = (
            demand for pattern, demand in self.systems.items() if any(fnmatchcase(n, pattern) for n in names)
        )
        return next(demands, self.default)


def read_settings(path: Path) -> ClusterSettings:
    """Read a cluster file.

    Raises:
        ConfigError: It is absent or broken, or says something that does not fit.
    """
    try:
        content = toml_of(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no file {path}.", "Name a cluster file, or address=host:port.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"Cannot read {path}: {error}.") from error
    return checked(content, str(path))


def checked(content: Mapping[str, Any], where: str) -> ClusterSettings:
    """Make settings of what *where* says.

    Raises:
        ConfigError: Names the first key that does not fit.
    """
    try:
        return ClusterSettings.model_validate(content)
    except ValidationError as error:
        misfit = first_misfit(error)
        raise ConfigError(f"{where}: {misfit.place}: {misfit.reason.lower()}.", "See docs/cluster.md.") from error
