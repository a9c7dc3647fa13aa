"""Which memories a target credits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from memgauge.errors import UnknownNameError
from memgauge.records import Contract, Form, Target
from memgauge.records.contracts import credits_form
from memgauge.registry import Registry
from memgauge.report.words import contract_sentence
from memgauge.scoring import targets
from memgauge.scoring.targets import credited, marked
from support.targets import runs

if TYPE_CHECKING:
    from memgauge.runs.record.store import Columns


@pytest.mark.parametrize(
    ("target", "forms"),
    [
        (Target.RAW, {Form.RAW}),
        (Target.CANONICAL, set(Form) - {Form.RAW, Form.DERIVED}),
        (Target.SOURCE, set(Form)),
        ("edge+path", {Form.EDGE, Form.PATH}),
    ],
)
def test_a_target_credits_forms(target: str, forms: set[Form]) -> None:
    """What is derived but not served counts under Source alone."""
    assert {form for form in Form if credits_form(target, form)} == forms


def test_source_credits_all_and_says_so() -> None:
    """No mask stands for all, so that forgotten evidence still counts."""
    run = runs()[0]
    assert credited(run, Target.SOURCE) is None
    assert marked(run, Target.SOURCE).all()
    assert (marked(run, Target.RAW) ^ marked(run, Target.CANONICAL)).all()


def test_an_installed_rule_is_a_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sees the columns of the memories; one that is not installed is refused by name."""

    def early(memories: Columns) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.array([bool(len(sources)) and sources[0].startswith("s01") for sources in memories["sources"]])

    monkeypatch.setattr(targets, "RULES", Registry("target rule", "memgauge.none", {"early": early}))
    mask = credited(runs()[0], "rule:early")
    assert mask is not None
    assert 0 < mask.sum() < len(mask)
    with pytest.raises(UnknownNameError, match="Did you mean early"):
        credited(runs()[0], "rule:earl")


def test_a_contract_is_said_in_words() -> None:
    """Forms, rules, coverage and ties are named where they are not the default."""
    said = contract_sentence(Contract.parse("target=edge+node,coverage=all,ties=hash,credit=size-matched"))
    assert "memories of the form edge+node" in said
    assert "only questions with such a memory of all their evidence" in said
    assert "ordered by a hash" in said
    assert "the rule mine marks" in contract_sentence(Contract.parse("target=rule:mine"))
