"""Whatever is forged and sealed again is named for what it is, and is never called verified."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from memgauge.cli import invoke
from memgauge.datasets.catalogue import open_dataset
from memgauge.frame.exits import FAILED, OK, PARTIAL, UNPROVEN
from memgauge.records import Contract, Form, Verdict
from memgauge.runs.play.execute import execute
from memgauge.runs.play.executors import Inline
from memgauge.runs.play.plan import plan
from memgauge.runs.record.bundle import bundle, unbundled
from memgauge.runs.record.database import connect
from memgauge.runs.record.manifest import Limits
from memgauge.runs.record.seal import FILE as SEAL
from memgauge.runs.record.seal import Seal, seal
from memgauge.runs.record.store import load
from memgauge.scoring.gold import GoldTable
from memgauge.scoring.score import Settings, write_scores
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import Repeat, VerificationRequest, verify
from support.forgery import forge, questions, rehash, rename, set_manifest
from support.handmade import Handmade, planned, two_questions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from memgauge.scoring.verification import Verification

SETTINGS = Settings(Contract(), ("Recall@5", "Hit@5"))
DATASET = "synthetic:tiny"


def failures(checked: Verification) -> dict[str, str]:
    """Pick what failed."""
    return {finding.subject: finding.detail for finding in checked if finding.verdict is Verdict.FAIL}


def gold_first(rows: list[dict[str, Any]]) -> None:
    """Let every question find its evidence first: the memory that descends from it is put in front."""
    evidence = {gold.question: set(gold.anchors()) for gold in open_dataset(DATASET).gold()}
    sources = {row["row"]: set(row["sources"]) for row in rows if row["t"] == "memory"}
    for row in questions(rows):
        hits = row["memories"]
        hits.sort(key=lambda hit: not sources[hit] & evidence[row["question"]])


def score(folder: Path) -> float:
    """Score a run and return its Hit@5."""
    path = write_scores(load(folder), GoldTable.read(open_dataset(DATASET)), SETTINGS)
    value: float = json.loads(path.read_text())["scores"]["Hit@5"]["value"]
    return value


def test_a_forged_journal_that_was_sealed_again_is_played_again(spoilable: Path) -> None:
    """It contradicts nothing, and scores more; our system gives something else, and how much else is said."""
    before = score(spoilable)
    forge(spoilable, gold_first)
    assert score(spoilable) > before
    checked = verify(spoilable)
    assert list(failures(checked)) == ["played again"]
    assert "other hits for" in failures(checked)["played again"]
    assert not checked.verified


def test_consistency_is_not_origin(spoilable: Path) -> None:
    """Who asks for no more than consistency, or recomputation, is told that it says nothing of the origin."""
    forge(spoilable, gold_first)
    score(spoilable)
    for level in (Assurance.CONSISTENT, Assurance.RECOMPUTED):
        checked = verify(spoilable, VerificationRequest(level))
        assert (checked.level, checked.origin, checked.verified) == (level, False, False)
        assert "origin unknown" in checked.sentence
        assert "verified" not in checked.sentence


def test_a_changed_label_with_one_recomputed_hash_is_named(spoilable: Path) -> None:
    """The seal names the identity of the manifest, which covers the label."""
    rename(spoilable, "supermemory")
    rehash(spoilable, "manifest.json")
    wrong = failures(verify(spoilable))
    assert wrong["manifest identity"].startswith("the seal is of ")
    assert "'supermemory'" in wrong["label"]


def test_a_changed_label_is_named_however_the_run_was_sealed_again(spoilable: Path) -> None:
    """The harness calls a system what it was asked for, so the name gives itself away even in a new seal."""
    rename(spoilable, "supermemory")
    seal(spoilable)
    assert failures(verify(spoilable)) == {
        "label": "the manifest calls it 'supermemory'; what bm25 opens is called 'bm25'"
    }


def test_a_folder_that_is_called_after_another_run_is_named(spoilable: Path) -> None:
    """The name of a run ends with the hash of its identity."""
    own = load(spoilable).manifest.id
    other = spoilable.rename(spoilable.with_name(f"{own[:-8]}{'0' * 8}"))
    assert list(failures(verify(other))) == ["folder name"]


def without_dataset(tmp_path: Path) -> Path:
    """Make a scored run on data that nobody can open."""
    dataset = Handmade(two_questions().each, name="unheard-of")
    (folder,) = execute(
        planned(dataset, "support.systems:Notebook"), tmp_path / "apart", executor=Inline(), check=False
    )
    write_scores(load(folder), GoldTable.read(dataset), SETTINGS)
    return folder


def edit_scores(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the score file, keeping its layout."""
    (path,) = (folder / "scores").glob("*.json")
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def test_without_the_dataset_a_score_file_is_partial(tmp_path: Path) -> None:
    """What only the dataset can say is not said."""
    checked = verify(without_dataset(tmp_path))
    assert checked.level is Assurance.PARTIAL
    assert not checked.verified


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda file: file["scores"]["Hit@5"].update(value=0.96), "Hit@5 is 0.96, where the mean of its own"),
        (lambda file: file["scores"]["Hit@5"].update(n=7, total=7), "Hit@5: n is 7 of 7, and 2 questions"),
        (lambda file: file["questions"].update(invented=[1.0, 1.0]), "question invented was not asked"),
        (lambda file: file["questions"].update({"c1-q1": [1.0]}), "question c1-q1 has 1 values for 2 measures"),
        (lambda file: file.update(content="x"), "differs from what the rows give: content"),
        (lambda file: file["dataset"].update(sha256="x"), "differs from what the rows give: dataset"),
    ],
)
def test_without_the_dataset_an_edited_score_file_is_named(
    tmp_path: Path, change: Callable[[Any], object], where: str
) -> None:
    """Its means and counts have to follow from its own values, and those from questions that were asked."""
    folder = without_dataset(tmp_path)
    edit_scores(folder, change)
    (detail,) = failures(verify(folder)).values()
    assert detail.startswith(where)


def test_without_the_dataset_nothing_returned_is_worth_nothing(tmp_path: Path) -> None:
    """A value above zero for a question without a single hit contradicts the rows."""
    dataset = Handmade(two_questions().each, name="unheard-of")
    (folder,) = execute(planned(dataset, "support.systems:Nothing"), tmp_path, executor=Inline(), check=False)
    write_scores(load(folder), GoldTable.read(dataset), SETTINGS)

    def all_found(file: dict[str, Any]) -> None:
        file["questions"] = {question: [1.0, 1.0] for question in file["questions"]}
        for each in file["scores"].values():
            each.update(value=1.0)

    edit_scores(folder, all_found)
    (detail,) = failures(verify(folder)).values()
    assert "is worth 1, and nothing was returned for it" in detail


def drop_misses(rows: list[dict[str, Any]]) -> None:
    """Leave out every other question, as somebody does who does not like its answer."""
    unwanted = [id(row) for row in questions(rows)[::2]]
    rows[:] = [row for row in rows if id(row) not in unwanted]


def fewer_tokens(rows: list[dict[str, Any]]) -> None:
    """Say that answers were shorter than they are."""
    for row in questions(rows):
        row["tokens"] = row["tokens"] // 2


def claim_sources(rows: list[dict[str, Any]]) -> None:
    """Let every memory descend from the first turn that was written."""
    first = next(row for row in rows if row["t"] == "write")["turns"][0]
    for row in rows:
        if row["t"] == "memory":
            row["sources"] = [first]


def more_hits(rows: list[dict[str, Any]]) -> None:
    """Return everything that was stored, whatever k was."""
    every = [row["row"] for row in rows if row["t"] == "memory"]
    for row in questions(rows):
        row.update(memories=every, scores=[1.0] * len(every), tokens=None)


def hide_failure(rows: list[dict[str, Any]]) -> None:
    """Call what returned nothing a success."""
    questions(rows)[0].update(memories=[], scores=[])


@pytest.mark.parametrize(
    ("change", "subject", "words"),
    [
        (drop_misses, "rows against the dataset", "questions were never asked, such as "),
        (fewer_tokens, "rows among themselves", "tokens, where its texts have"),
        (claim_sources, "rows against the dataset", "whose words it does not have"),
        (hide_failure, "rows among themselves", "ended as ok with 0 hits"),
    ],
)
def test_a_class_of_forgery_is_named_without_playing_again(
    spoilable: Path, change: Callable[[list[dict[str, Any]]], None], subject: str, words: str
) -> None:
    """Questions left out, tokens shrunk, sources claimed, failures hidden: rows contradict each other or data."""
    forge(spoilable, change)
    wrong = failures(verify(spoilable, VerificationRequest(Assurance.RECOMPUTED)))
    assert words in wrong[subject]


@pytest.mark.parametrize("system", ["Quoting", "Noting", "Listing", "Naming"])
def test_words_around_a_turn_are_no_forgery(tmp_path: Path, system: str) -> None:
    """What the harness itself called raw is not held against whoever ran it, with texts and without."""
    work = plan([DATASET], [f"support.systems:{system}"])
    (folder,) = execute(work, tmp_path / "runs", executor=Inline(), check=False)
    assert Form.RAW in load(folder).forms.tolist()
    assert failures(verify(folder, VerificationRequest(Assurance.RECOMPUTED))) == {}
    bundle(folder, tmp_path / "run.zip", without_text=True)
    with unbundled(tmp_path / "run.zip") as opened:
        assert failures(verify(opened, VerificationRequest(Assurance.RECOMPUTED))) == {}


def test_more_hits_than_the_limit_are_named(tmp_path: Path) -> None:
    """A run under k=5 cannot hold all memories."""
    (folder,) = execute(plan([DATASET], ["bm25"], limits=Limits(k=5)), tmp_path, executor=Inline(), check=False)
    forge(folder, more_hits)
    assert "where the manifest says 5" in failures(verify(folder))["rows among themselves"]


def test_conversations_that_were_left_out_are_named(spoilable: Path) -> None:
    """A run over one conversation of two has to say so in its manifest."""
    path = spoilable / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])["conversation"]
    path.write_bytes(b"".join(line for line in lines if json.loads(line)["conversation"] == first))
    seal(spoilable)
    assert (
        "1 conversations of the dataset were never played"
        in failures(verify(spoilable))["rows against the dataset"]
    )


def test_quicker_clocks_in_the_tables_are_named(spoilable: Path) -> None:
    """Times are in no content hash, and must still be those of the journal."""
    path = spoilable / "questions.parquet"
    with connect() as db:
        db.execute(f"CREATE TABLE q AS FROM read_parquet('{path}')")
        db.execute("UPDATE q SET ms = ms / 10")
        db.execute(f"COPY (FROM q ORDER BY row) TO '{path}' (FORMAT parquet)")
    rehash(spoilable, "questions.parquet")
    assert list(failures(verify(spoilable))) == ["clock readings and notes"]


def test_a_ceiling_that_calls_itself_a_system_is_named(synthetic: list[Path], tmp_path: Path) -> None:
    """The role of a system of ours is what it says itself, not what a manifest says of it."""
    folder = shutil.copytree(next(path for path in synthetic if "oracle" in path.name), tmp_path / "run")
    set_manifest(folder, lambda manifest: manifest["system"]["capabilities"].update(role="system"))
    assert failures(verify(folder)) == {"system": "role is system, of oracle it is ceiling"}


def test_a_line_that_two_readers_read_in_two_ways_is_named(spoilable: Path) -> None:
    """Every line is spelled in the one way in which a journal is written."""
    forge(spoilable, lambda _: None, spell=lambda lines: lines.replace(b'"outcome":"ok"', b'"outcome": "ok"', 1))
    assert "line 2 is not as a journal is written" in failures(verify(spoilable))["rows"]


def test_a_seal_that_forgets_its_manifest_is_partial(spoilable: Path) -> None:
    """Seals of earlier versions do not name it: that is said, and is no failure."""
    old = Seal.read(spoilable)
    (spoilable / SEAL).write_text(Seal(old.files, old.content).text)
    checked = verify(spoilable)
    assert (checked.level, failures(checked)) == (Assurance.PARTIAL, {})
    assert any("not bound" in finding.detail for finding in checked)


def test_what_another_version_made_is_not_called_forged(spoilable: Path) -> None:
    """Where versions that decide differ, another result may be theirs: partial, with the versions."""
    forge(spoilable, gold_first)
    set_manifest(spoilable, lambda manifest: manifest["environment"].update(numpy="0.1"))
    checked = verify(spoilable)
    assert (checked.level, failures(checked)) == (Assurance.PARTIAL, {})
    assert "it was made with numpy 0.1, here " in checked.findings[-1].detail


def test_a_system_of_others_is_of_unknown_origin(tmp_path: Path) -> None:
    """It is never opened for verification, and asked for all the same, that is partial."""
    (folder,) = execute(plan([DATASET], ["support.systems:Notebook"]), tmp_path, executor=Inline(), check=False)
    assert verify(folder).sentence.startswith("consistent, origin unknown")
    asked = verify(folder, VerificationRequest(repeat=Repeat(everything=True)))
    assert asked.level is Assurance.PARTIAL
    assert "not a deterministic system of ours" in asked.findings[-1].detail


@pytest.mark.parametrize("ref", ["pipeline:path=x", "bm25:../x", "os:system", "wire:x", "pipeline:extract=a:b"])
def test_what_a_stranger_names_is_not_opened(ref: str, spoilable: Path) -> None:
    """A record may name anything; only systems of ours are opened, and none with a file or an address."""
    set_manifest(spoilable, lambda manifest: manifest["system"].update(ref=ref, label=ref))
    assert not verify(spoilable).verified


def test_a_sample_is_less_than_everything(spoilable: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all would take too long, some are played: a forgery among them is found; they prove no origin."""
    monkeypatch.setattr("memgauge.scoring.repeat.PATIENCE_MS", 0.0)
    checked = verify(spoilable)
    assert checked.findings[-1].detail == "1 of 2 conversations came back the same; --repeat plays all"
    assert not checked.verified
    assert verify(spoilable, VerificationRequest(repeat=Repeat(everything=True))).level is Assurance.REPEATED
    forge(spoilable, gold_first)
    assert list(failures(verify(spoilable))) == ["played again"]


def test_exit_codes_tell_levels_apart(spoilable: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Repeated is 0, forged 1, without dataset 3, of unknown origin 4; and 0 where less is asked for and holds."""
    (foreign,) = execute(
        plan([DATASET], ["support.systems:Notebook"]), tmp_path / "foreign", executor=Inline(), check=False
    )
    assert invoke(["runs", "verify", str(spoilable)]) == OK
    assert invoke(["runs", "verify", str(without_dataset(tmp_path))]) == PARTIAL
    assert invoke(["runs", "verify", str(foreign)]) == UNPROVEN
    assert invoke(["runs", "verify", str(foreign), "--level", "consistent"]) == OK
    assert invoke(["runs", "verify", str(foreign), "--level", "recomputed"]) == PARTIAL
    assert invoke(["runs", "verify", str(foreign), "--repeat"]) == PARTIAL
    assert capsys.readouterr().out.count("verified") == 1
    forge(spoilable, gold_first)
    assert invoke(["runs", "verify", str(spoilable), str(foreign)]) == FAILED
    assert "FAILED" in capsys.readouterr().out
