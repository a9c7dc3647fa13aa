"""From the files of one person to a conversation, questions and gold, without what gives answers away.

Left out are the kind of every message, the traits of every question, and the names of profile and event files.
Pairs are in the order of their numbers: half of them share a time with an earlier one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Final

from memgauge.datasets.errata import NOTES, WRONG_CITATION
from memgauge.datasets.rhelm.evidence import PersonThings, ReadEvidence, read_evidence
from memgauge.datasets.rhelm.schema import attachment_of, day, day_of, emails_of, questions_of
from memgauge.records import Case, Conversation, Erratum, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from memgauge.datasets.places import FieldPath
    from memgauge.datasets.rhelm.schema import RhelmPair, RhelmQuestion
    from memgauge.datasets.rhelm.source import PersonFile

DIALOGUE: Final = "dialogue"
ALL: Final = "all"
OFFICIAL: Final = "official"
NONE: Final = "none"
PAIRS: Final = "pairs"
MESSAGES: Final = "messages"
RUBRICS: Final = frozenset({"hallucination", "misleading"})
"""The types whose answer describes a good reply instead of stating a fact."""
TEMPORAL: Final = "temporal-error"


@dataclass(frozen=True)
class RhelmReading:
    """How the files are read."""

    sources: str = DIALOGUE
    cutoff: str = OFFICIAL
    turns: str = PAIRS


@dataclass
class RhelmPerson:
    """One person, as understood, and what was counted on the way."""

    case: Case
    golds: tuple[Gold, ...]
    evidence: Mapping[str, tuple[ReadEvidence, ...]]
    """By question."""
    future: Mapping[str, tuple[str, ...]]
    """Of questions that cite pairs of their own day or of later ones, which."""
    counts: Counter[str] = field(default_factory=Counter)


class _PersonSessions:
    """The sessions of a person, and what evidence may name in them."""

    def __init__(self, path: Path, person: str, files: Iterable[PersonFile], reading: RhelmReading) -> None:
        self.counts: Counter[str] = Counter()
        self.asked: list[tuple[FieldPath, RhelmQuestion]] = []
        self.pairs: dict[str, tuple[str, ...]] = {}
        self.mails: dict[str, tuple[str, ...]] = {}
        self.files: dict[str, tuple[str, ...]] = {}
        self._reading, self._speaker = reading, person.replace("_", " ")
        self._placed: list[tuple[date, int, Session]] = []
        self._days: dict[str, date] = {}
        attachments = []
        for file in sorted(files, key=lambda file: file.name):
            folder = file.name.partition("/")[0]
            if folder == "conversations":
                self._talk(path, file)
            elif folder == "emails":
                self._mail(path, file)
            elif folder == "attachments":
                attachments.append(attachment_of(path, file))
            else:
                self.asked += questions_of(path, file)
        for attachment in attachments:
            self._attach(attachment.number, attachment.name, attachment.text)

    @property
    def sessions(self) -> tuple[tuple[date, Session], ...]:
        """Return them in the order of days: what was said, mails, documents; what has no day comes first."""
        ordered = sorted(self._placed, key=lambda placed: (placed[0], placed[1], placed[2].id))
        return tuple((on, session) for on, _, session in ordered)

    def _talk(self, path: Path, file: PersonFile) -> None:
        on, entry = day_of(path, file)
        key, turns = on.isoformat(), list[Turn]()
        seen: set[str] = set()
        for pair in sorted(entry.conversation, key=lambda pair: pair.turn):
            made = tuple(self._pair(key, pair))
            turns += made
            self.pairs[f"{key}:{pair.turn}"] = tuple(turn.id for turn in made)
            self.counts["pairs"] += 1
            self.counts["repeated_times"] += pair.timestamp in seen
            seen.add(pair.timestamp)
            self.counts["pairs_with_document"] += pair.research_document is not None
        self._placed.append((on, 0, Session(key, _midnight(on), tuple(turns))))

    def _pair(self, session: str, pair: RhelmPair) -> Iterator[Turn]:
        key, at = f"{session}:{pair.turn}", datetime.fromisoformat(pair.timestamp)
        shared = pair.research_document if self._reading.sources == ALL else None
        document = f"\n[document: {shared}]" if shared else ""
        if self._reading.turns == PAIRS:
            text = f"User: {pair.user}\nAssistant: {pair.assistant}{document}"
            yield Turn(key, self._speaker, text, session, at)
        else:
            yield Turn(f"{key}.1", self._speaker, pair.user, session, at)
            yield Turn(f"{key}.2", "assistant", pair.assistant + document, session, at, "assistant")

    def _mail(self, path: Path, file: PersonFile) -> None:
        number, on, mails = emails_of(path, file)
        key = f"emails:{on.isoformat()}"
        self._days[number] = on
        self.counts["email_files"] += 1
        self.counts["emails"] += len(mails)
        turns = tuple(
            Turn(f"{key}:{place}", "e-mail", text, key, _midnight(on), "tool")
            for place, text in enumerate(mails, 1)
        )
        ingested = self._ingest(on, 1, Session(key, _midnight(on), turns))
        self.mails[on.isoformat()] = self.mails.get(on.isoformat(), ()) + ingested

    def _attach(self, number: str, name: str, text: str) -> None:
        on = self._days.get(number)
        self.counts["attachments"] += 1
        self.counts["attachments_without_day"] += on is None
        key, at = f"file:{name}", None if on is None else _midnight(on)
        turn = Turn(f"{key}:1", "document", f"{name}\n{text}", key, at, "tool")
        self.files[name] = self._ingest(on or date.min, 2, Session(key, at, (turn,)))

    def _ingest(self, on: date, rank: int, session: Session) -> tuple[str, ...]:
        if self._reading.sources != ALL or not session.turns:
            return ()
        self._placed.append((on, rank, session))
        return tuple(turn.id for turn in session.turns)


def _midnight(on: date) -> datetime:
    return datetime.combine(on, time())


def person_of(path: Path, person: str, files: Iterable[PersonFile], reading: RhelmReading) -> RhelmPerson:
    """Convert one person.

    Raises:
        MalformedDataError: A file is not what it must be; file, line and field are named.
    """
    heard = _PersonSessions(path, person, files, reading)
    sessions = heard.sessions
    things = PersonThings(heard.pairs, heard.mails, heard.files)
    conversation = Conversation(person, tuple(session for _, session in sessions))
    questions, golds = [], []
    understood: dict[str, tuple[ReadEvidence, ...]] = {}
    future: dict[str, tuple[str, ...]] = {}
    for place, entry in heard.asked:
        asked_on = day(place.at("question_date"), entry.question_date)
        before = _last_before(asked_on, sessions) if reading.cutoff == OFFICIAL else None
        if reading.cutoff == OFFICIAL and before is None:
            heard.counts["asked_before_anything"] += 1
            continue
        read = tuple(read_evidence(raw, things) for raw in entry.supporting_evidence)
        late = tuple(each.evidence.raw for each in read if any(on >= asked_on for on in each.days))
        key = entry.id
        questions.append(Question(key, person, entry.question, entry.question_type, _midnight(asked_on), before))
        golds.append(_gold(entry, read, late=bool(late) and reading.cutoff == OFFICIAL))
        understood[key] = read
        if late:
            future[key] = late
    return RhelmPerson(Case(conversation, tuple(questions)), tuple(golds), understood, future, heard.counts)


def _last_before(asked_on: date, sessions: Sequence[tuple[date, Session]]) -> str | None:
    """Return the last session of a day before *asked_on*, as the official loader cuts."""
    return next((session.id for on, session in reversed(sessions) if on < asked_on), None)


def _gold(entry: RhelmQuestion, read: Sequence[ReadEvidence], *, late: bool) -> Gold:
    doubt = TEMPORAL if late else None if all(each.sound for each in read) else WRONG_CITATION
    erratum = None if doubt is None else Erratum(doubt, NOTES[doubt], corrupts_answer=doubt != WRONG_CITATION)
    return Gold(
        question=entry.id,
        evidence=tuple(each.evidence for each in read),
        answers=(entry.answer,),
        raw_answer=entry.answer,
        rubric=entry.question_type in RUBRICS,
        erratum=erratum,
    )
