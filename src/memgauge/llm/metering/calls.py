"""One call of a model that was passed on: what was asked, how it ended, and what it took; never what was said."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from memgauge.llm.metering.reading import NOTHING, UNKNOWN, TokenCount
from memgauge.metering import LONGEST
from memgauge.text.scrubbing import HIDDEN, Scrubber

if TYPE_CHECKING:
    from collections.abc import Mapping

MARKED: Final = "x-memgauge-"
"""How heads begin that are between us, and go no further."""
PRODUCT, PHASE, UNIT = (f"{MARKED}{name}" for name in ("product", "phase", "unit"))
UNNAMED: Final = "unnamed"
_LABEL: Final = 80
_UNFIT: Final = re.compile(r"[^\w .,:;=@()/+-]")


class CallRoute(StrEnum):
    """What a model is asked for."""

    CHAT = "chat"
    COMPLETION = "completion"
    EMBEDDINGS = "embeddings"
    OTHER = "other"

    @classmethod
    def of(cls, path: str) -> CallRoute:
        """Tell it by the end of a path."""
        ends = {"/chat/completions": cls.CHAT, "/completions": cls.COMPLETION, "/embeddings": cls.EMBEDDINGS}
        return next((route for end, route in ends.items() if path.endswith(end)), cls.OTHER)


class CallEnd(StrEnum):
    """How a call ended."""

    OK = "ok"
    REFUSED = "refused"
    """The server of the model said no; its status says why."""
    UNREACHABLE = "unreachable"
    """Nobody listened there."""
    LATE = "late"
    """Nothing came in time."""
    BROKEN = "broken"
    """The reply broke off, or was larger than anything may be."""
    GONE = "gone"
    """Whoever asked did not wait for the end."""
    UNFIT = "unfit"
    """The request was not passed on: too large, too slow, without a length, or no call of a model."""
    CAPPED = "capped"
    """It was not passed on, since the money is spent."""

    @property
    def sent(self) -> bool:
        """Whether a model's server may have seen it."""
        return self not in {CallEnd.UNREACHABLE, CallEnd.UNFIT, CallEnd.CAPPED}


@dataclass(frozen=True, slots=True)
class CallMarks:
    """On whose behalf a model is asked."""

    product: str = ""
    phase: str = ""
    unit: str = ""
    """Which piece of its work; it is written nowhere."""

    @property
    def heads(self) -> dict[str, str]:
        """Spell them as heads of a request."""
        pairs = ((PRODUCT, self.product), (PHASE, self.phase), (UNIT, self.unit))
        return {name: quote(value) for name, value in pairs if value}

    @classmethod
    def read(cls, heads: Mapping[str, str], path: str) -> tuple[CallMarks, str]:
        """Read them from heads in lower case, or from a path ``/as/PRODUCT/PHASE/…``; return its rest."""
        marks = cls(*(unquote(heads.get(name, "")) for name in (PRODUCT, PHASE, UNIT)))
        parts = path.split("/", 4)
        if len(parts) == 5 and parts[1] == "as":
            named = replace(marks, product=unquote(parts[2]), phase=unquote(parts[3]))
            return named, f"/{parts[4]}"
        return marks, path

    def cleaned(self, keys: Scrubber) -> CallMarks:
        """Return them fit to be written: short, of plain characters, without what was shown as a key."""
        return CallMarks(label(self.product, keys), label(self.phase, keys), self.unit)


def label(text: str, keys: Scrubber, longest: int = _LABEL) -> str:
    """Return a name fit to be written; one that holds a key is hidden, whoever put it there."""
    clean = keys.text(text)
    return _UNFIT.sub("?", clean)[:longest] if HIDDEN not in clean else HIDDEN


@dataclass(frozen=True)
class AskedCall:
    """A request as it came."""

    route: CallRoute
    path: str
    """Without marks and query."""
    body: Mapping[str, Any] | None
    """``None`` where it is no JSON object."""
    size: int
    """Bytes of its body."""
    marks: CallMarks = CallMarks()
    heads: Mapping[str, str] = field(default_factory=dict)
    """In lower case."""
    method: str = "POST"
    digest: bytes = b""
    """Of its body, by which it is known when it comes again."""

    @property
    def keys(self) -> Scrubber:
        """Know what was shown as a key, so that it is taken out of whatever is written."""
        shown = [self.heads.get(name, "") for name in ("authorization", "api-key", "x-api-key")]
        return Scrubber(word for value in shown for word in value.split() if word.lower() != "bearer")

    @property
    def model(self) -> str:
        """Return the name of the model that is asked."""
        named = (self.body or {}).get("model")
        return label(named, self.keys, LONGEST) if isinstance(named, str) and named else UNNAMED


@dataclass(frozen=True)
class CallOutcome:
    """What came of a request."""

    end: CallEnd
    status: int = 0
    """Of HTTP, as whoever asked saw it; 0 where there was none."""
    taken: TokenCount = UNKNOWN
    written: TokenCount = NOTHING
    legible: bool = True
    """Whether the reply could be read."""
    seconds: float = 0.0
    first_s: float | None = None
    """Until the first byte of the reply; ``None`` where none came."""
