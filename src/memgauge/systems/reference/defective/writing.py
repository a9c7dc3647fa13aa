"""Memories that lose or spoil what they are told while they write it."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.records import Change, Form, Memory, Receipt, Scope
from memgauge.systems.reference.defective.defective import Defective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.records import Turn

_NAME = re.compile(r"\b[A-Z]\w{3,}")


class Drops(Defective, how="drops"):
    """Stores nothing of every *n*-th turn."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store the others."""
        dropped = {turn.id for number, turn in self.number(turns, scope) if (number + self.salt) % self.n == 0}
        self.touched |= dropped
        return super().ingest([turn for turn in turns if turn.id not in dropped], scope)


class Refuses(Defective, how="refuses"):
    """Raises at one write in *n*."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store what does not fail."""
        if any(self.meets(turn.id) for turn in turns):
            self.touched |= {turn.id for turn in turns}
            raise RuntimeError("the extractor returned no JSON")
        return super().ingest(turns, scope)


class Respelt(Defective):
    """Stores other words than were said, and claims the turn."""

    def _memory(self, turn: Turn) -> Memory:
        memory = super()._memory(turn)
        text = self.respelt(memory.text, turn)
        if text != memory.text:
            self.touched.add(turn.id)
        return replace(memory, text=text, form=Form.UNKNOWN)

    @abstractmethod
    def respelt(self, text: str, turn: Turn) -> str:
        """Return what is stored in the place of *text*, which is *turn* as it is heard."""


class Truncates(Respelt, how="truncates", usual=6):
    """Stores the first *n* words of every turn."""

    def respelt(self, text: str, turn: Turn) -> str:  # noqa: ARG002 - the hook's
        """Cut."""
        return " ".join(text.split()[: self.n])


class Renames(Respelt, how="renames", usual=1):
    """Stores other names than were said, in one turn of *n*."""

    def respelt(self, text: str, turn: Turn) -> str:
        """Spell every name backwards."""
        return _NAME.sub(lambda name: name[0][::-1].title(), text) if self.meets(turn.id) else text


class Blurs(Respelt, how="blurs", usual=2):
    """Stores one word of *n* as a placeholder, as a redactor does that redacts too much."""

    def respelt(self, text: str, turn: Turn) -> str:
        """Redact words of four letters and more."""
        words = text.split()
        return " ".join(
            "[redacted]" if len(word) > 3 and self.meets(f"{turn.id} {place}") else word
            for place, word in enumerate(words)
        )


class Misfiles(Defective, how="misfiles"):
    """Stores one turn of *n* under another user, and reports that it was stored."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store every turn somewhere."""
        changes: list[Change] = []
        for turn in turns:
            astray = self.meets(turn.id)
            self.touched |= {turn.id} if astray else set()
            home = replace(scope, user=f"{scope.user}-2") if astray else scope
            changes += super().ingest([turn], home).changes or ()
        return Receipt(tuple(changes))


class Forgets(Defective, how="forgets", usual=4):
    """Loses all but the newest *n* sessions, and says so to nobody."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store, and drop what is older."""
        receipt = super().ingest(turns, scope)
        self.number(turns, scope)
        self._sessions = [*self.__dict__.get("_sessions", ()), *((turn.session, turn.id) for turn in turns)]
        recent = list(dict.fromkeys(session for session, _ in self._sessions))[-self.n :]
        gone = {turn for session, turn in self._sessions if session not in recent}
        self.delete(sorted(gone - self.touched), scope)
        self.touched |= gone
        return receipt

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._sessions = []


class Overwrites(Defective, how="overwrites", usual=3):
    """Has *n* turns share one memory, which holds the last of them."""

    def ingest(self, turns: Sequence[Turn], scope: Scope) -> Receipt:
        """Store every turn in the place of an earlier one."""
        changes: list[Change] = []
        for number, turn in self.number(turns, scope):
            slot = f"slot-{(number + self.salt) // self.n}"
            shelf = self._shelf(scope)
            if slot in shelf.memories:
                self.touched |= set(shelf.memories[slot].sources)
            changes += self._put([replace(self._memory(turn), id=slot)], scope).changes or ()
        return Receipt(tuple(changes))


MEMORIES = (Drops, Refuses, Truncates, Renames, Blurs, Misfiles, Forgets, Overwrites)
