"""What stands for a public name whose home is out of reach: importing it is no mistake, using it is.

In a process that plays memories `from memgauge import *` looks for no gold that way.
"""

from __future__ import annotations

from typing import Final, NoReturn

from memgauge.errors import ConfigError

_closed: Final[list[str]] = []


def close(*modules: str) -> None:
    """Put modules, and what lies in them, out of reach of this process."""
    _closed.extend(modules)


def is_closed(module: str) -> bool:
    """Whether a module is out of reach here."""
    return module.startswith(tuple(_closed))


class OutOfReach:
    """A name of memgauge where memories are played: what knows gold, or scores, is not there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Say why it cannot be used.

        Raises:
            ConfigError: Always.
        """
        raise ConfigError(*self._reason())

    def __getattr__(self, attribute: str) -> NoReturn:
        message, remedy = self._reason()
        raise AttributeError(f"{message} {remedy}")

    def _reason(self) -> tuple[str, str]:
        name = self.__dict__.get("_name", "")
        message = f"memgauge.{name} is out of reach where memories are played: it knows gold, or opens it."
        return message, "Use it in a program of yours, and not in an adapter."
