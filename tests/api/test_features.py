from __future__ import annotations

import numpy as np
import pytest

from meteor_e.api.features import Feature, SegmentFeature
from meteor_e.base.errors import InputError, PluginError
from meteor_e.testing import check_component

HYPOTHESES = ["a cat sat on the mat", "the boats left", "nothing here fits"]
REFERENCES = [["the cat sat on a mat", "a cat sat on the mat"], ["the boat left"], ["unlike any word"]]


class Lengths(Feature):
    """The numbers of words of the hypothesis and the first reference."""

    name = "word-counts"
    dimension = 2

    def compute(self, batch):
        return [[len(h.split()), len(r[0].split())] for h, r in zip(batch.hypotheses, batch.references, strict=True)]


class Letters(SegmentFeature):
    """The frequencies of the letters a, b and c."""

    name = "letters"
    segment_dimension = 3

    def __init__(self) -> None:
        self.asked = 0

    def vectors(self, segments):
        self.asked += len(segments)
        return [[segment.count(letter) for letter in "abc"] for segment in segments]


def test_rows_and_columns_of_a_feature():
    feature = Lengths()
    assert feature.columns == ("0", "1")
    assert feature.extract(HYPOTHESES, REFERENCES).tolist() == [[6, 6], [3, 3], [3, 3]]
    assert feature.extract([], []).shape == (0, 2)
    check_component(Lengths)


def test_feature_vectors_exist_for_both_texts():
    feature = Letters()
    assert feature.dimension == 6
    rows = feature.extract(["abc", "abc"], [["aab", "b"], ["abc"]])
    assert rows.tolist() == [[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 1, 1]]
    assert feature.asked == 3  # each text once
    check_component(Letters)


@pytest.mark.parametrize(
    ("hypotheses", "references", "sources", "message"),
    [
        (["a", "b"], [["a"]], None, "2 hypotheses but 1 references"),
        (["a"], "a", None, "references must be a list"),
        (["a"], [[]], None, "no text in the references"),
        (["a", "b"], [["a"], ["b"]], ["x", "y", "z"], "but 3 sources"),
    ],
)
def test_wrong_input(hypotheses, references, sources, message):
    with pytest.raises(InputError, match=message):
        Lengths().extract(hypotheses, references, sources=sources)


def test_feature_declares_its_needs():
    class OfSystem(Lengths):
        needs = ("systems",)

    with pytest.raises(InputError, match="'word-counts' needs the systems of the segments"):
        OfSystem().extract(["a"], [["a"]])
    assert OfSystem().extract(["a"], [["a"]], systems=["one"]).tolist() == [[1, 1]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1, 2]], r"shape \(1, 2\) for 3 segments; it declares 2"),
        ([[1], [2], [3]], r"shape \(3, 1\)"),
        ([[1, 2], [np.nan, 1], [1, 2]], "not finite for segment 2"),
        ([[1, 2], [1, 1], [np.inf, 2]], "not finite for segment 3"),
    ],
)
def test_rows_are_checked(rows, message):
    class Wrong(Lengths):
        def compute(self, batch):
            return rows

    with pytest.raises(PluginError, match=message):
        Wrong().extract(HYPOTHESES, REFERENCES)


def test_vectors_are_checked():
    class Wrong(Letters):
        def vectors(self, segments):
            return [[1, 2]] * len(segments)

    with pytest.raises(PluginError, match=r"'letters' returned vectors of shape \(5, 2\) for 5 segments"):
        Wrong().extract(HYPOTHESES[:2], [[*each, "more"][:2] for each in REFERENCES[:2]])
