"""Tests of tuning: scoring of points, objectives, grid, search and validation."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from meteor_e_evaluation.tuning.grid import evaluate_grid, grid_size, java_axes, points
from meteor_e_evaluation.tuning.objectives import OBJECTIVES, make_objective
from meteor_e_evaluation.tuning.scorer import PointScorer
from meteor_e_evaluation.tuning.search import search
from meteor_e_evaluation.tuning.validation import compare_on_held_out, cross_validate, leave_out_overlap
from random_tuning_set import make_tuning_set
from scipy import stats

from meteor_e.api.languages import Parameters
from meteor_e.base.errors import ConfigError, InputError
from meteor_e.scoring import formula
from meteor_e.scoring.statistics import Statistics

DEFAULT = (0.85, 0.2, 0.6, 0.75, 1.0, 0.6)
AXES = java_axes((0.5, 0.2, 0.2, 0.4, 1, 0.0), (0.9, 1.4, 0.8, 1.0, 1, 1.0), (0.2, 0.4, 0.2, 0.2, 1, 0.25))


def compute_score(row, point):
    """Return the METEOR score of a row of match counts."""
    parameters = Parameters(*point[:4], weights=point[4:])
    return formula.compute(Statistics.from_vector([int(x) for x in row]), parameters).score


def test_point_scorer_equals_the_formula_in_any_order(data):
    scorer = PointScorer(data)
    sample = [point for index, point in enumerate(points(AXES)) if index % 97 == 0]
    for point in [*sample, *sample[::-1], DEFAULT]:
        expected = [compute_score(row, point) for row in data.counts[:30]]
        assert scorer.score(point)[:30] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_point_scorer_uses_the_best_reference():
    data = make_tuning_set(units=6, references=3)
    scores = PointScorer(data).score(DEFAULT)
    expected = [max(compute_score(row, DEFAULT) for row in data.counts[start : start + 3]) for start in data.starts]
    assert scores == pytest.approx(expected, rel=1e-12)


def test_rank_objective_equals_strict_tau(data):
    scores = PointScorer(data).score(DEFAULT).copy()
    differences = scores[data.better] - scores[data.worse]
    pooled_value = make_objective("rank", macro=False).prepare(data).value(scores)
    assert pooled_value == pytest.approx(2 * (differences > 0).mean() - 1)
    macro_value = make_objective("rank").prepare(data).value(scores)
    group = data.groups[data.better]
    assert macro_value == pytest.approx(np.mean([2 * (differences[group == g] > 0).mean() - 1 for g in (0, 1)]))
    strict_value = make_objective("rank", macro=False, epsilon=0.05).prepare(data).value(scores)
    assert strict_value == pytest.approx(2 * (differences > 0.05).mean() - 1)


def test_correlation_objectives_equal_scipy(data):
    scores = PointScorer(data).score(DEFAULT).copy()

    def compute_value(name):
        return make_objective(name, macro=False).prepare(data).value(scores)

    assert compute_value("pearson") == pytest.approx(stats.pearsonr(scores, data.human_scores).statistic)
    assert compute_value("spearman") == pytest.approx(stats.spearmanr(scores, data.human_scores).statistic)
    repetitions = data.reference_lengths.astype(int)
    weighted_correlation = stats.pearsonr(
        np.repeat(scores, repetitions), np.repeat(data.human_scores, repetitions)
    ).statistic
    assert compute_value("weighted-pearson") == pytest.approx(weighted_correlation)


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("macro", [True, False])
def test_objectives_on_samples_equal_those_on_subsets(data, name, macro):
    prepared_objective = make_objective(name, macro=macro).prepare(data)
    scores = PointScorer(data).score(DEFAULT).copy()
    # The first sample has every segment once. The second sample has every second segment twice.
    weights = np.stack([np.ones(60), np.arange(60) % 2 * 2.0])
    complete_value, half_value = prepared_objective.resampled(scores, weights)
    assert complete_value == pytest.approx(prepared_objective.value(scores))
    subset = data.select(weights[1] > 0)
    subset_scores = PointScorer(subset).score(DEFAULT)
    subset_value = make_objective(name, macro=macro).prepare(subset).value(subset_scores)
    assert half_value == pytest.approx(subset_value, abs=1e-9)


def test_objectives_reject_unsuitable_judgments(data):
    no_indices = np.array([], int)
    with pytest.raises(InputError, match="not rankings"):
        make_objective("rank").prepare(dataclasses.replace(data, better=no_indices, worse=no_indices))
    with pytest.raises(InputError, match="not scores"):
        make_objective("pearson").prepare(dataclasses.replace(data, human_scores=data.human_scores * np.nan))
    with pytest.raises(ConfigError, match="unknown objective 'ranks' \\(did you mean 'rank'"):
        make_objective("ranks")


def test_grid_evaluates_all_points_and_returns_first_best(data):
    objective = make_objective("rank")
    result = evaluate_grid(data, objective, AXES)
    assert result.evaluations == grid_size(AXES) == len(result.values)
    prepared_objective, scorer = objective.prepare(data), PointScorer(data)
    values_and_points = [(prepared_objective.value(scorer.score(point)), point) for point in points(AXES)]
    assert result.values.tolist() == [value for value, _ in values_and_points]
    best_value = max(value for value, _ in values_and_points)
    assert result.value == best_value
    assert result.best == next(point for value, point in values_and_points if value == best_value)


def test_java_axes_include_both_ends():
    assert java_axes((0.1,), (0.3,), (0.1,)) == [(0.1, 0.2, 0.3)]
    for first, last, step, message in ((0.1, 0.3, 0.0, "more than 0"), (0.3, 0.1, 0.1, r"from 0\.3 to 0\.1")):
        with pytest.raises(ConfigError, match=message):
            java_axes((first,), (last,), (step,))


@pytest.mark.parametrize("name", ["rank", "pearson"])
def test_search_matches_the_grid_with_fewer_evaluations(data, name):
    axes = java_axes((0.0, 0.0, 0.0, 0.0, 1, 0.0), (1, 2, 1, 1, 1, 1), (0.1, 0.2, 0.2, 0.2, 1, 0.2))
    objective = make_objective(name)
    grid = evaluate_grid(data, objective, axes)
    for seed in (1, 2, 3):
        result = search(data, objective, axes, [DEFAULT], seed=seed)
        assert result.value >= grid.value
        assert result.evaluations < grid.evaluations / 5
    assert result == search(data, objective, axes, [DEFAULT], seed=3)


def test_search_stops_after_its_trials(data):
    objective = make_objective("rank")
    default_value = objective.prepare(data).evaluate(PointScorer(data), DEFAULT)
    stopped_search = search(data, objective, AXES, [DEFAULT], seed=1, trials=25)
    assert (stopped_search.evaluations, stopped_search.stopped) == (25, True)
    complete_search = search(data, objective, AXES, [DEFAULT], seed=1)
    assert default_value <= stopped_search.value <= complete_search.value
    assert not complete_search.stopped
    assert search(data, objective, AXES, [DEFAULT], seed=1, trials=1).best == DEFAULT


def test_search_stays_within_the_axes(data):
    result = search(data, make_objective("rank"), AXES, [AXES_START], seed=1)
    assert all(axis[0] <= value <= axis[-1] for value, axis in zip(result.best, AXES, strict=True))


AXES_START = tuple(axis[0] for axis in AXES)


def test_cross_validate_keeps_translations_in_one_fold(data):
    training_folds = []

    def tune(training_sets):
        (training_set,) = training_sets
        # The two language pairs have 30 segments each. Segments with the same number may be translations of each other.
        training_folds.append(set((training_set.units % 30).tolist()))
        return 0, DEFAULT

    result = cross_validate([data], data, make_objective("rank"), DEFAULT, tune, folds=5, seed=1)
    assert result.gain == 0
    assert len(result.folds) == 5
    assert all(len(training_set) == 24 for training_set in training_folds)
    held_out_folds = [set(range(30)) - training_set for training_set in training_folds]
    assert set.union(*held_out_folds) == set(range(30))
    assert sum(map(len, held_out_folds)) == 30
    with pytest.raises(ConfigError, match="31 folds"):
        cross_validate([data], data, make_objective("rank"), DEFAULT, tune, folds=31, seed=1)


def test_leave_out_overlap_rejects_training_data(data, unseen_data):
    assert leave_out_overlap(data, unseen_data) == (unseen_data, 0)
    with pytest.raises(ConfigError, match="made up 1 is both tuned on and held out"):
        leave_out_overlap(data, data)


def test_leave_out_overlap_compares_reference_texts(data, unseen_data):
    texts = tuple(f"Segment {unit} of  the set" for unit in range(60))
    data = dataclasses.replace(data, references=texts)
    renamed_set = dataclasses.replace(unseen_data, references=tuple(text.lower().replace("  ", " ") for text in texts))
    with pytest.raises(ConfigError, match="60 of 60 held-out segments were tuned on: their references are the same"):
        leave_out_overlap(data, renamed_set)
    units = np.arange(60)
    different_set = dataclasses.replace(unseen_data, references=tuple(f"other {unit}" for unit in units))
    assert leave_out_overlap(data, different_set)[1] == 0
    # If the test sets share only a few segments, these segments are left out.
    large_set = dataclasses.replace(
        make_tuning_set(units=200, seed=3, name="large"),
        references=("Segment 1 of the set", *(f"o {n}" for n in range(199))),
    )
    remaining_set, count = leave_out_overlap(data, large_set)
    assert count == 1
    assert 0 not in remaining_set.units


def test_hold_out_reports_intervals_and_p_value(data, unseen_data):
    objective = make_objective("rank")
    tuned_point = search(data, objective, AXES, [DEFAULT], seed=1).best
    poor_point = (0.85, 2.0, 1.0, 0.0, 1.0, 0.0)
    report = compare_on_held_out(unseen_data, unseen_data, objective, poor_point, tuned_point, samples=300, seed=1)
    assert report.gain[0] == pytest.approx(report.tuned[0] - report.default[0])
    assert report.gain[1].low < report.gain[0] < report.gain[1].high
    assert report.tuned[0] > report.default[0]
    assert report.p < 0.05
    default_report = compare_on_held_out(unseen_data, unseen_data, objective, DEFAULT, DEFAULT, samples=50, seed=1)
    assert default_report.p == 1.0
