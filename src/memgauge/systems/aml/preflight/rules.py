"""The rules that a preflight looks at: how sure each is, what the platform does then, and a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_ENDS: Final = "The stage fails at once (●●●)."
_NEVER: Final = "The answer is never asked for again, and one such answer can end a Full run (●●●)."
_SCORE: Final = "Nobody says so: it scores as a worse memory (●●●)."


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the contract."""

    title: str
    text: str
    sure: int
    """How many say so: 1 one, 2 two to four, 3 five or more, or somebody saw it happen."""
    then: str
    """What the platform does where it is broken."""
    remedy: str


RULES: Final[Mapping[str, Rule]] = {
    "health": Rule(
        "health without a key",
        "GET of the health address answers with 2xx to whoever asks.",
        3,
        "The server counts as unreachable, and nothing begins.",
        "Leave the health address out of what asks for a key.",
    ),
    "key": Rule(
        "401 without the key",
        "Add and Search answer who shows no key, or another, with 401.",
        3,
        "Nothing; but anybody can write into what is measured.",
        "Check the key before the body is read, and answer 401.",
    ),
    "success": Rule(
        "Add says success",
        "200 and `success`, the boolean true, once the messages are durable and can be found; no 202.",
        3,
        f"{_ENDS} Cycle 2 takes 202 with a status address that was approved before (●●).",
        'Answer 200 with {"success": true, …} when the write is done.',
    ),
    "echo": Rule(
        "ids come back as they came",
        "request_id, user_id and session_id are echoed byte for byte.",
        3,
        _ENDS,
        "Take ids for opaque: no trimming, no case, no normal form.",
    ),
    "errors": Rule(
        "errors are JSON",
        'An error has the body {"detail": {"reason": "…"}}.',
        2,
        "The reason is lost: everything is one ADD_API_CONTRACT_MISMATCH (●).",
        "Let errors of the framework and the proxy answer in JSON too.",
    ),
    "shape": Rule(
        "Search answers as the contract says",
        '{"data": [{"id", "content", "score"?, "created_at"?}]}, best first; options are allowed in the request.',
        3,
        _ENDS,
        "Put hits under data, each with an id and a content that are texts.",
    ),
    "visible": Rule(
        "found at once",
        "What an Add has answered with 200 is found by the next Search.",
        3,
        _SCORE,
        "Wait for the index before Add answers.",
    ),
    "empty": Rule(
        "an unknown user has nothing",
        'Search of a user that nothing was added for answers 200 with {"data": []}.',
        3,
        _NEVER,
        "Answer with an empty list, not with 404.",
    ),
    "top_k": Rule(
        "no more than top_k",
        "Search returns at most top_k hits; formal runs ask for 100.",
        3,
        "Cycle 1 reads the first top_k (●); cycle 2 takes more for an error (●●).",
        "Cut the list before it is sent.",
    ),
    "replay": Rule(
        "a replay stores once",
        "The same Add again answers 200 and stores nothing: the platform retries.",
        3,
        _SCORE,
        "Keep a ledger of user_id and request_id beside the store.",
    ),
    "conflict": Rule(
        "the same id with another body",
        "It is refused, and the first stays. The contract does not say so: entrants agree on it.",
        2,
        "409 is asked again, up to 32 times in cycle 2 (●●); 400 and 422 are not.",
        "Keep a hash of the body in the ledger, and answer 422.",
    ),
    "isolation": Rule(
        "users are kept apart",
        "user_id, compared exactly, is the only boundary.",
        3,
        "Nobody says so: answers of one sample leak into another, which the rules forbid.",
        "Compare user_id byte for byte: no case, no trimming, no normal form, no prefix.",
    ),
    "sessions": Rule(
        "sessions do not filter",
        "session_id groups messages; Search knows no session and finds in all.",
        3,
        _SCORE,
        "Search by user_id alone.",
    ),
    "chunks": Rule(
        "a session in several Adds",
        "Sessions are split above 20 messages or 2,000 words; all chunks are kept, in their order.",
        3,
        _SCORE,
        "Let an Add append to its session, never replace it.",
    ),
    "unknown": Rule(
        "unknown fields are passed over",
        "Fields that the contract does not have change nothing.",
        2,
        _NEVER,
        "Do not forbid extra fields.",
    ),
    "types": Rule(
        "wrong types are refused",
        "A body of wrong types gets 4xx, never 5xx and never success.",
        2,
        "5xx is asked again until attempts are used up.",
        "Validate strictly, and answer 422.",
    ),
    "texts": Rule(
        "odd texts",
        "Emoji, other scripts, NUL, half surrogate pairs and white space are texts like others.",
        2,
        "5xx is asked again until attempts are used up; 4xx can end a Full run.",
        "Replace what the store cannot hold, before it is stored.",
    ),
    "times": Rule(
        "any time, and none",
        "timestamp is optional; any Unix millisecond to the year 9999 is taken, nonsense is no time.",
        3,
        f"{_NEVER} An entrant lost its Full to dates after 2100.",
        "Treat what is no time as no time.",
    ),
    "long": Rule(
        "long messages",
        "A message may have 2,000 words; its last words are found like its first.",
        2,
        _SCORE,
        "Cut into passages, not off; see what the embedder reads.",
    ),
    "repeat": Rule(
        "the same order twice",
        "The same Search answers with the same hits in the same order.",
        2,
        "Nobody says so: a second run scores otherwise.",
        "Order equals by id.",
    ),
    "load": Rule(
        "many at once",
        "64 Adds and 256 Searches at a time; whoever is full answers 429 with Retry-After.",
        2,
        "Errors are asked again as the cycle says; what is lost scores as a worse memory.",
        "Lock writes of one user; answer 429 with Retry-After when full.",
    ),
    "time": Rule(
        "every call returns in time",
        "One call may take 1,200 s in cycle 1 and 1,800 s in cycle 2; proxies often end it after 100 s.",
        3,
        "It counts as no answer; Add is asked again, into what may still be running.",
        "Answer sooner, or lift the limits of what stands before the server.",
    ),
    "durable": Rule(
        "a restart loses nothing",
        "200 means durable: after a restart it is found, and a replay still stores once.",
        3,
        _SCORE,
        "Write to disk before 200, the ledger with it.",
    ),
    "deletion": Rule(
        "nothing is deleted",
        "There is no Delete and no Update. Data is used for the run alone and deleted within 30 days of it.",
        3,
        "Nothing; the duty is of the organisation.",
        "Delete the users of this preflight yourself; every one begins with the prefix that it names.",
    ),
}
"""By the key of its row, in the order in which they are looked at."""
DOTS: Final[Mapping[int, str]] = {1: "●", 2: "●●", 3: "●●●"}
