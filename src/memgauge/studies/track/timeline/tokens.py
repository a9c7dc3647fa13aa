"""Ways to count tokens that need no network, each with the name that goes into the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.text.tokens import TOKEN_COUNTER, count_tokens

if TYPE_CHECKING:
    from collections.abc import Callable


class TokenCounter(Protocol):
    """Counts tokens and says how."""

    name: str

    def count(self, text: str) -> int:
        """Count the tokens of a text."""
        ...


class _Named:
    def __init__(self, name: str, count: Callable[[str], int]) -> None:
        self.name = name
        self.count = count


def token_counter(name: str = TOKEN_COUNTER) -> TokenCounter:
    """Return the counter ``chars/4``, or that of a ``tokenizer.json`` file.

    Raises:
        ConfigError: There is no such counter.
        MissingExtraError: A file is named, and nothing here can read it.
    """
    if name == TOKEN_COUNTER:
        return _Named(name, count_tokens)
    path = Path(name)
    if not path.is_file():
        raise ConfigError(
            f"There is no token counter {name!r}.", f"Write {TOKEN_COUNTER}, or the path of a tokenizer.json."
        )
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError(
            "Reading a tokenizer.json needs the package tokenizers.", "Run: pip install 'memgauge[dense]'."
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises Exception itself on a broken file
        raise ConfigError(f"{path} is no tokenizer.json ({error}).") from error
    return _Named(path.name, lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))
