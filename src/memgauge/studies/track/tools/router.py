"""The single table of what an agent can call: names, schemas, functions, and one way to call them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from inspect import getdoc
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from memgauge.errors import MemgaugeError
from memgauge.studies.track.tools.schema import arguments as schema_of
from memgauge.studies.track.tools.schema import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from memgauge.studies.track.timeline.models import Platform

    Method = TypeVar("Method", bound=Callable[..., "ToolResult"])

Effect = Literal["read", "write"]
"""Whether a call leaves the world as it is."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call that worked returns."""

    text: str
    """What the model reads."""
    events: tuple[str, ...] = ()
    """Ids of the timeline's events that *text* reveals something of, in the order of the text."""
    touched: tuple[str, ...] = ()
    """Finer names of what was revealed or changed: ``ticket:ID``, ``message:ID``, ``file:PATH``, ``memory:ID``."""
    exit_code: int | None = None
    """How a shell command ended; a command that ran is a call that worked, whatever its exit code."""
    notice: str = ""
    """One line about what arrived meanwhile; it names and never quotes."""

    @property
    def shown(self) -> str:
        """Return what the model is shown: the text, and the notice below it."""
        return f"{self.text}\n\n{self.notice}" if self.notice else self.text


class ToolFailed(MemgaugeError):  # noqa: N818 - named for what happened
    """A call that did not work; the model sees ``code: message``, and the call is a failed row."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        """``unknown_tool``, ``invalid_arguments``, ``not_allowed``, ``channel_not_found``, …"""
        self.message = message


@dataclass(frozen=True, slots=True)
class Tool:
    """One thing that an agent can call."""

    name: str
    platform: Platform
    effect: Effect
    description: str
    schema: Mapping[str, Any]
    """JSON schema of the arguments: an object with ``properties`` and ``required``, nothing else allowed."""
    run: Callable[[Mapping[str, Any]], ToolResult] = field(repr=False, compare=False)
    """Takes arguments that fit the schema.

    Raises:
        ToolFailed: It did not work.
    """


def offered(
    effect: Effect, required: Mapping[str, Any] | None = None, optional: Mapping[str, Any] | None = None
) -> Callable[[Method], Method]:
    """Offer a method of a :class:`Toolset`, by its own name; what models read of it is its docstring."""

    def mark(method: Method) -> Method:
        method.__dict__["offered"] = (effect, schema_of(required or {}, optional))
        return method

    return mark


class Toolset:
    """Tools of one platform, each an offered method that takes the arguments as they were given."""

    platform: ClassVar[Platform]

    def tools(self) -> tuple[Tool, ...]:
        """Return the tools in the order in which they are written down."""
        methods = [name for name, value in vars(type(self)).items() if "offered" in getattr(value, "__dict__", {})]
        return tuple(self._tool(getattr(self, name)) for name in methods)

    def _tool(self, method: Any) -> Tool:
        effect, schema = method.offered
        return Tool(method.__name__, self.platform, effect, getdoc(method) or "", schema, method)


class ToolRouter:
    """Calls tools by name, and tells the world that a call was made."""

    def __init__(self, tools: Iterable[Tool], *, after: Callable[[], str] | None = None) -> None:
        """Hold *tools*; *after* is called when a call has ended and returns a notice, mostly empty."""
        self.tools: dict[str, Tool] = {}
        for tool in tools:
            if tool.name in self.tools:
                raise ValueError(f"two tools are called {tool.name}")
            self.tools[tool.name] = tool
        self._after = after

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Check and make one call.

        Raises:
            ToolFailed: No such tool, arguments that do not fit, or the tool said so.
        """
        notice = ""
        try:
            result = self._call(name, arguments)
        finally:
            if self._after is not None:
                notice = self._after()
        return replace(result, notice=notice) if notice else result

    def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        tool = self.tools.get(name)
        if tool is None:
            raise ToolFailed("unknown_tool", f"there is no tool {name!r}; there are {', '.join(self.tools)}")
        problem = check(tool.schema, arguments)
        if problem:
            raise ToolFailed("invalid_arguments", f"{name}: {problem}")
        return tool.run(arguments)
