"""Tests of the features that read vectors and scores of other programs from files."""

from __future__ import annotations

import gzip
import pickle

import numpy as np
import pytest
from meteor_e_papers.features.files import ScoreFileFeature, VectorFileFeature

from meteor_e.base.errors import InputError
from meteor_e.testing import check_component

VECTOR_FILE = "vectors: [{use: vector-file, file: FOLDER/vectors.tsv}]\n"
WORD_VECTORS = "vectors: [{use: word-vectors, file: DATA/words.txt}]\n"


def test_vector_file_feature_looks_up_vectors_by_text(tmp_path):
    file = tmp_path / "syntax.tsv.gz"
    file.write_bytes(gzip.compress(b"the cat\t1 -2.5\nA cat.\t0 3e-1\n\nthe cat\t1.0 -2.5\n"))
    feature = VectorFileFeature.make(file=str(file))
    assert feature.segment_dimension == 2
    assert feature.vectors(["A cat.", "the cat"]).tolist() == [[0, 0.3], [1, -2.5]]
    assert feature.extract(["the cat"], ["A cat."]).tolist() == [[1, -2.5, 0, 0.3]]
    assert pickle.loads(pickle.dumps(feature)).vectors(["A cat."]).tolist() == [[0, 0.3]]
    with pytest.raises(InputError, match=r"syntax.tsv.gz: has no vector for 'the dog'"):
        feature.extract(["the dog"], ["A cat."])
    check_component(feature)


def test_score_file_feature_looks_up_scores_by_text_pair(tmp_path):
    file = tmp_path / "terp.tsv"
    file.write_text("terp\thypothesis\treference\tdpmf\n.5\ta\tb\t1\n.25\ta\tc\t3\n", encoding="utf-8")
    feature = ScoreFileFeature.make(file=str(file))
    assert feature.columns == ("terp", "dpmf")
    assert feature.extract(["a", "a"], [["b"], ["b", "c"]]).tolist() == [[0.5, 1], [0.375, 2]]
    assert pickle.loads(pickle.dumps(feature)).extract(["a"], ["c"]).tolist() == [[0.25, 3]]
    with pytest.raises(InputError, match=r"terp.tsv: has no score for the hypothesis 'b' with the reference 'a'"):
        feature.extract(["b"], ["a"])
    check_component(feature)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has no vectors"),
        ("a\n", r"line 1: has 1 tab-separated cells; it needs a text and its numbers"),
        ("a\t\n", r"line 1: has 0 numbers; a vector needs at least one"),
        ("a\t1 2\nb\t1\n", r"line 2: has 1 numbers; the lines before have 2"),
        ("a\t1 x\n", r"line 1: 'x' is not a finite number"),
        ("a\tnan\n", r"line 1: 'nan' is not a finite number"),
        ("a\t1\na\t2\n", r"line 2: 'a' has another vector in a line before"),
    ],
)
def test_vector_file_feature_rejects_invalid_files(tmp_path, content, message):
    file = tmp_path / "vectors.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        VectorFileFeature.make(file=str(file))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the first line must name the columns"),
        ("hypothesis\treference\n", "line 1: the first line must name the columns"),
        ("hypothesis\tscore\n", "line 1: the first line must name the columns"),
        ("hypothesis\treference\ts\ts\n", "line 1: the first line must name the columns"),
        ("hypothesis\treference\ts\na\tb\n", r"line 2: has 2 tab-separated cells; the first line has 3"),
        ("hypothesis\treference\ts\na\tb\tinf\n", r"line 2: 'inf' is not a finite number"),
        ("hypothesis\treference\ts\na\tb\t1\na\tb\t2\n", r"line 3: 'a' has other scores in a line before"),
    ],
)
def test_score_file_feature_rejects_invalid_files(tmp_path, content, message):
    file = tmp_path / "scores.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        ScoreFileFeature.make(file=str(file))


def write_tables(test_set, folder, sign=1.0):
    """Write a score and a vector for each text of the small test set. The score is the share of known words."""
    references = (test_set / "ref.en").read_text("utf-8").splitlines()
    score_lines, vector_lines = ["hypothesis\treference\tknown"], []
    for system in ("good", "fair", "poor"):
        for text, reference in zip(
            (test_set / f"out.{system}").read_text("utf-8").splitlines(), references, strict=True
        ):
            known_share = 1 - text.split().count("zzyx") / len(text.split())
            score_lines.append(f"{text}\t{reference}\t{sign * known_share}")
            vector_lines.append(f"{text}\t{known_share} {len(text.split()) / 10}")
    vector_lines += [f"{text}\t1 {len(text.split()) / 10}" for text in references]
    (folder / "scores.tsv").write_text("\n".join(score_lines) + "\n", encoding="utf-8")
    (folder / "vectors.tsv").write_text("\n".join(vector_lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("estimator", "index", "extra_lines"),
    [
        ("pairwise-logistic", "ranked", "options: {C: 0.1}"),
        ("segment-regression", "assessed", ""),
        ("pairwise-network", "ranked", VECTOR_FILE + "options: {epochs: 20, skip_start: logistic}"),
        ("maxsd", "ranked", WORD_VECTORS + "options: {epochs: 3, hidden: 4, layer: 3, batching: segments}"),
    ],
)
def test_file_features_work_with_every_estimator(estimator, index, extra_lines, recipe, test_set, tmp_path):
    """A model reads the scores of new texts from another file with the same name as in the training."""
    from meteor_e_learned.feature_store import FeatureStore
    from meteor_e_learned.modelfile import load_model
    from meteor_e_learned.prediction import pairwise_advantages
    from meteor_e_learned.recipe import load_recipe
    from meteor_e_learned.training import train

    write_tables(test_set, tmp_path)
    path = recipe(
        f"name: small\nestimator: {estimator}\ntrain: [{{index: DATA/{index}.yaml}}]\n"
        f"features: [{{use: score-file, file: FOLDER/scores.tsv}}, bleu]\n{extra_lines}\n".replace(
            "FOLDER", str(tmp_path)
        )
    )
    store = FeatureStore(enabled=False)
    train(load_recipe(path), tmp_path / "small.safetensors", folder=path.parent, store=store)
    (tmp_path / "scores.tsv").write_text("hypothesis\treference\tknown\nnew\tnew houses\t.9\nzzyx\tnew houses\t0\n")
    (tmp_path / "vectors.tsv").write_text("new\t.9 .1\nzzyx\t0 .1\nnew houses\t1 .2\n")
    model = load_model(tmp_path / "small.safetensors")
    advantages = pairwise_advantages(model, {"first": ["new"], "second": ["zzyx"]}, [["new houses"]], store)
    assert advantages[0, 1, 0] > 0
    assert advantages[1, 0, 0] == pytest.approx(-advantages[0, 1, 0])
    with pytest.raises(InputError, match=r"has no (score|vector) for"):
        pairwise_advantages(model, {"first": ["unknown"], "second": ["zzyx"]}, [["new houses"]], store)
    assert np.isfinite(advantages[0, 1, 0])
