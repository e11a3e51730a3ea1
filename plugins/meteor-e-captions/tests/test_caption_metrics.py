"""Test the metrics ``caption-light`` and ``caption-context`` and the detector of broken captions."""

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

COMPLETE_CAPTIONS = [
    "A man speaks followed by a dog barking", "Birds chirp and wind blows", "A motor vehicle engine is idling",
    "Rain falls and thunder roars in the distance", "A cat meows several times and a child laughs",
    "An engine revs up then slows down", "Someone is typing on a keyboard", "A bell rings repeatedly",
    "Footsteps on gravel with birds singing in the background", "A helicopter is flying overhead",
    "A saw cuts through wood", "Paper is crumpled and torn", "Frogs croak and crickets chirp at night",
    "A large group of people cheer and applaud", "Waves crash against the shore",
]  # fmt: skip
BROKEN_CAPTIONS = {
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
"""Broken captions of sounds, and their problems. The detector was trained only on captions of images."""


def test_reports_detect_broken_captions():
    captions = [*COMPLETE_CAPTIONS, *BROKEN_CAPTIONS, ""]
    reports = load_metric("caption-light").reports(captions, [DOGS] * len(captions))
    for report in reports[: len(COMPLETE_CAPTIONS)]:
        assert report.broken < 0.75, report
    for report, expected_reason in zip(reports[len(COMPLETE_CAPTIONS) : -1], BROKEN_CAPTIONS.values(), strict=True):
        assert report.broken > 0.75, report
        assert any(expected_reason in reason for reason in report.reasons), report
    assert reports[-1].broken > 0.999
    assert reports[-1].reasons == ["it has no words"]


@pytest.mark.parametrize(
    ("text", "counts"),
    [("", [0, 0, 0, 0, 0, 1, 0]), ("dog", [0, 0, 0, 0, 0, 1, 0]), ("a man and a dog", [0] * 7),
     ("a dog barks and a dog barks", [2, 2, 1, 0, 3, 0, 0.5]), ("dog dog", [1, 0, 0, 1, 1, 1, 0.5]),
     ("a a a", [0, 0, 0, 2, 1, 1, 0]), ("a dog " * 40, [3, 3, 3, 0, 8, 0, 39 / 40])],
)  # fmt: skip
def test_count_repetitions_ignores_other_captions(text, counts):
    lexicon = CaptionLexicon(Meteor("en"))
    encoded_captions = lexicon.encode(["a dog runs", text, "a dog runs a dog runs"])
    assert count_repetitions(lexicon, encoded_captions)[1].tolist() == counts


@pytest.mark.parametrize(
    ("word", "kind"),
    [("dog", "object"), ("building", "object"), ("riding", "action"), ("barks", "action"), ("red", "color"),
     ("two", "number"), ("12", "number"), ("under", "relation"), ("the", "function"), ("loudly", "attribute")],
)  # fmt: skip
def test_kind_of_returns_the_kind_of_a_word(word, kind):
    assert kind_of(word) == kind


def test_metric_returns_higher_scores_for_better_captions():
    metric = load_metric("caption-light")
    captions = [
        "A man rides a horse in a field.", "A man rides a horse.", "A woman rides a horse.", "A dog runs on grass.",
        "Two cats sleep.", "",
    ]  # fmt: skip
    scores = [metric.score(caption, HORSE).score for caption in captions]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == len(scores)
    assert metric.score("A man rides a", HORSE).score < metric.score("A man rides", HORSE).score


def test_synonyms_are_less_precise_than_equal_words():
    metric = load_metric("caption-light")
    columns = metric.features(["a couch", "a sofa", "a tree"], [["a sofa"]] * 3)
    assert columns["precision"][1] == pytest.approx(1)
    assert columns["precision"][2] < columns["precision"][0] < columns["precision"][1]


def test_features_detect_contradictions():
    columns = load_metric("caption-light").features(
        ["a woman", "a man", "a man and a woman", "three dogs", "no dogs"], [["a man"]] * 3 + [["two dogs"]] * 2
    )
    assert columns["opposites"].tolist() == [-1, 0, 0, -1, 0]
    assert columns["negation"].tolist() == [0, 0, 0, 0, -1]


def test_scores_do_not_depend_on_other_captions():
    metric = load_metric("caption-light")
    captions, references = [*COMPLETE_CAPTIONS, *BROKEN_CAPTIONS], [DOGS, HORSE] * 13
    corpus_scores = metric.corpus(captions, references, segments=True).segment_scores
    single_scores = [load_metric("caption-light").score(*pair).score for pair in zip(captions, references, strict=True)]
    assert corpus_scores.tolist() == single_scores
    assert metric.corpus(captions, references).score == pytest.approx(np.mean(single_scores))


def test_score_hardly_depends_on_case_and_punctuation():
    metric = load_metric("caption-light")
    scores = [
        metric.score(text, HORSE).score
        for text in ("A man rides a horse.", "a man rides a horse .", "A MAN RIDES A HORSE!")
    ]
    assert max(scores) - min(scores) < 0.02


def test_scores_of_captions_without_words_are_finite():
    metric = load_metric("caption-light")
    pairs = (("", ["", "..."]), ("a dog", [""]), ("...", DOGS))
    scores = [float(metric.score(caption, references)) for caption, references in pairs]
    assert np.isfinite(scores).all()


def test_metric_rejects_other_languages():
    with pytest.raises(ConfigError, match="English"):
        load_metric("caption-light", language="de")


def test_metric_explains_differences():
    metric = load_metric("caption-light")
    (report,) = metric.reports(["A cat rides a"], [HORSE])
    assert set(report.missing["object"]) >= {"man", "horse"}
    assert report.invented == {"object": ["cat"]}
    assert "not in any reference: objects cat" in str(report)
    assert report.to_dict()["caption"] == "A cat rides a"
    explanation = metric.explain(
        ["Two dogs play.", "A man rides."], ["Two dogs and a", "A cat."], [DOGS, HORSE], ("one", "two")
    )
    assert "two invents most often: cat (1)" in explanation
    assert "two: 1 of 2 captions are probably broken, such as 'Two dogs and a'" in explanation


def test_weights_are_not_negative_and_metric_can_be_pickled():
    for name in ("caption-light", "caption-context"):
        model = load_model(name)
        assert (model.weights >= 0).all()
        assert model.weights.any()
    metric = load_metric("caption-light")
    copy = pickle.loads(pickle.dumps(metric))
    assert copy.score("two dogs", DOGS) == metric.score("two dogs", DOGS)


@pytest.fixture
def encoder_name(monkeypatch, tmp_path):
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


def test_context_metric_scores_with_an_encoder(encoder_name):
    metric = load_metric("caption-context", encoder=encoder_name)
    captions = ["the cat sat", "the feline rested", "the dog", "", "unknown"]
    references = [["the cat sat", "a cat rested"]] * 5
    columns = metric.features(captions, references)
    cosines = columns["encoder cosine"]
    assert columns["best encoder cosine"][0] == pytest.approx(1, abs=1e-6)
    assert cosines[0] > cosines[1] > cosines[2]
    corpus_scores = metric.corpus(captions, references, segments=True).segment_scores
    new_metric = load_metric("caption-context", encoder=encoder_name)
    assert corpus_scores[1] == new_metric.score(captions[1], references[1]).score
    assert "encoder:" in metric.signature


def test_caption_metric_has_the_interface_of_pycocoevalcap():
    from meteor_e_captions.coco import CaptionMetric

    scorer = CaptionMetric("caption-light")
    gts, res = {"b": DOGS, "a": HORSE}, {"a": ["a man on a horse"], "b": ["two dogs"]}
    score, scores = scorer.compute_score(gts, res)
    metric = load_metric("caption-light")
    assert scores == [metric.score("two dogs", DOGS).score, metric.score("a man on a horse", HORSE).score]
    assert score == pytest.approx(np.mean(scores))
    assert str(scorer) == scorer.method() == "caption-light"
