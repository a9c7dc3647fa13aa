"""Which calls were redundant: exact, from what each result revealed, without a judge.

A call that reads is redundant if its result holds nothing that an earlier result of the instance did not hold: no
event, no field of a ticket, no message, no line of a file. Writes and failed calls are never redundant, and asking
for what is unread is a write: it is made to learn what is new, and that nothing is new is news.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from memgauge.studies.track.scoring.efficiency import environment
from memgauge.studies.track.timeline.models import Platform

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.studies.track.play.trajectory import Call

SHELL = "run_shell_command"
NOTHING_PRINTED = "(no output)"
CODE = frozenset({Platform.GIT, Platform.FILES})

_NUMBERED = re.compile(r"^\s*(?:(?:L)?\d+\s*[:|\t→-]\s?)")


def redundancy(calls: Sequence[Call]) -> float | None:
    """Return the share of the calls to the environment that are redundant; ``None`` without a call."""
    counted_calls = environment(calls)
    return len(redundant(counted_calls)) / len(counted_calls) if counted_calls else None


def redundant(calls: Iterable[Call]) -> frozenset[int]:
    """Return the ``seq`` of every redundant call."""
    seen_units: set[str] = set()
    again = set()
    for call in calls:
        if not call.ok:
            continue
        units = set(_units(call))
        if _reads(call) and units <= seen_units:
            again.add(call.seq)
        seen_units |= units | _bare(call)
    return frozenset(again)


def _reads(call: Call) -> bool:
    """Whether a call is made to learn something; a shell command is one that printed."""
    if call.tool == SHELL:
        return call.exit_code == 0 and call.text.strip() not in {"", NOTHING_PRINTED}
    return call.effect == "read"


def _units(call: Call) -> Iterator[str]:
    """Yield what a result holds, in pieces that can have been held before."""
    yield from (f"event {name}" for name in call.events)
    if call.platform in CODE:
        yield from _lines(call)
    else:
        yield from call.touched or (f"{call.tool} {call.text}",)


def _lines(call: Call) -> Iterator[str]:
    """Yield lines: those of a file under the file and their number, others by themselves."""
    file_lines = [name for name in call.touched if name.startswith("file:")]
    lines = call.text.splitlines()
    if file_lines:
        yield from (f"{name} {line.strip()}" for name, line in zip_longest(file_lines, lines, fillvalue=""))
    else:
        yield from _bare(call) or {f"nothing from {call.tool} {call.arguments}"}


def _bare(call: Call) -> set[str]:
    """Return the lines of a result without their numbers, so that the shell can be seen to print them again."""
    if call.platform not in CODE:
        return set()
    lines = (_NUMBERED.sub("", line).strip() for line in call.text.splitlines())
    return {f"line {line}" for line in lines if line}
