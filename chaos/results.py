"""The figures of the results repository: what it holds, what it refuses, and whether its boards follow from it."""

from __future__ import annotations

import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chaos.submissions import refusals
from memgauge.errors import DataNotFoundError
from memgauge.submissions.claims.ledger import claims_figures
from memgauge.submissions.repository import Repository
from memgauge.submissions.site.build import FILES
from memgauge.text.jsons import json_file

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).parents[1] / "results"
_SURROUNDINGS: Final = (
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "jobs": "1"},
    {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "jobs": "2"},
)


def results() -> Mapping[str, float]:
    """Count submissions, forged kinds and claims, and build the site twice from nothing.

    Raises:
        DataNotFoundError: The registry is part of the checkout.
    """
    if not ROOT.is_dir():
        raise DataNotFoundError(f"{ROOT} is part of the checkout.", "Run this at the root of one.")
    repository = Repository.at(ROOT)
    noticed = refusals()
    claims = claims_figures(ROOT)
    reproduced = {
        submission
        for submission, sheets in repository.verifications.items()
        if any(each.sheet.outcome == "agrees" and each.sheet.same_lock for each in sheets)
    }
    return {
        "submissions": sum(1 for _ in repository.submissions()),
        "reproduced": len(reproduced),
        "refused_kinds": len(noticed),
        "refused_by_the_right_check": sum(meant == by for meant, by in noticed.values()),
        "boards_byte_equal": float(_built_alike()),
        "claims": claims["claims"],
        "claims_products": claims["products"],
        "claims_recomputed": claims["claims_recomputed"],
    }


def _built_alike() -> bool:
    """Build the site twice, in unlike surroundings and without kept rows, and compare every byte."""
    with tempfile.TemporaryDirectory(prefix="memgauge-sites-") as scratch:
        sites = [Path(scratch) / str(number) for number, _ in enumerate(_SURROUNDINGS)]
        for site, surroundings in zip(sites, _SURROUNDINGS, strict=True):
            names = {name: value for name, value in surroundings.items() if name != "jobs"}
            subprocess.run(
                [
                    *(sys.executable, "-m", "memgauge", "results", "board", str(ROOT), "--out", str(site)),
                    *("--jobs", surroundings["jobs"], "--cache", str(site.with_name(f"{site.name}.rows"))),
                ],
                env=os.environ | names,
                check=True,
                stdout=subprocess.DEVNULL,
            )
        listed = [list(map(str, json_file(site / FILES))) for site in sites]
        same, different, odd = filecmp.cmpfiles(sites[0], sites[1], [*listed[0], FILES], shallow=False)
        return listed[0] == listed[1] and bool(same) and not different and not odd
