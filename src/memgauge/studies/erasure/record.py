"""What an erasure report says: who was asked what and when, what every look saw, and what nobody looked at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memgauge.results import result


class Moment(StrEnum):
    """When it was looked, in order."""

    BEFORE = "before"
    ASKED = "after the request"
    SETTLED = "after flush and sweep"
    WAITED = "after the wait"
    RESTARTED = "after a restart"
    CLOSED = "after its end"


class Whose(StrEnum):
    """Under which scope a surface was asked."""

    OWN = "the subject"
    CONTROL = "the control"
    SHORTER = "the shorter control"
    """Its name is how the subject's begins; that of the other control begins with the subject's."""
    STRANGER = "a stranger"


class ErasureFinding(StrEnum):
    """What the looks come to; none of them is called erased."""

    RETURNED = "still returned"
    LEFT = "left in files"
    LISTED = "still listed"
    """The list of the subject returns texts, and no value was seen in them: they may say it in other words."""
    LATE = "gone late"
    """Nothing at the last look, and something at a look after the request."""
    NOTHING = "nothing found in what was looked at"
    TOO_MUCH = "deleted too much"
    """Nothing of the subject, and not all of the control either."""
    UNSEEN = "could not be seen"
    """A surface failed at the last look that had answered before the request, and nothing else was seen."""
    BLIND = "shows nothing"
    """Nothing was seen before the request either."""
    NOT_ASKED = "not asked"


@result
@dataclass(frozen=True)
class SoughtValue:
    """One value that is looked for; texts of people are named by number, kind and length alone."""

    label: str
    kind: str
    characters: int
    shown: str = ""
    """The value itself where it was invented for this report."""


@result
@dataclass(frozen=True)
class MadeCall:
    """One call of the system, as it was made and answered."""

    at: str
    call: str
    given: str
    answer: str
    """What came back, what was raised, or what came in the place of what should have come; never a text."""
    ms: float

    @property
    def failed(self) -> bool:
        """Whether it raised or is not offered, or whether what came is not what should have come."""
        return self.answer.startswith(("raised", "not offered")) or self.broke

    @property
    def broke(self) -> bool:
        """Whether what came is not what should have come."""
        return self.answer.startswith("returned ")


@result
@dataclass(frozen=True)
class ErasureLook:
    """One look at everything, and when."""

    moment: Moment
    at: str
    after_s: float | None
    """Seconds since the request was answered; ``None`` before it."""
    files: int
    """That were read; of them *bytes*."""
    bytes: int


@result
@dataclass(frozen=True)
class SurfaceAnswer:
    """What one surface returned at one look."""

    moment: Moment
    surface: str
    whose: Whose
    calls: int
    returned: int
    """Texts that came back."""
    values: tuple[str, ...]
    """Labels of the subject's values among them."""
    control: tuple[str, ...] = ()
    """Labels of its own values, where it was asked under a control."""
    problem: str = ""
    broke: bool = False
    """Whether what came is not what should have come, so that nobody knows what it held."""


@result
@dataclass(frozen=True)
class ResidueSpot:
    """Where values stand in files at one look, and how they are written."""

    moment: Moment
    file: str
    kind: str
    """Of place: store, index, history, log, cache, write-ahead log, backup, elsewhere."""
    spot: str
    """Where in the file."""
    form: str
    values: tuple[str, ...]


@result
@dataclass(frozen=True)
class ErasedSubject:
    """Of whom the report is."""

    scope: str
    how: str
    """``canary``, planted for the report; ``present``, found in the store; ``texts``, handed over alone."""
    values: tuple[SoughtValue, ...]
    memories: int
    """Listed before the request."""


@result
@dataclass(frozen=True)
class ControlSubject:
    """Somebody whose memories must survive."""

    whose: Whose
    scope: str
    values: tuple[str, ...]
    """Labels that came back before the request."""
    lost: tuple[str, ...]
    """Those of them that came back at no surface any more at the last look."""


@result
@dataclass(frozen=True)
class UnaskedTwin:
    """The same system with the same values and looks, never asked to forget: what the looks can see."""

    values: int
    """Values that its last looks saw, of *of*."""
    of: int
    surfaces: tuple[str, ...]
    places: tuple[str, ...]
    problem: str = ""


@result
@dataclass(frozen=True)
class UnlookedPart:
    """Something that was not looked at, and why."""

    part: str
    why: str


@result
@dataclass(frozen=True)
class AuditedSystem:
    """What was asked."""

    ref: str
    name: str
    version: str
    offers: tuple[str, ...]
    interventions: tuple[str, ...]
    stand_ins: tuple[str, ...]


@result
@dataclass(frozen=True)
class ErasureReport:
    """Everything that is known of one erasure."""

    made_by: str
    """Version of memgauge."""
    seed: int
    system: AuditedSystem
    subject: ErasedSubject
    writes: tuple[MadeCall, ...]
    request: tuple[MadeCall, ...]
    looks: tuple[ErasureLook, ...]
    surfaces: tuple[SurfaceAnswer, ...]
    residue: tuple[ResidueSpot, ...]
    names: tuple[ResidueSpot, ...]
    """Where the subject's name or the ids of its memories stand; an audit may hold them."""
    changed: tuple[str, ...]
    """Files that changed while values were written; of somebody who was there already nothing was."""
    controls: tuple[ControlSubject, ...]
    twin: UnaskedTwin | None
    unlooked: tuple[UnlookedPart, ...]
    finding: ErasureFinding
    sentences: tuple[str, ...]
    """The finding in words; recomputed from the rows by ``check``."""
