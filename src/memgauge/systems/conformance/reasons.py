"""Why a promise that a memory can be measured without matters all the same, and what to do where it is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.systems.conformance.essential import Essential

if TYPE_CHECKING:
    from collections.abc import Mapping

_LEAKS: Final = Essential(
    "What one person said is shown to another: a breach wherever a memory serves two people, "
    "whatever it scores here, where each conversation is alone in it.",
    "Keep the scope with every memory that ingest stores, and let search, dump and context see those of the scope "
    "that they are given, and no others. `memgauge study golden run --family isolation` looks further.",
)
_REASONS: Final[Mapping[str, Essential]] = {
    "scopes are isolated": _LEAKS,
    "unknown scope is empty": _LEAKS,
    "other scopes change nothing": _LEAKS,
}
_ANY: Final = Essential(
    "Whoever relies on the protocol relies on it, and numbers of this memory are read with a mark.",
    "`memgauge systems check MEMORY` puts the check again, and docs/adapters.md says what each asks for.",
)


def reason_of(name: str) -> Essential:
    """Return why the check of this name matters, and what to do where it failed."""
    return _REASONS.get(name, _ANY)
