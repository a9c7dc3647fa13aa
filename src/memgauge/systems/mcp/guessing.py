"""A description of a server guessed from its own list of tools; what is a guess says so."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memgauge.errors import ConfigError
from memgauge.show.safety import OBEYED, plain_line
from memgauge.systems.mcp.offers import DEEPEST, fields_of, resolved
from memgauge.text.halves import encodable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from memgauge.systems.mcp.offers import ToolOffer

_VERBS: Final[Mapping[str, str]] = {
    "delete": "delete remove forget erase drop",
    "update": "update edit modify change replace rename",
    "search": "search find query recall retrieve lookup match ask",
    "list": "list all dump export read browse entries get",
    "add": "add write create store save remember insert put append record memorize note",
}
"""Words of a tool's name that say what it does, the surest operation first."""
_OWNERS: Final = "scope user user_id userid namespace project owner tenant collection bank group agent_id"
_PLACES: Final[Mapping[str, Mapping[str, str]]] = {
    "add": {
        "id": "id key title name uuid slug identifier path",
        "text": "text content body memory value observation observations contents message data note fact",
        "scope": _OWNERS,
        "speaker": "speaker author role",
        "at": "at time timestamp date created_at when",
    },
    "search": {
        "query": "query q search text question term keywords prompt topic",
        "k": "k limit top_k topk n max count size max_results num_results page_size",
        "scope": _OWNERS,
    },
    "list": {
        "page": "page",
        "scope": _OWNERS,
    },
    "delete": {
        "id": "id key title name uuid slug identifier path ids keys names titles memory_id entitynames",
        "scope": _OWNERS,
    },
    "update": {
        "id": "id key title name uuid slug identifier path memory_id entityname",
        "text": "text content body memory value observation observations contents message data note fact",
        "scope": _OWNERS,
    },
}
"""What an argument of this name is filled with, by operation."""
_ORDER: Final = ("add", "search", "list", "update", "delete")
_ROW: Final[Mapping[str, str]] = {
    "id": _PLACES["add"]["id"],
    "text": _PLACES["add"]["text"],
    "score": "score rank similarity relevance distance",
}
UNKNOWN: Final = "memory"
"""What stands in the place of a text that nobody knows."""
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Guess:
    """Which tool does what."""

    tools: Mapping[str, ToolOffer]
    """By operation."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Name the operations that are needed, and for which there is no tool."""
        return tuple(name for name in ("add", "search", "list") if name not in self.tools)


def guess(offers: Sequence[ToolOffer]) -> Guess:
    """Guess by their names which tools add, search, list, update and delete."""
    ranked = sorted(
        (rank, place, operation) for place, offer in enumerate(offers) for operation, rank in _ranks(offer)
    )
    taken: dict[str, ToolOffer] = {}
    for _, place, operation in ranked:
        if operation not in taken and offers[place] not in taken.values():
            taken[operation] = offers[place]
    return Guess({name: taken[name] for name in _ORDER if name in taken})


def _ranks(offer: ToolOffer) -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield what a tool may be for, the likelier the lower: by the place of a word in its name, and its fields."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", offer.name).lower())
    for order, (operation, verbs) in enumerate(_VERBS.items()):
        known = verbs.split()
        hit = next((place for place, word in enumerate(words) if word in known), None)
        if hit is None:
            continue
        template = _template(offer.takes, offer.takes, operation, 0, set())
        filled = set(re.findall(r"\{([a-z]+)\}", json.dumps(template)))
        wanted = {
            "add": {"text"},
            "search": {"query"},
            "list": set[str](),
            "delete": {"id"},
            "update": {"id", "text"},
        }
        yield operation, (len(wanted[operation] - filled), hit, order)


def _template(
    schema: object, whole: Mapping[str, Any], operation: str, depth: int, guesses: set[str], name: str = ""
) -> Any:
    """Make the arguments of a tool; *guesses* collects the fields whose value nobody knows."""
    known = resolved(schema, whole)
    if (fields := fields_of(known)) and depth < DEEPEST:
        needed = set(map(str, known.get("required") or ()))
        return {
            field: _template(value, whole, operation, depth + 1, guesses, field)
            for field, value in fields.items()
            if field in needed or _place(field, operation)
        }
    if known.get("type") == "array" and depth < DEEPEST:
        return [_template(known.get("items", {}), whole, operation, depth + 1, guesses, name)]
    if place := _place(name, operation):
        return f"{{{place}}}"
    if not depth:
        return {}
    guesses.add(name)
    return _any(known)


def _place(name: str, operation: str) -> str:
    places = _PLACES[operation]
    return next((place for place, names in places.items() if name.lower() in names.split()), "")


def _any(schema: Mapping[str, Any]) -> Any:
    """Return a value that a field may have."""
    for key in ("default", "const"):
        if schema.get(key) is not None:
            return schema[key]
    if isinstance(options := schema.get("enum"), list) and options:
        return options[0]
    return {"integer": 1, "number": 1, "boolean": False}.get(str(schema.get("type")), UNKNOWN)


def description(name: str, guessed: Guess, start: Mapping[str, object]) -> str:
    """Write the description; *start* says how the server is reached: its command, or its url and key.

    Raises:
        ConfigError: There is no tool for what is needed.
    """
    if guessed.missing:
        raise ConfigError(
            f"{name} has no tool that could {', '.join(guessed.missing)}, by its names.",
            "Write the description by hand: docs/mcp.md.",
        )
    lines = [
        "# Guessed from the tools that the server lists. Look at each line that says guess, then at the replies:",
        "#   memgauge systems check mcp:./THIS_FILE --dry-run",
        f"name = {_text(name)}",
        *(f"{key} = {_toml(value)}" for key, value in start.items()),
    ]
    if "command" in start:
        lines += ["", "[env]  # nothing else is in its environment but PATH, HOME and TMPDIR", _env()]
    for operation, offer in guessed.tools.items():
        lines += ["", *_operation(operation, offer, "url" in start)]
    return "\n".join([*lines, "", *_row(guessed), ""])


def _env() -> str:
    return (
        '# NOTES_FILE = "{dir}/notes.json"  # if a variable says where it stores: {dir} is the folder of one scope'
        "; what is stored elsewhere is taken to end with the server, unless you write durable = true above"
    )


def _operation(operation: str, offer: ToolOffer, is_shared: bool) -> Iterator[str]:
    guesses: set[str] = set()
    arguments = _template(offer.takes, offer.takes, operation, 0, guesses)
    if operation == "add" and "{text}" not in _texts(arguments):
        arguments, _ = _with_text(arguments)
    yield f"[ops.{operation}]"
    yield f"tool = {_text(offer.name)}  # guess: {offer.about[:80] or 'by its name'}"
    yield f"# it takes {offer.signature}"
    if arguments:
        unsure = f"  # guess: {plain_line(', '.join(sorted(guesses)))}" if guesses else ""
        yield f"arguments = {_toml(arguments)}{unsure}"
    if is_shared and "{scope}" not in json.dumps(arguments):
        yield "# one server keeps all scopes: {scope} has to stand in its arguments, or in url"
    if operation in {"search", "list"}:
        path = _rows_path(offer.gives, offer.gives, 0)
        basis = "as its schema says" if path is not None else "guess: the path of the rows in the reply"
        yield f"result = {_text(path or '')}  # {basis}"


def _texts(template: Any) -> Iterator[str]:
    if isinstance(template, dict | list):
        for below in template.values() if isinstance(template, dict) else template:
            yield from _texts(below)
    elif isinstance(template, str):
        yield template


def _with_text(template: Any) -> tuple[Any, bool]:
    """Put the text in the place of the first value that nobody knows; say whether there was one."""
    if template == UNKNOWN:
        return "{text}", True
    is_there = False
    if isinstance(template, dict | list):
        filled = []
        for below in template.values() if isinstance(template, dict) else template:
            value, here = (below, False) if is_there else _with_text(below)
            is_there |= here
            filled.append(value)
        return (dict(zip(template, filled, strict=True)) if isinstance(template, dict) else filled), is_there
    return template, False


def _rows_path(schema: object, whole: Mapping[str, Any], depth: int) -> str | None:
    """Return the path of the first list of objects in a result; ``None`` where its schema names none."""
    known = resolved(schema, whole)
    if known.get("type") == "array":
        return ""
    for name, value in fields_of(known).items() if depth < DEEPEST else ():
        below = _rows_path(value, whole, depth + 1)
        if below is not None:
            return f"{name}.{below}".rstrip(".")
    return None


def _row(guessed: Guess) -> Iterator[str]:
    """Guess the fields of a row: as its schema has them, else as they are written."""
    gives = guessed.tools["search"].gives
    fields = list(fields_of(_items(gives, gives, 0)))
    written = guessed.tools["add"].takes
    taken = list(_field_names(written, written, 0))
    yield "[row]"
    for part, names in _ROW.items():
        match = next((field for field in fields or taken if field.lower() in names.split()), "")
        if match or part != "score":
            path = match or part
            path += ".0" if not fields and _is_list(written, match) else ""
            yield f"{part} = {_text(path)}  # {'as its schema says' if match in fields else 'guess'}"


def _items(schema: object, whole: Mapping[str, Any], depth: int) -> Mapping[str, Any]:
    known = resolved(schema, whole)
    if known.get("type") == "array":
        return resolved(known.get("items", {}), whole)
    below = (_items(value, whole, depth + 1) for value in fields_of(known).values() if depth < DEEPEST)
    return next((items for items in below if items), {})


def _field_names(schema: object, whole: Mapping[str, Any], depth: int) -> Iterator[str]:
    known = resolved(schema, whole)
    if known.get("type") == "array" and depth < DEEPEST:
        yield from _field_names(known.get("items", {}), whole, depth + 1)
    for name, value in fields_of(known).items() if depth < DEEPEST else ():
        yield name
        yield from _field_names(value, whole, depth + 1)


def _is_list(schema: Mapping[str, Any], name: str, depth: int = 0) -> bool:
    """Whether a field, however deep, is a list of texts."""
    for field, value in fields_of(schema).items():
        known = resolved(value, schema)
        if field == name and known.get("type") == "array":
            return not fields_of(resolved(known.get("items", {}), schema))
        items = resolved(known.get("items", known), schema)
        if depth < DEEPEST and _is_list(items, name, depth + 1):
            return True
    return False


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """Write a text of a server as one of TOML, where nothing of it is anything else."""
    quoted = json.dumps(encodable(text), ensure_ascii=False)
    return OBEYED.sub(lambda sign: f"\\U{ord(sign[0]):08X}", quoted)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)
