"""Every measure by name: the one registry, from which what prints is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.registry import Registry

if TYPE_CHECKING:
    from memgauge.measures.formula import Formula

_PLACES: Final = {
    "Complete": "ranking:COMPLETE",
    "Hit": "ranking:HIT",
    "MAP": "ranking:MAP",
    "MRR": "ranking:MRR",
    "Precision": "ranking:PRECISION",
    "Recall": "ranking:RECALL",
    "RecallCurve": "ranking:CURVE",
    "nDCG": "ranking:NDCG",
    "AnyContradiction": "facts:ANY_CONTRADICTION",
    "AsOf": "facts:AS_OF",
    "Contaminated": "facts:CONTAMINATED",
    "Contradiction": "facts:CONTRADICTION",
    "Omitted": "facts:OMITTED",
    "SetF1": "facts:SET_F1",
    "SilentRightly": "facts:SILENT_RIGHTLY",
    "SilentWrongly": "facts:SILENT_WRONGLY",
    "StaleShare": "facts:STALE_SHARE",
    "Temporal(lenient)": "facts:LENIENT",
    "Temporal(strict)": "facts:STRICT",
    "Unresolved": "facts:UNRESOLVED",
    "Abstention": "answers.scorers:ABSTENTION",
    "ConflictEM": "answers.memoryagentbench:CONFLICT",
    "EM": "answers.scorers:EM",
    "EventQA_as_published": "answers.memoryagentbench:EVENTS_AS_PUBLISHED",
    "F1": "answers.scorers:F1",
    "F1(articles)": "answers.scorers:F1_ARTICLES",
    "FalseAbstention": "answers.scorers:FALSE_ABSTENTION",
    "LoCoMo": "answers.scorers:LOCOMO",
    "LoCoMo_as_published": "answers.scorers:LOCOMO_AS_PUBLISHED",
    "ROUGE-L": "answers.scorers:ROUGE_L",
    "SubstringEM_as_published": "answers.memoryagentbench:SUBSTRING_AS_PUBLISHED",
    "Typed": "answers.scorers:TYPED",
    "Contradicted(words)": "answers.scorers:CONTRADICTED",
    "Supported(words)": "answers.scorers:SUPPORTED",
    "Unsupported(words)": "answers.scorers:UNSUPPORTED",
    "Choice": "answers.choices:ACCURACY",
    "Choice(corrected)": "answers.choices:CORRECTED",
    "NoChoice": "answers.choices:NO_CHOICE",
    "SameChoice": "answers.choices:SAME",
    "Contradicted": "answers.verdicts:CONTRADICTED",
    "EventOrder": "answers.verdicts:EVENT_ORDER",
    "Hallucination": "answers.verdicts:HALLUCINATION",
    "Judged": "answers.verdicts:JUDGED",
    "Judged_as_published": "answers.verdicts:JUDGED_AS_PUBLISHED",
    "Omission": "answers.verdicts:OMISSION",
    "Supported": "answers.verdicts:SUPPORTED",
    "Unsupported": "answers.verdicts:UNSUPPORTED",
    "Accuracy": "answers.halumem:ACCURACY",
    "ExtractionF1": "answers.halumem:EXTRACTION_F1",
    "Integrity": "answers.halumem:INTEGRITY",
    "Integrity(weighted)": "answers.halumem:INTEGRITY_WEIGHTED",
    "Resistance": "answers.halumem:RESISTANCE",
    "Updates": "answers.halumem:UPDATES",
    "Updates_as_published": "answers.halumem:UPDATES_AS_PUBLISHED",
    "Deficit": "recovery:DEFICIT",
    "Recovery": "recovery:RECOVERY",
    "RecoveryBySegment": "recovery:RECOVERY_BY_SEGMENT",
    "TimeToRecover": "recovery:TIME_TO_RECOVER",
    "Duplicates": "writing:DUPLICATES",
    "Junk": "writing:JUNK",
    "WriteError(scope)": "writing:SCOPE_ERROR",
    "WriteError(slot)": "writing:SLOT_ERROR",
    "WriteError(subject)": "writing:SUBJECT_ERROR",
    "WriteError(time)": "writing:TIME_ERROR",
    "WriteError(value)": "writing:VALUE_ERROR",
    "WritePrecision": "writing:WRITE_PRECISION",
    "WriteRecall": "writing:WRITE_RECALL",
    "Contradiction_as_published": "published:CONTRADICTION_AS_PUBLISHED",
    "Precision_as_published": "published:PRECISION_AS_PUBLISHED",
    "Recall_as_published": "published:RECALL_AS_PUBLISHED",
    "Temporal_as_published": "published:TEMPORAL_AS_PUBLISHED",
    "AnswerabilityF1": "sets:ANSWERABILITY_F1",
    "SupersessionLatency": "temporal:SUPERSESSION_LATENCY",
}
"""The module in this room, and the name in it, of every formula that ships."""

MEASURES: Final[Registry[Formula]] = Registry(
    kind="measure",
    group="memgauge.measures",
    builtin={name: f"memgauge.measures.{place}" for name, place in _PLACES.items()},
)
"""A variant in brackets without a key (``Temporal(strict)``) is part of the name; a package adds entry points."""
