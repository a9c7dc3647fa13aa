"""The protocol, played."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ConfigError, UnknownNameError
from memgauge.measures.recovery import recovery
from memgauge.retrieval.embedders import HashedEmbedder
from memgauge.retrieval.selection import NOWHERE
from memgauge.studies.shift.play.simulate import POLICIES, run_shift, session_summaries, simulate
from memgauge.studies.shift.protocol.lane import lane
from memgauge.studies.shift.protocol.scene import scenes
from memgauge.studies.shift.protocol.spec import (
    PRESETS,
    BurstSampling,
    DistractorLifetime,
    DistractorSource,
    Filing,
    QuestionPlacement,
    ShiftSpec,
    Summaries,
)
from memgauge.studies.shift.protocol.timeline import timelines
from memgauge.studies.shift.published import LEXICAL
from support import real_data
from support.shift_world import Unlabelled, World, one_session, rewritten, told_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.records import Case
    from memgauge.studies.shift.play.outcomes import Outcomes

SMALL = ShiftSpec(bursts=(0, 3, 6), interrupted=2, summaries=Summaries.EXTRACTIVE)


def _at(outcomes: Outcomes, policy: str, burst: int) -> float | None:
    hits = outcomes.hits[outcomes.policies.index(policy), burst]
    return recovery(hits, outcomes.post_shift, outcomes.order, outcomes.spec.horizon)


def test_questions_stand_behind_their_evidence() -> None:
    """A question follows its last evidence turn, or the session of it; questions of a session are numbered."""
    for line in timelines(World(), SMALL):
        assert all(question.after == max(question.anchors) for question in line.questions)
        assert [q.after for q in line.questions] == sorted(q.after for q in line.questions)
    for line in timelines(World(), replace(SMALL, place=QuestionPlacement.SESSION_END)):
        for question in line.questions:
            assert line.session[question.after] == line.session[max(question.anchors)]
            assert question.after == len(line.turns) - 1 or line.session[question.after + 1] > question.segment


def test_categories_are_left_out_when_others_are_wanted() -> None:
    """Only questions of the named categories are asked."""
    some = run_shift(World(), replace(SMALL, categories=("date",)), ["flat"])
    assert 0 < len(some.questions) < len(run_shift(World(), SMALL, ["flat"]).questions)


@pytest.mark.parametrize("sampling", list(BurstSampling))
@pytest.mark.parametrize("source", [DistractorSource.SAME_CONVERSATION, DistractorSource.PAST_SESSIONS])
def test_bursts_are_nested_and_come_from_other_sessions(source: DistractorSource, sampling: BurstSampling) -> None:
    """A shorter burst is the beginning of a longer one, whatever the longest is; the running session is spared."""
    line = timelines(World(), SMALL)[0]
    spec = replace(SMALL, source=source, sampling=sampling)
    short, long = (lane(line, replace(spec, bursts=(0, m)), np.zeros(0, np.int64)) for m in (3, 6))
    assert short.row.tolist() == long.row[long.depth <= 3].tolist()
    assert short.burst.max() > 0
    for item in np.flatnonzero(long.depth):
        home = line.session[long.row[item]]
        assert home < long.burst[item] if source is DistractorSource.PAST_SESSIONS else home != long.burst[item]


@pytest.mark.parametrize(
    ("filing", "expected"),
    [(Filing.EXEMPT, "nowhere"), (Filing.CURRENT, "current"), (Filing.PSEUDO_SESSION, "own")],
)
def test_distractors_are_filed_as_declared(filing: Filing, expected: str) -> None:
    """They belong to no session, to the running one, or each burst to one of its own."""
    line = timelines(World(), SMALL)[0]
    made = lane(line, replace(SMALL, filing=filing), np.zeros(0, np.int64))
    filed, burst = made.filed[made.depth > 0], made.burst[made.depth > 0]
    found = {
        "nowhere": bool((filed == NOWHERE).all()),
        "current": bool((filed == burst).all()),
        "own": bool((filed >= len(line.sessions)).all()),
    }
    assert [name for name, true in found.items() if true] == [expected]


def test_isolated_memory_forgets_the_bursts_of_earlier_sessions() -> None:
    """Only the bursts of the running session are visible; a budget keeps the newest."""
    line = timelines(World(), SMALL)[0]
    made = lane(line, SMALL, np.zeros(0, np.int64))
    last = len(line.questions) - 1
    segment = line.questions[last].segment
    isolated = made.visible(last, segment, 6, replace(SMALL, memory=DistractorLifetime.ISOLATED))
    assert set(made.burst[isolated].tolist()) <= {NOWHERE, segment}
    assert made.visible(last, segment, 6, replace(SMALL, budget=4)).tolist() == list(
        range(made.cut[last] - 4, made.cut[last])
    )


@pytest.mark.parametrize("preset", ["paper", "clean"])
def test_every_policy_plays_every_reading(preset: str) -> None:
    """Hits have one value for each policy, burst and question, and the same seed gives the same ones."""
    spec = replace(PRESETS[preset], bursts=(0, 4), summaries=Summaries.EXTRACTIVE)
    first, second = (simulate(World(), spec, POLICIES, embedder=HashedEmbedder()).outcomes for _ in range(2))
    assert first.hits.shape == (len(POLICIES), 2, len(first.questions))
    assert np.array_equal(first.hits, second.hits)


def test_folding_copies_can_only_help_where_they_crowd() -> None:
    """With copies folded, the turns that they displaced come back."""
    spec = replace(SMALL, bursts=(0, 12))
    crowded, folded = (run_shift(World(), replace(spec, dedupe=d), ["flat"]) for d in (False, True))
    assert folded.hits[0, 1].sum() >= crowded.hits[0, 1].sum()


@pytest.mark.parametrize("text", ["something else entirely", "gate beans rain piano"])
@pytest.mark.parametrize("session", [2, 3])
def test_the_clean_preset_has_no_future_leak(session: int, text: str) -> None:
    """Changing everything said after a question changes nothing that any policy finds for it."""
    spec = replace(PRESETS["clean"], bursts=(0,))
    before, after = (
        simulate(world, spec, POLICIES, embedder=HashedEmbedder())
        for world in (World(), World(rewritten(session, text)))
    )
    for one, other in zip(before.played, after.played, strict=True):
        earlier = [n for n, question in enumerate(one.scene.line.questions) if question.segment < session]
        assert earlier
        assert np.array_equal(one.items[:, :, earlier], other.items[:, :, earlier])


def test_what_cannot_be_played_is_one_sentence() -> None:
    """Unknown policies, no sessions, nothing after a boundary, and missing summaries are refused."""
    with pytest.raises(UnknownNameError, match="Did you mean flat"):
        run_shift(World(), SMALL, ["flatt"])
    with pytest.raises(ConfigError, match="no session boundaries"):
        run_shift(World(one_session), SMALL)
    with pytest.raises(ConfigError, match="No question"):
        run_shift(World(), replace(SMALL, categories=("nothing",)))
    with pytest.raises(ConfigError, match="has a turn as evidence"):
        run_shift(Unlabelled(), SMALL)
    with pytest.raises(ConfigError, match=r"a session boundary\. Check its categories, or .* --place as_asked"):
        run_shift(World(told_first), SMALL)
    with pytest.raises(ConfigError, match="extractive"):
        run_shift(World(), replace(SMALL, summaries=Summaries.DATASET))


@pytest.mark.data
@pytest.mark.slow
def test_locomo_gives_the_published_numbers() -> None:
    """Counts are exact, and the five policies come out as the closest reading of the paper has them."""
    real_data("locomo/locomo10.json")
    found = run_shift(open_dataset("locomo:captions=false"), replace(PRESETS["paper"], bursts=(0, 100)))
    assert (len(found.questions), int(found.post_shift.sum())) == (1977, 1911)
    expected = {"flat": (0.568, 0.571), "gated": (0.504, 0.506), "hsr": (0.495, 0.496), "raptor": (0.596, 0.602)}
    for policy, (overall, natural) in (expected | {"fusion": (0.691, 0.692)}).items():
        near: dict[str, Any] = {"abs": 0.002 if policy in {"flat", "gated"} else 0.015}
        assert found.hits[LEXICAL.index(policy), 0].mean() == pytest.approx(overall, **near)
        assert _at(found, policy, 0) == pytest.approx(natural, **near)
    assert (_at(found, "hsr", 1) or 0) - (_at(found, "fusion", 1) or 0) > 0.05


def test_a_lone_conversation_has_no_others_to_draw_from() -> None:
    """What cannot interrupt is refused, and short bursts are known."""

    @dataclass(frozen=True)
    class Alone(World):
        def cases(self) -> Iterator[Case]:
            """Yield the first case."""
            return islice(super().cases(), 1)

    with pytest.raises(ConfigError, match="nothing to interrupt with: no turn comes from other_conversations"):
        run_shift(Alone(), replace(SMALL, source=DistractorSource.OTHER_CONVERSATIONS))
    (scene,) = scenes(Alone(), replace(SMALL, bursts=(0, 10_000)))
    assert all(0 < n < 10_000 for n in scene.drawn(SMALL))


def test_a_bandit_learns_from_its_own_hits_only() -> None:
    """Its hits are those of the arm that it chose, and its arms are those that can be played."""
    found = simulate(World(), SMALL, ("flat", "ucb", "hsr", "fusion"))
    routed = found.outcomes.routed["ucb"]
    assert routed.arms == ("flat", "hsr", "fusion")
    hits = {name: found.outcomes.hits[n] for n, name in enumerate(found.outcomes.policies)}
    arms = np.stack([hits[arm] for arm in routed.arms])
    bursts, questions = np.indices(routed.choice.shape)
    assert np.array_equal(hits["ucb"], arms[routed.choice, bursts, questions])
    dense = simulate(World(), SMALL, ("thompson",), embedder=HashedEmbedder()).outcomes
    assert dense.routed["thompson"].arms == ("flat", "dense", "hsr", "fusion")
    with pytest.raises(ConfigError, match="sentence vectors"):
        run_shift(World(), SMALL, ["dense"])


def test_summaries_can_be_supplied() -> None:
    """What is given replaces the first turns; a conversation without any is refused."""
    spec = replace(SMALL, summaries=Summaries.SUPPLIED)
    lines = timelines(World(), spec)
    own = {line.conversation: dict.fromkeys(line.sessions, "nothing at all") for line in lines}
    blind = simulate(World(), spec, ["hsr"], summaries=own).outcomes
    assert not np.array_equal(blind.hits, run_shift(World(), SMALL, ["hsr"]).hits)
    with pytest.raises(ConfigError, match="What was supplied has no summaries"):
        simulate(World(), spec, ["hsr"], summaries={lines[0].conversation: own[lines[0].conversation]})
    assert session_summaries(World()) == {}


def test_questions_can_be_asked_where_the_dataset_asks_them() -> None:
    """After the session that they name, or at the end."""
    lines = timelines(World(), replace(SMALL, place=QuestionPlacement.AS_ASKED))
    named = {q.id: q.after_session for case in World().cases() for q in case.questions}
    for line in lines:
        for question in line.questions:
            after = named[question.id]
            assert line.sessions[question.segment] == (line.sessions[-1] if after is None else after)


def test_with_bursts_from_others_the_clean_preset_has_no_future_leak_either() -> None:
    """Changing the future of one conversation changes nothing found in it before, interrupted or not."""
    spec = replace(PRESETS["clean"], bursts=(0, 5))
    first = next(World().cases()).conversation.id
    change = rewritten(2, "gate beans rain piano")
    before, after = (
        simulate(world, spec, POLICIES, embedder=HashedEmbedder()).played[0]
        for world in (World(), World(lambda case: change(case) if case.conversation.id == first else case))
    )
    earlier = [n for n, question in enumerate(before.scene.line.questions) if question.segment < 2]
    assert np.array_equal(before.items[:, :, earlier], after.items[:, :, earlier])
    assert not np.array_equal(before.items, after.items)
