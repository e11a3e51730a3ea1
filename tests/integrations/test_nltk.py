from __future__ import annotations

import inspect

import pytest

from meteor_e import ConfigError, Meteor
from meteor_e.integrations.nltk import meteor_score, single_meteor_score

HYPOTHESIS = ["the", "train", "to", "lindau", "leaves", "today"]
REFERENCES = [["today", "'s", "train", "to", "lindau", "leaves"], ["the", "train", "leaves", "for", "lindau", "today"]]


@pytest.fixture(scope="module")
def meteor(tiny_pack):
    return Meteor("en", pack=tiny_pack, normalization="lower")


def test_equals_the_metric_on_the_joined_tokens(meteor):
    expected = meteor.score(" ".join(HYPOTHESIS), [" ".join(tokens) for tokens in REFERENCES]).score
    assert meteor_score(REFERENCES, HYPOTHESIS, meteor=meteor) == expected
    assert 0 < expected < 1


def test_reference_can_be_a_single_list(meteor):
    assert single_meteor_score(REFERENCES[0], HYPOTHESIS, meteor=meteor) == meteor_score(
        REFERENCES[:1], HYPOTHESIS, meteor=meteor
    )


def test_default_metric_has_the_java_programs_number(packs):
    # java -jar meteor-1.5.jar hypothesis reference -l en -lower, on the two lines joined by spaces
    assert meteor_score(
        [["the", "cat", "is", "on", "the", "mat"]], ["a", "cat", "sat", "on", "the", "mat"]
    ) == pytest.approx(0.37100556273578683, abs=1e-12)


def test_arguments_of_nltk_are_accepted(meteor, packs):
    """The arguments can be positional, and have the meaning of METEOR's parameters with these names."""
    with pytest.warns(UserWarning, match="stemmer and wordnet") as told:
        score = meteor_score(REFERENCES, HYPOTHESIS, str.lower, object(), object(), 0.9, 0.4, 0.5)
    own = Meteor("en", normalization="lower", parameters={"alpha": 0.9, "beta": 0.4, "gamma": 0.5})
    assert score == own.score(" ".join(HYPOTHESIS), [" ".join(tokens) for tokens in REFERENCES]).score
    assert [warning.filename for warning in told] == [__file__]
    # The warning comes once.
    assert meteor_score(REFERENCES, HYPOTHESIS, stemmer=object(), wordnet=object(), alpha=0.9) > 0


def test_names_of_nltk_are_all_available():
    nltk_score = pytest.importorskip("nltk.translate.meteor_score", reason="nltk is not installed")
    for name, ours in (("meteor_score", meteor_score), ("single_meteor_score", single_meteor_score)):
        theirs = list(inspect.signature(getattr(nltk_score, name)).parameters)
        assert list(inspect.signature(ours).parameters)[: len(theirs)] == theirs


def test_preprocess_is_called_with_each_token(meteor):
    shouted = [[word.upper() + "!" for word in tokens] for tokens in REFERENCES]
    strip = lambda word: word.strip("!")  # noqa: E731
    assert meteor_score(shouted, HYPOTHESIS, strip, meteor=meteor) == meteor_score(
        REFERENCES, HYPOTHESIS, meteor=meteor
    )


@pytest.mark.parametrize("value", ["0.9", [0.9], {}, b"1", 1j, object()])
def test_invalid_arguments_are_refused(meteor, value):
    with pytest.raises(ConfigError, match=r"beta must be a number, not \w"):
        meteor_score(REFERENCES, HYPOTHESIS, beta=value)
    with pytest.raises(ConfigError, match="preprocess must be a function"):
        meteor_score(REFERENCES, HYPOTHESIS, value, meteor=meteor)
    with pytest.raises(ConfigError, match="finite number"):
        meteor_score(REFERENCES, HYPOTHESIS, beta=float("nan"))


def test_parameters_beside_a_metric_are_refused(meteor):
    with pytest.raises(ConfigError, match="alpha"):
        meteor_score(REFERENCES, HYPOTHESIS, alpha=0.5, meteor=meteor)
