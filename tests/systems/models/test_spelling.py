"""``embedder=``, ``model=`` and ``dim=`` mean the same for every product, and open no more than they need."""

from __future__ import annotations

import json

import pytest

from memgauge.errors import ConfigError, UnknownNameError, UserError
from memgauge.systems.catalogue import open_system
from memgauge.systems.environments.opening import lend_models
from memgauge.systems.models.lending import lend, served_at
from memgauge.systems.models.routing import LENT
from memgauge.systems.models.spelling import chosen_models, models_named
from memgauge.systems.policies.embedding import open_embedder
from support.engines import ToyVectors, ToyWriter, serving

HERE = "http://127.0.0.1:8000/v1"
AWAY = "https://models.example/v1"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Install nothing, and name no address."""
    monkeypatch.setenv("MEMGAUGE_HOME", f"{tmp_path}/home")
    monkeypatch.setenv("MEMGAUGE_CACHE", f"{tmp_path}/cache")
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", LENT):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({}, {}),
        ({"embedder": "hashed"}, {"embedder": "hashed"}),
        ({"embedder": "best"}, {"embedder": "hashed"}),
        ({"dim": "64"}, {"embedder": "hashed#dim=64"}),
        ({"embedder": f"openai:bge@{HERE}", "dim": "64"}, {"embedder": f"openai:bge@{HERE}#dim=64"}),
        ({"embedder": f"bge@{HERE}"}, {"embedder": f"openai:bge@{HERE}"}),
        ({"model": "gpt-4.1-mini", "lane": "extract"}, {"model": "gpt-4.1-mini", "lane": "extract"}),
        ({"model": f"openai:tiny@{HERE}"}, {"model": "tiny"}),
    ],
)
def test_an_adapter_is_told_in_one_way(written: dict[str, object], told: dict[str, object]) -> None:
    """Whatever the user wrote, an adapter gets what it has always taken."""
    assert chosen_models("any", written, "any").given == told


def test_an_address_of_this_machine_opens_it_and_nothing_else() -> None:
    """A store that is cut off reaches loopback for its embedder; one that may go anywhere still may."""
    embedder = {"embedder": f"openai:bge@{HERE}"}
    assert [chosen_models("any", embedder, network).network for network in ("none", "loopback", "any")] == [
        "loopback",
        "loopback",
        "any",
    ]
    assert chosen_models("any", {"embedder": "hashed"}, "none").network == "none"
    chosen = chosen_models("any", {"model": f"tiny@{HERE}"}, "loopback")
    assert chosen.variables == {"OPENAI_BASE_URL": HERE, "OPENAI_API_KEY": "unused"}
    assert chosen_models("any", {"model": f"tiny@{AWAY}"}, "any").variables == {"OPENAI_BASE_URL": AWAY}


@pytest.mark.parametrize(
    ("written", "network", "said"),
    [
        ({"embedder": f"openai:bge@{AWAY}"}, "none", r"embedder= is asked at models\.example.*Add network=any"),
        ({"model": f"openai:tiny@{AWAY}"}, "loopback", r"model= is asked at models\.example.*Add network=any"),
        ({"embedder": "openai:bge"}, "any", "embedder=openai:bge names no embedder that can be reached"),
        ({"embedder": "nonsense"}, "any", "embedder=nonsense names no embedder"),
        ({"model": "tiny@nowhere"}, "any", "model=tiny@nowhere names no model"),
        ({"dim": "long"}, "any", "dim=long is no length"),
        ({"embedder": "e5"}, "any", "memgauge models install e5"),
        ({"embedder": "smollm2"}, "any", "embedder=smollm2: smollm2 writes texts and embeds none"),
        ({"model": "minilm"}, "any", "model=minilm: minilm embeds texts and writes none"),
    ],
)
def test_an_error_names_the_option(written: dict[str, object], network: str, said: str) -> None:
    """What cannot be reached, is not there, or is of the other kind."""
    with pytest.raises(UserError, match=said):
        chosen_models("any", written, network)


def test_a_model_at_the_usual_variable_is_reached_by_stores_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A product that is given no variables is given the address."""
    monkeypatch.setenv("OPENAI_BASE_URL", HERE)
    chosen = chosen_models("chroma", {"embedder": "openai:bge"}, "none")
    assert (chosen.given, chosen.network) == ({"embedder": f"openai:bge@{HERE}"}, "loopback")


def test_what_a_process_above_has_started_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """One server does for all processes of a command; one that is gone is not believed."""
    assert list(models_named({"embedder": "e5#dim=3", "model": "gpt"})) == ["e5"]
    engine = ToyVectors()
    with serving(engine) as server:
        monkeypatch.setenv(LENT, json.dumps({"e5": server.url}))
        with pytest.raises(UserError, match="not installed"):
            served_at("e5")  # another model is served there
        monkeypatch.setattr(server, "_settings", server._settings.__class__("e5", "", ""))
        url = server.url.replace("127.0.0.1", "localhost")
        monkeypatch.setenv(LENT, json.dumps({"e5": url}))
        assert served_at("e5") == url
        lend(["e5"])
        assert chosen_models("any", {"embedder": "e5"}, "none").given == {"embedder": f"openai:e5@{url}"}
        embedder = open_embedder("e5")
        assert embedder.dim == 64
        embedder.embed(["a cat"])
        assert engine.asked[-1] == "passage: a cat"


def test_our_own_policies_take_the_same_words() -> None:
    """An address and a length are written as for products, and the model is named in the promises."""
    with serving(ToyVectors()) as server:
        promises = open_system(f"dense:embedder=openai:toy@{server.url}").capabilities()
        assert promises.models == (ToyVectors().about.label,)
        assert promises.stand_ins == ()
        with pytest.raises(ConfigError, match=r"Leave dim= out"):
            open_system(f"dense:embedder=openai:toy@{server.url},dim=32")
    assert open_embedder("hashed", 64).dim == 64
    with pytest.raises(UnknownNameError, match="e5"):
        open_embedder("e6")


def test_a_product_without_an_embedder_says_so() -> None:
    """An option that a product does not have is a mistake before anything is started."""
    for option in ("embedder=minilm", "dim=64"):
        with pytest.raises(UnknownNameError, match="embedder"):
            open_system(f"server-memory:{option}")
    lend_models("bm25")
    lend_models("")
    with pytest.raises(UserError, match="models install e5"):
        lend_models("chroma:embedder=e5")


def test_a_writer_is_known_by_its_address() -> None:
    """What a product asks is named with its weights."""
    with serving(ToyWriter()) as server:
        chosen = chosen_models("any", {"model": f"toy@{server.url}"}, "loopback")
        assert chosen.variables["OPENAI_BASE_URL"] == server.url
