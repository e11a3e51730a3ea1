"""Tests of the feature ``meteor``, which contains the scores and statistics of METEOR."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_learned.features.meteor import MeteorFeature

from meteor_e import Meteor
from meteor_e.api import ConfigError, MatcherContext
from meteor_e.packs.resources import LanguageResources
from meteor_e.plugins.registry import plugin_registry
from meteor_e.testing import check_component

HYPOTHESES = ["a cat sat on the mat", "the boats left", "nothing here fits"]
REFERENCES = [["the cat sat on a mat", "a cat sat on the mat"], ["the boat left"], ["unlike any word"]]


def default_context():
    """Return the context of an English recipe without a pack."""
    return MatcherContext(plugin_registry().languages.get("en"), LanguageResources())


def make_chain(language="other"):
    """Return the configuration of a chain with two matchers."""
    return {"language": language, "matchers": ["exact", {"use": "stem", "stemmer": "english", "weight": 0.5}]}


def test_meteor_feature_equals_the_scores_of_meteor():
    feature = MeteorFeature.make(default_context(), chain=make_chain())
    rows = feature.extract(HYPOTHESES, REFERENCES)
    assert rows.dtype == np.float64
    assert rows.shape == (3, feature.dimension) == (3, 13 + 2 * 7)
    assert len(set(feature.columns)) == feature.dimension
    meteor = Meteor.from_config(make_chain())
    for row, hypothesis, references in zip(rows, HYPOTHESES, REFERENCES, strict=True):
        values = dict(zip(feature.columns, row, strict=True))
        result = meteor.score(hypothesis, references)
        for name in ("score", "precision", "recall", "fmean", "fragmentation_penalty"):
            assert values[name] == getattr(result, name)
        assert values["chunks"] == result.statistics.chunks
        assert values["stem.hypothesis_content"] == result.statistics.matchers[1].hypothesis_content
        assert values["exact.score"] + values["stem.score"] == pytest.approx(result.score)
    assert rows[1][feature.columns.index("stem.reference_content")] == 1
    assert feature.describe() == meteor.signature


def test_meteor_feature_numbers_repeated_matchers():
    feature = MeteorFeature.make(
        default_context(), chain={"language": "other", "matchers": ["exact", *make_chain()["matchers"]]}
    )
    assert [name for name in feature.columns if name.endswith(".score")] == [
        "exact.score",
        "exact#2.score",
        "stem.score",
    ]
    assert len(set(feature.columns)) == feature.dimension


def test_meteor_feature_passes_interface_checks():
    check_component(MeteorFeature, chain=make_chain())


def test_meteor_feature_uses_the_language_of_the_recipe():
    context = default_context()._replace(language=default_context().language.__class__("xx", "X", ("exact",), {}, "li"))
    for options in ({}, {"chain": {"matchers": ["exact"]}}):
        with pytest.raises(ConfigError, match="'xx'"):
            MeteorFeature.make(context, **options)
    feature = MeteorFeature.make(context, chain=make_chain())
    assert "lang:other" in feature.describe()


def test_meteor_feature_applies_settings_to_its_chain():
    expected_chain = {"language": "other", "matchers": ["exact", {"use": "stem", "stemmer": "german", "weight": 0.25}]}
    feature = MeteorFeature.make(
        default_context(), chain=make_chain(), settings={"stem": {"stemmer": "german", "weight": 0.25}}
    )
    assert feature.describe() == Meteor.from_config(expected_chain).signature
    assert "0.25(german)" in feature.describe()
    with pytest.raises(ConfigError, match=r"cannot set stme\.weight: .*did you mean 'stem'"):
        MeteorFeature.make(default_context(), chain=make_chain(), settings={"stme": {"weight": 0.25}})
    for invalid_settings in ("stem.weight=1", {"stem": 0.25}):
        with pytest.raises(ConfigError, match="settings"):
            MeteorFeature.make(default_context(), chain=make_chain(), settings=invalid_settings)
