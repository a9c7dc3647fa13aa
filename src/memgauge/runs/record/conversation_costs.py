"""What the models of a run cost, conversation by conversation, so that money has an interval."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from memgauge.errors import RunError
from memgauge.llm.prices import list_price
from memgauge.metering import COUNTS, ModelTally, is_free
from memgauge.runs.record.files import opened
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.pricing import usd_of
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from memgauge.runs.record.pricing import PriceList

_SPENT = b'{"t":"spent"'


def money_by_conversation(folder: Path, prices: PriceList = list_price) -> dict[str, float] | None:
    """Return what each conversation of the run at *folder* cost, all attempts at it; ``None`` without a price.

    Raises:
        RunError: A line of the journal cannot be read.
    """
    asked: defaultdict[tuple[str, str], ModelTally] = defaultdict(ModelTally)
    money: dict[str, float] = {}
    path = folder / JOURNAL
    try:
        with opened(path) as file:
            for row in (json_of(line) for line in file if line.startswith(_SPENT)):
                money[str(row["conversation"])] = 0.0
                for use in row["models"]:
                    key = str(row["conversation"]), str(use["model"])
                    asked[key] = asked[key].plus(_tally(use))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} says no costs: {error!r}.", "Restore it from a copy.") from error
    for (conversation, model), tally in asked.items():
        usd = 0.0 if is_free(model) else usd_of(tally, prices(model))
        if usd is None:
            return None
        money[conversation] += usd
    return money


def _tally(use: Mapping[str, Any]) -> ModelTally:
    return ModelTally(**{name: int(use[name]) for name in COUNTS if name in use})
