"""A parser that asks a model."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import ModelError
from memgauge.llm.asking import ask
from memgauge.llm.scripted import Scripted
from memgauge.studies.targets.extraction import PromptedExtractor, extract
from memgauge.systems.storefile import spell_store

if TYPE_CHECKING:
    from memgauge.llm.messages import Request

TINY = open_dataset("synthetic:tiny")


def echo(request: Request) -> str:
    """State what the turn says, as one fact."""
    said = re.search(r"<turn-(\w+)>\n(.*?)\n</turn-\1>", request.messages[1].text, re.DOTALL)
    return json.dumps({"facts": [said[2], said[2], " "]}) if said else "{}"


def test_every_turn_is_asked_about_and_named() -> None:
    """One memory a turn with its lineage, the same whatever the number of workers."""
    model = Scripted(echo, name="m")
    one, unread = extract(TINY, PromptedExtractor(model), workers=1)
    many, _ = extract(TINY, PromptedExtractor(model), workers=4)
    assert one == many
    assert unread == 0
    for case in TINY.cases():
        turns = [turn.id for turn in case.conversation.turns()]
        assert [memory.sources for memory in one[case.conversation.id]] == [(turn,) for turn in turns]
    assert spell_store({"store": "model", **PromptedExtractor(model).made}, one)


def test_nothing_but_the_conversation_is_shown() -> None:
    """No prompt holds a question of the dataset; the turns before are shown, the later ones are not."""
    seen: list[str] = []

    def spy(request: Request) -> str:
        seen.append(request.messages[1].text)
        return '{"facts": []}'

    extract(TINY, PromptedExtractor(Scripted(spy, name="m")))
    questions = [question.text for case in TINY.cases() for question in case.questions]
    assert not any(question in prompt for question in questions for prompt in seen)
    first = list(next(TINY.cases()).conversation.turns())
    assert "(nothing)" in seen[0]
    assert first[0].text in seen[1]
    assert first[5].text not in seen[1]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ('{"facts": ["a", "b", "a", "c"]}', ["a", "b"]),
        ('{"facts": []}', []),
        ('{"facts": "a"}', None),
        ('{"facts": [1]}', None),
        ('{"facts": [], "note": 1}', None),
        ("- a\n- b", None),
        ("", None),
    ],
)
def test_replies_are_read_strictly(text: str, facts: list[str] | None) -> None:
    """One object with a list of texts; what else there is cannot be read."""
    extractor = PromptedExtractor(Scripted([text], name="m"), limit=2)
    turn = next(next(TINY.cases()).conversation.turns())
    assert ask(extractor.model, extractor.inquiry(turn, ())).value == facts


def test_what_cannot_be_read_is_counted() -> None:
    """A failed call and an unreadable reply state nothing, and both are told."""

    def fails(request: Request) -> str:
        if "t01" in request.key:
            raise ModelError("down")
        return "well"

    found, unread = extract(TINY, PromptedExtractor(Scripted(fails, name="m")))
    assert unread == sum(len(list(case.conversation.turns())) for case in TINY.cases())
    assert all(memories == () for memories in found.values())
