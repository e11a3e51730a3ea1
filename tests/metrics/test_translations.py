"""Test that the translations of a test set are scored once and that their scores are cached."""

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
"""Two references for each segment. Each list has one reference for all segments."""

TEST_SET = SystemOutputs("set", "xx-yy", "other", ("one", "two"), OUTPUTS, REFERENCES)
SOME_CELLS = np.array([[True, False, True], [False, True, False]])
"""The segments to score, with one row for each system."""

ALL_CELLS = np.ones_like(SOME_CELLS)


@pytest.fixture
def meteor():
    return Meteor("other", matchers=["exact"], resources=LanguageResources())


def test_score_test_set_caches_scores(meteor, tmp_path, monkeypatch):
    cache = ArrayCache(tmp_path)
    reports = []
    some_scores = score_test_set(
        meteor, TEST_SET, SOME_CELLS, cache, systems=False, progress=lambda *report: reports.append(report)
    )
    assert reports == [("METEOR", 2, 3), ("METEOR", 3, 3)]
    assert (np.isnan(some_scores.segments) == ~SOME_CELLS).all()
    scores = score_test_set(meteor, TEST_SET, ALL_CELLS, cache, systems=True)
    references = list(zip(*REFERENCES, strict=True))
    corpora = [meteor.corpus(output, references, segments=True) for output in OUTPUTS]
    assert scores.segments.tolist() == [[segment.score for segment in corpus.segments] for corpus in corpora]
    assert scores.systems.tolist() == [corpus.score for corpus in corpora]
    assert (scores.segments == some_scores.segments)[SOME_CELLS].all()
    weights = np.array([[1, 1, 1], [3, 0, 0]])
    assert scores.resample(0, weights).tolist() == [scores.systems[0], scores.segments[0, 0]]
    # Cached segments are not scored again.
    monkeypatch.setattr(Meteor, "statistics", None)
    cached_scores = score_test_set(meteor, TEST_SET, ALL_CELLS, cache, systems=True)
    assert (cached_scores.segments == scores.segments).all()


def test_array_cache_ignores_damaged_files(tmp_path):
    cache = ArrayCache(tmp_path / "new")
    cache.put("key", {"numbers": np.arange(3)})
    assert cache.get("key")["numbers"].tolist() == [0, 1, 2]
    assert cache.get("other") is None
    assert ArrayCache(tmp_path / "new", enabled=False).get("key") is None
    (file,) = (tmp_path / "new").rglob("*.npz")
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert cache.get("key") is None
    with pytest.raises(ConfigError, match="cannot write to the cache"):
        ArrayCache(file).put("key", {})


def test_chain_statistics_can_be_scored_with_all_parameters(meteor, tmp_path):
    statistics = chain_statistics(meteor, TEST_SET, SOME_CELLS, ArrayCache(tmp_path))
    # The axes are systems, segments and references.
    assert statistics.shape[:3] == (2, 3, 2)
    assert (statistics[~SOME_CELLS] == -1).all()
    for parameters in ({}, {"alpha": 0.1, "gamma": 0.3}):
        metric = Meteor("other", matchers=["exact"], resources=LanguageResources(), parameters=parameters)
        assert statistics_signature(metric) == statistics_signature(meteor)
        scores = score_arrays(statistics, metric.chain.parameters)
        assert scores[0, 0].tolist() == [metric.score("a b c", text).score for text in ("a b c", "a")]


def test_resampled_returns_the_scores_of_samples():
    scores = Scores("name", "signature", np.array([[1.0, 2, 6]]), np.array([3.0]))
    weights = np.array([[1, 1, 1], [0, 2, 1]])
    assert scores.resampled(0, weights).tolist() == [3, 10 / 3]
    assert scores.negated().resampled(0, weights).tolist() == [-3, -10 / 3]
    custom = dataclasses.replace(scores, resample=lambda system, weights: weights[:, system])
    assert custom.negated().resampled(0, weights).tolist() == [-1, 0]
    assert np.isnan(dataclasses.replace(custom, resamplable=False).resampled(0, weights)).all()
