"""Tests of the metrics ``caption-light`` and ``caption-context`` and of the detector of broken captions."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from meteor_e_captions.broken import count_repetitions
from meteor_e_captions.lexicon import CaptionLexicon, kind_of
from meteor_e_captions.model import load_model

from meteor_e import Meteor, load_metric
from meteor_e.api import ConfigError

pytestmark = pytest.mark.usefixtures("packs")

HORSE = ["A man is riding a brown horse.", "The man's horse runs through a field."]
DOGS = ["Two dogs play in the snow.", "Two brown dogs are running outside."]

WHOLE = [
    "A man speaks followed by a dog barking", "Birds chirp and wind blows", "A motor vehicle engine is idling",
    "Rain falls and thunder roars in the distance", "A cat meows several times and a child laughs",
    "An engine revs up then slows down", "Someone is typing on a keyboard", "A bell rings repeatedly",
    "Footsteps on gravel with birds singing in the background", "A helicopter is flying overhead",
    "A saw cuts through wood", "Paper is crumpled and torn", "Frogs croak and crickets chirp at night",
    "A large group of people cheer and applaud", "Waves crash against the shore",
]  # fmt: skip
BROKEN = {
    "A man speaks followed by a": "it ends with",
    "A woman is speaking and a": "it ends with",
    "A motor vehicle engine is idling and a vehicle engine is idling": "it repeats 'vehicle engine is idling'",
    "Rain falls and thunder roars in the": "it ends with",
    "A cat meows and a cat meows and a cat meows": "it repeats",
    "A crowd of people are talking in a": "it ends with",
    "A helicopter is flying and a helicopter is": "it repeats",
    "A door opens and closes and a door opens and closes": "it repeats",
    "A vehicle engine is running and then": "it ends with",
    "A series of of beeps": "it repeats 'of'",
    "A is barking while a man speaks": "'a is'",
}
"""Captions of sounds. The detector was trained only on captions of images."""


def test_broken_captions():
    reports = load_metric("caption-light").reports([*WHOLE, *BROKEN, ""], [DOGS] * (len(WHOLE) + len(BROKEN) + 1))
    for report in reports[: len(WHOLE)]:
        assert report.broken < 0.75, report
    for report, reason in zip(reports[len(WHOLE) : -1], BROKEN.values(), strict=True):
        assert report.broken > 0.75, report
        assert any(reason in each for each in report.reasons), report
    assert reports[-1].broken > 0.999
    assert reports[-1].reasons == ["it has no words"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("", [0, 0, 0, 0, 0, 1, 0]), ("dog", [0, 0, 0, 0, 0, 1, 0]), ("a man and a dog", [0] * 7),
     ("a dog barks and a dog barks", [2, 2, 1, 0, 3, 0, 0.5]), ("dog dog", [1, 0, 0, 1, 1, 1, 0.5]),
     ("a a a", [0, 0, 0, 2, 1, 1, 0]), ("a dog " * 40, [3, 3, 3, 0, 8, 0, 39 / 40])],
)  # fmt: skip
def test_repetitions(text, found):
    lexicon = CaptionLexicon(Meteor("en"))
    # The other captions must not affect the result.
    numbered = lexicon.encode(["a dog runs", text, "a dog runs a dog runs"])
    assert count_repetitions(lexicon, numbered)[1].tolist() == found


@pytest.mark.parametrize(
    ("word", "kind"),
    [("dog", "object"), ("building", "object"), ("riding", "action"), ("barks", "action"), ("red", "color"),
     ("two", "number"), ("12", "number"), ("under", "relation"), ("the", "function"), ("loudly", "attribute")],
)  # fmt: skip
def test_kinds_of_words(word, kind):
    assert kind_of(word) == kind


def test_scores_of_better_captions_are_higher():
    metric = load_metric("caption-light")
    captions = [
        "A man rides a horse in a field.", "A man rides a horse.", "A woman rides a horse.", "A dog runs on grass.",
        "Two cats sleep.", "",
    ]  # fmt: skip
    scores = [metric.score(caption, HORSE).score for caption in captions]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert metric.score("A man rides a", HORSE).score < metric.score("A man rides", HORSE).score


def test_synonyms_are_half_right():
    metric = load_metric("caption-light")
    columns = metric.features(["a couch", "a sofa", "a tree"], [["a sofa"]] * 3)
    assert columns["precision"][1] == pytest.approx(1)
    assert columns["precision"][2] < columns["precision"][0] < columns["precision"][1]


def test_contradictions():
    columns = load_metric("caption-light").features(
        ["a woman", "a man", "a man and a woman", "three dogs", "no dogs"], [["a man"]] * 3 + [["two dogs"]] * 2
    )
    assert columns["opposites"].tolist() == [-1, 0, 0, -1, 0]
    assert columns["negation"].tolist() == [0, 0, 0, 0, -1]


def test_scores_do_not_depend_on_other_captions():
    metric = load_metric("caption-light")
    captions, references = [*WHOLE, *BROKEN], [DOGS, HORSE] * 13
    together = metric.corpus(captions, references, segments=True).segment_scores
    alone = [load_metric("caption-light").score(*pair).score for pair in zip(captions, references, strict=True)]
    assert together.tolist() == alone
    assert metric.corpus(captions, references).score == pytest.approx(np.mean(alone))


def test_score_hardly_depends_on_case_and_punctuation():
    metric = load_metric("caption-light")
    scores = [
        metric.score(text, HORSE).score
        for text in ("A man rides a horse.", "a man rides a horse .", "A MAN RIDES A HORSE!")
    ]
    assert max(scores) - min(scores) < 0.02


def test_captions_without_words():
    metric = load_metric("caption-light")
    assert np.isfinite(
        [float(metric.score(*pair)) for pair in (("", ["", "..."]), ("a dog", [""]), ("...", DOGS))]
    ).all()


def test_metric_refuses_other_languages():
    with pytest.raises(ConfigError, match="English"):
        load_metric("caption-light", language="de")


def test_metric_explains_differences():
    metric = load_metric("caption-light")
    (report,) = metric.reports(["A cat rides a"], [HORSE])
    assert set(report.missing["object"]) >= {"man", "horse"}
    assert report.invented == {"object": ["cat"]}
    assert "not in any reference: objects cat" in str(report)
    assert report.to_dict()["caption"] == "A cat rides a"
    text = metric.explain(
        ["Two dogs play.", "A man rides."], ["Two dogs and a", "A cat."], [DOGS, HORSE], ("one", "two")
    )
    assert "two invents most often: cat (1)" in text
    assert "two: 1 of 2 captions are probably broken, such as 'Two dogs and a'" in text


def test_weights_are_signed_and_metrics_are_pickled():
    for name in ("caption-light", "caption-context"):
        model = load_model(name)
        assert (model.weights >= 0).all()
        assert model.weights.any()
    metric = load_metric("caption-light")
    again = pickle.loads(pickle.dumps(metric))
    assert again.score("two dogs", DOGS) == metric.score("two dogs", DOGS)


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Install a small encoder, and return its name."""
    monkeypatch.setenv("METEOR_E_ENCODERS", str(tmp_path / "encoders"))
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "meteor-e-vectors" / "tests"))
    pytest.importorskip("onnxruntime")
    import tiny_encoder
    from meteor_e_vectors.contextual.install import add_encoder

    from meteor_e.base.progress import silent

    network, tokenizer = tmp_path / "model.onnx", tmp_path / "tokenizer.json"
    tiny_encoder.write_network(network)
    tiny_encoder.write_tokenizer(tokenizer)
    add_encoder("tiny", network, tokenizer, layers=("layer_1", "last_hidden_state"), pieces=12, progress=silent)
    yield "tiny"
    sys.modules.pop("tiny_encoder", None)


def test_metric_with_an_encoder(tiny):
    metric = load_metric("caption-context", encoder=tiny)
    captions = ["the cat sat", "the feline rested", "the dog", "", "unknown"]
    references = [["the cat sat", "a cat rested"]] * 5
    columns = metric.features(captions, references)
    cosines = columns["encoder cosine"]
    assert columns["best encoder cosine"][0] == pytest.approx(1, abs=1e-6)
    assert cosines[0] > cosines[1] > cosines[2]
    together = metric.corpus(captions, references, segments=True).segment_scores
    assert together[1] == load_metric("caption-context", encoder=tiny).score(captions[1], references[1]).score
    assert "encoder:" in metric.signature


def test_scores_have_the_types_of_pycocoevalcap():
    from meteor_e_captions.coco import CaptionMetric

    scorer = CaptionMetric("caption-light")
    gts, res = {"b": DOGS, "a": HORSE}, {"a": ["a man on a horse"], "b": ["two dogs"]}
    score, scores = scorer.compute_score(gts, res)
    metric = load_metric("caption-light")
    assert scores == [metric.score("two dogs", DOGS).score, metric.score("a man on a horse", HORSE).score]
    assert score == pytest.approx(np.mean(scores))
    assert str(scorer) == scorer.method() == "caption-light"
