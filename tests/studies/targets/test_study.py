"""The whole audit."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, MalformedDataError
from memgauge.llm.answerers import open_answerer
from memgauge.records import Contract, Form
from memgauge.results import plain as as_data
from memgauge.runs.layers.answering import answer_run
from memgauge.runs.record.store import load
from memgauge.scoring.card import card_of
from memgauge.show.html import page as page_of
from memgauge.show.terminal import lines
from memgauge.studies.targets.show import document, notes, verdict
from memgauge.studies.targets.study import AUDIT, audit
from memgauge.studies.targets.tables import tables
from support.targets import GOLD, SPEC, WORLD, plain, runs

if TYPE_CHECKING:
    from memgauge.studies.targets.study import TargetAudit


@pytest.fixture(scope="module")
def found() -> TargetAudit:
    """Audit four runs over stores and one over turns, one of which was answered."""
    answer_run(runs()[0], WORLD, open_answerer("first"))
    return audit([*runs(), plain()], GOLD, WORLD, SPEC)


def test_every_table_is_there_and_says_its_contract(found: TargetAudit) -> None:
    """Fourteen tables, rows as wide as their heads, and no number without what it is counted by."""
    made = tables(found)
    assert len(made) == 14
    for table in made:
        assert all(len(row) == len(table.heads) for row in table.rows)
        assert table.note
    assert "credit=anchor" in found.contract
    assert found.contracts == 3 * 4 * 2 * 5


def test_a_target_that_credits_nothing_of_any_run_is_refused() -> None:
    """A form that nobody stores is a slip of the pen, and was left out without a word."""
    with pytest.raises(ConfigError, match="the target 'nosuch' credits"):
        audit(runs(), GOLD, WORLD, replace(SPEC, own=("nosuch",)))


def test_targets_over_questions_of_their_own_say_how_many(found: TargetAudit) -> None:
    """Who wins under which target is not told over the shared questions of Table 2."""
    first, *others = found.by_target
    cells = [replace(cell, n=100 + place) for place, cell in enumerate(first.cells)]
    apart = replace(found, by_target=(replace(first, cells=tuple(cells)), *others))
    notes_of = [next(table.note for table in tables(each) if table.key == "targets") for each in (found, apart)]
    assert "(raw 285, source 285 and canonical 170), not Table 2's." in notes_of[0]
    assert "(raw 100, source 101 and canonical 102), not Table 2's." in notes_of[1]


def test_an_audit_is_plain_data(found: TargetAudit) -> None:
    """Everything can be printed as JSON, and says where it comes from."""
    data = as_data(found)
    assert data["dataset"] == "synthetic:small,seed=1"
    assert set(data["runs"]) == {"bm25 facts-1", "bm25 facts-5", "tfidf facts-1", "tfidf facts-5", "bm25"}
    assert data["unsupported"] == {}


def test_an_audit_is_read_back_as_it_was_written(found: TargetAudit) -> None:
    """What a file says is the audit again, down to its contracts; another version is refused with a sentence."""
    written = json.loads(json.dumps(as_data(AUDIT.of(found))))
    assert as_data(AUDIT.read(written)) == as_data(found)
    assert AUDIT.read(written).by_contract[0].cells[0].terms == found.by_contract[0].cells[0].terms
    with pytest.raises(MalformedDataError, match="version 2"):
        AUDIT.read({**written, "version": 2})
    with pytest.raises(MalformedDataError, match=r"shifts\.0\.label"):
        AUDIT.read({**written, "value": {**written["value"], "shifts": [{}]}})


def test_what_a_reader_must_know_is_said(found: TargetAudit) -> None:
    """The verdict in one sentence, and who cannot be scored under Canonical."""
    assert "shared questions" in verdict(found)
    still = replace(found, by_target=tuple(replace(pair, verdict="unresolved") for pair in found.by_target))
    assert "and turns the winner of no pair of runs around" in verdict(still)
    said = list(notes(found))
    assert any("Under Canonical bm25 cannot be scored" in note for note in said)
    bare = replace(found, unsupported={"x": "no turn is named"}, cards=(replace(found.cards[0], unit=None),))
    told = list(notes(bare))
    assert "x is unsupported, not 0: no turn is named." in told
    assert any("Reporting cards with gaps" in note for note in told)
    alone = audit([plain()], GOLD, WORLD, SPEC)
    assert "only one target" in verdict(alone)
    assert not alone.by_target


def test_the_terminal_shows_the_main_tables_and_the_page_all(found: TargetAudit) -> None:
    """Brief unless asked; the page holds every table and no script."""
    few, many = (len(list(lines(document(found), everything=everything))) for everything in (False, True))
    assert few < many
    page = page_of(document(found))
    assert all(f'id="{table.key}"' in page for table in tables(found))
    assert "<script" not in page
    assert page.count("<svg") == 2


def test_answers_are_split_by_who_calls_the_retrieval_a_hit(found: TargetAudit) -> None:
    """The cells hold all shared questions with an answer, each once."""
    (cells,) = [row for row in found.answers if row.answers.startswith("first")]
    assert set(cells.n) == {"raw only", "canonical only", "both", "neither"}
    assert 0 < sum(cells.n.values()) <= found.covered


def test_a_card_answers_four_questions_or_names_the_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Derived memories are counted; forms that nobody knows leave the unit open."""
    card = card_of(runs()[1], Contract())
    assert card.transforms.startswith("yes")
    assert card.gaps == ()
    assert card_of(plain(), Contract()).transforms.startswith("no")
    vague = load(plain().folder)
    count = len(vague.memories["form"])
    columns = vague.memories | {"form": plain().memories["form"].astype(object)}
    columns["form"][:] = str(Form.UNKNOWN)
    columns["lineage"] = columns["lineage"].astype(object)
    columns["lineage"][:] = "absent"
    monkeypatch.setitem(vague.__dict__, "memories", columns)
    assert count > 0
    assert card_of(vague, Contract()).gaps == (
        "whether its memories are turns word for word, facts or summaries",
        "from which turns its memories come",
    )
