"""The results of this study, as files know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.results import ResultKind

if TYPE_CHECKING:
    from memgauge.studies.attribution.cards import CardSet
    from memgauge.studies.attribution.wirings import DesignPower

CARDS: ResultKind[CardSet] = ResultKind(
    "attribution", 1, "memgauge.studies.attribution.cards:CardSet", "memgauge study attribution run --out FOLDER"
)
DESIGN_POWER: ResultKind[DesignPower] = ResultKind(
    "attribution designs",
    1,
    "memgauge.studies.attribution.wirings:DesignPower",
    "memgauge study attribution designs --out FOLDER",
)
