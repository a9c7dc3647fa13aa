"""A product in its own process is played through a proxy: what it asks lands in the record, and money holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memgauge.cli import invoke
from memgauge.errors import ConfigError
from memgauge.frame.exits import FAILED, OK
from memgauge.llm.metering.calls import CallEnd, CallRoute
from memgauge.llm.metering.log import calls_in
from memgauge.llm.metering.summary import summarise_calls
from memgauge.metering import CostSource
from memgauge.runs.play.metered import FOLDER, metered_models
from memgauge.runs.record.journal import FILE as JOURNAL
from memgauge.runs.record.pricing import priced
from memgauge.runs.record.seal import sealed
from memgauge.runs.record.store import load
from memgauge.systems.models.routing import routed
from support.asking_product import PaidModels, asking_product
from support.metered import written
from support.model_server import KEY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def ref(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Install a product beside a scripted model that is paid for."""
    monkeypatch.setenv("MEMGAUGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with PaidModels() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        yield asking_product(tmp_path)


def run(ref: str, out: Path, *more: str) -> int:
    """Play the product on a few questions."""
    return invoke(["run", "-d", "synthetic:tiny", "-s", ref, "--out", str(out), "--no-probes", *more])


def folder_in(out: Path) -> Path:
    """Return the one run."""
    (journal,) = out.glob(f"*/{JOURNAL}*")
    return journal.parent


def test_what_a_product_asks_lands_in_its_record(ref: str, tmp_path: Path) -> None:
    """By phase, calls as they were seen and tokens as the server reports them; the proxy wrote down the same."""
    out = tmp_path / "runs"
    assert run(ref, out, "--meter", "--conversations", "1") == OK
    cost = load(folder_in(out)).cost
    assert cost is not None
    calls = written(out / FOLDER)
    chats = [call for call in calls if call.route is CallRoute.CHAT]
    assert {(call.product, call.phase, call.end) for call in chats} == {("asking", "ingest", CallEnd.OK)}
    assert {call.phase for call in calls if call.route is CallRoute.EMBEDDINGS} == {"query"}
    assert (cost.ingest.model_calls.value, cost.ingest.model_calls.source) == (len(chats), CostSource.COUNTED)
    assert cost.ingest.tokens_in.value == sum(call.tokens_in or 0 for call in chats) > 0
    assert cost.ingest.tokens_in.source is cost.query.embedding_tokens.source is CostSource.REPORTED
    assert priced(cost).usd == pytest.approx(summarise_calls(calls_in(out / FOLDER)).usd, abs=1e-6)
    assert KEY not in "".join(path.read_text("utf-8", "replace") for path in out.rglob("*") if path.is_file())


def test_money_holds_for_products(ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The run ends with a sentence and keeps what it has, though the product goes on as if nothing were."""
    out = tmp_path / "runs"
    both = ("--conversations", "2")
    assert run(ref, out, "--max-usd", "0.07", *both) == FAILED  # a conversation costs a little more than 0.05
    said = capfd.readouterr().err
    assert "--max-usd allows no more. What was finished is kept; the same command goes on" in said
    assert "Traceback" not in said
    kept = (folder_in(out) / JOURNAL).read_text("utf-8")
    assert kept.count('{"t":"case"') == kept.count('{"t":"end"') == 1
    assert not sealed(folder_in(out))
    assert CallEnd.CAPPED in {call.end for call in written(out / FOLDER)}
    assert run(ref, out, "--max-usd", "1", *both) == OK
    assert sealed(folder_in(out))
    cost = load(folder_in(out)).cost
    assert cost is not None
    assert (cost.conversations, cost.sittings) == (2, 2)


def test_addresses_that_references_name_are_stood_in_front_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each by a proxy of its own, until the command has ended."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    url = "https://models.example/v1"
    with metered_models(
        [f"mem0:lane=extract,model=openai:big@{url}", f"mem0:embedder=a@{url}/"], tmp_path
    ) as metered:
        (proxy,) = metered.proxies
        assert (proxy.upstream, routed(url), routed(f"{url}/")) == (url, proxy.url, proxy.url)
    assert routed(url) == url


def test_with_nobody_to_ask_nothing_is_metered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That is said, before anything is played."""
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match="no address of a model"), metered_models(["bm25"], tmp_path):
        pass


def test_a_cluster_is_not_metered_from_here(ref: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Its machines cannot reach a proxy on this one."""
    assert run(ref, tmp_path, "--meter", "--executor", "ray") != OK
    assert "cannot be metered from here" in capfd.readouterr().err
