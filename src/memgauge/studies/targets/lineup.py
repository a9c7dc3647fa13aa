"""The runs of an audit side by side: what each found under every target, and the questions that they share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from memgauge.errors import ConfigError, IdentityError
from memgauge.measures import credit_of, find, parse
from memgauge.records import Coverage, Credit, EvidencePolicy, Outcome, Target, Ties
from memgauge.results import result
from memgauge.scoring.align import descent, places, trace_of
from memgauge.scoring.targets import credited
from memgauge.stats import Clusters
from memgauge.studies.targets.sessions import by_session

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from memgauge.datasets.base import Dataset
    from memgauge.measures import Descent, EvidenceHits, Judged, Rows, Trace
    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable

TARGETS = (Target.RAW, Target.SOURCE, Target.CANONICAL)


class EvidenceUnit(StrEnum):
    """What a question's evidence is."""

    TURN = "turn"
    SESSION = "session"


@result
@dataclass(frozen=True)
class AuditSpec:
    """What every number of an audit is counted by, besides target, credit and coverage."""

    k: int = 60
    credit: Credit = Credit.ANCHOR
    coverage: Coverage = Coverage.ANY
    ties: Ties = Ties.RETURNED
    evidence: EvidencePolicy = EvidencePolicy.STRICT
    answerable: bool = True
    """Only questions with an accepted answer, as the paper's native runs; otherwise all with evidence."""
    anchors: EvidenceUnit = EvidenceUnit.TURN
    """Whether evidence is a turn, or the session that holds it."""
    own: tuple[str, ...] = ()
    """Targets of the user's own beside the three: forms joined by ``+``, or installed rules."""

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ConfigError(f"Cannot judge the first {self.k} hits.", "Ask for at least 1.")

    @property
    def targets(self) -> tuple[Target | str, ...]:
        """Return every target."""
        return (*TARGETS, *self.own)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the metrics at this depth, the ranking one first."""
        return tuple(f"{name}@{self.k}" for name in ("nDCG", "Hit", "Recall", "Complete", "MRR"))


@dataclass(frozen=True, eq=False)
class Audited:
    """One run, its rankings found once for each target."""

    run: Run
    label: str
    trace: Trace
    lineage: Descent
    hits: Mapping[str, EvidenceHits]
    """By target."""
    spec: AuditSpec
    _judged: dict[tuple[str, Credit, Coverage], Judged] = field(default_factory=dict)

    def judged(self, target: str, credit: Credit | None = None, coverage: Coverage | None = None) -> Judged:
        """Credit the rankings under one contract; what is not named is the audit's own."""
        key = (target, credit or self.spec.credit, coverage or self.spec.coverage)
        if key not in self._judged:
            self._judged[key] = credit_of(self.hits[target], *key[1:], source=self.hits[Target.SOURCE])
        return self._judged[key]

    def rows(
        self,
        target: str,
        metric: str | None = None,
        credit: Credit | None = None,
        coverage: Coverage | None = None,
    ) -> Rows:
        """Value every question under one contract; what is not named is the audit's own."""
        return parse(metric or self.spec.metrics[0]).rows(self.judged(target, credit, coverage))

    def serves(self, *targets: str) -> bool:
        """Whether it holds, for each of *targets*, anything that is credited for any question."""
        return all(bool(self.hits[target].stored.any()) for target in targets)


@dataclass(frozen=True, eq=False)
class Lineup:
    """Runs on one dataset, and everything that comparing them needs."""

    spec: AuditSpec
    gold: GoldTable
    runs: tuple[Audited, ...]
    unsupported: Mapping[str, str]
    """Runs of which nothing can be said, and why; they are in no table, and never 0."""
    excluded: Mapping[str, int]
    """Questions that are not asked of anybody, by reason."""
    inside: NDArray[np.bool_]
    """(Q,) questions that every run was asked and answered."""

    def serving(self, *targets: str) -> list[Audited]:
        """Return the runs that serve every one of *targets*."""
        return [audited for audited in self.runs if audited.serves(*targets)]

    def shared(self, *targets: str) -> NDArray[np.bool_]:
        """(Q,) mark the questions that *targets* can score in every run that holds such memories at all."""
        masks = [audited.rows(target).defined for target in targets for audited in self.serving(target)]
        mask: NDArray[np.bool_] = np.logical_and.reduce([self.inside, *masks])
        return mask

    @cached_property
    def clusters(self) -> Clusters:
        """Number the conversations, which every interval is over."""
        return Clusters.of(np.array([question.conversation for question in self.gold.questions]))


def line_up(runs: Sequence[Run], gold: GoldTable, spec: AuditSpec, dataset: Dataset | None = None) -> Lineup:
    """Lay runs side by side; *dataset* says which session a turn belongs to, where sessions are the evidence.

    Raises:
        ConfigError: No run can be audited, or they share no question.
        IdentityError: Two runs are of different data.
    """
    if not runs:
        raise ConfigError("No run to audit.", "Name run folders, or make some with `memgauge study targets run`.")
    labels = [run.label for run in runs]
    unsupported, audited = {}, []
    for run, label in zip(runs, _distinct(labels, runs), strict=True):
        gold.require(run)
        reason = _why_not(run)
        if reason:
            unsupported[label] = reason
            continue
        trace, lineage = trace_of(run, gold, spec.ties), descent(run, gold)
        anchors = gold.anchors(spec.evidence)
        if spec.anchors is EvidenceUnit.SESSION:
            if dataset is None:
                raise ConfigError("Sessions as evidence need the dataset.", "Hand it to line_up.")
            lineage, anchors = by_session(run, gold, dataset, spec.evidence)
        hits = {
            str(target): find(trace, lineage, anchors, k=spec.k, credited=credited(run, target))
            for target in spec.targets
        }
        audited.append(Audited(run, label, trace, lineage, hits, spec))
    if not audited:
        reasons = "; ".join(f"{label}: {reason}" for label, reason in unsupported.items())
        raise ConfigError(f"No run can be audited ({reasons}).", "Audit runs whose memories name their turns.")
    inside, excluded = _inside([audited_run.run for audited_run in audited], gold, spec)
    if not inside.any():
        raise ConfigError(
            "These runs share no question that can be scored.", "Check that all of them are complete."
        )
    return Lineup(spec, gold, tuple(audited), unsupported, excluded, inside)


def _why_not(run: Run) -> str:
    """Say why *run* cannot be audited: a missing lineage is no miss."""
    sources = run.memories["sources"]
    if not len(sources):
        return "it stored nothing"
    return "" if any(len(turns) for turns in sources) else "no memory names the turns that it descends from"


def _inside(runs: Sequence[Run], gold: GoldTable, spec: AuditSpec) -> tuple[NDArray[np.bool_], dict[str, int]]:
    """Find the questions that every run answered, and count the others by the first reason."""
    reasons = np.array(
        [gold_of_question.why_no_anchors(spec.evidence) or "" for gold_of_question in gold.golds], dtype=object
    )
    if spec.answerable:
        unanswered = np.array([not gold_of_question.answers for gold_of_question in gold.golds], dtype=np.bool_)
        reasons[unanswered & (reasons == "")] = "no accepted answer"
    for run in runs:
        place = places(run, gold)
        is_valid = np.array([Outcome(outcome).valid for outcome in run.questions["outcome"]], dtype=np.bool_)
        is_answered = np.zeros(len(gold.questions), dtype=np.bool_)
        is_answered[place[is_valid & (place >= 0)]] = True
        reasons[~is_answered & (reasons == "")] = "not answered by every run"
    names, counts = np.unique(reasons[reasons != ""].astype(str), return_counts=True)
    return reasons == "", dict(zip(names.tolist(), counts.tolist(), strict=True))


def _distinct(labels: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Shorten names to what tells the runs apart: the store, and parameters that not all of one system share."""
    label_parts = [_parameters(label) for label in labels]
    alike: dict[str, set[tuple[str, str]]] = {}
    for name, parameters in label_parts:
        alike[name] = alike.get(name, set(parameters.items())) & set(parameters.items())
    short_labels = []
    for name, parameters in label_parts:
        differing = [
            f"{key}={value}"
            for key, value in parameters.items()
            if key != "store" and (key, value) not in alike[name]
        ]
        short_labels.append(" ".join(filter(None, [name, parameters.get("store", ""), ",".join(differing)])))
    repeated_labels = {label for label in short_labels if short_labels.count(label) > 1}
    distinct_labels = [
        f"{label} {run.manifest.identity[:6]}" if label in repeated_labels else label
        for label, run in zip(short_labels, runs, strict=True)
    ]
    if len(set(distinct_labels)) < len(distinct_labels):
        raise IdentityError("One run was named twice.", "Name every run once.")
    return distinct_labels


_STORE_FILE = re.compile(r"(?:.*/)?(?P<name>[^/]+?)(?:-[0-9a-f]{8})?\.jsonl")


def _parameters(label: str) -> tuple[str, dict[str, str]]:
    """Split the label of a system into name and parameters; of a store file only its name is told."""
    name, colon, rest = label.partition(":")
    pairs = [item.partition("=") for item in rest.split(",")] if colon else []
    if not pairs or not all(equals for _, equals, _ in pairs):
        return label, {}
    parameters = {key: value for key, _, value in pairs}
    file = _STORE_FILE.fullmatch(parameters.get("store", ""))
    return name, parameters | ({"store": file["name"]} if file else {})
