"""Every way to spoil a submission that is tried, with the check that is meant for it."""

from __future__ import annotations

import re
import shutil
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

from chaos.submissions.disguised import DISGUISED
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
from chaos.submissions.kinds import Spoiling, append, others_in, replace, root_of
from chaos.submissions.unforeseen import UNFORESEEN
from chaos.submissions.world import CHECKOUT, CONTRACT, DATASET, OLD, STATEMENT, build_site, git
from memgauge.datasets.catalogue import open_dataset
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import write_scores
from memgauge.submissions.layout import CARD, CONFIG, COST, LOCK, PLAN, SHEET
from memgauge.submissions.layout import STATEMENT as STATEMENT_FILE
from memgauge.submissions.repository import Repository, settings_of
from memgauge.submissions.sheets.verdicts import WithdrawalSheet
from memgauge.submissions.sheets.writing import sheet_text

if TYPE_CHECKING:
    from pathlib import Path


def _raise_scores(run: Path) -> None:
    """Write better numbers beside the rows."""
    for path in (run / "scores").glob("*.json"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(r"0\.\d{3,}", "0.999", text), "utf-8")


def _claim_evidence(run: Path) -> None:
    """Let every memory be the turn that its neighbour is, seal that, and score it by the book."""

    def claim(rows: list[dict[str, Any]]) -> None:
        memories = [row for row in rows if row["t"] == "memory"]
        sources = [row["sources"] for row in memories]
        for row, other in zip(memories, [*sources[1:], *sources[:1]], strict=True):
            row["sources"] = other

    forge(run, claim)
    _score_again(run)


def _score_again(run: Path) -> None:
    repository = Repository.at(CHECKOUT / "results")
    write_scores(load(run), GoldTable.read(open_dataset(DATASET)), settings_of(repository.contracts[CONTRACT]))


def _drop_question(rows: list[dict[str, Any]]) -> None:
    """Forget the question that was answered worst."""
    asked = [row for row in rows if row["t"] == "question"]
    rows.remove(asked[-1])


def _leave_out_seed(folder: Path) -> None:
    """Submit the best runs of the plan, and one more that is not of it."""
    bundle_at(folder, 2).unlink()
    edit_sheet(folder, lambda sheet: sheet["runs"].pop())


def _plan_afterwards(folder: Path) -> None:
    """Announce, when all is done, what turned out well."""
    plan = AnnouncedPlan.read(folder / PLAN)
    fewer = plan.model_copy(update={"cells": plan.cells[:2]})
    (folder / PLAN).write_text(fewer.text, "utf-8")
    set_field(folder, plan=fewer.digest)


def _same_run_thrice(folder: Path) -> None:
    for number in (1, 2):
        shutil.copyfile(bundle_at(folder), bundle_at(folder, number))
        state_digest(folder, number)


def _rows_of_another(folder: Path) -> None:
    """Let another product, on the board already, have made the same rows."""
    root = root_of(folder)
    copy = others_in(folder).with_name("20270114-bob-first")
    shutil.copytree(folder, copy)
    product, version = copy.parts[-3], copy.parts[-2]
    edit_sheet(
        copy,
        lambda sheet: sheet.update(
            product=product,
            version=version,
            id=f"{product}-{version}/{copy.name}",
            submitter={"github": "bob", "relation": "none"},
            sign_off="bob",
        ),
    )
    git(root, "add", str(copy))
    git(root, "commit", "--quiet", "-m", "Bob was first")
    aside = folder.rename(root.with_name(f"{root.name}-aside"))
    build_site(root)
    aside.rename(folder)


def _anothers_bundle(folder: Path) -> None:
    """Send somebody else's rows as one's own."""
    theirs = bundle_at(others_in(folder))
    shutil.copyfile(theirs, bundle_at(folder))
    state_digest(folder)


def _quote(rows: list[dict[str, Any]]) -> None:
    memory = next(row for row in rows if row["t"] == "memory")
    memory["text"] = "My sister lives in Turin, and plays the cello on Sundays."


def _quote_in_note(rows: list[dict[str, Any]]) -> None:
    question = next(row for row in rows if row["t"] == "question")
    question["notes"] = ["I remember that your sister lives in Turin and plays the cello."]


def _name_home(manifest: dict[str, Any]) -> None:
    manifest["environment"]["cache"] = "/Users/ann/Library/models"


def _leave_out_of_archive(folder: Path) -> None:
    with zipfile.ZipFile(bundle_at(folder), "a") as archive:
        archive.writestr("../../escaped.txt", "x")
    state_digest(folder)


def _bomb(folder: Path) -> None:
    with zipfile.ZipFile(bundle_at(folder), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("journal.jsonl", b"0" * (80 << 20))
    state_digest(folder)


def _cheaper(folder: Path) -> None:
    def halve(data: dict[str, Any]) -> None:
        for run in data["runs"]:
            run["cost"]["query"]["wall_s"]["value"] /= 2

    edit_json(folder / COST, halve)


def _rename_folder(folder: Path) -> None:
    folder.rename(folder.with_name("20270114-ann-other"))


def _link(folder: Path) -> None:
    (folder / LOCK).unlink()
    (folder / LOCK).symlink_to(folder / CONFIG)


def _options(config: dict[str, Any]) -> None:
    config["options"] = {"k1": "1.2"}


def _k(manifest: dict[str, Any]) -> None:
    manifest["limits"]["k"] = 100


def _errors(folder: Path) -> None:
    set_run(folder, 0, errors=1)


def _withdraw_another(folder: Path) -> None:
    other = others_in(folder)
    place = root_of(folder) / "withdrawn" / other.parts[-3] / other.parts[-2] / "ann.toml"
    place.parent.mkdir(parents=True)
    tombstone = WithdrawalSheet(
        schema=WithdrawalSheet.SCHEMA,
        submission=f"{other.parts[-3]}-{other.parts[-2]}/{other.name}",
        reason="It stood above mine.",
        by="ann",
        on="2027-01-15",
    )
    place.write_text(sheet_text(tombstone), "utf-8")


def _board_of_nothing(folder: Path) -> None:
    boards = root_of(folder) / "boards"
    text = (boards / "synthetic-tiny-open.1.toml").read_text("utf-8").replace("synthetic-tiny-open.1", "mine.1")
    (boards / "mine.1.toml").write_text(text.replace('lane = "lexical"', 'lane = "moon"'), "utf-8")


SPOILINGS: tuple[Spoiling, ...] = (
    Spoiling(
        "another's submission is changed",
        "S1",
        lambda f: append(others_in(f), "STATEMENT.md", "x"),
        OLD,
        forged=True,
    ),
    Spoiling("another's submission is removed", "S1", lambda f: (others_in(f) / SHEET).unlink(), OLD),
    Spoiling(
        "something is added beside it", "S1", lambda f: (root_of(f) / "boards" / "mine.txt").touch(), "boards"
    ),
    Spoiling("its folder is called otherwise", "S2", _rename_folder, "id"),
    Spoiling("its lane is not registered", "S2", partial(set_field, lane="moon"), "lane"),
    Spoiling(
        "its dataset is not registered",
        "S2",
        lambda f: set_run(f, 0, dataset=f"moon@{'0' * 12}"),
        "runs.0.dataset",
    ),
    Spoiling("a key is misspelt", "S3", partial(set_field, lanes="lexical"), "lanes"),
    Spoiling("its costs are missing", "S3", lambda f: (f / COST).unlink(), COST),
    Spoiling("a bundle is not that of the sheet", "S3", lambda f: set_run(f, 0, sha256="0" * 64), "runs.0.sha256"),
    Spoiling("a file is a link", "S3", _link, LOCK),
    Spoiling(
        "a file is too large", "S3", lambda f: (f / STATEMENT_FILE).write_text(STATEMENT + "x" * (11 << 20)), "MB"
    ),
    Spoiling("an archive leads out of itself", "S4", _leave_out_of_archive, "bundles/"),
    Spoiling("an archive unpacks to more than a run", "S4", _bomb, "bundles/"),
    Spoiling("scores are forged", "S5", lambda f: in_bundle(f, _raise_scores), "scores", forged=True),
    Spoiling(
        "rows are forged and sealed again",
        "S5",
        lambda f: in_bundle(f, _claim_evidence),
        "bundles/",
        forged=True,
    ),
    Spoiling(
        "questions are left out",
        "S6",
        lambda f: in_bundle(f, partial(forge, change=_drop_question)),
        "questions",
        forged=True,
    ),
    Spoiling("its errors are counted wrong", "S6", _errors, "runs.0.errors"),
    Spoiling("a seed of the plan is left out", "S7", _leave_out_seed, "runs", forged=True),
    Spoiling("the plan is written afterwards", "S7", _plan_afterwards, "plan", forged=True),
    Spoiling("one run is sent three times", "S7", _same_run_thrice, "runs", forged=True),
    Spoiling("another's rows are sent under an own name", "S8", _anothers_bundle, "product", forged=True),
    Spoiling("its lock is of another version", "S8", lambda f: replace(f, LOCK, "==2", "==3"), LOCK),
    Spoiling(
        "its card is of another version",
        "S8",
        lambda f: replace(f, CARD, '"version": "2"', '"version": "1"'),
        CARD,
    ),
    Spoiling(
        "its lane is another than was played", "S9", partial(set_field, lane="local-e5"), "lane", forged=True
    ),
    Spoiling(
        "its options are others than were run",
        "S9",
        lambda f: edit_toml(f / CONFIG, _options),
        "options",
        forged=True,
    ),
    Spoiling(
        "a closed run was given more than others",
        "S9",
        lambda f: in_bundle(f, partial(forge_manifest, change=_k)),
        "k is",
    ),
    Spoiling("its costs are made smaller", "S10", _cheaper, COST, forged=True),
    Spoiling(
        "texts are in a bundle",
        "S11",
        lambda f: in_bundle(f, partial(forge, change=_quote)),
        "journal",
        forged=True,
    ),
    Spoiling("a note quotes", "S11", lambda f: in_bundle(f, partial(forge, change=_quote_in_note)), "journal"),
    Spoiling(
        "a manifest names a home",
        "S11",
        lambda f: in_bundle(f, partial(forge_manifest, change=_name_home)),
        "manifest",
    ),
    Spoiling(
        "a statement has an address",
        "S11",
        lambda f: append(f, STATEMENT_FILE, "\nann@example.org\n"),
        STATEMENT_FILE,
    ),
    Spoiling("another product has the same rows", "S12", _rows_of_another, "runs.0", forged=True, only_asked=True),
    Spoiling(
        "its statement says nothing",
        "S13",
        lambda f: (f / STATEMENT_FILE).write_text("# Statement\n"),
        STATEMENT_FILE,
    ),
    Spoiling("another's rows are withdrawn", "S14", _withdraw_another, "synthetic-tiny-open"),
    Spoiling("a board is added that cannot be built", "S14", _board_of_nothing, "lanes"),
    Spoiling("its rules are of another day", "S15", partial(set_field, rules="2020.1"), "rules"),
    Spoiling("somebody else signs off", "S16", partial(set_field, sign_off="bob"), "sign_off"),
    *UNFORESEEN,
    *DISGUISED,
)
