"""Answerers by name, and the two that need no reading."""

from __future__ import annotations

import pytest

from memgauge.errors import ConfigError, UnknownNameError
from memgauge.llm.answerers import ANSWERERS, open_answerer

QUESTION = "What colour is the boat?"
CONTEXT = ["The boat is red.", "Boats are wet."]


@pytest.mark.parametrize("name", ANSWERERS.names())
def test_every_built_in_answerer_opens_by_its_name(name: str) -> None:
    """The name in the registry begins the answerer's own; it has a version; without context it abstains."""
    answerer = open_answerer(name)
    assert answerer.name.split(":")[0] == name
    assert answerer.version
    assert not answerer.answer(QUESTION, [])
    assert answerer.answer(QUESTION, CONTEXT) == open_answerer(answerer.name).answer(QUESTION, CONTEXT)


def test_floor_and_best_memory() -> None:
    """``none`` always abstains; ``first`` returns the best memory as it is."""
    assert not open_answerer("none").answer(QUESTION, CONTEXT)
    assert open_answerer("first").answer(QUESTION, CONTEXT) == "The boat is red."


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("extractiv", "Unknown answerer 'extractiv'. Did you mean extractive"),
        ("extractive:sentence=1", "Unknown parameter of answerer extractive 'sentence'. Did you mean sentences"),
        ("extractive:long", "Unknown variant or parameter of answerer extractive 'long'"),
        ("none:k=1", "Unknown parameter of answerer none 'k'"),
    ],
)
def test_unknown_names_are_suggested(ref: str, message: str) -> None:
    """A misspelt answerer, parameter or variant names its neighbour."""
    with pytest.raises(UnknownNameError, match=message.replace(".", r"\.")):
        open_answerer(ref)


@pytest.mark.parametrize(
    ("ref", "message"),
    [
        ("extractive:sentences=few", "Parameter extractive:sentences=few is not a whole number"),
        ("extractive:sentences=0", "Parameter extractive:sentences=0 is not at least 1"),
    ],
)
def test_values_that_do_not_fit_are_named(ref: str, message: str) -> None:
    """An error names the parameter, its value and what would fit."""
    with pytest.raises(ConfigError, match=message):
        open_answerer(ref)
