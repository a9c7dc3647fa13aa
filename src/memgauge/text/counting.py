"""Ways to count tokens, by name: a length means nothing without one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError, MissingExtraError
from memgauge.foreign import Raised, call_foreign, message_of
from memgauge.registry import unknown_name
from memgauge.text.tokens import TOKEN_COUNTER, tokenize

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "tokenizer:"
"""Before the path of a ``tokenizer.json`` as Hugging Face writes them."""


@dataclass(frozen=True)
class TokenCounter:
    """One way to count."""

    name: str
    weigh: Callable[[str], float]
    """Tokens of a text, perhaps with a fraction; the weights of parts add up to that of the whole, or nearly."""

    def count(self, text: str) -> int:
        """Count the tokens of a whole text."""
        return ceil(self.weigh(text))


_KNOWN = {
    TOKEN_COUNTER: TokenCounter(TOKEN_COUNTER, lambda text: len(text) / 4),
    "words": TokenCounter("words", lambda text: float(len(tokenize(text)))),
}
DEFAULT = _KNOWN[TOKEN_COUNTER]


def open_counter(name: str) -> TokenCounter:
    """Open ``chars/4``, ``words`` or ``tokenizer:PATH``.

    Raises:
        UnknownNameError: There is no such way to count.
        ConfigError: The file is no tokenizer.
        MissingExtraError: A tokenizer needs a package that is absent.
    """
    if name.startswith(FILE):
        return _from_file(name)
    if name not in _KNOWN:
        raise unknown_name("token counter", name, [*_KNOWN, f"{FILE}PATH"])
    return _KNOWN[name]


@cache
def _from_file(name: str) -> TokenCounter:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError(
            "The package that reads tokenizers is not installed.", "Install it: pip install tokenizers."
        ) from None
    path = name.removeprefix(FILE)
    tokenizer = call_foreign(lambda: Tokenizer.from_file(path))  # it raises nothing narrower than Exception
    if isinstance(tokenizer, Raised):
        message = f"{path} is no tokenizer: {message_of(tokenizer.error)}."
        raise ConfigError(message, "Give the path of a tokenizer.json.")
    return TokenCounter(name, lambda text: float(len(tokenizer.encode(text, add_special_tokens=False).ids)))
