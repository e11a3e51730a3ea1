from __future__ import annotations

import numpy as np
import pytest
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.pairwise_logistic import PairwiseLogistic
from meteor_e_learned.models.segment_regression import SegmentRegression

from meteor_e.base.errors import ConfigError


@pytest.fixture
def pairs():
    """Pairs whose better side has the larger first feature, with noise and a feature without meaning."""
    random = np.random.default_rng(0)
    left, right = random.normal(size=(2, 400, 3))
    y = (left[:, 0] - right[:, 0] + 0.3 * random.normal(size=400) > 0).astype(int)
    return np.hstack([left, right]), y


def test_strict_tau():
    assert strict_tau(np.array([1.0, 2.0, -1.0, 0.0])) == 0
    assert np.isnan(strict_tau(np.array([])))


def test_logistic_learns_and_is_antisymmetric(pairs):
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
    again = type(model)(model.options)
    again.restore(model.arrays())
    assert (again.decision_function(X) == model.decision_function(X)).all()
    with pytest.raises(ConfigError, match="4 numbers per pair"):
        model.predict(X[:, :4])


def test_logistic_ignores_outliers_and_constants(pairs):
    X, y = pairs  # noqa: N806
    X = np.hstack([X[:, :3], np.ones((400, 1)), X[:, 3:], np.ones((400, 1))])  # noqa: N806
    model = PairwiseLogistic.make(C=1.0, clip=0.01).fit(X, y)
    assert model.weights_[3] == 0
    far = np.zeros((1, 8))
    far[0, 0] = 1e9
    assert abs(model.decision_function(far)[0]) < 100


@pytest.mark.parametrize("groups", [np.arange(200) % 6, np.zeros(200)])
def test_regression(groups):
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))  # noqa: N806
    y = X[:, 0] - X[:, 1] ** 2 + 0.1 * random.normal(size=300)
    model = SegmentRegression.make(alphas=(10.0, 1e5)).fit(X[:200], y[:200], groups=groups)
    assert (model.degree_, model.alpha_) == (2, 10.0)
    assert model.score(X[200:], y[200:]) > 0.9
    again = type(model)(model.options)
    again.restore(model.arrays())
    assert (again.predict(X) == model.predict(X)).all()
    assert 0.9 < max(model.folds_.values()) < 1


def test_regression_is_sklearns_ridge_and_cuts_off_extreme_scores():
    from sklearn.linear_model import Ridge

    draw = np.random.default_rng(5)
    X = np.hstack([draw.normal(size=(300, 4)), np.ones((300, 1))])  # noqa: N806
    y = X @ np.array([1.0, -2.0, 0.5, 0.0, 3.0]) + draw.normal(size=300)
    plain = SegmentRegression.make(alphas=(5.0,), degrees=(1,), clip=0, clip_scores=0).fit(X, y)
    scaled = (X[:, :4] - X[:, :4].mean(axis=0)) / X[:, :4].std(axis=0)
    assert plain.predict(X) == pytest.approx(Ridge(alpha=5.0).fit(scaled, y).predict(scaled), abs=1e-10)
    y[0] = 1e6
    cut = SegmentRegression.make(alphas=(5.0,), degrees=(1,), clip=0, clip_scores=0.05).fit(X, y)
    assert np.corrcoef(cut.predict(X), plain.predict(X))[0, 1] > 0.99
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
