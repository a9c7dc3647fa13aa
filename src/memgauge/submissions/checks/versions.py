"""S8: sheet, runs, card, description and lock speak of the same product in the same version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memgauge.registry import parse_ref
from memgauge.submissions.checks.rulings import ask, cannot, refuse
from memgauge.submissions.layout import CARD, LOCK, PRODUCT, SHEET
from memgauge.submissions.packing.reading import version_in_sheet
from memgauge.systems.conformance.matrix import read_cards
from memgauge.text.untrusted import text_file, toml_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgauge.submissions.checks.rulings import CheckFinding
    from memgauge.submissions.checks.subject import Subject

_PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(\[[^\]]*\])?==(?P<version>[^\s;\\]+)", re.MULTILINE)


def same_product_and_version(subject: Subject) -> Iterator[CheckFinding]:
    """S8: what was run is what the sheet names, and it can be installed again."""
    sheet = subject.sheet
    for bundle, run in subject.runs:
        system = run.manifest.system
        if version_in_sheet(system.version) != sheet.version:
            yield refuse(
                SHEET,
                f"says {sheet.version}, and {bundle.file} is of {system.version}.",
                "Name what was run.",
                "version",
            )
        names = {system.name, parse_ref(system.ref).name}
        others = sorted(names & subject.repository.products.keys())
        if sheet.product not in names and others:
            yield refuse(
                SHEET,
                f"says {sheet.product}, and {bundle.file} is of {others[0]}.",
                "Name what was run.",
                "product",
            )
        elif sheet.product not in names:
            yield ask(
                SHEET,
                f"says {sheet.product}, and {bundle.file} calls its system {system.name!r}.",
                "Is that its adapter? Say so in the statement.",
                "product",
            )
    yield from _card(subject)
    if subject.product is not None and subject.product.role == "product":
        yield from _lock(subject)


def _card(subject: Subject) -> Iterator[CheckFinding]:
    if not subject.submission.has(CARD):
        if subject.product is not None and subject.product.role == "product":
            yield cannot(
                CARD,
                "there is none: what the system promises was not measured.",
                "`memgauge systems card` makes it.",
            )
        return
    refs = {parse_ref(run.manifest.system.ref).name for _, run in subject.runs}
    for card in read_cards(subject.submission.file(CARD)):
        if version_in_sheet(card.version) != subject.sheet.version:
            yield refuse(
                CARD,
                f"is of {card.name} {card.version}, the sheet of {subject.sheet.version}.",
                "Measure the version that was run.",
            )
        if parse_ref(card.ref).name not in refs | {subject.sheet.product}:
            yield refuse(
                CARD, f"is of {card.ref}, and the runs are of {', '.join(sorted(refs))}.", "Bring its own card."
            )


def _lock(subject: Subject) -> Iterator[CheckFinding]:
    """Look whether the lock pins every package by hash, and the packages of the description among them."""
    submission, sheet = subject.submission, subject.sheet
    if not submission.has(LOCK):
        if sheet.category == "hosted":
            return
        yield cannot(
            LOCK, "there is none: nobody can install what was run.", "Bring the lock that it was installed from."
        )
        return
    text = text_file(submission.file(LOCK))
    pinned = {match["name"].lower().replace("_", "-"): match["version"] for match in _PINNED.finditer(text)}
    entries = [] if text.lstrip().startswith("{") else re.sub(r"\\\n\s*", " ", text).splitlines()
    bare = [line.split()[0] for line in entries if _PINNED.match(line) and "--hash=sha256:" not in line]
    if bare:
        yield refuse(LOCK, f"{len(bare)} packages have no hash, {bare[0]} first.", "Lock with hashes.")
    strange = [line for line in entries if line.strip() and line[0] not in "# " and not _PINNED.match(line)]
    if strange:
        yield refuse(
            LOCK,
            f"has a line that pins nothing: {strange[0][:60]!r}.",
            "Lock with names, versions and hashes alone.",
        )
    if not submission.has(PRODUCT):
        yield refuse(
            PRODUCT, "is missing, and a lock is there.", "Bring the description that it was installed by."
        )
        return
    described = toml_of(text_file(submission.file(PRODUCT)))
    for package in described.get("packages") or ():
        name, _, version = str(package).partition("==")
        name = name.partition("[")[0].lower().replace("_", "-")
        if version and name in pinned and pinned[name] != version:
            yield refuse(LOCK, f"pins {name} {pinned[name]}, and {PRODUCT} says {version}.", "Lock again.", name)
    first = str(next(iter(described.get("packages") or ("",)))).partition("==")[2]
    wanted = version_in_sheet(str(described.get("version") or first))
    if wanted and wanted != sheet.version:
        yield refuse(
            PRODUCT, f"is of {wanted}, the sheet of {sheet.version}.", "Bring the one that was run.", "version"
        )
