"""Tests for the integration with Hugging Face evaluate."""

from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

HYPOTHESES = ["the train leaves today", "he closed the door"]


@pytest.fixture
def metric(huggingface_metric):
    """Return the metric as evaluate loads it."""
    return huggingface_metric


@pytest.mark.parametrize(
    "references",
    [["today the train leaves", "he shut the door"], [["today the train leaves"], ["he shut the door"]]],
    ids=["texts", "lists"],
)
@pytest.mark.filterwarnings("ignore")
def test_compute_equals_the_corpus_scores(metric, references, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    result = metric.compute(predictions=HYPOTHESES, references=references, options=options)
    corpus = Meteor("en", **options).corpus(HYPOTHESES, references, segments=True)
    assert result["meteor"] == sum(segment.score for segment in corpus.segments) / 2
    assert result["corpus"] == corpus.score
    assert result["segments"] == [segment.score for segment in corpus.segments]
    assert result["signature"] == corpus.signature
    assert 0 < result["meteor"] < 1
    # An option can be a value that JSON does not support, such as a path.
    path_options = {**options, "pack": tiny_pack}
    assert metric.compute(predictions=HYPOTHESES, references=references, options=path_options) == result


def test_compute_requires_at_least_one_segment(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    for batch in ({"predictions": [], "references": []}, {}):
        with pytest.raises(InputError, match="no segments"):
            metric.compute(**batch, options=options)
    # An empty batch does not change the result of another batch.
    metric.add_batch(predictions=[], references=[])
    metric.add_batch(predictions=["he closed the door"], references=["he closed the door"])
    assert metric.compute(options=options)["segments"] == [1.0]


def test_compute_accepts_the_parameters_of_nltk(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    segments = {"predictions": HYPOTHESES, "references": ["today the train leaves", "he shut the door"]}
    parameters = {"alpha": 0.9, "beta": 3.0, "gamma": 0.5}
    result = metric.compute(**segments, options=options, **parameters)
    meteor = Meteor("en", **options, parameters=parameters)
    assert result["corpus"] == meteor.corpus(segments["predictions"], segments["references"]).score
    assert result["corpus"] != metric.compute(**segments, options=options)["corpus"]


def test_numbers_module_returns_only_numbers(metric, tiny_pack):
    """The mean of the scores of single documents, as lm-eval computes it, equals the score of the batch."""
    import evaluate

    from meteor_e.integrations.huggingface import NUMBERS

    numbers = evaluate.load(NUMBERS)
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    segments = {"predictions": HYPOTHESES, "references": ["today the train leaves", "he shut the door"]}
    result = numbers.compute(**segments, options=options)
    full_result = metric.compute(**segments, options=options)
    assert all(type(value) is float for value in result.values())
    assert full_result == {**result, "segments": full_result["segments"], "signature": full_result["signature"]}
    document_scores = [
        numbers.compute(predictions=[text], references=[reference], options=options)["meteor"]
        for text, reference in zip(*segments.values(), strict=True)
    ]
    assert sum(document_scores) / 2 == result["meteor"]


@pytest.mark.filterwarnings("ignore")
def test_compute_accepts_references_of_mixed_shape(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    mixed = {"predictions": ["the cat sat", "dog"], "references": [["the cat sat", "cat"], "dog"]}
    assert metric.compute(**mixed, options=options)["segments"] == [1.0, 1.0]
    # The order of the segments does not matter, and each batch may have a different shape.
    reversed_batch = {name: texts[::-1] for name, texts in mixed.items()}
    assert metric.compute(**reversed_batch, options=options)["segments"] == [1.0, 1.0]
    for hypothesis, references in zip(*mixed.values(), strict=True):
        metric.add_batch(predictions=[hypothesis], references=[references])
    assert metric.compute(options=options)["segments"] == [1.0, 1.0]
    for hypothesis, references in zip(*mixed.values(), strict=True):
        metric.add(prediction=hypothesis, reference=references)
    assert metric.compute(options=options)["segments"] == [1.0, 1.0]
