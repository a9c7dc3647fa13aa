"""Claims that tests make up: a sheet of one number, with what the test changes."""

from __future__ import annotations

from typing import Any

from memgauge.submissions.sheets.claim import ClaimedNumber, ClaimSheet


def claimed(value: str = "50.0", rows: list[dict[str, Any]] | None = None, **changed: Any) -> ClaimedNumber:
    """Return a number; *rows* are categories unless *changed* says another kind."""
    about = {key: changed.pop(key) for key in ("kind", "repeats", "sizes") if key in changed}
    below = rows and {"kind": "categories", "where": "ann/larder: table 1", "each": rows} | about
    return ClaimedNumber.model_validate(
        {
            "name": "overall",
            "setting": "locomo",
            "measure": "accuracy",
            "counts": "judged-answers",
            "value": value,
            "unit": "percent",
            "rows": below,
        }
        | changed
    )


def claim_sheet(*numbers: ClaimedNumber, **changed: Any) -> ClaimSheet:
    """Return a sheet of the made-up product Larder."""
    setting = {"dataset": "locomo"} | changed.pop("setting", {})
    return ClaimSheet.model_validate(
        {
            "schema": "memgauge.claim/1",
            "product": "larder",
            "title": "Larder",
            "source": {"by": "Ann", "relation": "vendor", "where": "ann/larder#1", "seen": "source"},
            "settings": {"locomo": setting},
            "numbers": [each.model_dump(mode="json") for each in numbers or (claimed(),)],
        }
        | changed
    )
