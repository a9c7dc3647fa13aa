"""Do score files follow from the rows? Where the dataset is absent: do they at least follow from themselves?"""

from __future__ import annotations

import hashlib
import math
from typing import TYPE_CHECKING, Any

from memgauge.errors import UserError
from memgauge.measures import Reads
from memgauge.records import Contract, Failures, Outcome, Verdict
from memgauge.runs.record.files import small
from memgauge.scoring.score import ENDS, FOLDER, Settings, score_file, score_name, score_text
from memgauge.scoring.verification import Finding, Reach
from memgauge.text.jsons import json_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from memgauge.runs.record.store import Run
    from memgauge.scoring.gold import GoldTable
    from memgauge.scoring.verify_dataset import DatasetAtHand

_BASE = frozenset({"content", "dataset", "contract", "k", "scores", "measures", "questions"})
"""What every format of a score file has held."""
_EARLIER = frozenset({"content", "dataset", "contract", "k", "bootstrap", "scores", "measures", "questions"})
"""What files of the first format hold, and nothing else: a key that is spelled otherwise is no other format."""
_ENDS_ALONE = " (how sure it is, and no value: `memgauge score` writes what this version computes)"
_LARGEST = 1 << 30
"""Bytes of a score file."""
TOLERANCE = 5e-9
"""Half of the last digit that a score file writes, for means of values that were rounded themselves."""


def score_findings(run: Run, data: DatasetAtHand | None) -> Iterator[Finding]:
    """Recompute every score file; without the dataset, check all that needs none, and claim no more."""
    files = sorted((run.folder / FOLDER).glob("*.json"))
    if not files:
        yield Finding("scores", Verdict.VACUOUS, "none were written; `memgauge score` writes them")
    for path in files:
        yield _finding(run, None if data is None else data.gold, path)


def _finding(run: Run, gold: GoldTable | None, path: Path) -> Finding:
    subject = f"{FOLDER}/{path.name}"
    try:
        raw = small(path, _LARGEST)
        claimed = json_of(raw)
        settings = Settings(Contract.parse(claimed["contract"]), tuple(claimed["measures"]), claimed["k"])
        wrong = _alone(run, claimed, settings) if gold is None else ""
        if path.name not in {score_name(settings), _earlier_name(claimed)}:
            wrong = "its settings are not those that its name stands for"
        if wrong:
            return Finding(subject, Verdict.FAIL, wrong, Reach.RECOMPUTED)
        if gold is None:
            detail = "it follows from its own values; whether they follow from the rows, only the dataset can say"
            return Finding(subject, Verdict.UNSUPPORTED, detail, Reach.RECOMPUTED)
        computed = score_file(run, gold, settings)
        if ENDS not in claimed:
            computed.pop(ENDS, None)  # an earlier version wrote the same without it
        written = score_text(computed)
        if written.encode() != raw:
            return _differs(subject, json_of(written), {**claimed, "scores": dict(claimed["scores"])})
    except (ValueError, KeyError, TypeError, AttributeError, UserError) as error:
        return Finding(subject, Verdict.FAIL, f"not a score file of this run: {error}", Reach.RECOMPUTED)
    values = len(claimed["scores"]) + len(claimed["questions"]) * len(claimed["measures"])
    return Finding(subject, Verdict.PASS, f"{values} numbers recomputed from the rows", Reach.RECOMPUTED)


def _differs(subject: str, computed: dict[str, Any], claimed: dict[str, Any]) -> Finding:
    """Say how a file differs from what the rows give: another format is no forgery where the values agree."""
    shared = ("content", "dataset", "k", "measures", "questions")
    same = all(computed[name] == claimed[name] for name in shared) and all(
        score.get(name) == claimed["scores"].get(measure, {}).get(name)
        for measure, score in computed["scores"].items()
        for name in ("value", "n", "total", "excluded")
    )
    if same and claimed.keys() == _EARLIER:
        detail = (
            "of an earlier format: its values and counts follow from the rows, its intervals were not recomputed"
        )
        return Finding(subject, Verdict.UNSUPPORTED, detail, Reach.RECOMPUTED)
    ends = _differing(computed["scores"], claimed["scores"])
    wrong = ends or _differing(computed, claimed) or ["its bytes"]
    again = _ENDS_ALONE if same and ends and computed.keys() == claimed.keys() else ""
    detail = f"differs from what the rows give: {', '.join(wrong)}{again}"
    return Finding(subject, Verdict.FAIL, detail, Reach.RECOMPUTED)


def _earlier_name(claimed: Mapping[str, Any]) -> str:
    """Name a file by its contract as it is spelled there: contracts of earlier versions say less."""
    text = f"{claimed['contract']}|{tuple(claimed['measures'])}|{claimed['k']}"
    return hashlib.sha256(text.encode()).hexdigest()[:12] + ".json"


def _differing(computed: Mapping[str, object], claimed: Mapping[str, object]) -> list[str]:
    return [key for key in {**computed, **claimed} if computed.get(key) != claimed.get(key)]


def _alone(run: Run, claimed: dict[str, Any], settings: Settings) -> str:
    """Name what a score file contradicts in itself and in the rows, which takes no gold; empty where nothing."""
    if absent := _BASE - claimed.keys():
        return f"not a score file of this run: it lacks {', '.join(sorted(absent))}"
    if claimed["content"] != run.seal.content:
        return "differs from what the rows give: content"
    if claimed["dataset"].get("sha256") != run.manifest.dataset.sha256:
        return "differs from what the rows give: dataset"
    return _of_rows(run, claimed, settings) or _of_means(claimed)


def _of_rows(run: Run, claimed: dict[str, Any], settings: Settings) -> str:
    """Name a question that was never asked, or that is worth something though nothing was returned."""
    asked = run.questions
    outcomes = dict(zip(asked["question"].tolist(), asked["outcome"].tolist(), strict=True))
    returned = dict(zip(asked["question"].tolist(), asked["returned"].tolist(), strict=True))
    zero = settings.contract.failures is Failures.ZERO
    ranked = [measure.formula.reads is Reads.RANKINGS for measure in settings.parsed]
    for question, values in claimed["questions"].items():
        if question not in outcomes:
            return f"question {question} was not asked"
        if len(values) != len(claimed["measures"]):
            return f"question {question} has {len(values)} values for {len(claimed['measures'])} measures"
        known = [value for value in values if value is not None]
        if not all(isinstance(value, int | float) and math.isfinite(value) for value in known):
            return f"question {question} has a value that is no number"
        earned = [value for value, measure in zip(values, ranked, strict=True) if measure and value]
        if not returned[question] and any(value > 0 for value in earned):
            return f"question {question} is worth {max(earned):g}, and nothing was returned for it"
        if known and not Outcome(outcomes[question]).valid and not zero:
            return f"question {question} is scored, and its search ended as {outcomes[question]}"
    return ""


def _of_means(claimed: dict[str, Any]) -> str:
    """Name a mean or a count that its own values do not give."""
    for place, measure in enumerate(claimed["measures"]):
        score = claimed["scores"].get(measure)
        if score is None:
            return f"{measure} has no score"
        values = [v for row in claimed["questions"].values() if (v := row[place]) is not None]
        if score["n"] != len(values) or score["total"] != score["n"] + sum(score["excluded"].values()):
            return f"{measure}: n is {score['n']} of {score['total']}, and {len(values)} questions have a value"
        mean = math.fsum(values) / len(values) if values else None
        if (mean is None) != (score["value"] is None):
            return f"{measure} is {score['value']}, where its values give {mean}"
        if mean is not None and abs(mean - score["value"]) > TOLERANCE:
            return f"{measure} is {score['value']:g}, where the mean of its own values is {mean:.9g}"
    return ""
