"""Further benchmarks through every study: what each takes, and what the page says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.datasets.validate import validate
from memgauge.errors import RunError
from memgauge.reproduce import Status, recompute, sections
from memgauge.reproduce.everywhere import DATASETS, FurtherDataset, StudyPassage, taken_through
from memgauge.reproduce.invented.folders import SHAPES, write
from memgauge.reproduce.invented.lives import lives
from memgauge.reproduce.passages import NO_EVIDENCE, NO_SESSIONS, STUDIES, PlayedDataset, why_not_scored
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors.inline import Inline
from memgauge.runs.play.plan import plan
from memgauge.studies.shift.protocol.spec import PRESETS
from support import real_data

if TYPE_CHECKING:
    from collections.abc import Iterable

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
SECTION = next(section for section in sections() if section.name == "everywhere")
INVENTED = [each for each in DATASETS if not each.sample]
SAME = ("realtalk", "personamem", "beir")
"""Shapes that hold every question of a life, and what it rests on turn by turn."""


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_keeps_the_laws_of_datasets(name: str, tmp_path: Path) -> None:
    """It opens, breaks none, and every question has an answer that evidence bears."""
    dataset = open_dataset(write(name, tmp_path), allow_unpinned=True)
    described = dataset.describe()
    assert not validate(dataset)
    assert described["questions"] == described["with_evidence"] != 0


@pytest.mark.parametrize("name", SAME)
def test_a_shape_says_what_the_world_says(name: str, tmp_path: Path) -> None:
    """Questions, and the words of their evidence, are those of the synthetic world."""
    dataset = open_dataset(write(name, tmp_path), allow_unpinned=True)
    golds = dataset.gold()
    read = []
    for case in dataset.cases():
        texts = {turn.id: turn.text for turn in case.conversation.turns()}
        read += [(q.text, sorted(texts[turn] for turn in next(golds).anchors())) for q in case.questions]
    made = [
        (each.asked.text, sorted(life.text_of(turn) for turn in each.gold.anchors()))
        for life in lives()
        for each in life.asked
    ]
    assert sorted(read) == sorted(made)


def rows_of_the_page() -> dict[str, dict[str, str]]:
    """Read which studies the page says yes of, by benchmark."""
    found = re.search(r"<!-- table: everywhere -->\n(.*?)<!-- end -->", PAGE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[1].strip().splitlines()]
    heads = lines[0]
    return {row[0]: dict(zip(heads[2:], row[2:], strict=True)) for row in lines[2:]}


def assert_as_on_the_page(passages: Iterable[StudyPassage]) -> None:
    """A study takes a benchmark where the page says yes; elsewhere the page gives a reason."""
    rows = rows_of_the_page()
    for each in passages:
        shown = rows[each.dataset][each.study]
        assert shown.startswith("yes") == (not each.reason), each
        assert each.reason in {"", NO_EVIDENCE, NO_SESSIONS}


def test_the_page_has_a_row_for_every_benchmark() -> None:
    """And a cell for every study."""
    rows = rows_of_the_page()
    assert list(rows) == [each.name for each in DATASETS]
    assert all(list(row) == list(STUDIES) for row in rows.values())


@pytest.mark.slow
@pytest.mark.parametrize("dataset", INVENTED, ids=[each.name for each in INVENTED])
def test_studies_take_what_is_invented(dataset: FurtherDataset) -> None:
    """Vectors of hashed words do: what a study can say does not depend on them."""
    taken = taken_through([dataset], "hashed")
    assert taken.runs == 3
    assert_as_on_the_page(taken.passages)


@pytest.mark.slow
@pytest.mark.data
def test_studies_take_the_samples() -> None:
    """The pieces of real data that lie here, but for the largest."""
    for name in ("memoryagentbench", "personamem", "prefeval", "precisionmembench"):
        real_data(name)
    samples = [each for each in DATASETS if each.sample and each.name != "rhelm"]
    assert_as_on_the_page(taken_through(samples, "hashed").passages)


def test_a_study_that_leaves_questions_out_is_an_error(tmp_path: Path) -> None:
    """Runs of one conversation are not taken for those of a whole benchmark."""
    ref = write("beir", tmp_path)
    folders = execute(plan([ref], ["bm25"], conversations=1), tmp_path / "runs", executor=Inline())
    played = PlayedDataset(open_dataset(ref), tuple(folders), "hashed", PRESETS["clean"], tmp_path / "shift")
    with pytest.raises(RunError, match="questions scored of 105"):
        why_not_scored(played)


def test_without_vectors_the_section_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a sentence that says what to install."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path))
    monkeypatch.delenv("MEMGAUGE_MINILM", raising=False)
    rows = list(recompute(SECTION))
    assert {row.status for row in rows} == {Status.SKIP}
    assert "memgauge models install minilm" in rows[0].reason
