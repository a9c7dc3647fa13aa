"""Figures drawn by another process, while this one works on: what renders them lets nothing else run beside it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from contextlib import nullcontext, suppress
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from memgauge.frame.threads import load_numpy_without_threads, usable_cores
from memgauge.show.figures import Drawing, drawn, hold, svg

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from memgauge.show import Figure

MUCH: Final = 1 << 20
"""Bytes of hits from which on another process is worth its start: two runs of LoCoMo."""
LONGEST_S: Final = 60.0
"""Seconds after which figures are drawn here: the other process was stopped, or has no core."""
_LOADED: Final = ("altair", "memgauge.report.first", "memgauge.report.fronts", "memgauge.scoring.board")
"""What figures are composed with."""
_DREW: Final = b"\0memgauge drew\n"
"""What stands before a reply: what starts with every interpreter of a site may print first."""
_POINT: Final = Drawing({"data": {"values": [{}]}, "mark": "point"}, "")


class DrawingProcess:
    """Another process that draws; what it does not draw is drawn here, by the same code, when it is looked at."""

    def __init__(self) -> None:
        """Start it: until there is something to draw, it loads what draws."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "memgauge.report.aside"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._figures: tuple[Figure, ...] = ()
        self._reply = b""
        self._exchange: Thread | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        if self._exchange is not None:
            self._exchange.join()
        self._process.communicate()

    def begin(self, figures: Iterable[Figure]) -> None:
        """Let it draw *figures*; it takes no others."""
        self._figures = tuple(figures)
        self._exchange = Thread(target=self._converse, args=(pickle.dumps(self._figures),))
        self._exchange.start()

    def _converse(self, request: bytes) -> None:
        self._reply, _ = self._process.communicate(request)

    def finish(self) -> None:
        """Wait until they are drawn, but not for ever, and hold them for whoever draws them next."""
        if self._exchange is None:
            return
        self._exchange.join(LONGEST_S)
        drew = self._reply.partition(_DREW)[2]
        if self._process.returncode == 0 and drew:
            for figure, markup in zip(self._figures, pickle.loads(drew), strict=True):  # noqa: S301 - ours
                hold(figure, markup)


def drawing_beside(folders: Iterable[Path]) -> AbstractContextManager[DrawingProcess | None]:
    """Start another process, unless *folders* are scored before it would be ready, or there is no room for one."""
    tables = (folder / "hits.parquet" for folder in folders)
    size = sum(table.stat().st_size for table in tables if table.is_file())
    if size > MUCH and usable_cores() > 1:
        with suppress(OSError):
            return DrawingProcess()
    return nullcontext()


def _serve() -> None:
    """Draw what standard input holds, once."""
    load_numpy_without_threads()
    for name in _LOADED:
        import_module(name)
    svg(_POINT, uid="", title="")  # drawing a first time takes as long as ten figures
    figures: tuple[Figure, ...] = pickle.load(sys.stdin.buffer)  # noqa: S301 - from the process that started this
    sys.stdout.buffer.write(_DREW + pickle.dumps([drawn(figure) for figure in figures]))


if __name__ == "__main__":
    _serve()
