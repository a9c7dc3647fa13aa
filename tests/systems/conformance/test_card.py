"""Cards: measured, saved, read again, and summed up in rows."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from memgauge.errors import MalformedDataError
from memgauge.records import Verdict
from memgauge.results import plain
from memgauge.systems import open_system
from memgauge.systems.conformance.aspects import ClaimState, aspects, costs
from memgauge.systems.conformance.card import Golden, Installed, Ran, golden_of
from memgauge.systems.conformance.footprint import Footprint, Spent
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.systems.conformance.matrix import matrix_of, read_cards
from memgauge.systems.conformance.measure import measure_card
from memgauge.systems.conformance.shipped import shipped_cards
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.wire.usage import SystemUsage
from support import cards as made

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.systems.conformance.aspects import Aspect
    from memgauge.systems.conformance.card import SystemCard


def quick(ref: str, **changes: Any) -> SystemCard:
    """Measure a reference system without waiting."""
    return measure_card(ref, lambda: open_system(ref), patience_s=0.01, settle_s=0.01, **changes)


def saved(card: SystemCard) -> str:
    """Write a card as `memgauge systems card --out` does."""
    return json.dumps(plain(MATRIX.of(matrix_of([card]))))


def row(card: SystemCard, name: str) -> Aspect:
    """Return one row."""
    return next(one for one in aspects(card) if one.name == name)


def test_a_measured_card_survives_saving(tmp_path: Path) -> None:
    """What is read is what was written."""
    card = quick("bm25", installed=Installed("1", "3.11", 2.0, 3.0))
    path = tmp_path / "bm25.json"
    path.write_text(saved(card), "utf-8")
    (again,) = read_cards(path)
    assert saved(again) == saved(card)
    assert aspects(again) == aspects(card)
    assert all(one.state is not ClaimState.BROKEN for one in aspects(card))
    assert not card.problems


@pytest.mark.parametrize(
    ("fault", "aspect"),
    [
        ("raises", "finds what was stored"),
        ("duplicates", "hits are sound"),
        ("too_many", "hits are sound"),
        ("nan", "hits are sound"),
        ("foreign", "hits are sound"),
        ("leaky", "isolation"),
        ("amnesic", "finds what was stored"),
    ],
)
def test_every_fault_breaks_its_row(fault: str, aspect: str) -> None:
    """The reference faults are on the card where a reader looks for them."""
    assert row(quick(f"faulty:{fault}"), aspect).state is ClaimState.BROKEN


def test_a_part_that_raises_is_named_and_costs_no_other() -> None:
    """A golden suite that cannot be played leaves the rest of the card."""

    def broken() -> Any:
        raise RuntimeError("no suite")

    card = quick("faulty:raises", golden=broken)
    assert card.golden is None
    assert card.consistency is None
    assert card.footprint is not None
    assert [one.partition(":")[0] for one in card.problems] == ["consistency", "golden suite"]


def test_a_system_that_does_not_open_has_a_card_that_says_so() -> None:
    """Nothing passes."""

    def refuse() -> Any:
        raise RuntimeError("not today")

    card = measure_card("gone", refuse)
    assert {one.verdict for one in card.checks} == {Verdict.ERROR}
    assert "not today" in card.problems[0]
    assert row(card, "isolation").state is ClaimState.BROKEN


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "is no card"), ('{"ref": 1}', "is no result"), (None, "Cannot read")],
)
def test_what_is_no_card_is_refused_with_a_remedy(tmp_path: Path, text: str | None, said: str) -> None:
    """A reader learns how to make one."""
    path = tmp_path / "card.json"
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(MalformedDataError, match=said) as caught:
        read_cards(path)
    assert "systems card" in str(caught.value)


def test_another_version_is_refused(tmp_path: Path) -> None:
    """A card of the future is not read as one of today, and neither is one that is torn."""
    path = tmp_path / "card.json"
    path.write_text(json.dumps(json.loads(saved(made.card())) | {"version": 9}), "utf-8")
    with pytest.raises(MalformedDataError, match="version 9"):
        read_cards(path)
    path.write_text(json.dumps(json.loads(saved(made.card())) | {"value": {"failures": []}}), "utf-8")
    with pytest.raises(MalformedDataError, match="systems: Field required"):
        read_cards(path)


def test_a_golden_report_is_summed_up_without_its_texts() -> None:
    """Verdicts and the scenarios of each anomaly are kept."""
    told = {
        "scenarios": [
            {
                "result": {"scenario": "erasure.a", "verdict": "fail"},
                "anomalies": ["RESIDUE"],
                "story": ["secret"],
            },
            {"result": {"scenario": "erasure.b", "verdict": "pass"}, "anomalies": []},
        ]
    }
    found = golden_of(told, of=9)
    assert (found.played, found.of) == (2, 9)
    assert found.verdicts == {"fail": 1, "pass": 1}
    assert found.count("RESIDUE", family="erasure") == 1
    assert found.count("RESIDUE", family="isolation") == 0
    assert "secret" not in repr(found)


def _with(**changes: Any) -> Callable[[], SystemCard]:
    return lambda: made.card(**changes)


@pytest.mark.parametrize(
    ("make", "aspect", "state", "said"),
    [
        (_with(consistency=made.consistency(changed=3)), "searching only reads", ClaimState.BROKEN, "3 memories"),
        (
            _with(consistency=made.consistency(files_changed=2)),
            "searching only reads",
            ClaimState.NOTED,
            "2 files",
        ),
        (_with(consistency=made.consistency()), "searching only reads", ClaimState.KEPT, "yes"),
        (_with(), "searching only reads", ClaimState.UNKNOWN, ""),
        (_with(consistency=made.consistency(most=42)), "most hits", ClaimState.NOTED, "42 of 73"),
        (_with(consistency=made.consistency(prefixed=1)), "order holds", ClaimState.BROKEN, "in 1"),
        (_with(consistency=made.consistency(same_order=2)), "order holds", ClaimState.BROKEN, "in 2"),
        (
            _with(consistency=made.consistency(lag=made.lag(found_ms=None))),
            "write to readable",
            ClaimState.BROKEN,
            "only after a flush",
        ),
        (
            _with(consistency=made.consistency(lag=made.lag(lost_again=True))),
            "write to readable",
            ClaimState.BROKEN,
            "lost again",
        ),
        (
            _with(consistency=made.consistency(lag=made.lag(found_after_flush=False))),
            "write to readable",
            ClaimState.BROKEN,
            "not even",
        ),
        (_with(golden=made.golden(CROSS_USER_LEAK=("isolation.x",))), "isolation", ClaimState.BROKEN, "1 golden"),
        (
            _with(golden=made.golden(RESIDUE=("erasure.x", "erasure.y")), offers=("mutable",)),
            "nothing left after erasing",
            ClaimState.BROKEN,
            "2 scenarios",
        ),
        (
            _with(golden=made.golden(RESIDUE=("erasure.x",))),
            "nothing left after erasing",
            ClaimState.NOTED,
            "1 scenarios",
        ),
        (
            _with(
                golden=made.golden(RESIDUE=("erasure.told.x",), ERASED_READ=("erasure.told.x",)),
                offers=("mutable",),
            ),
            "nothing left after erasing",
            ClaimState.UNKNOWN,
            "names no files",
        ),
        (
            _with(
                golden=made.golden(RESIDUE=("erasure.user.x",), ERASED_READ=("erasure.user.x",)),
                offers=("mutable", "erasable", "durable"),
            ),
            "nothing left after erasing",
            ClaimState.BROKEN,
            "1 scenarios",
        ),
        (
            _with(golden=made.golden(), offers=("erasable", "durable")),
            "nothing left after erasing",
            ClaimState.KEPT,
            "none found",
        ),
        (_with(golden=made.golden()), "nothing left after erasing", ClaimState.UNKNOWN, "names no files"),
        (_with(golden=made.golden(FUTURE_READ=("history.x",))), "event time", ClaimState.NOTED, "1 scenarios"),
        (_with(golden=made.golden()), "event time", ClaimState.KEPT, "none found"),
        (_with(golden=made.golden(OMISSION=("a",))), "silent losses", ClaimState.NOTED, "1 of 20"),
        (_with(golden=made.golden()), "corrections replace", ClaimState.KEPT, "none found"),
        (_with(outside={"1.2.3.4:443": 2}), "stays in its place", ClaimState.BROKEN, "1.2.3.4:443 (2)"),
        (_with(outside={}, strayed=("elsewhere",)), "stays in its place", ClaimState.BROKEN, "wrote elsewhere"),
        (_with(outside={}), "stays in its place", ClaimState.KEPT, "yes"),
        (_with(), "stays in its place", ClaimState.UNKNOWN, ""),
        (_with(offers=("expiring",)), "expiry", ClaimState.UNKNOWN, ""),
        (_with(), "expiry", ClaimState.ABSENT, ""),
        (_with(), "lineage", ClaimState.UNKNOWN, ""),
        (lambda: made.card("x", "memories name sources"), "lineage", ClaimState.BROKEN, "sources"),
        (lambda: made.card("x", "expiry (expiring)", offers=("expiring",)), "expiry", ClaimState.BROKEN, "expiry"),
    ],
)
def test_rows_say_how_claim_and_observation_go_together(
    make: Callable[[], SystemCard], aspect: str, state: ClaimState, said: str
) -> None:
    """Each measured fault, each absence and each unknown has its own state and words."""
    found = row(make(), aspect)
    assert found.state is state
    assert said in found.observed


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (Golden(3, 205, {"pass": 3}, {}), "none in the 3 of 205"),
        (Golden(205, 205, {"fail": 205}, {}), "no scenario passes"),
    ],
)
def test_nothing_found_shows_nothing_where_little_was_played_or_nothing_passed(told: Golden, said: str) -> None:
    """What was not looked for, or could not have shown, is unknown and not kept."""
    card = made.card(golden=told, offers=("erasable", "durable"))
    for name in ("nothing left after erasing", "event time", "corrections replace", "silent losses"):
        found = row(card, name)
        assert found.state is ClaimState.UNKNOWN
        assert said in found.observed


def test_a_declared_cap_that_holds_is_kept() -> None:
    """What is declared is no surprise."""
    card = made.card(capabilities={"k_cap": 42}, consistency=made.consistency(most=42))
    assert row(card, "most hits").state is ClaimState.KEPT


def test_costs_are_told_as_far_as_they_are_known() -> None:
    """Bytes, calls and tokens appear where somebody counted."""
    full = Footprint(10, 10, 5, 100, 1000, 2.0, Spent(20, 300))
    assert dict(costs(made.card(footprint=full))) == {
        "bytes a memory": "200",
        "ms a write": "2.0",
        "model calls a write": "2.00",
        "tokens a write": "30",
    }
    bare = Footprint(10, 10, 5, 100, None, 2.0, None)
    assert dict(costs(made.card(footprint=bare))) == {"ms a write": "2.0"}
    assert dict(costs(made.card())) == {}


def test_shipped_cards_are_whole_and_hold_no_text_of_a_turn() -> None:
    """Each is read, names its version, and says where it ran."""
    cards = list(shipped_cards())
    assert len({card.ref for card in cards}) == len(cards) >= 9
    for card in cards:
        assert card.version
        assert len(aspects(card)) == len(aspects(made.card()))
        assert all(isinstance(one, Ran) for one in card.ran)


class Watched(Bm25Policy):
    """Keeps an account, and is closed by whoever opened it."""

    opened: ClassVar[list[Watched]] = []

    def __init__(self) -> None:
        super().__init__()
        self.usage, self.closed = SystemUsage(outside=Counter({"192.0.2.1:443": 1}), strayed=["elsewhere"]), False
        self.opened.append(self)

    def close(self) -> None:
        """Note it."""
        self.closed = True


def test_what_keeps_account_of_itself_is_told_and_everything_opened_is_closed() -> None:
    """Addresses and files outside are on the card."""
    Watched.opened.clear()
    card = measure_card("watched", Watched, patience_s=0.01, settle_s=0.01)
    assert card.outside
    assert card.strayed == ("elsewhere",)
    assert row(card, "stays in its place").state is ClaimState.BROKEN
    assert Watched.opened
    assert all(one.closed for one in Watched.opened)
