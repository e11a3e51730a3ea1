"""Tests of the scores, comparisons, explanations and remarks in a report."""

from __future__ import annotations

import json

import pytest
from meteor_e_evaluation.reports import score_systems
from meteor_e_evaluation.reports.page import render
from meteor_e_evaluation.reports.payload import json_parts
from report_systems import REFERENCES, SYSTEMS, RemarkMetric

from meteor_e import InputError, Meteor, SegmentMetric, load_metric
from meteor_e.api import ConfigError
from meteor_e.base.errors import SegmentWarning
from meteor_e.packs.resources import LanguageResources


def test_report_scores_equal_the_metric(meteor, report):
    for system in report.systems:
        corpus = meteor.corpus(SYSTEMS[system.name], REFERENCES, segments=True)
        assert system.corpus.score == corpus.score
        assert [segment.score for segment in system.segments] == [segment.score for segment in corpus.segments]
        assert [s.alignment for s in system.segments] == [s.alignment for s in corpus.segments]
        assert system.values("recall").tolist() == [segment.recall for segment in corpus.segments]


def test_report_lengths_count_words_of_first_references(meteor, report):
    assert report.lengths.tolist() == [len(meteor.tokenize(texts[0])) for texts in REFERENCES]
    # In at least one segment, no system is scored against the first reference, but its length is needed.
    reference_indices = [[segment.reference_index for segment in system.segments] for system in report.systems]
    assert any(all(indices) for indices in zip(*reference_indices, strict=True))


@pytest.mark.parametrize(
    ("systems", "references", "options", "error", "message"),
    [
        ({}, ["x"], {}, InputError, "at least one system"),
        ({"a": []}, [], {}, InputError, "no segments"),
        ({"a": ["x", "y"]}, ["x"], {}, InputError, "a: the references end after 1 segment"),
        ({"a": ["x"], "b": []}, ["x"], {}, InputError, "b: the hypotheses end after 0 segments"),
        ({"a": "x"}, ["x"], {}, InputError, "a: hypotheses are a list"),
        ({"a": ["x"]}, [[]], {}, InputError, "at least one reference"),
        ({"a": ["x"], "b": ["x"]}, ["x"], {"method": "t-test"}, ConfigError, "unknown significance test"),
    ],
)
def test_score_systems_rejects_invalid_input(meteor, systems, references, options, error, message):
    with pytest.raises(error, match=message):
        score_systems(meteor, systems, references, **options)


class LetterCount(SegmentMetric):
    """A metric that counts letters, with explanations of the differences between systems."""

    name = label = "letters"
    signature = "letters|version:1"
    higher_is_better = False

    def score_segments(self, hypotheses, references, sources=None):
        return [float(len(text)) for text in hypotheses]

    def explain(self, first, second, references, names=("the first", "the second"), sources=None):
        return f"{names[0]} {sum(map(len, first))}, {names[1]} {sum(map(len, second))}, {len(references)} segments"


def test_report_has_scores_of_every_metric(meteor, report):
    chrf = load_metric("chrf")
    result = score_systems(meteor, SYSTEMS, REFERENCES, metrics=[chrf, None], samples=100)
    assert [metric_result.label for metric_result in result.metrics] == ["chrF", "METEOR"]
    assert result.meteor == 1
    for index, hypotheses in enumerate(SYSTEMS.values()):
        expected = load_metric("chrf").corpus(hypotheses, REFERENCES, segments=True)
        assert result.metrics[0].scores[index] == expected.score
        assert result.metrics[0].segments[index].tolist() == expected.segment_scores.tolist()
    assert result.metrics[1].scores == report.metrics[0].scores
    # The first metric tests all pairs of systems. The other metrics test only pairs with the baseline.
    assert result.metrics[0].comparison.is_tested(1, 2)
    assert not result.metrics[1].comparison.is_tested(1, 2)
    assert result.metrics[1].comparison.between(0, 2) == report.comparison.between(0, 2)


def test_comparison_of_two_systems_does_not_depend_on_their_order(report):
    comparison = report.comparison
    test = comparison.between(0, 2)
    assert comparison.between(2, 0) == test
    assert comparison.difference_interval(better=2, worse=0) == test.difference_interval
    low, high = test.difference_interval
    assert comparison.difference_interval(better=0, worse=2) == (-high, -low)
    with pytest.raises(ValueError, match="systems 1 and 1 were not tested"):
        comparison.between(1, 1)


def test_report_ranks_lower_error_rates_first(meteor):
    result = score_systems(meteor, SYSTEMS, REFERENCES, metrics=[LetterCount()], method=None).metrics[0]
    scores = [sum(map(len, hypotheses)) / 5 for hypotheses in SYSTEMS.values()]
    assert list(result.scores) == scores
    assert [result.scores[index] for index in result.ranking()] == sorted(scores)
    output_pairs = zip(SYSTEMS["one"], SYSTEMS["two"], strict=True)
    assert result.gains(0, 1).tolist() == [len(baseline) - len(output) for baseline, output in output_pairs]


def test_report_has_the_explanations_of_metrics(meteor):
    result = score_systems(meteor, SYSTEMS, REFERENCES, metrics=[LetterCount(), None], method=None).metrics[0]
    corpus_explanations = [explanation for explanation in result.explanations if explanation.segment is None]
    assert [explanation.system for explanation in corpus_explanations] == [1, 2]
    lengths = [sum(map(len, hypotheses)) for hypotheses in SYSTEMS.values()]
    assert corpus_explanations[1].text == f"one {lengths[0]}, three {lengths[2]}, 5 segments"
    segment_explanations = [
        explanation
        for explanation in result.explanations
        if explanation.segment is not None and explanation.system == 2
    ]
    output_pairs = zip(SYSTEMS["one"], SYSTEMS["three"], strict=True)
    differences = [abs(len(baseline) - len(output)) for baseline, output in output_pairs]
    explained_differences = [differences[explanation.segment] for explanation in segment_explanations]
    assert explained_differences == sorted(filter(None, differences), reverse=True)
    assert segment_explanations[0].text.endswith(", 1 segments")


def test_report_has_the_remarks_of_metrics(meteor):
    report = score_systems(meteor, {"a": ["x", "y", ""]}, ["x", "y", "x"], metrics=[RemarkMetric()], method=None)
    payload = json.loads(b"".join(json_parts(report)))
    remarks, meteor_remarks = (metric["remarks"] for metric in payload["metrics"])
    assert remarks == [{"1": "nothing is <b>right</b>"}]
    assert meteor_remarks == []


@pytest.mark.parametrize(("n_systems", "n_baselines"), [(20, 19), (21, 1)])
def test_report_tests_all_pairs_of_up_to_20_systems(meteor, n_systems, n_baselines):
    systems = {f"system{number}": ["a cat sat", "a dog", "w " * number] for number in range(n_systems)}
    report = score_systems(meteor, systems, ["the cat sat", "a dog ran", "w w w"], samples=10)
    assert len(report.comparison.tests) == n_baselines
    assert len(report.comparison.tests[0]) == n_systems
    page = render(report)
    assert ("every two systems" in page) == (n_baselines > 1)
    n_pairs = n_systems * (n_systems - 1) // 2 if n_baselines > 1 else n_systems - 1
    assert page.count('data-label="Better"') == n_pairs


REPEATED = "a " * 10_001


@pytest.fixture
def meteor_with_failure():
    """Return METEOR, systems and references, where the second segment of both systems cannot be aligned."""
    meteor = Meteor("other", matchers=["exact"], resources=LanguageResources())
    return meteor, {"x": ["a", REPEATED], "y": ["b", REPEATED]}, ["a", REPEATED + "b"]


def test_report_scores_failed_segments_as_zero(meteor_with_failure):
    meteor, systems, references = meteor_with_failure
    meteor.on_error = "zero"
    with pytest.warns(SegmentWarning, match="segment 2: .*; it scores 0"):
        report = score_systems(meteor, systems, references, samples=10)
    failed_segment = report.systems[0].segments[1]
    assert failed_segment.score == report.systems[0].values("score")[1] == 0
    assert failed_segment.alignment.hypothesis == tuple(REPEATED.split())
    assert failed_segment.alignment.matches == ()


@pytest.mark.parametrize(
    ("on_error", "message"),
    [("stop", "x: segment 2: .*candidate matches"), ("skip", "x: segment 2: .*cannot leave a segment out")],
)
def test_report_errors_name_the_failed_segment(meteor_with_failure, on_error, message):
    meteor, systems, references = meteor_with_failure
    meteor.on_error = on_error
    with pytest.raises(InputError, match=message):
        score_systems(meteor, systems, references)


def test_report_is_equal_without_the_native_core(meteor, report):
    meteor.engine = "python"
    python_report = score_systems(meteor, SYSTEMS, REFERENCES, title=report.title, samples=100)
    assert b"".join(json_parts(python_report)) == b"".join(json_parts(report))
