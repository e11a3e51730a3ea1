"""The default behavior of estimators and measures."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import pytest

from meteor_e import ConfigError
from meteor_e.api import ComponentOptions, Estimator, Measure, Meta


class First(Estimator):
    """The first feature is the score."""

    name = "first"
    task = "scores"

    class Options(ComponentOptions):
        """Options of several kinds."""

        steps: Annotated[tuple[int, ...], Meta(description="How many, one after the other.")] = (3, 5)

    def score_segments(self, features):
        return features[:, 0]

    def arrays(self):
        return {}

    def restore(self, arrays):
        pass


class Nothing(Measure):
    """A measure that always returns 0."""

    name = "nothing"

    def agreement(self, test):
        return None

    def resampled(self, test, scores, weights):
        return np.full(len(weights), np.nan)


def test_pairs_are_compared_by_their_scores():
    rows = np.array([[5.0, 0, 2, 9], [1, 7, 4, 0]])
    assert First().decision_function(rows).tolist() == [3, -3]
    with pytest.raises(ConfigError, match="3 numbers per pair"):
        First().decision_function(rows[:, :3])


def test_signature_lists_the_values_of_an_option():
    assert First.make().describe() == "steps=3,5"
    assert First.make(steps=[7]).describe() == "steps=7"


def test_significance_tests_fit_segment_and_system_scores(monkeypatch):
    assert Nothing().default_test() == "paired+systems"
    monkeypatch.setattr(Nothing, "takes", "systems")
    assert Nothing().default_test() == "systems"
