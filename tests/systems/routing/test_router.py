"""A memory that chooses among memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.records import Receipt, Scope, Turn
from memgauge.systems import Capabilities, Role, open_system
from memgauge.systems.protocol import Consistency, Unit
from memgauge.systems.routing.router import NOTE, MemoryRouter
from support.systems import Notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

ADA = Scope("ada")
TURNS = [Turn(f"t{n}", "Ada", text, "s1") for n, text in enumerate(["the beans", "the gate", "rain"])]


class Other(Notebook):
    """Promises less, and says nothing of its writes."""

    promises = Capabilities(consistency=Consistency.FLUSH, k_cap=3, needs=("server",), interventions=("patched",))

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store in silence."""
        super().ingest(turns, scope)
        return Receipt()


def test_each_arm_hears_everything_and_one_answers() -> None:
    """Hits carry the name of the arm that was asked, which the note repeats."""
    router = open_system("ucb:arms=flat+recency")
    receipt = router.ingest(TURNS, ADA) or Receipt()
    assert [change.memory for change in receipt.changes or ()] == [
        f"{a}/t{n}" for a in ("flat", "recency") for n in range(3)
    ]
    assert sorted(memory.id for memory in router.dump(ADA)) == sorted(c.memory for c in receipt.changes or ())
    router.flush(ADA, 1)
    ranking = router.search("the gate", ADA, 2)
    arm = ranking.notes[-1].removeprefix(NOTE)
    assert [hit.memory.id.split("/")[0] for hit in ranking.hits] == [arm, arm]
    assert {hit.memory.channel for hit in ranking.hits} == {arm}


def test_it_learns_from_what_it_is_told_and_forgets_it_on_reset() -> None:
    """An arm that is never rewarded is left; after a reset everything begins anew."""
    router = open_system("ucb:arms=flat+recency")

    def asked() -> str:
        return router.search("the gate", ADA, 1).notes[-1].removeprefix(NOTE)

    def chosen() -> list[str]:
        router.ingest(TURNS, ADA)
        names = []
        for _ in range(40):
            names.append(asked())
            assert isinstance(router, MemoryRouter)
            router.reward(float(names[-1] == "recency"))
        return names

    first = chosen()
    assert first.count("recency") > 25
    router.reset()
    assert list(router.dump(ADA)) == []
    assert chosen() == first


def test_a_reward_counts_once() -> None:
    """Only the answer that was given last is rewarded."""
    router = MemoryRouter("ucb", {"a": Notebook(), "b": Notebook()})
    router.reward(1.0)
    router.search("x", ADA, 1)
    router.reward(1.0)
    router.reward(1.0)
    assert sum(float(pulls.sum()) for pulls in router._learner.pulls.values()) == 1


def test_it_promises_what_all_arms_promise() -> None:
    """The weakest promise holds for the whole, every need and every intervention is told."""
    promises = MemoryRouter("thompson", {"a": Notebook(), "b": Other()}).capabilities()
    assert (promises.consistency, promises.k_cap, promises.reports_changes) == (Consistency.FLUSH, 3, False)
    assert promises.needs == ("server",)
    assert promises.interventions == ("told of each of its answers whether it held evidence", "patched")
    assert MemoryRouter("ucb", {"a": Notebook(), "b": Other()}).ingest(TURNS, ADA).changes is None


@pytest.mark.parametrize(
    ("arms", "what"),
    [("flat", "two different arms"), ("flat+flat", "two different arms"), ("flat+oracle", "cannot be an arm")],
)
def test_arms_that_make_no_router_are_refused(arms: str, what: str) -> None:
    """One arm is no choice, and a ceiling knows the truth."""
    with pytest.raises(ConfigError, match=what):
        open_system(f"ucb:arms={arms}")
    with pytest.raises(UnknownNameError, match="Did you mean flat"):
        open_system("ucb:arms=flat+flatt")


def test_arms_must_take_turns_alike() -> None:
    """What is handed over turn by turn cannot be handed over by session."""

    class Sessions(Notebook):
        promises = Capabilities(unit=Unit.SESSION, role=Role.SYSTEM)

    with pytest.raises(ConfigError, match="a by turn, b by session"):
        MemoryRouter("ucb", {"a": Notebook(), "b": Sessions()})
    with pytest.raises(UnknownNameError, match="Did you mean ucb"):
        MemoryRouter("ucp", {"a": Notebook(), "b": Notebook()})
