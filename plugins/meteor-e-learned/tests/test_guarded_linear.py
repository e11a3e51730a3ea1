"""A linear score with a guard, and comparisons that are made."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from meteor_e_evaluation import load_index, load_test_set
from meteor_e_learned.models.guarded_linear import GuardedLinear
from meteor_e_learned.synthetic import synthetic_comparisons

from meteor_e.api import ConfigError, Examples, InputError
from meteor_e.api.estimators import TrainingRun

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
COLUMNS = ("meteor.score", "size.words", "errors.negation")
GUARD = {"size.words": [0.0, 10.0, 10.0]}


def examples(seed=1):
    """Quality is METEOR; comparisons of people see METEOR only, made ones an error."""
    draw = np.random.default_rng(seed)
    features = np.column_stack([draw.normal(size=600), draw.uniform(0, 10, 600), draw.integers(3, size=600)])
    pairs = draw.integers(300, size=(500, 2))
    pairs = pairs[features[pairs[:, 0], 0] != features[pairs[:, 1], 0]]
    ordered = np.where((features[pairs[:, 0], 0] > features[pairs[:, 1], 0])[:, None], pairs, pairs[:, ::-1])
    worse = np.arange(300, 600)
    features[worse] = features[:300] + np.array([0, 0, 1])
    better = np.concatenate([ordered[:, 0], np.arange(300)])
    none = np.empty((600, 0))
    return Examples(
        ("Year xx-en", "made Year negation"), features, none, none, better, np.concatenate([ordered[:, 1], worse]),
        np.repeat([0, 1], [len(ordered), 300]), np.arange(len(better)), np.ones(len(better)), np.full(600, np.nan),
        np.repeat([0, 1], 300),
    )  # fmt: skip


def train_model(**options):
    estimator = GuardedLinear.make(**{"guard": GUARD, "penalty": 0.001, **options})
    estimator.learn(examples(), None, TrainingRun(columns=COLUMNS))
    return estimator


def test_far_from_what_was_learned_the_base_decides_without_a_step():
    estimator = train_model()
    lengths = np.linspace(0, 30, 301)
    rows = np.column_stack([np.full(301, 0.7), lengths, np.zeros(301)])
    assert np.abs(np.diff(estimator.raw(rows))).max() < 0.1
    assert estimator.shares(rows)[0][[0, 100]].tolist() == [1, 1]
    assert (np.diff(estimator.shares(rows)[0]) <= 0).all()
    far = np.column_stack([np.linspace(-3, 3, 50), np.full(50, 20.0), np.arange(50)])
    assert estimator.shares(far)[0].max() == 0
    assert (np.diff(estimator.raw(far)) > 0).all()
    assert estimator.note(rows[:50]) == "learned in full"
    assert "size.words is outside 0 to 10 in 50 of 50" in estimator.note(far)


def test_beyond_a_deviation_the_base_lies_lower_but_not_where_the_guard_has_no_share():
    rows = np.array([[0.7, 5.0, 0.0], [0.7, 5.0, 9.0], [0.7, 30.0, 0.0], [0.7, 30.0, 9.0]])
    same, lower = (
        train_model(deviations={"errors.negation": [0.0, 2.0, 3.0]}, out_of_domain_penalty=by).raw(rows)
        for by in (0.0, 0.5)
    )
    assert (same - lower).tolist() == pytest.approx([0, 0.5, 0, 0])
    assert same[1] == pytest.approx(same[3]) == same[2]
    only = train_model(guard={}, deviations={"errors.negation": [0.0, 2.0, 3.0]})
    assert [share.tolist() for share in only.shares(rows[:2])] == [[1, 1], [1, 0]]


def test_made_comparisons_are_learned_as_far_as_they_weigh():
    rows = np.array([[0.0, 5.0, 0.0], [0.0, 5.0, 1.0]])
    without, along = (estimator.raw(rows) for estimator in (train_model(), train_model(kinds={"negation": 1.0})))
    assert along[0] - along[1] > 0.1 > abs(without[0] - without[1])


def test_ratings_of_a_test_set_count_as_much_as_its_share_says():
    unrated = examples()
    rated = dataclasses.replace(
        unrated, better=unrated.better[:0], worse=unrated.worse[:0], part=unrated.part[:0], weight=unrated.weight[:0],
        scores=np.where(unrated.hypothesis_part == 0, unrated.features[:, 0], unrated.features[:, 1]),
        title=("One xx-en", "Two xx-en"),
    )  # fmt: skip
    weights = []
    for share in (0.0, 1.0):
        estimator = GuardedLinear.make(shares={"Two": share}, penalty=0.001)
        estimator.learn(rated, None, TrainingRun(columns=COLUMNS))
        weights.append(estimator.weights_)
    assert abs(weights[0][1]) < 0.1 < weights[1][1]


def test_what_an_option_names_has_to_be_there():
    for options, message in (
        ({"guard": {"size.word": [0, 1, 1]}}, r"no feature 'size\.word' \(did you mean 'size\.words'"),
        ({"base": "meteor.scor"}, r"no feature 'meteor\.scor'"),
        ({"prior_feature": ("meteor.scor",)}, r"no feature 'meteor\.scor'"),
        ({"penalties": {"x.": 1.0}}, r"no feature begins with 'x\.'"),
    ):
        with pytest.raises(ConfigError, match=message):
            train_model(**options)
    nothing = dataclasses.replace(
        examples(), title=("made A b", "made C d"), better=np.empty(0, int), worse=np.empty(0, int),
        part=np.empty(0, int), weight=np.empty(0),
    )  # fmt: skip
    with pytest.raises(InputError, match="neither comparisons nor human scores"):
        GuardedLinear.make().learn(nothing, None, TrainingRun(columns=COLUMNS))


@pytest.mark.parametrize("kind", ["errors", "excerpts"])
def test_made_comparisons_are_the_same_every_time_and_are_comparisons(kind):
    index = load_index(EXAMPLES / "judged/ranked.yaml")
    tests = [load_test_set(index, pair) for pair in index.pairs]
    texts = synthetic_comparisons(kind, tests, 6, "en", 1)
    assert texts == synthetic_comparisons(kind, tests, 6, "en", 1)
    assert texts != synthetic_comparisons(kind, tests, 6, "en", 2)
    pairs = [pair for kind_pairs in texts.comparisons.values() for pair in kind_pairs]
    assert pairs
    assert all(texts.references[better] == texts.references[worse] for better, worse in pairs)
    assert all(texts.hypotheses[better] != texts.hypotheses[worse] for better, worse in pairs if kind == "errors")
