"""A benchmark of one conversation and a few questions, small enough to be scored by hand."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from memgauge.datasets.base import DatasetIdentity
from memgauge.records import Case, Conversation, Erratum, Evidence, Gold, Question, Session, Turn
from memgauge.runs.play.plan import Plan, PlannedRun
from memgauge.runs.record.manifest import Limits, Manifest, dataset_part, system_part
from memgauge.systems.catalogue import open_system

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SAID = (
    (("Ada", "I adopted a grey cat called Mist."), ("Ben", "Lovely."), ("Ada", "Mist sleeps on the piano.")),
    (("Ben", "I moved to Porto in March."), ("Ada", "How is the flat?"), ("Ben", "Small but sunny.")),
    (("Ada", "Mist broke the lamp."), ("Ben", "Poor lamp."), ("Ada", "I bought a new one in Porto.")),
)


def conversation(name: str = "c1") -> Conversation:
    """Make three sessions of three turns, ``t1`` to ``t9``."""
    sessions = []
    for n, said in enumerate(SAID):
        at = datetime(2024, 3, n + 1, 9, 30)  # noqa: DTZ001 - the time of a conversation is naive
        turns = tuple(
            Turn(f"t{3 * n + i + 1}", speaker, text, f"s{n + 1}", at) for i, (speaker, text) in enumerate(said)
        )
        sessions.append(Session(f"s{n + 1}", at, turns))
    return Conversation(name, tuple(sessions))


def question(number: int, category: str = "fact", *, after: str | None = None, of: str = "c1") -> Question:
    """Ask something about the conversation *of*."""
    asked = datetime(2024, 4, 1) if after is None else None  # noqa: DTZ001 - as above
    return Question(f"{of}-q{number}", of, f"What about {number}?", category, asked, after)


def gold(of: Question, *turns: str, malformed: tuple[str, ...] = (), doubt: bool = False) -> Gold:
    """Name the evidence turns of a question; *malformed* entries resolve under repair alone."""
    entries = [Evidence(turn, exact=True, turns=(turn,)) for turn in turns]
    entries += [Evidence(f"<{turn}>", exact=False, turns=(turn,)) for turn in malformed]
    erratum = Erratum("wrong", "the label is doubted", corrupts_answer=True) if doubt else None
    return Gold(of.id, tuple(entries), ("an answer",), erratum=erratum)


@dataclass(frozen=True)
class Handmade:
    """A dataset out of what it is given."""

    each: tuple[tuple[Case, tuple[Gold, ...]], ...]
    name: str = "handmade"
    options: Mapping[str, str] = field(default_factory=dict)
    pinned: bool = True

    @property
    def identity(self) -> DatasetIdentity:
        """Hash the content."""
        sha256 = hashlib.sha256(repr(self.each).encode()).hexdigest()
        return DatasetIdentity(self.name, self.name, sha256, self.options, self.pinned)

    def cases(self) -> Iterator[Case]:
        """Yield the conversations."""
        return (case for case, _ in self.each)

    def gold(self) -> Iterator[Gold]:
        """Yield the gold in order."""
        return (gold for _, golds in self.each for gold in golds)

    def describe(self) -> Mapping[str, object]:
        """Count conversations."""
        return {"conversations": len(self.each)}


def two_questions() -> Handmade:
    """Ask for t1 and t3 (q1), and for t9 (q2)."""
    asked = (question(1), question(2, "time"))
    return Handmade(((Case(conversation(), asked), (gold(asked[0], "t1", "t3"), gold(asked[1], "t9"))),))


def five_questions() -> Handmade:
    """Add one without evidence, one with malformed evidence, one in doubt; q2 is asked after the first session."""
    asked = (question(1), question(2, after="s1"), question(3), question(4, "time"), question(5, "time"))
    golds = (
        gold(asked[0], "t1", "t3"),
        gold(asked[1], "t3"),
        gold(asked[2]),
        gold(asked[3], malformed=("t4",)),
        gold(asked[4], "t9", doubt=True),
    )
    return Handmade(((Case(conversation(), asked), golds),))


def many_questions(conversations: int = 4, each: int = 6) -> Handmade:
    """Ask for the first turn, over and over, in several conversations."""
    made = []
    for c in range(conversations):
        asked = tuple(question(n, of=f"c{c}") for n in range(each))
        made.append((Case(conversation(f"c{c}"), asked), tuple(gold(q, "t1") for q in asked)))
    return Handmade(tuple(made))


def planned(dataset: Handmade, *systems: str, limits: Limits | None = None, seed: int = 0) -> Plan:
    """Plan runs on a dataset that no catalogue knows."""
    cases = list(dataset.cases())
    cells = []
    for ref in systems:
        system = open_system(ref, seed=seed)
        manifest = Manifest(
            dataset=dataset_part(dataset.identity),
            system=system_part(ref, ref.removeprefix("support.systems:"), system),
            limits=limits or Limits(),
            seed=seed,
        )
        cells.append(PlannedRun(manifest, len(cases), 9 * len(cases), sum(len(case.questions) for case in cases)))
    return Plan(tuple(cells), {dataset.identity.ref: dataset})
