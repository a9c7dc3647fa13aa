"""The contract that an address names, and the form that changes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memgauge.measures import parse
from memgauge.records import (
    BOARD,
    Contract,
    Coverage,
    Credit,
    EvidencePolicy,
    Failures,
    Items,
    Target,
    Ties,
    Unlabelled,
    Witness,
)
from memgauge.scoring.score import DEFAULT_MEASURES, Settings
from memgauge.web.view import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.web.address import Address

K = 60
DEEPEST = 1_000
_KINDS: Mapping[str, Any] = {
    "credit": Credit,
    "coverage": Coverage,
    "ties": Ties,
    "evidence": EvidencePolicy,
    "items": Items,
    "failures": Failures,
    "witness": Witness,
    "unlabelled": Unlabelled,
}
NAMES = ("target", *_KINDS, "k", "measure")
_MEASURES = (
    "Recall@2000tok",
    "RecallCurve",
    "nDCG@10",
    "nDCG@60",
    "Recall@5",
    "Recall@10",
    "Hit@1",
    "Hit@5",
    "Complete@10",
    "MRR@60",
)


def settings_of(address: Address) -> Settings:
    """Return the settings that an address asks for.

    Raises:
        UnknownNameError: A value, or a measure, that does not exist.
    """
    terms = ",".join(f"{name}={address.get(name)}" for name in ("target", *_KINDS) if address.get(name))
    first = address.get("measure")
    measures = tuple(dict.fromkeys([str(parse(first)), *DEFAULT_MEASURES])) if first else DEFAULT_MEASURES
    settings = Settings(Contract.parse(terms, BOARD), measures, address.whole("k", K, most=DEEPEST))
    return Settings(settings.contract, tuple(str(measure) for measure in settings.parsed), settings.k)


def asked_of(address: Address) -> dict[str, str]:
    """Return what an address asks about the contract, to be handed on to the next page."""
    return {name: address.get(name) for name in NAMES if address.get(name)}


def picker(address: Address, shown_measure: str = "") -> tuple[Choice, ...]:
    """Return the controls of a contract; *shown* is the measure of a page that was asked for none."""
    contract = settings_of(address).contract
    targets = [str(target) for target in Target]
    own_target = address.get("target")
    targets += [own_target] if own_target and own_target not in targets else []
    measure = address.get("measure") or shown_measure or DEFAULT_MEASURES[0]
    measures = list(dict.fromkeys([*_MEASURES, measure]))
    return (
        Choice("measure", "Ranked by", measure, tuple((name, name) for name in measures)),
        Choice("target", "Target", str(contract.target), tuple((name, name) for name in targets)),
        Choice("credit", "Credit", str(contract.credit), _options(Credit)),
        Choice("coverage", "Coverage", str(contract.coverage), _options(Coverage)),
        Choice("evidence", "Evidence", str(contract.evidence), _options(EvidencePolicy)),
        Choice("witness", "Witness", str(contract.witness), _options(Witness)),
        Choice("k", "Ranks judged (k)", str(settings_of(address).k)),
    )


def _options(enum: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(value), str(value)) for value in enum)
