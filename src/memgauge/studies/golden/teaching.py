"""Who is told what turns mean: reference memories alone, because whoever is told needs to understand nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.systems.protocol import Role, Taught, implements

if TYPE_CHECKING:
    from typing import TypeGuard

_REFERENCE = "memgauge.systems.reference"


def is_taught(system: object) -> TypeGuard[Taught]:
    """Whether *system* takes meanings and may: it is of our reference memories, or declares itself a ceiling."""
    return implements(system, Taught) and (_is_reference(system) or _is_ceiling(system))


def wants_teaching(system: object) -> bool:
    """Whether *system* would take meanings and is not given any, because it is one to be tested."""
    return implements(system, Taught) and not is_taught(system)


def _is_reference(system: object) -> bool:
    """Whether its own class is of our reference memories: a stranger that inherits from one is a stranger."""
    module = type(system).__module__
    return module == _REFERENCE or module.startswith(f"{_REFERENCE}.")


def _is_ceiling(system: object) -> bool:
    capabilities = getattr(system, "capabilities", None)
    return callable(capabilities) and getattr(capabilities(), "role", None) is Role.CEILING
