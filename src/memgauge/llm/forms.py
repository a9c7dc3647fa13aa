"""How a reply has to look, and how it is read: exactly so, or not at all."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from memgauge.llm.schemas import misfit
from memgauge.text.jsons import REPLY, object_of, object_within

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class ReplyForm(Protocol[T_co]):
    """What a reply has to be."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """Return the schema that is sent with the prompt; ``None`` sends none."""
        ...

    def read(self, text: str) -> T_co:
        """Read a whole reply.

        Raises:
            ValueError: It is not what was asked for; the message says why.
        """
        ...


@dataclass(frozen=True)
class FreeText:
    """Any text but none, without what surrounds it: a server that sends nothing has not answered."""

    schema: None = None

    def read(self, text: str) -> str:
        """Return the text.

        Raises:
            ValueError: There is none.
        """
        if not text.strip():
            raise ValueError("is empty")
        return text.strip()


@dataclass(frozen=True)
class OneObject(Generic[T]):
    """One JSON object that fits a schema, and nothing before or after it."""

    fields: Mapping[str, Any]
    """The schema."""
    check: Callable[[dict[str, Any]], T]
    """Makes the value, and raises :class:`ValueError` for what a schema cannot refuse."""
    optional: frozenset[str] = frozenset()
    """Fields on which nothing hangs, such as a reason: they are asked for, and may be missing."""
    sent: bool = True
    """Whether the schema goes along; without it the prompt alone says what is wanted."""

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """Return the schema where it goes along."""
        return self.fields if self.sent else None

    def read(self, text: str) -> T:
        """Read the object.

        Raises:
            ValueError: The reply is anything else.
        """
        data = object_of(text.strip(), REPLY)
        if data is None:
            raise ValueError("it is not one JSON object")
        required = [name for name in self.fields["required"] if name not in self.optional]
        problem = misfit(data, {**self.fields, "required": required})
        if problem:
            raise ValueError(problem)
        return self.check(data)


@dataclass(frozen=True)
class DraftObject(Generic[T]):
    """One JSON object, perhaps inside a fence or after a sentence: for drafts that are checked, and no verdict."""

    check: Callable[[dict[str, Any]], T]
    """Makes the value, and raises :class:`ValueError` for what does not fit."""
    schema: None = None

    def read(self, text: str) -> T:
        """Read the object.

        Raises:
            ValueError: There is none, or it does not fit.
        """
        return self.check(object_within(text))


_LOOKALIKES: Final = str.maketrans(
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"  # Greek
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425",  # Cyrillic
    "ABEZHIKMNOPTYX" + "ABESIJKMHOPCTYX",
)
_INVISIBLE: Final = frozenset({"Cf", "Mn", "Me"})
_DENIED: Final = re.compile(r"(?:(?i:\b(?:not|never|hardly)\b|n['\u2019]t\b)|\bIN)[\W_]{1,3}\Z")
"""What makes the opposite of the label after it."""
_NEAR: Final = 12
_COLOURS: Final = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_WORDS: Final = re.compile(r"[^\W_]+")
_PLACES: Final = 100
_LONGEST: Final = 2_000
_STATED: Final = re.compile(r"[\W_]*(?:verdict[\W_]+)?([^\W_]+)[\W_]*", re.IGNORECASE)
"""A line that holds one word, or says that it is the verdict."""


@dataclass(frozen=True)
class OneLabel:
    """One label of a closed set: the one guard in front of everything that judges.

    Accepted is one JSON object of a reason and a verdict and nothing else, or prose whose last line is the label
    alone (or after ``VERDICT:``) and that neither names another, however it is spelled, nor denies it.
    """

    labels: tuple[str, ...]
    """As they are to be said, in capitals."""

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return the schema of a reply; the reason comes first, so that it is thought before it is said."""
        return {
            "type": "object",
            "properties": {
                "reason": {"type": "string"},
                "verdict": {"type": "string", "enum": list(self.labels)},
            },
            "required": ["reason", "verdict"],
            "additionalProperties": False,
        }

    def read(self, text: str) -> str:
        """Return the label.

        Raises:
            ValueError: The reply is anything else.
        """
        whole = text.strip()
        label = self._in_object(whole) if whole.startswith("{") else self._in_last_line(whole)
        if label is None:
            raise ValueError("no verdict could be read")
        return label

    def _in_object(self, whole: str) -> str | None:
        form = OneObject(self.schema, lambda data: str(data["verdict"]), frozenset({"reason"}))
        try:
            return form.read(whole)
        except ValueError:
            return None

    def _in_last_line(self, whole: str) -> str | None:
        any_label = "|".join(map(re.escape, self.labels))
        lines = whole.splitlines() or [""]
        last = re.fullmatch(rf"(?:VERDICT:\s*)?({any_label})\.?", lines[-1].strip())
        if last is None:
            return None
        plain = undisguised(whole)
        named = list(re.finditer(rf"\b(?:{any_label})\b", plain))
        stated = {match[1].upper() for line in plain.splitlines() if (match := _STATED.fullmatch(line))}
        others = {label.upper() for label in self.labels} - {last[1].upper()}
        denied = any(_DENIED.search(plain, max(match.start() - _NEAR, 0), match.start()) for match in named)
        contradicted = {match[0] for match in named} != {last[1]} or stated & others or denied
        return None if contradicted else last[1]


def undisguised(text: str) -> str:
    """Write capitals of other alphabets and widths as those that they look like, without what nobody sees."""
    plain = unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)
    return "".join(letter for letter in plain if unicodedata.category(letter) not in _INVISIBLE)


@dataclass(frozen=True)
class MarkedObject(Generic[T]):
    """One JSON object that holds a mark, as nothing that was to be judged can, and what is asked for."""

    form: ReplyForm[T]
    """What is asked for, as one object."""
    mark: str

    @property
    def schema(self) -> Mapping[str, Any]:
        """Return its schema with the mark, which comes first."""
        fields = self.form.schema or {"type": "object", "properties": {}, "required": []}
        return {
            **fields,
            "properties": {"mark": {"type": "string", "enum": [self.mark]}, **fields["properties"]},
            "required": ["mark", *fields["required"]],
        }

    def read(self, text: str) -> T:
        """Read the object.

        Raises:
            ValueError: The reply is anything else, or another has written it.
        """
        data = object_of(text.strip(), REPLY)
        if data is None or data.pop("mark", None) != self.mark:
            raise ValueError("it is not one JSON object with the mark")
        return self.form.read(json.dumps(data))


def repeats(text: str, judged: str) -> bool:
    """Whether a reply, or the line of it that decides, only repeats what was to be judged.

    An object counts as repeated however it is indented and ordered, a line in whatever letters it is written; the
    word after ``VERDICT:`` also where it stood within a line.
    """
    whole = text.strip()
    if not whole or not judged:
        return False
    if whole in judged:
        return True
    if whole.startswith("{"):
        data = object_of(whole)
        spelled = "".join(whole.split()) in "".join(judged.split())
        return spelled or (data is not None and any(data == each for each in _objects(judged)))
    last = _told_apart(whole.splitlines()[-1])
    return last in {_told_apart(line) for line in judged.splitlines()} or (
        last.startswith("verdict") and last in _told_apart(judged)
    )


def _told_apart(line: str) -> str:
    """Return what is left of a line that is told from another: letters, not how they are written or spaced."""
    return "".join(_WORDS.findall(undisguised(_COLOURS.sub("", line)).casefold()))


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the objects that stand in a text, the first hundred places where one may begin."""
    for match in islice(re.finditer(r"\{", text), _PLACES):
        end = text.find("}", match.start())
        while 0 <= end < match.start() + _LONGEST:
            data = object_of(text[match.start() : end + 1])
            if data is not None:
                yield data
                break
            end = text.find("}", end + 1)
