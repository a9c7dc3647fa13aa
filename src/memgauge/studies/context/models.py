"""Models that need no provider: what they get right is known, so that the instrument itself can be tested."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, ClassVar, Protocol

from memgauge.datasets.synthetic.dice import Dice
from memgauge.errors import ConfigError, ModelError
from memgauge.llm.prices import Price
from memgauge.llm.scripted import scripted_reply
from memgauge.registry import Registry, arguments_for, parse_ref

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.messages import Reply, Request
    from memgauge.studies.context.sample import Placed

_FINE = 1 << 32


class LocalModel(Protocol):
    """A chat model that is told beforehand what it will be asked about."""

    name: str

    def expect(self, request: Request, placed: Placed) -> None:
        """Take the prompt behind a request; whether its evidence is used is the model's own affair."""
        ...

    def complete(self, request: Request) -> Reply:
        """Reply to one request."""
        ...


@dataclass(frozen=True)
class Curve:
    """A known accuracy by length and depth."""

    effective: int = 16_000
    """Tokens up to which accuracy stays at or above 0.85 of what it is at *shortest*."""
    base: float = 0.95
    """Accuracy at *shortest*, at the edges."""
    penalty: float = 0.0
    """How much less in the middle than at the edges."""
    slope: float = 0.7
    """How accuracy falls with length; above 1 late and steeply, below 1 early and gently."""
    shortest: int = 1_000

    def accuracy(self, length: float, depth: float = 0.0) -> float:
        """Return the chance of a right answer."""
        growth = max(length - self.shortest, 0) / (self.effective - self.shortest)
        at_edges = self.base * (1 - 0.15 * growth**self.slope)
        return float(min(max(at_edges - self.penalty * _middle(depth), 0.0), 1.0))


def _middle(depth: float) -> float:
    """Return 0 in the outer tenths, 1 between .3 and .7, and a line between."""
    edge = min(depth, 1 - depth)
    return min(max((edge - 0.1) / 0.2, 0.0), 1.0)


class _Expecting:
    """Keeps what it is told until it is asked."""

    price: ClassVar = Price.flat(0, 0, source="local")
    name: str

    def __init__(self) -> None:
        self._known: dict[str, Placed] = {}
        self._lock = Lock()

    def expect(self, request: Request, placed: Placed) -> None:
        """Take the prompt behind a request."""
        with self._lock:
            self._known[request.key] = placed

    def complete(self, request: Request) -> Reply:
        """Reply, once, to what was announced."""
        with self._lock:
            placed = self._known.pop(request.key, None)
        if placed is None:
            raise ModelError(f"{self.name} was not told what request {request.key[:12]} is about.")
        return scripted_reply(request, self._say(placed))

    def _say(self, placed: Placed) -> str:
        raise NotImplementedError


class EchoModel(_Expecting):
    """Replies with the whole text and the question: right under any matcher that looks for the values only."""

    name = "echo"

    def _say(self, placed: Placed) -> str:
        return f"{placed.text}\n{placed.sample.question}"


class SilentModel(_Expecting):
    """Never knows: the floor."""

    name = "silent"

    def _say(self, placed: Placed) -> str:  # noqa: ARG002 - as every model
        return "I don't know"


class Simulated(_Expecting):
    """Answers rightly as often as its curve says, and else with a wrong value; the same prompt, the same reply."""

    def __init__(self, name: str, curve: Curve, seed: int) -> None:
        super().__init__()
        self.name = name
        self.curve = curve
        self._seed = seed

    def _say(self, placed: Placed) -> str:
        sample = placed.sample
        depth = sum(placed.offsets) / len(placed.offsets) if placed.depth is None else placed.depth
        dice = Dice("simulated", self._seed, sample.key, placed.length, placed.depth)
        if dice.below(_FINE) / _FINE < self.curve.accuracy(placed.length, depth):
            return ", ".join(sample.gold)
        return dice.pick(sample.wrong) if sample.wrong else "I don't know"


def simulated(
    effective: int = 16_000,
    base: float = 0.95,
    penalty: float = 0.0,
    slope: float = 0.7,
    seed: int = 0,
) -> LocalModel:
    """Make a model of known effective length and penalty."""
    if effective <= Curve.shortest:
        raise ConfigError(f"effective={effective} is not above {Curve.shortest}.")
    if not 0 <= base <= 1 or not 0 <= penalty <= 1 or slope <= 0:
        raise ConfigError(f"base={base}, penalty={penalty} and slope={slope} make no accuracies.")
    name = f"simulated:base={base:g},effective={effective},penalty={penalty:g},seed={seed},slope={slope:g}"
    return Simulated(name, Curve(effective, base, penalty, slope), seed)


LOCAL: Registry[Callable[..., LocalModel]] = Registry(
    "local model", "memgauge.context_models", {"echo": EchoModel, "silent": SilentModel, "simulated": simulated}
)
"""Models that :func:`open_local` can open."""


def open_local(ref: str) -> LocalModel | None:
    """Open a model by its text, e.g. ``simulated:effective=16000``; ``None`` where a provider is named.

    Raises:
        UnknownNameError: A parameter that does not exist.
        ConfigError: A value that does not fit.
    """
    if ref.partition(":")[0] not in LOCAL:
        return None
    model_ref = parse_ref(ref)
    factory = LOCAL.get(model_ref.name)
    parameters = dict(model_ref.params) | ({"variant": model_ref.variant} if model_ref.variant else {})
    return factory(**arguments_for(factory, LOCAL.kind, model_ref.name, parameters))
