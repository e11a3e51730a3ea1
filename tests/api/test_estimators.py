"""The default methods of estimators and measures."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from meteor_e import ConfigError
from meteor_e.api import ComponentOptions, Estimator, Measure, Meta


class FirstFeatureEstimator(Estimator):
    """An estimator whose score is the first feature."""

    name = "first"
    task = "scores"

    class Options(ComponentOptions):
        """The options of the estimator."""

        steps: Annotated[tuple[int, ...], Meta(description="The numbers of steps.")] = (3, 5)

    def score_segments(self, features):
        return features[:, 0]

    def arrays(self):
        return {}

    def restore(self, arrays):
        pass


class UndefinedMeasure(Measure):
    """A measure whose agreement is always undefined."""

    name = "undefined"

    def agreement(self, test):
        return None

    def resampled(self, test, scores, weights):
        return np.full(len(weights), np.nan)


def test_decision_function_is_the_difference_of_scores():
    rows = np.array([[5.0, 0, 2, 9], [1, 7, 4, 0]])
    assert FirstFeatureEstimator().decision_function(rows).tolist() == [3, -3]
    with pytest.raises(ConfigError, match="3 numbers per pair"):
        FirstFeatureEstimator().decision_function(rows[:, :3])


def test_describe_lists_the_values_of_an_option():
    assert FirstFeatureEstimator.make().describe() == "steps=3,5"
    assert FirstFeatureEstimator.make(steps=[7]).describe() == "steps=7"


def test_default_test_depends_on_the_level_of_the_scores(monkeypatch):
    assert UndefinedMeasure().default_test() == "paired+systems"
    monkeypatch.setattr(UndefinedMeasure, "takes", "systems")
    assert UndefinedMeasure().default_test() == "systems"
