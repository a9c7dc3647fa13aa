"""What the head of a GGUF file says of the model in it."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from memgauge.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

_NUMBERS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_LONGEST: Final = 1 << 26
"""Bytes of a text, and items of a list, that a head may hold."""
_QUANTISATIONS: Final = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 32: "BF16",
}  # fmt: skip
"""By ``general.file_type``; llama.cpp, ``llama_ftype``."""


def gguf_head(path: Path) -> dict[str, Any]:
    """Return the metadata of a GGUF file; of a list its length alone.

    Raises:
        ConfigError: It is no such file, or it breaks off.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ConfigError(f"{path} is no GGUF file.", "Name a file of llama.cpp's format.")
            _, _, count = _unpack(file, "<IQQ")
            return dict(_entry(file) for _ in range(count))
    except (OSError, struct.error, UnicodeDecodeError, KeyError) as error:
        raise ConfigError(f"{path} cannot be read as GGUF: {error!r}.", "Is the file whole?") from error


def quantisation_of(head: dict[str, Any]) -> str:
    """Name how the weights are kept; empty where the head names none that is known here."""
    return _QUANTISATIONS.get(head.get("general.file_type", -1), "")


def embeds(head: dict[str, Any]) -> bool:
    """Whether the model makes vectors and no text: its architecture pools."""
    return f"{head.get('general.architecture')}.pooling_type" in head


def longest_of(head: dict[str, Any]) -> int:
    """Return the tokens that the model was trained to read; 0 where the head does not say."""
    return int(head.get(f"{head.get('general.architecture')}.context_length", 0))


def _entry(file: BinaryIO) -> tuple[str, Any]:
    key = _text(file)
    (kind,) = _unpack(file, "<I")
    return key, _value(file, kind)


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        inner, count = _unpack(file, "<IQ")
        for _ in range(min(count, _LONGEST)):
            _value(file, inner)
        return count
    return _unpack(file, f"<{_NUMBERS[kind]}")[0]


def _text(file: BinaryIO) -> str:
    (length,) = _unpack(file, "<Q")
    if length > _LONGEST:
        raise struct.error(f"a text of {length} bytes")
    return file.read(length).decode("utf-8", "replace")


def _unpack(file: BinaryIO, shape: str) -> tuple[Any, ...]:
    return struct.unpack(shape, file.read(struct.calcsize(shape)))
