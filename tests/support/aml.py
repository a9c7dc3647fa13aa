"""The leaderboard's contract in tests: our face before a memory, and somebody who asks it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from memgauge.systems.aml.client import AmlAddress, AmlClient
from memgauge.systems.aml.face import AmlFace
from memgauge.systems.catalogue import open_here

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.systems.protocol import MemorySystem

CLIENTS: list[AmlClient] = []
"""Those that tests have made."""
KEY = "sesame-of-sixteen"
RECORDED: dict[str, Any] = {
    "add": {
        "request_id": "eval:run_x:locomo_refined:conv-0:chunk-0",
        "messages": [{"role": "user", "timestamp": 1704067200000, "content": "My locker is 12."}],
        "user_id": "eval:run_x:locomo:conv-0",
        "session_id": "eval:run_x:sample:0",
    },
    "added": {
        "success": True,
        "request_id": "eval:run_x:locomo_refined:conv-0:chunk-0",
        "user_id": "eval:run_x:locomo:conv-0",
        "session_id": "eval:run_x:sample:0",
    },
    "search": {"query": "Which locker?", "user_id": "eval:run_x:locomo:conv-0", "top_k": 100},
    "found": {
        "data": [{"id": "m1", "content": "My locker is 12.", "score": 0.9, "created_at": "2024-01-01T00:00:00Z"}]
    },
}
"""Requests and answers in the shapes that entrants wrote down (five or more of them agree)."""


@contextmanager
def face(
    system: MemorySystem | None = None, *, journal: Path | None = None, most: int = 400, at_once: bool = False
) -> Iterator[AmlFace]:
    """Serve a memory on a free port."""
    memory = system or open_here("bm25:as_heard=false")
    served = AmlFace(memory, key=KEY, journal=journal, most=most, at_once=at_once)
    thread = threading.Thread(target=served.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.shutdown()
        served.server_close()
        thread.join()


def client_of(url: str, *, auth: str = "bearer", timeout_s: float = 10, key: str = KEY) -> AmlClient:
    """Ask a server; whoever made it hangs up."""
    CLIENTS.append(AmlClient(AmlAddress(url, auth=auth, key=key), timeout_s))
    return CLIENTS[-1]
