"""Tests of the estimators pairwise-logistic and segment-regression."""

from __future__ import annotations

import numpy as np
import pytest
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.pairwise_logistic import PairwiseLogistic
from meteor_e_learned.models.segment_regression import SegmentRegression

from meteor_e.base.errors import ConfigError


@pytest.fixture
def pairs():
    """Return pairs in which the better hypothesis has the larger first feature, with noise and irrelevant features."""
    generator = np.random.default_rng(0)
    first_rows, second_rows = generator.normal(size=(2, 400, 3))
    y = (first_rows[:, 0] - second_rows[:, 0] + 0.3 * generator.normal(size=400) > 0).astype(int)
    return np.hstack([first_rows, second_rows]), y


def test_strict_tau_counts_a_tie_as_an_error():
    assert strict_tau(np.array([1.0, 2.0, -1.0, 0.0])) == 0
    assert np.isnan(strict_tau(np.array([])))


def test_pairwise_logistic_learns_and_is_antisymmetric(pairs):
    X, y = pairs  # noqa: N806
    model = PairwiseLogistic.make(C=[0.01, 1.0]).fit(X[:300], y[:300])
    assert model.C_ in (0.01, 1.0)
    assert model.score(X[300:], y[300:]) > 0.7
    assert abs(model.weights_[0]) > 5 * abs(model.weights_[1:]).max()
    swapped = np.hstack([X[:, 3:], X[:, :3]])
    assert model.decision_function(swapped) == pytest.approx(-model.decision_function(X))
    scores = model.score_segments(X[:, :3]) - model.score_segments(X[:, 3:])
    assert scores == pytest.approx(model.decision_function(X))
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(np.ones(len(X)))
    restored_model = type(model)(model.options)
    restored_model.restore(model.arrays())
    assert (restored_model.decision_function(X) == model.decision_function(X)).all()
    with pytest.raises(ConfigError, match="4 numbers per pair"):
        model.predict(X[:, :4])


def test_pairwise_logistic_ignores_outliers_and_constants(pairs):
    X, y = pairs  # noqa: N806
    X = np.hstack([X[:, :3], np.ones((400, 1)), X[:, 3:], np.ones((400, 1))])  # noqa: N806
    model = PairwiseLogistic.make(C=1.0, clip=0.01).fit(X, y)
    assert model.weights_[3] == 0
    outlier = np.zeros((1, 8))
    outlier[0, 0] = 1e9
    assert abs(model.decision_function(outlier)[0]) < 100


@pytest.mark.parametrize("groups", [np.arange(200) % 6, np.zeros(200)])
def test_segment_regression_learns_a_quadratic_function(groups):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))  # noqa: N806
    y = X[:, 0] - X[:, 1] ** 2 + 0.1 * generator.normal(size=300)
    model = SegmentRegression.make(alphas=(10.0, 1e5)).fit(X[:200], y[:200], groups=groups)
    assert (model.degree_, model.alpha_) == (2, 10.0)
    assert model.score(X[200:], y[200:]) > 0.9
    restored_model = type(model)(model.options)
    restored_model.restore(model.arrays())
    assert (restored_model.predict(X) == model.predict(X)).all()
    assert 0.9 < max(model.folds_.values()) < 1


def test_segment_regression_equals_ridge_and_clips_scores():
    from sklearn.linear_model import Ridge

    generator = np.random.default_rng(5)
    X = np.hstack([generator.normal(size=(300, 4)), np.ones((300, 1))])  # noqa: N806
    y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + generator.normal(size=300)
    model = SegmentRegression.make(alphas=(5.0,), degrees=(1,), clip=0, clip_scores=0).fit(X, y)
    standardized = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
    assert model.predict(X) == pytest.approx(Ridge(alpha=5.0).fit(standardized, y).predict(standardized), abs=1e-10)
    y[0] = 1e6
    clipping_model = SegmentRegression.make(alphas=(5.0,), degrees=(1,), clip=0, clip_scores=0.05).fit(X, y)
    assert np.corrcoef(clipping_model.predict(X), model.predict(X))[0, 1] > 0.99
    for options, message in (
        ({"alphas": (0.0, 1.0)}, "above 0"),
        ({"alphas": ()}, "alphas: must be a list that is not empty"),
        ({"folds": 1}, "folds"),
        ({"degrees": (1, 3)}, "degrees.1.: must be one of 1, 2, not 3"),
        ({"clip": 0.5}, "clip: must be a number, at least 0 and below 0.5, not 0.5"),
        ({"clip_scores": -0.1}, "clip_scores: must be a number, .* not -0.1"),
    ):
        with pytest.raises(ConfigError, match=message):
            SegmentRegression.make(**options).fit(X, y)
