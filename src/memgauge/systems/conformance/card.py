"""The conformance card of a system: what it claims, what was observed, and what it was installed and run as."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping  # noqa: TC003 - read when a card is validated
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import MalformedDataError
from memgauge.records import Verdict  # noqa: TC001 - read when a card is validated
from memgauge.systems.conformance.check import Check  # noqa: TC001 - read when a card is validated
from memgauge.systems.conformance.consistency import MeasuredConsistency  # noqa: TC001 - read when a card is validated
from memgauge.systems.conformance.footprint import Footprint  # noqa: TC001 - read when a card is validated
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Golden:
    """What scenarios of the golden suite found, without the texts in which they found it."""

    played: int
    of: int
    """Scenarios that there are; fewer were played where time was short."""
    verdicts: Mapping[str, int]
    found: Mapping[str, tuple[str, ...]]
    """By anomaly, the scenarios that show it."""

    def count(self, *anomalies: str, family: str = "") -> int:
        """Count the scenarios of *family* (all when empty) that show one of *anomalies*."""
        return len({one for name in anomalies for one in self.found.get(name, ()) if one.startswith(family)})


@dataclass(frozen=True, slots=True)
class Installed:
    """How its environment was made."""

    version: str
    python: str
    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of it."""

    dataset: str
    conversations: int
    seconds: float
    outcomes: Mapping[str, int]
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SystemCard:
    """Everything that is known of one system; each part is absent where it was not measured."""

    ref: str
    name: str
    version: str
    capabilities: Mapping[str, Any]
    offers: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    consistency: MeasuredConsistency | None = None
    footprint: Footprint | None = None
    golden: Golden | None = None
    installed: Installed | None = None
    ran: tuple[Ran, ...] = ()
    outside: Mapping[str, int] | None = None
    """Addresses outside this machine that it reached for; ``None`` where nobody watched."""
    strayed: tuple[str, ...] = ()
    """Files that it wrote outside its own folder."""
    problems: tuple[str, ...] = ()
    """Parts that could not be measured, and why."""
    format: int = FORMAT

    @property
    def interventions(self) -> tuple[str, ...]:
        """Everything that the adapter patched or overrode."""
        return tuple(self.capabilities.get("interventions", ()))

    def verdict(self, name: str) -> Verdict | None:
        """How the check of this name ended; ``None`` where it was not run."""
        return next((one.verdict for one in self.checks if one.name == name), None)

    def detail(self, name: str) -> str:
        """What the check of this name said."""
        return next((one.detail for one in self.checks if one.name == name), "")


def card_text(card: SystemCard) -> str:
    """Write a card as JSON."""
    return json.dumps(asdict(card), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_card(path: Path) -> SystemCard:
    """Read a saved card.

    Raises:
        MalformedDataError: There is none, or it is not one.
    """
    try:
        return parse_card(path.read_bytes())
    except OSError as error:
        raise MalformedDataError(f"Cannot read {path}: {error.strerror}.", _REMEDY) from error
    except ValueError as error:
        raise MalformedDataError(f"{path} is no card: {_first(error)}.", _REMEDY) from error


_REMEDY = "`memgauge systems card NAME --out FILE` makes one."


def parse_card(text: str | bytes) -> SystemCard:
    """Read a card from its text.

    Raises:
        ValueError: It is none, or of another format.
    """
    from pydantic import TypeAdapter

    card = TypeAdapter(SystemCard).validate_python(json_of(text))
    if card.format != FORMAT:
        raise ValueError(f"format {card.format}, where {FORMAT} is read")
    return card


def golden_of(data: Mapping[str, Any], of: int | None = None) -> Golden:
    """Sum up what `memgauge golden run --json` printed.

    Raises:
        KeyError: It is something else.
    """
    found: dict[str, list[str]] = {}
    results = [one["result"] for one in data["scenarios"]]
    for one, result in zip(data["scenarios"], results, strict=True):
        for anomaly in one["anomalies"]:
            found.setdefault(anomaly, []).append(result["scenario"])
    verdicts = Counter(result["verdict"] for result in results)
    return Golden(
        len(results), of or len(results), dict(verdicts), {name: tuple(ids) for name, ids in found.items()}
    )


def _first(error: ValueError) -> str:
    lines = str(error).splitlines() or [""]
    return " ".join(line.strip() for line in lines[1:3] or lines).rstrip(".")
