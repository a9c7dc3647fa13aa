"""What a submitter says that no run knows: who they are, what ties them to the product, where its code is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from memgauge.errors import ConfigError
from memgauge.submissions.sheets.submission import AdapterSource, Division, Relation

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path


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


_ADAPTER = re.compile(r"^(?P<repo>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})$")


def adapter_source(text: str, licence: str) -> AdapterSource:
    """Read where an adapter lies, ``owner/repository@commit``.

    Raises:
        ConfigError: It is not written so.
    """
    match = _ADAPTER.match(text)
    if match is None:
        raise ConfigError(
            f"--adapter {text!r} does not say where the code lies.",
            "Write owner/repository@ and all 40 digits of the commit.",
        )
    return AdapterSource(repo=match["repo"], commit=match["commit"], licence=licence)
