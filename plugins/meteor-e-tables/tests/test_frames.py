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
        with pytest.raises(InputError, match=f"must be a data frame of .*, not {type(frame).__name__}$"):
            call(frame)


def test_the_full_name_of_what_is_no_frame(scorer):
    series = pandas.Series(["a"])
    name = f"{type(series).__module__}.Series"
    with pytest.raises(InputError, match=f"not {name}$"):
        scorer(series)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_frames_of_other_libraries(scorer, kind):
    library = pytest.importorskip(kind)
    texts = {"h": ["a b c", "d e"], "r": [["a b c", "x"], ["d x", "y"]]}
    frame = library.DataFrame(texts) if kind == "polars" else library.table(texts)
    expected = scorer(pandas.DataFrame(texts))
    scored = scorer(frame)
    assert type(scored) is type(frame)
    names = list(expected.columns)
    assert list(scored.to_pandas().columns if kind == "pyarrow" else scored.columns) == names
    for name in names[2:]:
        assert scored[name].to_numpy().tolist() == expected[name].tolist()
    assert type(scorer.sums(scored)) is type(frame)
    assert scorer.corpus_score(scorer.sums(scored)).score == scorer.corpus_score(scorer.sums(expected)).score
    assert scorer.meta(frame).shape == (0, len(names))
    if kind == "polars":
        with pytest.raises(InputError, match=r"not polars\.\S*LazyFrame"):
            scorer(frame.lazy())


def test_two_columns_of_one_name(scorer):
    for names in (["h", "r", "h"], ["h", "r", "x", "x"]):
        with pytest.raises(InputError, match="the data frame has two columns of one name"):
            scorer(pandas.DataFrame([["a"] * len(names)], columns=names))


def test_the_index_of_a_frame_stays(scorer):
    scored = scorer(pandas.DataFrame({"h": ["a", "b"], "r": ["a", "x"]}, index=[7, 3], dtype=object))
    assert list(scored.index) == [7, 3]
    assert scored["meteor_score"].tolist() == [1.0, 0.0]


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
