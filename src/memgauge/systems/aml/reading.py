"""Read what the platform sends: types are strict, what is not known is passed over, and no time is ever wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from memgauge.records import Scope, Turn
from memgauge.systems.aml.chunks import AddMessage, time_of

if TYPE_CHECKING:
    from collections.abc import Mapping

IMAGE: Final = "[image]"
"""What stands for a part that is no text."""
_LOST: Final = "\ufffd"


class Refused(Exception):  # noqa: N818 - it is the answer to a request
    """A request that breaks the contract, with the field that does."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(f"{place} {why}")
        self.place = place


@dataclass(frozen=True, slots=True)
class AddRequest:
    """Messages of one session, as one request brings them."""

    request: str
    user: str
    session: str
    messages: tuple[AddMessage, ...]

    @classmethod
    def read(cls, body: object) -> AddRequest:
        """Read a body.

        Raises:
            Refused: A field is missing, or of another type.
        """
        fields = _object(body, "the body")
        rows = fields.get("messages")
        if not isinstance(rows, list) or not rows:
            raise Refused("messages", "is no list with something in it")
        return cls(
            _text(fields, "request_id"),
            _text(fields, "user_id"),
            _text(fields, "session_id", may_be_empty=True),
            tuple(_message(row, f"messages[{place}]") for place, row in enumerate(rows)),
        )

    @property
    def echo(self) -> dict[str, Any]:
        """Return the ids as they came."""
        return {"request_id": self.request, "user_id": self.user, "session_id": self.session}

    @property
    def sha256(self) -> str:
        """Hash what counts of the body: written anew, or with fields that nobody knows, it is the same body."""
        counted = [self.session, [message.plain() for message in self.messages]]
        return sha256(json.dumps(counted).encode()).hexdigest()

    @property
    def turns(self) -> list[Turn]:
        """Return the messages as a memory receives them."""
        return [
            Turn(
                f"{name_of(self.request)}/{place}",
                message.role,
                clean(message.content),
                name_of(self.session),
                message.at,
                clean(message.role),
            )
            for place, message in enumerate(self.messages)
        ]

    def plain(self) -> dict[str, Any]:
        """Spell the request as :meth:`read` takes it."""
        return {**self.echo, "messages": [message.plain() for message in self.messages]}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question, as the platform asks it."""

    query: str
    user: str
    top_k: int

    @classmethod
    def read(cls, body: object) -> SearchRequest:
        """Read a body.

        Raises:
            Refused: A field is missing, or of another type.
        """
        fields = _object(body, "the body")
        top_k = fields.get("top_k")
        if isinstance(top_k, bool) or not isinstance(top_k, int) or top_k < 1:
            raise Refused("top_k", "is no whole number from 1")
        if not isinstance(fields.get("options"), list | None):  # most are wrong answers: not searched with
            raise Refused("options", "is no list")
        query = "" if fields.get("query") == "" else _content(fields.get("query"), "query")
        return cls(query, _text(fields, "user_id"), top_k)


def scope_of(user: str) -> Scope:
    """Return whose memory it is: unlike ids are unlike scopes, and a session is none."""
    return Scope(name_of(user))


def clean(text: str) -> str:
    """Return a text that any store takes: half a surrogate pair and NUL become the sign for what is lost."""
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return whole.replace("\0", _LOST)


def name_of(given: str) -> str:
    """Return an id that any store takes; one that had to be changed keeps apart from others by its hash."""
    cleaned = clean(given)
    if cleaned == given:
        return given
    return f"{cleaned}#{sha256(given.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _object(value: object, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Refused(place, "is no JSON object")
    return value


def _text(fields: Mapping[str, Any], name: str, *, may_be_empty: bool = False) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise Refused(name, "is no text" if may_be_empty else "is no text with something in it")
    return value


def _message(row: object, place: str) -> AddMessage:
    fields = _object(row, place)
    role = fields.get("role")
    if not isinstance(role, str) or not role:
        raise Refused(f"{place}.role", "is no text with something in it")
    return AddMessage(role, _content(fields.get("content"), f"{place}.content"), time_of(fields.get("timestamp")))


def _content(value: object, place: str) -> str:
    """Read a text, or a list of parts (●), of which texts count and pictures are only noted."""
    if isinstance(value, list) and value:
        value = "\n".join(_part(part, f"{place}[{number}]") for number, part in enumerate(value))
    if not isinstance(value, str) or not value:
        raise Refused(place, "is no text with something in it")
    return value


def _part(part: object, place: str) -> str:
    if isinstance(part, str):
        return part
    text = _object(part, place).get("text", IMAGE)
    if not isinstance(text, str):
        raise Refused(f"{place}.text", "is no text")
    return text
