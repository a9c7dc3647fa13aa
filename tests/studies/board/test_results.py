"""The board of the checkout: small, and without a sentence of anybody's data."""

from __future__ import annotations

import re
import zipfile
from typing import TYPE_CHECKING

import pytest

from memgauge.datasets.catalogue import open_dataset
from memgauge.errors import DataNotFoundError
from memgauge.registry import parse_ref
from memgauge.runs.record.bundle import unbundled
from memgauge.studies.board import PLACE, SAMPLES
from memgauge.studies.board.published import FILE
from memgauge.studies.board.samples import place_of
from memgauge.studies.board.spec import BoardSpec
from memgauge.systems.environments.products import product_names
from support import ROOT
from support.board import WORDS, sequences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from memgauge.studies.board.spec import SampleSpec

FOLDER = ROOT / PLACE
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


def played() -> list[Path]:
    """List the bundles of the checkout."""
    if not (FOLDER / FILE).is_file():
        pytest.skip("The board of this checkout was not played yet.")
    return sorted(FOLDER.glob("*.zip"))


def test_the_board_describes_every_product_and_eight_baselines() -> None:
    """Each that this package knows stands on a lane or is absent with a reason."""
    spec = BoardSpec.read(FOLDER)
    kinds = [contender.kind for contender in spec.contenders]
    assert kinds.count("product") >= 22
    assert kinds.count("baseline") >= 8
    assert spec.embedders == ("minilm", "e5")
    assert len(spec.repeated) >= 2
    assert all(each.why.endswith(".") for each in spec.absent)
    named = {contender.name for contender in spec.contenders} | {each.name for each in spec.absent}
    assert named >= set(product_names())


def test_the_board_is_small() -> None:
    """Bundles and the hashes that they share stay below 32 MB; random ids are most of it."""
    paths = [*played(), *(FOLDER / SAMPLES).rglob("*.zip"), *FOLDER.rglob("*.bin")]
    assert sum(path.stat().st_size for path in paths) <= 32_000_000


def test_samples_have_four_products_and_say_what_their_gold_allows() -> None:
    """HaluMem, LongMemEval and BEAM, each with the same lanes of both embedders, without a machine's folders."""
    spec = BoardSpec.read(FOLDER)
    assert {parse_ref(sample.dataset).name for sample in spec.samples} == {"halumem", "longmemeval", "beam"}
    for sample in spec.samples:
        kinds = [lane.kind for lane in spec.on(sample).lanes]
        assert kinds.count("product") >= 4
        assert kinds.count("baseline") >= 6
        with_e5 = {lane.name for lane in spec.on(sample).lanes if lane.embedder == "e5"}
        assert with_e5 >= {"dense", "hybrid"}
        assert len(with_e5) >= 5
        assert "evidence" in sample.about or "the same way" in sample.about
        assert "/" not in sample.dataset


@pytest.mark.slow
@pytest.mark.data
def test_the_board_quotes_no_eight_words_of_its_dataset() -> None:
    """Not in what a bundle becomes where it is opened, and not in what lies beside it or on the page."""
    played()
    assert _quoting(FOLDER, BoardSpec.read(FOLDER).dataset, "board.md") == []


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("sample", BoardSpec.read(FOLDER).samples, ids=lambda sample: sample.name)
def test_a_sample_quotes_no_eight_words_of_its_dataset(sample: SampleSpec) -> None:
    """Neither its bundles, nor what lies beside them, nor the page of all samples."""
    assert _quoting(place_of(FOLDER, sample), sample.dataset, "samples.md") == []


def _quoting(folder: Path, dataset: str, page: str) -> list[Path]:
    """Name the bundles, and the files and the page beside them, that quote eight words of a dataset."""
    try:
        quoted = sequences(open_dataset(dataset))
    except DataNotFoundError as absent:
        pytest.skip(str(absent))
    bundles = [path for path in folder.glob("*.zip") if any(quoted & sequences(text) for text in _texts(path))]
    beside = [*folder.glob("*.json"), ROOT / "docs" / page]
    return bundles + [path for path in beside if path.is_file() and quoted & sequences(path.read_text("utf-8"))]


def _texts(path: Path) -> Iterator[str]:
    """Yield every text of eight words or more in a bundle."""
    with zipfile.ZipFile(path) as archive, unbundled(path) as folder:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        held = [archive.read(name).decode("utf-8") for name in names]
        held += [(folder / name).read_text("utf-8") for name in ("journal.jsonl", "manifest.json")]
    for content in held:
        yield from (text for text in _QUOTED.findall(content) if text.count(" ") >= WORDS - 1)
