"""What a submitter says that no run knows: who they are, what ties them to the product, where its code is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from memgauge.submissions.sheets.submission import AdapterSource, Division, Relation


@dataclass(frozen=True)
class Submitted:
    """What is said of a submission; what is left empty is read off the runs and the registry."""

    who: str
    """Name on GitHub."""
    on: date
    relation: Relation = "none"
    division: Division = "closed"
    slug: str = "default"
    """What tells it from other submissions of that day."""
    label: str = ""
    product: str = ""
    lane: str = ""
    contract: str = ""
    adapter: AdapterSource | None = None
    """``None`` is memgauge itself, where the adapter of a product of its catalogue lies."""
    licence: Literal["CC0-1.0", "CC-BY-4.0"] = "CC-BY-4.0"
    rules: str = ""
    """The newest ones where nothing is said."""
    tuned_on: tuple[str, ...] = ()
    supersedes: str = ""
    model_calls: int = 0
    """Of a model, for one question."""
    statement: Path | None = None
    card: Path | None = None
    failed: dict[str, str] = field(default_factory=dict)
    """Why cells of the plan have no run, by ``dataset`` or ``dataset seed N``; the rest gets a plain sentence."""
