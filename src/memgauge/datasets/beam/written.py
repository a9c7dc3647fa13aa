"""One chat as it is written, from whichever kind of file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memgauge.datasets.beam.batches import Batch
    from memgauge.datasets.beam.schema import ProbeEntry


class CheckedChat(NamedTuple):
    """One chat, checked and not yet understood."""

    name: str
    """Upstream, a number."""
    batches: Sequence[Batch]
    probes: Sequence[tuple[str, ProbeEntry]]
    """Every question with its ability."""
    truncated: bool = False
    """Whether the shortened chat is the one that counts."""


class ChatSource(Protocol):
    """Where chats are written."""

    def chats(self) -> Iterator[CheckedChat]:
        """Read every chat anew; no more than one is held.

        Raises:
            MalformedDataError: One is broken; the message names the file, the row and the field.
        """
        ...
