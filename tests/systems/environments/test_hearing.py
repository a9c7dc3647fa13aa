"""A product that is handed what a memory hears."""

from __future__ import annotations

from datetime import datetime

from memgauge.records import Scope, Turn
from memgauge.systems.environments.hearing import SAID, hearing
from memgauge.systems.policies.lexical import Bm25Policy

HERE = Scope(user="u")
TURN = Turn("t1", "Ada", "I adopted a cat.", "s1", datetime(2024, 3, 1, 9, 30))  # noqa: DTZ001 - naive as in conversations


def test_turns_begin_with_speaker_and_day_and_it_says_so() -> None:
    """Id, session and time stay; capabilities name it, so that a run of it is another run."""
    system = hearing(Bm25Policy())
    system.ingest([TURN], HERE)
    (memory,) = system.dump(HERE)
    assert memory.text.startswith("Ada (1 March 2024): ")
    assert memory.text.endswith("I adopted a cat.")
    assert memory.sources == ("t1",)
    assert SAID in system.capabilities().interventions
    assert SAID not in Bm25Policy().capabilities().interventions
