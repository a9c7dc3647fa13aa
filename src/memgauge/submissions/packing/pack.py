"""A submission folder, made of sealed runs: bundles without texts, the sheet, and what stands beside it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from memgauge.errors import ConfigError
from memgauge.registry import parse_ref
from memgauge.runs.record.bundle import bundle
from memgauge.runs.record.files import write_atomically
from memgauge.runs.record.machine import this_machine
from memgauge.runs.record.seal import file_hash
from memgauge.submissions.packing import statement
from memgauge.submissions.packing.reading import (
    CountedQuestions,
    contract_of,
    lane_of,
    options_of,
    product_sheet_of,
    runs_of_one,
)
from memgauge.submissions.repository import SUBMISSIONS, SubmissionFolder
from memgauge.submissions.sheets.submission import (
    FILE,
    AdapterSource,
    CallsPerQuestion,
    SubmissionSheet,
    SubmittedRun,
    Submitter,
)
from memgauge.submissions.sheets.writing import sheet_text, toml_text
from memgauge.systems.environments.products import product_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from memgauge.runs.record.store import Run
    from memgauge.submissions.packing.about import Submitted
    from memgauge.submissions.repository import Repository
    from memgauge.submissions.sheets.registry import ProductSheet

CARD, PRODUCT, LOCK, CONFIG, ENVIRONMENT = (
    "card.json",
    "product.toml",
    "lock.txt",
    "config.toml",
    "environment.json",
)


@dataclass(frozen=True)
class PackedSubmission:
    """What was packed, and what is left to say."""

    folder: SubmissionFolder
    unsaid: tuple[str, ...]
    """Headings of the statement under which the submitter has to say something."""
    bytes: int


def pack(folders: Iterable[Path], repository: Repository, about: Submitted, out: Path) -> PackedSubmission:
    """Make the folder of a submission below *out*, which becomes that of a registry.

    Args:
        folders: Of sealed runs, all of one system under one setting.
        repository: What the sheet may name.
        about: What no run knows.
        out: Root of a registry, or any folder: the submission lies below ``submissions`` in it.

    Raises:
        ConfigError: Something does not fit, or there is a submission of that name already.
        TamperError: A run is not as it was sealed.
    """
    runs = runs_of_one(folders)
    sheet = _sheet(runs, repository, about)
    place = out / SUBMISSIONS / sheet.place
    if place.exists():
        raise ConfigError(
            f"{place} is there already: submissions are add-only.",
            "Choose another --slug; to correct one, name it with --supersedes.",
        )
    place.parent.mkdir(parents=True, exist_ok=True)
    making = place.with_name(f".{place.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    (making / "bundles").mkdir(parents=True)
    try:
        packed = tuple(_packed(run, named, making) for run, named in zip(runs, sheet.runs, strict=True))
        write_atomically(making / FILE, sheet_text(sheet.model_copy(update={"runs": packed})))
        _beside(runs, repository.products[sheet.product], about, making)
        making.replace(place)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    text = (place / statement.FILE).read_text("utf-8")
    return PackedSubmission(SubmissionFolder(out, place), statement.unsaid(text), size)


_UNKNOWN: Final = "0" * 64
"""Stands for the digest of a bundle until it is packed."""


def _sheet(runs: Sequence[Run], repository: Repository, about: Submitted) -> SubmissionSheet:
    run = runs[0]
    product = _registered(repository.products, about.product) or product_sheet_of(run, repository)
    lane = _registered(repository.lanes, about.lane) or lane_of(run, repository)
    contract = _registered(repository.contracts, about.contract) or contract_of(runs, repository)
    version = re.sub(r"[^A-Za-z0-9._+-]+", "-", run.manifest.system.version)
    try:
        return SubmissionSheet(
            schema=SubmissionSheet.SCHEMA,
            id=f"{product.name}-{version}/{about.on:%Y%m%d}-{about.who}-{about.slug}",
            product=product.name,
            version=version,
            label=about.label or run.label,
            rules=about.rules or repository.newest_rules,
            division=about.division,
            category=product.category,
            lane=lane.name,
            contract=contract.name,
            submitter=Submitter(github=about.who, relation=about.relation),
            adapter=about.adapter or own_adapter(run),
            reproduce="memgauge results reproduce .",
            plan="",
            tuned_on=about.tuned_on,
            calls_per_question=CallsPerQuestion(search=1, model=about.model_calls),
            supersedes=about.supersedes,
            licence=about.licence,
            sign_off=about.who,
            runs=tuple(_named(runs)),
        )
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ConfigError(
            f"{FILE}: {field}: {first['msg'].removeprefix('Value error, ')}.", "Say another."
        ) from error


def _registered(known: Any, name: str) -> Any:
    """Return what is registered under a name that was given.

    Raises:
        ConfigError: Nothing is.
    """
    if name and name not in known:
        raise ConfigError(f"{name!r} is not registered.", f"Registered are {', '.join(known) or 'none'}.")
    return known.get(name)


def own_adapter(run: Run) -> AdapterSource:
    """Name memgauge at the commit that played a run, where adapters of its catalogue lie.

    Raises:
        ConfigError: The system is of another catalogue.
    """
    from memgauge.systems.catalogue import ours

    ref = run.manifest.system.ref
    product = product_of(ref)
    if not ours(ref) and not (product and product.is_shipped):
        raise ConfigError(
            f"Nobody knows where the adapter of {ref!r} lies.", "Say --adapter owner/repository@commit."
        )
    commit = run.manifest.environment.get("source", "") or _checkout()
    return AdapterSource(repo="memgauge/memgauge", commit=commit, licence="Apache-2.0")


def _checkout() -> str:
    """Return the commit of the checkout that memgauge runs from.

    Raises:
        ConfigError: It runs from no checkout.
    """
    git = shutil.which("git")
    here = Path(str(files("memgauge")))
    done = (
        subprocess.run(  # noqa: S603 - git itself, on our own folder
            [git, "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, check=False, timeout=10
        )
        if git
        else None
    )
    if done is None or done.returncode:
        raise ConfigError(
            "The commit of memgauge's adapters is not known here: this is no checkout.",
            "Say --adapter owner/repository@commit.",
        )
    return done.stdout.strip()


def _named(runs: Sequence[Run]) -> Iterator[SubmittedRun]:
    for run in runs:
        manifest, counted = run.manifest, CountedQuestions.of(run)
        name = re.sub(r"[^a-z0-9]+", "-", manifest.dataset.ref.rpartition("/")[2].lower()).strip("-")
        yield SubmittedRun(
            dataset=f"{manifest.dataset.ref}@{manifest.dataset.sha256[:12]}",
            first=manifest.conversations,
            seed=manifest.seed,
            bundle=f"bundles/{name}.{manifest.seed}.zip",
            sha256=_UNKNOWN,
            questions=counted.asked,
            errors=counted.errors,
        )


def _packed(run: Run, named: SubmittedRun, folder: Path) -> SubmittedRun:
    target = bundle(run.folder, folder / named.bundle, without_text=True)
    return named.model_copy(update={"sha256": file_hash(target)})


def _beside(runs: Sequence[Run], product: ProductSheet, about: Submitted, folder: Path) -> None:
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
    said = {"What was changed to run it": changed or ["Nothing."]}
    if about.relation != "none":
        said["Relations"] = [f"{about.who}: {about.relation} of {product.title}."]
    text = (
        about.statement.read_text("utf-8")
        if about.statement
        else statement.statement_text(f"{product.title} {system.version}", said)
    )
    write_atomically(folder / statement.FILE, text)


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
