"""Capture: a production trace becomes a scenario that holds nothing of anybody.

Every value (dates, numbers, codes, and what the trace says that utterances mean) becomes a variable, so that equal
stays equal and nothing can be guessed; users become alice, bob, carol; whatever else names or reaches a person is
scrubbed. The format of traces is that of :mod:`memgauge.studies.golden.traces`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from memgauge.datasets.building.names import MADE_UP
from memgauge.datasets.building.patterns import STAND_INS
from memgauge.datasets.building.scrub import scrub
from memgauge.errors import ConfigError
from memgauge.records import Conversation, Turn, Verdict
from memgauge.records import Session as Sitting
from memgauge.studies.golden.minimise import INLINE, minimise
from memgauge.studies.golden.runner import run_scenario
from memgauge.studies.golden.scenario import AskStep, Say, Scenario, explain, read_steps
from memgauge.studies.golden.scene import EPOCH
from memgauge.studies.golden.values import MEANING, kind_of, mentions, typed_values
from memgauge.studies.golden.writer import variable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memgauge.studies.golden.anomalies import Anomaly
    from memgauge.studies.golden.runner import Factory, Options
    from memgauge.studies.golden.tokens import Kind
    from memgauge.studies.golden.traces import RecordedTrace, TraceLine

_PEOPLE = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")
_CAPITAL = re.compile(r"(?<=[a-z,;] )([A-Z][a-z]+)\b")
_MINUTE = timedelta(minutes=1)


def capture(
    trace: RecordedTrace,
    *,
    name: str,
    title: str,
    key: str,
    people: Iterable[str] = (),
    recorded: Factory | None = None,
    anomaly: Anomaly | None = None,
    seen: str = "",
    options: Options = INLINE,
) -> Scenario:
    """Turn a trace into a scenario, the smallest found that fails on the *recorded* build where there is one.

    *people* are names that texts may hold, beside those of the users; *key* is what made-up names follow from.

    Raises:
        ConfigError: Nothing of the trace is understood, or the recorded build does not fail.
    """
    lines = _marked(trace.lines)
    words = _Words()
    words.learn(lines)
    texts = _scrubbed(lines, [words.cut(line.text) for line in lines], key=key, people=people)
    texts = [words.cut_typed(text) for text in texts]
    scenario = _read(
        name,
        {
            "id": name,
            "title": title,
            "family": "production",
            "provenance": {"kind": "production", "trace": f"sha256:{trace.sha256}", "seen": seen},
            "vars": {name: kind for name, kind in words.kinds.items() if kind != "word"},
            "steps": read_steps(_steps(lines, texts, words)),
        },
    )
    if recorded is None:
        return scenario
    ended = run_scenario(scenario, recorded, options)
    if ended.verdict != Verdict.FAIL or (anomaly and anomaly not in ended.anomalies):
        shown = ", ".join(ended.anomalies) or ended.detail
        raise ConfigError(
            f"{name}: the recorded build does not show {anomaly or 'an anomaly'} ({ended.verdict}: {shown}).",
            "Mark in the trace what its utterances mean, or record what happened before it as well.",
        )
    return minimise(scenario, recorded, anomaly or ended.anomalies[0], options)


def _read(name: str, data: dict[str, Any]) -> Scenario:
    """Read the case.

    Raises:
        ConfigError: It is none, as where its id is no id.
    """
    try:
        return Scenario.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{name}: {explain(error, Scenario)}.") from error


def suspects(scenario: Scenario) -> tuple[str, ...]:
    """Return the capitalised words inside sentences that nobody replaced: a human looks whether one is a name."""
    texts = [step.say for step in scenario.steps if isinstance(step, Say)]
    texts += [step.ask for step in scenario.steps if isinstance(step, AskStep)]
    capitalised = dict.fromkeys(match[1] for text in texts for match in _CAPITAL.finditer(text))
    return tuple(word for word in capitalised if not MADE_UP.fullmatch(word))


def _marked(lines: Iterable[TraceLine]) -> list[TraceLine]:
    """Guess what utterances mean that nobody has marked, by what questions expected or returned."""
    lines = list(lines)
    wanted = {}
    for line in lines:
        returned = [value for text in line.returned for value in typed_values(text)]
        for value in (*returned, *line.expected):
            wanted[value.casefold()] = (value, line.about)
    marked = [_guessed(line, wanted) for line in lines]
    if not any(_means(line) for line in marked):
        raise ConfigError(
            "Nothing says what any utterance of the trace means.",
            "Mark one (sets: {slot: value}), or write under expected what a question should have returned.",
        )
    return marked


def _guessed(line: TraceLine, wanted: dict[str, tuple[str, str]]) -> TraceLine:
    if line.op != "say" or _means(line):
        return line
    values = {slot: match[0] for value, slot in wanted.values() if (match := mentions(value).search(line.text))}
    return line.model_copy(update={"sets" if line.channel == "user" else "plants": values})


def _means(line: TraceLine) -> bool:
    return bool(line.ends) or any(getattr(line, key) for key in MEANING)


@dataclass
class _Words:
    """Which variable stands for which value."""

    names: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)

    def name(self, value: str) -> str:
        """Return the variable of a value."""
        folded = value.casefold()
        if folded not in self.names:
            name = self.names[folded] = variable(len(self.names))
            self.kinds[name] = kind_of(value)
        return self.names[folded]

    def learn(self, lines: Iterable[TraceLine]) -> None:
        """Give every value that a trace says is meant its variable."""
        for line in lines:
            for key in sorted(MEANING):
                for value in getattr(line, key).values():
                    self.name(value)

    def cut(self, text: str, values: Iterable[str] | None = None) -> str:
        """Put variables in the place of *values*, the longest first; of all that are known without any."""
        for value in sorted(self.names if values is None else values, key=len, reverse=True):
            text = mentions(value).sub(f"{{{self.name(value)}}}", text)
        return text

    def cut_typed(self, text: str) -> str:
        """Put variables in the place of whatever else is a date, a code or a number; stand-ins stay."""
        pieces = re.split(f"({STAND_INS.pattern})", text)
        return "".join(
            piece if place % 2 else self.cut(piece, typed_values(piece)) for place, piece in enumerate(pieces)
        )


def _scrubbed(lines: list[TraceLine], texts: list[str], *, key: str, people: Iterable[str]) -> list[str]:
    """Replace what is left that names or reaches a person."""
    turns = tuple(
        Turn(str(place), line.user or "nobody", text, "s")
        for place, (line, text) in enumerate(zip(lines, texts, strict=True))
    )
    scrubbed = scrub([Conversation("trace", (Sitting("s", None, turns),))], key=key, names=people)
    return [turn.text for turn in scrubbed.conversations[0].turns()]


def _steps(lines: list[TraceLine], texts: list[str], words: _Words) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    users = _Users()
    who: tuple[str, str, str | None] = ("alice", "default", None)
    sessions: dict[str, str] = {}
    session, clock, first = ("s0", False), EPOCH, next((line.at for line in lines if line.at), None)
    for line, text in zip(lines, texts, strict=True):
        speaker = (users.of(line.user), line.tenant, line.agent)
        if speaker != who:
            steps.append({"user": speaker[0], "tenant": speaker[1], "agent": speaker[2]})
            who = speaker
        here = sessions.setdefault(line.session, f"s{len(sessions)}"), line.confined
        if here != session:
            steps.append({"session": here[0], "confined": here[1]})
            session = here
        at = EPOCH + (line.at - first) if line.at and first else clock
        if at - clock > 2 * _MINUTE:
            steps.append({"advance": _span(at - clock)})
            clock = at
        late = _span(at - clock) if line.op == "say" and clock - at > 2 * _MINUTE else None
        steps.append(_step(line, text, words, late, sessions))
        clock += _MINUTE
    return steps


def _step(line: TraceLine, text: str, words: _Words, late: str | None, sessions: dict[str, str]) -> dict[str, Any]:
    if line.op == "say":
        meaning: dict[str, Any] = {
            key: {slot: words.name(value) for slot, value in getattr(line, key).items()} for key in sorted(MEANING)
        }
        step = {"say": text, "at": late, "channel": line.channel, "ends": line.ends, "until": line.until}
        return {**step, **meaning}
    if line.op == "ask":
        return {"ask": text, "about": line.about}
    if line.op == "erase":
        return {"erase": line.slot or "user"}
    if line.op == "reingest":
        return {"reingest": sessions[line.session]}
    return {"maintenance": 1} if line.op == "maintenance" else {"restart": "process"}


@dataclass
class _Users:
    """Which made-up user stands for which; ids that differ in case or width alone still do."""

    given: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def of(self, user: str) -> str:
        """Return the stand-in of a user."""
        if user not in self.given:
            plain = unicodedata.normalize("NFKC", user).casefold().strip()
            count = len(self.names)
            name = self.names.setdefault(plain, _PEOPLE[count] if count < len(_PEOPLE) else f"user{count}")
            forms = (name, name.capitalize(), name.upper(), f"{name} ", f" {name}")
            taken = set(self.given.values())
            self.given[user] = next((form for form in forms if form not in taken), f"{name}{len(taken)}")
        return self.given[user]


def _span(distance: timedelta) -> str:
    """Write a distance in the largest unit in which it is whole, to the minute."""
    minutes = round(distance / _MINUTE)
    for unit, length in (("d", 1440), ("h", 60)):
        if minutes % length == 0:
            return f"{minutes // length}{unit}"
    return f"{minutes}m"
