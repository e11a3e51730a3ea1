"""Functions and fixtures that create a small sentence encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

WORDS = ["the", "a", "cat", "feline", "sat", "rested", "dog", "mat", "##s", "play"]
DIRECTIONS = {"the": 0, "a": 8, "cat": 60, "feline": 70, "sat": 120, "rested": 135, "dog": 200, "mat": 270, "play": 310}
"""Angles of words in the plane, in degrees."""


def write_network(path: Path, *, positions: int = 12, output: str = "last_hidden_state", extra: str = "") -> None:
    """Write a network with two layers.

    The first layer consists of vectors in the plane. The second layer shifts them toward their mean.
    """
    onnx = pytest.importorskip("onnx", reason="the package onnx creates the networks of these tests")
    from onnx import TensorProto, helper, numpy_helper

    vocabulary = ["[UNK]", "[CLS]", "[SEP]", *WORDS]
    table = np.zeros((len(vocabulary), 3), np.float32)
    for index, word in enumerate(vocabulary):
        angle = np.radians(DIRECTIONS.get(word, 33 * index))
        table[index] = np.cos(angle), np.sin(angle), 0.1
    position_vectors = np.linspace(0, 0.05, positions * 3, dtype=np.float32).reshape(positions, 3)
    weights = {
        "table": table,
        "places": position_vectors,
        "share": np.float32(0.2),
        "first": np.int64(0),
        "step": np.int64(1),
    }
    weights |= {"axis": np.int64(1)}
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "axis"], ["length"]),
        helper.make_node("Range", ["first", "length", "step"], ["numbers"]),
        helper.make_node("Gather", ["places", "numbers"], ["shifts"]),
        helper.make_node("Add", ["words", "shifts"], ["layer_1"]),
        helper.make_node("ReduceMean", ["layer_1"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Mul", ["mean", "share"], ["part"]),
        helper.make_node("Add", ["layer_1", "part"], [output]),
    ]
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "sequence"])]
    if extra:
        inputs.append(helper.make_tensor_value_info(extra, TensorProto.INT64, ["batch", "sequence"]))
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", "sequence", 3])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def write_tokenizer(path: Path) -> None:
    """Write a tokenizer of word pieces with padding and truncation, like the tokenizer of MiniLM."""
    import tokenizers
    from tokenizers import models, normalizers, pre_tokenizers, processors

    vocabulary = {piece: index for index, piece in enumerate(["[UNK]", "[CLS]", "[SEP]", *WORDS])}
    tokenizer = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_padding(length=20, pad_id=0)
    tokenizer.enable_truncation(6)
    tokenizer.save(str(path))


@pytest.fixture
def encoder_files(tmp_path) -> tuple[Path, Path]:
    """Write a network and its tokenizer, and return their paths."""
    network, tokenizer = tmp_path / "model.onnx", tmp_path / "tokenizer.json"
    write_network(network)
    write_tokenizer(tokenizer)
    return network, tokenizer


@pytest.fixture
def encoder_folder(encoder_files) -> Path:
    """Install a small encoder with two layers and at most 12 pieces under the name ``tiny``; return its folder."""
    from meteor_e_vectors.contextual.install import add_encoder

    from meteor_e.base.progress import silent

    layers = ("layer_1", "last_hidden_state")
    return add_encoder("tiny", *encoder_files, layers=layers, pieces=12, progress=silent)
