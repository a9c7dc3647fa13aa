"""What enters the record of a search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgauge.records import Hit, Memory, Ranking, Receipt, Turn
from memgauge.runs.record.answers import freeze
from memgauge.runs.record.lineage import LineageLedger
from memgauge.runs.record.manifest import Limits

TURNS = [Turn(f"t{n}", "Ada", f"word {'x' * n}", "s1") for n in range(9)]
HITS = st.lists(
    st.builds(
        Hit,
        st.sampled_from([Memory(turn.id, turn.text) for turn in TURNS] + [Memory("z", "not said")]),
        st.none() | st.floats(),
    ),
    max_size=12,
)


@given(hits=HITS, k=st.integers(1, 12), budget=st.none() | st.integers(1, 30))
def test_a_frozen_ranking_is_a_prefix_without_repetitions(hits: list[Hit], k: int, budget: int | None) -> None:
    """Whatever is returned, order and first occurrence stay, limits hold, and nothing vanishes uncounted."""
    ledger = LineageLedger()
    ledger.wrote(TURNS, Receipt())
    frozen = freeze(Ranking(tuple(hits)), ledger, Limits(k=k, budget_tokens=budget))
    distinct = list(dict.fromkeys(hit.memory.id for hit in hits))
    ids = [kept.memory.id for kept, _ in frozen.hits]
    assert ids == distinct[: len(ids)]
    assert len(ids) <= k
    assert frozen.capped == len(distinct) - len(ids)
    assert frozen.tokens == sum(-(-len(kept.memory.text) // 4) for kept, _ in frozen.hits)
    assert frozen.characters == sum(len(kept.memory.text) for kept, _ in frozen.hits)
    assert budget is None or frozen.tokens <= budget
    assert ("duplicate hits returned; the first counts" in frozen.notes) == (len(distinct) < len(hits))
    assert ("more than k hits returned; cut by the harness" in frozen.notes) == (len(distinct) > k)


def test_the_notes_of_the_system_come_first() -> None:
    """What the system says of its list stands before what the harness found."""
    frozen = freeze(Ranking((Hit(Memory("z", "?")),), notes=("merged",)), LineageLedger(), Limits())
    assert frozen.notes == ("merged", "hits of unknown origin: nothing ties them to what was written")
