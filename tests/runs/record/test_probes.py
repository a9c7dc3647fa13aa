"""Searches beside the record: what depends on repetition, order or names is found, and nothing else changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import RunError
from memgauge.records import Hit, Memory, Ranking
from memgauge.runs.play.engine import run_case
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline, executor
from memgauge.runs.play.plan import plan
from memgauge.runs.play.probing import Probing, texts_of
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.probes import SearchProbe, read_probes
from memgauge.runs.record.store import load
from memgauge.streams import clean
from memgauge.systems.policies.lexical import Bm25Policy
from support.crafted import Counting
from support.handmade import many_questions
from support.systems import Flaky, Notebook

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from memgauge.records import Scope
    from memgauge.systems.protocol import MemorySystem

CASE = next(many_questions(1, 6).cases())


class Consulting(Notebook):
    """Returns what it returned last, as a cache that forgets whose it is."""

    def __init__(self) -> None:
        super().__init__()
        self.last = ""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Mix in the question before."""
        before, self.last = self.last, query
        return Ranking((Hit(Memory("m", f"after {before}")),))


class Named(Notebook):
    """Prefers turns by their ids."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Sort by the reversed id."""
        return Ranking(tuple(Hit(self.stored[name]) for name in sorted(self.stored, key=lambda name: name[::-1])))


class Numberless(Notebook):
    """Gives every memory a score that is no number."""

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what is stored, in its order."""
        return Ranking(tuple(Hit(memory, float("nan")) for memory in self.stored.values()))


def probed(system: Callable[[], MemorySystem], searches: int = 4) -> dict[str, tuple[int, int]]:
    """Return searches and changes, by kind."""
    rows = run_case("c0", clean(CASE), system, Limits(), probing=Probing("0/c0", searches, renamed=True))
    assert rows[-1]["t"] == "end"
    return {row["kind"]: (row["asked"], row["differ"]) for row in rows if row["t"] == "probe"}


def test_a_system_that_only_reads_is_the_same_every_time() -> None:
    """Asked again, in another order and under other names it returns what it returned."""
    assert probed(Bm25Policy) == {"repeated": (4, 0), "shuffled": (4, 0), "renamed": (6, 0)}


def test_a_score_that_is_no_number_is_no_change() -> None:
    """It does not equal itself; the ranking does."""
    assert probed(Numberless) == {"repeated": (4, 0), "shuffled": (4, 0), "renamed": (6, 0)}


def test_what_depends_on_repetition_order_or_names_is_found() -> None:
    """Each by its own probe."""
    assert probed(Counting)["repeated"] == (4, 4)
    assert probed(Consulting)["shuffled"][1] >= 2
    assert probed(Named)["repeated"] == (4, 0)
    assert probed(Named)["renamed"] == (6, 6)


def test_a_search_that_fails_when_it_is_asked_again_changed_no_ranking() -> None:
    """It is counted as failed, beside the rankings that were compared."""
    rows = run_case("c0", clean(CASE), Flaky, Limits(), probing=Probing("0/c0", 3))
    probes = [row for row in rows if row["t"] == "probe"]
    assert [(row["asked"], row["failed"], row["differ"], row["far"]) for row in probes] == [(3, 2, 0, 0)] * 2
    probe = SearchProbe("repeated", 3, 0, failed=2)
    assert probe.sentence == "0 of 1 rankings changed when asked again."
    assert probe.failure == "2 of 3 searches failed when asked again."


def test_probes_change_nothing_that_counts(tmp_path: Path) -> None:
    """With and without them a run has the same identity and content; those of all conversations are added up."""
    content, made = set(), []
    for probes, name in ((0, "inline"), (3, "inline"), (3, "processes:2")):
        work = plan(["synthetic:tiny"], ["bm25"], probes=probes)
        (folder,) = execute(work, tmp_path / f"{probes}-{name}", executor=executor(name))
        run = load(folder)
        content.add((run.manifest.identity, run.seal.content))
        made.append((run.manifest.probes, run.probes))
    assert len(content) == 1
    assert made[0] == (0, ())
    assert made[1] == made[2]
    assert made[1] == (
        3,
        (SearchProbe("repeated", 6, 0), SearchProbe("shuffled", 6, 0), SearchProbe("renamed", 6, 0)),
    )
    assert made[1][1][0].sentence == "0 of 6 rankings changed when asked again."


def test_a_question_that_changed_is_named_as_the_dataset_names_it(tmp_path: Path) -> None:
    """Whoever plays knows only numbers."""
    work = plan(["synthetic:tiny"], ["support.crafted:Counting"])
    (folder,) = execute(work, tmp_path, executor=Inline(), check=False)
    run = load(folder)
    assert run.probes[0].changed == run.probes[0].asked == 6
    assert run.probes[0].example in set(run.questions["question"].tolist())


def test_a_probe_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The line is said; a folder without a journal has none."""
    assert read_probes(tmp_path) == ()
    (tmp_path / "journal.jsonl").write_text('{"t":"case"}\n{"t":"probe","kind":"repeated"}\n', "utf-8")
    with pytest.raises(RunError, match=r"journal.jsonl:2: no probe"):
        read_probes(tmp_path)


def test_a_ranking_is_seen_within_the_limits() -> None:
    """Each memory once, no more than k, and no more than the tokens."""
    hits = tuple(Hit(Memory(f"m{n // 2}", "four"), 1.0) for n in range(8))
    assert len(texts_of(Ranking(hits), 60)) == 4
    assert len(texts_of(Ranking(hits), 3)) == 3
    assert len(texts_of(Ranking(hits), 60, 2)) == 2


@pytest.mark.parametrize("tokens", [50, 200])
def test_a_budget_that_cuts_between_equals_is_no_name(tmp_path: Path, tokens: int) -> None:
    """Memories of one score may change places under other names; which of them a budget keeps says nothing."""
    cells = plan(["synthetic:tiny"], ["bm25"], limits=Limits(budget_tokens=tokens))
    (folder,) = execute(cells, tmp_path, executor=Inline(), check=False)
    renamed = {probe.kind: probe for probe in read_probes(folder)}["renamed"]
    assert (renamed.changed, renamed.failed) == (0, 0)
    assert renamed.asked > 0
