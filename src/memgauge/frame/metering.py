"""Options of commands that play products: whether what these ask of models is metered, and what that may cost."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from memgauge.frame.numbers import MONEY
from memgauge.frame.options import Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from memgauge.frame.placing import Placing
    from memgauge.runs.play.executors.base import Task


def _everything(_: Task) -> str:
    """Let every attempt count."""
    return ""


@Parameter(name="*")
@dataclass(frozen=True)
class MeteringOptions:
    """Whether a proxy stands between what is played and the models that it asks."""

    meter: Annotated[bool, Flag] = False
    """Let systems ask models through a proxy that notes what every call took, in `metered` beside the runs."""
    max_usd: Annotated[float | None, MONEY] = None
    """End before these calls cost more in all, by list prices; what is finished is kept. It implies --meter."""

    @contextmanager
    def open(self, refs: Sequence[str], out: Path, placing: Placing) -> Iterator[Callable[[Task], str]]:
        """Stand in front of models while a command runs; yield what says of an attempt why it does not count.

        Raises:
            ConfigError: Nothing can be metered, or the work is done on other machines.
        """
        if not self.meter and self.max_usd is None:
            yield _everything
            return
        from memgauge.errors import ConfigError
        from memgauge.registry import parse_ref
        from memgauge.runs.play.metered import FOLDER, metered_models

        if parse_ref(placing.executor or "processes").name == "ray":
            raise ConfigError("Machines of a cluster cannot be metered from here.", "Leave out --executor ray.")
        with metered_models(refs, out / FOLDER, max_usd=self.max_usd) as metered:
            yield metered.uncounted
            if metered.log.lost:
                from memgauge.frame.console import say

                say(f"{metered.log.lost} calls could not be written to {metered.log.path}.")


UNMETERED = MeteringOptions()
