"""Ways to spoil a submission that were thought of when the checks were done, a third of which went through."""

from __future__ import annotations

import json
import lzma
import re
import shutil
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

from chaos.submissions.hands import (
    bundle_at,
    edit_json,
    edit_sheet,
    edit_toml,
    forge,
    forge_manifest,
    in_bundle,
    set_field,
    set_run,
    state_digest,
)
from chaos.submissions.kinds import Spoiling, append, others_in, root_of
from chaos.submissions.world import DATASET, git
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.store import load
from memgauge.submissions.layout import CONFIG, COST, ENVIRONMENT, LOCK, PLAN, SHEET
from memgauge.submissions.layout import STATEMENT as STATEMENT_FILE

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = "My sister lives in Turin and plays the cello on Sundays.\n"


def _differ_in_case(folder: Path) -> None:
    copy = folder.with_name("20270114-Ann-default")
    shutil.copytree(folder, copy)
    edit_sheet(copy, lambda sheet: sheet.update(id=f"bm25-2/{copy.name}", sign_off="Ann"))
    edit_sheet(copy, lambda sheet: sheet["submitter"].update(github="Ann"))
    git(root_of(folder), "add", str(copy))
    git(root_of(folder), "commit", "--quiet", "-m", "Ann was first")


def _point(folder: Path, place: str) -> None:
    """Put a pointer instead of a bundle."""
    bundle = bundle_at(folder)
    size, digest = bundle.stat().st_size, file_hash(bundle)
    bundle.unlink()
    (folder / "bundles" / "x.pointer.toml").write_text(
        f'schema = "memgauge.pointer/1"\npath = "{place}"\nsha256 = "{digest}"\nbytes = {size}\n', "utf-8"
    )
    set_run(folder, 0, bundle="bundles/x.pointer.toml")


def _let_fail(folder: Path) -> None:
    """Say of the run that was worst that it failed, where no log shows it."""
    bundle_at(folder, 2).unlink()
    failed = [{"dataset": DATASET, "seed": 3, "why": "it crashed"}]
    edit_sheet(folder, lambda sheet: sheet.update(runs=sheet["runs"][:2], failed=failed, division="open"))
    edit_json(folder / COST, lambda costs: costs["runs"].pop())


def _rename_rows(folder: Path) -> None:
    """Send somebody else's rows, with one's own name in their manifest."""
    shutil.copyfile(bundle_at(others_in(folder)), bundle_at(folder))

    def rename(manifest: dict[str, Any]) -> None:
        manifest["system"] |= {"ref": "bm25", "label": "bm25", "name": "bm25", "version": "2"}
        manifest |= {"seed": 1, "plan": plan}

    plan = AnnouncedPlan.read(folder / PLAN).digest
    in_bundle(folder, partial(forge_manifest, change=rename))
    with unbundled(bundle_at(folder)) as run:
        content, cost = load(run).seal.content, json.loads((run / COST).read_text("utf-8"))
    edit_json(folder / ENVIRONMENT, lambda data: data["runs"][0].update(content=content))
    edit_json(folder / COST, lambda data: data["runs"][0].update(cost=cost))


def _another_plan(folder: Path) -> None:
    """Bring the plan of another system."""
    data = json.loads((folder / PLAN).read_text("utf-8"))
    for cell in data["cells"]:
        cell["system"]["ref"] = "tfidf"
        cell["run"] = f"{cell['seed']:064x}"
    plan = AnnouncedPlan.model_validate(data)
    (folder / PLAN).write_text(plan.text, "utf-8")
    set_field(folder, plan=plan.digest)


def _many(folder: Path) -> None:
    with zipfile.ZipFile(bundle_at(folder), "w") as archive:
        for number in range(10_500):
            archive.writestr(f"layers/{number}", "")
    state_digest(folder)


def _packed_small(folder: Path) -> None:
    with zipfile.ZipFile(bundle_at(folder), "w") as archive:
        archive.writestr("compact.json", '{"format": 1}')
        archive.writestr("manifest.json", "{}")
        for name in ("rows.xz", "scores.xz", "places.xz", "hashes.xz"):
            archive.writestr(name, lzma.compress(bytes(300 << 20), preset=0))
    state_digest(folder)


def _before_archive(folder: Path) -> None:
    bundle = bundle_at(folder)
    bundle.write_bytes(_WORDS.encode() * 200 + bundle.read_bytes())
    state_digest(folder)


def _beside_rows(run: Path) -> None:
    (run / "texts.csv").write_text(_WORDS * 50, "utf-8")


def _repeat_hit(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if row["t"] == "question":
            row["memories"] = row["memories"][:1] * len(row["memories"])


def _only_comments(folder: Path) -> None:
    path = folder / STATEMENT_FILE
    path.write_text(re.sub(r"\* .*", "* <!-- said elsewhere -->", path.read_text("utf-8")), "utf-8")


def _hide_lock(folder: Path) -> None:
    (folder / LOCK).unlink()
    set_field(folder, category="hosted")


def _misstate_calls(folder: Path) -> None:
    edit_sheet(folder, lambda sheet: sheet["calls_per_question"].update(model=3))


def _other_environment(data: dict[str, Any]) -> None:
    data["runs"][0]["environment"] = {"memgauge": "99"}


def _too_many_points(folder: Path) -> None:
    path = root_of(folder) / "points" / "1.jsonl"
    path.parent.mkdir()
    path.write_text('{"github": "ann", "what": "review", "points": 400}\n', "utf-8")


def _verify_itself(folder: Path) -> None:
    path = root_of(folder).joinpath("verifications", *folder.parts[-3:], "20270120-bob.toml")
    path.parent.mkdir(parents=True)
    path.write_text("level = 5\n", "utf-8")


def _be_the_vendor(folder: Path) -> None:
    path = root_of(folder) / "registry" / "products" / "bm25.toml"
    path.write_text(re.sub(r"home = .*", 'home = "ann/bm25"', path.read_text("utf-8")), "utf-8")
    git(root_of(folder), "commit", "--quiet", "-a", "-m", "Move")


def _bundles_elsewhere(folder: Path) -> None:
    away = root_of(folder).with_name(f"{root_of(folder).name}-away")
    shutil.move(folder / "bundles", away)
    (folder / "bundles").symlink_to(away)


def _first_key_twice(folder: Path) -> None:
    path = folder / SHEET
    path.write_text('product = "bm25"\n' + path.read_text("utf-8"), "utf-8")


UNFORESEEN: tuple[Spoiling, ...] = (
    Spoiling("it verifies itself", "S1", _verify_itself, "verifications/"),
    Spoiling("its points are too many", "S1", _too_many_points, "points/1.jsonl"),
    Spoiling("its name differs from another in case", "S2", _differ_in_case, "case of letters"),
    Spoiling("it is called hosted to hide its lock", "S2", _hide_lock, "category"),
    Spoiling(
        "it corrects somebody else's",
        "S2",
        partial(set_field, supersedes="tfidf-2/20270114-bob-default"),
        "supersedes",
    ),
    Spoiling("its label turns the line around", "S3", partial(set_field, label="bm25\u202e52"), "label"),
    Spoiling("its product is spelt in other letters", "S3", partial(set_field, product="bm2\u0455"), "product"),
    Spoiling("a pointer leads out of the registry", "S3", partial(_point, place="../x.zip"), "path"),
    Spoiling("a pointer leads nowhere", "S3", partial(_point, place="board/none.zip"), "path"),
    Spoiling("a hidden file is added", "S3", lambda f: (f / ".DS_Store").touch(), ".DS_Store"),
    Spoiling("its plan has other line ends", "S3", lambda f: append(f, PLAN, "\r\n"), PLAN),
    Spoiling("its sheet is huge", "S3", lambda f: append(f, SHEET, "#" * (2 << 20)), SHEET),
    Spoiling("its sheet says a key twice", "S3", _first_key_twice, SHEET),
    Spoiling("its bundles lie elsewhere", "S3", _bundles_elsewhere, "bundles"),
    Spoiling("an archive has ten thousand files", "S4", _many, "bundles/"),
    Spoiling("a compact archive unpacks to gigabytes", "S4", _packed_small, "bundles/"),
    Spoiling("texts lie before an archive", "S4", _before_archive, "bundles/"),
    Spoiling("texts lie beside the rows", "S4", lambda f: in_bundle(f, _beside_rows), "texts.csv"),
    Spoiling(
        "texts are called hashes",
        "S4",
        lambda f: (f / "bundles" / "hashes.bin").write_text(_WORDS * 99),
        "hashes.bin",
    ),
    Spoiling(
        "one hit fills a ranking", "S5", lambda f: in_bundle(f, partial(forge, change=_repeat_hit)), "bundles/"
    ),
    Spoiling("a run is said to have failed", "S7", _let_fail, "failed.0", only_asked=True),
    Spoiling("its plan is another's", "S7", _another_plan, "plan"),
    Spoiling(
        "its lock takes a package from an address",
        "S8",
        lambda f: append(f, LOCK, "x @ https://example.org/x.whl\n"),
        LOCK,
    ),
    Spoiling(
        "its defaults are invented",
        "S9",
        lambda f: edit_toml(f / CONFIG, lambda c: c.update(defaults={"k1": "7"})),
        "defaults",
        only_asked=True,
    ),
    Spoiling(
        "its environment is another", "S9", lambda f: edit_json(f / ENVIRONMENT, _other_environment), ENVIRONMENT
    ),
    Spoiling("its calls of a model are misstated", "S10", _misstate_calls, "calls_per_question"),
    Spoiling(
        "a machine is named",
        "S11",
        lambda f: edit_json(f / ENVIRONMENT, lambda e: e["packed_on"].update(host="anns-book.local")),
        ENVIRONMENT,
    ),
    Spoiling(
        "a key is in its options",
        "S11",
        lambda f: append(f, CONFIG, '\n[env]\nOPENAI_API_KEY = "sk-proj-0123456789abcdefgh"\n'),
        CONFIG,
    ),
    Spoiling("another's rows have one's own name", "S12", _rename_rows, "holds the rows of", only_asked=True),
    Spoiling("its statement is all comments", "S13", _only_comments, STATEMENT_FILE),
    Spoiling("its submitter makes the product", "S13", _be_the_vendor, "relation", only_asked=True),
)
"""A kind more is a function and one line here."""
