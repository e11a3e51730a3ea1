"""Tests of score files: duplicate, missing or ambiguous scores are errors, and written files can be read again."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from meteor_e_evaluation.evaluation import evaluate, load_test_sets
from meteor_e_evaluation.index import load_index
from meteor_e_evaluation.measures import measure
from meteor_e_evaluation.score_files import ScoreFileMetric
from meteor_e_evaluation.score_writer import write_scores
from tiny_task import OUTPUTS

from meteor_e import SegmentMetric, load_metric
from meteor_e.api.formats import WmtNames
from meteor_e.base.array_cache import ArrayCache
from meteor_e.base.errors import InputError
from meteor_e.formats.metric_task import metric_task_lines
from meteor_e.metrics.translations import score_test_set

CACHE = ArrayCache(enabled=False)
SEGMENTS = [(system, segment, len(line)) for system, lines in OUTPUTS.items() for segment, line in enumerate(lines, 1)]


@pytest.fixture(name="test_set")
def load_tiny_set(task):
    """Load the only test set of the tiny task."""
    (loaded_set,) = load_test_sets(load_index(task / "index.yaml"))
    return loaded_set


def compute_scores(test_set, spec, systems=True):
    """Score the judged outputs of a test set by a metric or the specification of a metric."""
    metric = load_metric(spec) if isinstance(spec, str) else spec
    return score_test_set(metric, test_set, test_set.judgment_mask(), CACHE, systems=systems)


def write_rows(path, rows):
    """Write rows to a tab-separated file; return its path."""
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


def test_score_file_error_names_both_duplicate_rows(test_set, tmp_path):
    file = write_rows(
        tmp_path / "m", [("m", "cs-en", "t", system, segment, length) for system, segment, length in SEGMENTS]
    )
    duplicate_file = write_rows(tmp_path / "again", [("m", "cs-en", "t", "beta", 4, 1)])
    with pytest.raises(InputError, match=r"again, line 1: a second score of system beta, segment 4; .*m, line 14"):
        compute_scores(test_set, f"scores:{file},{duplicate_file}")


def test_score_files_of_several_pairs_are_separate(test_set, tmp_path):
    for pair in ("cs-en", "de-en"):
        write_rows(tmp_path / f"{pair}.seg.score", [(system, length) for system, _, length in SEGMENTS])
    with pytest.raises(InputError, match=r"a second score of system alpha.*\{pair\}"):
        compute_scores(test_set, f"scores:{tmp_path}/cs-en.seg.score,{tmp_path}/de-en.seg.score")
    scores = compute_scores(test_set, f"scores:{tmp_path}/{{pair}}.seg.score")
    assert scores.segments[0, 0] == len(OUTPUTS["alpha"][0])


def test_score_file_options_select_test_set_and_reference(test_set, tmp_path):
    rows = [
        ("m", "cs-en", testset, reference, system, segment, length * factor)
        for factor, testset in enumerate(("one", "other"), 1)
        for reference in ("refA", "refB")
        for system, segment, length in SEGMENTS
    ]
    file = write_rows(tmp_path / "m", rows)
    scores = compute_scores(test_set, f"scores:{file}#m,testset=other,reference=refB")
    assert scores.segments[0, 0] == 2 * len(OUTPUTS["alpha"][0])
    for selection, message in (
        ("", r"several testsets \(one, other\); name one, as in scores:FILE#"),
        ("#testset=other", r"several references \(refA, refB\)"),
        ("#m,testset=other,reference=refC", "no reference 'refC'"),
    ):
        with pytest.raises(InputError, match=message):
            compute_scores(test_set, f"scores:{file}{selection}")


def test_score_file_must_suit_the_test_set(test_set, tmp_path):
    incomplete_rows = [(system, length) for system, segment, length in SEGMENTS if segment < 10]
    for rows, message in (
        ([("alpha", 1), ("beta", 2)], "no score of m.score for system gamma.x of cs-en"),
        ([("alpha", 1), ("beta", 2), ("gamma.x", 3), ("online-Z", 1)], "line 4: cs-en has no system 'online-Z'"),
        (incomplete_rows, "system alpha has 9 scores; cs-en has 10 segments"),
    ):
        with pytest.raises(InputError, match=message):
            compute_scores(test_set, f"scores:{write_rows(tmp_path / 'm.score', rows)}")


def test_system_scores_are_resampled_only_if_they_are_means(test_set, tmp_path):
    segment_file = write_rows(
        tmp_path / "m.seg", [("m", "cs-en", "t", system, segment, length) for system, segment, length in SEGMENTS]
    )
    system_file = write_rows(
        tmp_path / "m.sys",
        [("m", "cs-en", "t", "alpha", 1), ("m", "cs-en", "t", "beta", 2), ("m", "cs-en", "t", "gamma.x", 3)],
    )
    independent_scores = compute_scores(test_set, f"scores:{segment_file},{system_file}")
    pearson = measure("system-pearson")
    assert pearson.value(test_set, independent_scores) < -0.9
    assert np.isnan(pearson.resampled(test_set, independent_scores, np.ones((2, 10)))).all()
    mean_scores = compute_scores(test_set, f"scores:{segment_file}")
    assert pearson.resampled(test_set, mean_scores, np.ones((2, 10)))[0] == pytest.approx(
        pearson.value(test_set, mean_scores)
    )


class FixedMetric(SegmentMetric):
    """A metric that gives every segment the same result."""

    name = signature = "answers"

    def __init__(self, result):
        self.result = result

    def score_segments(self, hypotheses, references, sources):
        return [self.result] * len(hypotheses)


@pytest.mark.parametrize("result", ["0.5", None, [1.0]])
def test_score_test_set_rejects_results_without_numbers(test_set, result):
    with pytest.raises(
        InputError, match=r"answers (?:gave|returned) (scores that are not all numbers|.* scores for 10 segments)"
    ):
        compute_scores(test_set, FixedMetric(result))


def test_evaluate_rejects_missing_and_infinite_scores(task):
    index = load_index(task / "index.yaml")
    lengths = {line: float(len(line)) for lines in OUTPUTS.values() for line in lines}

    class IncompleteMetric(FixedMetric):
        def score_segments(self, hypotheses, references, sources):
            return [math.nan if text.startswith("two goats") else lengths[text] for text in hypotheses]

    def evaluate_metric(test_sets, metric):
        return evaluate(test_sets, [metric], [measure("tau-strict")], CACHE)

    with pytest.raises(
        InputError, match="answers: the system's score is infinite, because a sum over 10 segments overflows"
    ):
        evaluate_metric(load_test_sets(index), FixedMetric(math.inf))
    with pytest.raises(InputError, match=r"system alpha, segment 5 of Tiny cs-en \(2 are missing\)"):
        evaluate_metric(load_test_sets(index), IncompleteMetric(0))


def test_write_scores_writes_files_that_can_be_read_again(test_set, tmp_path):
    scores = compute_scores(test_set, FixedMetric(0.25))
    files = write_scores(tmp_path, test_set, [scores])
    assert [file.relative_to(tmp_path).as_posix() for file in files] == [
        "cs-en/answers-ref.seg.score",
        "cs-en/answers-ref.sys.score",
    ]
    scores_from_files = compute_scores(
        test_set, f"scores:{tmp_path}/{{pair}}/answers-ref.seg.score,{tmp_path}/{{pair}}/answers-ref.sys.score"
    )
    assert (scores_from_files.segments == scores.segments).all()
    assert (scores_from_files.systems == scores.systems).all()
    with pytest.raises(InputError, match="two metrics would be written"):
        write_scores(tmp_path, test_set, [scores, scores])


def test_metrics_task_lines_can_be_read_again(test_set, tmp_path):
    names = WmtNames("cs-en", "tiny", "refA")
    lines = []
    for system, output in OUTPUTS.items():
        lengths = [float(len(line)) for line in output]
        lines += metric_task_lines("m", system, names, lengths)
        lines += metric_task_lines("m", system, names, [], corpus_score=sum(lengths) / len(lengths))
    assert lines[0] == f"m\tcs-en\ttiny\trefA\talpha\t1\t{float(len(OUTPUTS['alpha'][0]))}"
    (tmp_path / "m").write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores = compute_scores(test_set, f"scores:{tmp_path}/m")
    assert scores.segments[1, 3] == len(OUTPUTS["beta"][3])
    assert scores.resamplable
    with pytest.raises(InputError, match="names must not be empty or contain white space"):
        list(metric_task_lines("my metric", "s", WmtNames("cs-en", "t", "refA"), [1.0]))


def test_evaluate_warns_of_negatively_correlated_metrics(test_set):
    class NegativeLength(FixedMetric):
        def score_segments(self, hypotheses, references, sources):
            return [-len(text) for text in hypotheses]

    repeated_set = dataclasses.replace(test_set, rankings=test_set.rankings.select(np.tile(np.arange(32), 10)))
    evaluation = evaluate([repeated_set], [NegativeLength(0)], [measure("tau-strict")], CACHE)
    assert any(
        "answers correlates negatively with human judgments" in line for line in evaluation.warnings["Tiny cs-en"]
    )


def test_score_file_metric_needs_a_name_for_several_metrics(tmp_path):
    file = write_rows(tmp_path / "m", [("m", "cs-en", "t", "a", 1), ("n", "cs-en", "t", "a", 1)])
    with pytest.raises(InputError, match=r"several metrics \(m, n\); name one"):
        ScoreFileMetric.make(files=[str(file)])
