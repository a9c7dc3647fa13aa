"""What was metered, as lines of JSON in one file that is only appended to; nothing that was said, and no key."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memgauge.errors import ConfigError, DataNotFoundError
from memgauge.llm.metering.calls import CallEnd, CallRoute  # noqa: TC001 - pydantic reads them
from memgauge.metering import CostSource

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE: Final = "calls.jsonl"
_LONGEST: Final = 1 << 16
"""Bytes of a line; no call has more."""


class MeteredCall(BaseModel):
    """One call of a model, as it is written down."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    schema_: Literal["memgauge.call/1"] = Field(default="memgauge.call/1", alias="schema")
    at: str
    """When it began, by the clock of this machine, in UTC."""
    product: str = ""
    phase: str = ""
    route: CallRoute
    model: str
    end: CallEnd
    status: int = Field(default=0, ge=0, le=999)
    streamed: bool = False
    tokens_in: int | None = Field(default=None, ge=0)
    in_source: CostSource = CostSource.UNAVAILABLE
    tokens_out: int | None = Field(default=None, ge=0)
    out_source: CostSource = CostSource.UNAVAILABLE
    legible: bool = True
    """Whether the reply could be read."""
    seconds: float = Field(default=0.0, ge=0)
    first_s: float | None = Field(default=None, ge=0)
    """Until the first byte of the reply."""
    again_after: str = ""
    """How the same request had failed right before, where it had: a status of HTTP, or an end."""


class CallLog:
    """Appends calls to the file of a folder; a disk that is full costs lines, and never a call."""

    def __init__(self, folder: Path) -> None:
        """Open the file.

        Raises:
            ConfigError: Nobody can.
        """
        self.path = folder / FILE
        self.lost = 0
        """Lines that could not be written."""
        self._before = b""
        """Ends a line that broke off."""
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            size = os.fstat(self._fd).st_size
            if size and os.pread(self._fd, 1, size - 1) != b"\n":
                os.write(self._fd, b"\n")  # whoever wrote last was killed in the middle of a line
        except OSError as error:
            raise ConfigError(f"Cannot write {self.path}: {error.strerror}.", "Choose another --out.") from error

    def append(self, call: MeteredCall) -> None:
        """Write one call down."""
        line = call.model_dump_json(by_alias=True, exclude_defaults=True).encode() + b"\n"
        with self._lock:
            try:
                written = os.write(self._fd, self._before + line)
            except OSError:
                written = 0
            whole = written == len(self._before + line)
            self.lost += not whole
            self._before = b"" if whole else b"\n"

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def calls_in(folder: Path) -> Iterator[MeteredCall | None]:
    """Yield the calls of a folder; ``None`` for a line that cannot be read, as a killed process leaves one.

    Raises:
        DataNotFoundError: There are none.
        ConfigError: The file cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        raise DataNotFoundError(
            f"There is no {path}.", "Name the --out of `memgauge models meter`, or the folder `metered` of runs."
        )
    try:
        with path.open("rb") as file:
            while line := file.readline(_LONGEST):
                if line.strip():
                    yield _read(line)
    except OSError as error:
        raise ConfigError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error


def _read(line: bytes) -> MeteredCall | None:
    try:
        return MeteredCall.model_validate_json(line)
    except ValidationError:
        return None
