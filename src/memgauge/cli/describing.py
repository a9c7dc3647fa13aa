"""`memgauge systems new mcp …`: a description of a server, guessed from its own list of tools."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, SystemFault
from memgauge.frame.console import program
from memgauge.frame.output import Printing, present, told
from memgauge.text.shell import typed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.systems.mcp.session import McpClient


def describe_server(server: Sequence[str], into: Path, key: str, shown: Printing) -> int:
    """Ask a server for its tools, and write the description that is guessed from them."""
    from memgauge.systems.mcp.guessing import description, guess

    words = shlex.split(server[0]) if len(server) == 1 else list(server)
    if not words:
        raise ConfigError(
            "No MCP server is named.", 'Name its address or its command: systems new mcp "notes-server --quiet".'
        )
    is_address = words[0].startswith(("http://", "https://"))
    start: dict[str, object] = {"url": words[0]} if is_address else {"command": _placed(words, into)}
    start |= {"key": key} if key else {}
    with tempfile.TemporaryDirectory() as folder:
        try:
            with closing(_client(words, Path(folder), key)) as client:
                called, offers = client.name, client.offers
        except SystemFault as fault:
            raise ConfigError(
                f"The MCP server does not answer: {fault}.", "See that it starts by itself."
            ) from fault
    name = re.sub(r"[^a-z0-9]+", "-", (called or Path(words[0]).stem).lower()).strip("-") or "server"
    guessed = guess(offers)
    path = into / f"{name}.toml"
    if path.exists():
        raise ConfigError(f"{path} is there already, and was not touched.", "Name a folder: --into FOLDER.")
    text = description(name, guessed, start)
    try:
        into.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("THIS_FILE", path.name), "utf-8")
    except OSError as error:
        raise ConfigError(f"Cannot write {path}: {error.strerror}.", "Name a folder: --into FOLDER.") from error
    tools = {operation: offer.name for operation, offer in guessed.tools.items()}
    ref = f"mcp:{path if path.is_absolute() else f'./{path}'}"
    word = typed(ref)
    steps = [f"{program()} systems check {word} --dry-run", f"{program()} try {word}"]
    data = {"file": str(path), "tools": tools, "offers": [offer.name for offer in offers], "steps": steps}
    lines = [f"  {operation:<7} {tool}" for operation, tool in tools.items()]
    guesses = "Guessed, so look at the lines that say so, then:"
    return present(told(data, str(path), *lines, guesses, *(f"  {step}" for step in steps)), shown)


def _placed(words: Sequence[str], into: Path) -> list[str]:
    """Name files by the folder of the description: a server runs elsewhere."""
    here = into.resolve()
    paths = [word if not Path(word).is_file() else Path(word).resolve() for word in words]
    return [
        f"{{here}}/{path.relative_to(here)}" if isinstance(path, Path) and path.is_relative_to(here) else str(path)
        for path in paths
    ]


def _client(words: Sequence[str], folder: Path, key: str) -> McpClient:
    from memgauge.systems.mcp.client import StdioClient
    from memgauge.systems.mcp.hosting import find_program
    from memgauge.systems.mcp.http import HttpClient
    from memgauge.systems.wire.remote import key_in

    if words[0].startswith(("http://", "https://")):
        return HttpClient(words[0], key_in(key, words[0]) if key else "", timeout_s=30)
    env = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder)}
    command = [str(Path(word).resolve()) if Path(word).is_file() else word for word in words]
    return StdioClient([find_program(command[0]), *command[1:]], env, folder, timeout_s=30)
