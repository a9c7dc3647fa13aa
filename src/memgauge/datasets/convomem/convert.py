"""From a test case to chats, questions, and gold that is found by speaker and text."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from memgauge.records import Case, Conversation, Evidence, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Mapping, Sequence

    from memgauge.datasets.convomem.schema import ConversationEntry, EvidenceItem, TestCaseEntry
    from memgauge.datasets.entries import Entry

CHANGING: Final = "changing"
ABSTENTION: Final = "abstention"
KINDS: Final = {
    ABSTENTION: "abstention",
    CHANGING: "changing",
    "implicit": "implicit-connection",
    "preference": "preference",
    "assistant": "assistant-facts",
    "user": "user-facts",
}
"""What the name of a folder says of its questions, by a part of it."""
LAST: Final = "last"
"""Of what changed only the last version is evidence."""

Spoken = tuple[str, str]


def kind_of(folders: Sequence[str]) -> str:
    """Return the type of the questions of a file from the names of its folders, the nearest first."""
    for name in reversed(folders):
        for part, kind in KINDS.items():
            if part in name.casefold():
                return kind
    return folders[-1] if folders else "question"


def entry_of(name: str, kind: str, case: TestCaseEntry, versions: str, oddities: Counter[str]) -> Entry:
    """Convert one test case; its chats have no dates, and stand in the order of the file."""
    sessions = tuple(_session(number, chat) for number, chat in enumerate(case.chats(), 1) if chat.messages)
    places: defaultdict[Spoken, list[str]] = defaultdict(list)
    for session in sessions:
        for turn in session.turns:
            places[turn.speaker, turn.text].append(turn.id)
    questions = tuple(
        Question(f"{name}:q{number}", name, item.question, kind) for number, item in enumerate(case.items, 1)
    )
    golds = tuple(
        _gold(question.id, kind, item, places, versions, oddities)
        for question, item in zip(questions, case.items, strict=True)
    )
    return Case(Conversation(name, sessions), questions), golds


def _session(number: int, chat: ConversationEntry) -> Session:
    key = f"c{number:03d}"
    turns = tuple(
        Turn(f"{key}:t{place:03d}", message.speaker, message.text, key, role=message.speaker.lower())
        for place, message in enumerate(chat.messages, 1)
    )
    return Session(key, None, turns)


def _gold(
    key: str,
    kind: str,
    item: EvidenceItem,
    places: Mapping[Spoken, Sequence[str]],
    versions: str,
    oddities: Counter[str],
) -> Gold:
    evidence = [
        _evidence(message.text, places.get((message.speaker, message.text), ()))
        for message in item.message_evidences
    ]
    oddities["evidence"] += len(evidence)
    oddities["evidence_not_found"] += sum(not entry.turns for entry in evidence)
    oddities["evidence_found_repeatedly"] += sum(len(entry.turns) > 1 for entry in evidence)
    stale = None
    if kind == CHANGING and versions == LAST:
        versions_in_order = sorted((entry for entry in evidence if entry.exact), key=lambda entry: entry.turns)
        stale = tuple(
            dict.fromkeys(
                turn
                for entry in versions_in_order[:-1]
                for turn in entry.turns
                if turn not in versions_in_order[-1].turns
            )
        )
        oddities["stale_inferred"] += len(stale)
        evidence = [entry for entry in evidence if not entry.exact or entry is versions_in_order[-1]]
    return Gold(
        question=key,
        evidence=tuple(evidence),
        answers=(item.answer,),
        raw_answer=item.answer,
        abstain=kind == ABSTENTION,
        stale=stale,
    )


def _evidence(text: str, turns: Sequence[str]) -> Evidence:
    """Name the message that has the text: exact where there is one, and only under repair where there are more."""
    return Evidence(text, exact=len(turns) == 1, turns=tuple(turns))
