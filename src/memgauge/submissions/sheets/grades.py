"""Grades of answers: what a panel of judges decided, question by question, and nothing of what anybody wrote.

Answers and verdicts quote texts and stay with whoever made them. What made both layers goes along, so that their
hashes follow from it: a run's content leads to the answers, and the answers lead to the verdicts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from pydantic import ConfigDict, Field

from memgauge.runs.layers.layer import LayerManifest, layer_hash
from memgauge.submissions.sheets.base import Digest, Line, Sheet, SheetPart

if TYPE_CHECKING:
    from memgauge.records import Gold

GivenGrade = Literal["correct", "incorrect", "unscored", "failed", "nothing to judge"]
"""``unscored``: judges decided nothing. ``failed``: there is no answer. ``nothing to judge``: no accepted one."""
NOTHING: Final = "nothing to judge"


def judgeable(gold: Gold) -> bool:
    """Whether an answer to a question can be judged as a whole."""
    return bool(gold.answers or gold.abstain)


class LayerMaker(SheetPart):
    """What made a layer: what is asked of it here, and whatever else decides its rows."""

    model_config = ConfigDict(extra="allow")


class AnswersMaker(LayerMaker):
    """Who answered, from what."""

    answerer: Line
    version: str = ""
    context: Line


class PanelMaker(LayerMaker):
    """Who judged: the judges, and their parameters and quorum."""

    judges: tuple[Line, ...] = Field(min_length=1)


class VerdictsMaker(LayerMaker):
    """How it was judged."""

    panel: PanelMaker
    prompts: dict[str, Digest] = Field(default_factory=dict)
    rules: Line


class AnswersLayer(SheetPart):
    """A sealed layer of answers, without its rows."""

    base: Digest
    """The content of the run."""
    label: Line
    maker: AnswersMaker
    rows: Digest
    """Of the file of its rows."""
    sha256: Digest
    """Its hash, which follows from all of the above."""

    @property
    def follows(self) -> bool:
        """Whether the hash is that of what made the layer, and of its rows."""
        return self.sha256 == _hash("answers", self)


class VerdictsLayer(SheetPart):
    """A sealed layer of verdicts, without its rows."""

    base: Digest
    """The hash of the answers."""
    label: Line
    """The panel: the names of its judges, joined by ``+``."""
    maker: VerdictsMaker
    rows: Digest
    sha256: Digest

    @property
    def follows(self) -> bool:
        """Whether the hash is that of what made the layer, and of its rows."""
        return self.sha256 == _hash("verdicts", self)


class GradedAnswers(SheetPart):
    """What one panel decided of the answers to one run."""

    bundle: str
    """As the sheet of the submission names it."""
    answers: AnswersLayer
    verdicts: VerdictsLayer
    rubrics: tuple[Line, ...]
    grades: dict[str, GivenGrade] = Field(min_length=1)
    """By question."""

    @property
    def way(self) -> tuple[str, ...]:
        """Return what tells ways of judging and answering apart, the judge first; runs differ in it by nothing."""
        made = self.answers.maker
        judged = json.dumps(self.verdicts.maker.model_dump(mode="json"), sort_keys=True)
        details = json.dumps((made.model_extra or {}).get("details"), sort_keys=True)
        return self.verdicts.label, made.answerer, made.version, made.context, details, judged


class GradesSheet(Sheet):
    """Every grade of a submission."""

    SCHEMA: ClassVar[str] = "memgauge.grades/1"

    graded: tuple[GradedAnswers, ...] = Field(min_length=1)


def _hash(kind: Literal["answers", "verdicts"], layer: AnswersLayer | VerdictsLayer) -> str:
    maker = layer.maker.model_dump(mode="json", exclude_unset=True)
    return layer_hash(LayerManifest(kind=kind, base=layer.base, label=layer.label, maker=maker), layer.rows)
