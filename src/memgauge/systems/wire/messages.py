"""``wire/1``: JSON-RPC 2.0, one message a line, UTF-8; the same bodies travel by HTTP POST."""

from __future__ import annotations

import json
from typing import Any, Final

from memgauge.errors import ContractBreach
from memgauge.text.jsons import object_of
from memgauge.text.scrubbing import Scrubber

PROTOCOL: Final = "wire/1"
LIMIT: Final = 256 * 1024 * 1024
"""Bytes that one message may have."""

NO_KEYS: Final = Scrubber(())
UNREADABLE: Final = -32700
NO_REQUEST: Final = -32600
NO_METHOD: Final = -32601
BAD_PARAMETERS: Final = -32602
RAISED: Final = -32000
"""The memory raised; ``data.kind`` names the class of the error."""
BROKEN: Final = -32001
"""The memory returned something that the protocol forbids."""
CANCELLED: Final = -32002
NOT_OPENED: Final = -32003
"""The memory could not be opened."""


def request(number: int, method: str, params: object) -> bytes:
    """Spell a request."""
    return _line({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def notice(method: str, params: object) -> bytes:
    """Spell a notification, which is not answered."""
    return _line({"jsonrpc": "2.0", "method": method, "params": params})


def result(number: object, value: object) -> bytes:
    """Spell the answer to request *number*."""
    return _line({"jsonrpc": "2.0", "id": number, "result": value})


def failure(number: object, error: dict[str, Any]) -> bytes:
    """Spell that request *number* failed."""
    return _line({"jsonrpc": "2.0", "id": number, "error": error})


def fault(code: int, message: str, **data: object) -> dict[str, Any]:
    """Make the error of a failed request."""
    return {"code": code, "message": message, **({"data": data} if data else {})}


def read(line: bytes, keys: Scrubber = NO_KEYS) -> dict[str, Any]:
    """Read one line, and take *keys* out of it.

    Raises:
        ContractBreach: It is no JSON object; the message shows how it begins.
    """
    message = object_of(line)
    if message is None:
        start = keys.error(line.decode("utf-8", "replace"))[:80].strip()
        raise ContractBreach(f"{start!r} came where a JSON-RPC message belongs; print to stderr instead")
    return keys.message(message, line.decode("utf-8", "replace")) if keys else message


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
