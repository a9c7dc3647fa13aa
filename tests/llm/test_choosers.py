"""Readers that choose among options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.errors import UnknownNameError
from memgauge.llm.choosers import LetterReader, Overlap, open_chooser
from memgauge.llm.prompted import Prompted
from memgauge.llm.prompts import open_prompt
from memgauge.llm.scripted import Scripted

if TYPE_CHECKING:
    from memgauge.llm.messages import Request

SHOWN = ("a red kayak", "a blue tent", "a green kite")


def test_overlap_takes_what_one_text_says_most_of() -> None:
    """The share of an option's own words in a single text decides, so that length does not."""
    context = ["I sold the tent.", "My kite is green."]
    assert Overlap().choose("What do I fly?", SHOWN, context).text == "c"


def test_overlap_declines_where_nothing_tells_options_apart() -> None:
    """Without a memory, and where two options are said alike, it chooses none."""
    assert Overlap().choose("What do I fly?", SHOWN, []).text == ""
    assert Overlap().choose("What do I fly?", SHOWN, ["a red kayak, a blue tent, a green kite"]).text == ""
    assert Overlap().choose("Which?", ("", "the"), ["x"]).text == ""


def test_a_model_sees_options_after_the_memories_and_replies_with_a_letter() -> None:
    """Lettered as shown, below the question; the prompt asks for a letter alone."""
    asked: list[str] = []

    def script(request: Request) -> str:
        asked.append(request.messages[-1].text)
        return "(b)"

    reader = Prompted(Scripted(script), open_prompt("choose-neutral"))
    reply = LetterReader(reader, reader.details).choose("What do I own?", SHOWN, ["I own a tent."])
    assert reply.text == "(b)"
    (text,) = asked
    assert text.index("I own a tent.") < text.index("What do I own?") < text.index("(b) a blue tent")


def test_choosers_are_opened_by_name() -> None:
    """An unknown one is refused with those that are known."""
    assert open_chooser("overlap").name == "overlap"
    with pytest.raises(UnknownNameError, match="overlp"):
        open_chooser("overlp")
