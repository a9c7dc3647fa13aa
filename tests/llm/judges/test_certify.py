"""Sentinels, and what they say of a judge."""

from __future__ import annotations

import json
import re
import threading
import time
from typing import TYPE_CHECKING

import pytest

from llm.judges.test_panel import Model
from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.llm.judges.certify import certify, read_certificate
from memgauge.llm.judges.fitness import LIMITS, Fitness
from memgauge.llm.judges.panel import Judge, Panel
from memgauge.llm.judges.sentinels import SentinelKind, build, read_sentinels, set_hash
from memgauge.llm.messages import Finish
from memgauge.results import plain
from memgauge.text.normalise import fold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = open_dataset("synthetic:small")
QUESTIONS = [question for case in SMALL.cases() for question in case.questions]
GOLDS = list(SMALL.gold())
SENTINELS = build(QUESTIONS, GOLDS, limit=20)


def panel(say: Callable[[str], str]) -> Panel:
    """Make a panel of one."""
    return Panel((Judge(Model("one", say)),))


def part(prompt: str, name: str) -> str:
    """Cut one fenced part out of a prompt."""
    found = re.search(rf"<{name}-(\w+)>\n(.*?)\n</{name}-\1>", prompt, re.DOTALL)
    return found[2] if found else ""


def exact(prompt: str) -> str:
    """Accept what holds the accepted answer, or declines where there is none."""
    gold, answer = fold(part(prompt, "gold")), fold(part(prompt, "answer"))
    good = gold in answer if gold else "know" in answer or "never" in answer
    return "CORRECT" if good else "INCORRECT"


def gullible(prompt: str) -> str:
    """Accept whatever asks for it."""
    return "CORRECT" if re.search("correct|right", part(prompt, "answer"), re.IGNORECASE) else exact(prompt)


def test_sentinels_are_of_every_kind_and_what_they_say() -> None:
    """Right ones hold the accepted answer, wrong ones do not; the same seed builds the same set."""
    assert {one.kind for one in SENTINELS} == set(SentinelKind) - {SentinelKind.OTHER}
    for one in SENTINELS:
        if "gold" in one.item.parts:
            assert (fold(str(one.item.parts["gold"])) in fold(one.item.judged)) is one.right
    assert set_hash(SENTINELS) == set_hash(build(QUESTIONS, GOLDS, limit=20))
    assert set_hash(SENTINELS) != set_hash(build(QUESTIONS, GOLDS, limit=20, seed=1))


def test_a_good_judge_is_told_from_a_gullible_one() -> None:
    """The certificate shows what each accepts, and that injections worked on one of them."""
    good, bad = (certify(panel(say), SENTINELS, workers=2) for say in (exact, gullible))
    assert (good.agreed.mean, good.injections_accepted) == (1.0, 0)
    assert bad.injections_accepted > 0
    assert (
        good.injections_reported
        == bad.injections_reported
        == sum(s.kind is SentinelKind.INJECTION for s in SENTINELS)
    )
    rates = {rate.kind: rate for rate in bad.rates}
    assert rates["right"].accepted.mean == 1.0
    assert (rates["injection"].accepted.mean or 0) > 0
    assert sum(rate.n for rate in bad.rates) == len(SENTINELS)
    assert bad.stamp.startswith(f"certified {set_hash(SENTINELS)[:8]}, unfit: accepts right 1.00")
    assert (good.verdict, good.reasons) == (Fitness.FIT, ())
    assert any("of injections, more than 10%" in reason for reason in bad.reasons)


def test_a_judge_of_which_nothing_can_be_read_is_said_to_be_one() -> None:
    """No empty list stands where rates would."""
    mute = certify(panel(lambda _: "Looks fine to me."), SENTINELS)
    assert mute.stamp.endswith("unfit: none of its verdicts could be read; 0 injections accepted")


def test_one_worker_asks_one_after_the_other() -> None:
    """No more are asked at once than somebody allowed."""
    askers = set[int]()

    def slow(prompt: str) -> str:
        askers.add(threading.get_ident())
        time.sleep(0.001)
        return exact(prompt)

    certify(panel(slow), SENTINELS)
    assert len(askers) == 1


@pytest.mark.parametrize("bare", [False, True])
def test_length_is_compared_where_right_answers_come_in_both(bare: bool) -> None:
    """As they stand, and within a sentence; of one of them alone nothing is said."""
    alike = [
        each for each in SENTINELS if (fold(each.item.judged) == fold(str(each.item.parts.get("gold")))) is bare
    ]
    assert certify(panel(exact), alike).length is None


def test_a_judge_that_cannot_be_read_has_no_rates() -> None:
    """Invalid verdicts are counted, and count as neither."""
    found = certify(panel(lambda _: "perhaps"), SENTINELS)
    assert found.agreed.mean is None
    assert sum(rate.invalid for rate in found.rates) == len(SENTINELS)
    assert found.stamp.endswith("0 injections accepted")
    assert found.verdict is Fitness.UNFIT
    assert "it decided 0 of" in found.reasons[0]


def test_a_judge_that_is_cut_off_decides_nothing_and_is_unfit() -> None:
    """Whatever a reply holds that ended too early, it is counted as cut off."""
    whole = Panel((Judge(Model("one", exact, Finish.LENGTH)),))
    found = certify(whole, SENTINELS)
    assert sum(rate.cut for rate in found.rates) == len(SENTINELS)
    assert (found.agreed.mean, found.verdict) == (None, Fitness.UNFIT)


def test_a_certificate_is_read_back_and_judged_by_the_limits_of_today() -> None:
    """Counts are exact again; the limits that were asked for are written into it."""
    found = certify(panel(gullible), SENTINELS)
    text = json.dumps(plain(found) | {"stamp": found.stamp})
    again = read_certificate(text)
    assert (again.verdict, again.reasons, again.right, again.wrong) == (
        found.verdict,
        found.reasons,
        found.right,
        found.wrong,
    )
    assert json.loads(text)["limits"]["apart_most"] == LIMITS.apart_most
    assert read_certificate(text.replace('"unfit"', '"fit"')).verdict is Fitness.UNFIT


def test_right_answers_within_a_sentence_are_compared_with_bare_ones() -> None:
    """A judge that accepts only what stands alone misses half of what is right, and depends on the length."""

    def terse(prompt: str) -> str:
        gold, answer = fold(part(prompt, "gold")), fold(part(prompt, "answer"))
        return "CORRECT" if gold == answer or not gold else "INCORRECT"

    found = certify(panel(terse), SENTINELS)
    assert found.length == 1.0
    assert any("within a sentence are accepted 100% less often" in reason for reason in found.reasons)


def test_sentinels_can_come_from_a_file(tmp_path: Path) -> None:
    """One JSON object a line; what should be accepted and what not are told apart."""
    path = tmp_path / "sentinels.jsonl"
    lines = [
        {"question": "Where?", "gold": "Paris", "answer": "Paris", "right": True},
        {"question": "Where?", "gold": "Paris", "answer": "a city", "right": False},
        {"question": "Why?", "answer": "I don't know", "right": True, "abstain": True, "kind": "refusal"},
    ]
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    found = certify(panel(exact), read_sentinels(path))
    assert [rate.kind for rate in found.rates] == ["other right", "other wrong", "refusal"]
    assert found.agreed.mean == 1.0


@pytest.mark.parametrize(
    ("line", "what"), [('{"question": "q", "answer": "a"}', "2: right: "), ("nonsense", "2: the line itself: ")]
)
def test_a_broken_file_is_named_by_its_line(tmp_path: Path, line: str, what: str) -> None:
    """File, line and field are told; a missing file too."""
    path = tmp_path / "sentinels.jsonl"
    path.write_text('{"question": "q", "answer": "a", "right": true}\n' + line)
    with pytest.raises(MalformedDataError, match=re.escape(f"{path}:{what}")):
        read_sentinels(path)
    with pytest.raises(DataNotFoundError, match="Cannot read"):
        read_sentinels(tmp_path / "absent")
