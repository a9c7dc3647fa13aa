"""One registry for everything that can be named: datasets, systems, measures.

An entry is an object or a lazy ``"module:attribute"`` target, so that naming is free and only using imports.
Installed packages join through entry points of the group ``memgauge.<plural>``.
"""

from __future__ import annotations

import difflib
import inspect
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.ranges import outside, range_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from types import ModuleType

T = TypeVar("T")
_LISTED: Final = 100
"""Names that a sentence lists at most."""


def unknown_name(
    kind: str, name: str, known: Iterable[str], offered: Iterable[str] | None = None
) -> UnknownNameError:
    """Build the error for an unknown *name*, with the nearest known names and what is *offered*, or known."""
    names = sorted(known)
    by_fold = {n.casefold(): n for n in names}
    near = [by_fold[n] for n in difflib.get_close_matches(name.casefold(), by_fold, n=3, cutoff=0.5)]
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    available = _available(names if offered is None else sorted(offered))
    return UnknownNameError(f"Unknown {kind} {name!r}.", f"{hint}{available}")


def _available(names: list[str]) -> str:
    """List names, or show what they look like where a list would bury all else, as of thousands of questions."""
    if not names:
        return "There is none at all."
    if len(names) > _LISTED:
        return f"There are {len(names):,}, such as {', '.join(names[:3])}."
    return f"Available: {', '.join(names)}."


def named(kind: str, name: str, known: Mapping[str, T]) -> T:
    """Return what is known as *name*.

    Raises:
        UnknownNameError: Nothing is.
    """
    if name not in known:
        raise unknown_name(kind, name, known)
    return known[name]


def require_known(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    """Refuse the first of *names* that is not known.

    Raises:
        UnknownNameError: There is one.
    """
    for name in names:
        if name not in known:
            raise unknown_name(kind, name, known)


def load_target(target: str) -> object:
    """Import ``"module:attribute"``.

    Raises:
        ConfigError: The module or the attribute is missing.
    """
    module_name, _, attribute = target.partition(":")
    if module_name.startswith(".") or "/" in module_name or not module_name:
        raise ConfigError(
            f"{target!r} names no module.",
            "Write module:NAME, with dots between folders; it has to lie on PYTHONPATH or in the current folder.",
        )
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        # A module that exists but imports something missing is a different mistake.
        missing_module = error.name or module_name
        raise ConfigError(
            f"Cannot import {target!r}: no module named {missing_module!r}.",
            "Check the spelling, and that the module lies on PYTHONPATH or in the current folder.",
        ) from error
    if not hasattr(module, attribute):
        raise unknown_name(f"attribute of module {module_name}", attribute, vars(module), _defined(module))
    return cast("object", getattr(module, attribute))


def _defined(module: ModuleType) -> list[str]:
    """Name the classes and functions that a module itself defines and offers."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == module.__name__
    ]


@dataclass(frozen=True)
class Ref:
    """A name with parameters, written ``name``, ``name:variant`` or ``name:variant,key=value,…``."""

    name: str
    variant: str = ""
    params: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        items = [self.variant] if self.variant else []
        items += [f"{key}={value}" for key, value in sorted(self.params.items())]
        return self.name + (":" + ",".join(items) if items else "")


def parse_ref(text: str) -> Ref:
    """Read a :class:`Ref` from its text form; a path may be the variant (``longmemeval:/data/s.json``)."""
    name, _, variant_and_parameters = text.strip().partition(":")
    variant = ""
    params: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in variant_and_parameters.split(","))):
        key, equals, value = item.partition("=")
        if equals and key.strip() in params:
            raise ConfigError(
                f"{text!r} gives {key.strip()} twice, {params[key.strip()]!r} and {value.strip()!r}.",
                "Give it once.",
            )
        if equals:
            params[key.strip()] = value.strip()
        elif variant:
            raise ConfigError(
                f"{text!r} names two variants, {variant!r} and {item!r}.",
                "Write further parameters as key=value.",
            )
        else:
            variant = item
    return Ref(name, variant, params)


def arguments_for(
    factory: Callable[..., object], kind: str, name: str, given: Mapping[str, object]
) -> dict[str, Any]:
    """Check *given* against the parameters of *factory* and convert what is still text, as their annotations say.

    Errors call what it makes by *kind* (``system``) and *name* (``bm25``). A variant is the parameter ``variant``.

    Raises:
        UnknownNameError: *factory* has no such parameter.
        ConfigError: A value does not fit, or a parameter without a default is missing.
    """
    signature = inspect.signature(factory)
    parameters = signature.parameters
    for key, value in given.items():
        if key not in parameters:
            kind_of_name, unknown = (
                ("variant or parameter", str(value)) if key == "variant" else ("parameter", key)
            )
            raise unknown_name(f"{kind_of_name} of {kind} {name}", unknown, parameters)
    arguments = {key: _convert(value, parameters[key], f"{name}:{key}") for key, value in given.items()}
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise ConfigError(f"Cannot open {kind} {name}: {error}.", "Give it as a parameter.") from None
    return arguments


def _convert(value: object, parameter: inspect.Parameter, where: str) -> object:
    """Read *value* as the annotation of *parameter* says; what has another type than these stays as it is."""
    annotation = parameter.annotation
    annotation = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    declared = range_of(annotation)
    unranged = _READERS.get(annotation.removesuffix(" | None"), ("", None))
    type_words, reader = unranged if declared is None else (declared.words, declared.read)
    try:
        return value if reader is None else reader(str(value))
    except (KeyError, ValueError):
        raise outside(where, value, type_words) from None


def _finite(text: str) -> float:
    """Read a number with which one can reckon.

    Raises:
        ValueError: It is none, or has no end.
    """
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_READERS: dict[str, tuple[str, Callable[[str], object]]] = {
    "bool": ("true or false", lambda text: {"true": True, "false": False}[text.lower()]),
    "int": ("a whole number", int),
    "float": ("a number", _finite),
    "str": ("a text", str),
}


@dataclass
class Registry(Generic[T]):
    """Named entries of one kind, built in or installed."""

    kind: str
    group: str
    builtin: Mapping[str, T | str]

    @cached_property
    def _targets(self) -> dict[str, T | str]:
        from importlib.metadata import entry_points  # takes longer than most lookups

        installed: dict[str, T | str] = {point.name: point.value for point in entry_points(group=self.group)}
        return installed | dict(self.builtin)  # a package cannot shadow a built-in

    def _known(self, name: object) -> Mapping[str, T | str]:
        """Return where *name* is looked for: what is installed need not be listed for what is built in."""
        return self._targets if name not in self.builtin or "_targets" in vars(self) else self.builtin

    def names(self) -> tuple[str, ...]:
        """List every known name, in alphabetical order."""
        return tuple(sorted(self._targets))

    def __contains__(self, name: object) -> bool:
        return name in self._known(name)

    def get(self, name: str) -> T:
        """Return the entry called *name*, importing it if it is lazy.

        Raises:
            UnknownNameError: No such entry.
        """
        if name not in self:
            raise unknown_name(self.kind, name, self._targets)
        target = self._known(name)[name]
        if not isinstance(target, str):
            return target
        if target not in self._loaded:
            self._loaded[target] = cast("T", load_target(target))
        return self._loaded[target]

    @cached_property
    def _loaded(self) -> dict[str, T]:
        """What was imported: a board looks measures up hundreds of times for every run."""
        return {}
