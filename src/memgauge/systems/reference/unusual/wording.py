"""Memories that are right and say it in other words: paraphrases, triples, other spellings of what is said."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from memgauge.systems.reference.graph import FactGraph
from memgauge.systems.reference.log import StatementLog
from memgauge.text.dates import MONTHS

if TYPE_CHECKING:
    from collections.abc import Callable

    from memgauge.records import Memory
    from memgauge.systems.reference.graph import Edge
    from memgauge.systems.reference.log import Claim, LogLine


class Rewording(StatementLog):
    """The log, in other words, however it is read."""

    def _memory(self, claim: Claim) -> Memory:
        memory = super()._memory(claim)
        plain = claim.text == claim.line.text
        return replace(memory, text=self._worded(claim.line) if plain else self._spelled(memory.text))

    def _worded(self, line: LogLine) -> str:
        """Word a line that was not changed."""
        return self._spelled(line.text)

    def _spelled(self, text: str) -> str:
        """Spell a text."""
        return text


_TEMPLATES: tuple[Callable[[LogLine], str], ...] = (
    lambda line: f"For the {line.slot}, this user {_verb(line, 'has')} {line.value}",
    lambda line: f"{line.value} {_verb(line, 'is')} what they gave as their {line.slot}",
    lambda line: f"Asked about the {line.slot}, the person said: {line.value}.",
    lambda line: f"{line.slot.capitalize()} of the user = {line.value}",
    lambda line: f"They told me that their {line.slot} {_verb(line, 'is')} {line.value}, on an ordinary day.",
)


def _verb(line: LogLine, now: str) -> str:
    return {"has": "had", "is": "was"}[now] if line.over else now


class Paraphrasing(Rewording):
    """Words every memory by one of several templates, in the third person."""

    name = "paraphrasing"

    def _worded(self, line: LogLine) -> str:
        return _TEMPLATES[sum(map(ord, line.id)) % len(_TEMPLATES)](line)


class ThirdPerson(Rewording):
    """Calls the user by the id, and says who said it and when."""

    name = "third-person"

    def _worded(self, line: LogLine) -> str:
        day = f" ({line.at:%A})" if line.at else ""
        return f"{line.scope.user or 'Somebody'}'s {line.slot}: {line.value}{day}"


class Triples(FactGraph):
    """Shows every edge as a JSON object."""

    name = "triples"

    def _memory(self, edge: Edge) -> Memory:
        if edge.wording.startswith("{"):
            return super()._memory(edge)  # it was changed to an object, which is shown as it is
        triple = {"subject": edge.subject, "relation": edge.relation, "object": edge.wording or edge.value}
        return replace(super()._memory(edge), text=json.dumps(triple))


_LONG_NUMBER = re.compile(r"(?<![\w-])[1-9]\d{4,8}(?![\w-])")


class GroupedDigits(Rewording):
    """Groups the digits of long numbers, with a comma, a space or a full stop."""

    name = "grouped-digits"

    def _spelled(self, text: str) -> str:
        mark = ", ."[len(text) % 3]

        def grouped(match: re.Match[str]) -> str:
            return f"{int(match[0]):,}".replace(",", mark)

        return _LONG_NUMBER.sub(grouped, text)


class SpacedCodes(Rewording):
    """Writes a space where a code has a hyphen."""

    name = "spaced-codes"

    def _spelled(self, text: str) -> str:
        return re.sub(r"\b([A-Z]{2})-(\d{6})\b", r"\1 \2", text)


_DAY = re.compile(rf"\b(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})\b")


class OtherDates(Rewording):
    """Writes days as ISO does, or as is usual elsewhere."""

    name = "other-dates"

    def _spelled(self, text: str) -> str:
        return _DAY.sub(lambda match: _other(match[1], match[2], match[3], len(text) % 4), text)


def _other(day: str, month: str, year: str, form: int) -> str:
    """Spell a day in one of four ways."""
    number = MONTHS.index(month) + 1
    return (
        f"{year}-{number:02}-{int(day):02}",
        f"{month} {day}, {year}",
        f"{int(day):02} {month[:3]} {year}",
        f"the {day}th of {month} {year}" if 4 <= int(day) <= 20 else f"{day} {month[:3]}. {year}",
    )[form]


class Inflected(Rewording):
    """Puts a value into the possessive, the plural, or quotes."""

    name = "inflected"

    def _worded(self, line: LogLine) -> str:
        value = line.value
        if not re.fullmatch(r"[A-Z][a-z]+", value):
            return f"{line.slot} — “{value}”"
        forms = (f"{value}'s", f"the {value}s", f"“{value}”", f"{value}\u2019s", f"{value}-based", f"({value})")
        return f"As {line.slot} they named {forms[sum(map(ord, value)) % len(forms)]}, which I noted."


class UpperCase(Rewording):
    """Keeps everything in capitals."""

    name = "upper-case"

    def _spelled(self, text: str) -> str:
        return text.upper()


WORDINGS = (Paraphrasing, ThirdPerson, Triples, GroupedDigits, SpacedCodes, OtherDates, Inflected, UpperCase)
