from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from meteor_e_learned import training
from meteor_e_learned.extraction import FeatureSet
from meteor_e_learned.models.base import strict_tau
from meteor_e_learned.models.pairwise_logistic import PairwiseLogistic
from meteor_e_learned.models.segment_regression import SegmentRegression

from meteor_e.api import Estimator
from meteor_e.api.estimators import TrainingRun
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


def test_regression():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))  # noqa: N806
    y = X[:, 0] - X[:, 1] ** 2 + 0.1 * random.normal(size=300)
    groups = np.arange(300) % 6
    model = SegmentRegression.make(alphas=(0.1, 10.0)).fit(X[:200], y[:200], groups=groups[:200])
    assert model.degree_ == 2
    assert model.score(X[200:], y[200:]) > 0.9
    again = type(model)(model.options)
    again.restore(model.arrays())
    assert (again.predict(X) == model.predict(X)).all()
    assert max(model.folds_.values()) > 0.9


def test_regression_chooses_with_a_single_group_too():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))  # noqa: N806
    y = X[:, 0] - X[:, 1] ** 2 + 0.1 * random.normal(size=300)
    model = SegmentRegression.make(alphas=(10.0, 1e5)).fit(X, y, groups=np.zeros(300))
    assert (model.degree_, model.alpha_) == (2, 10.0)
    assert 0.9 < max(model.folds_.values()) < 1
    with pytest.raises(ConfigError, match="folds"):
        SegmentRegression.make(folds=1).fit(X, y)


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
        ({"alphas": ()}, "alphas: must be a list with something in it"),
        ({"degrees": (1, 3)}, "degrees.1.: must be one of 1, 2, not 3"),
        ({"clip": 0.5}, "clip: must be a number, at least 0 and below 0.5, not 0.5"),
        ({"clip_scores": -0.1}, "clip_scores: must be a number, .* not -0.1"),
    ):
        with pytest.raises(ConfigError, match=message):
            SegmentRegression.make(**options).fit(X, y)


class FeatureMean(Estimator):
    """The mean of the features: what a plugin has to write for an estimator, and no more."""

    name = "feature-mean"
    task = "scores"

    def fit(self, X, y, *, groups=None, sample_weight=None):  # noqa: N803
        self.count_ = np.array([X.shape[1]])
        return self

    def score_segments(self, features):
        return features.mean(axis=1)

    def arrays(self):
        return {"count": self.count_}

    def restore(self, arrays):
        self.count_ = arrays["count"]


@pytest.mark.parametrize("kind", [FeatureMean, SegmentRegression])
def test_a_recipe_makes_estimators_that_draw_nothing_and_fold_nothing(monkeypatch, kind):
    monkeypatch.setattr(training, "estimator_class", lambda name: kind)
    recipe = SimpleNamespace(estimator=kind.name, options={}, seed=3)
    made = training.make_estimator(recipe, FeatureSet([]), FeatureSet([]))
    assert made.get_params().get("seed") == (3 if kind is SegmentRegression else None)
    examples = SimpleNamespace(
        features=np.array([[1.0, 3.0], [2.0, 2.5], [5.0, 1.0]] * 4),
        scores=np.array([1.0, 2.0, 3.0] * 4),
        hypothesis_part=np.array([0, 1] * 6),
    )
    made.learn(examples, None, TrainingRun())
    assert made.score_segments(np.array([[1.0, 3.0]])).shape == (1,)
