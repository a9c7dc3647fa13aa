"""Cards of systems on every surface."""

from __future__ import annotations

import json
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from memgauge.errors import MalformedDataError
from memgauge.results import plain
from memgauge.show.exports import csv_text
from memgauge.show.html import page as page_of
from memgauge.show.markdown import markdown
from memgauge.show.terminal import lines
from memgauge.systems.conformance.aspects import ClaimState, aspects
from memgauge.systems.conformance.card import Installed, Ran
from memgauge.systems.conformance.footprint import Footprint, Spent
from memgauge.systems.conformance.kinds import MATRIX
from memgauge.systems.conformance.matrix import matrix_of
from memgauge.systems.conformance.show import SIGNS, document
from support import cards as made

if TYPE_CHECKING:
    from memgauge.systems.conformance.card import SystemCard


@pytest.fixture
def cards() -> list[SystemCard]:
    """Make two cards: one of a product with a known failure, one that knows next to nothing."""
    full = made.card(
        "langgraph",
        "expiry (expiring)",
        offers=("expiring", "mutable"),
        consistency=made.consistency(),
        golden=made.golden(RESIDUE=("erasure.x",)),
        footprint=Footprint(10, 10, 5, 100, 1000, 2.0, Spent(20, 300)),
        installed=Installed("1", "3.11", 12.0, 34.0),
        ran=(Ran("locomo", 1, 56.0, {"ok": 190, "empty": 9}, {"nDCG@10": 0.25}),),
        problems=("golden suite: no time",),
    )
    return [full, made.card("<b>hostile|")]


def printed(*cards: SystemCard) -> str:
    """Return what a terminal of 80 columns shows."""
    console = Console(width=80, record=True, file=StringIO())
    for line in lines(document(matrix_of(cards))):
        console.print(line)
    return console.export_text()


def test_one_card_says_everything_that_is_known(cards: list[SystemCard]) -> None:
    """Rows, how it was installed and run, costs, the suite, interventions and what was not measured."""
    shown = " ".join(printed(cards[0]).split())
    for part in (
        "expiry (expiring)!",
        "2 promises broken",
        "2 known failures found",
        "12 s, 34 MB, Python 3.11",
        "locomo x1 in 56 s: nDCG@10 0.250 (9 empty)",
        "200 bytes a memory",
        "2.00 model calls a write",
        "20 of 25 played: 5 fail, 15 pass",
        "Interventions: telemetry off",
        "Not measured: golden suite: no time",
    ):
        assert part in shown, part


def test_the_matrix_shows_a_sign_for_each_row_and_words_for_what_is_wrong(cards: list[SystemCard]) -> None:
    """What is broken is told below; a hostile name is shown as it is."""
    shown = printed(*cards)
    assert all(aspect.name in shown for aspect in aspects(cards[0]))
    assert f"{SIGNS[ClaimState.BROKEN]} expiry" in shown
    assert "expiry (expiring): expiry (expiring)!" in " ".join(shown.split())
    assert "2 <b>hostile| 1" in shown


def test_twenty_systems_fit_beside_each_other_on_a_narrow_terminal() -> None:
    """No name of a row is broken, no sign is lost and none stands alone on a line."""
    shown = printed(*(made.card(f"thing-{number}") for number in range(18)))
    for aspect in aspects(made.card()):
        (line,) = [line for line in shown.splitlines() if line.startswith(f"{aspect.name} ")]
        assert line.removeprefix(aspect.name).split() == [SIGNS[aspect.state]] * 18


def test_programs_get_cards_rows_and_failures(cards: list[SystemCard]) -> None:
    """The data is plain JSON, with the evidence of each known failure; a card's is its part of a matrix."""
    value = json.loads(json.dumps(plain(MATRIX.of(matrix_of(cards)))))["value"]
    assert [reading["card"]["ref"] for reading in value["systems"]] == ["langgraph", "<b>hostile|"]
    assert value["systems"][:1] == plain(matrix_of(cards[:1]))["systems"]
    evidence = {failure["number"]: failure["found"] for failure in value["failures"]}
    assert evidence[4] == [["langgraph", "check 'expiry (expiring)'"]]
    assert evidence[1] == []


def test_a_matrix_is_read_back_as_it_was_written(cards: list[SystemCard]) -> None:
    """What a file says is the matrix again; another version, and a part that is missing, are sentences."""
    matrix = matrix_of(cards)
    written = json.loads(json.dumps(plain(MATRIX.of(matrix))))
    assert plain(MATRIX.read(written)) == plain(matrix)
    assert MATRIX.read(written).systems[0].aspects == matrix.systems[0].aspects
    with pytest.raises(MalformedDataError, match="version 2"):
        MATRIX.read({**written, "version": 2})
    with pytest.raises(MalformedDataError, match=r"systems\.0\.card"):
        MATRIX.read({**written, "value": {**written["value"], "systems": [{}]}})


def test_markdown_holds_every_table_and_escapes(cards: list[SystemCard]) -> None:
    """Hostile names stay text."""
    shown = document(matrix_of(cards))
    text = markdown(shown)
    assert all(f"## {table.title}" in text for table in shown.tables)
    assert "<b>" not in text
    assert "| 4 | what expired is served |" in text
    assert "expiry (expiring)!" in text


def test_the_page_holds_the_tables_and_escapes(cards: list[SystemCard]) -> None:
    """One self-contained page without scripts, in which hostile names stay text."""
    shown = document(matrix_of(cards))
    page = page_of(shown)
    assert "2 systems; 2 known failures found" in page
    assert "<b>hostile" not in page
    assert "<script" not in page
    assert all(f'id="{table.key}"' in page and table.title in page for table in shown.tables)


def test_cards_without_known_failures_have_no_table_of_them(cards: list[SystemCard]) -> None:
    """A stranger's memory is not measured against other products' failures."""
    strangers = [
        table.key
        for table in document(
            matrix_of([cards[1], made.card("thing", "update (mutable)", offers=("mutable",))])
        ).tables
    ]
    assert strangers == ["matrix", "findings", "facts", "interventions"]
    tables = list(document(matrix_of(cards)).tables)
    assert [table.key for table in tables] == [*strangers, "failures"]
    assert csv_text(tables[0])
    assert [table.key for table in document(matrix_of(cards[1:])).tables] == ["card"]
