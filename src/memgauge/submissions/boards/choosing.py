"""Which submissions stand on a board: of its dataset, contract, division and lane; baselines beside them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.submissions.boards.entrants import Entrant
    from memgauge.submissions.sheets.registry import BoardSheet

SETTINGS: Final = 8
"""Of a product, on one board: the first ones submitted, so that nobody chooses among many by their numbers."""


@dataclass(frozen=True, eq=False)
class ChosenEntrants:
    """Who stands on a board."""

    stand: tuple[Entrant, ...]
    beyond: tuple[Entrant, ...]
    """Settings of a product beyond the eighth."""


def chosen(sheet: BoardSheet, entrants: Iterable[Entrant]) -> ChosenEntrants:
    """Choose who stands on a board of quality."""
    here = [each for each in entrants if not each.gone and sheet.dataset in each.rows]
    here = [each for each in here if each.sheet.contract == sheet.contract]
    own = [each for each in here if fits(sheet, each)]
    products = {each.sheet.product for each in own}
    guests = [each for each in here if each.sheet.product not in products and _is_guest(each)]
    of_product: defaultdict[str, list[Entrant]] = defaultdict(list)
    for each in sorted([*own, *_newest(guests)], key=lambda each: (each.sheet.day, each.id)):
        of_product[each.sheet.product].append(each)
    stand = [each for settings in of_product.values() for each in settings[:SETTINGS]]
    beyond = [each for settings in of_product.values() for each in settings[SETTINGS:]]
    return ChosenEntrants(tuple(stand), tuple(beyond))


def fits(sheet: BoardSheet, entrant: Entrant) -> bool:
    """Whether it belongs on a board by its division and lane."""
    return entrant.division == sheet.division and entrant.sheet.lane == sheet.lane


def _is_guest(entrant: Entrant) -> bool:
    """Whether it stands on boards of every lane and division: a baseline that asks no model."""
    return entrant.baseline and entrant.lane.kind == "lexical"


def _newest(guests: Iterable[Entrant]) -> list[Entrant]:
    """Keep of every baseline the newest submission."""
    newest: dict[str, Entrant] = {}
    for each in sorted(guests, key=lambda each: (each.sheet.day, each.id)):
        newest[each.sheet.product] = each
    return list(newest.values())
