"""Tests of the metric NIST."""

from __future__ import annotations

import pytest
from meteor_e_evaluation.nist import NistMetric, brevity_penalty
from tiny_task import OUTPUTS, REFERENCE

from meteor_e.api import Batch


def test_nist_equals_nltk():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    nist_score = pytest.importorskip("nltk.translate.nist_score", reason="nltk is not installed")
    metric = NistMetric()
    references = [metric.words(line) for line in REFERENCE]
    metric.weigh(references)
    for lines in OUTPUTS.values():
        batch = Batch(lines, [[line] for line in REFERENCE])
        corpus_statistics = metric.statistics(batch).sum(axis=0)
        (score,) = metric.scores(corpus_statistics[None])
        hypotheses = [metric.words(line) for line in lines]
        nltk_score = nist_score.corpus_nist([[reference] for reference in references], hypotheses)
        assert score == pytest.approx(nltk_score)


def test_brevity_penalty_is_half_at_ratio_two_thirds():
    assert brevity_penalty(2, 3) == pytest.approx(0.5)
    assert brevity_penalty(4, 3) == 1.0
    assert brevity_penalty(0, 3) == 0.0
