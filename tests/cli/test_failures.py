"""`memgauge failures` and `try`: memories with one known defect each, and the cause that the record shows."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.cli import Said

DEFECTS = '''
from dataclasses import replace
from memgauge.records import Ranking
from memgauge.systems.policies.lexical import Bm25Policy


class Sound(Bm25Policy):
    """Keeps everything."""


class Forgetful(Bm25Policy):
    def ingest(self, turns, scope):
        return super().ingest(turns[:0], scope)


class Altering(Bm25Policy):
    def search(self, query, scope, k, as_of=None):
        found = super().search(query, scope, k, as_of)
        hits = tuple(replace(hit, memory=replace(hit.memory, text="Noted.")) for hit in found.hits)
        return replace(found, hits=hits)


class Silent(Bm25Policy):
    def search(self, query, scope, k, as_of=None):
        return Ranking(())


class Raising(Bm25Policy):
    def search(self, query, scope, k, as_of=None):
        raise RuntimeError("the index is gone")


class Backwards(Bm25Policy):
    def search(self, query, scope, k, as_of=None):
        found = super().search(query, scope, k, as_of)
        return replace(found, hits=tuple(replace(hit, score=None) for hit in reversed(found.hits)))
'''
CAUSES = {
    "Altering": "stored altered",
    "Forgetful": "never stored",
    "Silent": "not returned",
    "Raising": "search failed",
    "Backwards": "cut by budget",
}


@pytest.fixture(scope="module")
def defective(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with runs of every defective memory beside a sound one."""
    from memgauge.cli import invoke

    folder = tmp_path_factory.mktemp("defects")
    (folder / "defects.py").write_text(DEFECTS, "utf-8")
    names = ("Sound", *CAUSES)
    systems = [word for name in names for word in ("-s", f"defects:{name}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.chdir(folder)
        invoke(
            [
                "run",
                "-d",
                "synthetic:tiny",
                *systems,
                "--executor",
                "inline",
                "--out",
                "runs",
                "--retries",
                "0",
                "--json",
            ]
        )
    return folder / "runs"


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_that_of_the_known_defect(memgauge: Callable[..., Said], defective: Path, name: str) -> None:
    """Every question that the sound memory answers and a defect spoils is explained by that defect."""
    label = f"defects:{name}"
    (listed,) = memgauge("failures", defective, "--of", label, "--limit", 100, "--json").data
    spoilt = [failure for failure in listed["shown"] if failure["best"] == "defects:Sound"]
    assert len(spoilt) >= 5
    assert Counter(failure["cause"] for failure in spoilt).most_common(1)[0][0] == CAUSES[name]
    assert {failure["system"] for failure in listed["shown"]} == {label}
    assert sum(listed["causes"][label].values()) == len(listed["shown"])


def test_the_most_telling_come_first_and_lead_on(memgauge: Callable[..., Said], defective: Path) -> None:
    """What another memory answers stands before what nobody does, with what to do and where to look."""
    (listed,) = memgauge("failures", defective, "--json").data
    values = [failure["value"] for failure in listed["shown"]]
    assert (len(values), values) == (10, sorted(values, reverse=True))
    said = memgauge("failures", defective, "--of", "defects:Raising")
    assert "RuntimeError: the index is gone" in " ".join(said.out.split())
    assert "make the search answer" in said.out
    assert "memgauge runs show RUNS QUESTION" in said.out


def test_failures_are_chosen_by_cause_and_category(memgauge: Callable[..., Said], defective: Path) -> None:
    """A cause, in full or in part, and a category leave what fits; counts stay those of all; shares add up."""
    asked = ("failures", defective, "--of", "defects:Backwards", "--limit", 1000, "--json")
    (whole,) = memgauge(*asked).data
    (cut,) = memgauge(*asked, "--cause", "cut").data
    assert {failure["cause"] for failure in cut["shown"]} == {"cut by budget"}
    assert cut["causes"] == whole["causes"]
    assert cut["fitting"] == cut["causes"]["defects:Backwards"]["cut by budget"] == len(cut["shown"])
    category = whole["shown"][0]["category"]
    (inside,) = memgauge(*asked, "--category", category).data
    assert {failure["category"] for failure in inside["shown"]} == {category}
    counted = whole["categories"]["defects:Backwards"]
    assert sum(sum(causes.values()) for causes in counted.values()) == len(whole["shown"])
    (partly,) = memgauge(*asked, "--partly").data
    assert len(partly["shown"]) >= len(whole["shown"])
    assert all(
        failure["reached"] < max(failure["value"], 1e-9) or not failure["reached"] for failure in partly["shown"]
    )


def test_what_is_not_scored_is_not_said_to_be_found(memgauge: Callable[..., Said], tmp_path: Path) -> None:
    """Where no question has evidence, "misses 0 of 0" would sound like praise."""
    documents = [{"id": "ann_0", "content": "[USER] User: The boat is red."}]
    options = "Where is it?\n\n(a) Here\n(b) There"
    query = {"id": "q1", "query": options, "gold_answers": ["a"], "gold_ids": ["ann_0"], "user_id": "ann"}
    asked = query | {"meta": {"question_type": "recall"}}
    path = tmp_path / "personas.json"
    path.write_text(json.dumps({"documents": documents, "queries": [asked]}), encoding="utf-8")
    memgauge("run", "-d", f"personamem:{path}", "-s", "bm25", "--executor", "inline", "--out", tmp_path / "runs")
    printed = " ".join(memgauge("failures", tmp_path / "runs").out.split())
    assert "is scored, so none can be missed" in printed
    assert "misses 0 of 0" not in printed


def test_patterns_and_unfinished_runs(memgauge: Callable[..., Said], defective: Path, tmp_path: Path) -> None:
    """A quoted pattern names runs as a shell would; what is unfinished is left out with a note."""
    (listed,) = memgauge("failures", f"{defective}/*silent*", f"{defective}/*s[o]und*", "--json").data
    assert set(listed["causes"]) == {"defects:Silent", "defects:Sound"}
    runs = tmp_path / "runs"
    shutil.copytree(defective, runs)
    run = next(runs.glob("*silent*"))
    (run / "SEAL.json").unlink(missing_ok=True)
    (run / "SEAL").unlink(missing_ok=True)
    said = memgauge("failures", runs, "--json")
    assert "unfinished and left out" in " ".join(said.err.split())
    assert "defects:Silent" not in said.data[0]["causes"]


def test_the_document_fits_a_terminal_of_80_columns(
    memgauge: Callable[..., Said], defective: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of causes and categories stand whole, and no line is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    said = memgauge("failures", defective, "--of", "defects:Silent", "--limit", 3)
    tables = [line for line in said.out.splitlines() if "%" in line or line.startswith(("system", "category"))]
    assert len(tables) >= 4
    assert max(map(len, tables)) <= 80
    for words in ("not returned", "100.0 %", "Misses of defects:Silent by category"):
        assert words in said.out


def test_a_system_is_named_as_it_was_played(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that describes a memory has a label of its own; both name it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('system = "bm25"\nlabel = "Ours"\n', "utf-8")
    played = ("run", "-d", "synthetic:tiny", "-s", "./mine.toml", "-s", "recency", "--executor", "inline")
    assert memgauge(*played, "--out", "runs").code == 0
    by_reference, by_label = (
        memgauge("failures", "--of", name, "--json").data for name in ("./mine.toml", "Ours")
    )
    assert by_reference == by_label
    assert set(by_label[0]["causes"]) == {"Ours"}
    said = memgauge("failures", "--of", "./mine.tml").err
    assert "Did you mean ./mine.toml" in said


def test_mistakes_of_failures_are_one_sentence(memgauge: Callable[..., Said], defective: Path) -> None:
    """A label that no run has, and a limit that leaves nothing, end with 2."""
    assert "Did you mean defects:Silent" in memgauge("failures", defective, "--of", "defects:Silnt").err
    assert memgauge("failures", defective, "--limit", 0).code == 2
    assert "Did you mean too deep" in memgauge("failures", defective, "--cause", "too dep").err
    assert "Did you mean current" in memgauge("failures", defective, "--category", "curent").err
    assert "Nothing is called like" in memgauge("failures", f"{defective}/*nothing*").err


def test_a_memory_is_tried_with_one_command(
    memgauge: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board with the memory beside others, its failures, and a report; as data, boards and failures."""
    monkeypatch.chdir(tmp_path)
    asked = ("try", "recency", "-d", "synthetic:tiny", "-s", "bm25", "-s", "random", "--out", "tried")
    said = memgauge(*asked)
    assert said.code == 0, said.err
    for words in ("It conforms to the protocol", "Recall@", "recency misses", "tried/report.html"):
        assert words in said.out
    assert (tmp_path / "tried" / "report.html").is_file()
    data = memgauge(*asked, "--json").data
    assert {entry["label"] for entry in data["boards"][0]["entries"]} == {"bm25", "random", "recency"}
    assert data["failures"][0]["causes"].keys() == {"recency"}


def test_a_report_says_why_questions_were_missed(
    memgauge: Callable[..., Said], defective: Path, tmp_path: Path
) -> None:
    """Behind a title: shares by cause, the most telling ones, and what to do about it."""
    page = tmp_path / "report.html"
    assert memgauge("results", "report", defective, "--out", page).code == 0
    told = page.read_text("utf-8")
    assert told.count("Why questions were missed") >= 1
    assert "never stored" in told[told.index('id="failures"') :]
    assert "What to do about it" in told
