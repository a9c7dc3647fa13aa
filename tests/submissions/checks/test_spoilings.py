"""Every way to spoil a submission is noticed by the check that is meant for it, with file, field and remedy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from chaos.submissions import checked, noticed_by, spoilt
from chaos.submissions.spoilings import SPOILINGS
from memgauge.submissions.checks.catalogue import CHECKS
from memgauge.submissions.checks.rulings import Ruling
from memgauge.submissions.levels import Level

if TYPE_CHECKING:
    from pathlib import Path

    from chaos.submissions.kinds import Spoiling

_FIRST = {each.check: each.kind for each in reversed(SPOILINGS)}
"""One a check is tried every time, the others with what takes minutes."""
_ALL = [
    pytest.param(each, id=each.slug, marks=() if each.kind == _FIRST[each.check] else pytest.mark.slow)
    for each in SPOILINGS
]


def test_a_good_submission_is_accepted_without_a_word(good: Path) -> None:
    """Three planned runs whose data are at hand reach level 2, and no check has anything to say."""
    checks = checked(good)
    assert checks.accepted
    assert {check: findings for check, findings in checks.findings.items() if findings} == {}
    assert checks.level is not None
    assert checks.level.level is Level.REPEATED


@pytest.mark.parametrize("spoiling", _ALL)
def test_what_is_spoilt_is_noticed_by_the_check_that_is_meant(
    spoiling: Spoiling, good: Path, tmp_path: Path
) -> None:
    """Its finding names the file or field, says what is wrong, and what to do."""
    checks = spoilt(spoiling, good, tmp_path / "registry")
    assert noticed_by(spoiling, checks) == spoiling.check, checks.findings
    wanted = Ruling.ASK if spoiling.only_asked else Ruling.REFUSE
    findings = [each for each in checks.findings[spoiling.check] if each.ruling is wanted]
    assert any(spoiling.names in str(each) for each in findings), findings
    assert all(each.file and each.what and each.remedy for each in findings)
    assert checks.accepted == spoiling.only_asked


def test_every_check_has_something_that_it_is_meant_for() -> None:
    """And at least twelve kinds are what somebody sends who wants a better row; no kind is listed twice."""
    meant = Counter(each.check for each in SPOILINGS)
    assert {check.id for check in CHECKS} <= set(meant)
    assert sum(each.forged for each in SPOILINGS) >= 12
    assert len({each.slug for each in SPOILINGS}) == len(SPOILINGS)
