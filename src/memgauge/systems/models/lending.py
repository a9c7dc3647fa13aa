"""One server a model, shared by the processes of one command: whoever starts first names it to those after it."""

from __future__ import annotations

import json
import os
from threading import Lock
from typing import TYPE_CHECKING, Final

from memgauge.systems.adapters.listing import listed
from memgauge.systems.models.catalogue import local_model
from memgauge.systems.models.routing import LENT
from memgauge.systems.models.starting import started
from memgauge.text.jsons import object_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_lending: Final = Lock()


def served_at(name: str) -> str:
    """Return where a model is served: by a process above this one, else by one that this process starts.

    Raises:
        UserError: It is not installed, or cannot be served.
    """
    url = _lent().get(name, "")
    if url and any(entry.get("id") == local_model(name).name for entry in listed(url)):
        return url
    return started(name).url


def lend(names: Iterable[str]) -> None:
    """Start models here, for this process and those that it starts.

    Raises:
        UserError: One is not installed, or cannot be served.
    """
    with _lending:
        for name in names:
            os.environ[LENT] = json.dumps(_lent() | {name: served_at(name)})


def _lent() -> dict[str, str]:
    return {name: str(url) for name, url in (object_of(os.environ.get(LENT, "{}")) or {}).items()}
