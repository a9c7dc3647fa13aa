"""What is otherwise in the newest version of a product, and what of it breaks a promise."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Verdict
from memgauge.systems.aging.report import AgingChange, AgingOutcome, AgingTopic
from memgauge.systems.conformance.check import without_model

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from memgauge.systems.aging.surface import ModuleSurface, Parameters
    from memgauge.systems.conformance.check import Check

LINEAGE: Final = {"reports_changes": "receipts", "declares_sources": "sources"}
DEFAULTS: Final = frozenset({"needs", "interventions", "stand_ins", "models"})
_BAD: Final = frozenset({Verdict.FAIL, Verdict.ERROR, Verdict.FLAKY})
_TOOLS: Final = frozenset({"pip", "setuptools", "wheel"})
"""What an environment brings of itself."""


@dataclass(frozen=True)
class VersionFacts:
    """What is known of a product in one version; what is ``None`` was not looked at."""

    version: str
    packages: Mapping[str, str]
    """By canonical names."""
    checks: tuple[Check, ...] | None = None
    capabilities: Mapping[str, Any] | None = None
    offers: Collection[str] = ()
    surface: ModuleSurface | None = None
    golden: Mapping[str, str] | None = None
    """Verdicts by scenario."""

    @property
    def own_packages(self) -> dict[str, str]:
        """Return the packages without what every environment brings."""
        return {name: version for name, version in self.packages.items() if name not in _TOOLS}


def changes(pinned: VersionFacts, newest: VersionFacts) -> tuple[AgingChange, ...]:
    """List everything that both were looked at for and that is not the same, promises that broke first."""
    listed = (
        *_mapped(AgingTopic.PACKAGES, pinned.own_packages, newest.own_packages),
        *_surfaces(pinned.surface, newest.surface),
        *_claims(pinned, newest),
        *_checks(pinned.checks, newest.checks),
        *_verdicts(AgingTopic.GOLDEN, pinned.golden or {}, newest.golden or {}),
    )
    return tuple(sorted(listed, key=lambda change: not change.broken))


def outcome(pinned: VersionFacts, listed: Collection[AgingChange]) -> AgingOutcome:
    """Say how the newest version fares, which was installed, imported and opened."""
    if not listed:
        return AgingOutcome.CURRENT
    if any(change.broken for change in listed):
        return AgingOutcome.BROKEN
    if pinned.checks is None:
        return AgingOutcome.UNCOMPARED
    if all(change.topic is AgingTopic.PACKAGES for change in listed):
        return AgingOutcome.HOLDS
    return AgingOutcome.CHANGED


def uncompared(pinned: VersionFacts, newest: VersionFacts) -> dict[AgingTopic, str]:
    """Say which checks were made of one version only, or failed for want of a model."""
    if pinned.checks is None or newest.checks is None:
        return {}
    sides = [{check.name: check for check in side} for side in (pinned.checks, newest.checks)]
    lonely = sorted(sides[0].keys() ^ sides[1].keys())
    silent = sorted({check.name for side in sides for check in side.values() if without_model(check)})
    reasons = (
        f"made of one version only: {', '.join(lonely)}" if lonely else "",
        f"a model did not answer: {', '.join(silent)}" if silent else "",
    )
    return {AgingTopic.CONFORMANCE: "; ".join(filter(None, reasons))} if any(reasons) else {}


def _mapped(topic: AgingTopic, pinned: Mapping[str, str], newest: Mapping[str, str]) -> Iterator[AgingChange]:
    for name in sorted(pinned.keys() | newest.keys()):
        before, after = pinned.get(name, ""), newest.get(name, "")
        if before != after:
            yield AgingChange(topic, name, before, after)


def _checks(pinned: Collection[Check] | None, newest: Collection[Check] | None) -> Iterator[AgingChange]:
    before, after = (
        {check.name: check for check in side or () if not without_model(check)} for side in (pinned, newest)
    )
    verdicts = ({name: str(check.verdict) for name, check in side.items()} for side in (before, after))
    for change in _verdicts(AgingTopic.CONFORMANCE, *verdicts):
        yield replace(change, pinned=_ended(before[change.name]), newest=_ended(after[change.name]))


def _ended(check: Check) -> str:
    return f"{check.verdict}{': ' if check.detail else ''}{check.detail}"


def _verdicts(topic: AgingTopic, pinned: Mapping[str, str], newest: Mapping[str, str]) -> Iterator[AgingChange]:
    for name in sorted(pinned.keys() & newest.keys()):
        before, after = pinned[name], newest[name]
        if before != after:
            lost = before == Verdict.PASS or (after in _BAD and before not in _BAD)
            yield AgingChange(topic, name, before, after, broken=lost)


def _claims(pinned: VersionFacts, newest: VersionFacts) -> Iterator[AgingChange]:
    """Compare what the adapter declares; a claim that is withdrawn was promised."""
    if pinned.capabilities is None or newest.capabilities is None:
        return
    for name in sorted(pinned.capabilities.keys() & newest.capabilities.keys()):
        before, after = pinned.capabilities[name], newest.capabilities[name]
        if _text(before) != _text(after):
            topic = AgingTopic.DEFAULTS if name in DEFAULTS else AgingTopic.CLAIMS
            topic = AgingTopic.LINEAGE if name in LINEAGE else topic
            withdrawn = before is True and after is False
            yield AgingChange(topic, LINEAGE.get(name, name), _text(before), _text(after), broken=withdrawn)
    for name in sorted(set(pinned.offers) ^ set(newest.offers)):
        gone = name in pinned.offers
        words = ("offered", "") if gone else ("", "offered")
        yield AgingChange(AgingTopic.CLAIMS, name, *words, broken=gone)


def _surfaces(pinned: ModuleSurface | None, newest: ModuleSurface | None) -> Iterator[AgingChange]:
    if pinned is None or newest is None:
        return
    if pinned.python != newest.python:
        yield AgingChange(AgingTopic.PYTHON, "Requires-Python", pinned.python, newest.python)
    for name in sorted(pinned.names.keys() | newest.names.keys()):
        before, after = pinned.names.get(name), newest.names.get(name)
        if before == after:
            continue
        same_shape = before is not None and after is not None and _shape(before) == _shape(after)
        topic = AgingTopic.DEFAULTS if same_shape else AgingTopic.API
        yield AgingChange(topic, name, _spelled(before), _spelled(after))


def _shape(parameters: Parameters) -> list[tuple[str, bool]]:
    return [(name, default is None) for name, default in parameters]


def _spelled(parameters: Parameters | None) -> str:
    if parameters is None:
        return ""
    if [name for name, _ in parameters] == ["="]:
        return f"{parameters[0][1]}"
    return f"({', '.join(name if default is None else f'{name}={default}' for name, default in parameters)})"


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return "; ".join(map(str, value)) or "none"
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    return json.dumps(value, sort_keys=True, default=str) if isinstance(value, dict) else str(value)
