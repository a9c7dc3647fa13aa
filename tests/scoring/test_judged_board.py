"""The board of judged answers: who is ranked, by what, and what is said about it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.llm.answerers import open_answerer
from memgauge.llm.judges.certify import Certificate, SentinelRate, certify
from memgauge.llm.judges.fitness import Fitness, fitness
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.judges.sentinels import build
from memgauge.llm.messages import Finish
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.measures import Rows
from memgauge.records import Question
from memgauge.runs.layers.answering import answer_run
from memgauge.runs.layers.judging import judge_layer
from memgauge.runs.play.execute import execute
from memgauge.runs.play.plan import plan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.judged_board import JudgedAnswers, _ranks, judged_board
from memgauge.scoring.labels import idle_labels
from memgauge.stats.proportion import wilson
from support import known
from support.players import AsPlayers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgauge.llm.messages import Reply, Request

WORLD = open_dataset("synthetic:few")
GOLD = GoldTable.read(WORLD)
SYSTEMS = ("bm25", "oracle", "recency")


def share(request: Request) -> str:
    """Accept a reply that holds a word of the accepted answer."""
    text = request.messages[1].text.lower()
    if "<gold-" not in text:
        return "INCORRECT"
    gold, reply = (text.split(f"<{name}-")[1].split("\n")[1] for name in ("gold", "answer"))
    return "CORRECT" if set(gold.split()) & set(reply.split()) else "INCORRECT"


def panel(*scripts: object, name: str = "j") -> Panel:
    """Make a panel of scripted judges; another name judges anew."""
    return Panel(tuple(Judge(Scripted(script, name=f"{name}{n}")) for n, script in enumerate(scripts)))  # type: ignore[arg-type] # what a script may be


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, object]]:
    """Run three systems on a small world, and answer from the first memory of each."""
    folders = execute(
        plan(["synthetic:few"], list(SYSTEMS)),
        tmp_path_factory.mktemp("runs"),
        executor=AsPlayers(),
        check=False,
    )
    runs = [load(folder) for folder in folders]
    return [(run, answer_run(run, WORLD, open_answerer("first"))) for run in runs]


def judged(
    answered: Sequence[tuple[object, object]], judges: Panel, labels: Mapping[str, bool] | None = None
) -> list[JudgedAnswers]:
    """Let a panel judge them all."""
    return [
        JudgedAnswers(run, layer, judge_layer(run, layer, WORLD, judges, workers=2), GOLD, labels or {})  # type: ignore[arg-type] # as the fixture makes them
        for run, layer in answered
    ]


def certificate(right: int = 100, vague: int = 0, specific: int = 0) -> Certificate:
    """Make a certificate over a hundred sentinels of each kind."""
    questions = [question for case in WORLD.cases() for question in case.questions]
    known = certify(panel(share), build(questions, list(WORLD.gold()), limit=2))
    counts = {"right": right, "vague wrong": vague, "specific wrong": specific}
    rates = tuple(SentinelRate(kind, kind == "right", 100, wilson(n, 100), 0, 0) for kind, n in counts.items())
    verdict, reasons = fitness(rates, None)
    return replace(known, rates=rates, verdict=verdict, reasons=reasons)


def test_a_fit_judge_ranks_and_corrected_shares_are_wider(answered: list[tuple[object, object]]) -> None:
    """Ranks come with their confidence sets, and every raw share has a corrected one beside it."""
    board = judged_board(judged(answered, panel(share)), certificate())
    assert (board.verdict, board.bars, board.marks) == ("fit", (), ())
    assert [(place.entry.system, place.rank) for place in board.places] == [
        ("bm25", 1),
        ("recency", 2),
        ("oracle", None),
    ]
    assert board.places[2].marks == ("It is a ceiling, which is never ranked.",)
    for place in board.places[:2]:
        assert place.rank is not None
        assert place.rank_low is not None
        assert place.rank_high is not None
        assert place.rank_low <= place.rank <= place.rank_high
        assert place.corrected.method.startswith("Rogan-Gladen")
        raw = place.entry.score
        assert None not in (raw.low, raw.high, place.corrected.low, place.corrected.high)
        assert place.corrected.high - place.corrected.low > raw.high - raw.low  # type: ignore[operator] # just looked at


def test_a_correction_lets_only_those_be_apart_that_are_apart_however_they_are_wrong(
    answered: list[tuple[object, object]],
) -> None:
    """Where kinds of wrong answers are accepted differently, rank sets are no narrower, and the board says why."""
    parts = judged(answered, panel(share))
    fit, corrected = judged_board(parts, certificate()), judged_board(parts, certificate(90, 20, 4))
    assert corrected.verdict == "fit with correction"
    assert "Read the corrected shares: it accepts 90% of right answers" in corrected.marks[0]
    assert corrected.ranked
    before = {place.entry.system: place for place in fit.places}
    for place in corrected.places[:2]:
        narrow = before[place.entry.system]
        assert place.rank_low is not None
        assert narrow.rank_low is not None
        assert place.rank_high is not None
        assert narrow.rank_high is not None
        assert place.rank_low <= narrow.rank_low <= narrow.rank_high <= place.rank_high


@pytest.mark.parametrize(
    ("known", "untested", "verdict", "why"),
    [
        (None, (), "uncertified", "This judge was never certified: `memgauge models certify -p j0 --out"),
        (certificate(vague=63, specific=11), (), "unfit", "j0 is unfit to judge: "),
        (certificate(), ("judge-outcome",), "fit", "The certificate says nothing of judge-outcome"),
    ],
)
def test_a_judge_that_may_not_judge_ranks_nobody(
    answered: list[tuple[object, object]],
    known: Certificate | None,
    untested: Sequence[str],
    verdict: str,
    why: str,
) -> None:
    """The values stay as they came, each without a rank, under a sentence that says why."""
    board = judged_board(judged(answered, panel(share)), known, untested)
    assert (board.verdict, board.ranked) == (verdict, False)
    assert why in board.bars[0]
    assert [place.entry.system for place in board.places] == list(SYSTEMS)
    assert {place.rank for place in board.places} == {None}
    assert all(place.entry.score.value is not None for place in board.places)


def test_judges_that_disagree_mark_the_board(answered: list[tuple[object, object]]) -> None:
    """A panel whose members say opposite things depends on who is asked."""
    turned = {"CORRECT": "INCORRECT", "INCORRECT": "CORRECT"}
    judges = panel(share, share, lambda request: turned[share(request)])
    board = judged_board(judged(answered, judges), certificate())
    assert "Its judges disagree (Fleiss' kappa -0." in board.marks[0]
    assert "it depends on who judges" in board.marks[0]
    agreeing = judged_board(judged(answered, panel(share, share)), certificate())
    assert agreeing.marks == ()


def test_too_many_cut_replies_leave_no_mean_and_no_rank(answered: list[tuple[object, object]]) -> None:
    """The ledger counts them, and nothing is inferred from those that happened to end in time."""

    def short(request: Request) -> Reply | str:
        verdict = share(request)
        return scripted_reply(request, verdict, finish=Finish.LENGTH) if verdict == "CORRECT" else verdict

    board = judged_board(judged(answered, panel(short, name="short")), certificate())
    oracle = next(place for place in board.places if place.entry.system == "oracle")
    score = oracle.entry.score
    assert (score.value, score.low, oracle.rank, oracle.corrected.value) == (None, None, None, None)
    assert "replies of judges were cut off, more than 2%" in score.reason
    assert score.denominator.excluded["verdict cut off"] > 0
    assert oracle.marks[-1].startswith("No mean is given: ")


def test_what_a_judge_leaves_open_keeps_a_system_from_a_rank(answered: list[tuple[object, object]]) -> None:
    """A share over the answers that a judge happened to decide is no place on a board."""

    def vague(request: Request) -> str:
        return share(request) if "where" in request.messages[1].text.lower() else "hm"

    board = judged_board(judged(answered, panel(vague, name="vague")), certificate())
    assert any("The judge decided nothing on" in mark for place in board.places for mark in place.marks)
    assert all(place.rank is None for place in board.places if place.marks)


def test_labels_correct_before_a_certificate_does(answered: list[tuple[object, object]]) -> None:
    """Where people labelled twenty answers of a system, their word and not the certificate corrects."""
    labels = {question.id: n % 2 == 0 for n, question in enumerate(GOLD.questions[:150:5])}
    parts = judged(answered, panel(share), labels)
    for place in judged_board(parts, certificate()).places:
        assert place.corrected.method == "PPI++, 30 labels"
        assert place.corrected.low is not None
        assert place.corrected.value is not None
        assert 0.2 < place.corrected.value < 0.8
    few = dict(list(labels.items())[:19])
    again = judged_board([replace(part, labels=few) for part in parts], certificate())
    assert {place.corrected.method.split(",")[0] for place in again.places} == {"Rogan-Gladen"}


def test_a_judge_that_needs_a_correction_orders_by_it_and_a_fit_one_does_not(
    answered: list[tuple[object, object]],
) -> None:
    """People find nothing right in what the judge liked best."""
    liked = {"bm25": False, "oracle": True, "recency": True}
    parts = [
        replace(part, labels={question.id: liked[system] for question in GOLD.questions[:150:5]})
        for system, part in zip(SYSTEMS, judged(answered, panel(share)), strict=True)
    ]
    fit, corrected = (judged_board(parts, known).places for known in (certificate(), certificate(90, 20, 4)))
    assert [place.entry.system for place in fit[:2]] == ["bm25", "recency"]
    assert [place.entry.system for place in corrected[:2]] == ["recency", "bm25"]


def test_the_words_of_verdicts_are_those_of_the_certificate() -> None:
    """What a board calls a judge is what its certificate says."""
    assert certificate().verdict is Fitness.FIT
    assert certificate(90).verdict is Fitness.CORRECTED
    assert certificate(vague=63, specific=11).verdict is Fitness.UNFIT


def test_who_is_not_judged_on_what_is_hard_gains_no_place() -> None:
    """Ranks and shares are of the questions that everybody was judged on, whatever an own mean says."""
    names = tuple(f"c{n}" for n in range(10))
    questions = tuple(Question(f"q{n}", names[n % 10], "what", "kind") for n in range(200))
    hard = np.arange(200) >= 180
    better = np.where(hard, 0.0, (np.arange(200) % 19 > 1) * 1.0)
    worse = np.where(hard, 0.0, (np.arange(200) % 7 > 1) * 1.0)
    rows = {0: Rows(np.where(hard, 0.0, worse), ~hard), 1: Rows(better, np.ones(200, dtype=np.bool_))}
    columns = [SimpleNamespace(rows=each) for each in rows.values()]
    parts = [SimpleNamespace(gold=SimpleNamespace(questions=questions))] * 2
    sets, shares = _ranks(columns, [0, 1], parts)  # type: ignore[arg-type] # what it reads of them
    assert (sets[1].low, sets[1].high, sets[0].low) == (1, 1, 2)
    assert shares[1] == pytest.approx(better[~hard].mean())
    assert shares[1] > shares[0]


def test_answers_that_judges_left_open_are_held_right_and_wrong(answered: list[tuple[object, object]]) -> None:
    """A judge that says nothing readable of wrong answers leaves a mean of one, and ends that hold the truth."""

    def right_or_nothing(request: Request) -> str:
        return verdict if (verdict := share(request)) == "CORRECT" else "I cannot tell."

    truth = {
        place.entry.system: place.entry.score.value
        for place in judged_board(judged(answered, panel(share, name="open")), certificate()).places
    }
    board = judged_board(judged(answered, panel(right_or_nothing, name="half")), certificate())
    assert board.left_open
    assert "intervals hold them both right and wrong" in " ".join(board.marks)
    place = next(each for each in board.places if each.entry.system == "recency")
    assert place.rank is None
    for ends in (place.entry.score, place.corrected):
        assert ends.low is not None
        assert ends.low <= known(truth["recency"]) <= 1


def test_labels_that_correct_nothing_are_told(answered: list[tuple[object, object]]) -> None:
    """Those of systems and questions that are not here, and fewer than twenty."""
    parts = judged(answered, panel(share))
    question = next(iter(GOLD.number))
    labels = {"nosuch": {question: True}, "bm25": {question: True, "elsewhere": False}}
    assert list(idle_labels(labels, parts)) == [
        "1 label of nosuch corrects nothing: no answers of it are here.",
        "1 label of bm25 corrects nothing: elsewhere is not here.",
        "Labels do not correct the share of bm25: the judge decided 1 labelled answer, and 20 are needed.",
    ]
