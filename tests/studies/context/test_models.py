"""Models that need no provider, and whose accuracy is known."""

from __future__ import annotations

from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import ConfigError, ModelError, UnknownNameError
from memgauge.studies.context.grid import inquiry
from memgauge.studies.context.models import Curve, LocalModel, open_local
from memgauge.studies.context.sample import place
from memgauge.studies.context.scorer import score
from memgauge.studies.context.tasks import sample, samples


def reply(model: LocalModel, task: str, number: int, length: int, depth: float | None) -> str:
    """Ask *model* about one place of one sample."""
    placed = place(sample(task, number), length, depth)
    asked = inquiry(placed).request(model.name)
    model.expect(asked, placed)
    return model.complete(asked).text


@given(st.integers(1_001, 10**6), st.floats(0, 1), st.floats(0, 0.3), st.integers(1, 10**6), st.floats(0, 1))
def test_a_curve_gives_chances(effective: int, base: float, penalty: float, length: int, depth: float) -> None:
    """Accuracy is a chance, falls with length, and is lowest in the middle."""
    curve = Curve(effective, base, penalty)
    assert 0 <= curve.accuracy(length, 0.5) <= curve.accuracy(length, depth) <= curve.accuracy(length, 0.0) <= 1
    assert curve.accuracy(length + 1) <= curve.accuracy(length)


def test_a_curve_keeps_its_word() -> None:
    """At its effective length a model has .85 of its base, and in the middle the penalty less."""
    curve = Curve(effective=8_000, base=0.9, penalty=0.12)
    assert curve.accuracy(1_000) == 0.9
    assert curve.accuracy(8_000) == pytest.approx(0.85 * 0.9)
    assert curve.accuracy(1_000, 0.5) == pytest.approx(0.78)
    assert curve.accuracy(1_000, 0.2) == pytest.approx(0.84)


def test_a_simulated_model_answers_as_often_as_its_curve_says() -> None:
    """Over many samples, the share of right answers is the accuracy, and wrong answers are wrong values."""
    model = open_local("simulated:effective=4000,penalty=0.2")
    assert model is not None
    said = [(reply(model, "update", n, 1_000, 0.5), sample("update", n)) for n in range(400)]
    right = [score(text, one).right for text, one in said]
    assert mean(right) == pytest.approx(0.75, abs=0.05)
    assert all(score(text, one).f1 == 0 for (text, one), ok in zip(said, right, strict=True) if not ok)


def test_the_same_prompt_gets_the_same_reply() -> None:
    """Two models of one name say the same; another seed says something else."""
    models = [open_local(f"simulated:effective=2000,seed={seed}") for seed in (0, 0, 1)]
    told = [[reply(model, "set", n, 2_000, None) for n in range(40)] for model in models if model]
    assert told[0] == told[1] != told[2]


def test_where_no_wrong_value_is_known_it_does_not_know() -> None:
    """A wrong answer to a count is none."""
    model = open_local("simulated:base=0")
    assert model is not None
    assert reply(model, "count", 0, 1_000, 0.5) == "I don't know"


def test_echo_and_silence_are_the_ends() -> None:
    """One repeats all it sees, the other says nothing."""
    loud, quiet = open_local("echo"), open_local("silent")
    assert loud is not None
    assert quiet is not None
    for one in samples("latent", 3):
        number = int(one.key.rpartition("/")[2])
        said = reply(loud, "latent", number, 1_000, 0.5)
        assert one.question in said
        assert score(said, one).published == 1.0
        assert reply(quiet, "latent", number, 1_000, 0.5) == "I don't know"


def test_what_was_not_announced_is_not_answered() -> None:
    """A local model answers, once, what it was told about."""
    model = open_local("echo")
    assert model is not None
    asked = inquiry(place(sample("kv", 0), 1_000)).request(model.name)
    with pytest.raises(ModelError, match="was not told"):
        model.complete(asked)


def test_other_names_are_providers() -> None:
    """What is no local model is left to the providers; what is misspelt within one is suggested."""
    assert open_local("openai:gpt") is None
    with pytest.raises(UnknownNameError, match="Did you mean effective"):
        open_local("simulated:efective=3000")
    with pytest.raises(ConfigError, match="is not above"):
        open_local("simulated:effective=500")
    with pytest.raises(ConfigError, match="make no accuracies"):
        open_local("simulated:base=2")
