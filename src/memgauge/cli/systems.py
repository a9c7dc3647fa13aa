"""`memgauge systems`: memory systems, what they promise, and the environments of products."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from cyclopts import App, Parameter

from memgauge.cli import aging, leaderboard, systems_matrix
from memgauge.cli.installing import made_real, stood_in
from memgauge.errors import ConfigError
from memgauge.frame.console import emit, say
from memgauge.frame.exits import FAILED, OK
from memgauge.frame.numbers import DURATION, PORT
from memgauge.frame.options import Flag, SystemRef
from memgauge.frame.output import PLAIN, SHOWN, Format, Output, Printing, present, told
from memgauge.show import CountedCheck
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.show import Document
    from memgauge.systems.catalogue import SystemListing

SERVE_TOKEN = "MEMGAUGE_SERVE_TOKEN"  # noqa: S105 - a variable's name
"""The variable that may hold the token of a served system, for who serves it and for who asks it."""
app = App("systems", help="Memory systems: list, install, check, compare, serve, remove, start one.")
for _command in (systems_matrix.card, systems_matrix.matrix, leaderboard.preflight, aging.aged, aging.as_of):
    app.command(_command)


@app.command(name="list")
def list_(*, output: Output = SHOWN) -> int:
    """List every memory system, and whether it can be used here.

    Example: memgauge systems list
    """
    from memgauge.systems.catalogue import SYSTEMS, describe_system

    return present(document([describe_system(name) for name in SYSTEMS.names()]), output, name="systems")


def document(cards: Sequence[SystemListing]) -> Document:
    """List systems: the role of each, what it does, and whether it is here."""
    from memgauge.results import ReadyData
    from memgauge.show import Column, Document, Kind, Table

    columns = (*Column.each(Kind.TEXT, "system", "role"), *Column.each(Kind.PROSE, "what it does", "here"))
    rows = [(card.ref, _role(card), card.summary, card.unavailable or "yes") for card in cards]
    return Document(
        title="Memory systems",
        blocks=(Table.of("systems", "", columns, rows),),
        next="Your own: --system module:factory, a TOML file with `system` and `[parameters]`,\n"
        "wire:command=… in any language, or http://…; see docs/adapters.md.",
        data=ReadyData([asdict(card) for card in cards]),
    )


def _role(card: SystemListing) -> str:
    if card.capabilities:
        return str(card.capabilities.role)
    return "product" if _is_product(card.ref) else ""


def _is_product(ref: str) -> bool:
    from memgauge.systems.environments.products import product_of

    return product_of(ref) is not None


@app.command
def install(*products: str, python: str = "", again: bool = False, shown: Printing = PLAIN) -> int:
    """Install products, each into an environment of its own, pinned to the last hash.

    Environments lie under MEMGAUGE_HOME, else ~/.local/share/memgauge. One that cannot be completed is removed.

    Example: memgauge systems install mem0

    Parameters
    ----------
    products
        Names of `memgauge systems list`, or a product's TOML file.
    python
        The Python to use, by its path; else one of this machine that fits.
    again
        Make it anew although it is there.
    """
    from memgauge.cli.packages import install_package, report_of
    from memgauge.systems.environments.products import product, product_names

    if not products:
        raise ConfigError("Nothing to install.", f"There are: {', '.join(product_names())}.")
    wanted = [product(name) for name in products]
    made = []
    for each, named in zip(wanted, products, strict=True):
        made.append(install_package(each, python=python, again=again, shown=shown))
        for part in stood_in(each):
            report_of(shown, each.name, f"note: {part}. A row on stand-ins is marked and never ranked.")
        shown.tell(f"Next: memgauge systems check {typed(named)}")
        if real := made_real(each):
            shown.tell(real)
    return present(told([asdict(each) for each in made]), shown)


@app.command
def remove(*products: str, shown: Printing = PLAIN) -> int:
    """Remove the environments of products.

    Example: memgauge systems remove mem0

    Parameters
    ----------
    products
        Names of `memgauge systems list`.
    """
    from memgauge.cli.packages import remove_packages
    from memgauge.systems.environments.products import product

    return remove_packages(map(product, products), shown)


PATIENCE: Final = 120.0
"""Seconds in which a probe ends that does not hang: what a shorter limit finds is not remembered for runs."""


@app.command
def check(
    *systems: str,
    timeout: Annotated[float, Parameter(help="Seconds that one probe may take."), DURATION] = PATIENCE,
    dry_run: Annotated[bool, Flag] = False,
    shown: Printing = PLAIN,
) -> int:
    """Check that systems keep the promises of the memory protocol, before anything is measured with them.

    Each check is printed as it ends, from a process of its own.
    What a system does not claim is unsupported; what it claims and does not do is a failure. An adapter in another
    language is checked in the same way: `memgauge systems check "wire:command=node adapter.js"`.

    Example: memgauge systems check mymemory:MyMemory

    Parameters
    ----------
    systems
        Memory systems: names with parameters, `module:factory`, TOML files, `wire:command=…`, `mcp:…`, `http://…`.
    dry_run
        Check nothing: call each method once, and show what went in and what came back, of MCP tool by tool.
    """
    if dry_run:
        return _rehearse(systems, shown)
    from memgauge.cli.checking import checked, cost, counted, heading, made
    from memgauge.runs.play.conforming import remember
    from memgauge.runs.play.plan import present as presented
    from memgauge.systems.conformance.check import HUNG, SLOW

    data, lines, counts = list[dict[str, Any]](), list[str](), list[CountedCheck]()
    for ref in systems:
        part = presented(ref)
        shown.tell(f"{ref}: checking what it promises")
        examined = checked(part, tell=shown.tell, probe_s=timeout)
        if timeout >= PATIENCE or not any(check.detail.startswith((HUNG, SLOW)) for check in examined.broken):
            remember(part, examined)  # what only a hurried check found late says nothing of the memory
        checks = [asdict(check) for check in examined.checks]
        data.append({"system": ref, "passed": not examined.broken, "checks": checks, "used": examined.used})
        ending = (*cost(examined), heading(ref, examined))
        for each in ending:
            shown.tell(each)
        lines += [f"{ref}: what it promises", *made(examined), *ending]
        counts += counted(ref, examined.checks)
    already = shown.form is Format.TEXT  # as each check ended
    document = told(data, *(() if already else lines), checks=counts)
    return present(document, shown, name="check", code=OK if all(each["passed"] for each in data) else FAILED)


def _rehearse(systems: Sequence[str], shown: Printing) -> int:
    from memgauge.cli.rehearsal import rehearsed
    from memgauge.systems.catalogue import open_or_tell, open_system
    from memgauge.systems.protocol import Closing, implements

    code = OK
    for ref in systems:
        system = open_or_tell(ref, partial(open_system, ref))
        try:
            document, is_good = rehearsed(ref, system)
        finally:
            if implements(system, Closing):
                system.close()
        code = max(code, present(document, shown, code=OK if is_good else FAILED))
    return code


@app.command
def serve(
    system: SystemRef = "",
    *,
    port: Annotated[int, PORT] = 0,
    host: str = "127.0.0.1",
    token_file: Path | None = None,
    at_once: bool = False,
    openapi: bool = False,
    face: Literal["wire", "aml"] = "wire",
    journal: Path | None = None,
) -> int:
    """Serve a memory system by HTTP, until it is interrupted; `--system http://HOST:PORT,key=NAME` uses it.

    Every request has to show a token; where none is named, one is made and printed. With `--face aml` it answers
    as the Agent Memory Leaderboard asks; `memgauge systems preflight` looks whether it does.

    Example: memgauge systems serve bm25 --port 8000

    Parameters
    ----------
    system
        A memory system; --openapi needs none.
    port
        0 takes a free one, which is printed.
    host
        The address to listen on.
    token_file
        A file with a token of 16 characters or more; or set MEMGAUGE_SERVE_TOKEN.
    at_once
        Let requests reach the memory as they come, not one after the other; for `study golden races`.
    openapi
        Print the document of the interface, and serve nothing.
    face
        `wire`, which is ours, or `aml`, the contract of the Agent Memory Leaderboard.
    journal
        With `--face aml`: a file that keeps what was added, so that a restart loses nothing.
    """
    from memgauge.frame.tokens import chosen_token
    from memgauge.systems.wire.openapi import document

    if openapi:
        emit(document())
        return OK
    if not system:
        raise ConfigError("No memory system is named.", "Name one: memgauge systems serve bm25.")
    named = chosen_token(token_file, SERVE_TOKEN)
    if face == "aml":
        return leaderboard.serve_leaderboard(
            system, token=named, host=host, port=port, at_once=at_once, journal=journal
        )
    if journal is not None:
        raise ConfigError("A journal is kept by the leaderboard's face alone.", "Add --face aml, or leave it out.")
    return _serve_wire(system, token=named, host=host, port=port, at_once=at_once)


def _serve_wire(system: str, *, token: str, host: str, port: int, at_once: bool) -> int:
    """Serve a system by our own interface until it is interrupted."""
    from memgauge.frame.tokens import new_token
    from memgauge.systems.catalogue import open_or_tell, open_system
    from memgauge.systems.conformance.measure import MeasuredSystems
    from memgauge.systems.wire.face import Face

    MeasuredSystems(partial(open_or_tell, system, partial(open_system, system))).use(lambda _: None)
    shown = token or new_token()
    served = Face(lambda seed: open_system(system, seed=seed), token=shown, host=host, port=port, at_once=at_once)
    say(f"{system} at {served.url}, its document at {served.url}/openapi.json")
    if not token:
        say(f"Its token: export {SERVE_TOKEN}={shown}")
    say(f"Use it: --system {served.url},key={SERVE_TOKEN}")
    try:
        served.serve_forever()
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        served.server_close()
    return OK


@app.command
def new(name: str, *server: str, into: Path = Path(), key: str = "", shown: Printing = PLAIN) -> int:
    """Write a memory system of thirty lines, its test, and its check; or the description of an MCP server.

    `new mcp URL` and `new mcp "COMMAND"` ask the server for its tools, and guess which adds, searches and lists.

    Example: memgauge systems new my_memory

    Parameters
    ----------
    name
        Of the module and of the folder: small letters, digits and underscores; or `mcp`.
    server
        With `mcp`: the address of a server that runs, or the command that starts it.
    into
        Folder that the new folder, or the description, is made in.
    key
        With an address: the variable that holds its key.
    """
    from memgauge.frame.new import write_new

    if name == "mcp":
        from memgauge.cli.describing import describe_server

        return describe_server(server, into, key, shown)
    if server or key:
        raise ConfigError(f"A new {name} takes no server.", f"Write: systems new mcp {' '.join(server)}")
    return write_new("system", name, into, shown)
