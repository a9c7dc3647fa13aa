"""A level above what a submission's own rows show needs rows of a repetition, which are looked at."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from chaos.submissions.world import submission_in
from memgauge.cli import invoke
from memgauge.runs.record import journal
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.seal import file_hash, seal
from memgauge.runs.record.spelling import encode
from memgauge.submissions.levels import Level
from memgauge.submissions.repository import Repository
from memgauge.submissions.reproducing import Repeating, repeat_submission, write_verification
from memgauge.submissions.rows.repeated import judged_verifications
from memgauge.submissions.sheets.base import read_sheet
from memgauge.submissions.sheets.verdicts import VerificationSheet, Verifier
from memgauge.submissions.sheets.writing import sheet_text
from memgauge.submissions.site.build import view_of
from support.registry import played
from support.sharing import made_once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from memgauge.submissions.site.registry_view import RegistryView
    from support.cli import Said

SHEET = "20270120-bob.toml"
BOB = Verifier(github="bob", relation="none")


def _in_this_process(arguments: Sequence[str]) -> str:
    return "" if invoke(list(arguments)) in {0, 1} else "it failed"


@pytest.fixture(scope="session")
def repeated(good: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a registry whose submission Bob played again; to be copied."""

    def make(folder: Path) -> None:
        root = shutil.copytree(good, folder / "registry", symlinks=True)
        submission = submission_in(root)
        asked = Repeating(BOB, date(2027, 1, 20), folder / "work", call=_in_this_process)
        write_verification(repeat_submission(submission, Repository.at(root), asked), submission, root)

    return made_once(tmp_path_factory, "repeated-results", make) / "registry"


@pytest.fixture
def registry(repeated: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(repeated, tmp_path / "registry", symlinks=True)


def sheet_of(root: Path) -> Path:
    """Bob's sheet."""
    (path,) = root.glob(f"verifications/*/*/*/{SHEET}")
    return path


def rewrite(root: Path, **fields: Any) -> None:
    """Write other words into Bob's sheet."""
    path = sheet_of(root)
    data = read_sheet(VerificationSheet, path).model_dump(by_alias=True)
    paired = data["paired"] | fields.pop("paired", {})
    path.write_text(sheet_text(VerificationSheet.model_validate(data | {"paired": paired} | fields)), "utf-8")


def put(root: Path, archive: Path) -> None:
    """Lay another bundle beside Bob's sheet, and name it."""
    target = sheet_of(root).with_name("other.zip")
    shutil.copyfile(archive, target)
    rewrite(root, bundle=target.name, sha256=file_hash(target))


def own_bundles(root: Path) -> list[Path]:
    """The bundles of the submission."""
    return sorted(submission_in(root).folder.glob("bundles/*.zip"))


def _repacked(root: Path, tmp_path: Path) -> None:
    """Pack one's own run again, so that its bytes are others: the play is the same."""
    with ExitStack() as stack:
        folder = stack.enter_context(unbundled(own_bundles(root)[0]))
        shutil.rmtree(folder / "scores")
        put(root, bundle(folder, tmp_path / "again.zip"))


def _a_few_times_changed(root: Path, tmp_path: Path) -> None:
    """Change some clock readings of one's own run, and seal it again."""
    with ExitStack() as stack:
        folder = stack.enter_context(unbundled(own_bundles(root)[0]))
        shutil.rmtree(folder / "scores")
        _reclocked(folder, every=4)
        put(root, bundle(folder, tmp_path / "again.zip"))


def _reclocked(folder: Path, every: int) -> None:
    import zlib

    written, attempt = b"", list[dict[str, Any]]()
    for line in (folder / journal.FILE).read_bytes().splitlines():
        row = json.loads(line)
        if row["t"] != "sum":
            if row["t"] == "question" and len(attempt) % every == 0:
                row["ms"] += 1.25
            attempt.append(row)
            continue
        lines = encode(attempt)
        written += lines + journal.sum_line(row["conversation"], row["attempt"], len(lines), zlib.crc32(lines))
        attempt = []
    (folder / journal.FILE).write_bytes(written)
    seal(folder)


def _another(system: str, seed: int, dataset: str = "synthetic:tiny") -> Callable[[Path, Path], None]:
    def replaced(root: Path, tmp_path: Path) -> None:
        (run,) = played(tmp_path / "runs", system, [seed], dataset)
        put(root, bundle(run, tmp_path / "other.zip", without_text=True))

    return replaced


def _broken(root: Path, _: Path) -> None:
    target = sheet_of(root).with_name("other.zip")
    target.write_bytes(own_bundles(root)[0].read_bytes()[:-200])
    rewrite(root, bundle=target.name, sha256=file_hash(target))


def _linked(root: Path, tmp_path: Path) -> None:
    path = sheet_of(root).with_suffix(".zip")
    shutil.move(path, tmp_path / "away.zip")
    path.symlink_to(tmp_path / "away.zip")


def _moved(root: Path, _: Path) -> None:
    folder = sheet_of(root).parent
    shutil.move(folder, folder.with_name("20270114-somebody-else"))


FORGED: dict[str, tuple[Callable[[Path, Path], None], str]] = {
    "no bundle is there": (lambda root, _: sheet_of(root).with_suffix(".zip").unlink(), "is not there"),
    "no bundle is named": (lambda root, _: rewrite(root, bundle="", sha256=""), "names no bundle"),
    "a bundle of another hash": (lambda root, _: rewrite(root, sha256="0" * 64), "another sha256"),
    "a bundle behind a link": (_linked, "is not there"),
    "a bundle elsewhere": (
        lambda root, _: rewrite(root, bundle="../../x.zip"),
        "does not lie beside it",
    ),
    "a copy of the submitter's bundle": (lambda root, _: put(root, own_bundles(root)[0]), "a copy of one that"),
    "the submitter's run, packed again": (_repacked, "its times are those of a run that was submitted"),
    "the submitter's run, some times changed": (_a_few_times_changed, "its times are those of a run that was"),
    "a bundle that is cut": (_broken, "cannot be opened as a run"),
    "a bundle whose name is none": (lambda root, _: rewrite(root, bundle="a\0.zip"), "is not there"),
    "a run of another system": (_another("tfidf", 1), "none of those that were submitted"),
    "a run with a seed of its own": (_another("bm25", 99), "none of those that were submitted"),
    "a run of other data": (_another("bm25", 1, "synthetic:small"), "none of those that were submitted"),
    "one question": (lambda root, _: rewrite(root, paired={"questions": 1}), "on 1 questions"),
    "another measure": (lambda root, _: rewrite(root, paired={"measure": "Recall@10"}), "it says Recall@10"),
    "another difference": (
        lambda root, _: rewrite(root, paired={"difference": 0.01, "interval": (0.005, 0.015)}),
        "a difference of +0.0100, and its rows give +0.0000",
    ),
    "a difference that is no number": (
        lambda root, _: rewrite(root, paired={"difference": float("nan")}),
        "a difference of +nan",
    ),
    "a margin of one's own": (lambda root, _: rewrite(root, paired={"margin": 0.5}), "its margin is 0.5"),
    "it differs, where it does not": (lambda root, _: rewrite(root, outcome="differs"), "says that it differs"),
    "another submission's folder": (_moved, "in the folder of another submission"),
}


def entrant_of(view: RegistryView, root: Path) -> Any:
    """The submission that Bob played again, as boards have it."""
    return next(each for each in view.entrants if each.id == submission_in(root).id)


def test_a_repetition_that_was_played_raises_the_level(registry: Path, tmp_path: Path) -> None:
    """On the board as in the check of the sheet; what was found is kept, and is the same when it is read."""
    rows = tmp_path / "rows"
    for _ in range(2):
        entrant = entrant_of(view_of(Repository.at(registry), rows), registry)
        assert entrant.level.level is Level.REPRODUCED
        assert entrant.level.marks == ("played again by bob on 2027-01-20",)
    assert len(list((rows / "verifications").iterdir())) == 1


@pytest.mark.parametrize("kind", FORGED)
def test_a_sheet_whose_rows_do_not_show_it_counts_for_nothing(kind: str, registry: Path, tmp_path: Path) -> None:
    """Whichever level it claims: the row has the level of its own rows, and says why the sheet does not count."""
    forge, why = FORGED[kind]
    forge(registry, tmp_path)
    repository = Repository.at(registry)
    view = view_of(repository, tmp_path / "rows")
    entrant = entrant_of(view, registry)
    assert entrant.level.level is Level.REPEATED
    (judged,) = entrant.verifications
    assert why in judged.why
    (mark,) = entrant.level.marks
    assert mark == f"the verification of bob on 2027-01-20 does not count: {judged.why}"


@pytest.mark.parametrize("level", [4, 5])
def test_no_level_is_given_by_a_sheet_alone(level: int, registry: Path) -> None:
    """Run in CI and audited are said by sheets too."""
    compliance = dict.fromkeys(("renamed-values",), "as-it-must-be")
    rewrite(registry, level=level, compliance=compliance, sha256="0" * 64)
    repository = Repository.at(registry)
    (judged,) = judged_verifications(repository, submission_in(registry), _no_gold)
    assert not judged.counts


def _no_gold(ref: str) -> Any:
    raise AssertionError(f"{ref} is opened for a bundle that is not the one named")


def test_a_copy_of_anothers_repetition_counts_once(registry: Path) -> None:
    """Carl names Bob's rows as his, a day later."""
    path = sheet_of(registry)
    data = read_sheet(VerificationSheet, path).model_dump(by_alias=True)
    carl = VerificationSheet.model_validate(
        data | {"on": "2027-01-21", "by": {"github": "carl", "relation": "none"}}
    )
    path.with_name("20270121-carl.toml").write_text(sheet_text(carl), "utf-8")
    repository = Repository.at(registry)
    from memgauge.submissions.rows.ledger import gold_of

    bob, other = judged_verifications(repository, submission_in(registry), gold_of)
    assert bob.counts
    assert "a copy of that of an earlier verification" in other.why


def test_the_sheet_of_a_proposal_is_checked(registry: Path, memgauge: Callable[..., Said]) -> None:
    """By the command that checks submissions: accepted as it was written, and refused where it was rewritten."""
    path = sheet_of(registry)
    said = memgauge("results", "check", path)
    assert said.code == 0, said.out + said.err
    assert "Accepted" in said.out
    (path.parent / "notes.md").write_text("words", "utf-8")
    rewrite(registry, paired={"questions": 1}, on="2027-01-22")
    said = memgauge("results", "check", path, "--json")
    assert said.code == 1
    findings = [each["what"] for each in json.loads(said.out)["findings"]]
    assert len(findings) == 3, findings
    assert "on 1 questions" in said.out


def test_who_verifies_their_own_says_so(registry: Path, memgauge: Callable[..., Said]) -> None:
    """However they spell their name."""
    path = sheet_of(registry)
    rewrite(registry, by={"github": "Ann", "relation": "none"})
    said = memgauge("results", "check", path.rename(path.with_name("20270120-Ann.toml")), "--json")
    assert [each["field"] for each in json.loads(said.out)["findings"]] == ["by.relation"]


def test_a_proposal_of_a_verification_changes_nothing_else(registry: Path, memgauge: Callable[..., Said]) -> None:
    """What is added beside it, or changed, is named; here that is a submission of which git knows nothing yet."""
    said = memgauge("results", "check", sheet_of(registry), "--base", "main", "--json")
    assert said.code == 1
    places = {each["file"] for each in json.loads(said.out)["findings"]}
    assert all(place.startswith("submissions/") for place in places)


def test_a_sheet_that_is_a_link_is_not_read(registry: Path, tmp_path: Path, memgauge: Callable[..., Said]) -> None:
    """Nor is what it leads to said."""
    path = sheet_of(registry)
    (tmp_path / "secret").write_text('WORDSBEHIND = "x"', "utf-8")
    path.unlink()
    path.symlink_to(tmp_path / "secret")
    said = memgauge("results", "check", path, "--json")
    assert said.code == 1
    assert "is no file of its own" in said.out
    assert "WORDSBEHIND" not in said.out + said.err
