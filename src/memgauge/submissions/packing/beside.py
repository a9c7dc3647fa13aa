"""What stands beside the sheet of a submission: options, surroundings, card, description and lock, statement."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgauge.registry import parse_ref
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.machine import this_machine
from memgauge.submissions.layout import CARD, CONFIG, ENVIRONMENT, LOCK, PRODUCT, STATEMENT
from memgauge.submissions.packing.reading import options_of
from memgauge.submissions.packing.statement import statement_text
from memgauge.submissions.sheets.writing import toml_text
from memgauge.systems.environments.products import product_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgauge.runs.record.store import Run
    from memgauge.submissions.packing.about import Submitted
    from memgauge.submissions.sheets.registry import ProductSheet


def write_beside(runs: Sequence[Run], product: ProductSheet, about: Submitted, folder: Path) -> None:
    """Write what stands beside the sheet."""
    run = runs[0]
    ref, system = run.manifest.system.ref, run.manifest.system
    config = {"system": ref, "label": run.label, **options_of(ref), "limits": run.manifest.limits.model_dump()}
    write_atomically(folder / CONFIG, toml_text(config))
    environment = {
        "runs": [
            {"dataset": each.manifest.dataset.ref, "seed": each.manifest.seed, **_versions(each)} for each in runs
        ],
        "packed_on": asdict(this_machine()),
    }
    write_atomically(folder / ENVIRONMENT, json.dumps(environment, indent=2, sort_keys=True) + "\n")
    described = product_of(ref)
    if described is not None:
        shutil.copyfile(described.file, folder / PRODUCT)
        if described.lock_path is not None:
            shutil.copyfile(described.lock_path, folder / LOCK)
    card = about.card or _shipped_card(run)
    if card is not None:
        shutil.copyfile(card, folder / CARD)
    changed = [str(text) for text in system.capabilities.get("interventions") or ()]
    known = {"What was changed to run it": changed or ["Nothing."]}
    if about.relation != "none":
        known["Relations"] = [f"{about.who}: {about.relation} of {product.title}."]
    text = (
        about.statement.read_text("utf-8")
        if about.statement
        else statement_text(f"{product.title} {system.version}", known)
    )
    write_atomically(folder / STATEMENT, text)


def _versions(run: Run) -> dict[str, Any]:
    return {
        "environment": dict(run.manifest.environment),
        "isolation": run.manifest.isolation.sentence,
        "identity": run.manifest.identity,
        "content": run.seal.content,
    }


def _shipped_card(run: Run) -> Path | None:
    """Find the card of a product of our catalogue, in the version that was run, as it was measured."""
    from memgauge.systems.conformance.matrix import read_cards  # reads what most submissions have

    ref = parse_ref(run.manifest.system.ref)
    described = product_of(run.manifest.system.ref)
    if described is None:
        return None
    cards = Path(str(files("memgauge") / "reproduce" / "systems" / "cards"))
    names = (f"{described.name}-{ref.params.get('lane', '')}.json", f"{described.name}.json")
    path = next((cards / name for name in names if (cards / name).is_file()), None)
    fits = path is not None and any(each.version == run.manifest.system.version for each in read_cards(path))
    return path if fits else None
