"""The weights of MiniLM in other runtimes: each opened as its manual says, and given all texts at once."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    Embed = Callable[[list[str]], NDArray[np.float32]]

HEADS, LONGEST, EPSILON = 12, 256, 1e-12
"""Of the model: heads of a layer, tokens that it was trained to read, and what keeps a norm from dividing by 0."""
_DENSE = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
_EMBEDDINGS = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.LayerNorm.weight": "token_embd_norm.weight",
    "embeddings.LayerNorm.bias": "token_embd_norm.bias",
}


def sentence_transformers(weights: Path, threads: int) -> Embed:
    """Open the encoder of sentence-transformers, which takes 32 texts a batch."""
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    model = SentenceTransformer(str(weights), device="cpu")
    model.max_seq_length = LONGEST
    return lambda texts: model.encode(texts, normalize_embeddings=True, show_progress_bar=False)


def fastembed(weights: Path, graph: Path, folder: Path, threads: int) -> Embed:
    """Open the encoder of fastembed on a *graph* that pools by itself; it takes 256 texts a batch."""
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    place = folder / "fastembed"
    place.mkdir(exist_ok=True)
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copy(weights / name, place / name)
    shutil.copy(graph, place / "model.onnx")
    name, source = "bench/minilm", ModelSource(hf="bench/minilm")
    TextEmbedding.add_custom_model(
        name, PoolingType.DISABLED, normalization=False, sources=source, dim=384, model_file="model.onnx"
    )
    encoder = TextEmbedding(name, specific_model_path=str(place), threads=threads)
    return lambda texts: np.stack(list(encoder.embed(texts)))


def llama_cpp(weights: Path, folder: Path, threads: int, *, eight_bit: bool = False) -> Embed:
    """Open llama.cpp's own server in this process, on a file of these weights; it reads eight texts at a time."""
    import xllamacpp

    file = folder / f"minilm-{'q8_0' if eight_bit else 'f32'}.gguf"
    _write(weights, file, eight_bit=eight_bit)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(file)
    parameters.embedding, parameters.offline = True, True
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 2048
    parameters.n_parallel = 8
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.hostnames = ["127.0.0.1"]
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)

    def embed(texts: list[str]) -> NDArray[np.float32]:
        answer = server.handle_embeddings({"input": texts, "encoding_format": "float"})
        rows = sorted(answer["data"], key=lambda row: row["index"])
        return np.array([row["embedding"] for row in rows], np.float32)

    return embed


def _write(weights: Path, file: Path, *, eight_bit: bool) -> None:
    """Write *weights* as llama.cpp reads an encoder of BERT's kind."""
    import gguf
    from safetensors.numpy import load_file

    tensors = load_file(str(weights / "model.safetensors"))
    words, width = tensors["embeddings.word_embeddings.weight"].shape
    writer = gguf.GGUFWriter(str(file), "bert")
    writer.add_block_count(_layers(tensors))
    writer.add_context_length(512)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(tensors["encoder.layer.0.intermediate.dense.weight"].shape[0])
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(EPSILON)
    writer.add_causal_attention(False)  # noqa: FBT003 - their interface
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    _write_tokens(writer, (weights / "vocab.txt").read_text("utf-8").split("\n")[:words])
    for name, tensor in _named(tensors):
        values = tensor.astype(np.float32)
        if eight_bit and values.ndim == 2 and name.startswith("blk."):
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _layers(tensors: dict[str, Any]) -> int:
    return sum(name.endswith("intermediate.dense.weight") for name in tensors)


def _named(tensors: dict[str, Any]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for theirs, name in _EMBEDDINGS.items():
        yield name, tensors[theirs]
    for layer in range(_layers(tensors)):
        for theirs, name in _DENSE.items():
            for part in ("weight", "bias"):
                yield f"blk.{layer}.{name}.{part}", tensors[f"encoder.layer.{layer}.{theirs}.{part}"]


def _write_tokens(writer: Any, tokens: list[str]) -> None:
    """Write word pieces as llama.cpp spells them: a mark stands before what begins a word, none before a rest."""
    import gguf

    special = {token: place for place, token in enumerate(tokens) if token.startswith("[") and token.endswith("]")}
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(
        [
            token if token in special else token[2:] if token.startswith("##") else f"\u2581{token}"
            for token in tokens
        ]
    )
    kinds = gguf.TokenType
    writer.add_token_types([kinds.CONTROL if token in special else kinds.NORMAL for token in tokens])
    writer.add_token_type_count(2)
    writer.add_bos_token_id(special["[CLS]"])
    writer.add_eos_token_id(special["[SEP]"])
    writer.add_sep_token_id(special["[SEP]"])
    writer.add_unk_token_id(special["[UNK]"])
    writer.add_pad_token_id(special["[PAD]"])
    writer.add_mask_token_id(special["[MASK]"])
