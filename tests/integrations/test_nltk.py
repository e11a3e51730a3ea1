"""Tests for the replacement of METEOR in nltk."""

from __future__ import annotations

import inspect

import pytest

from meteor_e import ConfigError, Meteor
from meteor_e.integrations.nltk import meteor_score, single_meteor_score

HYPOTHESIS = ["the", "train", "to", "lindau", "leaves", "today"]
REFERENCES = [["today", "'s", "train", "to", "lindau", "leaves"], ["the", "train", "leaves", "for", "lindau", "today"]]


@pytest.fixture(scope="module")
def meteor(tiny_pack):
    """Return a metric with a small English pack."""
    return Meteor("en", pack=tiny_pack, normalization="lower")


def test_meteor_score_equals_the_metric_on_joined_tokens(meteor):
    expected = meteor.score(" ".join(HYPOTHESIS), [" ".join(tokens) for tokens in REFERENCES]).score
    assert meteor_score(REFERENCES, HYPOTHESIS, meteor=meteor) == expected
    assert 0 < expected < 1


def test_single_meteor_score_takes_one_reference(meteor):
    assert single_meteor_score(REFERENCES[0], HYPOTHESIS, meteor=meteor) == meteor_score(
        REFERENCES[:1], HYPOTHESIS, meteor=meteor
    )


def test_meteor_score_equals_the_java_program(packs):
    # Command for the expected score: java -jar meteor-1.5.jar hypothesis reference -l en -lower
    # Each of the two files contains the tokens below, joined by spaces.
    score = meteor_score([["the", "cat", "is", "on", "the", "mat"]], ["a", "cat", "sat", "on", "the", "mat"])
    assert score == pytest.approx(0.37100556273578683, abs=1e-12)


def test_meteor_score_accepts_the_arguments_of_nltk(meteor, packs):
    """The arguments may be positional. The numbers set METEOR's parameters alpha, beta and gamma."""
    with pytest.warns(UserWarning, match="stemmer and wordnet") as warning_records:
        score = meteor_score(REFERENCES, HYPOTHESIS, str.lower, object(), object(), 0.9, 0.4, 0.5)
    metric = Meteor("en", normalization="lower", parameters={"alpha": 0.9, "beta": 0.4, "gamma": 0.5})
    assert score == metric.score(" ".join(HYPOTHESIS), [" ".join(tokens) for tokens in REFERENCES]).score
    assert [warning.filename for warning in warning_records] == [__file__]
    # The warning is shown only once.
    assert meteor_score(REFERENCES, HYPOTHESIS, stemmer=object(), wordnet=object(), alpha=0.9) > 0


def test_functions_have_the_parameters_of_nltk():
    nltk_score = pytest.importorskip("nltk.translate.meteor_score", reason="nltk is not installed")
    for name, our_function in (("meteor_score", meteor_score), ("single_meteor_score", single_meteor_score)):
        nltk_parameters = list(inspect.signature(getattr(nltk_score, name)).parameters)
        our_parameters = list(inspect.signature(our_function).parameters)
        assert our_parameters[: len(nltk_parameters)] == nltk_parameters


def test_preprocess_is_applied_to_each_token(meteor):
    modified_references = [[word.upper() + "!" for word in tokens] for tokens in REFERENCES]
    strip_marks = lambda word: word.strip("!")  # noqa: E731
    assert meteor_score(modified_references, HYPOTHESIS, strip_marks, meteor=meteor) == meteor_score(
        REFERENCES, HYPOTHESIS, meteor=meteor
    )


@pytest.mark.parametrize("value", ["0.9", [0.9], {}, b"1", 1j, object()])
def test_meteor_score_rejects_invalid_arguments(meteor, value):
    with pytest.raises(ConfigError, match=r"beta must be a number, not \w"):
        meteor_score(REFERENCES, HYPOTHESIS, beta=value)
    with pytest.raises(ConfigError, match="preprocess must be a function"):
        meteor_score(REFERENCES, HYPOTHESIS, value, meteor=meteor)
    with pytest.raises(ConfigError, match="finite number"):
        meteor_score(REFERENCES, HYPOTHESIS, beta=float("nan"))


def test_meteor_score_rejects_parameters_with_a_metric(meteor):
    with pytest.raises(ConfigError, match="alpha"):
        meteor_score(REFERENCES, HYPOTHESIS, alpha=0.5, meteor=meteor)
