"""Eight readers whose dependence is known: what a design of attribution has to tell apart.

Each is a rule from what three sources hold of a slot, and from what anybody would guess of it, to an answer. All
are right where all sources hold what one would guess; that is why accuracy tells nothing about them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.errors import ConfigError
from memgauge.records import Ranking
from memgauge.registry import unknown_name
from memgauge.systems.policies.lexical import Bm25Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from memgauge.records import Scope

GUESSES: Mapping[str, str] = {
    "home city": "New York",
    "employer": "Google",
    "manager": "John Smith",
    "bank": "Chase",
    "project name": "Phoenix",
    "preferred theme": "dark mode",
    "favourite drink": "coffee",
    "favourite colour": "blue",
    "project deadline": "10 March 2026",
    "start date": "1 January 2026",
    "door code": "1234",
    "ticket number": "ABC-123",
}
"""What anybody would guess of a slot without having been told."""
UNKNOWN = "I don't know."
CITES = ("used", "all", "memory", "none")
"""What a wiring names as its sources: what it used, all that it was given, memory if there is any, or nothing."""


@dataclass(frozen=True, slots=True)
class Given:
    """What each source holds of one slot, and what anybody would guess; an empty value is none."""

    memory: str = ""
    document: str = ""
    state: str = ""
    guess: str = ""

    def present(self) -> tuple[str, ...]:
        """Name the sources that hold something."""
        return tuple(name for name in ("memory", "document", "state") if getattr(self, name))


@dataclass(frozen=True, slots=True)
class WiredAnswer:
    """An answer, empty where a wiring abstains, and the sources that it was taken from."""

    value: str = ""
    used: tuple[str, ...] = ()


def _first(*order: str) -> Callable[[Given], WiredAnswer]:
    """Take the first source that holds anything."""

    def take(given: Given) -> WiredAnswer:
        return next(
            (WiredAnswer(getattr(given, name), (name,)) for name in order if getattr(given, name)), WiredAnswer()
        )

    then = f", then {' and then '.join(order[1:])}" if order[1:] else ""
    take.__doc__ = f"Take {order[0]}{then}, and otherwise abstain."
    return take


def _memory_else_guess(given: Given) -> WiredAnswer:
    """Take memory, and guess where it holds nothing."""
    return WiredAnswer(given.memory, ("memory",)) if given.memory else WiredAnswer(given.guess)


def _guess(given: Given) -> WiredAnswer:
    """Guess, whatever anything holds."""
    return WiredAnswer(given.guess)


def _if_document_agrees(given: Given) -> WiredAnswer:
    """Take memory where the document says the same, and guess otherwise."""
    if given.memory and given.memory == given.document:
        return WiredAnswer(given.memory, ("memory", "document"))
    return WiredAnswer(given.guess)


def _majority(given: Given) -> WiredAnswer:
    """Take what two sources agree on; where no two do, memory, then document, then state."""
    held = {name: getattr(given, name) for name in given.present()}
    for value in held.values():
        agreeing = tuple(name for name, other in held.items() if other == value)
        if len(agreeing) > 1:
            return WiredAnswer(value, agreeing)
    return _first("memory", "document", "state")(given)


WIRINGS: Mapping[str, Callable[[Given], WiredAnswer]] = {
    "memory-only": _first("memory"),
    "memory-else-guess": _memory_else_guess,
    "memory-first": _first("memory", "document", "state"),
    "document-first": _first("document", "memory", "state"),
    "state-first": _first("state", "memory", "document"),
    "guesser": _guess,
    "memory-if-document-agrees": _if_document_agrees,
    "majority": _majority,
}
"""The eight, by name."""


def cited(how: str, given: Given, taken: WiredAnswer) -> tuple[str, ...]:
    """Name the sources that a wiring claims."""
    if how == "used":
        return taken.used
    return tuple(name for name in given.present() if how == "all" or (how == "memory" and name == "memory"))


class Wired(Bm25Policy):
    """Answers by a known rule from memory, a document and a state that stand in the question.

    It reads plain wording only: ``My door code is 7391.``, ``… the door code of this user is 7391.``,
    ``door_code = "7391"``. It searches as ``bm25`` does; what a search returns is its log of what it recalled.
    """

    def __init__(self, variant: str = "memory-first", *, cites: str = "used", logs: bool = True) -> None:
        """Open one wiring.

        Args:
            variant: Which of :data:`WIRINGS`.
            cites: Which sources it claims, one of :data:`CITES`, whatever it used.
            logs: Whether a search shows what it recalls; without, memory works unseen.

        Raises:
            UnknownNameError: No such wiring.
            ConfigError: No such way to cite.
        """
        if variant not in WIRINGS:
            raise unknown_name("wiring", variant, WIRINGS)
        if cites not in CITES:
            raise ConfigError(f"Parameter wired:cites={cites} is not one of {', '.join(CITES)}.")
        super().__init__(as_heard=False)  # its rules read plain words
        self.name = f"wired:{variant}"
        self._rule = WIRINGS[variant]
        self._cites = cites
        self._logs = logs

    def search(self, query: str, scope: Scope, k: int, as_of: datetime | None = None) -> Ranking:
        """Return what it recalls, or nothing where it keeps no log."""
        return super().search(query, scope, k, as_of) if self._logs else Ranking((), self.score_kind)

    def ask(self, question: str, scope: Scope, as_of: datetime | None = None) -> str:  # noqa: ARG002 - protocol
        """Answer with a value, and on a second line the sources that it claims."""
        asked = re.search(r"What is my ([\w ]+)\?", question)
        if asked is None:
            return UNKNOWN
        slot = asked[1]
        recalled, turn = self._recalled(slot, scope)
        given = Given(
            recalled,
            _value(rf"the {slot} of this user is (?P<value>[^.\"\n]+)\.", question),
            _value(rf'^{slot.replace(" ", "_")} = "(?P<value>[^"\n]+)"$', question),
            GUESSES.get(slot, ""),
        )
        taken = self._rule(given)
        names = [turn if name == "memory" else name for name in cited(self._cites, given, taken)]
        return (taken.value or UNKNOWN) + (f"\nSources: {', '.join(names)}" if self._cites != "none" else "")

    def _recalled(self, slot: str, scope: Scope) -> tuple[str, str]:
        """Return the last value that memory holds of a slot, and the memory that holds it."""
        shelf = self._shelves.get(scope)
        for memory in reversed(shelf.memories.values() if shelf else ()):
            value = _value(rf"\b(?:My|The) {slot} (?:that I have )?is (?P<value>[^.\"\n]+)\.", memory.text)
            if value:
                return value, memory.id
        return "", ""


def _value(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match["value"] if match else ""
