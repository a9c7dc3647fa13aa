"""What is sent for an address: its bytes with what they are, as they are kept and held for a moment."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.responses import Response

    from memgauge.web.address import Address

AGAIN_S: Final = 1.0
"""Seconds for which a page that was made is sent again to whoever asks for the same."""
AGAIN: Final = 256, 1 << 18
"""How many pages are held for that, and of how many bytes each at most."""


@dataclass(frozen=True)
class SentPage:
    """A page, a table or a drawing, or what went wrong."""

    content: bytes
    media: str
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200

    @property
    def response(self) -> Response:
        """Return it as it is sent."""
        from starlette.responses import Response

        return Response(self.content, self.status, dict(self.headers), self.media)

    @property
    def written(self) -> bytes:
        """Return it as it is kept: a line of what it is, and the bytes."""
        return json.dumps([self.status, self.media, dict(self.headers)]).encode() + b"\n" + self.content

    @classmethod
    def read(cls, stored: bytes) -> Self:
        """Read what was kept."""
        head, _, content = stored.partition(b"\n")
        status, media, headers = json_of(head)
        return cls(content, media, headers, status)


class RecentlySent:
    """What was sent in the last moment, by address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._held: OrderedDict[Address, tuple[float, SentPage]] = OrderedDict()

    def get(self, address: Address) -> SentPage | None:
        """Return what was made a moment ago."""
        made_at, page = self._held.get(address, (0.0, None))
        return page if page is not None and self._clock() - made_at < AGAIN_S else None

    def put(self, address: Address, page: SentPage) -> None:
        """Hold what was made now."""
        most_pages, largest = AGAIN
        self._held.pop(address, None)
        if len(page.content) <= largest:
            self._held[address] = self._clock(), page
        while len(self._held) > most_pages:
            self._held.popitem(last=False)
