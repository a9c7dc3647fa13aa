"""In what two runs differ: the one factor that a comparison declares, or more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.errors import IdentityError
from memgauge.registry import unknown_name

if TYPE_CHECKING:
    from memgauge.runs.record.manifest import Manifest

FACTORS = ("system", "stream", "limits", "seed")
"""What a comparison may declare to vary; the data never may."""


def require_comparable(a: Manifest, b: Manifest, factor: str) -> None:
    """Make sure that two runs differ in nothing but *factor*.

    Raises:
        IdentityError: They differ elsewhere; the message names every difference.
        UnknownNameError: There is no such factor.
    """
    if factor not in FACTORS:
        raise unknown_name("factor", factor, FACTORS)
    if differing := differences(a, b, factor):
        shown = "; ".join(f"{part}: {setting(a, part)} against {setting(b, part)}" for part in differing)
        raise IdentityError(
            f"{a.id} and {b.id} differ in more than the {factor} ({shown}).",
            "Make both runs alike, or declare the factor that you mean with --factor.",
        )


def differences(a: Manifest, b: Manifest, factor: str) -> list[str]:
    """Name the parts of their identity, beside *factor*, in which two runs differ."""
    parts = ("dataset", "conversations", *FACTORS)
    return [part for part in parts if getattr(a, part) != getattr(b, part) and part != factor]


def setting(manifest: Manifest, part: str) -> str:
    """Write one part of a run's identity, briefly."""
    value = getattr(manifest, part)
    if part == "dataset":
        return f"{value.ref} ({value.sha256[:8]})"
    if part == "system":
        return " ".join(filter(None, (value.label, f"version {value.version}", value.source[:8])))
    return "all" if value is None else str(value)  # of conversations
