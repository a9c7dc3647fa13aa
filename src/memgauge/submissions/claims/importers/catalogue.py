"""Every format of published results by name; a new one is its reader and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memgauge.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.submissions.claims.importers.building import ClaimOrigin
    from memgauge.submissions.sheets.claim import ClaimSheet

    ClaimReader = Callable[[Path, ClaimOrigin], tuple[ClaimSheet, ...]]

_HERE = "memgauge.submissions.claims.importers"
CLAIM_IMPORTERS: Registry[ClaimReader] = Registry(
    "format of claims",
    "memgauge.claim_importers",
    {
        "amb-external": f"{_HERE}.amb:read_external",
        "amb-manifest": f"{_HERE}.amb:read_manifest",
        "amb-output": f"{_HERE}.amb:read_output",
        "evermemos": f"{_HERE}.evermemos:read_eval_results",
        "memorybench-report": f"{_HERE}.memorybench:read_report",
        "mteb": f"{_HERE}.mteb:read_task",
        "oamb": f"{_HERE}.oamb:read_results",
        "omnimemeval-grades": f"{_HERE}.omnimemeval:read_grades",
        "omnimemeval-judged": f"{_HERE}.omnimemeval:read_judged",
        "omnimemeval-tables": f"{_HERE}.omnimemeval_tables:read_tables",
    },
)
"""What `memgauge results import-claims` reads."""
