"""Why a question of a run came back with nothing: the cause of its failure, and all that stood above."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import UnknownNameError
from memgauge.measures import parse
from memgauge.records import BOARD, Ties
from memgauge.runs.record.searches import StoredState
from memgauge.scoring.align import align
from memgauge.scoring.causes import FailureCause
from memgauge.scoring.failures import failures
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.run_reading import RunReading
from memgauge.scoring.why.attempts import moment_in_run
from memgauge.scoring.why.explaining import expecting, explained_by_gold, explained_by_memories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.store import Run
    from memgauge.scoring.failures import RetrievalFailure
    from memgauge.scoring.why.explaining import ExplainedSearch

MEASURES = ("Recall@62tok", "Recall@5")
CAUSES = {
    "bm25": FailureCause.CUT,
    "support.systems:Unlisted": FailureCause.UNKNOWN,
    "defective:drops": FailureCause.NOT_STORED,
    "defective:forgets": FailureCause.LOST,
    "defective:truncates": FailureCause.ALTERED,
    "defective:leaks": FailureCause.OTHER_SCOPE,
    "defective:outdated": FailureCause.OLD_VERSION,
    "defective:tiny": FailureCause.NOT_RETURNED,
    "defective:backwards": FailureCause.TOO_DEEP,
    "defective:breaks": FailureCause.SEARCH_FAILED,
}
"""For each cause a run that shows it."""


@pytest.fixture(scope="module")
def gold() -> GoldTable:
    """Read the gold of the tiny world."""
    return GoldTable.read(open_dataset("synthetic:tiny"))


def read(run: Run, gold: GoldTable, measure: str, ties: Ties = Ties.RETURNED) -> RunReading:
    """Lay a run beside its gold."""
    return RunReading(align(run, gold, replace(BOARD, ties=ties), 60), gold, parse(measure))


def why(reading: RunReading, question: str) -> ExplainedSearch:
    """Explain one question."""
    text = reading.gold.questions[reading.gold.number[question]].text
    return explained_by_gold(reading, moment_in_run(reading.judged.run, question, text))


@pytest.mark.parametrize("system", CAUSES)
def test_the_reason_is_the_cause_of_the_failure(defective: dict[str, Run], gold: GoldTable, system: str) -> None:
    """Of what `failures` lists `why` names the same cause, detail and turn; of the rest it names no miss."""
    named = set[FailureCause]()
    for measure in MEASURES:
        reading = read(defective[system], gold, measure)
        listed = failures([reading.judged], gold, reading.measure, limit=None, systems=[reading.judged.run.label])
        for failure in some(listed.shown):
            explained = why(reading, failure.question)
            assert explained.reason is not None
            assert explained.missed
            reason = explained.reason
            assert (reason.cause, reason.detail, reason.turn) == (failure.cause, failure.detail, failure.turn)
            named.add(reason.cause)
        missed = {failure.question for failure in listed.shown}
        answered = [str(name) for name in reading.judged.run.questions["question"] if name not in missed]
        assert not any(why(reading, name).missed for name in answered[:2])
    assert CAUSES[system] in named


def some(failed: Sequence[RetrievalFailure]) -> list[RetrievalFailure]:
    """Choose two failures of every cause."""
    return [failure for cause in FailureCause for failure in [each for each in failed if each.cause is cause][:2]]


@pytest.mark.parametrize("ties", Ties)
def test_what_outranked_the_evidence_is_exactly_what_stands_above(
    defective: dict[str, Run], gold: GoldTable, ties: Ties
) -> None:
    """Above are all hits before the first that bears the lost turn, none left out and none below; of none, all."""
    for system in ("bm25", "defective:tiny"):
        reading = read(defective[system], gold, "Recall@5", ties)
        for place, question in list(enumerate(gold.questions))[::3]:
            explained = why(reading, question.id)
            rows = [reading.memory(hit) for hit in reading.hits(place)]
            wanted = [explained.reason.turn] if explained.reason else list(explained.turns)
            bearing = [
                any((question.conversation, turn) in reading.shares.get(row, {}) for turn in wanted)
                for row in rows
            ]
            first = bearing.index(True) if True in bearing else len(rows)
            assert [hit.row for hit in explained.above] == (rows[:first] if explained.turns else [])
            assert [hit.rank for hit in explained.above] == list(range(1, len(explained.above) + 1))


def test_evidence_in_the_ledger_descends_from_it(defective: dict[str, Run], gold: GoldTable) -> None:
    """What is said to be stored of the evidence bears one of its turns as source, and was written before."""
    reading = read(defective["bm25"], gold, "Recall@62tok")
    for question in gold.questions[::3]:
        explained = why(reading, question.id)
        assert all(set(explained.turns) & set(stored.sources) for stored in explained.wanted)
        states = {stored.state for stored in explained.wanted}
        assert states <= {StoredState.STORED, StoredState.LATER}
        assert explained.turns == () or explained.wanted


def test_somebody_may_expect_another_turn_or_memory(defective: dict[str, Run], gold: GoldTable) -> None:
    """A turn that is named stands for the evidence; a memory that came back first was not lost."""
    run = defective["bm25"]
    question = str(run.questions["question"][0])
    home = gold.questions[gold.number[question]].conversation
    (spoken,) = (text for _, text in gold.conversations.said([home]))
    last = list(spoken.turns)[-1]
    explained = why(read(run, expecting(gold, question, [last]), "Recall@62tok"), question)
    assert explained.turns == (last,)
    assert [stored.memory for stored in explained.wanted] == [last]
    with pytest.raises(UnknownNameError, match="no turn 'nobody'"):
        expecting(gold, question, ["nobody"])
    moment = moment_in_run(run, question)
    first = explained_by_memories(moment, [moment.hits[0].memory], parse("Recall@62tok"))
    assert (first.reason, first.above, first.missed) == (None, (), False)
    absent = explained_by_memories(moment, ["nobody"])
    assert absent.missed
    assert absent.above == moment.hits
    assert [stored.state for stored in absent.wanted] == [StoredState.UNDATED]


def test_a_question_that_the_run_does_not_have_is_named(defective: dict[str, Run]) -> None:
    """A typing error is no empty record."""
    with pytest.raises(UnknownNameError, match="no question 'nobody'"):
        moment_in_run(defective["bm25"], "nobody")


def test_the_moment_lies_behind_the_writes_before_the_question(defective: dict[str, Run], gold: GoldTable) -> None:
    """Memories are stored by then whose session came before the question, in the order of the data."""
    run = defective["bm25"]
    cases = {case.conversation.id: case for case in open_dataset("synthetic:tiny").cases()}
    for question in gold.questions[::3]:
        case = cases[question.conversation]
        sessions = [session.id for session in case.conversation.sessions]
        after = question.after_session
        known = sessions[: sessions.index(after) + 1] if after in sessions else sessions
        stored = {each.memory for each in moment_in_run(run, question.id).stored if each.live}
        assert stored == {turn.id for turn in case.conversation.turns() if turn.session in known}
    assert np.unique(run.questions["conversation"]).size == 2


@pytest.mark.parametrize(("budget", "cause"), [(33, FailureCause.CUT), (34, FailureCause.OTHER_SCOPE)])
def test_strangers_are_to_blame_where_evidence_would_start_within_the_budget(
    defective: dict[str, Run], gold: GoldTable, budget: int, cause: FailureCause
) -> None:
    """Above the evidence stand thirty memories of others, and 33 tokens of the question's own scope."""
    reason = why(read(defective["defective:leaks"], gold, f"Recall@{budget}tok"), "u000000_q01").reason
    assert reason is not None
    assert reason.cause is cause
