"""Look at servers with the preflight, and say which row each reddens."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chaos.aml.defects import DEFECTS, PATIENCE_S
from chaos.aml.frozen import FROZEN
from chaos.aml.servers import KEY, SmallServer, serving
from chaos.aml.unseen import unseen
from memgauge.systems.aml.client import AmlAddress, AmlClient
from memgauge.systems.aml.contract import CYCLES
from memgauge.systems.aml.face import AmlFace
from memgauge.systems.aml.preflight.bench import PreflightBench
from memgauge.systems.aml.preflight.running import preflight
from memgauge.systems.catalogue import open_here

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.aml.preflight.report import PreflightReport

FEW: Final = (16, 32)
"""Adds and Searches at once, for a machine that does other things too."""


def look(
    url: str, restart: Callable[[], None], *, timeout_s: float = PATIENCE_S, at_once: tuple[int, int] = FEW
) -> PreflightReport:
    """Look at a server whose key is known."""
    client = AmlClient(AmlAddress(url, key=KEY), timeout_s)
    bench = PreflightBench(client, CYCLES[2], "preflight:0c4a05", *at_once, restart)
    try:
        return preflight(bench)
    finally:
        client.close()


def reddened(server: SmallServer) -> tuple[str, ...]:
    """Return the rows that fail of a small server."""
    with serving(server) as url:
        return tuple(row.key for row in look(url, server.restart).failed)


def preflight_figures() -> Mapping[str, float]:
    """Look at our own face, at a sound small server, at every frozen defect, and at those that came after."""
    rows = {name: reddened(DEFECTS[name]()) for name in FROZEN}
    later = {name: (row, reddened(make())) for name, (row, make) in unseen().items()}
    return {
        "own_face_green": float(own_face().green),
        "sound_server_red_rows": float(len(reddened(SmallServer()))),
        "defects": float(len(rows)),
        "defects_in_the_right_row": float(sum(rows[name] == (row,) for name, row in FROZEN.items())),
        "later_defects": float(len(later)),
        "later_defects_in_the_right_row": float(sum(red == (row,) for row, red in later.values())),
    }


def own_face(timeout_s: float = 60.0, at_once: tuple[int, int] = FEW) -> PreflightReport:
    """Look at our face before BM25, which is stopped and started again from its journal."""
    with tempfile.TemporaryDirectory(prefix="memgauge-aml-") as folder:
        running = RunningFace(Path(folder) / "journal.db")
        try:
            return look(running.url, running.restart, timeout_s=timeout_s, at_once=at_once)
        finally:
            running.stop()


class RunningFace:
    """Our face before BM25 on one port, which can be started again."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._face = self._start(0)
        self.url = self._face.url

    def _start(self, port: int) -> AmlFace:
        face = AmlFace(open_here("bm25"), key=KEY, port=port, journal=self._journal)
        threading.Thread(target=face.serve_forever, args=(0.05,), daemon=True).start()
        return face

    def stop(self) -> None:
        """Close the port, and forget what is not in the journal."""
        self._face.shutdown()
        self._face.server_close()

    def restart(self) -> None:
        """Stop, and listen on the same port."""
        port = int(self._face.server_address[1])
        self.stop()
        self._face = self._start(port)
