"""Every measure by name: the one registry, from which what prints is read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgauge.measures.formula import Formula

_PLACES: Final[Mapping[str, Mapping[str, str]]] = {
    "ranking": {
        "Complete": "COMPLETE",
        "Hit": "HIT",
        "MAP": "MAP",
        "MRR": "MRR",
        "Precision": "PRECISION",
        "Recall": "RECALL",
        "RecallCurve": "CURVE",
        "nDCG": "NDCG",
    },
    "facts": {
        "AnyContradiction": "ANY_CONTRADICTION",
        "AsOf": "AS_OF",
        "Contaminated": "CONTAMINATED",
        "Contradiction": "CONTRADICTION",
        "Omitted": "OMITTED",
        "SetF1": "SET_F1",
        "SilentRightly": "SILENT_RIGHTLY",
        "SilentWrongly": "SILENT_WRONGLY",
        "StaleShare": "STALE_SHARE",
        "Temporal(lenient)": "LENIENT",
        "Temporal(strict)": "STRICT",
        "Unresolved": "UNRESOLVED",
    },
    "answers.scorers": {
        "Abstention": "ABSTENTION",
        "EM": "EM",
        "F1": "F1",
        "F1(articles)": "F1_ARTICLES",
        "FalseAbstention": "FALSE_ABSTENTION",
        "LoCoMo": "LOCOMO",
        "LoCoMo_as_published": "LOCOMO_AS_PUBLISHED",
        "ROUGE-L": "ROUGE_L",
        "Typed": "TYPED",
        "Contradicted(words)": "CONTRADICTED",
        "Supported(words)": "SUPPORTED",
        "Unsupported(words)": "UNSUPPORTED",
    },
    "answers.verdicts": {
        "Contradicted": "CONTRADICTED",
        "EventOrder": "EVENT_ORDER",
        "Hallucination": "HALLUCINATION",
        "Judged": "JUDGED",
        "Judged_as_published": "JUDGED_AS_PUBLISHED",
        "Omission": "OMISSION",
        "Supported": "SUPPORTED",
        "Unsupported": "UNSUPPORTED",
    },
    "answers.halumem": {
        "Accuracy": "ACCURACY",
        "ExtractionF1": "EXTRACTION_F1",
        "Integrity": "INTEGRITY",
        "Integrity(weighted)": "INTEGRITY_WEIGHTED",
        "Resistance": "RESISTANCE",
        "Updates": "UPDATES",
        "Updates_as_published": "UPDATES_AS_PUBLISHED",
    },
    "recovery": {
        "Deficit": "DEFICIT",
        "Recovery": "RECOVERY",
        "RecoveryBySegment": "RECOVERY_BY_SEGMENT",
        "TimeToRecover": "TIME_TO_RECOVER",
    },
    "writing": {
        "Duplicates": "DUPLICATES",
        "Junk": "JUNK",
        "WriteError(scope)": "SCOPE_ERROR",
        "WriteError(slot)": "SLOT_ERROR",
        "WriteError(subject)": "SUBJECT_ERROR",
        "WriteError(time)": "TIME_ERROR",
        "WriteError(value)": "VALUE_ERROR",
        "WritePrecision": "WRITE_PRECISION",
        "WriteRecall": "WRITE_RECALL",
    },
    "published": {
        "Contradiction_as_published": "CONTRADICTION_AS_PUBLISHED",
        "Precision_as_published": "PRECISION_AS_PUBLISHED",
        "Recall_as_published": "RECALL_AS_PUBLISHED",
        "Temporal_as_published": "TEMPORAL_AS_PUBLISHED",
    },
    "sets": {"AnswerabilityF1": "ANSWERABILITY_F1"},
    "temporal": {"SupersessionLatency": "SUPERSESSION_LATENCY"},
}

MEASURES: Final[Registry[Formula]] = Registry(
    kind="measure",
    group="memgauge.measures",
    builtin={
        name: f"memgauge.measures.{module}:{constant}"
        for module, names in _PLACES.items()
        for name, constant in names.items()
    },
)
"""A variant in brackets without a key (``Temporal(strict)``) is part of the name; a package adds entry points."""
