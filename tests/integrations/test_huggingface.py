from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

HYPOTHESES = ["the train leaves today", "he closed the door"]


@pytest.fixture
def metric(huggingface_metric):
    return huggingface_metric


@pytest.mark.parametrize(
    "references",
    [["today the train leaves", "he shut the door"], [["today the train leaves"], ["he shut the door"]]],
    ids=["texts", "lists"],
)
@pytest.mark.filterwarnings("ignore")
def test_compute(metric, references, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    result = metric.compute(predictions=HYPOTHESES, references=references, options=options)
    corpus = Meteor("en", **options).corpus(HYPOTHESES, references, segments=True)
    assert result["meteor"] == sum(segment.score for segment in corpus.segments) / 2
    assert result["corpus"] == corpus.score
    assert result["segments"] == [segment.score for segment in corpus.segments]
    assert result["signature"] == corpus.signature
    assert 0 < result["meteor"] < 1
    # Options that JSON cannot hold are Meteor's, too.
    assert (
        metric.compute(predictions=HYPOTHESES, references=references, options={**options, "pack": tiny_pack}) == result
    )


def test_batch_without_segments_is_refused(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    for batch in ({"predictions": [], "references": []}, {}):
        with pytest.raises(InputError, match="no segments"):
            metric.compute(**batch, options=options)
    # An empty batch among others adds nothing.
    metric.add_batch(predictions=[], references=[])
    metric.add_batch(predictions=["he closed the door"], references=["he closed the door"])
    assert metric.compute(options=options)["segments"] == [1.0]


def test_parameters_of_nltk(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    segments = {"predictions": HYPOTHESES, "references": ["today the train leaves", "he shut the door"]}
    given = {"alpha": 0.9, "beta": 3.0, "gamma": 0.5}
    found = metric.compute(**segments, options=options, **given)
    meteor = Meteor("en", **options, parameters=given)
    assert found["corpus"] == meteor.corpus(segments["predictions"], segments["references"]).score
    assert found["corpus"] != metric.compute(**segments, options=options)["corpus"]


def test_numbers_only(metric, tiny_pack):
    """Documents are scored one by one and averaged, as in lm-eval."""
    import evaluate

    from meteor_e.integrations.huggingface import NUMBERS

    numbers = evaluate.load(NUMBERS)
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    segments = {"predictions": HYPOTHESES, "references": ["today the train leaves", "he shut the door"]}
    found = numbers.compute(**segments, options=options)
    whole = metric.compute(**segments, options=options)
    assert all(type(value) is float for value in found.values())
    assert whole == {**found, "segments": whole["segments"], "signature": whole["signature"]}
    each = [
        numbers.compute(predictions=[text], references=[reference], options=options)["meteor"]
        for text, reference in zip(*segments.values(), strict=True)
    ]
    assert sum(each) / 2 == found["meteor"]


@pytest.mark.filterwarnings("ignore")
def test_references_of_mixed_shape(metric, tiny_pack):
    options = {"pack": str(tiny_pack), "normalization": "lower"}
    mixed = {"predictions": ["the cat sat", "dog"], "references": [["the cat sat", "cat"], "dog"]}
    assert metric.compute(**mixed, options=options)["segments"] == [1.0, 1.0]
    # In either order, and in batches of one shape each.
    reversed_batch = {name: texts[::-1] for name, texts in mixed.items()}
    assert metric.compute(**reversed_batch, options=options)["segments"] == [1.0, 1.0]
    for hypothesis, references in zip(*mixed.values(), strict=True):
        metric.add_batch(predictions=[hypothesis], references=[references])
    assert metric.compute(options=options)["segments"] == [1.0, 1.0]
    for hypothesis, references in zip(*mixed.values(), strict=True):
        metric.add(prediction=hypothesis, reference=references)
    assert metric.compute(options=options)["segments"] == [1.0, 1.0]
