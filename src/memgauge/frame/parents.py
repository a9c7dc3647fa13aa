"""Processes that work for another one, and end with it."""

from __future__ import annotations

import os


def end_with_parent() -> None:
    """End this process as soon as the one that started it is gone, however that ended."""
    from multiprocessing import connection, parent_process
    from threading import Thread

    parent = parent_process()
    assert parent is not None  # noqa: S101 - only processes that were started call this

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()
