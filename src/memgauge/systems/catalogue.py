"""Every memory system by name; a new one is its module and one line here."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import ConfigError, UserError
from memgauge.registry import Registry, parse_ref, unknown_name
from memgauge.systems.loading import SystemFile, load_factory, read_system_file, require_system

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.protocol import Capabilities, MemorySystem

    Factory = Callable[..., MemorySystem]

SYSTEMS: Registry[Factory] = Registry(
    "system",
    "memgauge.systems",
    {
        "bm25": "memgauge.systems.policies.lexical:Bm25Policy",
        "dense": "memgauge.systems.policies.dense:DensePolicy",
        "faulty": "memgauge.systems.reference.faulty:faulty",
        "full": "memgauge.systems.policies.plain:Full",
        "hybrid": "memgauge.systems.policies.dense:HybridPolicy",
        "none": "memgauge.systems.policies.plain:Nothing",
        "oracle": "memgauge.systems.reference.oracle:Oracle",
        "random": "memgauge.systems.policies.plain:Random",
        "recency": "memgauge.systems.policies.plain:Recency",
        "tfidf": "memgauge.systems.policies.lexical:TfIdfPolicy",
    },
)
"""What :func:`open_system` can open, built in or installed."""


def open_system(ref: str, *, seed: int = 0) -> MemorySystem:
    """Open a memory system by its text.

    Args:
        ref: A registered name with parameters (``bm25:k1=1.2,b=0.6``), a ``module:factory``, or the path of a
            TOML file with the keys ``system``, ``label`` and ``[parameters]``.
        seed: Handed to factories that take a ``seed`` and are not given one.

    Raises:
        UnknownNameError: A name, a variant or a parameter that does not exist.
        ConfigError: A value that does not fit, a broken file, or an object that is no memory system.
        MissingExtraError: The system needs packages or weights that are absent.
    """
    if ref.strip().endswith(".toml"):
        described = read_system_file(ref.strip())
        return _open(described.system, described.parameters, seed, described)
    return _open(ref, {}, seed)


def _open(ref: str, extra: Mapping[str, object], seed: int, file: SystemFile | None = None) -> MemorySystem:
    parsed = parse_ref(ref)
    if parsed.name not in SYSTEMS and parsed.variant and not parsed.params:
        factory, name, given = load_factory(ref.strip()), ref, dict(extra)
    else:
        factory, name, given = SYSTEMS.get(parsed.name), parsed.name, {**parsed.params, **extra}
        if parsed.variant:
            given["variant"] = parsed.variant
    system = factory(**_arguments(factory, name, given, seed))
    require_system(system, ref)
    if file is not None and file.label:
        system.name = file.label
    return system


def _arguments(factory: Factory, name: str, given: Mapping[str, object], seed: int) -> dict[str, Any]:
    """Check *given* against the parameters of *factory* and convert what is still text."""
    signature = inspect.signature(factory)
    known = signature.parameters
    for key, value in given.items():
        if key not in known:
            what, wrong = ("variant or parameter", str(value)) if key == "variant" else ("parameter", key)
            raise unknown_name(f"{what} of system {name}", wrong, known)
    arguments = {key: _convert(value, known[key], f"{name}:{key}") for key, value in given.items()}
    arguments = ({"seed": seed} if "seed" in known else {}) | arguments
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise ConfigError(
            f"Cannot open system {name}: {error}.", "Give it in the [parameters] of a file."
        ) from None
    return arguments


def _convert(value: object, parameter: inspect.Parameter, where: str) -> object:
    """Read *value* as the annotation of *parameter* says; what has another type than these four stays as it is."""
    kind = parameter.annotation
    kind = (kind if isinstance(kind, str) else inspect.formatannotation(kind)).removesuffix(" | None")
    wanted, read = _READERS.get(kind, ("", None))
    try:
        return value if read is None else read(str(value))
    except (KeyError, ValueError):
        raise ConfigError(f"Parameter {where}={value} is not {wanted}.") from None


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "bool": ("true or false", lambda text: {"true": True, "false": False}[text.lower()]),
    "int": ("a whole number", int),
    "float": ("a number", float),
    "str": ("a text", str),
}


@dataclass(frozen=True)
class SystemCard:
    """What a listing says about one system."""

    ref: str
    summary: str
    capabilities: Capabilities | None
    """``None`` where the system cannot be opened here."""
    unavailable: str = ""
    """Why it cannot be opened here, and what to do about it."""


def describe_system(ref: str) -> SystemCard:
    """Describe a system for a listing, without failing where it cannot be opened."""
    name = parse_ref(ref).name
    summary = _first_sentence(SYSTEMS.get(name)) if name in SYSTEMS else ""
    try:
        system = open_system(ref)
    except UserError as error:
        return SystemCard(ref, summary, None, str(error))
    return SystemCard(ref, summary or _first_sentence(type(system)), system.capabilities())


def _first_sentence(thing: object) -> str:
    first, _, _ = (inspect.getdoc(thing) or "").partition(". ")
    return first.partition("\n")[0].rstrip(".")
