"""Whether a memory that keeps turns word for word keeps all of their words: small, foreign and late ones too."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from memgauge.records import Form, Verdict
from memgauge.systems.conformance.bench import HERE, judged, turn, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.systems.conformance.bench import Bench, Finding

_KEY: Final = "The spare key to the small shed behind the house hangs on the {side} hook by the door."
TELLING: Final = {
    "small words": "I do not like the old gate, and I never did.",
    "accents": "Zoë's café in Kraków closes at half past nine.",
    "other alphabets": "Владимир lives in 東京 near the מגדל.",
    "digits and signs": "The code is A7/b-C, 0049-30-1234567, 100 % & <not> {less}.",
    "lines": "We need:\n- milk\n- two eggs\nand nothing else.",
    "one of two turns that are nearly alike": _KEY.format(side="left"),
    "the other of two turns that are nearly alike": _KEY.format(side="right"),
    "the end of a long turn": f"{' '.join(f'bed {n} was weeded,' for n in range(100))} and then it hailed.",
}
"""Turns that are cleaned, merged or cut by mistake, by what is lost of them then."""
ORDINARY: Final = 4
_FIRST_PERSON: Final = "I told you we keep my tent here."
"""An ordinary turn too, the shortest: who writes names in place of pronouns retells it, and loses nothing."""
_PROMISE_NO_WORDS: Final = frozenset({Form.SUMMARY, Form.PROFILE})


def keeps_turns_whole(bench: Bench) -> Finding:
    """Keep every word of a turn, where ordinary turns are kept word for word."""
    ordinary, personal = turns()[:ORDINARY], turn(99, _FIRST_PERSON)
    for each in (*ordinary, personal, *(turn(100 + place, text) for place, text in enumerate(TELLING.values()))):
        bench.system.ingest([each], HERE)
    bench.flush()
    memories = bench.dump()
    stored = [_plain(memory.text) for memory in memories]
    as_heard = [_plain(memory.text) for memory in memories if memory.form not in _PROMISE_NO_WORDS]
    if not all(any(_plain(each.text) in text for text in as_heard) for each in ordinary):
        return Verdict.UNSUPPORTED, "it keeps no turns word for word"
    if _is_retold(_plain(_FIRST_PERSON), stored):
        return Verdict.UNSUPPORTED, "it tells turns in other words"
    words = frozenset(word for text in stored for word in text.split())
    lost = [what for what, text in TELLING.items() if not words.issuperset(_plain(text).split())]
    return judged(not lost, f"of turns that it keeps word for word it loses {', '.join(lost)}")


def _is_retold(utterance: str, stored: Sequence[str]) -> bool:
    """Whether a memory has half the words of an utterance, and others in the place of some: it is not only cut.

    What stands before a colon says who spoke, and when.
    """
    if any(utterance in text for text in stored):
        return False
    spoken = set(utterance.split())
    words_of_texts = [set(text.rpartition(": ")[2].split()) for text in stored]
    return any(2 * len(spoken & words) >= len(spoken) and words - spoken for words in words_of_texts)


def _plain(text: str) -> str:
    """Spell a text by its words alone: spaces, case and the form of characters are no loss."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
