"""Whether what is asked can be read in the events at all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.studies.track.timeline.references import text_of
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from memgauge.studies.track.timeline.models import Timeline

_MARKS = re.compile(r"\[[^\]]*\]")
"""``[Cause]``, ``[FINAL ANSWER]``: the form of an answer and nothing of its content."""
_WORD = re.compile(r"\w+")


def unseen(answer: str, timeline: Timeline) -> tuple[str, ...]:
    """Return the parts of an answer that no event holds, word for word or as a day.

    A part that is not seen may still follow from what is: a count, a sum, a date that is said in words.
    """
    said_text = f" {' '.join(_WORD.findall(fold(_everything(timeline))))} "
    parts = [part.strip() for part in re.split(r"[,;\n]", _MARKS.sub(" ", answer))]
    return tuple(part for part in parts if part and not _seen(part, said_text))


def _seen(part: str, said_text: str) -> bool:
    phrase = " ".join(_WORD.findall(fold(part)))
    compact = re.sub(r"\D", "", part) if re.fullmatch(r"[\d\s/.:T-]+", part) else ""
    return f" {phrase} " in said_text or (len(compact) == 8 and f" {compact} " in said_text)


def _everything(timeline: Timeline) -> str:
    pieces = []
    for event in timeline.events:
        payload = event.payload
        pieces += [event.at.strftime("%Y%m%d"), text_of(event)]
        for name in ("status", "priority", "lead", "team", "milestone", "channel", "author", "commit_id"):
            pieces.append(str(getattr(payload, name, "") or ""))
        for name in ("start_date", "expected_finish_date", "closed_date"):
            pieces.append(str(getattr(payload, name, "") or "").replace("-", ""))
        for name in ("labels", "attached_resources", "recipients", "files_changed"):
            pieces += getattr(payload, name, None) or ()
        pieces += [message.sender for message in getattr(payload, "messages", ())]
    return "\n".join(pieces)
