from __future__ import annotations

import json
import math
import pickle
import warnings

import numpy as np
import pytest
from meteor_e_captions.coco import Bleu, CaptionMetric, Cider, Meteor, Rouge

from meteor_e import Meteor as Metric
from meteor_e import load_metric
from meteor_e.api import ConfigError, InputError, MeteorWarning

GTS = {
    1: ["a man is riding a horse", "the man 's horse ca n't stop"],
    "b": ["two dogs -lrb- brown -rrb- play in the snow"],
}
RES = {1: ["a man rides a horse"], "b": ["two dogs are playing in snow"]}


@pytest.fixture
def meteor(_own_packs):
    """Return METEOR's scorer with a small English pack."""
    return Meteor(Metric("en", normalization="full", pack=_own_packs / "en"))


def test_compute_score_returns_corpus_and_segment_scores(meteor):
    score, scores = meteor.compute_score(GTS, RES)
    segments = list(meteor._metric.segments([RES[key][0] for key in GTS], list(GTS.values())))
    assert scores == [segment.score for segment in segments]
    assert 0 < score < 1
    assert meteor.method() == str(meteor) == "METEOR"


def test_meteor_splits_captions_as_in_the_java_protocol(meteor):
    expected = meteor.compute_score({1: ["a dog", "a black dog"]}, {1: ["a black dog"]})
    assert meteor.compute_score({1: ["a dog ||| a black dog"]}, {1: ["a ||| black\ndog"]}) == expected


def test_meteor_trims_control_characters_as_in_java(meteor):
    expected = meteor.compute_score({1: ["a dog", "b"]}, {1: ["a dog"]})
    assert meteor.compute_score({1: ["\x1fa dog\x01|||\x02b"]}, {1: ["\x07 a dog\0"]}) == expected


def test_meteor_matches_words_with_equal_hashes_as_in_java(packs):
    # In Java, the words "at" and "c6" have the same hash.
    gts, res = {1: ["a cat at home"]}, {1: ["a cat c6 home"]}
    score_of_equal_captions = Meteor().compute_score(gts, gts)
    assert Meteor().compute_score(gts, res) == score_of_equal_captions
    assert Meteor(Metric("en", normalization="full")).compute_score(gts, res) < score_of_equal_captions


class FailingRepr:
    """An object whose ``repr`` raises an exception."""

    def __repr__(self):
        raise ValueError


def make_deep_list():
    """Return a list that is nested too deeply for ``repr``."""
    nested: list[object] = []
    for _ in range(5000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("gts", "res", "message"),
    [
        ({1: ["a"], 2: ["b"]}, {1: ["a"]}, "image 2 is in gts, but not in res"),
        ({1: ["a"]}, {1: ["a"], "x": ["b"]}, "image 'x' is in res, but not in gts"),
        ({1: ["a"]}, {1: ["a", "b"]}, "image 1 has 2 captions in res"),
        ({1: [None]}, {1: ["a"]}, "a caption in gts of image 1 must be a text"),
        ({1: [{"caption": "a"}]}, {1: ["a"]}, "tokenize the captions first"),
        ({}, {}, "no captions"),
        ({1: make_deep_list()}, {1: ["a"]}, "a caption in gts of image 1 must be a text"),
        ({1: ["a"]}, {1: [FailingRepr()]}, "a caption in res of image 1 must be a text"),
    ],
)
def test_meteor_names_the_image_of_an_invalid_caption(meteor, gts, res, message):
    with pytest.raises(InputError, match=message):
        meteor.compute_score(gts, res)


TOKENS = {
    7: ["a man is riding a brown horse", "the man 's horse runs through a field"],
    9: ["two dogs play in the snow", "dogs are playing outside it 's snowing"],
    4: ["a cat"],
}
CAPTIONS = {7: ["a man rides a horse"], 9: ["two dogs run through the snow"], 4: ["a cat sleeps"]}


@pytest.mark.parametrize(("name", "scorer"), [("cider", Cider), ("rouge", Rouge), ("bleu", Bleu)])
def test_scorers_equal_pycocoevalcap(name, scorer, capsys):
    module = pytest.importorskip(f"pycocoevalcap.{name}.{name}", reason="pycocoevalcap is not installed")
    expected_scorer_class = getattr(module, name.capitalize())
    expected_scorer = expected_scorer_class(4) if name == "bleu" else expected_scorer_class()
    expected_score, expected_scores = expected_scorer.compute_score(TOKENS, CAPTIONS)
    score, scores = scorer().compute_score(TOKENS, CAPTIONS)
    np.testing.assert_allclose(score, expected_score, atol=1e-12)
    np.testing.assert_allclose(scores, expected_scores, atol=1e-12)


def test_scorers_have_the_names_of_pycocoevalcap():
    assert [scorer().method() for scorer in (Cider, Rouge)] == ["CIDEr", "Rouge"]
    assert Bleu(2).method() == ["Bleu_1", "Bleu_2"]
    assert len(Bleu(2).compute_score(TOKENS, CAPTIONS)[1]) == 2
    with pytest.raises(ConfigError, match="from 1 to 4, not 5"):
        Bleu(5)


def count_document_frequencies(references):
    """Return the number of images whose references contain an n-gram, for each n-gram of 1 to 4 words."""
    counts = {}
    for texts in references.values():
        ngrams = set()
        for text in texts:
            words = text.split()
            ngrams |= {tuple(words[i : i + n]) for n in range(1, 5) for i in range(len(words) - n + 1)}
        for ngram in ngrams:
            counts[ngram] = counts.get(ngram, 0) + 1
    return counts


def test_cider_accepts_document_frequencies_of_a_corpus(tmp_path):
    """With the document frequencies of the corpus, the score of an image does not depend on the other images."""
    _, image_scores = Cider().compute_score(TOKENS, CAPTIONS)
    expected = image_scores[list(TOKENS).index(9)]
    single_image = {9: TOKENS[9]}, {9: CAPTIONS[9]}

    counts = count_document_frequencies(TOKENS)
    text_counts = {" ".join(ngram): count for ngram, count in counts.items()}
    frequency_file = tmp_path / "frequencies.json"
    frequency_file.write_text(json.dumps({"document_frequency": text_counts, "ref_len": len(TOKENS)}))
    annotations = [{"image_id": image, "caption": text} for image, texts in TOKENS.items() for text in texts]
    annotation_file = tmp_path / "annotations.json"
    annotation_file.write_text(json.dumps({"annotations": annotations}))

    frequencies = {"document_frequency": counts, "ref_len": float(len(TOKENS))}
    for corpus in (TOKENS, frequencies, frequency_file, str(annotation_file)):
        assert Cider(corpus).compute_score(*single_image)[1] == pytest.approx([expected], abs=1e-12)
    assert expected > 0.5
    metric = load_metric("cider", language="en", document_frequencies=str(frequency_file))
    assert metric.corpus(CAPTIONS[9], [TOKENS[9]]).score == pytest.approx(expected, abs=1e-12)
    assert "|df:" in metric.signature
    assert "|df:" not in load_metric("cider", language="en").signature


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1], "must be a mapping, not list"),
        ({}, "no captions and no counts"),
        ({1: "a"}, "no captions and no counts"),
        ({"document_frequency": {"a": 1}}, "ref_len is the number of documents"),
        ({"document_frequency": {"a": 1}, "ref_len": math.inf}, "ref_len is the number of documents"),
        ({"document_frequency": {}, "ref_len": 3}, "has no n-grams"),
        ({"document_frequency": {"a b c d e": 1}, "ref_len": 3}, "is not an n-gram of 1 to 4 words"),
        ({"document_frequency": {"a": 4}, "ref_len": 3}, "cannot be in 4 of 3 documents"),
        ({"document_frequency": {"a": 0.5}, "ref_len": 3}, "cannot be in 0.5 of 3 documents"),
        ({"document_frequency": {"a": "1"}, "ref_len": 3}, "cannot be in '1' of 3 documents"),
    ],
)
def test_cider_rejects_invalid_document_frequencies(content, message):
    with pytest.raises(InputError, match=message):
        Cider(content)


def test_cider_does_not_open_pickle_files(tmp_path):
    (tmp_path / "frequencies.p").write_bytes(pickle.dumps({"document_frequency": {("a",): 1}, "ref_len": 1}))
    with pytest.raises(InputError, match="is not JSON"):
        Cider(tmp_path / "frequencies.p")


def test_cider_warns_of_a_single_image():
    single_image = {9: TOKENS[9]}, {9: CAPTIONS[9]}
    with pytest.warns(MeteorWarning, match="CIDEr of a single image is 0"):
        assert Cider().compute_score(*single_image)[0] == 0.0
    with pytest.warns(MeteorWarning, match="document_frequencies=FILE"):
        load_metric("cider", language="en").corpus(CAPTIONS[9], [TOKENS[9]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Rouge().compute_score(*single_image)
        Cider(TOKENS).compute_score(*single_image)
        Cider().compute_score(TOKENS, CAPTIONS)


@pytest.mark.usefixtures("packs")
def test_caption_metric_returns_all_columns_of_coco():
    metric = CaptionMetric("coco")
    names = ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "METEOR", "ROUGE-L", "CIDEr"]
    assert metric.method() == names
    assert str(metric) == ", ".join(names)
    corpus, segments = metric.compute_score(TOKENS, CAPTIONS)
    assert len(corpus) == len(segments) == 7
    assert corpus[5:] == pytest.approx([scorer().compute_score(TOKENS, CAPTIONS)[0] for scorer in (Rouge, Cider)])
    assert corpus[:4] == pytest.approx(Bleu().compute_score(TOKENS, CAPTIONS)[0])
    assert [len(scores) for scores in segments] == [3] * 7
    assert segments[6] == pytest.approx(Cider().compute_score(TOKENS, CAPTIONS)[1])


def test_scorers_accept_captions_in_any_iterable():
    arrays = {key: np.array(texts) for key, texts in TOKENS.items()}
    views = {key: dict.fromkeys(texts).keys() for key, texts in CAPTIONS.items()}
    assert Rouge().compute_score(arrays, views) == Rouge().compute_score(TOKENS, CAPTIONS)
