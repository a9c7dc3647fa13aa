"""The Postgres that Hindsight brings (pg0): it unpacks programs and makes a first cluster.

From then on the programs are called without it: it knows no socket, and a cluster that was made once is copied
faster than it is made.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from memgauge.errors import CallFailed
from memgauge.systems.adapters.postgres import PASSWORD, as_somebody

if TYPE_CHECKING:
    from pathlib import Path


def unpacked(pg0: Path, folder: Path) -> tuple[Path, Path]:
    """Let pg0 unpack Postgres into *folder* and make an empty cluster; return its programs and the cluster.

    pg0 starts what it makes, by itself on the port that everybody takes: of two at the same time one would end.

    Raises:
        CallFailed: pg0 fails, and says why.
    """
    data = folder / "data"
    own = {**os.environ, "HOME": str(folder)}
    alone = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}"]
    for arguments in (["start", "--data-dir", str(data), "--password", PASSWORD, *alone], ["stop"]):
        command = as_somebody([str(pg0), arguments[0], "--name", "memgauge", *arguments[1:]])
        ended = subprocess.run(  # noqa: S603 - the program of an installed package
            command, env=own, capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise CallFailed(f"pg0 {arguments[0]} failed: {(ended.stderr or ended.stdout).strip()[-300:]}")
    (programs,) = (folder / ".pg0" / "installation").iterdir()
    return programs, data
