"""Test that scores and alignments can be converted to data frames of pandas."""

from __future__ import annotations

import pytest

from meteor_e import Meteor, SegmentMetric


class WordCount(SegmentMetric):
    """A metric that counts the words of the hypothesis."""

    name = "words"
    signature = "words|v1"

    def score_segments(self, hypotheses, references, sources=None):
        return [len(text.split()) for text in hypotheses]


@pytest.fixture(scope="module")
def meteor():
    return Meteor("other", matchers=["exact"])


def test_alignment_to_pandas_has_one_row_per_match(meteor):
    alignment = meteor.align("a b <i>", ["<i> a c"])
    pytest.importorskip("pandas", reason="pandas is not installed")
    assert alignment.to_pandas()["hypothesis"].tolist() == ["<i>", "a"]
    assert list(meteor.align("a", "b").to_pandas().columns) == ["hypothesis", "reference", "matcher"]


def test_score_table_to_pandas_has_one_column_per_metric():
    from meteor_e import load_metric
    from meteor_e.api import System
    from meteor_e.evaluate import KeptData, evaluate
    from meteor_e.render.scores import ScoreResult

    metrics = [load_metric("meteor:language=other"), WordCount()]
    systems = [
        System.from_lists("<a>", ["a b", "c"], [["a"], ["c"]]),
        System.from_lists("b", ["a", "d"], [["a"], ["c"]]),
    ]
    table = evaluate(metrics, systems, keep=KeptData(segments=True))
    label = table.columns[0].name
    assert repr(table) == f"ScoreTable(2 systems; {label}, words)"
    assert len(ScoreResult(table).to_dict()["systems"][0]["segments"]) == 2
    assert "segments" not in ScoreResult(evaluate(metrics, systems)).to_dict()["systems"][0]
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = ScoreResult(table).to_pandas()
    assert frame["system"].tolist() == ["<a>", "b"]
    assert frame["words"].tolist() == [1.5, 1.0]


def test_corpus_score_to_pandas_has_one_row_per_segment(meteor):
    pytest.importorskip("pandas", reason="pandas is not installed")
    corpus = meteor.corpus(["a b", "c"], ["a", "c"], segments=True)
    frame = corpus.to_pandas()
    assert frame["score"].tolist() == [segment.score for segment in corpus.segments]
    assert meteor.corpus(["a b"], ["a"]).to_pandas().shape == (1, 6)
    assert corpus.segments[0].to_pandas()["recall"].tolist() == [corpus.segments[0].recall]
