"""What a result says before anybody draws it: a lead sentence, tables, figures, notes, and the data behind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from memgauge.records import Verdict
from memgauge.show.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from memgauge.show.figures import Drawing


class Tone(StrEnum):
    """How loudly something is said."""

    LEAD = "verdict"
    """What a reader came for."""
    PLAIN = "plain"
    SOFT = "soft"
    WARN = "warn"


@dataclass(frozen=True)
class Note:
    """One thing that a reader should know before quoting a number."""

    text: str
    about: str = ""
    """Of what or whom it is true; of everything where it is empty."""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True)
class Code:
    """Lines that are shown letter by letter."""

    text: str
    brief: bool = False
    """Whether a terminal shows them unasked."""


@dataclass(frozen=True)
class Figure:
    """A picture, drawn when somebody looks at it; its numbers stand in a table of the same document."""

    key: str
    title: str
    caption: str
    draw: Callable[[], Drawing | None]
    """Returns what is drawn; ``None`` where nothing is defined."""


@dataclass(frozen=True)
class Step:
    """One line of something that happened, which may hold more."""

    text: str
    number: str = ""
    badges: tuple[str, ...] = ()
    beside: str = ""
    """Said in small print."""
    stands_out: bool = False
    more: str = ""
    """What is shown letter by letter when it is opened."""


@dataclass(frozen=True)
class Steps:
    """What happened, in its order."""

    steps: tuple[Step, ...]
    title: str = "Timeline"


class Fold(StrEnum):
    """Whether a section is shown at once."""

    OPEN = "open"
    CLOSED = "closed"
    """Behind its title; a terminal shows it when everything is asked for."""
    FOLDED = "folded"
    """Behind its title on a page; a terminal shows it."""
    AJAR = "ajar"
    """Behind its title, and opened."""
    CARD = "card"
    """Shown at once; a wide page puts it beside its neighbours of the same kind."""


@dataclass(frozen=True)
class Section:
    """Blocks under a heading."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    fold: Fold = Fold.OPEN
    badges: tuple[Note, ...] = ()
    """Short words beside the heading."""
    beside: str = ""
    """What the heading says in small print."""


@dataclass(frozen=True)
class Way:
    """Something to do now."""

    why: str
    command: str = ""
    leads: Any = None
    """What a link leads to, in the terms of the frame that it is shown in; it stands instead of the command."""


@dataclass(frozen=True)
class Ways:
    """Where to go on from here."""

    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Notes:
    """A list of things to know, where they belong."""

    notes: tuple[Note, ...]
    title: str = ""
    """What stands above them on a page."""


Block: TypeAlias = Table | Figure | Prose | Notes | Steps | Ways | Code | Section


class CheckOutcome(StrEnum):
    """How a check ended, as build servers tell it."""

    PASS = "pass"  # noqa: S105 - no secret
    FAIL = "fail"
    ERROR = "error"
    SKIP = "skip"

    @classmethod
    def of(cls, verdict: Verdict) -> CheckOutcome:
        """Tell a verdict; what was not tried, or could not be, is skipped."""
        return cls(verdict) if verdict in {Verdict.PASS, Verdict.FAIL, Verdict.ERROR} else cls.SKIP


@dataclass(frozen=True)
class CountedCheck:
    """One thing that a build server counts."""

    suite: str
    group: str
    """Of what in the suite: a system, a family."""
    name: str
    outcome: CheckOutcome = CheckOutcome.PASS
    message: str = ""
    kind: str = ""
    """Of what did not pass."""
    detail: str = ""
    """What explains it, over several lines."""
    output: str = ""
    """What is said whether it passed or not."""
    facts: Mapping[str, str] = field(default_factory=dict)
    place: tuple[str, str] = ("", "")
    """File and line that say what is checked."""


@dataclass(frozen=True)
class Document:
    """Everything that one result says."""

    title: str
    beside: str = ""
    """What the title says in small print."""
    lead: str = ""
    """The verdict in one or two sentences: who is ahead, whether that is real, what to do next."""
    facts: tuple[str, ...] = ()
    """What was measured, on what, by which definition."""
    blocks: tuple[Block, ...] = ()
    notes: tuple[Note, ...] = ()
    noted: str = "Before you quote these numbers"
    """What stands above the notes."""
    next: str = ""
    """What to do now; a terminal says it last."""
    origin: str = "sealed runs"
    """What everything was computed from."""
    identity: Mapping[str, str] = field(default_factory=dict)
    """What a reader needs to make it again."""
    data: object = None
    """The result itself, which programs get."""
    checks: tuple[CountedCheck, ...] = ()
    suites: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Facts of each suite of checks."""

    @property
    def carded(self) -> bool:
        """Whether it says first things first, on cards."""
        return any(isinstance(block, Section) and block.fold is Fold.CARD for block in self.blocks)

    @property
    def tables(self) -> Iterator[Table]:
        """Yield every table, in the order of reading."""
        return (block for block in walk(self.blocks) if isinstance(block, Table))

    @property
    def figures(self) -> Iterator[Figure]:
        """Yield every figure, in the order of reading."""
        return (block for block in walk(self.blocks) if isinstance(block, Figure))


def walk(blocks: tuple[Block, ...]) -> Iterator[Block]:
    """Yield every block, what is in a section after the section."""
    for block in blocks:
        yield block
        if isinstance(block, Section):
            yield from walk(block.blocks)


def embedded(document: Document, key: str, title: str = "") -> Section:
    """Make a section of a larger document of one, every key below it unique there.

    Its identity, data and checks are the larger document's to carry. A *title* takes the place of its own.
    """
    notes = (Notes(document.notes, document.noted),) if document.notes else ()
    opening = (Prose(document.lead, Tone.LEAD), *(Prose(fact, Tone.SOFT) for fact in document.facts))
    lead_prose = (prose for prose in opening if prose.text)
    own_blocks = (_below(block, key) for block in document.blocks)
    return Section(key, title or document.title, (*lead_prose, *own_blocks, *notes), beside=document.beside)


def _below(block: Block, key: str) -> Block:
    match block:
        case Section():
            return replace(
                block,
                key=f"{key}-{block.key}",
                blocks=tuple(_below(inner_block, key) for inner_block in block.blocks),
            )
        case Table() | Figure():
            return replace(block, key=f"{key}-{block.key}")
        case _:
            return block


def grouped(shown: tuple[Block, ...]) -> Iterator[tuple[str, tuple[Block, ...]]]:
    """Yield runs of blocks of one kind, so that figures or cards in a row stand beside each other."""
    return ((kind, tuple(run)) for kind, run in groupby(shown, _kind))


def _kind(block: Block) -> str:
    return "Card" if isinstance(block, Section) and block.fold is Fold.CARD else type(block).__name__
