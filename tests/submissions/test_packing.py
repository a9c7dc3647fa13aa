"""Packing: runs become a submission with all that is known of them, and without their texts."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from memgauge.errors import ConfigError
from memgauge.runs.record.announced import AnnouncedPlan
from memgauge.runs.record.bundle import unbundled
from memgauge.runs.record.seal import file_hash
from memgauge.runs.record.store import load
from memgauge.scoring.verification import Assurance
from memgauge.scoring.verify import VerificationRequest, verify
from memgauge.submissions.packing.pack import pack
from memgauge.submissions.packing.statement import OPEN, statement_text, unsaid
from memgauge.submissions.repository import Repository
from support.registry import CHECKOUT, empty_registry, played, submitted
from support.sharing import made_once


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three runs of one plan; each worker has its own, since packing writes scores beside them."""
    made = made_once(tmp_path_factory, "planned-runs", lambda where: played(where, dataset="synthetic:tiny"))
    folder = Path(shutil.copytree(made, tmp_path_factory.mktemp("planned") / "runs"))
    return sorted(path for path in folder.iterdir() if (path / "SEAL").is_file())


@pytest.fixture
def registry(tmp_path: Path) -> Path:
    """The rules and sheets of our registry, without submissions."""
    return empty_registry(tmp_path / "registry")


def test_a_submission_says_what_its_runs_say(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """Version, lane, questions, digests and seeds are read off the runs."""
    about = submitted(tmp_path, contract="synthetic-small-tokens")
    packed = pack(runs, Repository.at(registry), about, registry)
    sheet = packed.folder.sheet
    assert (sheet.product, sheet.lane, sheet.division) == ("bm25", "lexical", "closed")
    assert [run.seed for run in sheet.runs] == [1, 2, 3]
    assert packed.folder.folder == registry / "submissions" / "bm25" / sheet.version / "20270114-ann-default"
    for run in sheet.runs:
        path = packed.folder.bundle_of(run)
        assert file_hash(path) == run.sha256
        with unbundled(path) as folder:
            loaded = load(folder)
            assert len(loaded.questions["question"]) == run.questions
            assert loaded.manifest.dataset.sha256.startswith(run.dataset_digest)


def test_no_text_of_a_memory_is_packed(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """Not even where the licence of the data would allow it."""
    packed = pack(runs, Repository.at(registry), submitted(tmp_path, contract="synthetic-small-tokens"), registry)
    whole = load(runs[0])
    texts = [text for text in whole.texts_of(range(20)).values() if text]
    assert texts
    for path in packed.folder.folder.rglob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            content = b"".join(archive.read(name) for name in archive.namelist())
        assert not any(text.encode() in content for text in texts)


def test_a_submission_is_never_written_over(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """A second one of the same name is refused, and the first stays."""
    about = submitted(tmp_path, contract="synthetic-small-tokens")
    pack(runs, Repository.at(registry), about, registry)
    with pytest.raises(ConfigError, match="add-only"):
        pack(runs[:1], Repository.at(registry), about, registry)
    assert not list(registry.rglob(".*making"))


def test_runs_of_two_systems_are_two_submissions(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """What differs is named."""
    other = played(tmp_path / "other", "tfidf", [1], "synthetic:tiny")
    with pytest.raises(ConfigError, match=r"system\.ref"):
        pack([*runs, *other], Repository.at(registry), submitted(tmp_path), registry)


def test_a_run_that_is_named_twice_is_refused(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """Two rows of the same run would count twice."""
    with pytest.raises(ConfigError, match="twice"):
        pack([runs[0], runs[0]], Repository.at(registry), submitted(tmp_path), registry)


def test_what_is_not_registered_is_named(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """A lane that nobody knows is refused with those that are known."""
    with pytest.raises(ConfigError, match=r"'moon' is not registered.*lexical"):
        pack(runs, Repository.at(registry), submitted(tmp_path, lane="moon"), registry)
    (registry / "registry" / "products" / "bm25.toml").unlink()
    with pytest.raises(ConfigError, match=r"registry/products/bm25\.toml"):
        pack(runs, Repository.at(registry), submitted(tmp_path, contract="synthetic-small-tokens"), registry)


def test_a_statement_that_says_nothing_is_seen() -> None:
    """Headings that are missing, empty, or as the skeleton left them."""
    text = statement_text("larder 2", {"Relations": ["None."]})
    assert unsaid(text) == ("What was tuned", "What was changed to run it", "Known failures")
    assert "Relations" in unsaid("# Statement\n\n## What was tuned\n\nNothing.\n")
    assert OPEN in text


def test_our_own_registry_can_be_read() -> None:
    """Every sheet of `results/` is one, and every submission lies where its sheet says."""
    repository = Repository.at(CHECKOUT / "results")
    folders = list(repository.submissions())
    assert len(folders) >= 40
    for folder in folders:
        sheet = folder.sheet
        assert folder.place == f"submissions/{sheet.place}"
        assert sheet.product in repository.products
        assert sheet.lane in repository.lanes
        assert sheet.contract in repository.contracts
        for run in sheet.runs:
            assert repository.dataset_of(run) is not None
            assert file_hash(folder.bundle_of(run)) == run.sha256
    assert repository.boards
    assert all(board.contract in {"", *repository.contracts} for board in repository.boards.values())


def test_what_is_packed_can_be_recomputed(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """Scores under the contract stand beside the rows, and verification derives them again."""
    packed = pack(runs, Repository.at(registry), submitted(tmp_path, contract="synthetic-small-tokens"), registry)
    with unbundled(packed.folder.bundle_of(packed.folder.sheet.runs[0])) as folder:
        assert verify(folder, VerificationRequest(Assurance.RECOMPUTED)).level is Assurance.RECOMPUTED


def test_a_compact_submission_holds_the_same_rows(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """In less space, and with the same content."""
    about = submitted(tmp_path, contract="synthetic-small-tokens")
    whole = pack(runs, Repository.at(registry), about, registry)
    small = pack(runs, Repository.at(registry), about, tmp_path / "compact", form="compact")
    assert small.bytes < whole.bytes
    with (
        unbundled(whole.folder.bundle_of(whole.folder.sheet.runs[0])) as first,
        unbundled(small.folder.bundle_of(small.folder.sheet.runs[0])) as second,
    ):
        assert load(first).seal.content == load(second).seal.content


def test_the_plan_goes_along_and_what_failed_is_named(runs: list[Path], registry: Path, tmp_path: Path) -> None:
    """A run that is left out of a plan is named in the sheet, with the reason where one was said."""
    about = submitted(
        tmp_path, contract="synthetic-small-tokens", failed={"synthetic:tiny seed 3": "its disk was full"}
    )
    packed = pack(runs[:2], Repository.at(registry), about, registry)
    sheet, seeds = packed.folder.sheet, {load(run).manifest.seed for run in runs[:2]}
    assert AnnouncedPlan.read(packed.folder.folder / "plan.json").digest == sheet.plan
    (left,) = sheet.failed
    assert left.seed not in seeds
    assert left.why == ("its disk was full" if left.seed == 3 else "there is no sealed run of it")


def test_texts_are_packed_where_the_data_allow_it_and_somebody_asks(
    runs: list[Path], registry: Path, tmp_path: Path
) -> None:
    """Of data that belong to others they are refused, and nothing is left behind."""
    about = submitted(tmp_path, contract="synthetic-small-tokens")
    path = registry / "registry" / "datasets" / "tiny.toml"
    small = (registry / "registry" / "datasets" / "synthetic-small.toml").read_text("utf-8")
    data = load(runs[0]).manifest.dataset
    digest = next(line for line in small.splitlines() if line.startswith("sha256"))
    tiny = small.replace("synthetic-small", "tiny").replace("synthetic:small", data.ref)
    path.write_text(tiny.replace(digest, f'sha256 = "{data.sha256}"'), "utf-8")
    packed = pack(runs[:1], Repository.at(registry), about, registry, form="whole")
    with unbundled(packed.folder.bundle_of(packed.folder.sheet.runs[0])) as folder:
        assert any(load(folder).texts_of([0]).values())
    path.write_text(path.read_text("utf-8").replace("texts_public = true", "texts_public = false"), "utf-8")
    with pytest.raises(ConfigError, match="may not be passed on"):
        pack(runs[:1], Repository.at(registry), about, tmp_path / "other", form="whole")
    assert not (tmp_path / "other").exists()
