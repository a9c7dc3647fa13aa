"""A few labels, drawn by chance and appended with who and when, give rates for everything."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, DataMismatchError, MalformedDataError
from memgauge.studies.production.arrays import TrafficArrays
from memgauge.studies.production.asking import ask, read_answers, read_judged
from memgauge.studies.production.coverage import JudgedService, label_coverage
from memgauge.studies.production.drawing import DrawHow, DrawnQuestion, draw, population
from memgauge.studies.production.estimating import LabelledSample, powered_rate, stratified_rate
from memgauge.studies.production.judgments import JUDGMENTS, LabelJudgment, LabelVerdict, kappas, labels, latest
from memgauge.studies.production.labelling import labelled_rates
from memgauge.studies.production.show_labels import labelled_document
from memgauge.studies.production.sitting import LabelSitting

if TYPE_CHECKING:
    from pathlib import Path

    from memgauge.exchange.traffic.reading import Traffic
    from memgauge.stats import Interval

HIT, MISS, UNCLEAR = LabelVerdict.HIT, LabelVerdict.MISS, LabelVerdict.UNCLEAR
_RATED = [HIT, HIT, MISS, MISS, HIT], [HIT, HIT, MISS, HIT]


@pytest.fixture(scope="module")
def arrays(small: Traffic) -> TrafficArrays:
    """Return the traffic as arrays."""
    return TrafficArrays.of(small)


def said(question: str, rater: str, verdict: LabelVerdict, at: str = "2026-11-25") -> LabelJudgment:
    """Spell a judgment."""
    return LabelJudgment(at, question, rater, verdict)


def test_a_stratum_without_questions_changes_no_rate() -> None:
    """Nobody can label what was never asked."""
    labels = [1, 0, 1, 1], [0, 0, 1, 1]
    with_empty, without = (
        stratified_rate(LabelledSample.of(*labels, sizes, [1, 2, 3, 4])) for sizes in ([300, 100, 0], [300, 100])
    )
    assert with_empty == without


@pytest.mark.parametrize("how", list(DrawHow))
def test_a_sample_keeps_its_probabilities(arrays: TrafficArrays, how: DrawHow) -> None:
    """Every stratum has two questions, no question comes twice, and 1 / probability adds up to everything."""
    drawn = draw(arrays, "seal", 50, how, 4)
    rows, strata = population(arrays)
    assert len({question.row for question in drawn.questions}) == 50
    assert {question.row for question in drawn.questions} <= set(rows.tolist())
    assert all(stratum.drawn >= min(2, stratum.size) for stratum in drawn.strata)
    weights = [1 / drawn.strata[question.stratum].probability for question in drawn.questions]
    assert sum(weights) == pytest.approx(len(rows))
    assert [stratum.size for stratum in drawn.strata] == np.bincount(strata, minlength=4).tolist()
    assert draw(arrays, "seal", 50, how, 4) == drawn
    assert draw(arrays, "seal", 50, how, 5) != drawn


def test_telling_questions_are_drawn_more_often(arrays: TrafficArrays) -> None:
    """Short lists and low scores; what is lost elsewhere is weighted back."""
    drawn = [draw(arrays, "seal", 50, how, 4).strata[1:3] for how in (DrawHow.RANDOM, DrawHow.TELLING)]
    shares = [sum(stratum.drawn for stratum in strata) for strata in drawn]
    assert shares[0] < shares[1]


def test_too_many_or_too_few_questions_are_refused(arrays: TrafficArrays) -> None:
    """With how many there are."""
    for n in (3, 10**6):
        with pytest.raises(ConfigError, match="cannot be drawn"):
            draw(arrays, "seal", n, DrawHow.RANDOM, 0)


def test_strata_weigh_by_size() -> None:
    """By hand: three quarters of 1/2 and a quarter of 1."""
    sample = LabelledSample.of([1, 0, 1, 1], [0, 0, 1, 1], [300, 100], [1, 2, 3, 4])
    assert stratified_rate(sample).mean == pytest.approx(0.625)


def _width(interval: Interval) -> float:
    assert interval.low is not None
    assert interval.high is not None
    return interval.high - interval.low


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=4, max_size=30), st.floats(0, 1))
def test_a_judge_that_always_says_the_same_adds_nothing(
    labelled: list[tuple[bool, bool]], constant: float
) -> None:
    """Its weight is 0 and the rate that of labels alone; the interval is no narrower."""
    truth = [label for label, _ in labelled]
    sample = LabelledSample.of(truth, [0] * len(truth), [1000], range(len(truth)))
    powered, weight = powered_rate(sample, [constant] * len(truth), [constant] * 1000)
    alone = stratified_rate(sample)
    assert weight == 0
    assert powered.mean == pytest.approx(alone.mean)
    assert _width(powered) >= _width(alone) - 1e-12


def test_labels_correct_a_judge_that_is_wrong_everywhere() -> None:
    """A judge that calls every fourth miss a hit moves nothing but the width."""
    rng = np.random.default_rng(1)
    truth = (rng.random(40_000) < 0.6).astype(float)
    judged = np.where((truth == 0) & (rng.random(40_000) < 0.25), 1.0, truth)
    picked = rng.choice(40_000, 4_000, replace=False)
    sample = LabelledSample.of(truth[picked], np.zeros(4_000), [40_000], picked)
    powered, weight = powered_rate(sample, judged[picked], judged)
    assert powered.low < truth.mean() < powered.high < judged.mean()
    assert 0.5 < weight < 1


def test_fifty_labels_cover_the_truth_and_a_judge_narrows_them() -> None:
    """In at least 93 % of samples, each; the thousand of the claim are drawn by `reproduce production`."""
    covered = label_coverage(JudgedService(), 50, 300, 8)
    assert min(covered.alone, covered.powered) >= 0.93
    assert covered.width_powered < 0.8 * covered.width_alone


def test_one_scope_cannot_say_how_much_scopes_differ() -> None:
    """The rate is known, its interval is not; without labels nothing is."""
    sample = LabelledSample.of([1, 0, 1], [0, 0, 0], [50], [7, 7, 7])
    assert stratified_rate(sample).low is None
    unlabelled = stratified_rate(LabelledSample.of([], [], [50], []))
    assert (unlabelled.reason, unlabelled.n) == ("nothing is labelled", 0)
    lone = LabelledSample.of([1, 0], [0, 0], [50, 9], [7, 8])
    assert (stratified_rate(lone).mean, stratified_rate(lone).reason) == (None, "a stratum has no label")


def test_the_last_word_of_a_rater_counts_and_the_first_stays_written(tmp_path: Path) -> None:
    """Nothing is overwritten; two raters who differ make a half; what nobody can tell is no label."""
    path = tmp_path / "judgments.jsonl"
    JUDGMENTS.append(path, [said("a", "ada", MISS), said("b", "ada", UNCLEAR)])
    JUDGMENTS.append(path, [said("a", "ada", HIT), said("a", "bob", MISS)])
    judgments = JUDGMENTS.read(path)
    assert [each.verdict for each in judgments] == [MISS, UNCLEAR, HIT, MISS]
    assert labels(latest(judgments)) == {"a": 0.5}


def test_two_raters_give_kappa() -> None:
    """By hand: agreement 3/4, chance 1/2; a question that one of them left out is no case."""
    ada, bob = (dict(zip("abcde", rated, strict=False)) for rated in _RATED)
    verdicts = {"ada": ada, "bob": bob}
    (kappa,) = kappas(verdicts, {name: place for place, name in enumerate("abcde")}).values()
    assert kappa.mean == pytest.approx(0.5)
    assert kappa.n == 4


def test_questions_are_asked_one_at_a_time_until_somebody_quits() -> None:
    """What is no answer is asked for again; whoever stops keeps what was answered; an end of input is a stop."""
    questions = [DrawnQuestion(row, f"t/{row}", 0) for row in range(4)]
    shown: list[int] = []

    def show(question: DrawnQuestion, place: int) -> None:
        shown.append(place)

    typed = ["maybe\n", "\n", "Yes\n", "n\n", "q\n", "y\n"]
    assert list(ask(questions, show, typed)) == [("t/0", HIT), ("t/1", MISS)]
    assert shown == [0, 1, 2]
    assert list(ask(questions, show, [])) == []


def test_written_answers_must_be_of_drawn_questions(arrays: TrafficArrays, tmp_path: Path) -> None:
    """A line that is none is named by its place."""
    drawn, path = draw(arrays, "seal", 50, DrawHow.RANDOM, 4), tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"question": drawn.questions[0].name, "verdict": "hit"}) + "\n", "utf-8")
    sitting = LabelSitting(drawn, tmp_path / "judgments.jsonl", "ada", lambda: "now")
    assert read_answers(path, sitting) == [said(drawn.questions[0].name, "ada", HIT, "now")]
    path.write_text('{"question": "x", "verdict": "hit"}\n', "utf-8")
    with pytest.raises(DataMismatchError, match="was not drawn"):
        read_answers(path, sitting)
    path.write_text('{"question": "x", "verdict": "yes"}\n', "utf-8")
    with pytest.raises(MalformedDataError, match=r"answers\.jsonl:1"):
        read_answers(path, sitting)
    path.write_text('{"question": "x", "hit": 2}\n', "utf-8")
    with pytest.raises(MalformedDataError, match=r"answers\.jsonl:1"):
        read_judged(path)


def test_written_answers_contradict_each_other_nowhere(arrays: TrafficArrays, tmp_path: Path) -> None:
    """A repeated line is one answer; another word about the same question is refused, of people and of judges."""
    drawn, path = draw(arrays, "seal", 50, DrawHow.RANDOM, 4), tmp_path / "answers.jsonl"
    sitting = LabelSitting(drawn, tmp_path / "judgments.jsonl", "ada", lambda: "now")
    name = drawn.questions[0].name

    def written(**words: list[object]) -> Path:
        ((key, values),) = words.items()
        path.write_text("".join(json.dumps({"question": name, key: value}) + "\n" for value in values), "utf-8")
        return path

    assert read_answers(written(verdict=["hit", "hit"]), sitting) == [said(name, "ada", HIT, "now")]
    assert read_judged(written(hit=[1, 1.0])) == {name: 1.0}
    with pytest.raises(MalformedDataError, match=r"answers\.jsonl:2: a line before says something else"):
        read_answers(written(verdict=["hit", "miss"]), sitting)
    with pytest.raises(MalformedDataError, match=r"answers\.jsonl:2: a line before says something else"):
        read_judged(written(hit=[1, 0]))


def test_what_raters_disagree_on_is_told(arrays: TrafficArrays) -> None:
    """It counts half, and one question that both rated has no kappa."""
    drawn = draw(arrays, "seal", 50, DrawHow.RANDOM, 4)
    judgments = [said(question.name, "ada", HIT) for question in drawn.questions]
    alone = labelled_rates(arrays, drawn, judgments)
    rates = labelled_rates(arrays, drawn, [*judgments, said(drawn.questions[0].name, "bob", MISS)])
    assert (alone.disputed, rates.disputed, alone.alone.mean) == (0, 1, 1.0)
    assert rates.alone.mean is not None
    assert rates.alone.mean < 1
    (pair,) = rates.raters
    assert (pair.kappa.mean, pair.kappa.n) == (None, 1)
    notes = [str(note.text) for note in labelled_document(rates).notes]
    assert any(note.startswith("1 question on which raters disagree: each counts as the share") for note in notes)


def test_a_judge_has_to_judge_everything(arrays: TrafficArrays) -> None:
    """Whatever it left out it may have chosen; with all of them the rate has its interval."""
    drawn = draw(arrays, "seal", 50, DrawHow.RANDOM, 4)
    judgments = [said(q.name, "ada", MISS if place % 3 == 0 else HIT) for place, q in enumerate(drawn.questions)]
    with pytest.raises(DataMismatchError, match="said nothing of"):
        labelled_rates(arrays, drawn, judgments, {drawn.questions[0].name: 1.0}, "judge")
    names = ["/".join(each) for each in arrays.spelled(population(arrays)[0])]
    rates = labelled_rates(arrays, drawn, judgments, dict.fromkeys(names, 1.0), "judge")
    assert (rates.labelled, rates.weight) == (50, 0)
    assert rates.powered is not None
    assert rates.powered.mean == pytest.approx(rates.alone.mean)
