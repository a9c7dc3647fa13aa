"""Sentence vectors of MiniLM: texts of mixed lengths, the same weights, two threads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.agree import Cosines
from bench.made import words
from bench.places import ENCODERS
from bench.row import CannotRunError, Job, Row, floor, ours, peer
from bench.rows import embedding_peers as peers

if TYPE_CHECKING:
    from collections.abc import Callable

N, SHORTEST, LONGEST, THREADS = 256, 3, 60, 2
LAYERS, WIDTH, INNER = 6, 384, 1536
"""Of the model: layers, and how wide a token is between them and inside of them."""
_WEIGHTS, _PRODUCTS = "weights.txt", "products.onnx"
GRAPH = "graph.onnx"


def texts() -> list[str]:
    """Make texts of 3 to 60 words, short ones more often; the longest are some 250 word pieces."""
    rng, known = np.random.default_rng(11), words()
    lengths = np.exp(rng.uniform(np.log(SHORTEST), np.log(LONGEST), N)).astype(int)
    chances = np.cumsum(1 / np.arange(1, len(known) + 1))
    return [" ".join(known[i] for i in np.searchsorted(chances, rng.random(n) * chances[-1])) for n in lengths]


def share(folder: Path) -> None:
    """Write where the weights are, which all sides read."""
    from memgauge.errors import UserError
    from memgauge.retrieval.minilm import find_weights
    from memgauge.systems.models.catalogue import local_model, settings_of

    try:
        place = find_weights()
    except UserError:
        try:
            place = Path(settings_of(local_model("minilm"))[1].weights).parent
        except UserError as error:
            raise CannotRunError(str(error)) from error
    (folder / _WEIGHTS).write_text(str(place), encoding="utf-8")
    (folder / GRAPH).write_bytes(_graph(place))


def _graph(place: Path) -> bytes:
    """Build our graph, whose inputs have the names that other runtimes give them."""
    from safetensors.numpy import load_file

    from memgauge.retrieval.minilm_graph import EncoderGraph, build

    model = build(EncoderGraph(load_file(str(place / "model.safetensors"))))
    spelt = {"ids": "input_ids", "mask": "attention_mask"}
    for value in model.graph.input:
        value.name = spelt[value.name]
    for node in model.graph.node:
        node.input[:] = [spelt.get(name, name) for name in node.input]
    content: bytes = model.SerializeToString()
    return content


def weights(folder: Path) -> Path:
    """Return where the weights are."""
    return Path((folder / _WEIGHTS).read_text(encoding="utf-8"))


def opened(folder: Path, threads: int = THREADS, *, eight_bit: bool = False) -> Any:
    """Open our own encoder."""
    from memgauge.errors import UserError
    from memgauge.retrieval.minilm import MiniLM

    try:
        return MiniLM(weights(folder), threads=threads, eight_bit=eight_bit)
    except UserError as error:
        raise CannotRunError(str(error)) from error


def memgauge(folder: Path) -> Job:
    """Embed in batches of like length, each of some 256 tokens, on onnxruntime."""
    model, sentences = opened(folder), texts()
    return Job(lambda: model.embed(sentences), np.asarray)


def singly(folder: Path) -> Job:
    """Embed one text after the other, as a memory does that embeds what it is told when it is told."""
    model, sentences = opened(folder), texts()
    return Job(lambda: np.concatenate([model.embed([text]) for text in sentences]), np.asarray)


def sentence_transformers(folder: Path) -> Job:
    """Embed on PyTorch, in batches of 32."""
    return _job(peers.sentence_transformers(weights(folder), THREADS))


def fastembed(folder: Path) -> Job:
    """Embed on onnxruntime, in one batch, as it does by itself."""
    return _job(peers.fastembed(weights(folder), folder / GRAPH, folder, THREADS))


def llama_cpp(folder: Path) -> Job:
    """Embed on llama.cpp, eight texts at a time."""
    return _job(peers.llama_cpp(weights(folder), folder, THREADS))


def _job(embed: peers.Embed) -> Job:
    sentences = texts()
    return Job(lambda: embed(sentences), np.asarray)


def batches_alone(folder: Path) -> Job:
    """Run the session alone on batches that are padded to the longest text, tokens made before."""
    return Job(session_alone(opened(folder)))


def session_alone(model: Any) -> Callable[[], Any]:
    """Return what runs the model's session on the batches of all texts once more."""
    taken, session = list[tuple[Any, Any]](), model._encoder._run  # noqa: SLF001 - the floor is a part of ours

    def noted(ids: Any, mask: Any) -> Any:
        taken.append((ids, mask))
        return session(ids, mask)

    model._encoder._run = noted  # noqa: SLF001 - as above
    model.embed(texts())
    return lambda: [session(ids, mask) for ids, mask in taken]


def products_alone(folder: Path) -> Job:
    """Multiply a row for each token by the model's matrices, on the same runtime: no padding and no attention."""
    from memgauge.retrieval.encoding import PORTION, open_session

    tokenizer = opened(folder)._encoder._tokenizer  # noqa: SLF001 - the floor has our tokens
    tokens = sum(len(code.ids) for code in tokenizer.encode_batch(texts()))
    (folder / _PRODUCTS).write_bytes(_products())
    session = open_session(folder / _PRODUCTS, THREADS)
    rows = np.random.default_rng(11).normal(size=(tokens, WIDTH)).astype(np.float32)
    portions = [rows[start : start + PORTION] for start in range(0, tokens, PORTION)]
    return Job(lambda: [session.run(None, {"rows": portion}) for portion in portions])


def _products() -> bytes:
    """Chain matrices of the model's shapes as an ONNX graph; each keeps the size of the numbers."""
    from onnx import TensorProto, helper, numpy_helper

    from memgauge.retrieval.minilm_graph import IR_VERSION, OPSET

    rng, sizes = np.random.default_rng(11), [(WIDTH, WIDTH)] * 4 + [(WIDTH, INNER), (INNER, WIDTH)]
    matrices = [
        numpy_helper.from_array(rng.normal(0, size[0] ** -0.5, size).astype(np.float32), f"m{place}")
        for place, size in enumerate(sizes * LAYERS)
    ]
    names = ["rows", *(f"v{place}" for place in range(1, len(matrices))), "out"]
    nodes = [
        helper.make_node("MatMul", [names[place], matrix.name], [names[place + 1]])
        for place, matrix in enumerate(matrices)
    ]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", WIDTH]) for name in ("rows", "out")]
    graph = helper.make_graph(nodes, "products", ends[:1], ends[1:], matrices)
    opset = helper.make_opsetid("", OPSET)
    content: bytes = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION).SerializeToString()
    return content


ROW = Row(
    f"embed {N} texts of {SHORTEST} to {LONGEST} words with MiniLM, two threads",
    share=share,
    agreement=Cosines(0.999),
    unit="s",
    repeats=7,
    threads=THREADS,
    items=N,
    of="texts",
    limit_mb=1500,
    above="Tokens are made, and texts sorted by length.",
    sides=(
        ours(memgauge),
        peer(
            "sentence-transformers",
            sentence_transformers,
            python=ENCODERS,
            note="PyTorch, the same weights, batches of 32",
        ),
        peer(
            "fastembed",
            fastembed,
            python=ENCODERS,
            note="onnxruntime, our graph, batches of 256 as by itself, each padded to its longest text",
        ),
        peer(
            "llama.cpp",
            llama_cpp,
            python=ENCODERS,
            note="by xllamacpp's server in the process, the same weights in float32, 8 texts at a time",
        ),
        peer(
            "one text at a time",
            singly,
            here=True,
            at_least=2,
            note="our own, as memories embed what they are told",
            why=(
                "Most of it is arithmetic, which batches do not save: a long text is a batch by itself on both "
                "sides. Short ones cost less together."
            ),
        ),
        floor("the session alone, tokens at hand", batches_alone),
        floor("its arithmetic alone: the model's 36 products for each token", products_alone),
    ),
)
