"""Spoiling files: one valid sample, any number of broken ones, all from one source of chance."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memgauge.errors import MemgaugeError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping
    from pathlib import Path

VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**400, 1e308, -1e308, float("nan"), float("inf"),
    "", " ", "\0", "\ud800", "\u202e", "\x1b[31m", "a" * 5000, "../../etc/passwd", "/etc/passwd", "=1+1", "-0",
    "<script>", "0001-01-01", "9999-12-31T23:59:59+00:00", "2024-02-30", "999999999999999999999", "1e999", "②",
    [], {}, [[]], [None], {"": None}, [{}], [1, "1"], {"a": {"a": {"a": 1}}},
)  # fmt: skip
"""What stands where something else belongs."""
TOKENS = (
    b"[" * 3000, b'{"a":' * 3000, b"]" * 50, b"9" * 5000, b"NaN", b"-Infinity", rb'"\ud800"', b"\xff\xfe", b"\0",
    b"\xef\xbb\xbf", b"\n", b"\r", b"\r\n", b"\xe2\x80\xa8", b'"', b"'", b"\\", b",", b":", b"{", b"}", b"[", b"]",
    b"&a [*a]", b"*a", b"!!python/object:os.system x", b"!!timestamp x", b"!!bool x", b"- - - ", b"<<: *a",
    b"\t", b"1e999", b"-", b"\x1b[2J", b"null", b"%", b"#", b";", b"2024-99-99", b"0x", b"\xed\xa0\x80",
)  # fmt: skip
"""What stands between bytes where nothing belongs."""
Sample = dict[str, bytes]
"""Files by their path below a folder."""


@dataclass(frozen=True)
class Reader:
    """Something that reads files of others."""

    name: str
    sample: Callable[[], Sample]
    read: Callable[[Path], object]
    """Reads everything below a folder, to the last value."""
    spoil: tuple[str, ...] = ()
    """The files that are spoilt; all, when none is named."""


class Escaped(AssertionError):  # noqa: N818 - it says what happened
    """A reader neither returned nor refused in words."""


def spoilt(sample: Mapping[str, bytes], chance: random.Random, names: tuple[str, ...] = ()) -> Sample:
    """Break one or two files of a sample, in one to four places each."""
    files = dict(sample)
    for name in chance.sample(sorted(names or files), k=1):
        for _ in range(chance.choice((1, 1, 2, 4))):
            files[name] = _once(files[name], chance)
    return files


def attempt(reader: Reader, files: Mapping[str, bytes], folder: Path) -> str:
    """Let *reader* read *files* below an empty *folder*; return how it ended: ``read``, or the name of an error.

    Raises:
        Escaped: Something else came out, or an error that names no file.
    """
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            reader.read(folder)
    except MemgaugeError as error:
        if not any(name.rpartition("/")[2] in str(error) for name in files) and str(folder) not in str(error):
            raise Escaped(f"{reader.name}: an error that names no file: {error}") from error
        return type(error).__name__
    except Exception as error:
        raise Escaped(f"{reader.name}: {type(error).__name__}: {str(error)[:300]}") from error
    return "read"


def _once(content: bytes, chance: random.Random) -> bytes:
    return chance.choice((_structure, _structure, _structure, _structure, _bytes, _bytes))(content, chance)


def _structure(content: bytes, chance: random.Random) -> bytes:
    """Break a value inside JSON, or inside one line of JSON; other files byte by byte."""
    try:
        return _spell(_changed(json.loads(content), chance))
    except (ValueError, RecursionError):
        pass
    lines = content.split(b"\n")
    number = chance.randrange(len(lines))
    try:
        lines[number] = _spell(_changed(json.loads(lines[number]), chance))
    except (ValueError, RecursionError):
        return _bytes(content, chance)
    if chance.random() < 0.2:
        lines.insert(chance.randrange(len(lines)), chance.choice(lines))
    return b"\n".join(lines)


def _spell(value: Any) -> bytes:
    return json.dumps(value).encode()


def _changed(value: Any, chance: random.Random) -> Any:
    """Change one place of a value: another value, one less, one twice, or another name."""
    if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
        return chance.choice(VALUES)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = chance.choice(keys)
    what = chance.random()
    if what < 0.7:
        value[key] = _changed(value[key], chance)
    elif what < 0.8:
        del value[key]
    elif isinstance(value, list):
        value.insert(chance.choice(keys), json.loads(json.dumps(chance.choice(value))))
    else:
        value[chance.choice(("", "x", "\ud800", "__class__", *keys))] = value.pop(key)
    return value


def _bytes(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content) + 1)
    to = min(len(content), at + chance.choice((1, 2, 8, 64, 1024)))
    match chance.randrange(6):
        case 0:
            return content[:at]
        case 1:
            return content[:at] + content[to:]
        case 2:
            return content[:to] + content[at:]
        case 3:
            return content[:at] + chance.choice(TOKENS) + content[at:]
        case 4:
            return content[:at] + chance.choice(TOKENS) + content[to:]
        case _:
            flipped = bytes(byte ^ (1 << chance.randrange(8)) for byte in content[at : at + 1])
            return content[:at] + flipped + content[at + 1 :]
