"""Reading sealed runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError, RunNotFoundError, TamperError
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.record.lineage import digest
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.store import find_runs, finished_runs, load, matching
from support.handmade import five_questions, planned

if TYPE_CHECKING:
    from pathlib import Path


def test_columns_are_read_in_order(pristine: Path) -> None:
    """Questions come as they were asked, hits by number, memories with their sources."""
    run = load(pristine)
    assert run.label == "Notebook"
    assert run.questions["question"].tolist() == ["c1-q2", "c1-q1", "c1-q3", "c1-q4", "c1-q5"]
    assert run.questions["returned"].tolist() == [3, 9, 9, 9, 9]
    assert len(run.hits["rank"]) == 3 + 4 * 9
    assert [list(sources) for sources in run.memories["sources"]] == [[f"t{n}"] for n in range(1, 10)]
    assert run.writes["kind"].tolist().count("write") == 9


def test_hits_come_with_everything_about_each_memory(pristine: Path) -> None:
    """A story needs text, score, sources and lineage; a question that was not asked has no hits."""
    hits = load(pristine).hits_of(["c1-q2", "c1-q9"], depth=2)
    assert [(h["rank"], h["memory"], h["score"], h["sources"], h["lineage"]) for h in hits["c1-q2"]] == [
        (1, "m-t1", 1.0, ["t1"], "exact"), (2, "m-t2", 0.5, ["t2"], "exact"),
    ]  # fmt: skip
    assert hits["c1-q9"] == []


def test_texts_come_with_their_hash(pristine: Path) -> None:
    """Who has the text can check it."""
    texts = load(pristine).texts()
    assert len(texts) == 9
    assert all(sha == digest(text or "") for _, _, text, sha in texts)


def test_versions_say_whether_a_search_that_counts_returned_them(tmp_path: Path) -> None:
    """They are those of the hits of counting attempts, in the order of the table."""
    work = planned(five_questions(), "support.systems:Notebook", limits=Limits(k=2))
    (folder,) = execute(work, tmp_path, check=False, executor=Inline())
    run = load(folder)
    versions = run.versions_in(run.questions["conversation"].tolist())
    assert [version.row for version in versions] == list(range(run.stored))
    returned = {version.memory for version in versions if version.returned}
    assert returned == {memory for _, _, memory in run.ranked(60)}
    assert 0 < len(returned) < len(versions)


def test_missing_numbers_are_missing(tmp_path: Path) -> None:
    """A question that failed has no tokens and no time; it does not count as zero."""
    (folder,) = execute(
        planned(five_questions(), "support.systems:Failing"), tmp_path, executor=Inline(), check=False
    )
    questions = load(folder).questions
    assert all(math.isnan(value) for name in ("ms", "tokens", "coverage") for value in questions[name])


def test_every_attempt_at_a_question_is_listed(pristine: Path) -> None:
    """The counting one is marked."""
    (only,) = load(pristine).attempts_of("c1-q1")
    assert (only["attempt"], only["outcome"], only["counts"]) == (1, "ok", True)


def test_what_is_no_run_is_refused(tmp_path: Path, sealed_run: Path) -> None:
    """No manifest is no run; no seal is an unfinished one."""
    with pytest.raises(RunNotFoundError):
        load(tmp_path)
    (sealed_run / "SEAL").unlink()
    with pytest.raises(RunError, match="unfinished"):
        load(sealed_run)


def test_runs_are_found_at_and_below_a_path(pristine: Path, sealed_run: Path, tmp_path: Path) -> None:
    """Each is listed once; a path without any is an error that says how to make one."""
    assert find_runs([sealed_run, pristine.parent, sealed_run]) == [sealed_run, pristine]
    with pytest.raises(RunNotFoundError, match="No run at or below"):
        find_runs([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunNotFoundError, match="memgauge demo"):
        find_runs([tmp_path / "empty"])


def test_unfinished_runs_of_a_folder_are_kept_apart(pristine: Path, sealed_run: Path) -> None:
    """Runs are read without them, also those that are named, as a shell names them for a pattern."""
    (sealed_run / "SEAL").unlink()
    assert finished_runs([sealed_run.parent]) == ([], [sealed_run])
    assert finished_runs([pristine, sealed_run]) == ([pristine], [sealed_run])


def test_runs_are_found_by_patterns(pristine: Path, sealed_run: Path, tmp_path: Path) -> None:
    """A pattern that no shell expanded is looked for; one without a match is named, and what is a name is one."""
    assert find_runs([sealed_run.parent / "*"]) == [sealed_run]
    assert find_runs([sealed_run.parent / "**" / "r[tu]n"]) == [sealed_run]
    with pytest.raises(RunNotFoundError, match=r"Nothing is called like .*nope\*"):
        find_runs([tmp_path / "nope*"])
    odd = tmp_path / "odd[1]"
    odd.mkdir()
    assert matching(odd) == [odd]
    assert matching(tmp_path / "nowhere") == [tmp_path / "nowhere"]


def test_a_manifest_of_data_makes_no_run(tmp_path: Path) -> None:
    """A folder of data is passed over; what has a journal is a run whatever its manifest says."""
    for name, text in (("data", '{"format": 1, "name": "synthetic"}'), ("list", "[]"), ("page", "// no JSON")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text(text)
    with pytest.raises(RunNotFoundError):
        find_runs([tmp_path])
    (tmp_path / "page" / "journal.jsonl").touch()
    assert find_runs([tmp_path]) == [tmp_path / "page"]


def test_a_run_whose_costs_are_not_as_sealed_is_refused(sealed_run: Path) -> None:
    """Whoever asks for them or not: a number of it is not what was sealed."""
    (sealed_run / "cost.json").write_text((sealed_run / "cost.json").read_text().replace("1", "2"))
    with pytest.raises(TamperError, match=r"cost\.json changed"):
        load(sealed_run)
    assert load(sealed_run, altered=True).altered == ("cost.json",)
