"""What a file says about one MCP server: how it is started, which tools do what, and where rows stand in results.

```toml
name = "notes"                       # perhaps package, interventions, score_kind, settles, durable, timeout_s
command = ["notes-server", "--quiet"]  # or, of a server that runs: url = "https://host/mcp", key = "VARIABLE"
[env]                                # nothing else is in its environment but PATH and a HOME of its own
NOTES_FILE = "{dir}/notes.jsonl"     # {dir}: the folder of one scope; {here}: that of this file
[ops.add]                            # add, search and list are needed; update and delete are not
tool = "write_note"
arguments = { title = "{id}", body = "{text}" }      # {id} {text} {query} {k} {page} {old} {speaker} {at} {scope}
[ops.search]
tool = "find"
arguments = { query = "{query}", limit = "{k}" }     # a text that is one place alone becomes the value itself
result = "result.rows"                               # the path of the list of rows
words = false                                        # true: ask for each word, and rank by the number found
[ops.list]
tool = "all_notes"
result = "result.rows"
[row]
id = "title"
text = "body"
score = "rank"                                       # may be absent
```

An operation of several steps is an array of tables, ``[[ops.update]]``; the result of the last one counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError
from memgauge.records import ScoreKind
from memgauge.registry import unknown_name
from memgauge.systems.environments.checking import NAME
from memgauge.systems.environments.products import PRODUCTS, toml_file
from memgauge.systems.mcp.templates import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DESCRIPTION = "server.toml"
OPERATIONS: Mapping[str, frozenset[str]] = {
    "add": frozenset({"id", "text", "speaker", "at", "scope"}),
    "search": frozenset({"query", "k", "scope"}),
    "list": frozenset({"page", "scope"}),
    "update": frozenset({"id", "text", "old", "scope"}),
    "delete": frozenset({"id", "scope"}),
}
"""Which places an operation can fill."""
NEEDED = ("add", "search", "list")
_OPERATION = re.compile(r"\s*\[{1,2}\s*ops\.(\w+)\s*\]")
LONGEST_S = 86_400
"""Seconds that a call may be given."""


@dataclass(frozen=True)
class ToolStep:
    """One call of a tool."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    result: str = ""
    """The path of the list of rows in the result."""
    words: bool = False
    """Whether a search asks for each word of the query by itself."""


@dataclass(frozen=True)
class Description:
    """One MCP server."""

    name: str
    ops: Mapping[str, tuple[ToolStep, ...]]
    row: Mapping[str, str]
    """Paths of ``id``, ``text`` and perhaps ``score`` in a row."""
    command: tuple[str, ...] = ()
    """How a server is started, one for each scope; empty where it is at an address."""
    url: str = ""
    """Where one server is that runs already."""
    key: str = ""
    """The variable of the environment that holds its key, sent as a bearer token."""
    package: str = ""
    """The Python or npm package whose version is that of the system; without one the server says what it is."""
    env: Mapping[str, str] = field(default_factory=dict)
    interventions: tuple[str, ...] = ()
    score_kind: ScoreKind = ScoreKind.NONE
    settles: bool = False
    """Whether a write may become visible later, so that ``flush`` lists until it is."""
    durable: bool | None = None
    """Whether what is stored outlives a server; where nothing is said, it does if the server is told a place."""
    timeout_s: float = 60
    file: str = ""
    folder: str = ""
    """Where the file lies."""
    lines: Mapping[str, int] = field(default_factory=dict)
    """At which line of the file each operation begins."""

    def place(self, operation: str) -> str:
        """Say where an operation is described."""
        line = f", line {self.lines[operation]}" if operation in self.lines else ""
        return f"{self.file}{line}: ops.{operation}"

    @property
    def programs(self) -> tuple[Path, ...]:
        """Name the files that its command hands to an interpreter: other code of a server is another memory."""
        named = (Path(self.folder, part.replace("{here}", self.folder)) for part in self.command[1:])
        return tuple(path for path in named if path.is_file())

    @property
    def names_ids(self) -> bool:
        """Whether a memory is written under the id of its turn; else it has an id of the server's."""
        return any("id" in places(step.arguments) for step in self.ops["add"])

    @property
    def outlives(self) -> bool:
        """Whether a server that is started again has what the one before it stored.

        A server that is told no ``{dir}`` has been given no place to keep anything, and many keep all in memory.
        """
        named = places([*self.command, *self.env.values()])
        return "dir" in named if self.durable is None else self.durable

    @property
    def is_mutable(self) -> bool:
        """Whether single memories can be changed and removed."""
        return {"update", "delete"} <= self.ops.keys()


def shipped() -> tuple[str, ...]:
    """Name the servers that are described here."""
    return tuple(sorted(file.parent.name.replace("_", "-") for file in PRODUCTS.glob(f"*/{DESCRIPTION}")))


def description_file(which: str) -> Path | None:
    """Return the path that *which* is, ``None`` where it is the name of a server that is shipped.

    The ending may be left out: ``./notes`` is ``notes.toml``.
    """
    if which.endswith(".toml"):
        return Path(which)
    return Path(f"{which}.toml") if "/" in which else None


def read_description(which: str) -> Description:
    """Read the description of a server that is shipped, or the TOML file *which*, whose ending may be left out.

    Raises:
        UnknownNameError: No such server, or a key that does not exist.
        ConfigError: The file is absent or broken, or lacks something.
    """
    path = description_file(which)
    if path is None and which not in shipped():
        raise unknown_name("MCP server", which, shipped())
    path = path or PRODUCTS / which.replace("-", "_") / DESCRIPTION
    about = _description(path.name, toml_file(path))
    return replace(about, file=path.name, folder=str(path.parent.resolve()), lines=_lines(path.read_text("utf-8")))


def _lines(text: str) -> dict[str, int]:
    """Find the line at which each operation begins."""
    heads = [(number, _OPERATION.match(line)) for number, line in enumerate(text.splitlines(), 1)]
    return {head[1]: number for number, head in reversed(heads) if head}


def _texts(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(map(str, values))


def _by_name(values: Mapping[str, object]) -> dict[str, str]:
    return {key: str(value) for key, value in values.items()}


_KNOWN: Mapping[str, tuple[tuple[type, ...], Callable[[Any], object]]] = {
    "name": ((str,), str),
    "command": ((list,), _texts),
    "url": ((str,), str),
    "key": ((str,), str),
    "package": ((str,), str),
    "ops": ((dict,), dict),
    "row": ((dict,), _by_name),
    "env": ((dict,), _by_name),
    "interventions": ((list,), _texts),
    "score_kind": ((str,), ScoreKind),
    "settles": ((bool,), bool),
    "durable": ((bool,), bool),
    "timeout_s": ((int, float), float),
}
"""What each key may be, and how it is taken."""


def _description(file: str, content: dict[str, Any]) -> Description:
    for key, value in content.items():
        if key not in _KNOWN:
            raise unknown_name(f"key in {file}:", key, _KNOWN)
        if not isinstance(value, _KNOWN[key][0]):
            raise ConfigError(
                f"{file}: {key} is a {type(value).__name__}.", "See memgauge.systems.mcp.description."
            )
    absent = [key for key in ("name", "ops", "row") if not content.get(key)]
    absent += [] if content.get("command") or content.get("url") else ["command or url"]
    absent += [f"ops.{name}" for name in NEEDED if name not in content.get("ops", {})]
    absent += [f"row.{name}" for name in ("id", "text") if name not in content.get("row", {})]
    if absent:
        raise ConfigError(f"{file} lacks {', '.join(absent)}.", "See memgauge.systems.mcp.description.")
    if content.get("score_kind", "none") not in set(ScoreKind):
        raise ConfigError(
            f"{file}: there is no score_kind {content['score_kind']!r}.", f"Take {', '.join(ScoreKind)}."
        )
    _check_values(file, content)
    ops = {name: _steps(file, name, given) for name, given in content["ops"].items()}
    if content.get("url"):
        _check_address(file, content, ops)
    _check_keys(f"{file}: row", content["row"], ("id", "text", "score"))
    taken: dict[str, Any] = {key: _KNOWN[key][1](value) for key, value in content.items()}
    return Description(**taken | {"ops": ops})


def _check_values(file: str, content: Mapping[str, Any]) -> None:
    """Refuse what is no name, a time that never ends, and places that nobody fills in."""
    for key in ("name", "package"):
        if content.get(key) and not NAME.fullmatch(content[key].removeprefix("@").replace("/", "-", 1)):
            raise ConfigError(
                f"{file}: {key}: {content[key][:80]!r} is no name.", "Use letters, digits and hyphens."
            )
    if not 0 < content.get("timeout_s", 60) <= LONGEST_S:
        raise ConfigError(f"{file}: timeout_s is {content['timeout_s']}.", f"Take up to {LONGEST_S} seconds.")
    started = {"dir", "scope", "here"}
    known = {"command": started, "env": started, "url": {"scope"}}
    for key, fillable in known.items():
        for wrong in sorted(set(places(content.get(key, ""))) - fillable):
            raise ConfigError(
                f"{file}: {key} has no {{{wrong}}} to fill in.", f"There is {', '.join(sorted(fillable))}."
            )


def _check_address(file: str, content: Mapping[str, Any], ops: Mapping[str, tuple[ToolStep, ...]]) -> None:
    """Refuse a server at an address whose scopes cannot be told apart: others may keep their memories there."""
    both = [key for key in ("command", "env", "package") if content.get(key)]
    if both:
        raise ConfigError(f"{file} has url and {both[0]}.", "A server at an address is started by somebody else.")
    if content.get("durable"):
        raise ConfigError(
            f"{file} has url and durable.", "A server at an address is not ours to restart: leave durable out."
        )
    blind = [name for name in NEEDED if not any("scope" in places(step.arguments) for step in ops[name])]
    if "{scope}" not in content["url"] and blind:
        raise ConfigError(
            f"{file}: ops.{blind[0]} names no {{scope}}.",
            "One server keeps all scopes: put {scope} into its arguments or into url.",
        )


_STEP: Mapping[str, type] = {"tool": str, "arguments": dict, "result": str, "words": bool}


def _check_keys(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    for key in given:
        if key not in known:
            raise unknown_name(f"key in {where}", key, known)


def _steps(file: str, name: str, given: Any) -> tuple[ToolStep, ...]:
    if name not in OPERATIONS:
        raise unknown_name(f"operation in {file}: ops", name, OPERATIONS)
    tables = given if isinstance(given, list) else [given]
    steps = []
    for table in tables:
        where = f"{file}: ops.{name}"
        if not isinstance(table, dict) or not isinstance(table.get("tool"), str):
            raise ConfigError(f"{where} names no tool.", 'Add a line like tool = "write_note".')
        _check_keys(where, table, _STEP)
        wrong_kind = [key for key, kind in _STEP.items() if not isinstance(table.get(key, kind()), kind)]
        if wrong_kind:
            raise ConfigError(f"{where}: {wrong_kind[0]} does not fit.", "See memgauge.systems.mcp.description.")
        wrong = sorted(set(places(table.get("arguments", {}))) - OPERATIONS[name])
        if wrong:
            raise ConfigError(
                f"{where} has no {{{wrong[0]}}} to fill in.",
                f"There is {', '.join(f'{{{place}}}' for place in sorted(OPERATIONS[name]))}.",
            )
        steps.append(ToolStep(**table))
    return tuple(steps)
