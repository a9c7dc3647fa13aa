"""Who is ranked and who is not: one sentence for every reason, on real runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.records import BOARD
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.conformance import Conformance
from memgauge.runs.record.probes import SearchProbe
from memgauge.runs.record.store import load
from memgauge.scoring.align import align
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.leaderboard import leaderboard, leaderboards
from memgauge.scoring.score import Settings
from memgauge.scoring.standing import Borne, borne_of, standing
from support.handmade import many_questions, planned
from support.players import AsPlayers

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.align import JudgedRun

MANY = GoldTable.read(many_questions())
EVERYBODY = np.ones(len(MANY.questions), dtype=np.bool_)


pytestmark = pytest.mark.players
"""Who searches its process is seen in a player."""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Run what the tests look at on the smallest world; who is named apart or searches its process is a player."""
    crafted = [f"crafted:{name}" for name in ("ok", "session", "fading", "ids")]
    played = plan(["synthetic:tiny"], ["bm25", "crafted:seeker"])
    here = plan(["synthetic:tiny"], ["dense:embedder=hashed", *crafted])
    out = tmp_path_factory.mktemp("standing")
    folders = execute(played, out, check=False) + execute(here, out, executor=AsPlayers(), check=False)
    return {load(folder).label: folder for folder in folders}


def judged(run: Run) -> JudgedRun:
    """Lay a run of the handmade data beside its gold, as a board does."""
    return align(run, MANY, BOARD, 60)


def test_an_honest_memory_has_nothing_against_it(tiny: dict[str, Path]) -> None:
    """BM25 is ranked, and nothing bars it."""
    (built,) = leaderboards([tiny["bm25"]], Settings(BOARD))
    (entry,) = built.board.entries
    assert (entry.rank, entry.rank_low, entry.rank_high) == (1, 1, 1)
    assert "process of its own" in entry.isolation


def test_a_stand_in_is_marked_and_never_ranked(tiny: dict[str, Path]) -> None:
    """Hashed words in the place of vectors keep a row from every rank, and the mark says what makes it real."""
    (built,) = leaderboards([tiny["bm25"], tiny["dense:embedder=hashed"]], Settings(BOARD))
    bm25, dense = built.board.entries
    assert (bm25.rank, dense.rank, dense.label) == (1, None, "dense:embedder=hashed")
    assert dense.marks[0].startswith("It runs on vectors of hashed words (embedder=minilm")


def test_older_runs_name_their_stand_ins_among_interventions(runs: dict[str, Run]) -> None:
    """A run of an earlier version that says "stand-in" in what was changed is not ranked either."""
    run = runs["many Notebook"]
    promises = {**run.manifest.system.capabilities, "interventions": ["vectors by hashed words (256, stand-in)"]}
    older = run.manifest.model_copy(
        update={"system": run.manifest.system.model_copy(update={"capabilities": promises})}
    )
    stands = standing(judged(replace(run, manifest=older)), EVERYBODY, None)
    (bar,) = stands.bars
    assert bar.startswith("It runs on vectors by hashed words (256, stand-in): a stand-in shows")


def test_only_what_was_tried_counts_as_broken(runs: dict[str, Run]) -> None:
    """A memory that ended its process at a check broke that promise, and the rest could not be tried."""
    run = runs["many Notebook"]
    rest = [f"{name}: not run, because 'reset' ended its process" for name in ("dump", "update", "forget")]
    checked = Conformance(checked=True, failed=("reset: its process ended", *rest))
    dead = run.manifest.model_copy(update={"conformance": checked})
    stands = standing(judged(replace(run, manifest=dead)), EVERYBODY, None)
    said = "It breaks a promise of the protocol: reset: its process ended. 3 more checks could not be made."
    assert said in (*stands.bars, *stands.marks)


def test_who_claims_what_its_text_does_not_bear_is_named(tiny: dict[str, Path]) -> None:
    """The memory "ok" and the first turn of a session say how much they claim, and what their texts bear."""
    (built,) = leaderboards([tiny["crafted:ok"], tiny["crafted:session"]], Settings(BOARD))
    marks = {entry.label: " ".join(entry.marks) for entry in built.board.entries}
    assert "returns (nearly) nothing of the conversation" in marks["crafted:ok"]
    assert "turns a question" in marks["crafted:session"]
    assert all(entry.no_lead for entry in built.board.entries if entry.label == "crafted:ok")


def test_who_orders_by_names_is_marked(tiny: dict[str, Path]) -> None:
    """A memory that orders by the spelling of ids returns the same in another order when turns are renamed."""
    (built,) = leaderboards([tiny["bm25"], tiny["crafted:ids"]], Settings(BOARD))
    marks = {e.label: " ".join(e.marks) for e in built.board.entries}
    assert "under other names. Equals change places." in marks["crafted:ids"]
    assert "other names" not in marks["bm25"]


@pytest.mark.parametrize(("far", "barred"), [(3, True), (2, False)])
def test_who_returns_other_memories_under_other_names_is_not_ranked(
    runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch, far: int, barred: bool
) -> None:
    """Where names decide what comes back, and not only in which order, a row has no rank."""
    probes = (SearchProbe("repeated", 6, 0), SearchProbe("renamed", 6, 4, "q", far))
    run = load(runs["many Notebook"].folder)
    monkeypatch.setattr(type(run), "probes", probes)
    stands = standing(judged(run), EVERYBODY, None)
    assert bool(stands.bars) == barred
    (changed,) = (sentence for sentence in stands.sentences if "4 of 6 rankings changed" in sentence)
    assert barred or changed.endswith(
        "Of these, 2 returned other memories among the first ten, which equals do not explain."
    )


def test_who_searches_its_process_is_marked(tiny: dict[str, Path]) -> None:
    """A memory that reads every living object is named for it, although nothing was there to be found."""
    (built,) = leaderboards([tiny["crafted:seeker"]], Settings(BOARD))
    assert any("gc.get_objects" in mark for mark in built.board.entries[0].marks)


def test_who_changes_by_itself_is_marked(tiny: dict[str, Path]) -> None:
    """A memory that answers otherwise when it is asked again is ranked, and its scores are called one draw."""
    (built,) = leaderboards([tiny["crafted:fading"]], Settings(BOARD))
    (entry,) = built.board.entries
    assert entry.rank == 1
    assert any("one draw of several" in mark for mark in entry.marks)


def test_who_succeeds_only_when_tried_again_is_marked(tmp_path: Path) -> None:
    """It is ranked by its score; its failed calls are said, and are called no changed rankings."""
    (folder,) = execute(plan(["synthetic:tiny"], ["support.systems:Flaky"]), tmp_path, check=False)
    (built,) = leaderboards([folder], Settings(BOARD))
    (entry,) = built.board.entries
    assert "32 of 32 searches succeeded only when they were tried again." in entry.marks
    assert "4 of 6 searches failed when asked again." in entry.marks
    assert not any("rankings changed" in mark for mark in entry.marks)


def test_nobody_chooses_their_own_questions(runs: dict[str, Run]) -> None:
    """A run that is not scored on a question that others were asked has no rank."""
    whole = judged(runs["many Notebook"])
    fewer = replace(whole, reasons=("not part of this run", *whole.reasons[1:]))
    stands = standing(fewer, EVERYBODY, None)
    assert "It is scored on 23 of the 24 questions that others answered" in stands.bars[0]
    assert not standing(whole, EVERYBODY, None).bars


def test_who_was_played_beside_the_gold_is_not_ranked(tmp_path: Path) -> None:
    """In the harness's own process everything is within reach, so a run made there bars itself."""
    dataset = many_questions()
    (folder,) = execute(planned(dataset, "support.systems:Notebook"), tmp_path, executor=Inline())
    (entry,) = leaderboard([judged(load(folder))], MANY, Settings(BOARD)).entries
    assert entry.rank is None
    assert "harness's process" in entry.marks[0]


def test_who_is_told_of_its_answers_is_not_ranked(runs: dict[str, Run]) -> None:
    """A memory that learns from whether its answers held evidence knows more than the others."""
    run = runs["many Notebook"]
    told = replace(run.manifest.isolation, evidence="answers")
    learner = replace(run, manifest=run.manifest.model_copy(update={"isolation": told}))
    (bar,) = standing(judged(learner), EVERYBODY, None).bars
    assert "was told of each of its answers" in bar


def test_what_nobody_can_check_is_said(runs: dict[str, Run]) -> None:
    """A row whose texts were left out, so that no witness could read them, is not ranked."""
    whole = judged(runs["many Notebook"])
    unread = replace(whole, credit_hits=partial(replace, whole.hits, unwitnessed=whole.claims))
    stands = standing(unread, EVERYBODY, None)
    assert "nobody can see whether they bear them" in stands.bars[0]


@pytest.mark.parametrize(
    ("borne", "text"),
    [
        (Borne(0.95, 0.95, 100), "returns (nearly) all of the conversation, 95% of its turns, in what counts"),
        (Borne(0.0, 0.9, 100), "claims 90.0 turns a question and returns (nearly) nothing of the conversation"),
        (Borne(0.001, 0.001, 100), "returns (nearly) nothing of the conversation"),
        (
            Borne(0.001, 0.001, 100, 62),
            "returns (nearly) nothing of the conversation: in the 62 tokens that count",
        ),
        (Borne(0.3, 0.35, 100), ""),
    ],
)
def test_all_and_nothing_never_lead(runs: dict[str, Run], borne: Borne, text: str) -> None:
    """Returning (nearly) all or (nearly) none of a conversation is said, and keeps a row from leading."""
    stands = standing(judged(runs["many Notebook"]), EVERYBODY, borne)
    assert stands.extreme.startswith(text)
    assert bool(text) == bool(stands.extreme)
    assert not stands.bars


def test_what_was_returned_is_counted_in_turns(runs: dict[str, Run]) -> None:
    """A notebook that returns all nine turns bears all of them, and a digest bears none of what it claims."""
    notebook, digest = (borne_of(judged(runs[f"many {name}"]), None) for name in ("Notebook", "Digest"))
    assert notebook is not None
    assert digest is not None
    assert (notebook.share, notebook.claimed, notebook.size) == (1.0, 1.0, 9.0)
    assert digest.claimed == 1.0
    assert digest.turns < 0.5
