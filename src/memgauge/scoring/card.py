"""The reporting card of a run: the four questions of "Scoring targets" (table 14), answered from its record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgauge.records import Form, Lineage
from memgauge.results import result

if TYPE_CHECKING:
    from memgauge.records import Contract
    from memgauge.runs.record.store import Run

QUESTIONS = (
    "transforms memory?",
    "reports its retrieval unit?",
    "reports the mapping to evidence?",
    "specifies descendant credit?",
)
MISSING = "not known"
_UNITS = {
    Form.RAW: "turns, word for word",
    Form.CANONICAL: "derived facts",
    Form.DERIVED: "derived but unserved forms",
    Form.SUMMARY: "summaries",
    Form.PROFILE: "profiles",
    Form.EDGE: "edges",
    Form.NODE: "nodes",
    Form.PATH: "paths",
}


@result
@dataclass(frozen=True)
class TargetCard:
    """The answers, in the order of :data:`QUESTIONS`; ``None`` is missing."""

    label: str
    transforms: str
    unit: str | None
    mapping: str | None
    credit: str

    @property
    def answers(self) -> tuple[str | None, ...]:
        """Return the four answers."""
        return self.transforms, self.unit, self.mapping, self.credit

    @property
    def gaps(self) -> tuple[str, ...]:
        """Say what is not known, to somebody who does not know the questions."""
        unit = () if self.unit else ("whether its memories are turns word for word, facts or summaries",)
        mapping = () if self.mapping else ("from which turns its memories come",)
        return unit + mapping


def card_of(run: Run, contract: Contract) -> TargetCard:
    """Answer the four questions for *run* scored under *contract*."""
    counts = run.memories["counts"]
    forms = Counter(run.memories["form"][counts].tolist())
    total = sum(forms.values())
    derived = total - forms[str(Form.RAW)] - forms[str(Form.UNKNOWN)]
    known = [_UNITS[Form(form)] for form, _ in forms.most_common() if Form(form) in _UNITS]
    credit = f"target={contract.target}, credit={contract.credit}, coverage={contract.coverage}"
    return TargetCard(
        label=run.label,
        transforms=f"yes: {derived:,} of {total:,} memories are derived" if derived else "no: it keeps turns",
        unit=", ".join(known) if known and not forms[str(Form.UNKNOWN)] else None,
        mapping=_mapping(run, total),
        credit=credit,
    )


def _mapping(run: Run, total: int) -> str | None:
    """Say how memories are known to descend from turns; a memory without turns leaves a gap that is counted."""
    statuses = Counter(run.memories["lineage"][run.memories["counts"]].tolist())
    gaps = statuses[str(Lineage.ABSENT)]
    if not total or gaps == total:
        return None
    known = ", ".join(f"{n:,} {status}" for status, n in statuses.most_common() if status != str(Lineage.ABSENT))
    return known + (f"; {gaps:,} of {total:,} memories name no turn" if gaps else "")
