"""What was meant: slots, subjects, values and channels that are taken for others, and sentences turned round."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memgauge.records import Memory, Ranking
from memgauge.records.statements import Act, Statement
from memgauge.studies.golden.breeding.operator import (
    BredFault,
    Condition,
    after,
    always,
    crowded,
    nth,
    operator,
    pick,
    somebody,
    when,
)
from memgauge.systems.reference.shared import UNKNOWN, Lesson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from memgauge.studies.golden.breeding.calls import Passing

_FLIPS: Mapping[str, Callable[[str], str]] = {
    "NOT in front": lambda text: f"NOT {text}",
    "'It is not true that' in front": lambda text: f"It is not true that {text}",
    "'certainly not' before the value": lambda text: re.sub(r"(\S+)$", r"certainly not \1", text),
    "'never' in the middle": lambda text: re.sub(r"( is |: |-> )", r"\1never ", text, count=1),
    "'which is false' behind": lambda text: f"{text}, which is false",
    "'no longer' in the middle": lambda text: re.sub(r"( is |: |-> )", r"\1no longer ", text, count=1),
    "'used to be' in the middle": lambda text: re.sub(r"( is |: |-> )", " used to be ", text, count=1),
    "a question mark behind": lambda text: f"Is it so that {text}?",
    "'somebody else's' in front": lambda text: f"somebody else's {text}",
}


def reworded(result: Any, change: Callable[[str], str]) -> Any:
    """Return what a call returned, with every text changed."""
    if isinstance(result, Ranking):
        hits = (replace(h, memory=replace(h.memory, text=change(h.memory.text))) for h in result.hits)
        return replace(result, hits=tuple(hits))
    if isinstance(result, str):
        lines = "\n".join(change(line) if line else line for line in result.split("\n"))
        return result if result == UNKNOWN else lines
    return [replace(memory, text=change(memory.text)) for memory in result]


def old_ones(dice: Random) -> Condition:
    """Go wrong where memories are many or time went by."""
    return when(dice, after, crowded)


@operator("negate", "meaning", "returned", "search", "dump", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    how, flip = pick(dice, _FLIPS)
    condition = when(dice, always, nth, old_ones, somebody)

    def advice(call: Passing) -> Any:
        result = call.go()
        return reworded(result, flip) if condition.met(call) else result

    return BredFault(f"`{method}` returns texts with {how}{condition.says}", {method: advice})


@operator("relabel", "meaning", "returned", "search", "dump", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    label = dice.choice(("shoe size", "locker code", "neighbour's name", "password", "blood type"))
    condition = when(dice, always, nth, crowded)

    def swap(text: str) -> str:
        value = re.split(r" is | includes | was |: |-> ", text, maxsplit=1)[-1]
        return f"{label}: {value}"

    def advice(call: Passing) -> Any:
        result = call.go()
        return reworded(result, swap) if condition.met(call) else result

    return BredFault(f"`{method}` calls every value a {label}{condition.says}", {method: advice})


def _lessons(says: str, change: Callable[[Passing, Lesson], Lesson], condition: Condition) -> BredFault:
    """Let a turn mean something else."""

    def advice(call: Passing) -> Any:
        lesson: Lesson = call.go()
        return change(call, lesson) if lesson.statements and condition.met(call) else lesson

    return BredFault(f"{says}{condition.says}", {"_understand": advice})


@operator("swap-slot", "meaning", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:  # noqa: ARG001 - one method
    what = dice.choice(("slot", "subject"))

    def swap(call: Passing, lesson: Lesson) -> Lesson:
        seen: list[Statement] = call.past.notes.setdefault("statements", [])
        last = seen[-1] if seen else None
        seen += lesson.statements
        if last is None:
            return lesson
        new = {what: getattr(last, what)} if what == "slot" else {what: "the neighbour"}
        return replace(lesson, statements=tuple(replace(s, **new) for s in lesson.statements))

    condition = when(dice, nth, always, after)
    which = "the slot of the turn before" if what == "slot" else "somebody else"
    return _lessons(f"what is said is taken to be about {which}", swap, condition)


@operator("swap-value", "meaning", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:  # noqa: ARG001 - one method
    which = dice.choice((-1, 0))

    def swap(call: Passing, lesson: Lesson) -> Lesson:
        seen: list[str] = call.past.notes.setdefault("values", [])
        old = seen[which] if seen else ""
        seen += [s.value for s in lesson.statements if s.value]
        new = (replace(s, value=old) if s.value and old and s.act is Act.HOLD else s for s in lesson.statements)
        return replace(lesson, statements=tuple(new))

    condition = when(dice, nth, after, crowded_of_turns)
    return _lessons(f"what is said gets the {'last' if which else 'first'} value that was said", swap, condition)


def crowded_of_turns(dice: Random) -> Condition:
    """Go wrong once many turns were taken in."""
    count = dice.choice((10, 50, 200, 500))
    return Condition(f", after {count} turns", lambda call: len(call.past.turns) > count)


_SPOILT: Mapping[str, Callable[[str], str]] = {
    "a last digit rounded to nought": lambda value: re.sub(r"(?<=\d\d)\d\b", "0", value),
    "its last two digits rounded to nought": lambda value: re.sub(r"(?<=\d)\d\d\b", "00", value),
    "its last digit lost": lambda value: re.sub(r"(?<=\d\d)\d\b", "", value),
    "its first digit lost": lambda value: re.sub(r"\b\d(?=\d\d)", "", value),
    "two digits changed round": lambda value: re.sub(r"(\d)(\d)(?=\d*$)", r"\2\1", value, count=1),
    "a digit too many": lambda value: re.sub(r"(\d{3,})", r"\g<1>0", value),
    "thousands for units": lambda value: re.sub(r"\b(\d+)\d{3}\b", r"\1k", value),
    "a comma for decimals": lambda value: re.sub(r"\b(\d+)(\d{2})\b", r"\1,\2", value),
    "its letters before a hyphen lost": lambda value: re.sub(r"\b[A-Z]+-", "", value),
    "its digits behind a hyphen lost": lambda value: re.sub(r"-\d+\b", "", value),
    "another century": lambda value: re.sub(r"\b20(\d\d)\b", r"19\1", value),
    "no year": lambda value: re.sub(r" 20\d\d\b", "", value),
    "the month before": lambda value: value.replace("December", "November").replace("July", "June"),
    "January for every month": lambda value: re.sub(r"(\d+) [A-Z][a-z]+ (\d{4})", r"\1 January \2", value),
    "the day before": lambda value: re.sub(r"^(\d+)(?= [A-Z])", lambda m: str(max(int(m[1]) - 1, 1)), value),
    "its first five characters": lambda value: value[:5],
    "all but its last character": lambda value: value[:-1],
    "a letter changed": lambda value: re.sub(r"([a-z])(?=[a-z]$)", "x", value),
    "its vowels lost": lambda value: re.sub(r"(?<=[a-z])[aeiou]", "", value),
    "the letters in reverse": lambda value: value[::-1],
}


@operator("spoil-value", "meaning", "kept", "_understand")
@operator("misquote", "meaning", "returned", "search", "context", "ask")
def _(dice: Random, method: str) -> BredFault:
    what, spoil = pick(dice, _SPOILT)
    condition = when(dice, always, nth, after, somebody)
    if method == "_understand":

        def change(call: Passing, lesson: Lesson) -> Lesson:  # noqa: ARG001 - one of several
            return replace(lesson, statements=tuple(replace(s, value=spoil(s.value)) for s in lesson.statements))

        return _lessons(f"a value is kept with {what}", change, condition)

    def last_word(text: str) -> str:
        values = re.findall(r"\d+ [A-Z]\w+ \d{4}|[A-Z]+-\d+|\b\d{4,}\b|\bZq\w+", text)
        for value in values:
            text = text.replace(value, spoil(value))
        return text

    def advice(call: Passing) -> Any:
        result = call.go()
        return reworded(result, last_word) if condition.met(call) else result

    return BredFault(f"`{method}` returns values with {what}{condition.says}", {method: advice})


@operator("trust", "provenance", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:
    channel = dice.choice(("web", "tool", "email", "assistant", "any channel"))
    condition = when(dice, always, after, somebody_again)

    def advice(call: Passing) -> Any:
        lesson: Lesson = call.go()
        named = channel in {"any channel", call.given["turn"].role}
        return replace(lesson, trusted=True) if named and condition.met(call) else lesson

    return BredFault(f"what {channel} says is believed{condition.says}", {method: advice})


def somebody_again(dice: Random) -> Condition:
    """Go wrong where the same channel spoke before."""
    count = dice.choice((1, 2, 5, 20))

    def met(call: Passing) -> bool:
        role: str = call.given["turn"].role
        return sum(turn.role == role for turn, _ in call.past.turns) > count

    return Condition(f", once it was heard {count} times", met)


@operator("distrust", "provenance", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, nth, after, somebody_again)

    def advice(call: Passing) -> Any:
        lesson: Lesson = call.go()
        return replace(lesson, trusted=False) if condition.met(call) else lesson

    return BredFault(f"what the user says is not believed{condition.says}", {method: advice})


_MISREAD: Mapping[str, Callable[[Statement], Statement | None]] = {
    "a new value never replaces the old one": lambda s: replace(s, functional=s.act is Act.END and s.functional),
    "a value that comes beside others replaces them": lambda s: replace(s, functional=True),
    "what no longer holds is passed over": lambda s: None if s.act is Act.END else s,
    "where one value ends all of them end": lambda s: replace(s, value="") if s.act is Act.END else s,
    "the first day of a value is passed over": lambda s: replace(s, since=None),
    "the last day of a value is passed over": lambda s: replace(s, until=None),
    "what was once is taken for what is": lambda s: replace(s, over=False, until=None) if s.over else s,
    "what was once is passed over": lambda s: None if s.over else s,
    "what has a last day is taken for over": lambda s: replace(s, over=True) if s.until else s,
}


@operator("misread", "meaning", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:  # noqa: ARG001 - one method
    what, change = pick(dice, _MISREAD)
    condition = when(dice, always, nth, after, somebody)

    def read(call: Passing, lesson: Lesson) -> Lesson:  # noqa: ARG001 - one of several
        return replace(lesson, statements=tuple(s for s in map(change, lesson.statements) if s))

    return _lessons(what, read, condition)


@operator("keep-small-talk", "meaning", "kept", "_understand")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, always, nth, after)

    def advice(call: Passing) -> Any:
        lesson: Lesson = call.go()
        if lesson.statements or not condition.met(call):
            return lesson
        words = Statement("what was said", call.given["turn"].text, functional=False)
        return replace(lesson, statements=(words,))

    return BredFault(f"words that state nothing are kept as facts{condition.says}", {method: advice})


_GUESSES = ("blue", "42", "Paris", "10 March 2026", "Probably Alice.", "QX-100200", "It is coffee.", "Tuesday")


@operator("guess", "meaning", "returned", "ask")
def _(dice: Random, method: str) -> BredFault:
    how = dice.choice((*_GUESSES, "another slot", "what ended", "hedged", "somebody else"))
    condition = when(dice, always, nth, somebody, crowded)

    def known(call: Passing) -> list[Memory]:
        stored = call.stored(call.scope)
        if how == "what ended":
            return [memory for memory in stored if memory.valid_to]
        if how == "somebody else":
            return [memory for other in call.others(call.scope) for memory in call.stored(other)]
        return [memory for memory in stored if memory.valid_to is None]

    def advice(call: Passing) -> Any:
        answer = call.go()
        if answer != UNKNOWN or not condition.met(call):
            return answer
        if how in _GUESSES:
            return how
        pool = known(call)
        guess = pool[-1].text if pool else answer
        return f"I am not sure; perhaps: {guess}" if how == "hedged" and pool else guess

    what = f"{how!r}" if how in _GUESSES else f"a value of {how}"
    return BredFault(f"`{method}` gives {what} where it knows nothing{condition.says}", {method: advice})


@operator("decline", "meaning", "returned", "ask")
def _(dice: Random, method: str) -> BredFault:
    condition = when(dice, nth, after, crowded, somebody)
    words = dice.choice(("I do not know.", "", "Sorry, I cannot help with that."))

    def advice(call: Passing) -> Any:
        return words if condition.met(call) else call.go()

    return BredFault(f"`{method}` answers {words!r} although it knows{condition.says}", {method: advice})
