"""`memgauge systems preflight` and `systems serve --face aml`: the Agent Memory Leaderboard's contract."""

from __future__ import annotations

import secrets
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal

from cyclopts import Parameter

from memgauge.errors import ConfigError
from memgauge.frame.console import say, working
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import COUNT, DURATION
from memgauge.frame.output import SHOWN, Output, present


@Parameter(name="*")
@dataclass(frozen=True)
class EntryOptions:
    """Where a server of the contract answers, and how it is shown its key."""

    key: str = ""
    """The name of the variable that holds its key."""
    add: str = "/v1/add"
    """Path of Add, after the address."""
    search: str = "/v1/search"
    """Path of Search, after the address."""
    health: str = "/health"
    """Path on the address's origin that asks for no key."""
    auth: Literal["token", "bearer", "x-api-key"] = "bearer"
    """How the key is shown: `Authorization: Token`, `Authorization: Bearer`, or `X-Api-Key`."""


AS_THE_PLATFORM: Final = EntryOptions()


def preflight(
    url: str,
    *,
    entry: EntryOptions = AS_THE_PLATFORM,
    cycle: Annotated[int, COUNT] = 2,
    timeout: Annotated[float, Parameter(help="Seconds that one call may take here."), DURATION] = 60,
    adds: Annotated[int, COUNT] = 64,
    searches: Annotated[int, COUNT] = 256,
    restart: str = "",
    output: Output = SHOWN,
) -> int:
    """Look at a server of the Agent Memory Leaderboard's contract, before the platform does.

    Each rule gets a verdict, with what the platform does where it is broken, and a remedy. What is added stays on
    the server: the contract has no Delete. A broken rule is exit code 1.

    Example: memgauge systems preflight http://127.0.0.1:8000 --key MEMGAUGE_SERVE_TOKEN

    Parameters
    ----------
    url
        The server's address, without a key.
    cycle
        Whose rules: 1 (August 2026) or 2 (from September).
    adds
        How many Adds are sent at once; the platform sends 64 at most.
    searches
        How many Searches are sent at once; the platform sends 256 at most.
    restart
        A command that restarts the server, and ends; then durability is tried.
    """
    from memgauge.systems.aml.client import AmlClient, address_of
    from memgauge.systems.aml.contract import ADDS, SEARCHES, cycle_of
    from memgauge.systems.aml.preflight.bench import PreflightBench
    from memgauge.systems.aml.preflight.running import preflight as looked_at
    from memgauge.systems.aml.preflight.running import restarting
    from memgauge.systems.aml.preflight.show import preflight_document

    if not (1 <= adds <= ADDS and 0 <= searches <= SEARCHES):
        raise ConfigError(
            f"{adds} Adds and {searches} Searches at once.", f"Take 1 to {ADDS}, and 0 to {SEARCHES}."
        )
    output.folder(Path())
    rules = cycle_of(cycle)
    address = address_of(url.removeprefix("aml:"), **asdict(entry))
    with closing(AmlClient(address, timeout)) as client, working("preflight") as now:
        bench = PreflightBench(
            client,
            rules,
            f"preflight:{secrets.token_hex(4)}",
            adds,
            searches,
            restarting(restart) if restart else None,
        )
        report = looked_at(bench, lambda row: now(f"looked at: {row.title}"))
    return present(preflight_document(report), output, name="preflight", code=OK if report.green else FAILED)


def serve_leaderboard(
    system: str, *, token: str, host: str, port: int, at_once: bool, journal: Path | None
) -> int:
    """Serve a system by the leaderboard's contract until it is interrupted."""
    from memgauge.cli.systems import SERVE_TOKEN
    from memgauge.frame.tokens import new_token
    from memgauge.systems.aml.face import AmlFace
    from memgauge.systems.catalogue import open_or_tell, open_system

    opened = open_or_tell(system, partial(open_system, system))
    key = token or new_token()
    face = AmlFace(opened, key=key, host=host, port=port, at_once=at_once, journal=journal)
    say(f"{system} at {face.url}: POST /v1/add and /v1/search, GET /health")
    if not token:
        say(f"Its key: export {SERVE_TOKEN}={key}")
    if journal is None:
        say("A restart forgets which Adds were answered; --journal FILE keeps them.")
    say(f"Look at it: memgauge systems preflight {face.url} --key {SERVE_TOKEN}")
    try:
        face.serve_forever()
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        face.server_close()
    return OK
