from __future__ import annotations

import pytest

from meteor_e import InputError, Meteor

pandas = pytest.importorskip("pandas", reason="pandas is not installed")


@pytest.fixture(scope="module")
def scorer():
    from meteor_e_tables import FrameScorer

    return FrameScorer(Meteor("other", matchers=["exact"], normalization="lower"), hypothesis="h", reference="r")


@pytest.mark.parametrize("frame", [None, 3, float("nan"), "h", b"h", {"h": ["a"], "r": ["a"]}, [("a", "a")]])
def test_what_is_no_data_frame(scorer, frame):
    for call in (scorer, scorer.sums, lambda frame: list(scorer.each([frame]))):
        with pytest.raises(InputError, match=f"must be a pandas DataFrame, not {type(frame).__name__}"):
            call(frame)


@pytest.mark.parametrize("cell", [None, 3, float("nan"), b"a", {"a": 1}, {"a"}, True, pandas.NA, "\ud800", "é\udcff"])
def test_what_is_no_text_is_named_with_its_row(scorer, cell):
    for frame in ({"h": ["a", cell], "r": ["a", "a"]}, {"h": ["a", "a"], "r": ["a", cell]}):
        with pytest.raises(InputError, match="the data frame, row 2, column"):
            scorer(pandas.DataFrame(frame, dtype=object))
    with pytest.raises(InputError, match="row 1, column 'r', item 2"):
        scorer(pandas.DataFrame({"h": ["a"], "r": [["a", cell]]}, dtype=object))


def test_texts_beyond_ascii(scorer):
    scored = scorer(pandas.DataFrame({"h": ["é 你 😀"], "r": [["x", "é 你 😀"]]}, dtype=object))
    assert scorer.corpus_score(scorer.sums(scored)).score == 1
