"""Second looks: laws of the stand-in, and the cross-encoder on a model that is made here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgauge.errors import MissingExtraError, UnknownNameError
from memgauge.retrieval.rerankers import BATCH, CrossEncoder, LexicalReranker, find_reranker, open_reranker

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.sampled_from(["apple", "bee", "cat", "dog", "the", "of"]), max_size=6).map(" ".join)


@given(query=LINES, texts=st.lists(LINES, max_size=8), random=st.randoms(use_true_random=False))
def test_a_score_knows_the_texts_and_not_their_order(query: str, texts: list[str], random: Any) -> None:
    """One number a text, never negative, that goes with its text wherever it stands."""
    scores = LexicalReranker().scores(query, texts)
    assert len(scores) == len(texts)
    assert all(score >= 0 for score in scores)
    order = list(range(len(texts)))
    random.shuffle(order)
    assert LexicalReranker().scores(query, [texts[n] for n in order]) == [scores[n] for n in order]


@given(query=LINES, texts=st.lists(LINES, min_size=1, max_size=6))
def test_only_shared_words_count(query: str, texts: list[str]) -> None:
    """A text scores if and only if it shares a word that carries meaning."""
    for text, score in zip(texts, LexicalReranker().scores(query, texts), strict=True):
        assert (score > 0) == bool((set(query.split()) & set(text.split())) - {"the", "of"})


def test_rare_words_and_neighbours_decide() -> None:
    """A word that fewer texts hold weighs more, and two that stand together weigh once more."""
    reranker = LexicalReranker()
    rare, common = reranker.scores("cat bee", ["one cat", "one bee"] + ["a bee"] * 3)[:2]
    assert rare > common
    together, apart = reranker.scores("green violin", ["my green violin", "a violin in a green case"])
    assert together > apart
    assert reranker.scores("", ["apple"]) == [0]
    assert reranker.scores("apple", []) == []


WORDS = ["[UNK]", "[PAD]", "apple", "bee", "cat", "dog"]


def make_model(folder: Path, *, classes: int = 1, types: bool = True) -> Path:
    """Build a graph whose logit is the sum of the ids it attends to, and a tokenizer of whole words."""
    import onnx
    from onnx import TensorProto, helper
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    names = ["input_ids", "attention_mask", *(["token_type_ids"] if types else [])]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    nodes = [
        helper.make_node("Mul", names[:2], ["attended"]),
        *([helper.make_node("Mul", ["attended", "token_type_ids"], ["seen"])] if types else []),
        helper.make_node("ReduceSum", ["seen" if types else "attended", "axis"], ["summed"], keepdims=1),
        helper.make_node("Cast", ["summed"], ["score"], to=TensorProto.FLOAT),
        *([helper.make_node("Neg", ["score"], ["against"])] if classes == 2 else []),
        helper.make_node("Concat", ["against", "score"] if classes == 2 else ["score"], ["logits"], axis=1),
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])
    axis = helper.make_tensor("axis", TensorProto.INT64, [1], [1])
    graph = helper.make_graph(nodes, "sum", inputs, [output], [axis])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    words = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="[UNK]"))  # noqa: S106 - a token of text
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    words.save(str(folder / "tokenizer.json"))
    return folder


def summed(text: str) -> float:
    """Score a text as the model made here does."""
    return float(sum(WORDS.index(word) if word in WORDS else 0 for word in text.split()))


@pytest.mark.parametrize("classes", [1, 2])
def test_every_pair_gets_the_logit_of_its_text(classes: int, tmp_path: Path) -> None:
    """Over several batches of unequal lengths; padding counts for nothing, and of two classes the last."""
    reranker = CrossEncoder(make_model(tmp_path / "tiny", classes=classes), threads=1)
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS[2:], size)) for size in rng.integers(1, 9, 2 * BATCH + 3)]
    assert reranker.name == "tiny"
    assert reranker.scores("dog dog", texts) == [summed(text) for text in texts]
    assert reranker.scores("dog", []) == []


def test_a_graph_may_know_no_types(tmp_path: Path) -> None:
    """Only what the graph takes is given to it; then the query counts too."""
    reranker = CrossEncoder(make_model(tmp_path / "plain", types=False))
    assert reranker.scores("dog", ["apple", "bee"]) == [summed("dog apple"), summed("dog bee")]


def test_any_text_is_read(tmp_path: Path) -> None:
    """Queries and texts of any length and spelling are cut, not refused."""
    reranker = CrossEncoder(make_model(tmp_path / "tiny"))
    for query in ("", "dog " * 4_000, "\ud83c", "\0"):
        assert reranker.scores(query, ["apple", "", "\ud83c", "bee " * 4_000])[:3] == [summed("apple"), 0, 0]


def test_a_tokenizer_pads_in_its_own_way(tmp_path: Path) -> None:
    """A padding that the folder prescribes is kept."""
    folder = make_model(tmp_path / "tiny")
    content = json.loads((folder / "tokenizer.json").read_text())
    content["padding"] = {
        "strategy": {"Fixed": 12},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    (folder / "tokenizer.json").write_text(json.dumps(content))
    assert CrossEncoder(folder).scores("dog", ["apple bee"]) == [summed("apple bee")]


def test_without_weights_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder, an empty one, or half of one: each is named with the remedy."""
    monkeypatch.delenv("MEMGAUGE_RERANKER", raising=False)
    with pytest.raises(MissingExtraError, match="Set MEMGAUGE_RERANKER to a folder with model"):
        open_reranker("cross-encoder")
    assert isinstance(open_reranker("best"), LexicalReranker)
    monkeypatch.setenv("MEMGAUGE_RERANKER", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"holds no model.onnx and no tokenizer.json"):
        open_reranker("best")
    (tmp_path / "model.onnx").touch()
    with pytest.raises(MissingExtraError, match=r"MEMGAUGE_RERANKER=.* holds no tokenizer.json"):
        find_reranker()
    with pytest.raises(MissingExtraError, match=r"holds no tokenizer.json"):
        CrossEncoder(tmp_path)


def test_rerankers_are_opened_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best is the cross-encoder where there is one; another name is unknown."""
    monkeypatch.setenv("MEMGAUGE_RERANKER", str(make_model(tmp_path / "tiny")))
    assert isinstance(open_reranker("best"), CrossEncoder)
    assert isinstance(open_reranker("lexical"), LexicalReranker)
    with pytest.raises(UnknownNameError, match="reranker 'lexcial'"):
        open_reranker("lexcial")
