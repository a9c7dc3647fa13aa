"""What attacks do to memories with nothing wrong, and with one thing wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.records import Verdict
from memgauge.studies.golden.attacks.families import FAMILIES
from memgauge.studies.golden.attacks.measure import attack, rule_of_three
from memgauge.studies.golden.attacks.show import document
from memgauge.systems.pipeline.system import Pipeline
from memgauge.systems.policies.lexical import Bm25Policy
from memgauge.systems.policies.plain import Nothing
from memgauge.systems.reference.faulty import Raises
from memgauge.systems.reference.ideal import Ideal
from studies.golden.attacks.memories import Credulous, Filtering, Keeping, Obedient, Open, Paranoid, Restless

if TYPE_CHECKING:
    from memgauge.show import Document

GREW = "it was stored 1 times and after 10 cycles 11 times"


def shown(document: Document) -> str:
    """Return what the cells of a document say."""
    return " ".join(cell.text for table in document.tables for row in table.rows for cell in row)


@pytest.mark.parametrize(
    "names", [tuple(FAMILIES)[::3], pytest.param(tuple(FAMILIES), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_the_ideal_memory_resists_everything_and_keeps_every_twin(names: tuple[str, ...]) -> None:
    """Nothing is injected, nothing works, every twin comes back, nothing is vacuous or unsupported."""
    report = attack(Ideal, names)
    total = report.total
    assert [
        outcome for outcome in report.outcomes if outcome.verdict is not Verdict.PASS or not outcome.useful
    ] == []
    assert tuple(report.families) == names
    assert (total.injection.mean, total.success.mean, total.utility.mean) == (0, 0, 1)
    assert (total.unsupported, total.vacuous, total.errors, total.unlike) == (0, 0, 0, 0)
    assert total.bound == pytest.approx(3 / total.n)


def test_a_memory_that_believes_everyone_is_taken_over() -> None:
    """Plants of every channel are stored and come back; who only asks learns nothing."""
    report = attack(Credulous, ["P2", "P8", "P9", "P10", "P12", "P13", "P16"])
    for name in ("P2", "P8", "P9", "P10"):
        assert report.families[name].injection.mean == 1
    for name in ("P2", "P9", "P10", "P12", "P13"):
        assert (report.families[name].success.mean or 0) > 0
    assert report.families["P16"].success.mean == 0
    assert report.families["P10"].unlike == 0
    assert "POISON_ACTIVE" in report.families["P2"].anomalies
    assert report.families["P2"].bound is None


def test_a_memory_that_keeps_nothing_resists_nothing() -> None:
    """Who quarantines all has no useful twin, and its attacks are vacuous instead of repelled."""
    for factory in (Paranoid, Nothing):
        total = attack(factory, ["P1", "P2", "P16"]).total
        assert total.utility.mean == 0
        assert total.n == 0
        assert total.success.mean is None
        assert total.injection.mean is None
        assert total.vacuous == total.utility.n


def test_who_shows_everybody_everything_is_caught_by_those_who_only_ask() -> None:
    """Extraction, membership, contamination and scopes all find it."""
    report = attack(Open, ["P16", "P17", "P18", "P19"])
    for name, rates in report.families.items():
        assert rates.success.mean == 1, name
        assert rates.injection.mean is None
        assert rates.injection.reason == "nothing is planted"


def test_a_text_that_asks_to_forget_destroys_an_obedient_memory() -> None:
    """What the victim told is gone, and the twins are not."""
    (rates,) = attack(Obedient, ["P20"]).families.values()
    assert (rates.success.mean or 0) >= 0.5
    assert rates.utility.mean == 1


def test_a_filter_of_words_is_passed_by_disguises() -> None:
    """The plain attack is stopped and the disguised one is not: the verdicts differ."""
    report = attack(Filtering, ["P10"])
    assert report.total.unlike == report.total.n
    assert f"{report.total.n} unlike plain" in shown(document(report, "x"))


def test_bm25_keeps_what_it_hears_and_says_what_it_cannot_carry() -> None:
    """Every plant comes back, its echo grows, and attacks on an answer are unsupported, never passed."""
    report = attack(Bm25Policy, ["P2", "P7", "P12", "P15"])
    assert report.families["P2"].success.mean == 1
    assert {outcome.detail for outcome in report.outcomes if outcome.family == "P7"} == {GREW}
    assert "LOST_ACROSS_SESSION" in report.families["P15"].anomalies
    orders = report.families["P12"]
    assert (orders.n, orders.unsupported) == (0, 3)
    assert "3 unsupported" in shown(document(report, "x"))


def test_an_encoded_value_that_comes_back_encoded_is_found() -> None:
    """The plain value never came back, and its spelling did."""
    report = attack(Keeping, ["P9"])
    assert report.total.success.mean == 1
    assert report.total.injection.mean == 1
    assert all("which was planted" in outcome.detail for outcome in report.outcomes)


def test_a_memory_that_can_be_closed_is_closed_and_opened_anew() -> None:
    """Every scenario has a memory of its own."""
    report = attack(lambda: Pipeline(embedder="none"), ["P6"])
    assert (report.total.errors, report.total.n) == (0, 3)


def test_what_raises_or_cannot_be_opened_is_an_error() -> None:
    """Neither counts as a pass."""

    def broken() -> Ideal:
        raise RuntimeError("no such store")

    for factory in (Raises, broken):
        report = attack(factory, ["P1"])
        assert report.total.errors == len(report.outcomes)
        assert report.total.n == 0


def test_nothing_follows_from_a_difference_where_equal_runs_differ() -> None:
    """A memory that answers otherwise each time cannot be tested for membership."""
    report = attack(Restless, ["P17"])
    assert (report.total.n, report.total.unsupported) == (0, 3)
    assert "two equal runs differ" in report.outcomes[0].detail


def test_the_table_shows_the_three_rates_side_by_side() -> None:
    """Injected, successful, kept twin; and the bound where nothing happened."""
    (table,) = document(attack(Ideal, ["P6"]), "ideal").tables
    row, total = table.rows
    assert table.heads[-4:] == ("injected", "successful", "twin kept", "not measured")
    assert [cell.text for cell in row[2:4]] == ["3", "1.00"]
    assert [(cell.text, cell.under) for cell in row[4:7]] == [
        ("0.00", "[0.00, 0.56]"),
        ("0.00", "[0.00, 0.56]"),
        ("1.00", "[0.44, 1.00]"),
    ]
    assert total[0].text == "all"


def test_none_of_many_is_bounded_by_three_over_many() -> None:
    """0 of 60 still allows 5 %; something, or nothing counted, has no such bound."""
    report = attack(Ideal, ["P1", "P2"])
    assert rule_of_three(report.total.success) == pytest.approx(3 / 8)
    assert rule_of_three(report.total.utility) is None
    assert rule_of_three(attack(Paranoid, ["P1"]).total.success) is None


def test_a_memory_is_closed_once_after_every_scenario() -> None:
    """Whoever opened it lets go of it, and nothing comes after."""
    opened: list[Closed] = []

    class Closed(Ideal):
        """Counts how often it is closed."""

        def __init__(self) -> None:
            super().__init__()
            self.closed = 0
            opened.append(self)

        def close(self) -> None:
            """Count."""
            self.closed += 1

    attack(Closed, ["P20"])
    assert {memory.closed for memory in opened} == {1}
