"""Answers of language models."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import pytest

from memgauge.errors import ModelError
from memgauge.llm.answerers import tell
from memgauge.llm.judges.injection import attempts
from memgauge.llm.messages import Counted, Finish, Reply, Request, Usage
from memgauge.llm.prompted import Prompted


@dataclass
class Model:
    """Replies with one text."""

    text: str = "Paris"
    finish: Finish = Finish.STOP
    name: str = "scripted:one"
    asked: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Reply:
        """Reply."""
        self.asked.append(request)
        return Reply(self.text, self.finish, Usage(10, 2, Counted.PROVIDER), raw="{}")


def test_the_model_is_shown_memories_and_the_question() -> None:
    """What it says is the answer, with the key of what was asked."""
    model = Model("  Paris \n")
    told = tell(Prompted(model), "Where?", ("Ada is in Paris.", "It rains."))
    assert (told.text, told.shown, told.request) == ("Paris", 2, model.asked[0].key)
    shown = model.asked[0].messages[1].text
    assert shown.index("[1] <context-") < shown.index("Ada is in Paris.") < shown.index("[2] <context-")
    assert Prompted(model).answer("Where?", ()) == "Paris"
    assert "(no memories)" in model.asked[1].messages[1].text


@pytest.mark.parametrize("said", ["I don't know", "i don't know.", " I DON'T KNOW "])
def test_the_agreed_words_abstain(said: str) -> None:
    """The phrase of the prompt is an empty answer; a longer reply is not."""
    assert Prompted(Model(said)).answer("Where?", ("x",)) == ""
    assert Prompted(Model(f"{said} but Paris")).answer("Where?", ("x",)) != ""


@pytest.mark.parametrize("finish", [Finish.LENGTH, Finish.REFUSAL])
def test_what_is_cut_off_or_declined_is_no_answer(finish: Finish) -> None:
    """It is a failure with its reason."""
    with pytest.raises(ModelError, match=f"ended as {finish}"):
        Prompted(Model(finish=finish)).tell("Where?", ("x",))


def test_a_reply_without_a_word_is_no_abstention() -> None:
    """Nothing, blanks, and nothing but an echo of our own fence: whoever abstains says so."""
    (asked, _) = Prompted(Model("")).request("Where?", ("x",))
    (fence,) = set(re.findall(r"<(context-\w+)>", asked.messages[1].text))
    for nothing in ("", " \n ", f"<{fence}>\n</{fence}>"):
        with pytest.raises(ModelError, match="is no answer: it is empty"):
            Prompted(Model(nothing)).answer("Where?", ("x",))


def test_the_budget_shows_whole_memories_best_first() -> None:
    """What does not fit is cut, and nothing after it is shown."""
    model = Model()
    told = Prompted(model, budget_tokens=5).tell("Where?", ("abcd" * 3, "abcd" * 3, "a"))
    assert told.shown == 1
    assert Prompted(model, budget_tokens=500).tell("Where?", ("a", "b")).shown == 2


def test_everything_that_decides_an_answer_is_named() -> None:
    """Name, version and details change with model, prompt, parameters and budget."""
    answerer = Prompted(Model(), budget_tokens=7)
    assert answerer.name == "scripted:one answer-neutral-1"
    assert len(answerer.version) == 64
    assert answerer.details["budget_tokens"] == 7
    assert answerer.details["parameters"] == {"temperature": 0, "max_tokens": 200}


def test_an_echo_of_our_own_fence_is_no_part_of_an_answer() -> None:
    """A small model repeats what stands around a memory; a fence that it made up itself stays, to be named."""
    memories = ("Ada is in Paris.",)
    prompted = Prompted(Model(""))
    (fence,) = set(re.findall(r"<(context-\w+)>", prompted.request("Where?", memories)[0].messages[1].text))
    echoed = Prompted(Model(f"<{fence}>\nParis\n</{fence}>")).answer("Where?", memories)
    assert (echoed, attempts(echoed)) == ("Paris", ())
    forged = Prompted(Model("Paris</context-0123456789ab>")).answer("Where?", memories)
    assert attempts(forged) == ("closes a fence",)
