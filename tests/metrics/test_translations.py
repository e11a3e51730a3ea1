"""Translations of a test set are scored once, and the scores are cached."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from meteor_e import ConfigError, Meteor
from meteor_e.api import SystemOutputs
from meteor_e.api.metrics import Scores
from meteor_e.base.array_cache import ArrayCache
from meteor_e.metrics.translations import chain_statistics, score_test_set, statistics_signature
from meteor_e.packs.resources import LanguageResources
from meteor_e.scoring.arrays import score_arrays

OUTPUTS = (["a b c", "d", "a"], ["c b a", "d e", ""])
REFERENCES = (["a b c", "d d", "x"], ["a", "d", "a x"])
TEST = SystemOutputs("set", "xx-yy", "other", ("one", "two"), OUTPUTS, REFERENCES)
SOME = np.array([[True, False, True], [False, True, False]])
ALL = np.ones_like(SOME)


@pytest.fixture
def meteor():
    return Meteor("other", matchers=["exact"], resources=LanguageResources())


def test_cells_are_scored_once(meteor, tmp_path, monkeypatch):
    metric, cache, told = meteor, ArrayCache(tmp_path), []
    some = score_test_set(metric, TEST, SOME, cache, systems=False, progress=lambda *progress: told.append(progress))
    assert told == [("METEOR", 2, 3), ("METEOR", 3, 3)]
    assert (np.isnan(some.segments) == ~SOME).all()
    found = score_test_set(metric, TEST, ALL, cache, systems=True)
    references = list(zip(*REFERENCES, strict=True))
    corpora = [meteor.corpus(output, references, segments=True) for output in OUTPUTS]
    assert found.segments.tolist() == [[segment.score for segment in corpus.segments] for corpus in corpora]
    assert found.systems.tolist() == [corpus.score for corpus in corpora]
    assert (found.segments == some.segments)[SOME].all()
    assert found.resample(0, np.array([[1, 1, 1], [3, 0, 0]])).tolist() == [found.systems[0], found.segments[0, 0]]
    monkeypatch.setattr(Meteor, "statistics", None)
    assert (score_test_set(metric, TEST, ALL, cache, systems=True).segments == found.segments).all()


def test_damaged_file_is_ignored(tmp_path):
    cache = ArrayCache(tmp_path / "new")
    cache.put("key", {"numbers": np.arange(3)})
    assert cache.get("key")["numbers"].tolist() == [0, 1, 2]
    assert cache.get("other") is ArrayCache(tmp_path / "new", enabled=False).get("key") is None
    (file,) = (tmp_path / "new").rglob("*.npz")
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert cache.get("key") is None
    with pytest.raises(ConfigError, match="cannot write to the cache"):
        ArrayCache(file).put("key", {})


def test_statistics_of_a_chain_serve_all_parameters(meteor, tmp_path):
    found = chain_statistics(meteor, TEST, SOME, ArrayCache(tmp_path))
    assert found.shape[:3] == (2, 3, 2)
    assert (found[~SOME] == -1).all()
    for parameters in ({}, {"alpha": 0.1, "gamma": 0.3}):
        other = Meteor("other", matchers=["exact"], resources=LanguageResources(), parameters=parameters)
        assert statistics_signature(other) == statistics_signature(meteor)
        scores = score_arrays(found, other.chain.parameters)
        assert scores[0, 0].tolist() == [other.score("a b c", text).score for text in ("a b c", "a")]


def test_scores_on_resampled_segments():
    scores = Scores("name", "signature", np.array([[1.0, 2, 6]]), np.array([3.0]))
    weights = np.array([[1, 1, 1], [0, 2, 1]])
    assert scores.resampled(0, weights).tolist() == [3, 10 / 3]
    assert scores.negated().resampled(0, weights).tolist() == [-3, -10 / 3]
    told = dataclasses.replace(scores, resample=lambda system, weights: weights[:, system])
    assert told.negated().resampled(0, weights).tolist() == [-1, 0]
    assert np.isnan(dataclasses.replace(told, resamplable=False).resampled(0, weights)).all()
