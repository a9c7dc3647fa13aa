"""Every memory system by name; a new one is its module and one line here."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from memgauge.errors import ConfigError, MemgaugeError, UserError
from memgauge.foreign import Raised, call_foreign, described
from memgauge.registry import Registry, arguments_for, parse_ref
from memgauge.systems.adapters.folders import scratch
from memgauge.systems.environments.adapted import adapters
from memgauge.systems.environments.products import product_of
from memgauge.systems.loading import SystemFile, load_factory, read_system_file, require_system
from memgauge.systems.own_file import misnamed, own_file
from memgauge.systems.protocol import Closing, implements
from memgauge.text.scrubbing import Scrubber, keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from memgauge.systems.environments.products import Product
    from memgauge.systems.protocol import Capabilities, MemorySystem

    Factory = Callable[..., MemorySystem]

T = TypeVar("T")

SYSTEMS: Registry[Factory] = Registry(
    "system",
    "memgauge.systems",
    {
        "aml": "memgauge.systems.aml.system:aml",
        "bm25": "memgauge.systems.policies.lexical:Bm25Policy",
        "chunks": "memgauge.systems.policies.chunks:Chunked",
        "claude-md": "memgauge.systems.notes.claude_md:ClaudeMd",
        "crafted": "memgauge.systems.reference.crafted:crafted",
        "defective": "memgauge.systems.reference.defective:defective",
        "dense": "memgauge.systems.policies.dense:DensePolicy",
        "faulty": "memgauge.systems.reference.faulty:faulty",
        "files": "memgauge.systems.policies.files:FilesPolicy",
        "flat": "memgauge.systems.policies.selected:Flat",
        "full": "memgauge.systems.policies.plain:Full",
        "fusion": "memgauge.systems.policies.selected:Fusion",
        "gated": "memgauge.systems.policies.selected:Gated",
        "grep": "memgauge.systems.notes.grep:Grep",
        "haystack": "memgauge.systems.policies.haystack:Haystack",
        "hsr": "memgauge.systems.policies.selected:Hsr",
        "http": "memgauge.systems.wire.remote:remote",
        "https": "memgauge.systems.wire.remote:remote_tls",
        "hybrid": "memgauge.systems.policies.dense:HybridPolicy",
        "ideal": "memgauge.systems.reference.ideal:Ideal",
        "mcp": "memgauge.systems.mcp.declared:Mcp",
        "memory-tool": "memgauge.systems.notes.memory_tool:MemoryToolFolder",
        "mutant": "memgauge.systems.reference.mutants:mutant",
        "none": "memgauge.systems.policies.plain:Nothing",
        "oracle": "memgauge.systems.reference.oracle:Oracle",
        "pipeline": "memgauge.systems.pipeline.system:Pipeline",
        "racy": "memgauge.systems.reference.racy:racy",
        "random": "memgauge.systems.policies.plain:Random",
        "raptor": "memgauge.systems.policies.selected:Raptor",
        "reference": "memgauge.systems.reference.named:reference",
        "recency": "memgauge.systems.policies.plain:Recency",
        "temporal": "memgauge.systems.policies.temporal:Temporal",
        "tfidf": "memgauge.systems.policies.lexical:TfIdfPolicy",
        "thompson": "memgauge.systems.routing.router:thompson",
        "ucb": "memgauge.systems.routing.router:ucb",
        "unusual": "memgauge.systems.reference.unusual:unusual",
        "wire": "memgauge.systems.wire.opening:wire",
        "wired": "memgauge.systems.reference.wired:Wired",
        **adapters(),
    },
)
"""What :func:`open_system` can open, built in or installed; products have their files in ``environments``."""


def open_system(ref: str, *, seed: int = 0) -> MemorySystem:
    """Open a memory system by its text.

    Args:
        ref: A registered name with parameters (``bm25:k1=1.2,b=0.6``), a ``module:factory``, or the path of a
            TOML file with the keys ``system``, ``label`` and ``[parameters]``. A factory that needs a ``path`` and
            is given none gets an empty folder that goes with the process.
        seed: Handed to factories that take a ``seed`` and are not given one.

    Raises:
        UnknownNameError: A name, a variant or a parameter that does not exist.
        ConfigError: A value that does not fit, a broken file, or an object that is no memory system.
        MissingExtraError: The system needs packages or weights that are absent.
    """
    refuse_keys(ref)
    product, file = product_of(ref), SystemFile(ref)
    if product is None and ref.strip().endswith(".toml") and parse_ref(ref).name not in SYSTEMS:
        file = read_system_file(ref.strip())
        product = product_of(file.system)
    if product is None:
        system = _open(file.system, file.parameters, seed)
    else:
        from memgauge.systems.environments.opening import open_product  # starts processes, which few need

        system = open_product(product, file.system, file.parameters, seed)
    if file.label or (file.parameters and ours(file.system)):  # options of others may be secrets
        system.name = file.label or file.spelled
    return system


def open_or_tell(ref: str, opening: Callable[[], T]) -> T:
    """Load or open *ref* in this process for a command; whoever wrote it reads what it raised, and where.

    Raises:
        UserError: It cannot be opened.
    """
    opened = call_foreign(opening)
    if not isinstance(opened, Raised):
        return opened
    if isinstance(opened.error, MemgaugeError):
        raise opened.error
    raise ConfigError(
        f"opening {ref} raised {described(opened.error)}.", "It has to open before anything can be asked of it."
    ) from opened.error


def refuse_keys(ref: str) -> None:
    """Refuse a text that holds a key of the environment: it stands in every run, and in the list of processes.

    Raises:
        ConfigError: It does; the key is not shown.
    """
    keys = Scrubber(keys_of(os.environ))
    if keys.is_in(ref):
        raise ConfigError(f"{keys.text(ref)} holds a key.", "Name the variable that holds it, and not its value.")


_OUTSIDE = frozenset({"aml", "http", "https", "mcp", "wire"})
"""Names of ours behind which is what others wrote."""


def ours(ref: str) -> bool:
    """Whether a text names a system of this package, whose code is no stranger's."""
    if ref.strip().endswith(".toml"):
        return False
    name = parse_ref(ref).name
    return name in SYSTEMS.builtin and name not in _OUTSIDE and product_of(ref) is None


def opens_ours(ref: str) -> bool:
    """Whether what a text opens is code of this package, also where a TOML file names it."""
    if not ref.strip().endswith(".toml"):
        return ours(ref)
    try:
        return ours(read_system_file(ref.strip()).system)
    except UserError:  # opening it says what is wrong
        return False


def open_here(ref: str, *, seed: int = 0) -> MemorySystem:
    """Open a system in this process, also where it is a product that would get a process of its own."""
    return _open(ref, {}, seed)


def _open(ref: str, extra: Mapping[str, object], seed: int) -> MemorySystem:
    parsed = parse_ref(ref)
    if parsed.name not in SYSTEMS and parsed.variant and not parsed.params:
        factory, name = load_factory(ref.strip()), ref
        given = {"path": scratch("store"), **extra} if _needs_path(factory) else dict(extra)
    else:
        if parsed.name not in SYSTEMS and (path := own_file(parsed.name)):
            raise misnamed(path, ref)
        factory, name, given = SYSTEMS.get(parsed.name), parsed.name, {**parsed.params, **extra}
        if parsed.variant:
            given["variant"] = parsed.variant
    return _made(factory, name, given, seed)


def _needs_path(factory: Factory) -> bool:
    """Whether a home-made memory cannot be opened without a place for its store, which is then a new folder."""
    parameters = inspect.signature(factory).parameters
    return "path" in parameters and parameters["path"].default is inspect.Parameter.empty


def open_factory(target: str, name: str, given: Mapping[str, object], *, seed: int = 0) -> MemorySystem:
    """Open what ``module:factory`` makes of the parameters *given*; *name* is what the user called it."""
    return _made(load_factory(target), name, given, seed)


def _made(factory: Factory, name: str, given: Mapping[str, object], seed: int) -> MemorySystem:
    if "seed" in inspect.signature(factory).parameters:
        given = {"seed": seed, **given}
    system = factory(**arguments_for(factory, "system", name, given))
    require_system(system, name)
    return system


@dataclass(frozen=True)
class SystemListing:
    """What a listing says about one system."""

    ref: str
    summary: str
    capabilities: Capabilities | None
    """``None`` where the system cannot be opened here."""
    unavailable: str = ""
    """Why it cannot be opened here, and what to do about it."""
    installed: str = ""
    """Of a product, the version that lies in its environment."""


def describe_system(ref: str) -> SystemListing:
    """Describe a system for a listing, without failing where it cannot be opened; products are not started."""
    name = parse_ref(ref).name
    product = product_of(ref)
    if product is not None:
        return _describe_product(ref, product)
    summary = _first_sentence(SYSTEMS.get(name)) if name in SYSTEMS else ""
    try:
        system = open_system(ref)
    except UserError as error:
        return SystemListing(ref, summary, None, str(error))
    try:
        return SystemListing(ref, summary or _first_sentence(type(system)), system.capabilities())
    finally:
        if implements(system, Closing):
            system.close()


def _describe_product(ref: str, product: Product) -> SystemListing:
    from memgauge.systems.environments.opening import lives_here
    from memgauge.systems.environments.places import environment_of

    summary = f"{product.summary.rstrip('.')} ({product.version})" if product.version else product.summary
    try:
        environment = environment_of(product)
    except UserError as error:
        return SystemListing(ref, summary, None, str(error))
    if environment is not None or lives_here(product):
        return SystemListing(ref, summary, None, installed=product.version)
    return SystemListing(ref, summary, None, f"Run `memgauge systems install {product.name}`.")


def _first_sentence(thing: object) -> str:
    first, _, _ = (inspect.getdoc(thing) or "").partition(". ")
    return first.partition("\n")[0].rstrip(".")
