"""The records of the checkout: small, whole, ours, and with every lost write named."""

from __future__ import annotations

from functools import partial

import pytest

from memgauge.errors import UserError
from memgauge.reproduce import reproduce
from memgauge.studies.weak import PLACE
from memgauge.studies.weak.play import WeakPlay, serving
from memgauge.studies.weak.published import size_of
from memgauge.studies.weak.record import read_lanes
from memgauge.studies.weak.spec import WeakSpec
from memgauge.studies.weak.study import FILE
from support import ROOT
from support.weak import SPEC, asking

FOLDER = ROOT / PLACE


def played() -> WeakSpec:
    """Read the study of the checkout."""
    if not (FOLDER / FILE).is_file():
        pytest.skip("The study of this checkout was not played yet.")
    return WeakSpec.read(FOLDER)


def test_every_figure_comes_out_of_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """All lost writes are named, every request has a verdict, and every row is computed again."""
    played()
    monkeypatch.chdir(ROOT)
    figures = reproduce(["weak"])
    assert [figure for figure in figures if figure.status != "OK"] == []


def test_records_are_small_and_quote_no_prompt() -> None:
    """Schemas are bare, replies are without what they quote, and no key is a prompt."""
    lanes = read_lanes(FOLDER, played().keys)
    assert size_of(FOLDER) < 1_000_000
    for exchange in (each for lane in lanes for each in lane.exchanges):
        assert len(exchange.key) == len(exchange.opening) == 64
        assert "description" not in {key for schema in exchange.schemas.values() for key in schema}
        assert bool(exchange.quoted) == ("words of the prompt]" in f"{exchange.text}{exchange.uses}")


@pytest.mark.slow
@pytest.mark.data
def test_a_lane_is_recorded_from_a_real_model(tmp_path_factory: pytest.TempPathFactory) -> None:
    """With its own count of tokens, at most the cap, and replies that came from its weights."""
    folder = tmp_path_factory.mktemp("weak")
    patient = SPEC.replace("limit = 5", "limit = 90").replace("timeout = 10", "timeout = 120")
    (folder / "weak.toml").write_text(patient.replace('model = "toy"', 'model = "smollm2"'), "utf-8")
    spec = WeakSpec.read(folder)
    try:
        (lane,) = WeakPlay(folder, spec, opener=asking).play(partial(serving, spec), ("asking",))
    except UserError as error:
        pytest.skip(str(error))
    assert "weights" in lane.model
    assert len(lane.exchanges) == spec.turns
    assert all(exchange.input_tokens for exchange in lane.exchanges)
    assert all(0 < exchange.output_tokens <= spec.cap for exchange in lane.exchanges)
