"""Matching by a small encoder of our own: a table of vectors, without context."""

from __future__ import annotations

import json
import os
import pickle

import numpy as np
import pytest
from meteor_e_papers.features.encoder_matching import EncoderMatchingFeature

from meteor_e.base.errors import ConfigError, InputError, ResourceError
from meteor_e.testing import check_feature

WORDS = ("[UNK]", "[CLS]", "[SEP]", "new", "fresh", "houses", "rose", "the")


def write_encoder(path, vectors, inputs=("input_ids", "attention_mask")):
    """Write an ONNX model that looks tokens up in a table."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in inputs]
    states = helper.make_tensor_value_info(
        "last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", vectors.shape[1]]
    )
    table = numpy_helper.from_array(vectors.astype(np.float32), "table")
    nodes = [helper.make_node("Gather", ["table", inputs[0]], ["last_hidden_state"])]
    graph = helper.make_graph(nodes, "encoder", given, [states], [table])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))


@pytest.fixture
def encoder(tmp_path):
    """Return the files of encoder and tokenizer; "new" and "fresh" have nearly the same vector."""
    vectors = np.eye(len(WORDS))
    vectors[WORDS.index("fresh")] = 0.9 * vectors[WORDS.index("new")] + 0.1 * vectors[WORDS.index("fresh")]
    write_encoder(tmp_path / "encoder.onnx", vectors)
    special = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    piece = [{"SpecialToken": {"id": name, "type_id": 0}} for name in ("[CLS]", "[SEP]")]
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": WORDS.index(name), "content": name, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True}
            for name in ("[UNK]", "[CLS]", "[SEP]")
        ],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [piece[0], {"Sequence": {"id": "A", "type_id": 0}}, piece[1]],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": special,
        },
        "decoder": None,
        "model": {
            "type": "WordLevel", "vocab": {word: place for place, word in enumerate(WORDS)}, "unk_token": "[UNK]",
        },
    }  # fmt: skip
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    return {"model_file": str(tmp_path / "encoder.onnx"), "tokenizer_file": str(tmp_path / "tokenizer.json")}


def row(feature, hypothesis, reference):
    return dict(zip(feature.columns, feature.extract([hypothesis], [[reference]])[0], strict=True))


def test_conforms(encoder):
    check_feature(EncoderMatchingFeature, **encoder)


def test_words_with_like_vectors_match(encoder):
    feature = EncoderMatchingFeature(**encoder)
    same = row(feature, "New houses rose", "new houses rose")
    assert [same["plain_f"], same["weighted_f"], same["cosine"]] == pytest.approx([1, 1, 1])
    assert [same["missing"], same["added"]] == pytest.approx([0, 0], abs=1e-6)
    like = row(feature, "fresh houses rose", "new houses rose")
    near = 0.9 / np.hypot(0.9, 0.1)
    assert [like["plain_precision"], like["plain_recall"]] == pytest.approx([(2 + near) / 3] * 2)
    assert like["worst_recall"] == pytest.approx(-(1 - near) * feature._frequencies.information("new"))
    # A word that is missing costs recall alone.
    short = row(feature, "new houses", "new houses rose")
    assert short["plain_precision"] == pytest.approx(1)
    assert short["plain_recall"] == pytest.approx(2 / 3)
    assert short["missing"] == pytest.approx(feature._frequencies.information("rose"))
    # Rare words weigh more.
    rare = row(feature, "the", "the houses")
    often = row(feature, "houses", "the houses")
    assert rare["weighted_recall"] < often["weighted_recall"]


def test_some_of_its_numbers(encoder, monkeypatch):
    """They are those of all; the cosine alone needs no frequencies of words."""
    whole = EncoderMatchingFeature(**encoder)
    some = EncoderMatchingFeature(**encoder, only=["missing", "cosine"])
    check_feature(EncoderMatchingFeature, **encoder, only=["cosine"])
    monkeypatch.setattr("meteor_e_papers.features.encoder_matching.Frequencies", None)
    cosine = EncoderMatchingFeature(**encoder, only=["cosine"])
    for pair in (("fresh houses", "the houses rose"), ("", "new houses"), ("", "")):
        every = row(whole, *pair)
        assert row(some, *pair) == {name: every[name] for name in ("missing", "cosine")}
        assert row(cosine, *pair) == {"cosine": every["cosine"]}
    assert len({feature.definition() for feature in (whole, some, cosine)}) == 3
    with pytest.raises(ConfigError, match=r"has no number 'cosin'.*did you mean 'cosine'"):
        EncoderMatchingFeature(**encoder, only=["cosin"])


def test_empty_and_long_segments(encoder):
    feature = EncoderMatchingFeature(**encoder, longest=8)
    assert np.isfinite(list(row(feature, "", "").values())).all()
    assert row(feature, "", "new houses")["missing"] > 0
    assert row(feature, "new " * 100_000, "new")["plain_f"] == pytest.approx(1)


def test_what_is_kept_changes_nothing(encoder, monkeypatch):
    monkeypatch.setattr("meteor_e_papers.features.encoder_matching.KEPT", 1)
    feature = EncoderMatchingFeature(**encoder)
    first = row(feature, "new houses", "the houses rose")
    row(feature, "new", "new")
    assert len(feature._references) == 1
    again = pickle.loads(pickle.dumps(feature))
    assert row(again, "new houses", "the houses rose") == first
    assert again.describe() == feature.describe()


def test_files_that_are_none(encoder, tmp_path):
    with pytest.raises(ResourceError, match=r"encoder .* cannot be read"):
        EncoderMatchingFeature(str(tmp_path / "none"), encoder["tokenizer_file"])
    broken = tmp_path / "broken"
    broken.write_text("nothing", encoding="utf-8")
    os.mkfifo(tmp_path / "fifo")
    for files in ((str(tmp_path / "fifo"), encoder["tokenizer_file"]), (encoder["model_file"], str(tmp_path / "fifo"))):
        with pytest.raises(ResourceError, match="is not a regular file"):
            EncoderMatchingFeature(*files)
    with pytest.raises(InputError, match="not an encoder"):
        EncoderMatchingFeature(str(broken), encoder["tokenizer_file"])
    with pytest.raises(InputError, match="not a tokenizer"):
        EncoderMatchingFeature(encoder["model_file"], str(broken))
    with pytest.raises(ConfigError, match="longest must be a whole number, 3 or more, not 2"):
        EncoderMatchingFeature.make(None, **encoder, longest=2)
    # A table with fewer rows than the tokenizer has numbers fails in the middle of a run.
    write_encoder(tmp_path / "small.onnx", np.eye(3))
    small = EncoderMatchingFeature(str(tmp_path / "small.onnx"), encoder["tokenizer_file"])
    with pytest.raises(InputError, match="fails on a segment of 3 tokens"):
        small.extract(["new"], [["new"]])
    write_encoder(tmp_path / "other.onnx", np.eye(8), ("pixels",))
    with pytest.raises(InputError, match="takes pixels"):
        EncoderMatchingFeature(str(tmp_path / "other.onnx"), encoder["tokenizer_file"])


def test_differences_of_an_inner_layer(encoder, tmp_path, monkeypatch):
    """They are those of mean vectors of length 1, and leave the other numbers as they are."""
    contextual = pytest.importorskip("meteor_e_vectors.contextual")
    import onnx
    from onnx import helper

    monkeypatch.setenv("METEOR_E_ENCODERS", str(tmp_path / "encoders"))
    model = onnx.load(encoder["model_file"])
    (node,) = model.graph.node
    node.output[0] = "inner"
    model.graph.node.append(helper.make_node("Neg", ["inner"], ["last_hidden_state"]))
    onnx.save(model, encoder["model_file"])
    from click.testing import CliRunner

    from meteor_e.cli.program import cli

    files = [encoder["model_file"], encoder["tokenizer_file"]]
    layers = ["--layer", "inner", "--layer", "last_hidden_state"]
    assert CliRunner().invoke(cli, ["encoder", "add", "tiny", *files, *layers, "--pieces", "9"]).exit_code == 0
    assert contextual.encoder_layers("tiny") == ["inner", "last_hidden_state"]
    plain = EncoderMatchingFeature(encoder="tiny")
    inner = EncoderMatchingFeature(encoder="tiny", layer=1)
    last = EncoderMatchingFeature(encoder="tiny", layer=2, only=["cosine"])
    check_feature(EncoderMatchingFeature, encoder="tiny", layer=1, only=["cosine"])
    assert inner.columns == (*plain.columns, *(f"difference-{number}" for number in range(1, len(WORDS) + 1)))
    assert len({feature.definition() for feature in (plain, inner, last)}) == 3
    for pair in (("new houses", "the houses rose"), ("new houses", "new houses"), ("", "new")):
        found = row(inner, *pair)
        assert {name: found[name] for name in plain.columns} == row(plain, *pair)
        expected = np.zeros(len(WORDS))
        for sign, text in zip((1, -1), pair, strict=True):
            counts = np.array([text.split().count(word) for word in WORDS], float)
            expected += sign * counts / max(float(np.linalg.norm(counts)), 1)
        assert list(found.values())[len(plain.columns) :] == pytest.approx(expected.tolist(), abs=1e-6)
        assert list(row(last, *pair).values())[1:] == pytest.approx((-expected).tolist(), abs=1e-6)
    again = pickle.loads(pickle.dumps(inner))
    assert row(again, "new houses", "the") == row(inner, "new houses", "the")
    with pytest.raises(ConfigError, match="has no layer 3; it has 2"):
        EncoderMatchingFeature(encoder="tiny", layer=3)
    with pytest.raises(ConfigError, match="the layers of an installed encoder are known"):
        EncoderMatchingFeature(**encoder, layer=1)
