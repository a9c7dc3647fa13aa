"""Verification finds what was changed, and does not claim what it cannot check."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import RunError
from memgauge.records import Contract, Verdict
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record import journal
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.cost import FILE as COST
from memgauge.runs.record.database import connect
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import NAMES, Seal, file_hash
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings, write_scores
from memgauge.scoring.verification import Assurance, Verification
from memgauge.scoring.verify import passed, verify
from support.handmade import Handmade, planned, two_questions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SETTINGS = Settings(Contract(), ("Recall@5", "Hit@5"))


def scored(folder: Path) -> Path:
    """Write the scores of one run and return their file."""
    run = load(folder)
    return write_scores(run, GoldTable.read(open_dataset(run.manifest.dataset.ref)), SETTINGS)


def failed(findings: Verification) -> dict[str, str]:
    """Pick what failed."""
    assert passed(findings) == (findings.level is not Assurance.FAILED)
    return {finding.subject: finding.detail for finding in findings if finding.verdict is Verdict.FAIL}


def reseal(folder: Path, content: str | None = None) -> None:
    """Forge the seal: hashes of the files as they are now."""
    old = Seal.read(folder)
    forged = dataclasses.replace(
        old, files={name: file_hash(folder / name) for name in old.files}, content=content or old.content
    )
    (folder / SEAL).write_text(forged.text)


def test_an_honest_run_passes_everything(spoilable: Path) -> None:
    """Files, tables, texts and every number are confirmed, and the numbers are counted."""
    path = scored(spoilable)
    checked = verify(spoilable)
    assert {finding.verdict for finding in checked} == {Verdict.PASS}
    assert [finding.subject for finding in checked] == [
        *NAMES, COST, "journal checksums", "manifest identity", "tables against the journal",
        "tables against the seal", "clock readings and notes", f"{COST} against the journal",
        "rows among themselves", "rows against the dataset", "memory texts", f"scores/{path.name}", "played again",
    ]  # fmt: skip
    assert checked.findings[-2].detail == "52 numbers recomputed from the rows"
    assert (checked.level, checked.sentence) == (Assurance.REPEATED, "verified: repeated")


@pytest.mark.parametrize("name", [*NAMES, COST])
def test_a_changed_byte_in_any_file_is_named(spoilable: Path, name: str) -> None:
    """First, middle or last: the file is named, and nothing is concluded from it."""
    raw = (spoilable / name).read_bytes()
    middle = raw.index(b"synthetic") if name == "manifest.json" else len(raw) // 2  # to stay readable as JSON
    for place in (0, middle, len(raw) - 1):
        (spoilable / name).write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        if name == "manifest.json" and place in {0, len(raw) - 1}:
            continue  # no longer readable as a manifest: see below
        assert failed(verify(spoilable)) == {name: "changed after sealing"}


def test_a_manifest_that_cannot_be_read_is_an_error(spoilable: Path) -> None:
    """It is refused by name before anything is checked."""
    (spoilable / "manifest.json").write_text("?")
    with pytest.raises(RunError, match=r"manifest\.json"):
        verify(spoilable)


def test_a_missing_file_is_named(spoilable: Path) -> None:
    """Absence is a failure, not a crash."""
    (spoilable / "hits.parquet").unlink()
    assert failed(verify(spoilable)) == {"hits.parquet": "missing"}


def test_an_unsealed_run_is_refused(spoilable: Path) -> None:
    """There is nothing to verify against."""
    (spoilable / SEAL).unlink()
    with pytest.raises(RunError, match="unfinished"):
        verify(spoilable)


def test_a_forged_table_is_found(spoilable: Path) -> None:
    """Even under a new seal, tables that do not follow from the journal are found."""
    target = spoilable / "hits.parquet"
    with connect() as db:
        db.execute(f"CREATE TABLE h AS FROM read_parquet('{target}')")
        db.execute("UPDATE h SET rank = rank + 1")
        db.execute(f"COPY h TO '{target}' (FORMAT parquet)")
    reseal(spoilable)
    assert set(failed(verify(spoilable))) == {"tables against the seal", "clock readings and notes"}


def test_a_forged_journal_is_found(spoilable: Path) -> None:
    """Even under a new seal, a journal that does not give the tables is found."""
    path = spoilable / journal.FILE
    path.write_bytes(path.read_bytes().replace(b'"outcome":"ok"', b'"outcome":"error"'))
    reseal(spoilable)
    assert set(failed(verify(spoilable))) == {
        "journal checksums", "tables against the journal", "clock readings and notes",
    }  # fmt: skip


def test_a_forged_text_is_found(spoilable: Path) -> None:
    """A text that does not match its hash is counted."""
    path = spoilable / "memories.parquet"
    with connect() as db:
        db.execute(f"CREATE TABLE m AS FROM read_parquet('{path}')")
        db.execute("UPDATE m SET text = 'something else' WHERE row = 3")
        db.execute(f"COPY (FROM m ORDER BY row) TO '{path}' (FORMAT parquet)")
    reseal(spoilable)
    assert failed(verify(spoilable)) == {"memory texts": "95 of 96 match their hash"}


def rewrite(file: Path, change: Callable[[Any], object]) -> None:
    """Change a score file as somebody with an editor would, keeping its layout."""
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda file: file["scores"]["Recall@5"].update(value=0.99), "differs from what the rows give: Recall@5"),
        (lambda file: file["scores"]["Hit@5"].update(n=22), "differs from what the rows give: Hit@5"),
        (
            lambda file: file["scores"]["Hit@5"].update(low=0.5),
            "differs from what the rows give: Hit@5 (how sure it is, and no value: `memgauge score`",
        ),
        (lambda file: file["scores"].update({"Best@1": {}}), "differs from what the rows give: Best@1"),
        (lambda file: file["questions"].popitem(), "differs from what the rows give: questions"),
        (lambda file: file.update(content="x"), "differs from what the rows give: content"),
        (lambda file: file.update(note="well done"), "differs from what the rows give: note"),
        (
            lambda file: file.update(contract="target=none"),
            "not a score file of this run: Unknown contract target",
        ),
        (lambda file: file.update(scores=[1]), "not a score file of this run: "),
        (lambda file: file.pop("measures"), "not a score file of this run: 'measures'"),
    ],
)
def test_a_rewritten_score_is_found(spoilable: Path, change: Callable[[Any], object], where: str) -> None:
    """Whatever does not follow from the rows is named."""
    path = scored(spoilable)
    rewrite(path, change)
    assert failed(verify(spoilable))[f"scores/{path.name}"].startswith(where)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{}", "not a score file of this run: "),
        ("[]", "not a score"),
        ("x", "not a score"),
        ("\xff", "not a score"),
    ],
)
def test_what_is_no_score_file_fails(spoilable: Path, text: str, where: str) -> None:
    """A file of something else is no crash."""
    path = scored(spoilable)
    path.write_bytes(text.encode("latin-1"))
    assert failed(verify(spoilable))[f"scores/{path.name}"].startswith(where)


def test_a_number_written_twice_does_not_hide(spoilable: Path) -> None:
    """What a reader of the file would see first must be what was computed: bytes count."""
    path = scored(spoilable)
    raw = path.read_text()
    path.write_text(raw.replace('   "value": ', '   "value": 0.99,\n   "value": ', 1))
    assert failed(verify(spoilable)) == {f"scores/{path.name}": "differs from what the rows give: its bytes"}


def test_what_is_no_file_of_a_run_is_named(spoilable: Path) -> None:
    """It takes nothing away from the run: nothing is read from it."""
    level = verify(spoilable).level
    (spoilable / "scores").mkdir()
    (spoilable / "scores" / "notes\n.md").write_text("words of others", "utf-8")
    (spoilable / "copy.parquet").touch()
    checked = verify(spoilable)
    (others,) = [finding for finding in checked if finding.subject == "other files"]
    assert checked.level is level
    assert others.verdict is Verdict.VACUOUS
    assert others.detail.startswith("copy.parquet, scores/notes")
    assert "\n" not in others.detail


def test_without_scores_there_is_nothing_to_check(spoilable: Path) -> None:
    """That is said, with how to write them; the run itself can still be played again."""
    checked = verify(spoilable)
    (scores,) = [finding for finding in checked if finding.subject == "scores"]
    assert scores.verdict is Verdict.VACUOUS
    assert "memgauge score" in scores.detail
    assert checked.level is Assurance.REPEATED


def stripped(folder: Path, tmp_path: Path) -> Verification:
    """Verify the bundle without texts of a run."""
    with unbundled(bundle(folder, tmp_path / "b.zip", without_text=True)) as unpacked:
        return verify(unpacked)


def test_a_bundle_without_texts_is_checked_against_the_dataset(spoilable: Path, tmp_path: Path) -> None:
    """Scores are recomputed all the same, and hashes are those of the turns at hand."""
    scored(spoilable)
    findings = {finding.subject: finding for finding in stripped(spoilable, tmp_path)}
    assert {finding.verdict for finding in findings.values()} == {Verdict.PASS}
    assert findings["memory texts left out"].detail == (
        "96 of 96 raw memories are turns of the dataset at hand, byte for byte; 0 others cannot be checked"
    )
    assert "memory texts" not in findings


@pytest.mark.parametrize(
    ("system", "verdict", "start"),
    [
        ("bm25:speaker=true", Verdict.PASS, "96 of 96"),
        ("support.systems:Minutes", Verdict.PASS, "12 of 12"),
        ("support.systems:Shouting", Verdict.UNSUPPORTED, "0 of 96"),
        ("support.systems:Digest", Verdict.UNSUPPORTED, "0 of 0"),
    ],
)
def test_what_was_kept_in_other_words_is_not_called_wrong(
    system: str, verdict: Verdict, start: str, tmp_path: Path
) -> None:
    """Speakers in front and joined sessions are recognised; what cannot be is unsupported and no failure."""
    (folder,) = execute(plan(["synthetic:tiny"], [system]), tmp_path, check=False, executor=Inline())
    (found,) = [f for f in stripped(folder, tmp_path) if f.subject == "memory texts left out"]
    assert (found.verdict, found.detail.startswith(start)) == (verdict, True)


@pytest.mark.parametrize(
    ("name", "detail"), [("unheard-of", "not at hand: Unknown dataset"), ("synthetic:tiny", "the one at hand is ")]
)
def test_without_its_dataset_nothing_is_claimed(name: str, detail: str, tmp_path: Path) -> None:
    """An absent or a different dataset makes scores and hashes unsupported, never passed."""
    dataset = Handmade(two_questions().each, name=name)
    (folder,) = execute(planned(dataset, "support.systems:Notebook"), tmp_path, check=False, executor=Inline())
    write_scores(load(folder), GoldTable.read(dataset), SETTINGS)
    for checked in (verify(folder), stripped(folder, tmp_path)):
        (missing,) = [finding for finding in checked if finding.subject == f"dataset {name}"]
        assert missing.verdict is Verdict.UNSUPPORTED
        assert missing.detail.startswith(detail)
        (scores,) = [finding for finding in checked if finding.subject.startswith("scores")]
        assert scores.verdict is Verdict.UNSUPPORTED
        assert checked.level is Assurance.PARTIAL
