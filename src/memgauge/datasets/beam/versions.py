"""What BEAM says of time and contradiction: which messages an update made stale, which two statements disagree.

A question of the ability knowledge_update names the messages of the original and of the updated information, and
both are its official sources. So by default both are evidence, as for published numbers, and nothing is stale: a
turn cannot be what should be found and what should not. Under ``update_evidence=updated`` the updated ones alone
are evidence and the original ones are stale. Time can then be measured, and retrieval is scored by other gold than
the published one. A label that cannot be split (no update is named, or an id of either side does not name one
message) keeps both and names no versions. A message that states both is evidence.

Two statements that contradict each other are two values of one slot of the user. Which of them holds is not said:
the wanted reply points the contradiction out, so that finding both is no fault of a system, and neither ends. A
statement is no span of a text; its value is the first message that makes it, whole, so that a hit of several turns
says it when it holds that message. Where one message makes both statements nothing is between two turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.records import Fact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memgauge.datasets.beam.schema import ProbeEntry

BOTH = "both"
UPDATED = "updated"
EVIDENCE: dict[str, str] = {
    BOTH: "the messages of the original and of the updated information, as published",
    UPDATED: "those of the update alone, and the original ones are stale",
}
UPDATE = "knowledge_update"
CONTRADICTION = "contradiction_resolution"
_STATEMENTS = ("first_statement", "second_statement")


def versions_of(
    probe: ProbeEntry, turns: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Split the sources of an update into those that are evidence, as written, and the turns that are stale."""
    updated = probe.sources("updated_info")
    new, old = _turns(updated, turns), _turns(probe.sources("original_info"), turns)
    if not new or not old:
        return probe.sources(), None
    return updated, tuple(turn for turn in old if turn not in new)


def facts_of(
    conversation: str,
    question: str,
    ability: str,
    probe: ProbeEntry,
    turns: Mapping[str, tuple[str, ...]],
    texts: Mapping[str, str],
) -> Iterator[Fact]:
    """Yield the two statements of a contradiction, where each has a message of its own."""
    if ability != CONTRADICTION:
        return
    first, second = (_turns(probe.sources(role), turns) for role in _STATEMENTS)
    shared = set(first) & set(second)
    stating = [tuple(turn for turn in each if turn not in shared) for each in (first, second)]
    if all(stating):
        for role, own in zip(_STATEMENTS, stating, strict=True):
            yield Fact(f"{question}:{role}", conversation, "user", question, texts[own[0]], own, spoken=False)


def _turns(sources: Iterable[str], turns: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the distinct turns that *sources* name, or none where one of them does not name one turn."""
    named = [turns.get(raw, ()) for raw in sources]
    return tuple(dict.fromkeys(turn for (turn,) in named)) if all(len(each) == 1 for each in named) else ()
