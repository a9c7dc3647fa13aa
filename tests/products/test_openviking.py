"""OpenViking against recorded shapes, played by a server on this machine."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import CallFailed, ConfigError, ContractBreach
from memgauge.products.openviking import adapter as openviking
from memgauge.products.openviking.adapter import LABEL, OpenViking
from memgauge.records import Operation, Verdict
from memgauge.systems.conformance import check
from memgauge.systems.protocol import supported
from support.products import ALICE, BOB, told, turn
from support.services import VikingDouble, served

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def double() -> Iterator[VikingDouble]:
    """Play OpenViking's API on this machine."""
    made = VikingDouble()
    with served(made, "OPENVIKING_URL", "OPENVIKING_API_KEY"):
        yield made


@pytest.fixture
def viking(double: VikingDouble) -> Iterator[OpenViking]:
    """Open an empty store."""
    with closing(OpenViking()) as system:
        yield system


def test_the_protocol_is_kept_in_the_recorded_shapes(double: VikingDouble) -> None:
    """Every probe that applies passes, and no file is left behind."""
    checks = check(OpenViking).checks
    assert [probe for probe in checks if probe.verdict not in {Verdict.PASS, Verdict.UNSUPPORTED}] == []
    assert double.files == {}


def test_what_was_never_run_says_so(viking: OpenViking) -> None:
    """The label comes first, then who was asked."""
    assert viking.capabilities().interventions[:2] == (LABEL, "asked at 127.0.0.1")
    assert "never run" in LABEL
    assert supported(viking) == ("mutable", "erasable")


def test_a_turn_is_a_file_that_is_read_for_its_text(viking: OpenViking, double: VikingDouble) -> None:
    """What a search shows of it is an abstract; a blank turn is not sent, and another scope finds nothing."""
    told(viking, "I keep bees.", "I play chess.", " ")
    assert len(double.files) == 2
    (hit,) = viking.search("Who keeps bees?", ALICE, 5).hits
    assert (hit.memory.text, hit.memory.sources, hit.score) == ("I keep bees.", ("t0",), 0.5)
    assert not viking.search("bees", BOB, 5).hits
    assert not viking.search(" ", ALICE, 5).hits


def test_files_are_replaced_and_removed_in_their_folder_alone(viking: OpenViking) -> None:
    """A turn that is told again takes the place of its file."""
    told(viking, "I sing.", "I dance.")
    again = viking.ingest([turn("t0", "I hum.")], ALICE).changes
    assert [change.op for change in again or ()] == [Operation.UPDATE]
    first, second = (stored.id for stored in viking.dump(ALICE))
    assert [change.op for change in viking.update(first, "I sing.", BOB).changes or ()] == [Operation.NOOP]
    viking.update(first, "I sing.", ALICE)
    assert [viking.delete([second, "absent"], scope) for scope in (BOB, ALICE)] == [0, 1]
    assert [(stored.text, stored.sources) for stored in viking.dump(ALICE)] == [("I sing.", ("t0",))]
    viking.erase(ALICE)
    assert not list(viking.dump(ALICE))


def test_a_list_that_is_full_is_asked_for_more(viking: OpenViking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing says where one ends; folders are no memories."""
    monkeypatch.setattr(openviking, "MOST", 3)
    told(viking, *(f"number {n}" for n in range(7)))
    assert len(list(viking.dump(ALICE))) == 7


def test_what_does_not_fit_is_a_failure(viking: OpenViking, double: VikingDouble) -> None:
    """An envelope that is none, a refusal; and no address."""
    double.next = [(200, b'{"result": []}')]
    with pytest.raises(ContractBreach, match="returned no result"):
        list(viking.dump(ALICE))
    for act in (lambda: list(viking.dump(ALICE)), lambda: viking.ingest([turn("t0", "I sing.")], ALICE)):
        double.next = [(500, b'{"status": "error"}')]
        with pytest.raises(CallFailed, match="HTTP 500"):
            act()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("OPENVIKING_URL")
        with pytest.raises(ConfigError, match="OPENVIKING_URL is not set"):
            OpenViking()
