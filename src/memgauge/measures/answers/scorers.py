"""Measures of an answer beside the accepted ones, or beside the memories shown, without a judge."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from memgauge.measures.answers import locomo
from memgauge.measures.answers.matching import exact_match, fold_without_articles, token_f1
from memgauge.measures.answers.rouge import rouge_l
from memgauge.measures.answers.typed import typed_match
from memgauge.measures.formula import Formula, Reads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgauge.measures.answers.consistency import ClaimCounts
    from memgauge.records import Gold, Question

    Value = float | str
    """A value, or why there is none."""
    Scorer = Callable[[str, Gold, Question], Value]

NO_ANSWER = "no accepted answer"
UNANSWERABLE = "the right reply is to abstain"
ANSWERABLE = "the question has an answer"


def _matching(match: Callable[[str, Sequence[str]], Value], says: str, source: str = "") -> Formula:
    """Compare with the accepted answers, where there are any."""

    def score(answer: str, gold: Gold, _: Question) -> Value:
        if gold.abstain:
            return UNANSWERABLE
        return match(answer, gold.answers) if gold.answers else NO_ANSWER

    return _of_answer(score, says, NO_ANSWER, source)


def _official(rule: Callable[[str, str, str], float], says: str) -> Formula:
    """Score by a rule of LoCoMo, which looks at the category."""

    def score(answer: str, gold: Gold, question: Question) -> Value:
        if gold.abstain or gold.answers:
            return rule(answer, gold.answers[0] if gold.answers else "", question.category)
        return NO_ANSWER

    return _of_answer(score, says, NO_ANSWER, "LoCoMo's evaluation script")


def _abstention(answer: str, gold: Gold, _: Question) -> Value:
    return float(not answer) if gold.abstain else ANSWERABLE


def _false_abstention(answer: str, gold: Gold, _: Question) -> Value:
    return UNANSWERABLE if gold.abstain else float(not answer)


def _of_answer(scorer: Scorer, says: str, undefined: str, source: str = "", *, lower: bool = False) -> Formula:
    return Formula(
        scorer, cutoff=None, reads=Reads.ANSWERS, lower=lower, undefined=undefined, source=source, says=says
    )


def _of_claims(ending: str, *, lower: bool) -> Formula:
    """Return the share of an answer's claims that end so; an answer without claims has none."""
    count_of = attrgetter(ending)

    def share(counts: ClaimCounts) -> float | None:
        return count_of(counts) / counts.claims if counts.claims else None

    return Formula(
        share,
        cutoff=None,
        reads=Reads.CLAIMS,
        lower=lower,
        undefined="nothing was claimed from memories",
        says=f"Return the share of an answer's claims that are {ending} by the words of the memories shown.",
    )


_SQUAD = "Rajpurkar et al. 2016, section 6.1"
EM = _matching(exact_match, "Score 1 where the folded answer equals an accepted one.", "ShiftBench, appendix D")
F1 = _matching(
    token_f1,
    "Return the best harmonic mean of precision and recall of words over the accepted answers.",
    f"ShiftBench, appendix D; {_SQUAD}",
)
F1_ARTICLES = _matching(
    lambda answer, golds: token_f1(answer, golds, fold_without_articles),
    "Return the same where articles do not count.",
    _SQUAD,
)
ROUGE_L = _matching(
    rouge_l, "Return the best F1 of the longest common subsequence of words.", "Lin 2004, section 3, equal weights"
)
TYPED = _matching(
    typed_match, "Score 1 where the answer states the value of an accepted one: a date, a number, a name, a set."
)
LOCOMO = _official(locomo.score, "Score as LoCoMo's script does, without its faults.")
LOCOMO_AS_PUBLISHED = _official(locomo.score_as_published, "Score as LoCoMo's script does.")
ABSTENTION = _of_answer(
    _abstention, "Score 1 where the answerer rightly abstains, 0 where it answers what nobody said.", ANSWERABLE
)
FALSE_ABSTENTION = _of_answer(
    _false_abstention, "Score 1 where the answerer abstains although there is an answer.", UNANSWERABLE, lower=True
)
SUPPORTED = _of_claims("supported", lower=False)
CONTRADICTED = _of_claims("contradicted", lower=True)
UNSUPPORTED = _of_claims("unsupported", lower=True)
