"""Where the work of a command is done: options that all commands share that make runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.numbers import COUNT

if TYPE_CHECKING:
    from memgauge.runs.play.executors import Executor


@Parameter(name="*")
@dataclass(frozen=True)
class Placing:
    """Where units of work run, and how many at a time."""

    workers: Annotated[int | None, COUNT] = None
    """Tasks at a time: processes that share the work (default: 1); the result does not depend on it."""
    executor: str = ""
    """Who works: `processes`, `ray` (a cluster) or `ray:FILE.toml`; `inline` is the harness's own process."""
    address: str | None = None
    """Head node of the cluster, `host:port`, with `--executor ray`."""

    def open(self) -> Executor:
        """Open the executor.

        Raises:
            UserError: It does not exist or cannot be used.
        """
        from memgauge.errors import ConfigError
        from memgauge.registry import parse_ref
        from memgauge.runs.play.executors import executor

        if self.address is None:
            return executor(self.executor, workers=self.workers)
        if parse_ref(self.executor).name != "ray":
            raise ConfigError("--address is that of a cluster.", "Add --executor ray.")
        joined = f"{self.executor}{',' if ':' in self.executor else ':'}address={self.address}"
        return executor(joined, workers=self.workers)


HERE = Placing()
"""In one process apart from the harness, unless something else is said."""
