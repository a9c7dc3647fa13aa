"""Methods over instances and repeats, and two of them compared."""

from __future__ import annotations

from statistics import stdev
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import ConfigError, IdentityError, RunNotFoundError
from memgauge.llm.scripted import Scripted
from memgauge.stats.clusters import NO_SPREAD
from memgauge.studies.track.play.instance import Setup
from memgauge.studies.track.play.limits import PlayLimits
from memgauge.studies.track.play.plan import Named, PlayPlan
from memgauge.studies.track.play.played import ANSWERS, answer_lines
from memgauge.studies.track.play.run import play
from memgauge.studies.track.play.trajectory import TrajectoryWriter
from memgauge.studies.track.scoring.card import InstanceCard, card
from memgauge.studies.track.scoring.compare import COMPARED, compare
from memgauge.studies.track.scoring.judge import TrackJudge
from memgauge.studies.track.scoring.method import method
from memgauge.studies.track.scoring.scored import requests, score_run
from memgauge.studies.track.timeline.models import HiddenQuestion
from support.track.play import answered, call, played, said, timeline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def made(name: str, right: Sequence[bool], *, repeat: int = 0, calls: int = 1, event: int = 0) -> InstanceCard:
    """Make the card of an instance with a history of its own for each *event*, and two questions."""
    asked = [HiddenQuestion(id=f"q{n}", text="Who?", answer="dana") for n in range(2)]
    one = timeline(name, asked)
    one = one.model_copy(update={"events": (*one.events, said(10 + event, "ml", "lee", "More."))})
    rows = [call(n, "list_tickets", {"n": n}, str(n)) for n in range(calls)]
    answers = [answered(f"q{n}", "dana" if fine else "lee") for n, fine in enumerate(right)]
    return card(played(rows, answers, instance=name, repeat=repeat), one)


def test_a_method_is_the_mean_over_instances_of_the_mean_over_repeats() -> None:
    """An instance with more repeats weighs no more; histories are counted once."""
    cards = [
        made("a", (True, True), repeat=0, calls=20),
        made("a", (False, False), repeat=1, calls=10),
        made("b", (True, False), repeat=0, event=1, calls=2),
        made("c", (True, False), repeat=0, event=1, calls=4),
    ]
    found = method("m", cards)
    assert (found.instances, found.histories, found.questions, found.unscored) == (3, 2, 6, 0)
    score = found.scores["correctness"]
    assert score.mean == pytest.approx(0.5)
    assert score.low is not None
    assert found.scores["follow_up"].mean == pytest.approx((0.5 + 0 + 0) / 3)
    assert found.tc_max == 15
    assert found.deviation.of_runs == pytest.approx(stdev([2 / 3, 0]))
    assert found.deviation.of_instances == pytest.approx(stdev([1, 0]))
    assert found.ended == {"answered": 8}
    assert (found.success_median, found.success_min) == (1, 1)


def test_one_history_has_no_interval_and_one_repeat_no_spread() -> None:
    """What cannot be known is undefined, with a reason."""
    found = method("m", [made("a", (True, True)), made("b", (True, False))])
    assert found.histories == 1
    assert (found.scores["correctness"].low, found.scores["correctness"].reason) == (
        None,
        "one history cannot say how much histories differ",
    )
    assert (found.deviation.of_runs, found.deviation.of_instances) == (None, None)
    assert found.scores["redundancy_paper"].reason == "no defined value"


def test_reasons_speak_of_histories() -> None:
    """Units of chance are histories here, whatever they are elsewhere."""
    alike = [made(name, (True, True), calls=3, event=n) for n, name in enumerate("ab", 1)]
    lopsided = [made("z", (True, True), event=3), *(made(f"i{n}", (n % 2 == 0, True)) for n in range(40))]
    assert method("m", alike).scores["tc"].reason == (
        "no history differs from another, so their spread is unknown"
    )
    assert method("m", lopsided).scores["correctness"].reason == (
        "one history has nearly all instances, so that nobody knows how much histories differ"
    )


def test_two_methods_are_compared_pair_by_pair() -> None:
    """Differences are second less first, tests are over histories, and p-values are adjusted for their number."""
    first = [made(f"i{n}", (False, False), event=n, calls=12) for n in range(8)]
    second = [made(f"i{n}", (True, n % 2 == 0), event=n, calls=2) for n in range(8)]
    found = {one.measure: one for one in compare(first, second)}
    assert set(found) == set(COMPARED)
    right = found["correctness"]
    assert (right.first, right.second, right.difference.mean) == (0, 0.75, 0.75)
    assert right.difference.low is not None
    assert right.difference.low > 0
    assert right.p is not None
    assert right.p_adjusted is not None
    assert right.p_adjusted >= right.p
    same = found["success_rate"]
    assert (same.p, same.p_adjusted, same.difference.reason) == (None, None, NO_SPREAD)
    assert found["reread_rate"].difference.reason == "no instance has a value in both"


def test_a_measure_that_copies_another_is_no_further_test() -> None:
    """Where rules give 0 or 1, strict is correctness once more, and Holm does not count it."""
    right = [n < 5 for n in range(20)]
    first = [made(f"i{n}", (False, False), event=n) for n in range(20)]
    second = [made(f"i{n}", (fine, False), event=n) for n, fine in enumerate(right)]
    differences = {difference.measure: difference for difference in compare(first, second)}
    correct, strict = differences["correctness"], differences["strict"]
    assert (correct.same_as, strict.same_as) == ("", "correctness")
    assert correct.p is not None
    assert correct.p < 0.05
    assert correct.p_adjusted == strict.p_adjusted == correct.p


def test_what_differs_in_one_instance_is_no_copy() -> None:
    """A half is half a point and not right, and the family is larger by one."""
    asked = [HiddenQuestion(id="q0", text="Who?", answer="dana, lee")]
    texts = ("lee", "dana, lee", "dana, lee", "dana, lee")
    cards = []
    for run_texts in (["neither"] * 4, texts):
        instances = [
            (timeline(f"i{n}", asked), played((), [answered("q0", text)], instance=f"i{n}"))
            for n, text in enumerate(run_texts)
        ]
        cards.append(
            [
                card(play, one.model_copy(update={"events": one.events[n:]}))
                for n, (one, play) in enumerate(instances)
            ]
        )
    differences = {difference.measure: difference for difference in compare(*cards)}
    correct, strict = differences["correctness"], differences["strict"]
    assert (correct.difference.mean, strict.difference.mean, strict.same_as) == (0.875, 0.75, "")


def test_instances_of_one_history_are_one_unit_of_chance() -> None:
    """Eight instances over two histories give a test of two pairs."""
    first = [made(f"i{n}", (False, False), event=n % 2) for n in range(8)]
    second = [made(f"i{n}", (True, True), event=n % 2) for n in range(8)]
    found = next(one for one in compare(first, second) if one.measure == "correctness")
    assert (found.difference.n, found.histories) == (8, 2)


def test_unlike_runs_are_not_compared() -> None:
    """Another instance, or the same name over another history, is named."""
    with pytest.raises(IdentityError, match="a, b"):
        compare([made("a", (True, True))], [made("b", (True, True))])
    with pytest.raises(IdentityError, match="in their instances: a"):
        compare([made("a", (True, True))], [made("a", (True, True), event=1)])


def run(folder: Path, agent: str = "search") -> Path:
    """Play one instance."""
    setup = Setup(sandbox="off")
    play(PlayPlan(agent, (Named(timeline()), Named(timeline("more"))), setup, PlayLimits(), "keep"), folder)
    return folder


def test_a_run_is_scored_from_its_folder(tmp_path: Path) -> None:
    """What is missing is counted; a judge is asked only what it is estimated to be asked."""
    folder = run(tmp_path / "run", "random")
    grade, count = '{"score": 1, "is_correct": true}', '{"redundant_calls": 0, "total_calls": 1}'
    asked = Scripted(lambda request: grade if "grade" in request.messages[0].text else count)
    judge = TrackJudge(asked)
    planned = list(requests(folder, judge, paper=True))
    found = score_run(folder, judge=judge, paper=judge)
    assert [one.key for one in asked.asked if "grade" in one.messages[0].text] == [
        one.key for one in planned if "grade" in one.messages[0].text
    ]
    assert len(planned) == len(asked.asked)
    assert (found.missing, found.judge, found.method.scores["correctness"].mean) == (0, "scripted", 1)
    (folder / "played" / "0" / "tiny").rename(tmp_path / "away")
    assert score_run(folder).missing == 1


def test_what_an_outside_agent_did_is_scored_too(tmp_path: Path) -> None:
    """Its folder holds calls and answers, and the instance is named beside it."""
    with TrajectoryWriter(tmp_path) as writer:
        writer.write(call(0, "list_tickets", text="x", events=("e0", "e3")))
    (tmp_path / ANSWERS).write_text(answer_lines([answered("q1", "dana", 1)]), "utf-8")
    found = score_run(tmp_path, instance=timeline())
    assert found.method.scores["correctness"].mean == pytest.approx(1 / 3)
    assert [(card.instance, card.repeat) for card in found.cards] == [(timeline().name, 0)]
    assert found.missing == 0
    with pytest.raises(ConfigError, match="which instance"):
        score_run(tmp_path)


def test_an_empty_run_has_no_score(tmp_path: Path) -> None:
    """Nothing played to its end is nothing to score."""
    folder = run(tmp_path / "run")
    (folder / "played").rename(tmp_path / "away")
    with pytest.raises(RunNotFoundError, match="played to its end"):
        score_run(folder)
