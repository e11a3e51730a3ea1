"""Features: the checks of their input and of the rows that they return."""

from __future__ import annotations

import numpy as np
import pytest

from meteor_e.api.features import Feature, SegmentFeature
from meteor_e.base.errors import InputError, PluginError
from meteor_e.testing import check_component

HYPOTHESES = ["a cat sat on the mat", "the boats left", "nothing here fits"]
REFERENCES = [["the cat sat on a mat", "a cat sat on the mat"], ["the boat left"], ["unlike any word"]]


class WordCounts(Feature):
    """A feature with the word counts of the hypothesis and the first reference."""

    name = "word-counts"
    dimension = 2

    def compute(self, batch):
        return [
            [len(hypothesis.split()), len(references[0].split())]
            for hypothesis, references in zip(batch.hypotheses, batch.references, strict=True)
        ]


class LetterCounts(SegmentFeature):
    """A feature with the counts of the letters a, b and c."""

    name = "letters"
    segment_dimension = 3

    def __init__(self) -> None:
        self.segment_count = 0

    def vectors(self, segments):
        self.segment_count += len(segments)
        return [[segment.count(letter) for letter in "abc"] for segment in segments]


def test_feature_extracts_rows_with_its_columns():
    feature = WordCounts()
    assert feature.columns == ("0", "1")
    assert feature.extract(HYPOTHESES, REFERENCES).tolist() == [[6, 6], [3, 3], [3, 3]]
    assert feature.extract([], []).shape == (0, 2)
    check_component(WordCounts)


def test_segment_feature_computes_each_distinct_text_once():
    feature = LetterCounts()
    assert feature.dimension == 6
    rows = feature.extract(["abc", "abc"], [["aab", "b"], ["abc"]])
    assert rows.tolist() == [[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    assert feature.segment_count == 3  # The feature computes each distinct text once.
    check_component(LetterCounts)


@pytest.mark.parametrize(
    ("hypotheses", "references", "sources", "message"),
    [
        (["a", "b"], [["a"]], None, "2 hypotheses but 1 references"),
        (["a"], "a", None, "references must be a list"),
        (["a"], [[]], None, "no text in the references"),
        (["a", "b"], [["a"], ["b"]], ["x", "y", "z"], "but 3 sources"),
    ],
)
def test_extract_rejects_invalid_input(hypotheses, references, sources, message):
    with pytest.raises(InputError, match=message):
        WordCounts().extract(hypotheses, references, sources=sources)


def test_extract_rejects_missing_systems_if_they_are_needed():
    class SystemWordCounts(WordCounts):
        needs = ("systems",)

    with pytest.raises(InputError, match="'word-counts' needs the systems of the segments"):
        SystemWordCounts().extract(["a"], [["a"]])
    assert SystemWordCounts().extract(["a"], [["a"]], systems=["one"]).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2]], r"shape \(1, 2\) for 3 segments; it declares 2"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
        ([[1, 2], [np.nan, 1], [1, 2]], "not finite for segment 2"),
        ([[1, 2], [1, 1], [np.inf, 2]], "not finite for segment 3"),
    ],
)
def test_extract_rejects_invalid_rows(rows, message):
    class InvalidRows(WordCounts):
        def compute(self, batch):
            return rows

    with pytest.raises(PluginError, match=message):
        InvalidRows().extract(HYPOTHESES, REFERENCES)


def test_extract_rejects_vectors_of_the_wrong_shape():
    class InvalidVectors(LetterCounts):
        def vectors(self, segments):
            return [[1, 2]] * len(segments)

    # The two hypotheses and their references are five distinct texts.
    references = [["the cat sat on a mat", "a cat sat on the mat"], ["the boat left", "more"]]
    with pytest.raises(PluginError, match=r"'letters' returned vectors of shape \(5, 2\) for 5 segments"):
        InvalidVectors().extract(HYPOTHESES[:2], references)
