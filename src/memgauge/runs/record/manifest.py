"""Who a run is: everything that must be equal for two runs to be the same experiment."""

from __future__ import annotations

import hashlib
import json
import platform
import re
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from memgauge.errors import ConfigError, RunError, RunNotFoundError
from memgauge.misfits import first_misfit
from memgauge.records.contracts import MOST_HITS
from memgauge.runs.record.conformance import UNCHECKED, Conformance
from memgauge.runs.record.files import small, write_atomically
from memgauge.runs.record.isolation import NOT_RECORDED, Isolation
from memgauge.show.safety import name_line
from memgauge.systems.protocol import Capabilities, supported
from memgauge.text.halves import encodable
from memgauge.text.jsons import json_of
from memgauge.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.datasets.base import DatasetIdentity
    from memgauge.systems.protocol import MemorySystem

IMPORTED: Final = "imported"
"""The version of a system whose run nobody here saw."""
FORMAT: Final = 1
FILE = "manifest.json"


_PROMISES: Final = json_of(json.dumps(asdict(Capabilities())))
"""What a system promises that says nothing, as it is written."""
_FIRST: Final = frozenset(
    {
        "unit",
        "consistency",
        "event_time",
        "score_kind",
        "reports_changes",
        "declares_sources",
        "k_cap",
        "read_only_search",
        "needs",
        "interventions",
        "role",
    }
)
"""Capabilities of the first format, which are always part of the identity; of others what is not default."""


_CIRCUMSTANCES: Final = frozenset(
    {"environment", "probes", "isolation", "conformance", "plan", "sittings", "played_by"}
)
"""What a manifest says of how a run was made, which does not make it another run."""


class _ManifestPart(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DatasetPart(_ManifestPart):
    """The data, exactly."""

    ref: str
    name: str
    sha256: str
    options: dict[str, str] = Field(default_factory=dict)
    pinned: bool = True


class SystemPart(_ManifestPart):
    """The system, its promises and everything done to it; whatever it is called is one harmless line."""

    ref: str
    label: str
    name: str
    version: str
    capabilities: dict[str, Any]
    supports: tuple[str, ...] = ()
    source: str = ""
    """sha256 of the code and the configuration of a system that is not built in."""
    _written: dict[str, str] = PrivateAttr(default_factory=dict)
    """What it was called, where that was no such line."""

    def model_post_init(self, context: object, /) -> None:
        """Set what it is called in one line, and remember what was written: a run keeps its identity."""
        super().model_post_init(context)
        for field in ("label", "name", "version"):
            written = encodable(getattr(self, field))
            line = written and name_line(written)
            self.__dict__[field] = line  # a part is frozen once it is made
            if line != written:
                self._written[field] = written

    def as_written(self) -> SystemPart:
        """Return the part as its file has it."""
        return self.model_copy(update=self._written) if self._written else self


class StreamPart(_ManifestPart):
    """How the conversation was ordered."""

    protocol: str = "clean"
    parameters: dict[str, str] = Field(default_factory=dict)


class Limits(_ManifestPart):
    """What the harness enforces on every system alike."""

    k: int = Field(default=60, ge=1, le=MOST_HITS)
    """Hits kept per question."""
    budget_tokens: int | None = Field(default=None, ge=1)
    """Tokens kept per question, counted over whole memories; ``None`` is no limit."""
    timeout_s: float = Field(default=60.0, gt=0, allow_inf_nan=False)
    """Seconds that one call may take."""
    retries: int = Field(default=2, ge=0, le=20)
    """Further tries of a search that raised; a write is never repeated, it could be stored twice."""
    attempts: int = Field(default=1, ge=1, le=20)
    """How often a conversation with failed questions is run; the first valid result of a question counts."""
    ask: bool = False
    """Whether a system that answers by itself is asked to, after every search."""


class Manifest(_ManifestPart):
    """The identity of one run; written before the first call and never changed."""

    format: Literal[1] = FORMAT
    dataset: DatasetPart
    system: SystemPart
    stream: StreamPart = StreamPart()
    limits: Limits = Limits()
    seed: int = 0
    conversations: int | None = None
    """Only the first so many conversations; ``None`` is all."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Versions at the time; not part of the identity."""
    probes: int = 0
    """Searches of each conversation that are made again beside the record; not part of the identity."""
    isolation: Isolation = NOT_RECORDED
    """How far what was played was kept from the gold; not part of the identity."""
    conformance: Conformance = UNCHECKED
    """What the conformance check found at the time; not part of the identity."""
    plan: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    """Digest of the plan that was announced before the run began; empty of an earlier version's runs."""
    sittings: int = Field(default=1, ge=1)
    """How often the run was begun or taken up again; not part of the identity."""
    played_by: str = ""
    """What took the place of the system for a long conversation: the same rankings from an index on disk; empty
    where nothing did. Not part of the identity."""

    @property
    def identity(self) -> str:
        """Return the hash of everything but the circumstances.

        What a later version can say of a run, and does not, is left out, so that older runs keep their identity.
        """
        data = self._as_written().model_dump(mode="json", exclude=set(_CIRCUMSTANCES))
        promises = data["system"]["capabilities"]
        data["system"]["capabilities"] = {
            name: value for name, value in promises.items() if name in _FIRST or value != _PROMISES.get(name)
        }
        if not self.limits.ask:
            del data["limits"]["ask"]  # runs made before it could be asked for keep their identity
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    @property
    def is_imported(self) -> bool:
        """Whether a file of others tells of it, and the harness did not see it."""
        return self.system.ref.startswith(f"{IMPORTED}:")

    @property
    def id(self) -> str:
        """Return the readable name of the run folder."""
        parts = (self.dataset.ref, self.system.label)
        return "-".join([*(_slug(part) for part in parts), self.identity[:8]])

    def write(self, folder: Path) -> None:
        """Write the manifest into *folder*.

        Raises:
            RunError: The disk is full or fails.
        """
        unsaid = None if self.played_by else {"played_by"}
        text = self._as_written().model_dump_json(indent=2, exclude=unsaid)
        write_atomically(folder / FILE, text + "\n")

    def _as_written(self) -> Manifest:
        system = self.system.as_written()
        return self if system is self.system else self.model_copy(update={"system": system})

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of the run at *folder*.

        Raises:
            RunNotFoundError: There is no run.
            RunError: The manifest cannot be read as one.
        """
        path = folder / FILE
        if not path.is_file():
            raise RunNotFoundError(
                f"No run at {folder}: {FILE} is missing.", "List runs with `memgauge runs list FOLDER`."
            )
        try:
            return cls.model_validate_json(small(path))
        except ValidationError as error:
            raise RunError(
                f"{path}: {first_misfit(error, 'the file itself')}.",
                "Restore it, or move its folder away; a later version may have written it.",
            ) from error


def _slug(ref: str) -> str:
    """Shorten a reference to what a folder name can carry: of a path its last part, of options no address."""
    name, _, rest = ref.partition(":")
    if rest.startswith("//"):  # the address is what is run
        rest = rest[2:].partition("/")[0]
    parts = re.sub(r"@?https?://[^,]*", "", rest).split(",")
    text = " ".join([name, *map(_last, parts)]).lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")[:40].strip("-")


def _last(option: str) -> str:
    """Keep of an option whose value is a path its last part; other values may have slashes in them."""
    key, joint, value = option.rpartition("=")
    return f"{key}{joint}{value.rpartition('/')[2]}" if re.match(r"~?\.{0,2}/", value) else option


def dataset_part(identity: DatasetIdentity) -> DatasetPart:
    """Copy what a manifest keeps of a dataset's identity."""
    return DatasetPart(
        ref=identity.ref,
        name=identity.name,
        sha256=identity.sha256,
        options=dict(identity.options),
        pinned=identity.pinned,
    )


def system_part(ref: str, label: str, system: MemorySystem) -> SystemPart:
    """Describe *system* as it presents itself."""
    return SystemPart(
        ref=ref,
        label=label,
        name=system.name,
        version=system.version,
        capabilities=asdict(system.capabilities()),
        supports=supported(system),
    )


def environment() -> dict[str, str]:
    """Name the versions that could matter when a run is repeated."""
    return {
        "memgauge": __version__,
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "numpy": _installed("numpy"),
        "scipy": _installed("scipy"),
    }


@cache
def _installed(package: str) -> str:
    """Ask for a version once: reading it takes as long as verifying a small run."""
    from importlib.metadata import version  # importing the package to ask would take longer than most of a run

    return version(package)


def limits(**values: float | None) -> Limits:
    """Make limits from what a user said.

    Raises:
        ConfigError: A value that does not fit; the message names it.
    """
    try:
        return Limits.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).removesuffix("_s").replace("_", "-")
        raise ConfigError(f"--{name} {first['input']} does not fit: {first['msg'].lower()}.") from error
