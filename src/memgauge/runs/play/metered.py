"""Metering proxies in front of the models that what is played asks, for as long as a command runs."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from memgauge.errors import ConfigError
from memgauge.llm.metering.cap import MoneyCap
from memgauge.llm.metering.log import CallLog
from memgauge.llm.metering.proxy import MeteringProxy
from memgauge.runs.play.engine import unit_of
from memgauge.runs.play.player.keys import text_of
from memgauge.systems.adapters.endpoints import OWN, UNUSED
from memgauge.systems.models.counting_relay import free_models
from memgauge.systems.models.routing import ROUTED, spelled
from memgauge.systems.models.spelling import addresses_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.runs.play.executors.base import Task

FOLDER: Final = "metered"
"""Beside the runs of a command: what it asked models."""
_ADDRESS: Final = "OPENAI_BASE_URL"


@dataclass(frozen=True)
class MeteredModels:
    """The proxies of a command."""

    log: CallLog
    proxies: tuple[MeteringProxy, ...]
    cap: MoneyCap | None = None

    def uncounted(self, task: Task) -> str:
        """Say why an attempt does not count: a model that it asked was kept from it, whatever it made of that."""
        own = task.manifest.system.label, unit_of(task.conversation, task.attempt)
        marks = [mark for proxy in self.proxies for mark in proxy.capped]
        cut = any((mark.product, mark.unit) == own or not mark.unit for mark in marks)
        return self.cap.why if cut and self.cap else ""


@contextmanager
def metered_models(refs: Sequence[str], folder: Path, *, max_usd: float | None = None) -> Iterator[MeteredModels]:
    """Stand in front of every address that systems by these references may ask, until the command has ended.

    These are the addresses that references name, and ``OPENAI_BASE_URL``, or OpenAI's own where there is a key. So
    a product that may not leave this machine reaches models, and nothing else, through a proxy on it.

    Raises:
        ConfigError: There is no such address, or *folder* cannot be written.
    """
    default = _default()
    named = [url for ref in refs for url in addresses_named(text_of(ref))]
    upstreams = tuple(dict.fromkeys(filter(None, (default, *named))))
    if not upstreams:
        raise ConfigError(
            "There is no address of a model to meter.",
            "Set OPENAI_BASE_URL to an OpenAI-compatible address, or OPENAI_API_KEY.",
        )
    cap = None if max_usd is None else MoneyCap(max_usd)
    with ExitStack() as stack:
        log = stack.enter_context(CallLog(folder))
        proxies = {
            url: stack.enter_context(MeteringProxy(url, log, cap=cap, free=partial(free_models, url)))
            for url in upstreams
        }
        addresses = {url: proxy.url for url, proxy in proxies.items()}
        stack.enter_context(_set({ROUTED: spelled(addresses)}))
        if default:
            stack.enter_context(_set({_ADDRESS: addresses[default]}))
        yield MeteredModels(log, tuple(proxies.values()), cap)


def _default() -> str:
    """Return where models are asked where no reference says it; empty where nobody could be."""
    url, key = os.environ.get(_ADDRESS, "").rstrip("/"), os.environ.get("OPENAI_API_KEY", "")
    return url or (OWN if key not in {"", UNUSED} else "")


@contextmanager
def _set(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
