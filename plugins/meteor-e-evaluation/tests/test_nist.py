from __future__ import annotations

import pytest
from meteor_e_evaluation.nist import NistMetric, brevity_penalty
from tiny_task import OUTPUTS, REFERENCE

from meteor_e.api import Batch


def test_nist_of_a_corpus_equals_nltk():
    pytest.importorskip("sacrebleu", reason="needs the extra 'metrics'")
    nist_score = pytest.importorskip("nltk.translate.nist_score", reason="nltk is not installed")
    metric = NistMetric()
    references = [metric.words(line) for line in REFERENCE]
    metric.weigh(references)
    for lines in OUTPUTS.values():
        (ours,) = metric.scores(metric.statistics(Batch(lines, [[line] for line in REFERENCE])).sum(axis=0)[None])
        theirs = nist_score.corpus_nist(
            [[reference] for reference in references], [metric.words(line) for line in lines]
        )
        assert ours == pytest.approx(theirs)


def test_brevity_penalty_is_a_half_at_two_thirds():
    assert brevity_penalty(2, 3) == pytest.approx(0.5)
    assert brevity_penalty(4, 3) == 1.0
    assert brevity_penalty(0, 3) == 0.0
