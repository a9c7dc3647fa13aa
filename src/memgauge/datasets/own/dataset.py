"""One's own data as a benchmark: `own:FOLDER`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memgauge.datasets.base import DatasetIdentity
from memgauge.datasets.entries import EntryStream
from memgauge.datasets.files import sha256_of
from memgauge.datasets.kind import DatasetKind, DatasetRequest
from memgauge.datasets.own.contradictions import contradictions
from memgauge.datasets.own.lines import FILES, MANIFEST, combined
from memgauge.datasets.own.manifest import read_manifest, require_counts, unpinned
from memgauge.datasets.own.schema import FactEntry, QuestionEntry, TurnEntry, read_lines
from memgauge.errors import DataNotFoundError, MalformedDataError
from memgauge.long_values import sequence_of
from memgauge.records import Case, Conversation, Evidence, Fact, Gold, Question, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping
    from datetime import datetime

    from memgauge.datasets.entries import Entry
    from memgauge.datasets.own.schema import OwnEntry

    E = TypeVar("E", bound=OwnEntry)


QUESTIONS = "questions.jsonl"


@dataclass(frozen=True)
class OwnDataset(EntryStream):
    """An opened folder; it is read anew for every iteration, one conversation at a time."""

    identity: DatasetIdentity
    path: Path
    counts: Mapping[str, int]
    """What must be there, by kind; empty where the folder is used as it is."""

    def truth(self) -> Iterator[Fact]:
        """Yield everything that is said to be true."""
        path = self.path / "truth.jsonl"
        if not path.exists():
            return
        number = 0
        for number, (_, entry) in enumerate(read_lines(path, FactEntry), 1):  # noqa: B007 - how many there were
            yield Fact(**dict(entry))
        require_counts(self.path / MANIFEST, self.counts, {"truth": number})

    def describe(self) -> Mapping[str, object]:
        """Count what is there."""
        return {**super().describe(), "facts": sum(1 for _ in self.truth())}

    def entries(self, oddities: Counter[str]) -> Iterator[Entry]:  # noqa: ARG002 - nothing is odd
        """Yield each conversation with its questions and what is right."""
        counted = Counter[str]()
        for name, turns, questions in self._conversations():
            yield _tallied(_entry(self.path / QUESTIONS, name, turns, questions), counted)
        require_counts(self.path / MANIFEST, self.counts, counted)

    def contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield every label that contradicts another, by its place, with how."""
        for _, turns, questions in self._conversations():
            _, named_turns = _sessions(turns, _named(questions))
            for line, entry in questions:
                for field, what in contradictions(entry, named_turns):
                    yield f"{self.path / QUESTIONS}, line {line}, {field}", what

    def _conversations(self) -> Iterator[tuple[str, Iterator[TurnEntry], list[tuple[int, QuestionEntry]]]]:
        """Yield each conversation with its turns, and its questions with their lines."""
        path = self.path / QUESTIONS
        asked = ((name, list(group)) for name, group in _grouped(path, QuestionEntry))
        waiting = next(asked, None)
        seen: set[str] = set()
        for name, turns in _grouped(self.path / "turns.jsonl", TurnEntry):
            if name in seen:
                raise MalformedDataError(f"{self.path / 'turns.jsonl'}: conversation {name} is in two places.")
            seen.add(name)
            questions: list[tuple[int, QuestionEntry]] = []
            if waiting is not None and waiting[0] == name:
                questions, waiting = waiting[1], next(asked, None)
            yield name, (turn for _, turn in turns), questions
        if waiting is not None:
            line, _ = waiting[1][0]
            raise MalformedDataError(
                f"{path}, line {line}, conversation: {waiting[0]} has no turns, or comes in another order there.",
                "Keep conversations in one order in all files.",
            )


def open_folder(request: DatasetRequest) -> OwnDataset:
    """Open the folder that is named by its path, after checking that it is as it was written.

    Raises:
        DataError: Something is missing, is broken, or was changed since the manifest was written.
    """
    path = Path(request.variant)
    for name in (MANIFEST, "turns.jsonl", "questions.jsonl"):
        if not (path / name).is_file():
            raise DataNotFoundError(
                f"{path.absolute()} has no {name}.", "Name a folder made by data build or synth."
            )
    manifest = read_manifest(path / MANIFEST)
    hashes = {name: sha256_of(path / name) for name in FILES if (path / name).exists()}
    why_unpinned = unpinned(path / MANIFEST, manifest, hashes)
    if why_unpinned is not None and not request.allow_unpinned:
        raise why_unpinned
    identity = DatasetIdentity(
        ref=request.ref,
        name=manifest.name,
        sha256=combined(hashes),
        pinned=why_unpinned is None,
        licence=manifest.licence,
        source=path.name,
    )
    return OwnDataset(identity, path, manifest.counts if why_unpinned is None else {})


def _grouped(path: Path, kind: type[E]) -> Iterator[tuple[str, Iterator[tuple[int, E]]]]:
    numbered = read_lines(path, kind)
    yield from groupby(numbered, key=lambda line: str(getattr(line[1], "conversation")))  # noqa: B009 - both kinds have it, their base does not


def _entry(path: Path, name: str, turns: Iterable[TurnEntry], questions: list[tuple[int, QuestionEntry]]) -> Entry:
    sessions, named_turns = _sessions(turns, _named(questions))
    golds = []
    for line, entry in questions:
        for field in ("evidence", "stale", "decoys"):
            for turn in getattr(entry, field) or ():
                if turn not in named_turns:
                    raise MalformedDataError(f"{path}, line {line}, {field}: there is no turn {turn} in {name}.")
        golds.append(_gold(entry, named_turns))
    asked = tuple(Question(q.id, name, q.text, q.category, q.asked_at) for _, q in questions)
    return Case(Conversation(name, sessions), asked), tuple(golds)


def _named(questions: Iterable[tuple[int, QuestionEntry]]) -> set[str]:
    """Name the turns that labels name."""
    return {turn for _, entry in questions for turn in (*entry.evidence, *(entry.stale or ()), *entry.decoys)}


def _tallied(entry: Entry, counted: Counter[str]) -> Entry:
    """Count what one conversation adds."""
    case, _ = entry
    sessions = case.conversation.sessions
    turns = sum(len(session.turns) for session in sessions)
    counted.update(conversations=1, sessions=len(sessions), turns=turns, questions=len(case.questions))
    return entry


def _sessions(turns: Iterable[TurnEntry], named: Container[str]) -> tuple[tuple[Session, ...], dict[str, Turn]]:
    """Cut turns into sessions, and return those of the *named* by id."""
    begun: list[tuple[str, datetime | None, int]] = []
    named_turns: dict[str, Turn] = {}

    def spoken() -> Iterator[Turn]:
        for number, entry in enumerate(turns):
            if not begun or begun[-1][0] != entry.session:
                begun.append((entry.session, entry.at, number))
            turn = Turn(entry.id, entry.speaker, entry.text, entry.session, entry.at, entry.role)
            if turn.id in named:
                named_turns[turn.id] = turn
            yield turn

    every = sequence_of(spoken())
    ends = [*(start for _, _, start in begun[1:]), len(every)]
    cuts = zip(begun, ends, strict=True)
    return tuple(Session(name, at, every[start:end]) for (name, at, start), end in cuts), named_turns


def _gold(entry: QuestionEntry, named_turns: Mapping[str, Turn]) -> Gold:
    return Gold(
        question=entry.id,
        evidence=tuple(Evidence(turn, exact=True, turns=(turn,)) for turn in entry.evidence),
        answers=entry.answers,
        raw_answer=entry.answers[0] if entry.answers else None,
        trap=entry.trap,
        abstain=entry.abstain,
        sessions=tuple(dict.fromkeys(named_turns[turn].session for turn in entry.evidence)),
        stale=entry.stale,
        decoys=entry.decoys,
    )


KIND = DatasetKind(
    name="own",
    summary="A folder of one's own data, made by `memgauge data build` or `memgauge data synth`.",
    licence="its owner's",
    homepage="",
    opener=open_folder,
    paths=True,
)
