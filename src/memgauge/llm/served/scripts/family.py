"""A family of prompts: how it is known again, and what a scripted model says to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.llm.served.asked import ChatRequest, Said


@dataclass(frozen=True, slots=True)
class PromptFamily:
    """One kind of prompt."""

    purpose: str
    """What it is for, as the ledger names it: ``mem0 extract``."""
    fits: Callable[[ChatRequest], bool]
    say: Callable[[ChatRequest], Said]


def holding(*phrases: str) -> Callable[[ChatRequest], bool]:
    """Recognise a prompt by phrases that it holds, all of them."""
    return lambda asked: all(phrase in asked.text for phrase in phrases)


def shaped(name: str) -> Callable[[ChatRequest], bool]:
    """Recognise a prompt by the name of the schema that its reply has to fit."""
    return lambda asked: asked.schema_name == name
