"""A language model as a reader, scripted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memgauge.errors import BudgetError, ModelError
from memgauge.llm.messages import Finish
from memgauge.llm.scripted import Scripted, scripted_reply
from memgauge.studies.attribution.cells import BY_NAME
from memgauge.studies.attribution.models import Modelled
from memgauge.studies.attribution.question import shown
from memgauge.studies.attribution.study import attribute

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.messages import Request
    from memgauge.studies.attribution.question import SlotQuestion


def follows(*kinds: str, cite: bool = True) -> Callable[[Request], str]:
    """Answer with the first of *kinds* of source that says what is asked, as a careful model does."""

    def say(request: Request) -> str:
        text = request.messages[-1].text
        slot = re.search(r"What is my ([\w ]+)\?", text)
        assert slot is not None
        name = slot[1]
        patterns = {
            "memory": rf"\[(\d+)\] <.*>\nMemory: (?:My|The) {name} (?:that I have )?is (.+)\.",
            "document": rf"\[(\d+)\] <.*>\nDocument: .* the {name} of this user is (.+)\.",
            "state": rf'\[(\d+)\] <.*>\nState: {name.replace(" ", "_")} = "(.+)"',
        }
        for kind in kinds:
            found = re.search(patterns[kind], text)
            if found:
                return f"{found[2]}\nSources: {found[1]}" if cite else found[2]
        return "I don't know\nSources: none"

    return say


@pytest.mark.parametrize(
    ("order", "wiring"),
    [
        (("memory",), "memory-only"),
        (("memory", "document", "state"), "memory-first"),
        (("document", "memory", "state"), "document-first"),
    ],
)
def test_a_model_is_recognised_by_what_it_follows(
    questions: tuple[SlotQuestion, ...], order: tuple[str, ...], wiring: str
) -> None:
    """Through the whole prompt; its citations are as good as they are."""
    card = attribute(Modelled(Scripted(follows(*order))), questions)
    assert card.nearest == (wiring,)
    assert card.citations.faithfulness.share.mean == 1
    assert card.citations.correctness.share.mean == 1
    assert card.log.reason == "the reader keeps no log of what it recalls"
    assert card.reader == "scripted attribute-sources-1"


def test_the_order_of_sources_turns_with_the_question_and_not_with_the_cell(
    questions: tuple[SlotQuestion, ...],
) -> None:
    """So that no source is favoured by its place, and no cell differs in it."""
    reader = Modelled(Scripted(follows("memory")))

    def kinds(question: SlotQuestion, cell: str) -> list[str]:
        text = reader.request(shown(question, BY_NAME[cell])).messages[-1].text
        return list(dict.fromkeys(re.findall(r"\] <.*>\n(Memory|Document|State):", text)))

    orders = {tuple(kinds(question, "agree")) for question in questions}
    assert len(orders) == 3
    assert all(kinds(question, "agree") == kinds(question, "swap-state") for question in questions)


def test_neither_truth_nor_cell_is_shown(questions: tuple[SlotQuestion, ...]) -> None:
    """What no source holds stands nowhere in the request."""
    question = next(one for one in questions if not one.guessable)
    request = Modelled(Scripted([])).request(shown(question, BY_NAME["only-state"]))
    text = " ".join(message.text for message in request.messages)
    assert question.own[2] in text
    assert not any(value in text for value in (question.base, *question.own[:2], question.shared, "only-state"))


def test_repeats_are_requests_of_their_own(questions: tuple[SlotQuestion, ...]) -> None:
    """So that a record gives each its own reply."""
    model = Scripted(follows("memory"))
    attribute(Modelled(model), questions[:2], repeats=2)
    assert len(model.asked) == 2 * 2 * 18
    assert len({request.key for request in model.asked}) == len(model.asked)


def test_what_is_no_whole_reply_has_failed(questions: tuple[SlotQuestion, ...]) -> None:
    """Refused, cut off or broken: no answer, and the reason is told."""

    def say(request: Request) -> object:
        if "Document: (none" in request.messages[-1].text:
            return ModelError("the line is dead")
        return scripted_reply(request, "New Yo", finish=Finish.LENGTH)

    card = attribute(Modelled(Scripted(say)), questions[:2])  # type: ignore[arg-type] # what a script may say
    assert card.ends["failed"] == 2
    assert set(card.failures) == {"the line is dead", "the reply is no answer: it ended as length"}


def test_a_spent_budget_ends_the_study(questions: tuple[SlotQuestion, ...]) -> None:
    """It is no failure of the model."""

    def say(_request: Request) -> object:
        return BudgetError("spent")

    with pytest.raises(BudgetError):
        attribute(Modelled(Scripted(say)), questions[:2])  # type: ignore[arg-type] # what a script may say


@pytest.mark.parametrize(
    ("line", "cited"),
    [
        ("", None),
        ("\nSources: none", frozenset()),
        ("\nSources: 1", 1),
        ("\nSources: Document 1 and 2", 2),
        ("\nSources: 99", frozenset({"?"})),
        ("\nSources: 1\nSources: 2", None),
        ("\nSources: the document", frozenset({"?"})),
    ],
)
def test_citations_are_numbers(
    questions: tuple[SlotQuestion, ...], line: str, cited: int | frozenset[str] | None
) -> None:
    """Words around them do not matter; what was never given is a phantom."""
    (told,) = Modelled(Scripted([f"New York{line}"])).read([shown(questions[0], BY_NAME["agree"])])
    if isinstance(cited, int):
        assert told.cited is not None
        assert (len(told.cited), "?" in told.cited) == (cited, False)
    else:
        assert told.cited == cited
