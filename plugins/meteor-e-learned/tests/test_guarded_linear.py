"""Tests of the estimator guarded-linear, and of synthetic comparisons."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from meteor_e_evaluation import load_index, load_test_set
from meteor_e_learned.models.guarded_linear import GuardedLinear
from meteor_e_learned.synthetic import make_error_comparisons, make_excerpt_comparisons

from meteor_e.api import ConfigError, Examples, InputError
from meteor_e.api.estimators import TrainingRun

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
COLUMNS = ("meteor.score", "size.words", "errors.negation")
GUARD = {"size.words": [0.0, 10.0, 10.0]}


def make_examples(seed=1):
    """Return human and synthetic comparisons.

    In human comparisons, the hypothesis with the higher METEOR score is better. In synthetic comparisons, the worse
    hypothesis differs only by one more error.
    """
    generator = np.random.default_rng(seed)
    features = np.column_stack(
        [generator.normal(size=600), generator.uniform(0, 10, 600), generator.integers(3, size=600)]
    )
    pairs = generator.integers(300, size=(500, 2))
    pairs = pairs[features[pairs[:, 0], 0] != features[pairs[:, 1], 0]]
    ordered_pairs = np.where((features[pairs[:, 0], 0] > features[pairs[:, 1], 0])[:, None], pairs, pairs[:, ::-1])
    worse = np.arange(300, 600)
    features[worse] = features[:300] + np.array([0, 0, 1])
    better = np.concatenate([ordered_pairs[:, 0], np.arange(300)])
    no_vectors = np.empty((600, 0))
    return Examples(
        ("Year xx-en", "synthetic Year negation"), features, no_vectors, no_vectors, better,
        np.concatenate([ordered_pairs[:, 1], worse]), np.repeat([0, 1], [len(ordered_pairs), 300]),
        np.arange(len(better)), np.ones(len(better)), np.full(600, np.nan), np.repeat([0, 1], 300),
    )  # fmt: skip


def train_model(**options):
    estimator = GuardedLinear.make(**{"guard": GUARD, "penalty": 0.001, **options})
    estimator.learn(make_examples(), None, TrainingRun(columns=COLUMNS))
    return estimator


def test_guard_uses_only_the_base_outside_the_training_range():
    estimator = train_model()
    lengths = np.linspace(0, 30, 301)
    rows = np.column_stack([np.full(301, 0.7), lengths, np.zeros(301)])
    assert np.abs(np.diff(estimator.raw(rows))).max() < 0.1
    assert estimator.shares(rows)[0][[0, 100]].tolist() == [1, 1]
    assert (np.diff(estimator.shares(rows)[0]) <= 0).all()
    outside_rows = np.column_stack([np.linspace(-3, 3, 50), np.full(50, 20.0), np.arange(50)])
    assert estimator.shares(outside_rows)[0].max() == 0
    assert (np.diff(estimator.raw(outside_rows)) > 0).all()
    assert estimator.note(rows[:50]) == "learned in full"
    assert "size.words is outside 0 to 10 in 50 of 50" in estimator.note(outside_rows)


def test_out_of_domain_penalty_applies_only_inside_the_guard():
    rows = np.array([[0.7, 5.0, 0.0], [0.7, 5.0, 9.0], [0.7, 30.0, 0.0], [0.7, 30.0, 9.0]])
    scores_without_penalty, scores_with_penalty = (
        train_model(deviations={"errors.negation": [0.0, 2.0, 3.0]}, out_of_domain_penalty=penalty).raw(rows)
        for penalty in (0.0, 0.5)
    )
    assert (scores_without_penalty - scores_with_penalty).tolist() == pytest.approx([0, 0.5, 0, 0])
    assert scores_without_penalty[1] == pytest.approx(scores_without_penalty[3]) == scores_without_penalty[2]
    estimator = train_model(guard={}, deviations={"errors.negation": [0.0, 2.0, 3.0]})
    assert [share.tolist() for share in estimator.shares(rows[:2])] == [[1, 1], [1, 0]]


def test_kinds_option_weights_synthetic_comparisons():
    rows = np.array([[0.0, 5.0, 0.0], [0.0, 5.0, 1.0]])
    scores_without_kind, scores_with_kind = (
        estimator.raw(rows) for estimator in (train_model(), train_model(kinds={"negation": 1.0}))
    )
    assert scores_with_kind[0] - scores_with_kind[1] > 0.1 > abs(scores_without_kind[0] - scores_without_kind[1])


def test_shares_option_weights_the_ratings_of_a_test_set():
    examples = make_examples()
    rated_examples = dataclasses.replace(
        examples, better=examples.better[:0], worse=examples.worse[:0], part=examples.part[:0],
        weight=examples.weight[:0],
        scores=np.where(examples.hypothesis_part == 0, examples.features[:, 0], examples.features[:, 1]),
        title=("One xx-en", "Two xx-en"),
    )  # fmt: skip
    weights = []
    for share in (0.0, 1.0):
        estimator = GuardedLinear.make(shares={"Two": share}, penalty=0.001)
        estimator.learn(rated_examples, None, TrainingRun(columns=COLUMNS))
        weights.append(estimator.weights_)
    assert abs(weights[0][1]) < 0.1 < weights[1][1]


def test_options_must_name_existing_features():
    for options, message in (
        ({"guard": {"size.word": [0, 1, 1]}}, r"no feature 'size\.word' \(did you mean 'size\.words'"),
        ({"base": "meteor.scor"}, r"no feature 'meteor\.scor'"),
        ({"prior_feature": ("meteor.scor",)}, r"no feature 'meteor\.scor'"),
        ({"penalties": {"x.": 1.0}}, r"no feature begins with 'x\.'"),
    ):
        with pytest.raises(ConfigError, match=message):
            train_model(**options)
    examples_without_judgments = dataclasses.replace(
        make_examples(), title=("synthetic A b", "synthetic C d"), better=np.empty(0, int), worse=np.empty(0, int),
        part=np.empty(0, int), weight=np.empty(0),
    )  # fmt: skip
    with pytest.raises(InputError, match="neither comparisons nor human scores"):
        GuardedLinear.make().learn(examples_without_judgments, None, TrainingRun(columns=COLUMNS))


@pytest.mark.parametrize("make_comparisons", [partial(make_error_comparisons, language="en"), make_excerpt_comparisons])
def test_synthetic_comparisons_are_reproducible_and_valid(make_comparisons):
    index = load_index(EXAMPLES / "judged/ranked.yaml")
    tests = [load_test_set(index, pair) for pair in index.pairs]
    synthetic = make_comparisons(tests, 6, seed=1)
    assert synthetic == make_comparisons(tests, 6, seed=1)
    assert synthetic != make_comparisons(tests, 6, seed=2)
    pairs = [pair for kind_pairs in synthetic.comparisons.values() for pair in kind_pairs]
    assert pairs
    assert all(synthetic.references[better] == synthetic.references[worse] for better, worse in pairs)
    if make_comparisons is not make_excerpt_comparisons:
        assert all(synthetic.hypotheses[better] != synthetic.hypotheses[worse] for better, worse in pairs)
