"""A system as it presents itself, as data."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memgauge.errors import ContractBreach, UserError
from memgauge.runs.play.call import Caller, let_go
from memgauge.systems.catalogue import open_system
from memgauge.systems.loading import source_hash
from memgauge.systems.plain import plain_capabilities
from memgauge.systems.protocol import supported
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from memgauge.runs.play.player.assignment import Chosen


def describe(system: Chosen) -> dict[str, Any]:
    """Open a system once, under guard, and describe it.

    Raises:
        UserError: It is unknown or cannot be opened.
        SystemFault: It raised, or did not return in time.
    """
    caller = Caller()

    def present() -> dict[str, Any] | UserError | ContractBreach:
        try:
            opened = open_system(system.ref, seed=system.seed)
        except UserError as error:
            return error  # a sentence already, not a fault of the system
        try:
            promises = plain_capabilities(opened.capabilities())
            if isinstance(promises, ContractBreach):
                return promises
            return {
                "ref": system.ref,
                "label": opened.name if system.ref.endswith(".toml") else system.ref,
                "name": opened.name,
                "version": opened.version,
                "capabilities": json_of(json.dumps(asdict(promises))),
                "supports": supported(opened),
                "source": source_hash(system.ref, opened),
            }
        finally:
            let_go(opened)

    try:
        described = caller.call(f"opening {system.ref}", present, system.timeout_s).value
    finally:
        caller.close()
    if isinstance(described, UserError | ContractBreach):
        raise described
    return described
