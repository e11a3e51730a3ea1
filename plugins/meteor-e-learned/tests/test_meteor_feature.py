"""METEOR as a feature."""

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
    return MatcherContext(plugin_registry().languages.get("en"), LanguageResources())


def chain(language="other"):
    return {"language": language, "matchers": ["exact", {"use": "stem", "stemmer": "english", "weight": 0.5}]}


def test_meteor():
    feature = MeteorFeature.make(default_context(), chain=chain())
    rows = feature.extract(HYPOTHESES, REFERENCES)
    assert rows.dtype == np.float64
    assert rows.shape == (3, feature.dimension) == (3, 13 + 2 * 7)
    assert len(set(feature.columns)) == feature.dimension
    meteor = Meteor.from_config(chain())
    for row, hypothesis, references in zip(rows, HYPOTHESES, REFERENCES, strict=True):
        values = dict(zip(feature.columns, row, strict=True))
        scored = meteor.score(hypothesis, references)
        for name in ("score", "precision", "recall", "fmean", "fragmentation_penalty"):
            assert values[name] == getattr(scored, name)
        assert values["chunks"] == scored.statistics.chunks
        assert values["stem.hypothesis_content"] == scored.statistics.matchers[1].hypothesis_content
        assert values["exact.score"] + values["stem.score"] == pytest.approx(scored.score)
    assert rows[1][feature.columns.index("stem.reference_content")] == 1
    assert feature.describe() == meteor.signature


def test_a_matcher_that_a_chain_has_twice():
    feature = MeteorFeature.make(
        default_context(), chain={"language": "other", "matchers": ["exact", *chain()["matchers"]]}
    )
    assert [name for name in feature.columns if name.endswith(".score")] == [
        "exact.score",
        "exact#2.score",
        "stem.score",
    ]
    assert len(set(feature.columns)) == feature.dimension


def test_meteor_conforms():
    check_component(MeteorFeature, chain=chain())


def test_meteor_takes_the_language_of_the_recipe():
    german = default_context()._replace(language=default_context().language.__class__("xx", "X", ("exact",), {}, "li"))
    for options in ({}, {"chain": {"matchers": ["exact"]}}):
        with pytest.raises(ConfigError, match="'xx'"):
            MeteorFeature.make(german, **options)
    feature = MeteorFeature.make(german, chain=chain())
    assert "lang:other" in feature.describe()


def test_settings_of_a_chain():
    changed = {"language": "other", "matchers": ["exact", {"use": "stem", "stemmer": "german", "weight": 0.25}]}
    feature = MeteorFeature.make(
        default_context(), chain=chain(), settings={"stem": {"stemmer": "german", "weight": 0.25}}
    )
    assert feature.describe() == Meteor.from_config(changed).signature
    assert "0.25(german)" in feature.describe()
    with pytest.raises(ConfigError, match=r"cannot set stme\.weight: .*did you mean 'stem'"):
        MeteorFeature.make(default_context(), chain=chain(), settings={"stme": {"weight": 0.25}})
    for wrong in ("stem.weight=1", {"stem": 0.25}):
        with pytest.raises(ConfigError, match="settings"):
            MeteorFeature.make(default_context(), chain=chain(), settings=wrong)
